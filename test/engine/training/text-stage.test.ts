/** What the text stage of a training does: it encodes the texts with the shipped encoder, and the policy uses that. */
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { type TrainingStage, trainingStages } from '../../../src/engine/domain/training.ts';
import type { TextEncoder } from '../../../src/engine/ports.ts';
import type { Tokenizer } from '../../../src/engine/text/tokenizer.ts';
import type { TrainPorts, TrainRequest } from '../../../src/engine/training/request.ts';
import { train } from '../../../src/engine/training/train.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { openEncoder, runModel } from '../../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';
import { config, createDefinition, createExample, createRequest } from '../training-request.ts';

const textModel = openTextModel(fileURLToPath(new URL('../../../resources', import.meta.url)));
let encoder: TextEncoder;
let tokenizer: Tokenizer;

beforeAll(async () => {
  encoder = await openEncoder(textModel.encoderPath, textModel.encoderSha256);
  tokenizer = textModel.tokenizer();
});

const wordings = {
  refund: [
    ...['I want my money back for', 'please refund', 'reimburse us for', 'return the payment of'],
    ...['repay what I spent on', 'credit my card for', 'you owe me the price of', 'cancel and pay back'],
  ],
  tracking: [
    ...['where is', 'when will I get', 'track the delivery of', 'has nobody shipped'],
    ...['any news about', 'still waiting for', 'what day arrives', 'is the courier bringing'],
  ],
};
const things = ['my parcel', 'the blue chair', 'order 17', 'the lamp', 'our last delivery', 'this phone'];

/** 96 different messages of two options. */
const request: TrainRequest = createRequest(
  Object.entries(wordings).flatMap(([decision, starts]) =>
    starts.flatMap((start) =>
      things.map((thing) => createExample(`${start} ${thing}`, { message: `${start} ${thing}` }, decision)),
    ),
  ),
  createDefinition(['refund', 'tracking']),
  { config: { ...config, tune_hyperparams: false } },
);

/** Trains with `embed` in place of the encoder's own; `embedded` are the texts read before the classifier is fitted. */
async function trainWith(embed: TextEncoder['embed']) {
  const stages: TrainingStage[] = [];
  const embedded: string[] = [];
  const ports: TrainPorts = {
    encoder: {
      sha256: encoder.sha256,
      dimensions: encoder.dimensions,
      embed,
      embedBatch: (texts) => {
        if (!stages.includes('classifier')) embedded.push(...texts.map((ids) => ids.join(' ')));
        return Promise.all(texts.map((ids) => embed(ids)));
      },
    },
    tokenizer,
    tokenizerSha256: textModel.tokenizerSha256,
    runModel,
    runtimeVersion: 'onnxruntime test',
    sha256,
    now: () => performance.now(),
    progress: ({ stage }) => {
      if (stages.at(-1) !== stage) stages.push(stage);
    },
  };
  const { bundle, metrics } = await train(request, ports);
  return { stages, embedded, bundle: unpackBundle(bundle, sha256), metrics };
}

describe('a training on texts', () => {
  it('goes through all seven stages, embeds each text before the classifier is fitted, and decides by the embeddings [TRN-6]', async () => {
    const run = await trainWith((ids) => encoder.embed(ids));
    expect(run.stages).toEqual(trainingStages.map(({ stage }) => stage));
    expect(run.embedded).toHaveLength(request.examples.length);
    expect(new Set(run.embedded).size).toBe(request.examples.length);
    expect(run.bundle.plan.text?.encoder?.dimensions).toBe(encoder.dimensions);

    const silent = await trainWith(() => Promise.resolve(new Float32Array(encoder.dimensions)));
    expect(silent.bundle.classifier).not.toEqual(run.bundle.classifier);
    expect(silent.metrics.log_loss).toBeGreaterThan(run.metrics.log_loss);
  });
});
