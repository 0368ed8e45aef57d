/** Texts whose words are counted, and characters that are read of each. */
const maxTexts = 2_000;
const maxCharacters = 500;
const maxWords = 24;
const minTexts = 8;

/**
 * Finds words of three letters or more that tell an option apart (chi-squared), the most telling first. Texts are
 * folded; labels count from 0.
 */
export function findTellingWords(
  texts: readonly (string | null)[],
  labels: readonly number[],
  optionCount: number,
): string[] {
  const totals = new Float64Array(optionCount);
  const counts = new Map<string, Float64Array>();
  const step = Math.max(1, Math.ceil(texts.length / maxTexts));
  let read = 0;
  for (let row = 0; row < texts.length; row += step) {
    const label = labels[row] ?? 0;
    totals[label] = totals[label] + 1;
    read++;
    for (const word of new Set(texts[row]?.slice(0, maxCharacters).match(/\p{L}{3,30}/gu))) {
      const own = counts.get(word) ?? new Float64Array(optionCount);
      own[label] = own[label] + 1;
      counts.set(word, own);
    }
  }
  return [...counts]
    .map(([word, own]) => ({ word, score: scoreWord(own, totals, read) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || b.word.length - a.word.length || (a.word < b.word ? -1 : 1))
    .slice(0, maxWords)
    .map(({ word }) => word);
}

/** Chi-squared of a word and the option that it speaks for most; 0 for a rare word. */
function scoreWord(own: Float64Array, totals: Float64Array, read: number): number {
  const present = own.reduce((sum, count) => sum + count, 0);
  if (present < minTexts || present === read) return 0;
  let best = 0;
  for (let option = 0; option < own.length; option++) {
    const total = totals[option];
    const expected = (present * total) / read;
    const more = own[option] - expected;
    if (more <= 0 || total === read) continue;
    best = Math.max(best, (more * more) / (expected * (1 - total / read) * (1 - present / read)));
  }
  return best;
}
