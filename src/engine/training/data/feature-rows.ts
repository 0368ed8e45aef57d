import type { Rows } from '../../classifiers/classifier.ts';
import { compileFeatures } from '../../features/compile.ts';
import { countNgrams, type FeaturePlan, isOfWords } from '../../features/plan.ts';
import type { JsonObject } from '../../json.ts';
import { compileWordNgrams } from '../../text/word-ngrams.ts';
import type { EncodedTexts } from './labelled-rows.ts';
import { listTreeFields } from './tree-fields.ts';

/** Builds a row per input: dense slots and embedding, sparse n-grams; zeros for a text not in `texts`. */
export function buildFeatureRows(plan: FeaturePlan, inputs: readonly JsonObject[], texts: EncodedTexts): Rows {
  const features = compileFeatures(plan);
  const encoder = plan.text?.encoder ?? null;
  const ngrams = plan.text?.ngrams ?? null;
  const toNgrams = ngrams !== null && isOfWords(ngrams) ? compileWordNgrams(ngrams) : null;
  const denseWidth = features.tabularSize + (encoder?.dimensions ?? 0);
  const dense = new Float64Array(inputs.length * denseWidth);
  const starts = new Int32Array(inputs.length + 1);
  const indices: number[] = [];
  const values: number[] = [];
  inputs.forEach((input, i) => {
    dense.set(features.writeTabular(input), i * denseWidth);
    const text = texts.get(features.joinText(input).text);
    if (encoder !== null && text !== undefined) {
      for (let d = 0; d < encoder.dimensions; d++) {
        dense[i * denseWidth + features.tabularSize + d] = Math.fround(text.embedding[d] * encoder.scale);
      }
    }
    if (toNgrams !== null && text !== undefined) {
      const row = toNgrams(text.words);
      for (const index of row.indices) indices.push(index);
      for (const value of row.values) values.push(value);
    }
    starts[i + 1] = indices.length;
  });
  return {
    count: inputs.length,
    dense,
    denseWidth,
    fields: listTreeFields(plan),
    sparse: {
      starts,
      indices: Int32Array.from(indices),
      values: Float64Array.from(values),
      width: countNgrams(ngrams),
    },
  };
}
