/** The story of a training run: stages in order, then learning curve, label checks and perhaps a tuning. */
import type { Metrics } from '../domain/metrics.ts';
import { createProgressReporter } from './progress.ts';
import type { PolicyName, TrainOutcome, TrainPorts, TrainRequest, TunedLater } from './request.ts';
import { fitClassifier } from './stages/classifier.ts';
import { compareTextModels } from './stages/compare-text-models.ts';
import { decideUnits, isBesideRandom, isChosen, keepOtherWays, measureOtherWays } from './stages/decide-units.ts';
import { evaluateClassifier } from './stages/evaluate.ts';
import { planFeatures } from './stages/features.ts';
import { followUp } from './stages/follow-up.ts';
import { generateExamples } from './stages/generate.ts';
import { packagePolicy } from './stages/package.ts';
import { prepareExamples } from './stages/prepare.ts';
import type { DecidedRun, Evaluated, Generated, Planned, Prepared, Run } from './stages/state.ts';
import { chooseTextModel } from './stages/text-model.ts';
import { describeGain, mayTuneLater } from './stages/tune-later.ts';

type Ready = DecidedRun & Generated & Prepared & Planned;

/**
 * Trains a policy and packs it, alike to the bit for the same request and encoder in Node and browsers (latencies
 * aside). Rejects with WorkbenchError 'validation_error', 'conflict' (cancelled) or 'unavailable' (encoder).
 */
export async function train(request: TrainRequest, ports: TrainPorts): Promise<TrainOutcome> {
  const asked: Run = { request, ports, progress: createProgressReporter(ports) };
  const { split, isFound, tried } = await decideUnits(asked);
  const config = { ...request.config, split };
  const run: DecidedRun = { ...asked, request: { ...request, config }, triedWays: tried, isWayFound: isFound };
  const generated = { ...run, ...(await generateExamples(run)) };
  const prepared = { ...generated, ...prepareExamples(generated) };
  const planned = { ...prepared, ...planFeatures(prepared) };
  const evaluated = await fitAndMeasure(planned);
  // A promise is judged before anything is deployed, and chosen rows never stand alone: both wait for other ways.
  const isBefore = request.isPromised === true || isChosen(evaluated.split.rule);
  let otherWays = isBefore || !isBesideRandom(evaluated) ? measureOtherWays(evaluated) : null;
  const packed = await packagePolicy({ ...evaluated, otherWays });
  return {
    ...packed,
    followUp: () => {
      otherWays ??= measureOtherWays(evaluated);
      return followUp(evaluated, otherWays);
    },
    tuneLater: mayTuneLater(evaluated)
      ? (name) => tuneLater({ ...planned, ports: evaluated.ports }, evaluated, name, otherWays)
      : null,
  };
}

async function fitAndMeasure(planned: Ready) {
  const compared = { ...planned, ...(await compareTextModels(planned)) };
  const textModelled = { ...compared, ...(await chooseTextModel(compared)) };
  const classified = { ...textModelled, ...fitClassifier(textModelled) };
  return { ...classified, ...(await evaluateClassifier(classified)) };
}

/** Trains again from the same rows and seed with a tuned text model; packs the result if it is better. */
async function tuneLater(
  planned: Ready,
  before: Evaluated,
  name: PolicyName,
  otherWays: Metrics['other_ways'],
): Promise<TunedLater> {
  const { config } = planned.request;
  const request = { ...planned.request, ...name, config: { ...config, tune_encoder: true } };
  const tuned = await fitAndMeasure({ ...planned, request, progress: createProgressReporter(planned.ports) });
  const gain = describeGain(planned.request, before.evaluation, tuned);
  if (gain === null) return { textTuning: tuned.textTuning, better: null };
  const { metrics, ...packed } = await packagePolicy({ ...tuned, otherWays: keepOtherWays(otherWays) });
  return { textTuning: tuned.textTuning, better: { ...packed, metrics: { ...metrics, better_than: gain } } };
}
