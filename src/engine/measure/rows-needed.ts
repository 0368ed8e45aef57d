/** How many rows a promise would take, were further ones like those that are there. */
import { firstShare, type Tried } from './fixed-sequence.ts';

/** Beyond this many held-out rows, more of them are not a practical remedy. */
const maxRows = 100_000;

/**
 * The fewest rows, deciding and wrong at the current rates, at which a threshold `passes`; null beyond 100,000.
 * Thresholds that decide less than a fifth count only alone.
 */
export function countRowsNeeded(
  tried: readonly Tried[],
  rows: number,
  target: number,
  passes: (counts: Tried) => boolean,
): number | null {
  const most = tried.at(-1);
  if (most === undefined || most.decided === 0) return null;
  const enough = tried.filter(({ decided }) => decided >= firstShare * rows);
  let needed = maxRows + 1;
  for (const each of enough.length > 0 ? enough : [most]) {
    const { decided, wrong } = each;
    if (decided === 0 || wrong >= target * decided) continue;
    const isEnough = (total: number) =>
      passes({ ...each, decided: Math.floor((decided * total) / rows), wrong: Math.ceil((wrong * total) / rows) });
    if (!isEnough(needed - 1)) continue;
    let low = rows;
    let high = needed - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (isEnough(middle)) high = middle;
      else low = middle;
    }
    needed = high;
  }
  return needed > maxRows ? null : Math.max(needed, rows + 1);
}
