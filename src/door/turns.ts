import { setImmediate as nextIteration } from 'node:timers/promises';

/** For how long others wait, but for the part that the work is at. */
const maxTurnMs = 10;

/** Lets those who wait have their turn: a call's connection is accepted in one iteration, and read in the next. */
export async function nextTurn(): Promise<void> {
  await nextIteration();
  await nextIteration();
}

/** Returns what a long work calls between its parts: it lets others have their turn once this one's is over. */
export function createTurns(clock: { monotonic(): number }): () => Promise<void> {
  let startedAt = clock.monotonic();
  return async () => {
    if (clock.monotonic() - startedAt < maxTurnMs) return;
    await nextTurn();
    startedAt = clock.monotonic();
  };
}
