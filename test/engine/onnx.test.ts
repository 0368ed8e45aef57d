import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { type LogisticModel, scoreLogistic } from '../../src/engine/classifiers/logistic-model.ts';
import { WorkbenchError } from '../../src/engine/errors.ts';
import { elementType, writeModel } from '../../src/engine/onnx/graph.ts';
import { exportLogistic, readLogistic } from '../../src/engine/onnx/logistic.ts';

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function randomModel(D: number, V: number, K: number, seed = 7): LogisticModel {
  const next = random(seed);
  const floats = (size: number) => Float32Array.from({ length: size }, () => next() * 2 - 1);
  return { kind: 'logistic', dense: floats(D * K), ngram: floats(V * K), bias: floats(K), D, V, K };
}

/** Scores four rows with 0, 1, 3 and 2 n-grams in the runtime and in plain code; gives the largest difference. */
async function largestDifference(model: LogisticModel): Promise<number> {
  const next = random(11);
  const counts = [0, 1, 3, 2];
  const rows = counts.map((count) => ({
    dense: Float32Array.from({ length: model.D }, () => next() * 4 - 2),
    indices: Array.from({ length: count }, () => Math.floor(next() * model.V)),
    values: Array.from({ length: count }, () => Math.fround(next())),
  }));
  const feeds: Record<string, Tensor> = {};
  if (model.D > 0) {
    feeds.dense = new Tensor('float32', Float32Array.from(rows.flatMap((row) => [...row.dense])), [4, model.D]);
  }
  if (model.V > 0) {
    const pad = <T>(values: T[], filler: T) => [...values, filler, filler, filler].slice(0, 3);
    const indices = rows.flatMap((row) => pad(row.indices.map(BigInt), 0n));
    feeds.ngram_indices = new Tensor('int64', BigInt64Array.from(indices), [4, 3]);
    feeds.ngram_values = new Tensor('float32', Float32Array.from(rows.flatMap((row) => pad(row.values, 0))), [4, 3]);
  }
  const session = await InferenceSession.create(exportLogistic(model), { intraOpNumThreads: 1 });
  const output = (await session.run(feeds)).probabilities;
  if (output === undefined) throw new Error('no probabilities');
  const data = output.data as Float32Array;
  let largest = 0;
  for (let row = 0; row < (output.dims[0] ?? 0); row++) {
    const { dense, indices, values } = rows[row]!;
    const here = scoreLogistic(model, dense, model.V > 0 ? indices : [], model.V > 0 ? values : []);
    here.forEach((p, k) => {
      largest = Math.max(largest, Math.abs(p - data[row * model.K + k]!));
    });
  }
  return largest;
}

function refusal(bytes: Uint8Array): WorkbenchError {
  try {
    readLogistic(bytes);
  } catch (error) {
    if (error instanceof WorkbenchError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('the classifier as an ONNX file', () => {
  it.each([
    ['tabular fields and n-grams', 20, 50, 4],
    ['n-grams only', 0, 50, 3],
    ['tabular fields only', 20, 0, 77],
    ['no feature at all', 0, 0, 3],
  ])('gives the same probabilities in onnxruntime and in plain code: %s', async (_name, D, V, K) => {
    expect(await largestDifference(randomModel(D, V, K))).toBeLessThan(1e-5);
  });

  it('keeps options without examples near zero', async () => {
    const model = randomModel(3, 0, 2);
    model.bias[1] = -30;
    for (let d = 0; d < 3; d++) model.dense[d * 2 + 1] = 0;
    expect(await largestDifference(model)).toBeLessThan(1e-5);
  });

  it.each([
    [20, 50, 4],
    [0, 50, 3],
    [20, 0, 200],
    [0, 0, 2],
  ])('reads its own weights back unchanged (D=%i V=%i K=%i)', (D, V, K) => {
    const model = randomModel(D, V, K);
    expect(readLogistic(exportLogistic(model))).toEqual(model);
  });

  it('writes the same bytes for the same model', () => {
    expect(exportLogistic(randomModel(5, 5, 3))).toEqual(exportLogistic(randomModel(5, 5, 3)));
  });

  it('refuses a file that is cut off anywhere, and never takes it for another model', () => {
    const bytes = exportLogistic(randomModel(2, 3, 2));
    for (let length = 0; length < bytes.length; length++) {
      expect(refusal(bytes.subarray(0, length)).message).toContain('classifier.onnx');
    }
  });

  it('refuses another operator', () => {
    const graph = {
      name: 'x',
      nodes: [{ op: 'Loop', inputs: ['bias'], outputs: ['probabilities'], attributes: {} }],
      initializers: [],
      inputs: [],
      outputs: [],
    };
    expect(refusal(writeModel(graph, 'x')).message).toContain('"Loop", which is not allowed');
  });

  it('refuses weights whose declared size is not that of their bytes', () => {
    const raw = new Uint8Array(8);
    const graph = {
      name: 'x',
      nodes: [],
      initializers: [{ name: 'bias', dims: [2 ** 40], type: elementType.float32, raw }],
      inputs: [],
      outputs: [],
    };
    expect(refusal(writeModel(graph, 'x')).message).toContain('declares [1099511627776] but holds 8 bytes');
  });

  it('refuses numbers that are not finite', () => {
    const model = randomModel(1, 0, 2);
    model.bias[0] = Number.NaN;
    expect(refusal(exportLogistic(model)).message).toContain('not finite');
  });
});
