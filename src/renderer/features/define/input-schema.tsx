import { Button } from '@mantine/core';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { JsonText } from '../../parts/fields/growing-text.tsx';
import { readJsonText } from '../../parts/text/json-text.ts';
import { showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';
import { useDraft } from '../../state/use-draft.ts';

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

type FieldSchema = { type: string | string[] };
/** A JSON Schema of the top-level fields: enough to refuse an input that is plainly not one. */
type InferredSchema = { type: 'object'; properties: Record<string, FieldSchema>; required: string[] };

function inferType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** The fields seen in some inputs with their JSON types; a field that every input has is required. */
export function inferSchema(inputs: readonly Record<string, unknown>[]): InferredSchema {
  const kinds = new Map<string, { kinds: Set<string>; count: number }>();
  for (const input of inputs) {
    for (const [name, value] of Object.entries(input)) {
      const seen = kinds.get(name) ?? { kinds: new Set<string>(), count: 0 };
      seen.kinds.add(inferType(value));
      seen.count += 1;
      kinds.set(name, seen);
    }
  }
  const properties: Record<string, FieldSchema> = {};
  for (const [name, seen] of kinds) {
    const [only, ...others] = seen.kinds;
    properties[name] = { type: others.length === 0 && only !== undefined ? only : [...seen.kinds] };
  }
  const required = [...kinds].filter(([, { count }]) => count === inputs.length).map(([name]) => name);
  return { type: 'object', properties, required };
}
