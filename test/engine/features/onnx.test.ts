import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { type BlendModel, compileScorer, type LogisticModel } from '../../../src/engine/classifiers/model.ts';
import type { Trees } from '../../../src/engine/classifiers/trees-model.ts';
import { exportClassifier, readClassifier } from '../../../src/engine/onnx/classifier.ts';
import { elementType, extendModel, readModel, toFloatTensor, writeModel } from '../../../src/engine/onnx/graph.ts';
import { OnnxError } from '../../../src/engine/onnx/protobuf.ts';
import { buildTreeNodes, buildTreeTensors } from '../../../src/engine/onnx/trees.ts';

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
async function largestDifference(model: LogisticModel | BlendModel): Promise<number> {
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
  const session = await InferenceSession.create(exportClassifier(model), { intraOpNumThreads: 1 });
  const output = (await session.run(feeds)).probabilities;
  if (output === undefined) throw new Error('no probabilities');
  const data = output.data as Float32Array;
  const score = compileScorer(model);
  let largest = 0;
  for (let row = 0; row < (output.dims[0] ?? 0); row++) {
    const { dense, indices, values } = rows[row]!;
    const here = score(dense, model.V > 0 ? indices : [], model.V > 0 ? values : []);
    here.forEach((p, k) => {
      largest = Math.max(largest, Math.abs(p - data[row * model.K + k]!));
    });
  }
  return largest;
}

