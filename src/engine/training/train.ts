/**
 * The story of a training run: generate → prepare → features → text model → classifier → evaluate → package. Learning
 * curve and label checks follow when the policy decides already.
 */
import { createProgressReporter } from './progress.ts';
import type { TrainOutcome, TrainPorts, TrainRequest } from './request.ts';
import { fitClassifier } from './stages/classifier.ts';
import { evaluateClassifier } from './stages/evaluate.ts';
import { planFeatures } from './stages/features.ts';
import { followUp } from './stages/follow-up.ts';
import { generateExamples } from './stages/generate.ts';
import { packagePolicy } from './stages/package.ts';
import { prepareExamples } from './stages/prepare.ts';
import type { Run } from './stages/state.ts';
import { chooseTextModel } from './stages/text-model.ts';

/**
 * Trains a policy and packs it. The same request and the same encoder give the same model and the same metrics (latency
 * estimates aside). Rejects with WorkbenchError 'validation_error' (too few examples, rules that do not compile),
 * 'conflict' (cancelled), 'unavailable' (the encoder died).
 */
export async function train(request: TrainRequest, ports: TrainPorts): Promise<TrainOutcome> {
  const run: Run = { request, ports, progress: createProgressReporter(ports) };
  const generated = { ...run, ...(await generateExamples(run)) };
  const prepared = { ...generated, ...prepareExamples(generated) };
  const planned = { ...prepared, ...planFeatures(prepared) };
  const textModelled = await chooseTextModel(planned);
  const classified = { ...planned, ...textModelled, ...fitClassifier({ ...planned, ...textModelled }) };
  const evaluated = { ...classified, ...(await evaluateClassifier(classified)) };
  return { ...(await packagePolicy(evaluated)), followUp: () => followUp(evaluated) };
}
