/**
 * ONNX Runtime made into the engine's ports. Imported by child processes only: a native crash must not end the server.
 */
import { env, InferenceSession, Tensor } from 'onnxruntime-node';
import { limits } from '../../engine/limits.ts';
import type { BatchTextEncoder, ModelRunner } from '../../engine/ports.ts';

/** What computes the embeddings. */
export const runtimeVersion = `onnxruntime ${env.versions.common}`;

const dimensions = limits.embeddingDimensions;
const layers = 6;

/** One thread, no arena and no memory pattern: the resident size stays near the size of the model. */
const sessionOptions: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  logSeverityLevel: 3,
  enableCpuMemArena: false,
  enableMemPattern: false,
};

/** Runs a small model once and gives every output as float32. Throws what ONNX Runtime says about a bad model. */
export const runModel: ModelRunner = async (model, inputs) => {
  const session = await InferenceSession.create(model, sessionOptions);
  try {
    const feeds: Record<string, Tensor> = {};
    for (const { name, dims, data } of inputs) {
      feeds[name] = data instanceof BigInt64Array ? new Tensor('int64', data, dims) : new Tensor('float32', data, dims);
    }
    const outputs = await session.run(feeds);
    return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, floats(tensor)]));
  } finally {
    await session.release();
  }
};

/**
 * Opens the sentence encoder in this process, with adapters of rank 1 fed with zeros (the plain model). It computes on
 * `threads` threads, which sleep while nothing is asked. Rejects when the file cannot be loaded.
 */
export async function openEncoder(modelPath: string, modelSha256: string, threads = 1): Promise<BatchTextEncoder> {
  const session = await InferenceSession.create(modelPath, {
    ...sessionOptions,
    intraOpNumThreads: threads,
    extra: { session: { use_device_allocator_for_initializers: '1', intra_op: { allow_spinning: '0' } } },
  });
  const adapters = zeroAdapters();
  async function embedBatch(texts: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const outputs = await session.run({ ...adapters, ...padTexts(texts) });
    const embeddings = floats(outputs.sentence_embedding);
    return texts.map((_, row) => embeddings.slice(row * dimensions, (row + 1) * dimensions));
  }
  return {
    sha256: modelSha256,
    dimensions,
    embedBatch,
    embed: async (ids) => (await embedBatch([ids]))[0] as Float32Array,
  };
}

/** Token ids side by side, short ones filled up; the mask tells the encoder where each text ends. */
function padTexts(texts: readonly (readonly number[])[]): { input_ids: Tensor; attention_mask: Tensor } {
  const length = Math.max(...texts.map((ids) => ids.length));
  const dims = [texts.length, length];
  const ids = new BigInt64Array(texts.length * length);
  const mask = new BigInt64Array(texts.length * length);
  for (const [row, text] of texts.entries()) {
    for (const [at, id] of text.entries()) ids[row * length + at] = BigInt(id);
    mask.fill(1n, row * length, row * length + text.length);
  }
  return { input_ids: new Tensor('int64', ids, dims), attention_mask: new Tensor('int64', mask, dims) };
}

function zeroAdapters(): Record<string, Tensor> {
  const adapters: Record<string, Tensor> = {};
  for (let layer = 0; layer < layers; layer++) {
    for (const part of ['q', 'v']) {
      adapters[`${part}_a${layer}`] = new Tensor('float32', new Float32Array(dimensions), [dimensions, 1]);
      adapters[`${part}_b${layer}`] = new Tensor('float32', new Float32Array(dimensions), [1, dimensions]);
    }
  }
  return adapters;
}

function floats(tensor: Tensor | undefined): Float32Array {
  if (!(tensor?.data instanceof Float32Array)) throw new Error('The model gave no float32 output.');
  return tensor.data;
}
