/** Probabilities of measured rows by models that learned from all others, a tenth of them left out in turn. */
import { deriveSeed, randomStreams } from '../../random.ts';
import type { EncodedTexts } from '../data/encode-texts.ts';
import { buildFeatureRows } from '../data/feature-rows.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import { assignFolds } from '../data/split.ts';
import { type ClassifierChoice, fitChoice } from '../select/fit-choice.ts';
import { scoreRows } from './score-rows.ts';

/** Probabilities of rows in their order, before and after calibration. */
export type RowScores = { calibrated: number[][]; uncalibrated: number[][] };

type InTurnParams = {
  choice: ClassifierChoice;
  measured: readonly LabelledRow[];
  /** The rows that may be learned from, measured ones among them; the others are in every fit. */
  rows: readonly LabelledRow[];
  presentOptions: readonly number[];
  sharing: readonly number[];
  optionCount: number;
  texts: EncodedTexts;
  seed: number;
  report: (share: number) => void;
};

const folds = 10;

/**
 * Scores rows by fits that start cold, as a fit that starts from one of all rows knows the ones left out. What was
 * chosen for its usefulness stays in every fit: a model loses more by such a row than by a random one.
 */
export function scoreInTurn({ choice, measured, rows, texts, report, ...fit }: InTurnParams): RowScores {
  const foldOf = assignFolds(measured, folds, deriveSeed(randomStreams.drawnFolds, fit.seed));
  const scores: RowScores = { calibrated: measured.map(() => []), uncalibrated: measured.map(() => []) };
  for (let fold = 0; fold < folds; fold++) {
    const left = [...measured.keys()].filter((i) => foldOf[i] === fold);
    const contents = new Set(left.map((i) => measured[i]?.content));
    if (left.length === 0) continue;
    const learned = rows.filter(({ content }) => !contents.has(content));
    const model = fitChoice({
      ...fit,
      choice,
      rows: learned,
      texts,
      starts: {},
      tunedHead: null,
      report: (share) => report((fold + share) / folds),
    });
    const built = buildFeatureRows(
      model.plan,
      left.map((i) => measured[i]?.input ?? {}),
      texts,
    );
    const calibrated = scoreRows(model.calibrated, built);
    const uncalibrated = scoreRows(model.uncalibrated, built);
    left.forEach((i, k) => {
      scores.calibrated[i] = calibrated[k] ?? [];
      scores.uncalibrated[i] = uncalibrated[k] ?? [];
    });
  }
  return scores;
}
