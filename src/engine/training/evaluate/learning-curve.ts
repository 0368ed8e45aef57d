/** Whether more examples would help: the figures of models that were fitted on parts of the training rows. */
import type { LearningCurve } from '../../domain/metrics.ts';
import { minSupport } from '../../domain/training.ts';
import type { Confusion } from '../../measure/confusion.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import { assignFolds } from '../../units/sides.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import type { ModelEvaluation } from './evaluate-model.ts';

/** Shares of the training rows that are fitted beside all of them, in quarters. */
const quarters = [1, 2, 3] as const;
/** Above this many training rows the fits cost more than the curve is worth. */
const maxRows = 20_000;
/** An option with this recall is learned well enough. */
const goodRecall = 0.9;
/** A rise of the recall by this much says that more examples help. */
const notableRise = 0.03;

/** This many quarters of the rows, with the same share of every label. */
function takeQuarters(rows: readonly LabelledRow[], count: number): LabelledRow[] {
  const quarter = assignFolds(rows, 4, deriveSeed(randomStreams.learningCurveParts));
  return rows.filter((_, i) => quarter[i] < count);
}

const findScores = (figures: Confusion, option: string) =>
  Object.hasOwn(figures.per_class, option) ? figures.per_class[option] : undefined;

/** The option that is most often decided where `option` would be right, with the number of rows. */
function findConfusion(figures: Confusion, option: string): { other: string; count: number } | null {
  const row = figures.confusion_labels.indexOf(option);
  let found: { other: string; count: number } | null = null;
  figures.confusion_labels.forEach((other, column) => {
    const count = figures.confusion_matrix[row]?.[column] ?? 0;
    if (column !== row && count > (found?.count ?? 0)) found = { other, count };
  });
  return found;
}

/** A share in words: 0.96 is 96%. */
function toPercent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

function adviseOnRare(option: string): LearningCurve['advice'][number] {
  const sentence = `"${option}" is left to a person, because it has too few examples to be learned. Add examples of it.`;
  return { option, advice: 'more', sentence };
}

function adviseOn(option: string, whole: Confusion, half: Confusion | null): LearningCurve['advice'][number] {
  const scores = findScores(whole, option);
  const support = scores?.['support'] ?? 0;
  const recall = scores?.['recall'] ?? 0;
  const share = toPercent(recall);
  if (support < minSupport) {
    const rows = support === 1 ? '1 held-out example' : `${support} held-out examples`;
    return {
      option,
      advice: 'more',
      sentence: `Only ${rows} of "${option}": too few to say how well it is learned. Add examples of it.`,
    };
  }
  if (recall >= goodRecall) {
    return { option, advice: 'enough', sentence: `"${option}" has enough data: ${share} of its examples are found.` };
  }
  const before = half === null ? undefined : findScores(half, option)?.['recall'];
  if (before !== undefined && recall - before >= notableRise) {
    const rise = `the second half of the examples raised the share found from ${toPercent(before)} to ${share}`;
    return { option, advice: 'more', sentence: `More examples of "${option}" would help: ${rise}.` };
  }
  const confused = findConfusion(whole, option);
  const taken =
    confused === null ? '' : ` It is taken for "${confused.other}" in ${confused.count} of ${support} examples.`;
  const held = before === undefined ? `${share} of its examples are found` : `still ${share} of its examples are found`;
  return {
    option,
    advice: 'separate',
    sentence: `More examples of "${option}" alone may not help: ${held}.${taken} Look at its labels, or add a field that tells it apart.`,
  };
}

/**
 * Computes the figures with 25, 50, 75 and 100% of the training rows (the last are those of the evaluation, whose model
 * learned from `learned` rows), what more labels would bring, and a sentence
 * per option on what would help. `measure` fits on rows and measures on the held-out ones.
 * Help is judged by the decisions on the held-out rows: further examples of rows that rules decide change nothing.
 * Rare options are not learned. Above 20,000 rows nothing is fitted, and a part in which an option is missing is left
 * out.
 */
export function computeLearningCurve(
  rows: readonly LabelledRow[],
  rareOptions: readonly string[],
  { evaluation: whole, learned }: { evaluation: ModelEvaluation; learned: number },
  measure: (part: readonly LabelledRow[]) => ModelEvaluation,
  decide: (evaluation: ModelEvaluation) => Confusion,
): LearningCurve {
  const points: LearningCurve['points'] = [];
  const models: CurveModel[] = [];
  const add = (share: number, size: number, { figures, heldOut }: ModelEvaluation, count = size) => {
    points.push({ share, train_size: size, accuracy: figures.accuracy, macro_f1: figures.macro_f1 });
    const own = heldOut.filter(({ ruled }) => !ruled);
    models.push({ learned: count, wrong: own.map(({ expected, predicted }) => expected !== predicted) });
  };
  let half: Confusion | null = null;
  const labels = new Set(rows.map((row) => row.label)).size;
  for (const count of rows.length > maxRows ? [] : quarters) {
    const part = takeQuarters(rows, count);
    // Every option must be there to be learned.
    if (new Set(part.map((row) => row.label)).size < labels) continue;
    const evaluation = measure(part);
    if (count === 2) half = decide(evaluation);
    add(count / 4, part.length, evaluation);
  }
  add(1, rows.length, whole, learned);
  const decided = decide(whole);
  const advise = (option: string) =>
    rareOptions.includes(option) ? adviseOnRare(option) : adviseOn(option, decided, half);
  return { points, advice: decided.confusion_labels.map(advise), forecast: forecastGain(models) };
}

/** A model of the curve: the labels it learned from, and on which of the measured rows it is wrong. */
type CurveModel = { learned: number; wrong: readonly boolean[] };

const moreLabels = 100;
/** Labels and measured rows without which a forecast is noise. */
const minLearned = 60;
const minMeasured = 20;
const normal95 = 1.96;
/** The curve may bend otherwise than it is drawn: with it, 62 of 64 intervals held what 100 labels brought. */
const misfit = 0.02;

const toPoints = (share: number) => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`;

/** Forecasts the gain by 100 more labels from errors that fall as a + b/√labels; null of few labels or rows. */
export function forecastGain(models: readonly CurveModel[]): LearningCurve['forecast'] {
  const last = models.at(-1);
  const rows = last?.wrong.length ?? 0;
  if (last === undefined || models.length < 2 || last.learned < minLearned || rows < minMeasured) return null;
  const scales = models.map(({ learned }) => learned ** -0.5);
  const mean = scales.reduce((sum, scale) => sum + scale, 0) / scales.length;
  const spread = scales.reduce((sum, scale) => sum + (scale - mean) ** 2, 0);
  const step = last.learned ** -0.5 - (last.learned + moreLabels) ** -0.5;
  const gains = last.wrong.map((_, row) =>
    models.reduce((sum, { wrong }, k) => sum + (((scales[k] ?? 0) - mean) / spread) * step * Number(wrong[row]), 0),
  );
  const gain = gains.reduce((sum, each) => sum + each, 0) / rows;
  const variance = gains.reduce((sum, each) => sum + (each - gain) ** 2, 0) / (rows - 1);
  const width = Math.sqrt((normal95 ** 2 * variance) / rows + misfit ** 2);
  const [low, high] = [gain - width, gain + width];
  const sentence = `About ${toPoints(gain)} points for ${moreLabels} more labels (${toPoints(low)} to ${toPoints(high)}).`;
  return { labels: moreLabels, gain, low, high, sentence };
}
