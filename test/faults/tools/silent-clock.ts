/** Time that passes on a stopped clock while the process of a training is silent, however fast the machine is. */
import type { Clock } from '../../../src/server/process/clock.ts';
import { pollUntil, type Workbench } from '../../server/workbench.ts';

/** Polls until `done`; before each poll a second passes, so short a step that it is no sleep of the machine. */
export const passSilently = <T>(
  bench: Workbench,
  clock: Clock & { move(ms: number): void },
  poll: () => Promise<T>,
  done: (answer: T) => boolean,
): Promise<T> =>
  pollUntil(() => {
    clock.move(1_000);
    bench.deps.jobs.checkHeartbeats();
    return poll();
  }, done);
