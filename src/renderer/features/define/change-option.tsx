import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { limits } from '../../../engine/limits.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { ChangeProgress } from '../../parts/change-progress.tsx';
import { FormDialog } from '../../parts/form.tsx';
import { toChoices } from '../../parts/option.tsx';
import { count } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { change } from '../../state/queries.ts';
import { useUndo } from '../../state/use-undo.ts';
import { useWorkbench } from '../../state/workbench.ts';

type Kind = 'rename' | 'merge' | 'delete';
type Changed = OutputOf<'options.rename'>;
type Order = { kind: Kind; from: string; to: string; examples: 'unlabel' | 'delete' };

const commitNames: Record<Kind, string> = {
  rename: 'Rename everywhere',
  merge: 'Merge everywhere',
  delete: 'Delete everywhere',
};

/** The call that changes an option as ordered, or only says what that touches. */
function toCall(typeId: string, { kind, from, to, examples }: Order, commit: boolean) {
  const params = { decision_type_id: typeId };
  const name = to.trim();
  if (kind === 'rename')
    return { name: 'options.rename' as const, input: { params, body: { from, to: name, commit } } };
  if (kind === 'merge')
    return { name: 'options.merge' as const, input: { params, body: { from, into: name, commit } } };
  return { name: 'options.delete' as const, input: { params, body: { option: from, examples, commit } } };
}

/** Renames one option everywhere, merges it into another or deletes it: first shows what that touches, then does it. */
export function ChangeOption({ type, onClose }: { type: DecisionType; onClose(): void }) {
  const workbench = useWorkbench();
  const { drafts, settings } = workbench;
  const { noteDone } = useUndo(type.id);
  const { options } = type.active_version;
  const [order, setOrder] = useState<Order>({ kind: 'rename', from: options[0] ?? '', to: '', examples: 'unlabel' });
  const { kind, from, to } = order;
  const asked = useMutation({
    mutationFn: ({ name, input }: ReturnType<typeof toCall>): Promise<Changed> => change(workbench, name, input),
    onSuccess: (changed) => end(changed),
  });
  const edit = (part: Partial<Order>) => {
    asked.reset();
    setOrder({ ...order, ...part });
  };
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
    const input = { params: { decision_type_id: type.id }, body: { undo_token } };
    const text = `${done[kind]}. Version ${decision_type.active_version.version_number} is active.`;
    noteDone(done[kind], text, { name: 'options.undo', input }, toCall(type.id, order, true));
    onClose();
  };
  return (
    <FormDialog
      title="Change an option everywhere"
      act={asked.data ? commitNames[kind] : 'Show what it affects'}
      disabled={!isComplete}
      isPending={asked.isPending}
      error={asked.error}
      onSubmit={() => asked.mutate(toCall(type.id, order, asked.data !== undefined))}
      onClose={onClose}
    >
      <SegmentedControl
        aria-label="What to do with it"
        value={kind}
        onChange={(value) => edit({ kind: value as Kind, to: '' })}
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
        onChange={(event) => edit({ from: event.currentTarget.value, ...(kind === 'merge' ? { to: '' } : {}) })}
      />
      <Outcome order={order} options={options} onChange={edit} />
      {asked.data && <Touched kind={kind} touches={asked.data.touches} />}
      <ChangeProgress typeId={type.id} />
    </FormDialog>
  );
}

type OutcomeProps = { order: Order; options: readonly string[]; onChange(part: Partial<Order>): void };

function Outcome({ order: { kind, from, to, examples }, options, onChange }: OutcomeProps) {
  if (kind === 'rename')
    return (
      <TextInput
        label="New name"
        value={to}
        maxLength={limits.maxNameLength}
        onChange={(event) => onChange({ to: event.currentTarget.value })}
      />
    );
  if (kind === 'merge')
    return (
      <NativeSelect
        label="Into"
        value={to}
        data={[{ value: '', label: 'Choose an option' }, ...toChoices(options.filter((option) => option !== from))]}
        onChange={(event) => onChange({ to: event.currentTarget.value })}
      />
    );
  return (
    <NativeSelect
      label="Its examples"
      value={examples}
      data={[
        { value: 'unlabel', label: 'Lose their label' },
        { value: 'delete', label: 'Are deleted too' },
      ]}
      onChange={(event) => onChange({ examples: event.currentTarget.value === 'delete' ? 'delete' : 'unlabel' })}
    />
  );
}

function Touched({ kind, touches }: { kind: Kind; touches: Changed['touches'] }) {
  const { examples, rules, fallback_option, deployed_policy } = touches;
  return (
    <ul className="note" aria-label="What it affects" aria-live="polite">
      <li>{count(examples, 'example')} with this label</li>
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
