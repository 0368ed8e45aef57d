/** Candidates that are compared letter by letter: rules with many unknown names would otherwise block the service. */
const maxCompared = 200;

/** Finds which of the first {@link maxCompared} a misspelt word stands for: at most a third of its letters is wrong. */
export function findNearest(word: string, candidates: Iterable<string>): string | null {
  const lowerCased = word.slice(0, 100).toLowerCase();
  let best: string | null = null;
  let compared = 0;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const allowed = Math.max(1, Math.floor(Math.max(lowerCased.length, candidate.length) / 3));
    if (Math.abs(candidate.length - lowerCased.length) > allowed) continue;
    compared += 1;
    if (compared > maxCompared) break;
    const distance = countEdits(lowerCased, candidate.toLowerCase());
    if (distance <= allowed && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Counts the letters to change, add, leave out or swap with the next to make one word of another. */
export function countEdits(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
