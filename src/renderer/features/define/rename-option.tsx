import { Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { limits } from '../../../engine/limits.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import { useChange } from '../../api/queries.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { notify } from '../../state/notices.tsx';
import { useWorkbench } from '../../workbench.tsx';

/** Renames one option everywhere: first shows what that touches, then does it. */
export function RenameOption({ type, onClose }: { type: DecisionType; onClose(): void }) {
  const { drafts, settings } = useWorkbench();
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
          settings.renameColour(type.id, from, to.trim());
          notify({ kind: 'info', text: `Renamed. Version ${decision_type.active_version.version_number} is active.` });
          onClose();
        },
      },
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask(shown !== undefined);
  };
  return (
    <Modal opened title="Rename an option" onClose={onClose} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form className="stack" onSubmit={submit}>
        <NativeSelect
          label="Option"
          value={from}
          data={options}
          onChange={(event) => {
            setFrom(event.currentTarget.value);
            rename.reset();
          }}
        />
        <TextInput
          data-autofocus
          label="New name"
          value={to}
          maxLength={limits.maxNameLength}
          onChange={(event) => {
            setTo(event.currentTarget.value);
            rename.reset();
          }}
        />
        {shown && <Touched touches={shown.touches} />}
        {rename.isError && <ErrorNote error={rename.error} />}
        <div className="row between">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={rename.isPending} disabled={to.trim() === ''}>
            {shown ? 'Rename everywhere' : 'Show what it touches'}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function Touched({ touches }: { touches: OutputOf<'options.rename'>['touches'] }) {
  const { examples, rules, fallback_option, deployed_policy } = touches;
  return (
    <ul className="note" aria-label="What it touches" aria-live="polite">
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
