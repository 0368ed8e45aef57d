/** An export of examples on its way back: what it adds and changes, and which side conflicts give, before it counts. */
import { Button, Radio } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConflictChoice } from '../../../engine/export/merge.ts';
import type { ImportPlan } from '../../../server/contract/examples/import-plan.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { queueKey } from '../../api/labels.ts';
import { Figure } from '../../parts/figure.tsx';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { Place } from '../../parts/panes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { count, number } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { notify } from '../../state/notices.tsx';
import { goTo } from '../../state/route.ts';
import type { WaitingFile } from '../../state/ui.ts';
import { useWorkbench } from '../../state/workbench.ts';
import type { OpenFile } from './use-import.ts';

const choices: { value: ConflictChoice; label: string; description: string }[] = [
  { value: 'keep', label: 'Keep mine', description: 'They stay as they are here.' },
  { value: 'take', label: 'Take those of the file', description: 'They become as the file has them.' },
  {
    value: 'flag',
    label: 'Open them again',
    description: 'They are flagged, without a label, with both labels in the note.',
  },
];

type Merge = NonNullable<ImportPlan['merge']>;
type MergeDeskProps = {
  type: DecisionType;
  from: WaitingFile;
  file: OpenFile;
  plan: ImportPlan;
  merge: Merge;
  title: string;
  choose: React.ReactNode;
  onClose(): void;
};

/** Shows what a merge does, asks about conflicts, and merges. */
export function MergeDesk({ type, from, file, plan, merge, title, choose, onClose }: MergeDeskProps) {
  const { queries } = useWorkbench();
  const [choice, setChoice] = useState<ConflictChoice>('refuse');
  const isOpen = merge.conflicts > 0 && choice === 'refuse';
  const name = isolate(from.file.name);
  const merging = useMutation({
    mutationFn: () => file.commit({ on_conflict: choice }, new AbortController().signal),
    onSuccess: (committed) => {
      const done = committed?.merge;
      queries.removeQueries({ queryKey: [queueKey, type.id] });
      const { added = 0, changed = 0, conflicts = 0, read_again: again = 0 } = done ?? {};
      const all = changed + (choice === 'keep' ? 0 : conflicts);
      const read = again > 0 ? `, ${number(again)} read a second time` : '';
      const text = `Examples merged from ${name}: ${number(added)} added, ${number(all)} changed${read}.`;
      notify({ kind: 'info', text });
      onClose();
      goTo({ page: 'type', id: type.id, place: 'examples' });
    },
  });
  return (
    <Place
      id="import"
      title={title}
      head={
        <Figure className="muted wrap" says="The file, which a workbench has exported, and its rows.">
          {name} · an export of examples · {count(plan.file.rows, 'row')}
        </Figure>
      }
      tools={
        <>
          {choose}
          <Button variant="filled" disabled={isOpen} loading={merging.isPending} onClick={() => merging.mutate()}>
            Merge {count(merge.added + merge.changed + merge.read_again + merge.conflicts, 'example')}
          </Button>
        </>
      }
    >
      {merging.error && <ErrorNote error={merging.error} />}
      <WhatHappens merge={merge} />
      {merge.conflicts > 0 && <Conflicts merge={merge} choice={choice} onChoose={setChoice} />}
    </Place>
  );
}

function WhatHappens({ merge }: { merge: Merge }) {
  return (
    <Part title="What happens">
      <ul className="stack tight">
        <li>
          <strong>{count(merge.added, 'example')}</strong> {merge.added === 1 ? 'is' : 'are'} new here.
        </li>
        <li>
          <strong>{count(merge.changed, 'example')}</strong> {merge.changed === 1 ? 'gets' : 'get'} a label, a note or
          another change of the file.
        </li>
        {merge.read_again > 0 && (
          <li>
            <strong>{count(merge.read_again, 'example')}</strong> {merge.read_again === 1 ? 'gets' : 'get'} a second
            label beside the one here, given without sight of it. Agreement counts both.
          </li>
        )}
        <li>{count(merge.unchanged, 'example')} stay as they are. No label is removed.</li>
        {merge.gone > 0 && (
          <li className="warn-text">
            {count(merge.gone, 'label')} {merge.gone === 1 ? 'is' : 'are'} of examples that are not here any more.
          </li>
        )}
        {merge.unknown_decisions.map(({ value, count: rows }) => (
          <li key={value} className="bad-text">
            {isolate(value)} ({count(rows, 'row')}) is no option of this decision type. Add it under Define first.
          </li>
        ))}
      </ul>
    </Part>
  );
}

type ConflictsProps = { merge: Merge; choice: ConflictChoice; onChoose(choice: ConflictChoice): void };

function Conflicts({ merge, choice, onChoose }: ConflictsProps) {
  const more = merge.conflicts - merge.items.length;
  return (
    <Part title={`${count(merge.conflicts, 'example')} changed here and in the file otherwise`}>
      <Radio.Group
        aria-label="What becomes of them"
        value={choice}
        onChange={(value) => onChoose(choices.find((each) => each.value === value)?.value ?? 'refuse')}
      >
        <div className="stack">
          {choices.map((each) => (
            <Radio key={each.value} value={each.value} label={each.label} description={each.description} />
          ))}
        </div>
      </Radio.Group>
      <PlainTable heads={['Line', 'Differs', 'Here', 'In the file']}>
        {merge.items.map(({ line, about, here, there }) => (
          <tr key={line}>
            <td>{number(line)}</td>
            <td>{about === 'label' ? 'the label' : 'the input'}</td>
            <td className="wrap">{here === null ? 'no label' : showUnseen(here)}</td>
            <td className="wrap">{there === null ? 'no label' : showUnseen(there)}</td>
          </tr>
        ))}
      </PlainTable>
      {more > 0 && <p className="muted">And {number(more)} more.</p>}
    </Part>
  );
}
