/** Populations of decided inputs on which promises are tried: simulated ones, and trained classifiers on unseen rows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import { trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import type { ReappliedRow } from '../../../src/engine/measure/reapply.ts';
import { createRandom, type Random } from '../../../src/engine/random.ts';
import type { TrainPorts } from '../../../src/engine/training/request.ts';
import { train } from '../../../src/engine/training/train.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { openEncoder } from '../../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';
import { openTrainPorts } from '../../engine/train-ports.ts';
import { createDefinition, createExample, createRequest } from '../../engine/training-request.ts';
import type { Row } from '../quality/accuracy-training.ts';

/** One input: how sure the classifier is, and the chance that it is wrong (0 or 1 where the right answer is known). */
export type Member = { confidence: number; errorChance: number; isRuled: boolean };
/** Members that are all equally likely to be drawn. */
export type Population = { name: string; members: Member[] };

/** How many of falling numbers are at least `threshold`. */
export function countFrom(falling: Float64Array, threshold: number): number {
  let low = 0;
  let high = falling.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((falling[middle] as number) >= threshold) low = middle + 1;
    else high = middle;
  }
  return low;
}

const size = 100_000;

function simulate(name: string, seed: number, toConfidence: (u: number) => number, toError: (c: number) => number) {
  const random = createRandom(seed);
  const members = Array.from({ length: size }, () => {
    const confidence = toConfidence(random());
    return { confidence, errorChance: Math.min(1, Math.max(0, toError(confidence))), isRuled: false };
  });
  return { name, members };
}

/** Classifiers that are calibrated, too sure, strong, and right by no order; and one whose rules err on their own. */
export function simulatePopulations(): Population[] {
  const calibrated = simulate(
    'calibrated',
    1,
    (u) => 1 - 0.5 * u ** 3,
    (c) => 1 - c,
  );
  return [
    calibrated,
    simulate(
      'strong',
      2,
      (u) => 1 - 0.5 * u ** 8,
      (c) => 1 - c,
    ),
    simulate(
      'too sure',
      3,
      (u) => 1 - 0.5 * u ** 5,
      (c) => 0.005 + 2 * (1 - c),
    ),
    simulate(
      'no order',
      4,
      (u) => 1 - 0.5 * u ** 3,
      (c) => (Math.sin(60 * c) > 0.6 ? 0.12 : 0.004),
    ),
    {
      name: 'with rules',
      members: calibrated.members.map((member, i) =>
        i % 4 === 0 ? { confidence: 1, errorChance: 0.008, isRuled: true } : member,
      ),
    },
  ];
}

export function readSet(folder: string, name: string): Row[] {
  return ['train', 'test'].flatMap((part) =>
    readFileSync(join(folder, name, `${part}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row),
  );
}

/** The rows in an order that the seed decides. */
export function shuffle<T>(rows: readonly T[], random: Random): T[] {
  return rows
    .map((row) => ({ row, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ row }) => row);
}

export async function openPorts(): Promise<TrainPorts> {
  const model = openTextModel();
  const encoder = await openEncoder(model.encoderPath, model.encoderSha256);
  const known = new Map<string, Float32Array>();
  const embed = async (ids: readonly number[]) => {
    const key = ids.join(' ');
    const embedding = known.get(key) ?? (await encoder.embed(ids));
    known.set(key, embedding);
    return embedding;
  };
  const embedBatch = async (texts: readonly (readonly number[])[]) => {
    const embeddings: Float32Array[] = [];
    for (const ids of texts) embeddings.push(await embed(ids));
    return embeddings;
  };
  return openTrainPorts({ encoder: { ...encoder, embed, embedBatch } });
}

/** What a training finds: the policy's answers on other rows, and these and its held-out rows as a promise sees them. */
export type Trained = { members: Member[]; decided: ReappliedRow[]; heldOut: ReappliedRow[] };

/** Trains on rows and decides others with the policy; `isRefitted` as in the configuration. */
export async function trainAndDecide(
  ports: TrainPorts,
  rows: readonly Row[],
  others: readonly Row[],
  isRefitted: boolean,
): Promise<Trained> {
  const options = [...new Set([...rows, ...others].map(({ decision }) => decision))].sort();
  const outcome = await train(
    createRequest(
      rows.map(({ input, decision }, i) => createExample(`${i}`, input, decision)),
      createDefinition(options, { confidence_thresholds: { auto_decide: 1, escalation: 0 } }),
      { config: trainingConfigSchema.parse({ tune_hyperparams: false, refit: isRefitted }) },
    ),
    ports,
  );
  const decider = compileDecider(unpackBundle(outcome.bundle, sha256), ports);
  const members: Member[] = [];
  const decided: ReappliedRow[] = [];
  for (const { input, decision } of others) {
    const answer = await decider.decide(input);
    if (!answer.ok) throw new Error('The schema refuses an input.');
    const { decision: option, confidence } = answer.decision;
    members.push({ confidence, errorChance: option === decision ? 0 : 1, isRuled: false });
    decided.push({ expected: decision, ruled: null, prediction: { option, confidence, unfamiliarReason: null } });
  }
  const heldOut = outcome.heldOut.map(({ expected, predicted, probabilities }) => ({
    expected,
    ruled: null,
    prediction: { option: predicted, confidence: Math.max(...probabilities), unfamiliarReason: null },
  }));
  return { members, decided, heldOut };
}
