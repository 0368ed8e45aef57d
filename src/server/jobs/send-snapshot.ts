import { nextTurn } from '../process/turns.ts';
import type { SnapshotStore } from '../store/policies/snapshots.ts';
import type { WorkerProcess } from './worker-process.ts';

const rowsPerMessage = 500;

/**
 * Hands a snapshot to a worker in pieces, as long as it is wanted, with open rows where hints or drawn rows need them;
 * throws when it cannot be read.
 */
export async function sendSnapshot(
  worker: WorkerProcess,
  snapshots: SnapshotStore,
  policyId: string,
  hasHints: boolean,
  isWanted: () => boolean,
): Promise<void> {
  // A worker that never accepts shows itself by its exit.
  await worker.accepted.catch(() => undefined);
  let needsOpen = hasHints;
  for (let after = -1, last = false; !last && isWanted(); ) {
    const rows = snapshots.readAfter(policyId, after, rowsPerMessage);
    last = rows.length < rowsPerMessage;
    after = rows.at(-1)?.position ?? after;
    needsOpen ||= rows.some(({ later }) => later);
    await worker.send({ rows, open: [], last: last && !needsOpen });
    await nextTurn();
  }
  // Where every row came with its label, open ones change no figure, and without hints teach nothing.
  for (let after = -1, last = !needsOpen; !last && isWanted(); ) {
    const open = snapshots.readOpenAfter(policyId, after, rowsPerMessage);
    last = open.length < rowsPerMessage;
    after = open.at(-1)?.seq ?? after;
    await worker.send({ rows: [], open: open.map(({ inputJson }) => inputJson), last });
    await nextTurn();
  }
}
