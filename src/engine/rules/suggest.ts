/** Which known name a misspelt one stands for, within a bound on the work of finding it. */

/** Letters that may be wrong in a misspelt name: a third of them, and no more than this. */
const maxEdits = 4;
/** A longer name is compared with nothing. */
const maxLetters = 100;

/** Pairs of letters that may still be compared: one budget for all hints of a call, so that no call holds others up. */
export class HintBudget {
  letterPairs = 30_000;
}

/** Finds the nearest of some names to a misspelt one, the first where several are; null where none is near. */
export function findNearest(name: string, candidates: Iterable<string>, budget = new HintBudget()): string | null {
  const letters = toLetters(name.slice(0, 2 * maxLetters + 1));
  if (letters.length > maxLetters) return null;
  let best: string | null = null;
  let least = maxEdits + 1;
  for (const candidate of candidates) {
    if (least === 0) break;
    const others = toLetters(candidate);
    const allowed = Math.max(1, Math.floor(Math.max(letters.length, others.length) / 3));
    const most = Math.min(allowed, least - 1);
    if (Math.abs(others.length - letters.length) > most) continue;
    // The nearest of some of the names might mislead.
    if (budget.letterPairs <= 0) return null;
    const distance = countEdits(letters, others, most, budget);
    if (distance > most) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

function toLetters(name: string): ArrayLike<string> {
  const lowerCased = name.toLowerCase();
  return /[\ud800-\udfff]/.test(lowerCased) ? [...lowerCased] : lowerCased;
}

type Rows = { beforeLast: number[]; last: number[]; row: number[] };

/**
 * Counts the letters to change, add, leave out or swap with the next to make one word of another (optimal string
 * alignment). Words that are further apart than `most` give any higher count, after few rows (Ukkonen).
 */
export function countEdits(
  a: ArrayLike<string>,
  b: ArrayLike<string>,
  most: number,
  budget = new HintBudget(),
): number {
  const beyond = most + 1;
  // Cells further than `most` from the diagonal stay beyond.
  const makeRow = () => new Array<number>(b.length + 1).fill(beyond);
  let rows: Rows = { beforeLast: makeRow(), last: makeRow(), row: makeRow() };
  for (let j = 0; j <= Math.min(b.length, most); j++) rows.last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    budget.letterPairs -= 2 * most + 1;
    if (fillRow(rows, i, a, b, most) > most) return beyond;
    rows = { beforeLast: rows.last, last: rows.row, row: rows.beforeLast };
  }
  return Math.min(rows.last[b.length] ?? beyond, beyond);
}

/** Counts the edits between the first `i` letters of one word and beginnings of the other; gives the fewest. */
function fillRow({ beforeLast, last, row }: Rows, i: number, a: ArrayLike<string>, b: ArrayLike<string>, most: number) {
  const start = Math.max(1, i - most);
  const end = Math.min(b.length, i + most);
  let least = start === 1 ? Math.min(i, most + 1) : most + 1;
  row[start - 1] = least;
  for (let j = start; j <= end; j++) {
    const cost = a[i - 1] === b[j - 1] ? 0 : 1;
    let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
    if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
      best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
    row[j] = best;
    least = Math.min(least, best);
  }
  return least;
}
