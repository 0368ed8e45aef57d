import { Button } from '@mantine/core';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { JsonText } from '../../parts/fields/growing-text.tsx';
import { readJsonText } from '../../parts/text/json-text.ts';
import { showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';
import { useDraft } from '../../state/use-draft.ts';
import { inferSchema } from './infer-schema.ts';

const sampledExamples = 100;

/** The fields seen in examples, and the schema that inputs must fit. */
export function InputSchema({ type }: { type: DecisionType }) {
  const { draft, edit } = useDraft(type);
  const examples = useOperation('examples.list', {
    params: { decision_type_id: type.id },
    query: { page_size: sampledExamples },
  });
  const schema = readJsonText(draft.inputSchemaText, 'input schema');
  const inputs = examples.data?.items.map((example) => example.input_payload) ?? [];
  const fields = inferSchema(inputs);
  const seen = Object.entries(fields.properties);
  return (
    <div className="part stack">
      {seen.length > 0 ? (
        <ul className="row" aria-label="Fields seen in examples">
          {seen.map(([name, { type: kind }]) => (
            <li key={name} className="tag wrap">
              <strong>{showUnseen(name)}</strong> {String(kind)}
            </li>
          ))}
        </ul>
      ) : (
        <p className="muted">Fields are learned from the examples; none are known yet.</p>
      )}
      <JsonText
        label="Input schema"
        description='Optional JSON Schema that inputs must fit. A number with "never_lowers": "approve" never speaks against that option as it rises.'
        minRows={4}
        maxRows={24}
        value={draft.inputSchemaText}
        onText={(inputSchemaText) => edit({ inputSchemaText }, 'schema')}
        problem={'problem' in schema ? schema.problem : undefined}
      />
      <Button
        size="compact-xs"
        disabled={inputs.length === 0}
        onClick={() => edit({ inputSchemaText: JSON.stringify(fields, null, 2) })}
      >
        Make schema from examples
      </Button>
    </div>
  );
}
