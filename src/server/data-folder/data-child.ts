/** Entry of a process that reads the whole data folder, or writes a copy of it. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { WorkbenchError } from '../../engine/errors.ts';
import { serveOrders } from '../process/orders.ts';
import { StartError } from '../process/start-error.ts';
import { listBackupProblems, listDataProblems, restoreBackup, writeBackup } from './backup.ts';

const orders = {
  check: ({ dataDir }: { dataDir: string }) => listDataProblems(dataDir),
  verify: ({ backup }: { backup: string }) => listBackupProblems(backup),
  restore: ({ backup, target, part }: { backup: string; target: string; part: string }) =>
    restoreBackup(backup, target, part),
  backup: writeBackup,
};
export type DataOrders = typeof orders;
type Work = { name: keyof DataOrders; input: never };
/** Thread to process; the code of a refusal tells what the order met from a fault. */
type Answer = { output: unknown } | { code: 'conflict' | 'unavailable'; message: string };

const failure = 'The data could not be read or the copy not written, and nothing was changed';

/** Lower priority than the server and its encoder: all work here can wait. */
const niceness = 10;

if (isMainThread) {
  // Work that waits for a disk waits in its own thread: this one ends it when the parent has ended.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  const inThread = (name: string) => [name, (input: never) => runInThread(name, input)];
  serveOrders(Object.fromEntries(Object.keys(orders).map(inThread)), niceness);
} else parentPort?.postMessage(carryOut(workerData));

function runInThread(name: string, input: unknown): Promise<unknown> {
  const thread = new Worker(import.meta.filename, { workerData: { name, input } });
  return new Promise((resolve, reject) => {
    thread.once('error', reject);
    thread.once('message', (answer: Answer) => {
      if ('code' in answer) reject(new WorkbenchError(answer.code, answer.message));
      else resolve(answer.output);
    });
  });
}

function carryOut({ name, input }: Work): Answer {
  try {
    return { output: orders[name](input) };
  } catch (error) {
    if (error instanceof StartError) return { code: 'conflict', message: error.message };
    return { code: 'unavailable', message: `${failure}: ${String(error)}.` };
  }
}
