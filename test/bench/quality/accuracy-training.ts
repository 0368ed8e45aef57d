/**
 * One training in a process of its own, so that its memory can be told: trains through the engine on the rows of the
 * order, decides the test rows with the packed bundle, and writes the features for the peers where that is asked for.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import type { Decider } from '../../../src/engine/decide/golden.ts';
import { trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import { compileFeatures } from '../../../src/engine/features/compile.ts';
import type { FeaturePlan } from '../../../src/engine/features/plan.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { computePercentile } from '../../../src/engine/numeric.ts';
import type { BatchTextEncoder } from '../../../src/engine/ports.ts';
import { buildFeatureRows } from '../../../src/engine/training/data/feature-rows.ts';
import { encodeTexts } from '../../../src/engine/training/data/labelled-rows.ts';
import type { TrainPorts } from '../../../src/engine/training/request.ts';
import { train } from '../../../src/engine/training/train.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { withEncodingCache } from '../../../src/server/runtime/encoder/encoding-cache.ts';
import { openEncoder, openTuningGraph } from '../../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';
import { openTrainPorts } from '../../engine/train-ports.ts';
import { createDefinition, createExample, createRequest, ignoring } from '../../engine/training-request.ts';
import { type Figures, figuresOf } from './accuracy-metrics.ts';

export type Row = { input: JsonObject; decision: string };
/**
 * `featuresDir`: an existing folder for the peers' files; null where no peer runs. `encodingsDir`: embeddings kept
 * between runs, or null.
 */
export type Order = {
  train: Row[];
  /** Rows that the training is given as the analyst's own test rows; without any it holds a fifth of `train` back. */
  marked: Row[];
  test: Row[];
  options: string[];
  trials: number;
  featuresDir: string | null;
  encodingsDir: string | null;
  /** As `tune_encoder` of a training: whether and when the text model is tuned. */
  tuning: boolean | 'auto';
};
export type Reply =
  | { kind: 'progress'; message: string }
  /** `later` is the better policy of the background; its seconds are those of the background, whatever that brought. */
  | { kind: 'done'; figures: Figures; notes: string[]; later: Figures | null; laterSeconds: number }
  | { kind: 'failed'; message: string };

const timedDecisions = 300;

process.once('message', (order: Order) => {
  run(order)
    .then((reply) => process.send?.(reply))
    .catch((error: unknown) => process.send?.({ kind: 'failed', message: String(error) } satisfies Reply))
    .finally(() => process.disconnect?.());
});

async function run(order: Order): Promise<Reply> {
  const model = openTextModel();
  const threads = availableParallelism();
  const opened = await openEncoder(model.encoderPath, model.encoderSha256, threads);
  const kept = order.encodingsDir === null ? null : withEncodingCache(opened, order.encodingsDir, Date.now());
  const encoder = timed(kept ?? opened);
  const ports = await openTrainPorts({
    encoder,
    openTuningGraph: () => openTuningGraph(model.tuningGraphPath, threads),
    progress: ({ fraction, message }) =>
      process.send?.({ kind: 'progress', message: `${Math.round(100 * fraction)}% ${message}` } satisfies Reply),
  });
  const { tokenizer } = ports;
  const started = performance.now();
  const outcome = await train(
    createRequest(
      [...order.train, ...order.marked].map(({ input, decision }, i) => ({
        ...createExample(`row-${i}`, input, decision),
        test: i >= order.train.length,
      })),
      createDefinition(order.options, {
        confidence_thresholds: { auto_decide: 0, escalation: 0 },
        escalation_policy: { ...ignoring, between: 'accept' },
      }),
      { config: trainingConfigSchema.parse({ n_tuning_trials: order.trials, tune_encoder: order.tuning }) },
    ),
    ports,
  );
  const seconds = (performance.now() - started) / 1_000;
  const encoderSeconds = encoder.spentMs() / 1_000;
  const peakMb = process.resourceUsage().maxRSS / 1_024;

  const bundle = unpackBundle(outcome.bundle, sha256);
  const measure = (of: typeof bundle, seconds: number) =>
    // Deciding is timed with the encoder itself.
    measureBundle(order, compileDecider(of, { encoder: opened, tokenizer, now: ports.now }), {
      seconds,
      encoderSeconds,
      peakMb,
    });
  const figures = await measure(bundle, seconds);
  const laterFrom = performance.now();
  const { better = null } = (await outcome.tuneLater?.({ policyId: 'policy-2', policyVersion: 4 })) ?? {};
  const laterSeconds = (performance.now() - laterFrom) / 1_000;
  const later = better === null ? null : await measure(unpackBundle(better.bundle, sha256), laterSeconds);
  if (order.featuresDir !== null) await writeFeatures(order, order.featuresDir, bundle.plan, ports);
  kept?.close();
  return { kind: 'done', figures, notes: outcome.metrics.notes, later, laterSeconds };
}

