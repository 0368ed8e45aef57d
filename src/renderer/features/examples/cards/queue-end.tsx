import { Button } from '@mantine/core';
import type { OutputOf } from '../../../../server/contract/operations.ts';
import type { DecisionType } from '../../../../server/contract/types/decision-types.ts';
import { EmptyState } from '../../../parts/notes.tsx';
import { OptionName } from '../../../parts/option.tsx';
import { PendingFollowUp } from '../../../parts/pending-follow-up.tsx';
import { count, number } from '../../../parts/text/figures.ts';
import { useOperation } from '../../../state/queries.ts';
import { useCommands } from '../../../state/use-commands.ts';
import { countQueue, describeSuspects, queues } from '../rows/queues.ts';
import { type Advice, countAgreement } from './advice.ts';
import { DrawButton, ReaderAgreement } from './second-reading.tsx';

/** How often the labels given here followed the suggestion; nothing before there is one of both. */
export function Agreement({ labels, advice }: { labels: ReadonlyMap<string, string>; advice: Advice }) {
  const { agreed, of } = countAgreement(labels, advice);
  if (of === 0) return null;
  return (
    <p className="muted">
      You agreed with {number(agreed)} of {count(of, 'suggestion')}.
    </p>
  );
}

const maxShownOptions = 9;

/** Lists what was labelled here, by option, commonest first. */
function Done({ typeId, labels, advice }: { typeId: string; labels: ReadonlyMap<string, string>; advice: Advice }) {
  const counts = new Map<string, number>();
  for (const label of labels.values()) counts.set(label, (counts.get(label) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  return (
    <section aria-label="Labelled here" className="done-here stack tight">
      <h3>You labelled {count(labels.size, 'example')}</h3>
      <ul>
        {sorted.slice(0, maxShownOptions).map(([option, labelled]) => (
          <li key={option} className="row between">
            <OptionName typeId={typeId} option={option} />
            <span className="number">{number(labelled)}</span>
          </li>
        ))}
        {sorted.length > maxShownOptions && (
          <li className="muted">and {count(sorted.length - maxShownOptions, 'more option')}</li>
        )}
      </ul>
      <Agreement labels={labels} advice={advice} />
    </section>
  );
}

/** Says that the labels of a type are still being checked after its newest training, as long as they are. */
export function CheckingLabels({ typeId }: { typeId: string }) {
  const newest = useOperation('policies.list', { params: { decision_type_id: typeId } }).data?.[0];
  return newest && <PendingFollowUp typeId={typeId} policyId={newest.id} />;
}

type QueueEndProps = {
  type: DecisionType;
  queue: string;
  stats: OutputOf<'examples.stats'>;
  /** Rows labelled since the queue was opened. */
  labels: ReadonlyMap<string, string>;
  advice: Advice;
  /** No example was in the queue. */
  isEmpty: boolean;
  onQueue(name: string): void;
};

/** Stands behind the last example of a queue and says whether any is left, and the next queue that holds some. */
export function QueueEnd({ type, queue, stats, labels, advice, isEmpty, onQueue }: QueueEndProps) {
  const waiting = countQueue(queue, stats) ?? 0;
  const left = isEmpty ? 0 : waiting;
  const isOthers = isEmpty && queue === 'second-reading' && waiting > 0;
  const next = queues.find(({ name }) => name !== queue && name !== 'all' && (countQueue(name, stats) ?? 0) > 0);
  const isOfReaders = queue === 'second-reading' || queue === 'conflicts';
  useCommands('Label', [
    {
      id: 'queue-next',
      title: 'Next queue',
      keys: 'n',
      enabled: next !== undefined,
      run: () => next && onQueue(next.name),
    },
  ]);
  return (
    <EmptyState
      title={
        isOthers
          ? 'Nothing for you to read'
          : left === 0
            ? labels.size === 0
              ? 'Nothing here'
              : 'Done: nothing left in this queue'
            : 'That was the last one'
      }
      facts={
        <>
          {isOfReaders && <ReaderAgreement type={type} />}
          {queue === 'suspect' && <CheckingLabels typeId={type.id} />}
          {queue === 'suspect' && <p>{describeSuspects(stats.suspects)}</p>}
          {labels.size > 0 && <Done typeId={type.id} labels={labels} advice={advice} />}
        </>
      }
      actions={
        <>
          {next && (
            <Button
              {...(next.name !== 'suspect' && { variant: 'filled' })}
              onClick={() => onQueue(next.name)}
              rightSection={<kbd>N</kbd>}
            >
              {next.title}: {number(countQueue(next.name, stats) ?? 0)}
            </Button>
          )}
          {isOfReaders && <DrawButton type={type} onDrawn={() => onQueue('second-reading')} />}
          {left > 0 && <Button onClick={() => onQueue(queue)}>Begin again</Button>}
          <Button onClick={() => onQueue('all')}>Show all examples</Button>
        </>
      }
    >
      {isOthers
        ? `${count(waiting, 'example')} wait for another reader: you gave their first labels less than a week ago.`
        : left === 0
          ? 'Go on with another queue, train, or import more examples.'
          : `This queue still holds ${count(left, 'example')}. Go through it again, or go on with another one.`}{' '}
      {!isEmpty && (
        <>
          <kbd>U</kbd> takes the last answer back, <kbd>K</kbd> shows the last example.
        </>
      )}
    </EmptyState>
  );
}
