/** Entry of a process that looks at all examples of a type, so that nobody waits for it: one order, then its end. */
import { setPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeSuspects } from '../../engine/findings/labels.ts';
import { type DataFindings, startDataSearch } from '../../engine/findings/search-data.ts';
import { ExampleReader } from '../store/example-reader.ts';
import type { AnalysisOrder, AnalysisReply, FindingsOrder } from './orders.ts';

/** Below the server and its encoder: whatever is asked here can wait. */
const niceness = 10;
/** What comes after the last row takes about as long as the rows themselves. */
const readingShare = 0.8;

process.once('disconnect', () => process.exit(0));
setPriority(niceness);
process.once('message', (order: AnalysisOrder) => void carryOut(order));

async function carryOut(order: AnalysisOrder): Promise<void> {
  const reply: AnalysisReply<DataFindings> = await findProblems(order).then(
    (result) => ({ kind: 'done', result }),
    (error: unknown) => ({ kind: 'failed', fault: String(error) }),
  );
  process.send?.(reply, () => process.disconnect());
}

function report(share: number): void {
  process.send?.({ kind: 'progress', share } satisfies AnalysisReply<never>);
}

async function findProblems(order: FindingsOrder): Promise<DataFindings> {
  const reader = new ExampleReader(order.databaseFile);
  try {
    const { typeId, policy, options } = order;
    const total = Math.max(1, reader.count(typeId));
    const search = startDataSearch(options, order.piiFields);
    let read = 0;
    for (const rows of reader.readExamples(typeId, policy?.id ?? null)) {
      for (const row of rows) search.add(row);
      read += rows.length;
      report(Math.min(readingShare, (readingShare * read) / total));
      // A parent that is gone is noticed between two turns.
      await nextTurn();
    }
    return search.finish(policy === null ? [] : describeSuspects(reader.readSuspects(typeId, policy, options)));
  } finally {
    reader.close();
  }
}
