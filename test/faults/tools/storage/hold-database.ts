/** Another program that holds the data file. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Has a second process take the write lock; `release` gives it back. */
export async function holdDatabase(dataDir: string, kind: 'IMMEDIATE' | 'EXCLUSIVE') {
  const holder = fork(join(import.meta.dirname, 'lock-holder.ts'), [join(dataDir, 'workbench.db'), kind]);
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder, 'message');
  return {
    async release(): Promise<void> {
      const ended = once(holder, 'exit');
      holder.send('release');
      await ended;
    },
  };
}
