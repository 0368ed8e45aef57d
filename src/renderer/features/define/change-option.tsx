import { Button, Modal, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { limits } from '../../../engine/limits.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import { useChange } from '../../api/queries.ts';
import { isolate } from '../../parts/names.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { toChoices } from '../../parts/option.tsx';
import { useUndo } from '../../parts/use-undo.ts';
import { notify } from '../../state/notices.tsx';
import { useWorkbench } from '../../workbench.tsx';

type Kind = 'rename' | 'merge' | 'delete';
type Changed = OutputOf<'options.rename'>;
type Order = { kind: Kind; from: string; to: string; examples: 'unlabel' | 'delete' };

const commitNames: Record<Kind, string> = {
  rename: 'Rename everywhere',
  merge: 'Merge everywhere',
  delete: 'Delete everywhere',
};

/** Asks what a change of an option touches, or does it; the three operations behind one face. */
function useOptionChange(type: DecisionType) {
  const rename = useChange('options.rename');
  const merge = useChange('options.merge');
  const remove = useChange('options.delete');
  const params = { decision_type_id: type.id };
  const all = { rename, merge, delete: remove };
  const ask = ({ kind, from, to, examples }: Order, commit: boolean, onSuccess: (changed: Changed) => void) => {
    if (kind === 'rename') return rename.mutate({ params, body: { from, to, commit } }, { onSuccess });
    if (kind === 'merge') return merge.mutate({ params, body: { from, into: to, commit } }, { onSuccess });
    return remove.mutate({ params, body: { option: from, examples, commit } }, { onSuccess });
  };
  const forget = () => Object.values(all).forEach((each) => void each.reset());
  return { all, ask, forget };
}

/** Renames one option everywhere, merges it into another or deletes it: first shows what that touches, then does it. */
export function ChangeOption({ type, onClose }: { type: DecisionType; onClose(): void }) {
  const { drafts, settings, acts } = useWorkbench();
  const { undo } = useUndo(type.id);
  const { options } = type.active_version;
  const [order, setOrder] = useState<Order>({ kind: 'rename', from: options[0] ?? '', to: '', examples: 'unlabel' });
  const { all, ask, forget } = useOptionChange(type);
  const { kind, from, to, examples } = order;
  const asked = all[kind];
  const change = (part: Partial<Order>) => {
    forget();
    setOrder({ ...order, ...part });
  };
  const others = options.filter((option) => option !== from);
  const isComplete = kind === 'delete' || to.trim() !== '';
  const end = ({ undo_token, decision_type }: Changed) => {
    if (undo_token === null) return;
    const done = {
      rename: `Renamed ${isolate(from)} to ${isolate(to.trim())}`,
      merge: `Merged ${isolate(from)} into ${isolate(to)}`,
      delete: `Deleted ${isolate(from)}`,
    };
    drafts.getState().discard(type.id);
    if (kind === 'rename') settings.shareColour(type.id, from, to.trim());
    acts.done(type.id, done[kind], 'options.undo', { params: { decision_type_id: type.id }, body: { undo_token } });
    notify({
      kind: 'info',
      text: `${done[kind]}. Version ${decision_type.active_version.version_number} is active.`,
      undo,
    });
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask({ ...order, to: to.trim() }, asked.data !== undefined, end);
  };
  return (
    <Modal opened title="Change an option everywhere" onClose={onClose} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form className="stack" onSubmit={submit}>
        <SegmentedControl
          aria-label="What to do with it"
          value={kind}
          onChange={(value) => change({ kind: value as Kind, to: '' })}
          data={[
            { value: 'rename', label: 'Rename' },
            { value: 'merge', label: 'Merge' },
            { value: 'delete', label: 'Delete' },
          ]}
        />
        <NativeSelect
          data-autofocus
          label="Option"
          value={from}
          data={toChoices(options)}
          onChange={(event) => change({ from: event.currentTarget.value, ...(kind === 'merge' ? { to: '' } : {}) })}
        />
        {kind === 'rename' && (
          <TextInput
            label="New name"
            value={to}
            maxLength={limits.maxNameLength}
            onChange={(event) => change({ to: event.currentTarget.value })}
          />
        )}
        {kind === 'merge' && (
          <NativeSelect
            label="Into"
            value={to}
            data={[{ value: '', label: 'Choose an option' }, ...toChoices(others)]}
            onChange={(event) => change({ to: event.currentTarget.value })}
          />
        )}
        {kind === 'delete' && (
          <NativeSelect
            label="Its examples"
            value={examples}
            data={[
              { value: 'unlabel', label: 'Lose their label' },
              { value: 'delete', label: 'Are deleted too' },
            ]}
            onChange={(event) => change({ examples: event.currentTarget.value === 'delete' ? 'delete' : 'unlabel' })}
          />
        )}
        {asked.data && <Touched kind={kind} touches={asked.data.touches} />}
        {asked.isError && <ErrorNote error={asked.error} />}
        <div className="row between">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={asked.isPending} disabled={!isComplete}>
            {asked.data ? commitNames[kind] : 'Show what it affects'}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function Touched({ kind, touches }: { kind: Kind; touches: Changed['touches'] }) {
  const { examples, rules, fallback_option, deployed_policy } = touches;
  return (
    <ul className="note" aria-label="What it affects" aria-live="polite">
      <li>
        {examples.toLocaleString()} {examples === 1 ? 'example' : 'examples'} with this label
      </li>
      <li>
        {rules.length === 0
          ? 'No rule'
          : `${kind === 'delete' ? 'Rules that go with it' : 'Rules'}: ${rules.map(isolate).join(', ')}`}
      </li>
      {fallback_option && <li>The fallback option</li>}
      {deployed_policy && (
        <li>The deployed policy answers with the old options until a new one is trained and deployed</li>
      )}
      <li>A new version of the decision type; it can be undone until the type is changed again</li>
    </ul>
  );
}
