/** Probabilities of measured rows by models that learned from all others, a tenth of them left out in turn. */
import { deriveSeed, randomStreams } from '../../random.ts';
import { assignFolds } from '../../units/sides.ts';
import { buildFeatureRows } from '../data/feature-rows.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import { type ColdFit, fitChoice } from '../select/fit-choice.ts';
import { scoreRows } from './score-rows.ts';

/** Probabilities of rows in their order, before and after calibration. */
export type RowScores = { calibrated: number[][]; uncalibrated: number[][] };

/** The rows may be learned from, measured ones among them; the others are in every fit. */
type InTurnParams = ColdFit & { measured: readonly LabelledRow[] };

const folds = 10;

/**
 * Scores rows by fits that start cold, as a fit that starts from one of all rows knows the ones left out. What was
 * chosen for its usefulness stays in every fit: a model loses more by such a row than by a random one.
 */
export function scoreInTurn({ measured, rows, report, ...fit }: InTurnParams): RowScores {
  const foldOf = assignFolds(measured, folds, deriveSeed(randomStreams.drawnFolds, fit.seed));
  const scores: RowScores = { calibrated: measured.map(() => []), uncalibrated: measured.map(() => []) };
  for (let fold = 0; fold < folds; fold++) {
    const left = [...measured.keys()].filter((i) => foldOf[i] === fold);
    const contents = new Set(left.map((i) => measured[i]?.content));
    if (left.length === 0) continue;
    const learned = rows.filter(({ content }) => !contents.has(content));
    const model = fitChoice({
      ...fit,
      rows: learned,
      starts: {},
      tunedHead: null,
      report: (share) => report((fold + share) / folds),
    });
    const built = buildFeatureRows(
      model.plan,
      left.map((i) => measured[i]?.input ?? {}),
      fit.texts,
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
