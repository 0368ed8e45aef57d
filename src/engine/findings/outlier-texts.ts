import { listLeaves } from '../features/values.ts';
import { hashString } from '../random.ts';
import { type Search, toFinding } from './finding.ts';

const minWords = 4;
const maxWords = 200;
/** The share of a text's words that occur in no other example. */
const minUnsharedShare = 0.8;
/** With more of them the examples are simply diverse. */
const maxOutlierShare = 0.01;
const minRows = 100;

function listWords(input: Parameters<typeof listLeaves>[0]): Uint32Array {
  const words = new Set<number>();
  for (const { value } of listLeaves(input)) {
    if (typeof value !== 'string' || !value.includes(' ')) continue;
    for (const word of value.toLowerCase().match(/\p{L}+/gu) ?? []) {
      words.add(hashString(word));
      if (words.size >= maxWords) return Uint32Array.from(words);
    }
  }
  return Uint32Array.from(words);
}

/** Searches for texts most of whose words occur in no other example. */
export function searchOutliers(): Search {
  const rows: { id: string; words: Uint32Array }[] = [];
  const counts = new Map<number, number>();
  return {
    add({ id, input }) {
      const words = listWords(input);
      rows.push({ id, words });
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    },
    finish() {
      const outliers = rows.flatMap(({ id, words }) => {
        if (words.length < minWords) return [];
        const share = words.filter((word) => counts.get(word) === 1).length / words.length;
        return share < minUnsharedShare ? [] : [{ id, share }];
      });
      if (rows.length < minRows || outliers.length > maxOutlierShare * rows.length) return [];
      return outliers
        .sort((a, b) => b.share - a.share)
        .map(({ id, share }) =>
          toFinding({
            kind: 'outlier',
            severity: 'info',
            message: `${Math.round(100 * share)}% of the words of this example occur in no other one. Delete it if it does not belong here; else add more examples like it.`,
            ids: [id],
            score: share,
          }),
        );
    },
  };
}
