/** Held-out rows that were taken out because a model got them wrong: they stay measured by what it answered. */
import { type RecordedAnswer, toMeasuredLabel } from '../measure/reapply.ts';
import { computeFisherTail, listLogFactorials } from './significance.ts';

/** The answer of a policy to a row that it held out; `isThere`: the row still is, with that input and label. */
export type EarlierAnswer = RecordedAnswer & { inputHash: number; isThere: boolean };

/** Above it, rows may have gone without regard to what was wrong: then the others stand for all. */
const maxChance = 0.01;

/**
 * Finds the rows that stay in the figure though they were removed, edited or unlabelled: of each policy whose wrong
 * rows went certainly more often than its right ones, all that went. `earlier` holds the answers of policies, newest
 * first; labels that are `measured`, as `toMeasuredLabel` writes them, are there.
 */
export function findTakenOut(
  earlier: readonly (readonly EarlierAnswer[])[],
  measured: ReadonlySet<string>,
): EarlierAnswer[] {
  const found = new Map<string, EarlierAnswer>();
  for (const answers of earlier) {
    const gone = answers.filter((answer) => !answer.isThere && !measured.has(toLabel(answer)));
    const logs = listLogFactorials(answers.length);
    const counts = { hits: countWrong(gone), size: gone.length, allHits: countWrong(answers), all: answers.length };
    if (computeFisherTail(logs, counts) > maxChance) continue;
    for (const answer of gone) if (!found.has(toLabel(answer))) found.set(toLabel(answer), answer);
  }
  return [...found.values()];
}

/** The label that an answer was measured by, as `toMeasuredLabel` writes it. */
export const toLabel = ({ inputHash, expected }: EarlierAnswer): string => toMeasuredLabel(inputHash, expected);

const countWrong = (answers: readonly EarlierAnswer[]) =>
  answers.filter(({ expected, predicted }) => expected !== predicted).length;
