/** Entry of a process that reads the whole data folder: one order, one reply, then its end. */
import { setPriority } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { StartError } from '../process/start-error.ts';
import { type BackupOrder, restoreBackup, writeBackup } from './backup.ts';
import type { BackupManifest } from './manifest.ts';
import { listBackupProblems, listDataProblems } from './verify.ts';

export type DataOrder =
  | { kind: 'check'; dataDir: string }
  | { kind: 'verify'; backup: string }
  | { kind: 'restore'; backup: string; target: string; part: string }
  | ({ kind: 'backup' } & BackupOrder);
/** Child to parent; the message of a refusal is for the user, and its code tells what the order met from a fault. */
export type DataReply =
  | { kind: 'checked'; problems: string[] }
  | { kind: 'written'; manifest: BackupManifest }
  | { kind: 'restored' }
  | { kind: 'refused'; code: 'conflict' | 'unavailable'; message: string; fault: string };

const failure = 'The data could not be read or the copy not written, and nothing was changed';

/** Lower priority than the server and its encoder: all work here can wait. */
const niceness = 10;

if (isMainThread) {
  // Work that waits for a disk waits in its own thread: this one ends it when the parent has ended.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  setPriority(niceness);
  process.once('message', (order: DataOrder) => {
    const work = new Worker(import.meta.filename, { workerData: order });
    work.once('message', (reply: DataReply) => process.send?.(reply, () => process.exit(0)));
  });
} else parentPort?.postMessage(carryOut(workerData as DataOrder));

function carryOut(order: DataOrder): DataReply {
  try {
    if (order.kind === 'check') return { kind: 'checked', problems: listDataProblems(order.dataDir) };
    if (order.kind === 'verify') return { kind: 'checked', problems: listBackupProblems(order.backup) };
    if (order.kind === 'restore') {
      restoreBackup(order.backup, order.target, order.part);
      return { kind: 'restored' };
    }
    return { kind: 'written', manifest: writeBackup(order) };
  } catch (error) {
    const fault = String(error);
    if (error instanceof StartError) return { kind: 'refused', code: 'conflict', message: error.message, fault };
    return { kind: 'refused', code: 'unavailable', message: `${failure}: ${fault}.`, fault };
  }
}
