/** What a training process tells the server, heard beside it. */
import type { ChildProcess } from 'node:child_process';
import type { WorkerReport } from '../../../src/server/jobs/worker-messages.ts';

/** Calls `hear` with each report of a worker, before the server hears it. */
export function hearReports(worker: ChildProcess, hear: (report: WorkerReport) => void): void {
  worker.on('message', ({ name, input }: { name?: string; input?: WorkerReport }) => {
    if (input !== undefined && (name === 'report' || name === 'goOn')) hear(input);
  });
}