function refusal(bytes: Uint8Array): OnnxError {
  try {
    readClassifier(bytes);
  } catch (error) {
    if (error instanceof OnnxError) return error;
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
    expect(readClassifier(exportClassifier(model))).toEqual(model);
  });

  it('writes the same bytes for the same model', () => {
    expect(exportClassifier(randomModel(5, 5, 3))).toEqual(exportClassifier(randomModel(5, 5, 3)));
  });

  it('keeps everything else where nodes are wired again', () => {
    const file = exportClassifier(randomModel(5, 5, 3));
    const nothing = { nodes: [], initializers: [], outputs: [] };
    expect(readModel(extendModel(file, nothing, (node) => node))).toEqual(readModel(file));
    const replaced = extendModel(file, nothing, (node) => (node.op === 'Softmax' ? { ...node, op: 'Abs' } : node));
    expect(readModel(replaced)).toEqual({
      ...readModel(file),
      nodes: readModel(file).nodes.map((node) =>
        node.op === 'Softmax' ? { ...node, op: 'Abs', attributes: new Map() } : node,
      ),
    });
    expect(readModel(replaced)).not.toEqual(readModel(file));
    const turned = extendModel(file, nothing, (node) => ({ ...node, inputs: node.inputs.toReversed() }));
    expect(readModel(turned)).toEqual({
      ...readModel(file),
      nodes: readModel(file).nodes.map((node) => ({ ...node, inputs: node.inputs.toReversed() })),
    });
  });

  it('refuses a file that is cut off anywhere, and never takes it for another model', () => {
    const bytes = exportClassifier(randomModel(2, 3, 2));
    for (let length = 0; length < bytes.length; length++) {
      expect(refusal(bytes.subarray(0, length)).message).toMatch(/^(?:is not|has|does not) /);
    }
  });

  it('refuses another operator', () => {
    const graph = {
      name: 'x',
      nodes: [{ op: 'Loop', domain: '' as const, inputs: ['bias'], outputs: ['probabilities'], attributes: {} }],
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
    expect(refusal(exportClassifier(model)).message).toContain('not finite');
  });

  describe('with trees', () => {
    /** Two trees over one slot, one for each of two scores: x ≤ 0.5, and x ≤ -1 with another test below it. */
    const trees: Trees = {
      columnCount: 1,
      slotStarts: Int32Array.of(0, 1),
      slotColumns: Int32Array.of(0),
      slotWeights: Float32Array.of(1),
      roots: Int32Array.of(0, 3),
      targets: Int32Array.of(0, 1),
      scoreCount: 2,
      columns: Int32Array.of(0, -1, -1, 0, -1, 0, -1, -1),
      thresholds: Float32Array.of(0.5, 0, 0, -1, 0, 1, 0, 0),
      rights: Int32Array.of(2, 0, 0, 5, 0, 7, 0, 0),
      values: Float32Array.of(0, 1, -1, 0, 2, 0, 0.25, -2),
      covers: Float32Array.of(9, 4, 5, 9, 2, 7, 3, 4),
      scoreOptions: Float32Array.of(1, 0, 0, 1),
    };
    const blend: BlendModel = { ...randomModel(1, 20, 2), kind: 'blend', trees };
    type Attributes = Record<string, Int32Array | Float32Array | string[] | number | string>;
    /** The file with an attribute of its trees, or another part of the trees, changed by somebody. */
    const changed = (change: (attributes: Attributes) => void): Uint8Array => {
      const attributes: Attributes = { ...buildTreeNodes(trees)[1]!.attributes } as Attributes;
      change(attributes);
      const nodes = buildTreeNodes(trees).map((node) => (node.op === 'MatMul' ? node : { ...node, attributes }));
      const graph = {
        name: 'x',
        nodes: [
          ...nodes,
          { op: 'Add', domain: '' as const, inputs: ['tree_scores', 'bias'], outputs: ['logits'], attributes: {} },
          {
            op: 'Softmax',
            domain: '' as const,
            inputs: ['logits'],
            outputs: ['probabilities'],
            attributes: { axis: 1 },
          },
        ],
        initializers: [...buildTreeTensors(trees, 1, 2), toFloatTensor('bias', [2], Float32Array.of(0, 0))],
        inputs: [{ name: 'dense', type: elementType.float32, dims: ['N', 1] }],
        outputs: [{ name: 'probabilities', type: elementType.float32, dims: ['N', 2] }],
      };
      return writeModel(graph, 'x');
    };
    const list = (attributes: Attributes, name: string) => (attributes[name] as Int32Array).slice();

    it('gives the same probabilities in onnxruntime and in plain code, and is read back unchanged', async () => {
      expect(readClassifier(changed(() => undefined))).toMatchObject({ kind: 'trees', trees });
      expect(readClassifier(exportClassifier(blend))).toEqual(blend);
      expect(await largestDifference(blend)).toBeLessThan(1e-5);
    });

    it.each<[string, (attributes: Attributes) => void]>([
      [
        'children are not further on',
        (a) => Object.assign(a, { nodes_falsenodeids: list(a, 'nodes_falsenodeids').fill(0, 5, 6) }),
      ],
      [
        'children are not further on',
        (a) => Object.assign(a, { nodes_falsenodeids: list(a, 'nodes_falsenodeids').fill(3, 0, 1) }),
      ],
      [
        'children are not further on',
        (a) => Object.assign(a, { nodes_truenodeids: list(a, 'nodes_truenodeids').fill(0, 5, 6) }),
      ],
      ['two parents', (a) => Object.assign(a, { nodes_falsenodeids: list(a, 'nodes_falsenodeids').fill(4, 3, 4) })],
      ['without a parent', (a) => Object.assign(a, { nodes_modes: (a.nodes_modes as string[]).with(0, 'LEAF') })],
      ['tests column 7', (a) => Object.assign(a, { nodes_featureids: list(a, 'nodes_featureids').fill(7, 0, 1) })],
      ['out of order', (a) => Object.assign(a, { nodes_treeids: list(a, 'nodes_treeids').fill(1, 0, 1) })],
      ['out of order', (a) => Object.assign(a, { nodes_nodeids: list(a, 'nodes_nodeids').fill(1, 0, 1) })],
      ['differ in length', (a) => Object.assign(a, { nodes_nodeids: list(a, 'nodes_nodeids').slice(1) })],
      ['leaf for score 9', (a) => Object.assign(a, { target_ids: list(a, 'target_ids').fill(9) })],
      ['leaves out of order', (a) => Object.assign(a, { target_nodeids: list(a, 'target_nodeids').fill(0) })],
      ['differ in length', (a) => Object.assign(a, { target_weights: Float32Array.of(1) })],
      ['not finite', (a) => Object.assign(a, { target_weights: Float32Array.of(1, Number.NaN, 1, 1, 1) })],
      ['not finite', (a) => Object.assign(a, { nodes_values: new Float32Array(8).fill(Number.POSITIVE_INFINITY) })],
      ['negative count', (a) => Object.assign(a, { nodes_hitrates: new Float32Array(8).fill(-1) })],
      ['"BRANCH_EQ"', (a) => Object.assign(a, { nodes_modes: (a.nodes_modes as string[]).with(0, 'BRANCH_EQ') })],
      ['not summed up', (a) => Object.assign(a, { post_transform: 'LOGISTIC' })],
      ['not summed up', (a) => Object.assign(a, { aggregate_function: 'MAX' })],
      ['another number of scores', (a) => Object.assign(a, { n_targets: 7 })],
      ['"base_values", which is not allowed', (a) => Object.assign(a, { base_values: Float32Array.of(1, 1) })],
    ])('refuses hostile trees: %s (%#)', (problem, change) => {
      expect(refusal(changed(change)).message).toContain(problem);
    });

    it('refuses a file that is cut off anywhere', () => {
      const bytes = exportClassifier(blend);
      for (let length = 0; length < bytes.length; length++) {
        expect(refusal(bytes.subarray(0, length)).message).toMatch(/^(?:is not|has|does not) /);
      }
    });

    it('never fails in another way on a file with one changed byte', () => {
      const bytes = changed(() => undefined);
      for (let at = 0; at < bytes.length; at++) {
        for (const value of [0, 255, (bytes[at] ?? 0) ^ 1]) {
          const hostile = bytes.slice();
          hostile[at] = value;
          let model: ReturnType<typeof readClassifier>;
          try {
            model = readClassifier(hostile);
          } catch (error) {
            expect(error).toBeInstanceOf(OnnxError);
            continue;
          }
          // What is still accepted can be scored.
          const dense = new Float32Array(model.D).fill(0.3);
          expect(compileScorer(model)(dense, [], []).length).toBe(model.K);
        }
      }
    });
  });
});
