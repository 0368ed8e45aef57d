import { type FormEvent, useState } from 'react';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import { useChange } from '../api/queries.ts';
import { Dialog } from '../parts/dialog.tsx';
import { AreaField, SelectField } from '../parts/fields.tsx';
import { readJsonText } from '../parts/json-text.ts';
import { ErrorNote } from '../parts/layout.tsx';

/** One example written by hand. */
export function AddExampleDialog({ type, onClose }: { type: DecisionType; onClose(): void }) {
  const [text, setText] = useState('{\n  \n}');
  const [decision, setDecision] = useState('');
  const create = useChange('examples.create');
  const input = readJsonText(text, 'input');
  const problem = 'problem' in input ? input.problem : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!('value' in input) || input.value === null) return;
    const example = { input: input.value, decision: decision === '' ? null : decision };
    create.mutate({ params: { decision_type_id: type.id }, body: { examples: [example] } }, { onSuccess: onClose });
  };
  return (
    <Dialog title="Add example" onClose={onClose} size="narrow">
      <form className="stack" onSubmit={submit}>
        <AreaField label="Input (JSON)" mono rows={9} value={text} onValue={setText} error={problem} />
        <SelectField
          label="Decision"
          value={decision}
          onValue={setDecision}
          choices={[
            { value: '', text: 'No label yet' },
            ...type.active_version.options.map((option) => ({ value: option, text: option })),
          ]}
        />
        {create.isError && <ErrorNote error={create.error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={create.isPending || problem !== undefined}>
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}
