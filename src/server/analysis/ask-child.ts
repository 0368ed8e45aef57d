/** One question to a process of its own that looks at all examples of a type. */
import type { ChildProcess } from 'node:child_process';
import { WorkbenchError } from '../../engine/errors.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import type { AnalysisReply, AnalysisRequest } from './orders.ts';

const childHeapMb = 1_024;

/** Resolves with a new process's answer; `report` hears 0 to 1. Rejects with 'unavailable', also by `signal`. */
export function askChild<Result>(
  spawn: SpawnChild,
  request: AnalysisRequest,
  report: (share: number) => void,
  signal: AbortSignal,
): Promise<Result> {
  if (signal.aborted) return Promise.reject(new WorkbenchError('unavailable', 'The workbench is closing.'));
  const child: ChildProcess = spawn('analysis-child', { heapMb: childHeapMb });
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  return new Promise<Result>((resolve, reject) => {
    const fail = (cause: string) => {
      const message = 'The process that searches the examples ended early. Ask again; the log says why.';
      reject(new WorkbenchError('unavailable', message, undefined, { cause }));
    };
    child.on('message', (reply: AnalysisReply<Result>) => {
      if (reply.kind === 'progress') report(reply.share);
      else if (reply.kind === 'done') resolve(reply.result);
      else fail(reply.fault);
    });
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code, endedBy) => {
      signal.removeEventListener('abort', kill);
      fail(endedBy ?? `exit ${code}`);
    });
    child.send(request, () => undefined);
  });
}
