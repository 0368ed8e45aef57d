/** Trainings of the benches, each in a process of its own, so that its memory can be told. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Order, Reply } from './accuracy-training.ts';

/** Trains and measures by an order; the progress is shown on a terminal. Rejects with the message of a failure. */
export function trainApart(order: Order): Promise<Extract<Reply, { kind: 'done' }>> {
  return new Promise((done, fail) => {
    const child = fork(join(import.meta.dirname, 'accuracy-training.ts'), { serialization: 'advanced' });
    child.on('message', (reply: Reply) => {
      if (reply.kind === 'done') done(reply);
      else if (reply.kind === 'failed') fail(new Error(reply.message));
      else if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${reply.message}`);
    });
    child.once('exit', (code) => {
      if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
      fail(new Error(`the training ended with ${code}`));
    });
    child.send(order);
  });
}
