import { nextTurn } from '../process/turns.ts';
import type { SnapshotStore } from '../store/policies/snapshots.ts';
import type { WorkerProcess } from './worker-process.ts';

const rowsPerMessage = 500;

/**
 * Hands a snapshot to a worker in pieces, as long as it is wanted, its labelled rows before the open ones; throws when
 * it cannot be read.
 */
export async function sendSnapshot(
  worker: WorkerProcess,
  snapshots: SnapshotStore,
  policyId: string,
  isWanted: () => boolean,
): Promise<void> {
  // A worker that never accepts shows itself by its exit.
  await worker.accepted.catch(() => undefined);
  for (let after = -1, last = false; !last && isWanted(); ) {
    const rows = snapshots.readAfter(policyId, after, rowsPerMessage);
    last = rows.length < rowsPerMessage;
    after = rows.at(-1)?.position ?? after;
    await worker.send({ rows, open: [], last: false });
    await nextTurn();
  }
  for (let after = -1, last = false; !last && isWanted(); ) {
    const open = snapshots.readOpenAfter(policyId, after, rowsPerMessage);
    last = open.length < rowsPerMessage;
    after = open.at(-1)?.seq ?? after;
    await worker.send({ rows: [], open: open.map(({ inputJson }) => inputJson), last });
    await nextTurn();
  }
}
