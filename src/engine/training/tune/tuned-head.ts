/** The head that is tuned with the encoder, made from the parameters of a logistic regression and made into such. */
import { fitHead } from '../../classifiers/heads.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { limits } from '../../limits.ts';
import { countOutputs } from '../../numeric.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import { buildFeatureRows } from '../data/feature-rows.ts';
import { type EncodedTexts, type LabelledRow, listLabels } from '../data/labelled-rows.ts';
import { learnText } from '../select/text-use.ts';
import { countHeadWeights, placeInHead } from './tuning-step.ts';

/** Inverse penalty of the regression from which the head starts, as in scikit-learn. */
const headC = 10;

type FirstHeadParams = {
  plan: FeaturePlan;
  learned: readonly LabelledRow[];
  /** The texts of the rows, as the plain encoder reads them. */
  texts: EncodedTexts;
  optionCount: number;
  /** The graph multiplies the logits of the head by this. */
  headScale: number;
  seed: number;
  tick: () => void;
};

/** The head that tuning starts from: a logistic regression over the plain embedding, divided by the graph's scale. */
export function fitFirstHead(params: FirstHeadParams): Float32Array {
  const { plan, learned, texts, optionCount, headScale, seed, tick } = params;
  const { embeddingDimensions: dimensions } = limits;
  const encoderPlan = learnText({ ...plan, fields: [], tabular_size: 0 }, 'encoder', learned, texts, { dimensions });
  const rows = buildFeatureRows(
    encoderPlan,
    learned.map((row) => row.input),
    texts,
  );
  const fitSeed = deriveSeed(randomStreams.modelFit, seed);
  const fit = { rows, labels: listLabels(learned), optionCount, seed: fitSeed, precision: 'draft', tick } as const;
  const { parameters } = fitHead(fit, { from: 0, to: dimensions }, headC);
  const outputs = countOutputs(optionCount);
  const head = new Float32Array(countHeadWeights(optionCount));
  for (let d = 0; d <= dimensions; d++) {
    for (let k = 0; k < optionCount; k++) {
      const parameter = parameters[d * outputs + (outputs === 1 ? 0 : k)];
      // One output is the second option's logit: half of it for, half against.
      const logit = outputs === 1 ? (k === 1 ? parameter / 2 : -parameter / 2) : parameter;
      head[placeInHead(d, k, optionCount)] = logit / headScale;
    }
  }
  return head;
}

/** A tuned head (logits times `headScale`) as the parameters of a regression. */
export function toFitParameters(head: Float32Array, optionCount: number, headScale: number): Float64Array {
  const outputs = countOutputs(optionCount);
  const parameters = new Float64Array((limits.embeddingDimensions + 1) * outputs);
  const read = (d: number, k: number) => headScale * head[placeInHead(d, k, optionCount)];
  for (let d = 0; d <= limits.embeddingDimensions; d++) {
    for (let k = 0; k < outputs; k++) {
      // One output is how much the second option's logit is higher.
      parameters[d * outputs + k] = outputs === 1 ? read(d, 1) - read(d, 0) : read(d, k);
    }
  }
  return parameters;
}
