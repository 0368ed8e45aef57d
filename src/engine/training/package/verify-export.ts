import type { Rows } from '../../classifiers/classifier.ts';
import { type ClassifierModel, compileScorer } from '../../classifiers/model.ts';
import { readClassifier } from '../../onnx/classifier.ts';
import type { ModelRunner } from '../../ports.ts';
import { type ModelInput, toModelInput } from '../data/model-input.ts';

const tolerance = 1e-5;
const maxRows = 64;

/**
 * Runs the exported file on up to 64 rows; rejects where a probability is more than 1e-5 off. Without a runtime of ONNX
 * the file is read back and scored: that finds a damaged graph, not an operator that a runtime takes otherwise.
 */
export async function verifyExport(
  file: Uint8Array,
  model: ClassifierModel,
  rows: Rows,
  runModel: ModelRunner | undefined,
): Promise<number> {
  // A model without any input answers with one row.
  const count = Math.min(rows.count, model.D + model.V === 0 ? 1 : maxRows);
  const inputs = Array.from({ length: count }, (_, i) => toModelInput(rows, i));
  const probabilities = runModel
    ? (await runModel(file, toFeeds(model, inputs)))['probabilities']
    : scoreAll(readClassifier(file), inputs);
  if (probabilities === undefined) throw new Error('The exported classifier has no output "probabilities".');
  const score = compileScorer(model);
  let largest = 0;
  inputs.forEach((input, i) => {
    score(input.dense, input.indices, input.values).forEach((expected, k) => {
      const difference = Math.abs(expected - (probabilities[i * model.K + k] ?? Number.NaN));
      // Written so that NaN becomes the largest difference and stays it.
      largest = difference <= largest ? largest : difference;
    });
  });
  if (!(largest <= tolerance)) throw new Error(`The exported classifier differs from the trained one by ${largest}.`);
  return largest;
}

function scoreAll(model: ClassifierModel, inputs: readonly ModelInput[]): number[] {
  const score = compileScorer(model);
  return inputs.flatMap(({ dense, indices, values }) => [...score(dense, indices, values)]);
}

/** Rows as the inputs of the graph; shorter n-gram rows are filled up with the value 0. */
function toFeeds(model: ClassifierModel, inputs: readonly ModelInput[]): Parameters<ModelRunner>[1] {
  const count = inputs.length;
  const width = Math.max(1, ...inputs.map(({ indices }) => indices.length));
  const dense = new Float32Array(count * model.D);
  const indices = new BigInt64Array(count * width);
  const values = new Float32Array(count * width);
  inputs.forEach((input, i) => {
    dense.set(input.dense, i * model.D);
    input.indices.forEach((index, j) => {
      indices[i * width + j] = BigInt(index);
    });
    values.set(input.values, i * width);
  });
  const feeds: Parameters<ModelRunner>[1] = [];
  if (model.D > 0) feeds.push({ name: 'dense', dims: [count, model.D], data: dense });
  if (model.V > 0) {
    feeds.push({ name: 'ngram_indices', dims: [count, width], data: indices });
    feeds.push({ name: 'ngram_values', dims: [count, width], data: values });
  }
  return feeds;
}
