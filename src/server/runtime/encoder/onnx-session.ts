/** ONNX Runtime as the engine's ports, for child processes only: a native crash must not end the server. */
import { readFile } from 'node:fs/promises';
import { env, InferenceSession, Tensor } from 'onnxruntime-node';
import { encoderFacts, tuningGraphFacts } from '../../../engine/onnx/encoder-facts.ts';
import { packTexts } from '../../../engine/onnx/pack-texts.ts';
import { addTokenGates, feedTokenGates, gatesOutput } from '../../../engine/onnx/token-gates.ts';
import type {
  Adapters,
  BatchTextEncoder,
  ModelFeed,
  ModelRunner,
  TextEncoder,
  TuningGraph,
} from '../../../engine/ports.ts';
import { createZeroAdapters, toAdapterFeeds } from '../../../engine/text/adapters.ts';
import { padTexts } from '../../../engine/text/encoder-input.ts';
import { readFacts } from './read-facts.ts';

// From version 1.30 on ONNX Runtime keeps an id of the machine in the home folder and sends events to its maker, on
// Linux too, unless this is set before the first model is opened.
process.env['ORT_DISABLE_TELEMETRY'] = '1';

export const runtimeVersion = `onnxruntime ${env.versions.common}`;

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
    return await runSession(session, inputs);
  } finally {
    await session.release();
  }
};

async function runSession(
  session: InferenceSession,
  inputs: readonly ModelFeed[],
): Promise<Record<string, Float32Array>> {
  const outputs = await session.run(toTensors(inputs));
  return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, floats(tensor)]));
}

function toTensors(inputs: readonly ModelFeed[]): Record<string, Tensor> {
  const tensors: Record<string, Tensor> = {};
  for (const { name, dims, data } of inputs) {
    tensors[name] = data instanceof BigInt64Array ? new Tensor('int64', data, dims) : new Tensor('float32', data, dims);
  }
  return tensors;
}

/** Options of the encoder's graphs: their threads sleep while nothing is asked. */
const toEncoderOptions = (threads: number): InferenceSession.SessionOptions => ({
  ...sessionOptions,
  intraOpNumThreads: threads,
  extra: { session: { use_device_allocator_for_initializers: '1', intra_op: { allow_spinning: '0' } } },
});

/** Loads the graph of a fine-tuning step for many runs on `threads` threads. Rejects when a file cannot be loaded. */
export async function openTuningGraph(modelPath: string, threads = 1): Promise<TuningGraph> {
  const { head_scale: headScale } = readFacts(modelPath, tuningGraphFacts);
  const session = await InferenceSession.create(modelPath, toEncoderOptions(threads));
  return { headScale, run: (inputs) => runSession(session, inputs), close: () => session.release() };
}

/** Loads a graph of the encoder as `change` makes it. */
async function openChanged(
  modelPath: string,
  change: (file: Uint8Array) => Uint8Array,
  threads: number,
): Promise<InferenceSession> {
  const file = await readFile(modelPath);
  const model = change(file);
  try {
    return await InferenceSession.create(model, toEncoderOptions(threads));
  } finally {
    // Given back at once: these processes make so little garbage that they would keep both.
    for (const { buffer } of [file, model]) if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
  }
}

export type TokenWeigher = NonNullable<TextEncoder['weighTokens']>;

/** Loads the graph of a fine-tuning step to weigh tokens by. Rejects when a file cannot be loaded. */
export async function openTokenWeigher(modelPath: string, threads = 1): Promise<TokenWeigher> {
  const facts = readFacts(modelPath, tuningGraphFacts);
  const session = await openChanged(modelPath, (file) => addTokenGates(file, facts), threads);
  return async (ids, direction, adapters) => {
    const feeds = toTensors(feedTokenGates(ids, direction, adapters ?? createZeroAdapters(), facts.head_scale));
    return floats((await session.run(feeds, [gatesOutput]))[gatesOutput]);
  };
}

/** Opens an encoder; adapters are inputs of its graph, zeros for the plain one. Rejects with `unavailable`. */
export async function openEncoder(modelPath: string, modelSha256: string, threads = 1): Promise<BatchTextEncoder> {
  const facts = readFacts(modelPath, encoderFacts);
  const { dimensions, frame } = facts;
  const isTransformer = facts.kind === 'transformer';
  const session = isTransformer
    ? await openChanged(modelPath, (file) => packTexts(file, facts), threads)
    : await InferenceSession.create(modelPath, toEncoderOptions(threads));
  const plain = isTransformer ? toTensors(toAdapterFeeds(createZeroAdapters())) : {};
  async function embedBatch(
    texts: readonly (readonly number[])[],
    adapters: Adapters | null = null,
  ): Promise<Float32Array[]> {
    if (adapters !== null && !isTransformer) throw new Error('This encoder takes no adapters.');
    const { dims, ids, mask } = padTexts(texts);
    const outputs = await session.run({
      ...(adapters === null ? plain : toTensors(toAdapterFeeds(adapters))),
      input_ids: new Tensor('int64', ids, dims),
      attention_mask: new Tensor('int64', mask, dims),
    });
    const embeddings = floats(outputs.sentence_embedding);
    return texts.map((_, row) => embeddings.slice(row * dimensions, (row + 1) * dimensions));
  }
  return {
    sha256: modelSha256,
    dimensions,
    frame,
    embedBatch,
    embed: async (ids, adapters) => (await embedBatch([ids], adapters))[0] as Float32Array,
  };
}

function floats(tensor: Tensor | undefined): Float32Array {
  if (!(tensor?.data instanceof Float32Array)) throw new Error('The model gave no float32 output.');
  return tensor.data;
}
