import { type ClassifierModel, slotContributions } from '../classifiers/model.ts';
import type { DecisionTrace, JsonObject } from '../domain.ts';
import type { CompiledFeatures, InputText } from '../features/compile.ts';
import type { FeaturePlan } from '../features/plan.ts';
import { valueAt } from '../features/values.ts';
import type { NgramRow } from '../text/ngrams.ts';
import type { Tokenizer } from '../text/tokenizer.ts';

/** What the classifier was given for one input. */
export type ClassifierInput = { dense: Float32Array; ngrams: NgramRow; text: InputText | null; ids: readonly number[] };

type Feature = DecisionTrace['features'][number];

function sumOf(shares: Float64Array, start: number, size: number): number {
  return shares.subarray(start, start + size).reduce((sum, share) => sum + share, 0);
}

/**
 * Every field with its value in the input and what it adds to the logit of option number `option`: tabular fields one
 * by one, the n-grams of the text together, the text's embedding together. With the option's bias, and the trees' mean where there are trees, they sum to the logit.
 */
export function traceFeatures(
  plan: FeaturePlan,
  features: CompiledFeatures,
  model: ClassifierModel,
  input: JsonObject,
  given: ClassifierInput,
  option: number,
): Feature[] {
  const shares = slotContributions(model, given.dense, option);
  const traced: Feature[] = features.slots.map((slot, index) => ({
    field: slot.field,
    kind: slot.kind,
    value: valueAt(input, plan.fields[index]?.path ?? []) ?? null,
    contribution: sumOf(shares, slot.start, slot.size),
  }));
  if (plan.text === null) return traced;
  const field = plan.text.fields.map((path) => path.join('.')).join(', ');
  if (plan.text.ngrams !== null && model.kind !== 'trees') {
    let contribution = 0;
    given.ngrams.indices.forEach((index, position) => {
      contribution += (given.ngrams.values[position] ?? 0) * (model.ngram[index * model.K + option] ?? 0);
    });
    const value = { tokens: given.ids.length, known_ngrams: given.ngrams.indices.length };
    traced.push({ field, kind: 'text_ngrams', value, contribution });
  }
  if (plan.text.encoder !== null) {
    const { dimensions, max_tokens: maxTokens } = plan.text.encoder;
    const contribution = sumOf(shares, features.tabularSize, dimensions);
    const value = { tokens: Math.min(given.ids.length, maxTokens - 2) };
    traced.push({ field, kind: 'text_embedding', value, contribution });
  }
  return traced;
}

/** Names of the text fields of which the encoder does not see everything. */
export function truncatedFields(plan: FeaturePlan, tokenizer: Tokenizer, given: ClassifierInput): string[] {
  const encoder = plan.text?.encoder;
  if (!encoder || given.text === null || given.ids.length <= encoder.max_tokens - 2) return [];
  const { text, parts } = given.text;
  return parts.flatMap(({ field, end }, index) => {
    // A field without any token after the cut lost nothing.
    const start = index === 0 ? 0 : (parts[index - 1]?.end ?? 0);
    const upTo = tokenizer.encode(text.slice(0, end)).length;
    return upTo > encoder.max_tokens - 2 && tokenizer.encode(text.slice(start, end)).length > 0 ? [field] : [];
  });
}
