import type { FitRequest, Rows } from '../../classifiers/classifier.ts';
import { blendModels, type ClassifierModel, type Placement, shareProbability } from '../../classifiers/model.ts';
import { boostedTrees, type TreeSettings } from '../../classifiers/trees.ts';
import { countNgrams, type FeaturePlan, isOfWords, type NgramSpec } from '../../features/plan.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import { keepNgrams, listKeys } from '../../text/word-ngrams.ts';
import { buildFeatureRows } from '../data/feature-rows.ts';
import { listWeights } from '../data/hint-rows.ts';
import { type EncodedTexts, type LabelledRow, listLabels } from '../data/labelled-rows.ts';
import { estimateShare } from '../progress.ts';
import { takeEvenly } from './choose-text.ts';
import { fitLinear, type HeadStarts, type LinearSettings } from './linear-heads.ts';
import { relearnPlan, type TextUse, takeNgramsAlone } from './text-use.ts';

/** Bytes of a policy's n-grams, unpacked: keys with their counts, and the weights of each option. */
const maxNgramBytes = 500_000;
const bytesPerNgram = 12;
const bytesPerWeight = 4;
/** Scores, rows times options, by which a draft tells the n-grams that weigh most. */
const draftScores = 600_000;

/** The choice made on the training side, used for every fit; at least one of the two parts is there. */
export type ClassifierChoice = {
  plan: FeaturePlan;
  textUse: TextUse;
  linear: (LinearSettings & { weight: number }) | null;
  trees: { settings: TreeSettings; weight: number } | null;
};

/** A fit of a choice that knows nothing of an earlier one. */
export type ColdFit = {
  choice: ClassifierChoice;
  rows: readonly LabelledRow[];
  /** For each label the index of its option in the definition. */
  presentOptions: readonly number[];
  /** Indices of options that are learned as one, under the label of the first. */
  sharing?: readonly number[];
  optionCount: number;
  texts: EncodedTexts;
  seed: number;
  report: (share: number) => void;
};

type FitParams = ColdFit & {
  /** Parameters of heads from which to start, in place of those of the comparison. */
  starts?: HeadStarts;
  /** Parameters of the head that was tuned with the encoder of `texts`; null for the plain encoder. */
  tunedHead: Float64Array | null;
  /** `draft` is enough to see a tendency. */
  precision?: 'draft' | 'final';
};

/** A fitted model with the plan and the rows it was fitted on; `starts` is where a next fit may start. */
export type FittedModel = {
  plan: FeaturePlan;
  rows: Rows;
  calibrated: ClassifierModel;
  uncalibrated: ClassifierModel;
  starts: HeadStarts;
};

/**
 * Fits the classifier of a choice on rows, from which its plan is learned again. The calibrated model weighs linear
 * part and trees as they were chosen; in the uncalibrated one both weigh the same. A final fit keeps the n-grams that
 * weigh most in a draft, as many as {@link maxNgramBytes} allows, or those of the fit that it starts from.
 */
export function fitChoice(params: FitParams): FittedModel {
  const { choice, rows, texts, optionCount } = params;
  const plan = relearnPlan(choice.plan, rows, texts);
  const kept = Math.floor(maxNgramBytes / (bytesPerNgram + bytesPerWeight * optionCount));
  if (params.precision === 'draft' || countNgrams(plan.text?.ngrams ?? null) <= kept) return fitUnder(plan, params);
  const known = params.starts?.ngrams?.ngrams;
  if (known) return fitUnder(keepNgramsOf(plan, known), params);
  // Their weights hang on no other head, and which are large shows early, and on a part of many rows.
  const draft = fitUnder(takeNgramsAlone(plan), {
    ...params,
    choice: { ...choice, trees: null },
    rows: takeEvenly(rows, Math.ceil(draftScores / params.presentOptions.length)),
    precision: 'draft',
  });
  const starts = { ...(params.starts ?? choice.linear?.starts), ...draft.starts };
  return fitUnder(pruneNgrams(plan, draft, kept), { ...params, starts });
}

/** The plan with those of its n-grams that an earlier fit of the choice kept. */
function keepNgramsOf(plan: FeaturePlan, known: NgramSpec): FeaturePlan {
  const ngrams = plan.text?.ngrams;
  if (!plan.text || !ngrams || !isOfWords(ngrams) || !isOfWords(known)) return plan;
  const keys = new Set(listKeys(known));
  const own = listKeys(ngrams);
  return { ...plan, text: { ...plan.text, ngrams: keepNgrams(ngrams, (row) => keys.has(own[row] ?? '')) } };
}

/** The plan with the n-grams that weigh most on the rows of a fit of all of them, `count` of them. */
function pruneNgrams(plan: FeaturePlan, { rows: { sparse }, starts }: FittedModel, count: number): FeaturePlan {
  const ngrams = plan.text?.ngrams ?? null;
  const weights = starts.ngrams?.parameters;
  if (plan.text === null || ngrams === null || !isOfWords(ngrams) || weights === undefined) return plan;
  const outputs = weights.length / (sparse.width + 1);
  const squares = new Float64Array(sparse.width);
  sparse.indices.forEach((row, at) => {
    squares[row] += sparse.values[at] ** 2;
  });
  const power = squares.map((square, row) => {
    const own = weights.subarray(row * outputs, (row + 1) * outputs);
    return square * own.reduce((sum, weight) => sum + weight * weight, 0);
  });
  const kept = new Set([...power.keys()].sort((a, b) => power[b] - power[a] || a - b).slice(0, count));
  return { ...plan, text: { ...plan.text, ngrams: keepNgrams(ngrams, (row) => kept.has(row)) } };
}

function fitUnder(plan: FeaturePlan, params: FitParams): FittedModel {
  const { choice, rows, presentOptions, sharing = [], optionCount, texts } = params;
  const { linear, trees } = choice;
  const inputs = rows.map((row) => row.input);
  const built = buildFeatureRows(plan, inputs, texts);
  let passes = 0;
  const request: Omit<FitRequest<never>, 'settings'> = {
    rows: built,
    labels: listLabels(rows),
    weights: listWeights(rows),
    optionCount: presentOptions.length,
    seed: deriveSeed(randomStreams.modelFit, params.seed),
    precision: params.precision ?? 'final',
    tick() {
      passes += 1;
      params.report(estimateShare(passes));
    },
  };
  const starts = params.starts ?? linear?.starts ?? {};
  const fittedLinear = linear === null ? null : fitLinear(request, plan, { ...linear, starts }, params.tunedHead);
  const fittedTrees = trees === null ? null : boostedTrees.fit({ ...request, settings: trees.settings });
  const place = (weight: number): Placement => ({ positions: presentOptions, optionCount, weight });
  const evenWeight = linear !== null && trees !== null ? 0.5 : 1;
  return {
    plan,
    rows: built,
    calibrated: shareProbability(
      combineModels(
        fittedLinear?.calibrated.toModel(place(linear?.weight ?? 0)),
        fittedTrees?.toModel(place(trees?.weight ?? 0)),
      ),
      sharing,
    ),
    uncalibrated: shareProbability(
      combineModels(fittedLinear?.uncalibrated.toModel(place(evenWeight)), fittedTrees?.toModel(place(evenWeight))),
      sharing,
    ),
    starts: fittedLinear?.starts ?? {},
  };
}

function combineModels(linear: ClassifierModel | undefined, trees: ClassifierModel | undefined): ClassifierModel {
  if (linear !== undefined && trees !== undefined) return blendModels(linear, trees);
  const only = linear ?? trees;
  if (only === undefined) throw new Error('The choice has neither a linear classifier nor trees.');
  return only;
}
