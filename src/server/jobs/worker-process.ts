/** One execution of a training in its own process: start, signs of life, end. Knows nothing of the database. */
import type { ChildProcess } from 'node:child_process';
import type { SpawnChild } from '../process/spawn-child.ts';
import type { RowsMessage, TeachReply, WorkerOrder, WorkerReport } from './worker.ts';

export type WorkerEvents = {
  report(report: Exclude<WorkerReport, { kind: 'accepted' }>): void;
  /** Comes once, when the process is confirmed gone. */
  exited(how: string): void;
};
export type WorkerProcess = {
  readonly pid: number | null;
  /** Resolves when the worker has taken the order, rejects when it never will. */
  readonly accepted: Promise<void>;
  /** Resolves when the process is confirmed gone and `exited` has been told. */
  readonly ended: Promise<void>;
  lastSignAtMs: number;
  /** Resolves when the message was handed over, or cannot be: a worker that is gone shows itself by its exit. */
  send(message: TeachReply | RowsMessage): Promise<void>;
  kill(): void;
};

const acceptTimeoutMs = 20_000;

/** Forks a worker and gives it its order. Throws when no process could be made. */
export function startWorkerProcess(
  spawn: SpawnChild,
  options: { tag: string; heapMb: number },
  order: WorkerOrder,
  now: () => number,
  events: WorkerEvents,
): WorkerProcess {
  const child: ChildProcess = spawn('worker', options);
  let settle: { resolve(): void; reject(error: Error): void } | null = null;
  let gone = false;
  const accepted = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // whoever does not wait for the acceptance must not be hit by its failure
  accepted.catch(() => undefined);
  let signalEnd: (() => void) | null = null;
  const ended = new Promise<void>((resolve) => {
    signalEnd = resolve;
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), acceptTimeoutMs);
  const run: WorkerProcess = {
    pid: child.pid ?? null,
    accepted,
    ended,
    lastSignAtMs: now(),
    send: (message) => new Promise((resolve) => child.send(message, () => resolve())),
    kill: () => void child.kill('SIGKILL'),
  };

  function end(how: string, cause?: unknown): void {
    if (gone) return;
    gone = true;
    clearTimeout(limit);
    settle?.reject(new Error(`the training process ended: ${how}`, { cause }));
    settle = null;
    events.exited(how);
    signalEnd?.();
  }

  child.on('message', (report: WorkerReport) => {
    run.lastSignAtMs = now();
    if (report.kind !== 'accepted') return events.report(report);
    clearTimeout(limit);
    settle?.resolve();
    settle = null;
  });
  // without a process there will be no 'exit'; with one, 'exit' follows an error by itself
  child.once('error', (error) => {
    if (child.pid === undefined) end('it could not be started', error);
  });
  child.once('exit', (code, signal) => {
    const how = signal ? `signal ${signal}` : `exit code ${code}`;
    // what it said last may still be in the channel
    if (child.connected) child.once('disconnect', () => end(how));
    else end(how);
  });
  if (child.pid !== undefined) child.send(order, () => undefined);
  return run;
}
