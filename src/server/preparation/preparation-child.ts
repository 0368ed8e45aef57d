/** Entry of a process that reads and checks large requests: one task at a time, until its parent is gone. */
import { setPriority } from 'node:os';
import { type ErrorCode, WorkbenchError } from '../../engine/errors.ts';
import type { HeldFile } from './imports/open-import.ts';
import { runTask, type TaskInput, type TaskName } from './tasks.ts';

export type TaskOrder = { name: TaskName; input: TaskInput<TaskName> };
export type TaskReply =
  | { kind: 'done'; output: unknown }
  | { kind: 'refused'; code: ErrorCode; message: string; details: unknown[] | undefined }
  | { kind: 'failed'; fault: string };

/** Lower priority than the server, so that on few cores small calls do not wait behind large ones. */
const niceness = 5;

const held: HeldFile = { upload: null, read: null };

process.once('disconnect', () => process.exit(0));
setPriority(niceness);
process.on('message', ({ name, input }: TaskOrder) => {
  void runTask(name, input, held)
    .then((output): TaskReply => ({ kind: 'done', output }), toRefusal)
    .then((reply) => process.send?.(reply));
});

function toRefusal(error: unknown): TaskReply {
  if (error instanceof WorkbenchError) {
    return { kind: 'refused', code: error.code, message: error.message, details: error.details };
  }
  return { kind: 'failed', fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
