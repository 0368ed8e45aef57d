import { Button } from '@mantine/core';
import type { OutputOf } from '../../../server/contract/operations.ts';
import { EmptyState } from '../../parts/notes.tsx';
import { count, number } from '../../parts/text/figures.ts';
import { useCommands } from '../../state/use-commands.ts';
import { countQueue, queues } from './queues.ts';

/** Stands behind the last example of a queue and says whether any is left, and the next queue that holds some. */
export function QueueEnd({
  queue,
  stats,
  isEmpty,
  onQueue,
}: {
  queue: string;
  stats: OutputOf<'examples.stats'>;
  /** No example was in the queue. */
  isEmpty: boolean;
  onQueue(name: string): void;
}) {
  const left = isEmpty ? 0 : (countQueue(queue, stats) ?? 0);
  const next = queues.find(({ name }) => name !== queue && name !== 'all' && (countQueue(name, stats) ?? 0) > 0);
  useCommands([
    {
      id: 'queue-next',
      title: 'Next queue',
      group: 'Label',
      keys: 'n',
      enabled: next !== undefined,
      run: () => next && onQueue(next.name),
    },
  ]);
  return (
    <EmptyState
      title={left === 0 ? 'Done: nothing left in this queue' : 'That was the last one'}
      actions={
        <>
          {next && (
            <Button onClick={() => onQueue(next.name)} rightSection={<kbd>N</kbd>}>
              {next.title}: {number(countQueue(next.name, stats) ?? 0)}
            </Button>
          )}
          {left > 0 && (
            <Button variant="default" onClick={() => onQueue(queue)}>
              Begin again
            </Button>
          )}
          <Button variant="default" onClick={() => onQueue('all')}>
            Show all examples
          </Button>
        </>
      }
    >
      {left === 0
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
