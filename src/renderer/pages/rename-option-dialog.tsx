import { type FormEvent, useState } from 'react';
import { limits } from '../../engine/limits.ts';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import type { OutputOf } from '../../server/contract/operations.ts';
import { useChange } from '../api/queries.ts';
import { Dialog } from '../parts/dialog.tsx';
import { SelectField, TextField } from '../parts/fields.tsx';
import { ErrorNote } from '../parts/layout.tsx';
import { useWorkbench } from '../workbench.tsx';

/** Renames one option everywhere: first shows what that touches, then does it. */
export function RenameOptionDialog({ type, onClose }: { type: DecisionType; onClose(): void }) {
  const { drafts, ui } = useWorkbench();
  const { options } = type.active_version;
  const [from, setFrom] = useState(options[0] ?? '');
  const [to, setTo] = useState('');
  const rename = useChange('options.rename');
  const shown = rename.data;
  const ask = (commit: boolean) =>
    rename.mutate(
      { params: { decision_type_id: type.id }, body: { from, to: to.trim(), commit } },
      {
        onSuccess: ({ committed, decision_type }) => {
          if (!committed) return;
          drafts.getState().discard(type.id);
          ui.getState().notify('info', `Renamed. Version ${decision_type.active_version.version_number} is active.`);
          onClose();
        },
      },
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask(shown !== undefined);
  };
  const change = (set: (value: string) => void) => (value: string) => {
    set(value);
    rename.reset();
  };
  return (
    <Dialog title="Rename an option" onClose={onClose} size="narrow">
      <form className="stack" onSubmit={submit}>
        <SelectField
          label="Option"
          value={from}
          onValue={change(setFrom)}
          choices={options.map((option) => ({ value: option, text: option }))}
        />
        <TextField
          label="New name"
          value={to}
          onValue={change(setTo)}
          maxLength={limits.maxNameLength}
          required
          autoFocus
        />
        {shown && <Touched touches={shown.touches} />}
        {rename.isError && <ErrorNote error={rename.error} />}
        <div className="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={rename.isPending || to.trim() === ''}>
            {shown ? 'Rename everywhere' : 'Show what it touches'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Touched({ touches }: { touches: OutputOf<'options.rename'>['touches'] }) {
  const { examples, rules, fallback_option, deployed_policy } = touches;
  return (
    <ul aria-label="What it touches" aria-live="polite">
      <li>
        {examples} {examples === 1 ? 'example' : 'examples'} with this label
      </li>
      <li>{rules.length === 0 ? 'No rule' : `Rules: ${rules.join(', ')}`}</li>
      {fallback_option && <li>The fallback option</li>}
      {deployed_policy && (
        <li>The deployed policy answers with the old name until a new one is trained and deployed</li>
      )}
      <li>A new version of the decision type; bulk changes of examples can no longer be undone</li>
    </ul>
  );
}
