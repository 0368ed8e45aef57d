/** The sentence encoder of a bundle in ONNX Runtime, behind the engine's port: texts that wait are read together. */
import type { Adapters, ModelFeed, TextEncoder } from '../engine/ports.ts';
import { createZeroAdapters, toAdapterFeeds } from '../engine/text/adapters.ts';
import { groupByLength, padTexts } from '../engine/text/encoder-input.ts';
import { InvalidBundle, type OnnxRuntime } from './api.ts';

type Waiting = {
  ids: readonly number[];
  adapters: Adapters | null;
  resolve(embedding: Float32Array): void;
  reject(error: unknown): void;
};

/** Without an arena, whose memory would be larger than the model. */
const sessionOptions = { executionMode: 'sequential', logSeverityLevel: 3, enableCpuMemArena: false };

/** Opens an encoder's graph. Rejects with InvalidBundle if it is not one. */
export async function openEncoder(
  { InferenceSession, Tensor }: OnnxRuntime,
  model: Uint8Array,
  facts: Pick<TextEncoder, 'sha256' | 'dimensions'>,
): Promise<TextEncoder & { close(): Promise<void> }> {
  const session = await InferenceSession.create(model, sessionOptions).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidBundle(`Bundle entry text/encoder.onnx cannot be opened by ONNX Runtime: ${reason}`, { cause });
  });
  const takesAdapters = session.inputNames.length > 2;
  const toTensor = ({ data, dims }: Pick<ModelFeed, 'data' | 'dims'>) =>
    data instanceof BigInt64Array ? new Tensor('int64', data, dims) : new Tensor('float32', data, dims);
  let waiting: Waiting[] = [];
  let previous: Promise<void> = Promise.resolve();

  async function embedGroup(group: readonly Waiting[], adapters: Adapters | null): Promise<void> {
    const { dims, ids, mask } = padTexts(group.map((text) => text.ids));
    const feeds = takesAdapters ? toAdapterFeeds(adapters ?? createZeroAdapters()) : [];
    const outputs = await session.run({
      ...Object.fromEntries(feeds.map(({ name, ...tensor }) => [name, toTensor(tensor)])),
      input_ids: toTensor({ data: ids, dims }),
      attention_mask: toTensor({ data: mask, dims }),
    });
    const output = outputs['sentence_embedding'];
    const data = output !== undefined && 'data' in output ? output.data : null;
    if (!(data instanceof Float32Array) || data.length !== group.length * facts.dimensions)
      throw new InvalidBundle(`Bundle entry text/encoder.onnx gives no embeddings of ${facts.dimensions} dimensions.`);
    group.forEach(({ resolve }, row) => {
      resolve(data.slice(row * facts.dimensions, (row + 1) * facts.dimensions));
    });
  }

  async function embedWaiting(): Promise<void> {
    const texts = waiting;
    waiting = [];
    for (const [adapters, some] of Map.groupBy(texts, (text) => text.adapters)) {
      for (const group of groupByLength(some, ({ ids }) => ids.length)) {
        await embedGroup(group, adapters).catch((error: unknown) => {
          for (const { reject } of group) reject(error);
        });
      }
    }
  }

  return {
    ...facts,
    embed(ids, adapters = null) {
      // A session runs one batch at a time; what is asked meanwhile makes up the next one.
      if (waiting.length === 0) previous = previous.then(embedWaiting);
      return new Promise((resolve, reject) => waiting.push({ ids, adapters, resolve, reject }));
    },
    close: () => previous.then(() => session.release()),
  };
}
