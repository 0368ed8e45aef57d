/** An export of examples on its way back: what it adds and changes, and which side conflicts give, before it counts. */
import { Button, Radio } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ConflictChoice } from '../../../engine/import/merge.ts';
import { limits } from '../../../engine/limits.ts';
import type { ImportResult } from '../../../server/contract/examples/examples.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { findStale, invalidate } from '../../api/changes.ts';
import { queueKey } from '../../api/labels.ts';
import { Figure } from '../../parts/figure.tsx';
import { Busy, ErrorNote, Part } from '../../parts/notes.tsx';
import { Place } from '../../parts/panes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { count, number } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { notify } from '../../state/notices.tsx';
import { goTo } from '../../state/route.ts';
import { useWorkbench, type Workbench } from '../../state/workbench.ts';

const choices: { value: ConflictChoice; label: string; description: string }[] = [
  { value: 'keep', label: 'Keep mine', description: 'They stay as they are here.' },
  { value: 'take', label: 'Take those of the file', description: 'They become as the file has them.' },
  {
    value: 'flag',
    label: 'Open them again',
    description: 'They are flagged, without a label, with both labels in the note.',
  },
];

type Merge = NonNullable<ImportResult['merge']>;
type MergeDeskProps = { type: DecisionType; file: File; title: string; choose: React.ReactNode; onClose(): void };

const mebibyte = 2 ** 20;

async function upload({ client }: Workbench, type: DecisionType, file: File, choice: ConflictChoice, commit: boolean) {
  if (file.size > limits.maxExamplesBytes) {
    const [size, most] = [file.size, limits.maxExamplesBytes].map((bytes) => number(Math.ceil(bytes / mebibyte)));
    throw new Error(
      `The export has ${size} MiB, and one merge takes ${most}. Export the examples as Excel or Parquet, which are packed, or a part at a time by a filter, and merge each file.`,
    );
  }
  const form = new FormData();
  form.set('file', file, file.name);
  form.set('on_conflict', choice);
  form.set('commit', String(commit));
  return client.upload('examples.import', { params: { decision_type_id: type.id } }, form);
}

/** Shows what a merge does, asks about conflicts, and merges. */
export function MergeDesk({ type, file, title, choose, onClose }: MergeDeskProps) {
  const workbench = useWorkbench();
  const [found, setFound] = useState<ImportResult | null>(null);
  const [choice, setChoice] = useState<ConflictChoice>('refuse');
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file is compared once, when it comes
  useEffect(() => {
    let isGone = false;
    upload(workbench, type, file, 'refuse', false).then(
      (result) => !isGone && setFound(result),
      (failure: unknown) => !isGone && setError(failure),
    );
    return () => {
      isGone = true;
    };
  }, [file]);
  const merge = found?.merge ?? null;
  const isOpen = merge === null || (merge.conflicts > 0 && choice === 'refuse');
  const run = async () => {
    setIsRunning(true);
    setError(null);
    try {
      const { merge: done } = await upload(workbench, type, file, choice, true);
      workbench.queries.removeQueries({ queryKey: [queueKey, type.id] });
      await invalidate(workbench.queries, findStale('examples.import', { params: { decision_type_id: type.id } }));
      const changed = (done?.changed ?? 0) + (choice === 'keep' ? 0 : (done?.conflicts ?? 0));
      const changes = `${number(done?.added ?? 0)} added, ${number(changed)} changed`;
      notify({ kind: 'info', text: `Examples merged from ${isolate(file.name)}: ${changes}.` });
      onClose();
      goTo({ page: 'type', id: type.id, place: 'examples' });
    } catch (failure) {
      setError(failure);
      setIsRunning(false);
    }
  };
  return (
    <Place
      id="import"
      title={title}
      head={
        <Figure className="muted wrap" says="The file, which a workbench has exported, and its rows.">
          {isolate(file.name)} · an export of examples{found !== null && ` · ${count(found.total, 'row')}`}
        </Figure>
      }
      tools={
        <>
          {choose}
          <Button variant="filled" disabled={isOpen} loading={isRunning} onClick={() => void run()}>
            {merge === null ? 'Merge' : `Merge ${count(merge.added + merge.changed + merge.conflicts, 'example')}`}
          </Button>
        </>
      }
    >
      {error !== null && <ErrorNote error={error} />}
      {found === null && error === null && <Busy>Comparing {isolate(file.name)} with the examples…</Busy>}
      {found !== null && merge !== null && <WhatHappens result={found} merge={merge} />}
      {merge !== null && merge.conflicts > 0 && (
        <Conflicts merge={merge} choice={choice} onChoose={(chosen) => setChoice(chosen)} />
      )}
    </Place>
  );
}

function WhatHappens({ result, merge }: { result: ImportResult; merge: Merge }) {
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
        <li>{count(merge.unchanged, 'example')} stay as they are. No label is removed.</li>
        {result.unknown_decisions.map(({ value, count: rows }) => (
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
