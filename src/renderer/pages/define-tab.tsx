import { useState } from 'react';
import { limits } from '../../engine/limits.ts';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import { useOperation } from '../api/queries.ts';
import { inferSchema } from '../examples/infer-schema.ts';
import { AreaField, SelectField, TextField, TextListField } from '../parts/fields.tsx';
import { readJsonText } from '../parts/json-text.ts';
import { Card } from '../parts/layout.tsx';
import { changedFields } from '../state/drafts.ts';
import { RenameOptionDialog } from './rename-option-dialog.tsx';
import { useDraft } from './use-draft.ts';

const unfamiliarChoices = [
  { value: 'escalate', text: 'Treat as unsure' },
  { value: 'ignore', text: 'Decide like any other' },
] as const;

const betweenChoices = [
  { value: 'flag', text: 'Decide, and mark it for a look' },
  { value: 'accept', text: 'Decide as if sure' },
  { value: 'fallback', text: 'Take the fallback option' },
  { value: 'escalate', text: 'Ask the connected model, else the fallback' },
] as const;

/** What is decided: name, options, reason codes, thresholds, fallback and the shape of the input. */
export function DefineTab({ type }: { type: DecisionType }) {
  const { base, draft, edit } = useDraft(type);
  const [isRenaming, setIsRenaming] = useState(false);
  const choices = draft.options.filter((option) => option !== '');
  const isEdited = changedFields(base, draft).length > 0;
  return (
    <div className="two">
      {isRenaming && <RenameOptionDialog type={type} onClose={() => setIsRenaming(false)} />}
      <div className="stack">
        <Card title="The question">
          <TextField
            label="Name"
            hint="Programs ask for decisions by this name."
            value={draft.name}
            onValue={(name) => edit({ name }, 'name')}
            maxLength={limits.maxTypeNameLength}
          />
          <AreaField
            label="Description"
            value={draft.description}
            onValue={(description) => edit({ description }, 'description')}
          />
          <TextListField
            label="Options"
            itemLabel="Option"
            hint="The possible answers. A change needs a new training."
            values={draft.options}
            onValues={(options) => edit({ options }, `options-${options.length}`)}
            minimum={limits.minOptions}
          />
          <div>
            <button
              type="button"
              className="small"
              disabled={isEdited}
              title={isEdited ? 'Save or discard the changes first' : undefined}
              onClick={() => setIsRenaming(true)}
            >
              Rename an option everywhere…
            </button>
          </div>
          <TextListField
            label="Reason codes"
            itemLabel="Reason code"
            hint="Short codes that tell why, for rules and examples."
            values={draft.reason_codes}
            onValues={(reason_codes) => edit({ reason_codes }, `reasons-${reason_codes.length}`)}
          />
        </Card>
      </div>
      <div className="stack">
        <ThresholdsCard type={type} choices={choices} />
        <InputCard type={type} />
        <Card title="Records">
          <TextListField
            label="Personal data (PII) fields"
            itemLabel="Field path"
            hint="Paths into the input, such as customer.email. Their values are redacted before anything is written."
            values={draft.pii_fields}
            onValues={(pii_fields) => edit({ pii_fields }, `pii-${pii_fields.length}`)}
          />
          <TextField
            label="Keep log records for (days)"
            hint="Empty: without end. Older records are deleted from the disk."
            type="number"
            min={1}
            max={3650}
            value={draft.retention_days === null ? '' : String(draft.retention_days)}
            onValue={(text) => edit({ retention_days: text === '' ? null : Number(text) }, 'retention')}
          />
        </Card>
      </div>
    </div>
  );
}