async function measureBundle(
  order: Order,
  decider: Decider,
  costs: Pick<Figures, 'seconds' | 'encoderSeconds' | 'peakMb'>,
): Promise<Figures> {
  const times: number[] = [];
  const probabilities: number[][] = [];
  for (const { input } of order.test) {
    const before = performance.now();
    const decided = await decider.decide(input);
    if (times.length < timedDecisions) times.push(performance.now() - before);
    if (!decided.ok) throw new Error(`an input of the test side was refused: ${decided.problems[0]?.msg}`);
    const { class_probabilities: given } = decided.decision;
    probabilities.push(order.options.map((option) => given[option] ?? 0));
  }
  const expected = order.test.map((row) => row.decision);
  return figuresOf(expected, probabilities, order.options, { ...costs, decisionMs: computePercentile(times, 0.5) });
}

function timed(encoder: BatchTextEncoder): BatchTextEncoder & { spentMs(): number } {
  let spent = 0;
  return {
    sha256: encoder.sha256,
    dimensions: encoder.dimensions,
    frame: encoder.frame,
    spentMs: () => spent,
    embed: encoder.embed,
    async embedBatch(texts, adapters) {
      const before = performance.now();
      const embeddings = await encoder.embedBatch(texts, adapters);
      spent += performance.now() - before;
      return embeddings;
    },
  };
}

/**
 * The same features that the classifier saw (with the embedding even where it was not chosen), as raw little-endian
 * files.
 */
async function writeFeatures(order: Order, folder: string, plan: FeaturePlan, ports: TrainPorts): Promise<void> {
  const full: FeaturePlan =
    plan.text === null || plan.text.encoder !== null
      ? plan
      : {
          ...plan,
          text: {
            ...plan.text,
            encoder: { dimensions: ports.encoder?.dimensions ?? 0, max_tokens: 256, scale: 1 },
          },
        };
  const features = compileFeatures(full);
  mkdirSync(folder, { recursive: true });
  const shape: Record<string, unknown> = { options: order.options, tabular: full.tabular_size };
  for (const side of ['train', 'test'] as const) {
    const rows = order[side];
    const inputs = rows.map((row) => row.input);
    const all = full.text === null ? [] : inputs.map((input) => features.joinText(input).text);
    const texts = await encodeTexts(all, ports.tokenizer, ports.encoder, () => undefined);
    const built = buildFeatureRows(full, inputs, texts);
    const write = (name: string, data: Float32Array | Int32Array) =>
      writeFileSync(join(folder, `${side}.${name}`), new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    write('dense', Float32Array.from(built.dense));
    write('starts', built.sparse.starts);
    write('indices', built.sparse.indices);
    write('values', Float32Array.from(built.sparse.values));
    write(
      'labels',
      Int32Array.from(rows, (row) => order.options.indexOf(row.decision)),
    );
    writeFileSync(join(folder, `${side}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    shape[side] = { rows: rows.length, dense: built.denseWidth, sparse: built.sparse.width };
  }
  writeFileSync(join(folder, 'shape.json'), JSON.stringify(shape));
}
