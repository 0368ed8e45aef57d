/** Fine-tuning: adapters of the sentence encoder are learned from labelled texts. */
import { cos } from '../../exact-math.ts';
import { limits } from '../../limits.ts';
import { logSumExp } from '../../numeric.ts';
import type { Adapters, BatchTextEncoder, TuningGraph } from '../../ports.ts';
import { createStream, drawNormal, type Random, randomStreams } from '../../random.ts';
import { countAdapterWeights, listAdapterMatrices } from '../../text/adapters.ts';
import { groupByLength } from '../../text/encoder-input.ts';
import { dealBatches, type TuningText } from './deal-batches.ts';
import { runTuningStep, type TunedParameters } from './tuning-step.ts';

const rank = 8;
const dropout = 0.1;
/** The highest rates of the adapters and of the head, which starts from a fit and needs little. */
const adapterRate = 1e-3;
const headRate = 5e-4;
/** A tuning of fewer steps takes proportionally larger ones, so that it moves the weights as far. */
const usualSteps = 54;
/** With fewer steps than this the rates rise no further. */
const fewestSteps = 12;

export type TuningParams = {
  session: TuningGraph;
  encoder: BatchTextEncoder;
  learned: readonly TuningText[];
  /** Texts whose loss is measured after every epoch, for the curve alone. */
  held: readonly TuningText[];
  optionCount: number;
  /** Where the head starts, in the layout of {@link TunedParameters}. */
  head: Float32Array;
  epochs: number;
  seed: number;
  /** Called before every step with how many are done of how many; it may throw to stop the tuning. */
  report: (done: number, steps: number) => void;
};

/** Mean losses after an epoch; `step` counts all steps until then. */
type TuningPoint = { step: number; training_loss: number; held_loss: number };

/** Adapters and head after the last step, the steps that were made, and the losses of every epoch. */
export type TunedAdapters = {
  adapters: Adapters;
  head: Float32Array;
  steps: number;
  /** Empty where nothing was held out. */
  curve: TuningPoint[];
};

/** Tunes adapters by AdamW to the end of a one-cycle rate; repeats on one machine. Rejects as the session does. */
export async function tuneAdapters(params: TuningParams): Promise<TunedAdapters> {
  const { session, learned, held, optionCount, epochs, report } = params;
  const random = createStream(randomStreams.textTuning, params.seed);
  const parameters: TunedParameters = { rank, adapters: drawAdapters(random), head: params.head.slice() };
  const moveAdapters = createAdamW(parameters.adapters.length);
  const moveHead = createAdamW(parameters.head.length);
  const plan = Array.from({ length: epochs }, () => dealBatches(learned, random));
  const steps = plan.reduce((sum, batches) => sum + batches.length, 0);
  const rateFactor = usualSteps / Math.min(usualSteps, Math.max(fewestSteps, steps));
  const curve: TuningPoint[] = [];
  let step = 0;
  for (const batches of plan) {
    let trainingLoss = 0;
    for (const batch of batches) {
      report(step, steps);
      step += 1;
      const outcome = await runTuningStep(session, batch, parameters, optionCount, dropout);
      const share = rateFactor * computeRateShare(step, steps);
      moveAdapters(parameters.adapters, outcome.adapterGradients, share * adapterRate);
      moveHead(parameters.head, outcome.headGradients, share * headRate);
      trainingLoss += outcome.loss / batches.length;
    }
    if (held.length === 0) continue;
    const heldLoss = await measureLoss(params, parameters, () => report(step, steps));
    curve.push({ step, training_loss: trainingLoss, held_loss: heldLoss });
  }
  return { adapters: { rank, weights: parameters.adapters }, head: parameters.head, steps, curve };
}

/** Adapters that change nothing yet: the matrices a are drawn (normal, variance 1 / dimensions), the b are zero. */
function drawAdapters(random: Random): Float32Array {
  const weights = new Float32Array(countAdapterWeights(rank));
  for (const { name, dims, from } of listAdapterMatrices(rank)) {
    if (!name.includes('_a')) continue;
    for (let i = 0; i < dims[0] * dims[1]; i++) weights[from + i] = drawNormal(random) / Math.sqrt(dims[0]);
  }
  return weights;
}

/** Mean cross-entropy of the head on the held-out texts, embedded with the adapters as they are, without dropout. */
async function measureLoss(
  { encoder, session, optionCount, held }: TuningParams,
  { adapters, head }: TunedParameters,
  tick: () => void,
): Promise<number> {
  // A copy: what is sent to the encoder may be kept by it, and these weights move on.
  const now: Adapters = { rank, weights: adapters.slice() };
  const { embeddingDimensions: dimensions } = limits;
  const logits = new Float64Array(optionCount);
  let loss = 0;
  for (const group of groupByLength(held, ({ ids }) => ids.length)) {
    tick();
    const embeddings = await encoder.embedBatch(
      group.map(({ ids }) => ids),
      now,
    );
    for (const [at, { label }] of group.entries()) {
      const embedding = embeddings[at];
      for (let k = 0; k < optionCount; k++) {
        let sum = head[optionCount * dimensions + k];
        for (let d = 0; d < dimensions; d++) sum += head[k * dimensions + d] * embedding[d];
        logits[k] = session.headScale * sum;
      }
      loss += logSumExp(logits, 0, optionCount, 1) - logits[label];
    }
  }
  return loss / held.length;
}

const beta1 = 0.9;
const beta2 = 0.999;
const epsilon = 1e-8;
const weightDecay = 0.01;
/** The share of the steps in which the rate rises. */
const warmUpShare = 0.1;

/** Changes parameters in place by one step against their gradients. */
type Optimiser = (parameters: Float32Array, gradients: Float32Array, rate: number) => void;

/** Makes an optimiser: Adam with decoupled weight decay of 0.01 (Loshchilov & Hutter 2019). */
export function createAdamW(length: number): Optimiser {
  const means = new Float64Array(length);
  const squares = new Float64Array(length);
  let step = 0;
  return (parameters, gradients, rate) => {
    step += 1;
    const meanBias = 1 - beta1 ** step;
    const squareBias = 1 - beta2 ** step;
    for (let i = 0; i < length; i++) {
      const gradient = gradients[i];
      const mean = beta1 * means[i] + (1 - beta1) * gradient;
      const square = beta2 * squares[i] + (1 - beta2) * gradient * gradient;
      means[i] = mean;
      squares[i] = square;
      const direction = mean / meanBias / (Math.sqrt(square / squareBias) + epsilon);
      parameters[i] = parameters[i] * (1 - rate * weightDecay) - rate * direction;
    }
  };
}

/** The share of the highest rate at a step (1 … steps): a tenth of the way up in a line, then down by half a cosine. */
export function computeRateShare(step: number, steps: number): number {
  const warmUp = warmUpShare * steps;
  const rise = Math.min(step / warmUp, 1);
  return rise * 0.5 * (1 + cos(Math.PI * Math.max(0, (step - warmUp) / (steps - warmUp))));
}