function ThresholdsCard({ type, choices }: { type: DecisionType; choices: readonly string[] }) {
  const { draft, edit } = useDraft(type);
  const { auto_decide, escalation } = draft.confidence_thresholds;
  const live = draft.escalation_policy.enabled ? (draft.escalation_policy.connection ?? '') : '';
  const connections = useOperation('connections.list', {}).data?.map(({ name }) => name) ?? [];
  const models = live === '' || connections.includes(live) ? connections : [...connections, live];
  const set = (patch: { auto_decide?: number; escalation?: number }) =>
    edit({ confidence_thresholds: { ...draft.confidence_thresholds, ...patch } }, `threshold-${Object.keys(patch)[0]}`);
  return (
    <Card title="When it is not sure">
      <div className="two">
        <TextField
          label="Decide directly from"
          hint="Confidence, 0 to 1"
          type="number"
          min={0}
          max={1}
          step={0.01}
          value={String(auto_decide)}
          onValue={(text) => set({ auto_decide: Number(text) })}
          error={escalation > auto_decide ? 'It must not be below the fallback threshold.' : undefined}
        />
        <TextField
          label="Fall back below"
          hint="Confidence, 0 to 1"
          type="number"
          min={0}
          max={1}
          step={0.01}
          value={String(escalation)}
          onValue={(text) => set({ escalation: Number(text) })}
        />
      </div>
      <SelectField
        label="In between"
        value={draft.escalation_policy.between}
        choices={betweenChoices}
        onValue={(value) => {
          const between = betweenChoices.find((choice) => choice.value === value)?.value;
          if (between) edit({ escalation_policy: { ...draft.escalation_policy, between } });
        }}
      />
      <SelectField
        label="Inputs unlike the examples"
        hint="A classifier may be sure of nonsense; the policy also looks at the input itself."
        value={draft.escalation_policy.unfamiliar}
        choices={unfamiliarChoices}
        onValue={(value) => {
          const unfamiliar = unfamiliarChoices.find((choice) => choice.value === value)?.value;
          if (unfamiliar) edit({ escalation_policy: { ...draft.escalation_policy, unfamiliar } });
        }}
      />
      <SelectField
        label="Fallback option"
        hint="The answer below the lower threshold, marked for a look."
        value={draft.fallback_option ?? ''}
        choices={[{ value: '', text: 'None: the best guess, marked' }, ...choices.map((o) => ({ value: o, text: o }))]}
        onValue={(value) => edit({ fallback_option: value === '' ? null : value })}
      />
      <SelectField
        label="Connected model"
        hint="Asked below the lower threshold, and in between where that is set: the input then leaves this program, with its PII fields redacted. When the model fails, the fallback applies."
        value={live}
        choices={[{ value: '', text: 'None' }, ...models.map((name) => ({ value: name, text: name }))]}
        onValue={(name) =>
          edit({
            escalation_policy: {
              ...draft.escalation_policy,
              enabled: name !== '',
              connection: name === '' ? null : name,
            },
          })
        }
      />
    </Card>
  );
}

function InputCard({ type }: { type: DecisionType }) {
  const { draft, edit } = useDraft(type);
  const examples = useOperation('examples.list', {
    params: { decision_type_id: type.id },
    query: { page_size: 100 },
  });
  const schema = readJsonText(draft.inputSchemaText, 'input schema');
  const inputs = examples.data?.items.map((example) => example.input_payload) ?? [];
  const fields = inferSchema(inputs);
  return (
    <Card title="Input fields">
      {Object.keys(fields.properties).length > 0 ? (
        <ul className="row" aria-label="Fields seen in examples">
          {Object.entries(fields.properties).map(([name, { type: kind }]) => (
            <li key={name} className="badge">
              {name}
              <span className="muted">{String(kind)}</span>
            </li>
          ))}
        </ul>
      ) : (
        <p className="muted">Fields are learned from the examples; none are known yet.</p>
      )}
      <AreaField
        label="Input schema"
        hint="Optional JSON Schema. An input that fails it is refused before anything is decided."
        rows={draft.inputSchemaText === '' ? 3 : 10}
        mono
        value={draft.inputSchemaText}
        onValue={(inputSchemaText) => edit({ inputSchemaText }, 'schema')}
        error={'problem' in schema ? schema.problem : undefined}
      />
      <div className="row">
        <button
          type="button"
          className="small"
          disabled={inputs.length === 0}
          onClick={() => edit({ inputSchemaText: JSON.stringify(fields, null, 2) })}
        >
          Make schema from examples
        </button>
      </div>
    </Card>
  );
}
