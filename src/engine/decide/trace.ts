/** The trace of a decision, on request: rules, contributions of the fields, times of the stages. */
import { type ClassifierModel, computeSlotContributions } from '../classifiers/model.ts';
import type { DecisionTrace, RuleTrace } from '../domain/decision.ts';
import type { ConfidenceThresholds } from '../domain/definition.ts';
import type { CompiledFeatures, InputText } from '../features/compile.ts';
import { compileReader } from '../features/kinds.ts';
import type { FeaturePlan, Field, TextUnit } from '../features/plan.ts';
import type { JsonObject } from '../json.ts';
import type { MonotonicClock } from '../ports.ts';
import type { NgramRow } from '../text/word-ngrams.ts';
import type { TextParts } from './check-bundle.ts';

/** The input of the classifier: `ids` are the pieces that an encoder reads, `units` what n-grams are made of. */
export type ClassifierInput = {
  dense: Float32Array;
  ngrams: NgramRow;
  text: InputText | null;
  ids: readonly number[];
  units: readonly TextUnit[];
};

type TracedFeature = DecisionTrace['features'][number];

/** Measures the stages of one decision: each mark holds the milliseconds since the mark before it. */
export type StageTimer = { mark(stage: string): void; marks: Record<string, number> };

/** Starts the clock of a decision; each mark takes the time since the one before, in milliseconds. */
export function startStageTimer(now: MonotonicClock): StageTimer {
  const marks: Record<string, number> = {};
  let last = now();
  return {
    marks,
    mark(stage) {
      const at = now();
      marks[stage] = at - last;
      last = at;
    },
  };
}

/** The trace of a decision that was made without asking the classifier. */
export function traceWithoutClassifier(
  rules: RuleTrace[],
  thresholds: ConfidenceThresholds | null,
  timer: StageTimer,
): DecisionTrace {
  return { rules, features: [], thresholds, stage_ms: timer.marks, truncated: [], reasons: [], familiarity: [] };
}

function sumSlots(shares: Float64Array, start: number, size: number): number {
  return shares.subarray(start, start + size).reduce((sum, share) => sum + share, 0);
}

const readField = (field: Field | undefined, input: JsonObject) =>
  (field === undefined ? null : compileReader(field)(input)) ?? null;

/** Every field with what it adds to one option's logit; with bias and the trees' mean they sum to it. */
export function traceFeatures(
  plan: FeaturePlan,
  features: CompiledFeatures,
  model: ClassifierModel,
  input: JsonObject,
  seen: ClassifierInput,
  option: number,
): TracedFeature[] {
  const shares = computeSlotContributions(model, seen.dense, option);
  const traced: TracedFeature[] = features.slots.map((slot, index) => ({
    field: slot.field,
    kind: slot.kind,
    value: readField(plan.fields[index], input),
    contribution: sumSlots(shares, slot.start, slot.size),
  }));
  if (plan.text === null) return traced;
  const field = plan.text.fields.map((path) => path.join('.')).join(', ');
  if (plan.text.ngrams !== null && model.kind !== 'trees') {
    let contribution = 0;
    seen.ngrams.indices.forEach((index, position) => {
      contribution += (seen.ngrams.values[position] ?? 0) * (model.ngram[index * model.K + option] ?? 0);
    });
    const value = { tokens: seen.units.length, known_ngrams: seen.ngrams.indices.length };
    traced.push({ field, kind: 'text_ngrams', value, contribution });
  }
  if (plan.text.encoder !== null) {
    const { dimensions, max_tokens: maxTokens } = plan.text.encoder;
    const contribution = sumSlots(shares, features.tabularSize, dimensions);
    const value = { tokens: Math.min(seen.ids.length, maxTokens - 2) };
    traced.push({ field, kind: 'text_embedding', value, contribution });
  }
  return traced;
}

/** Names the text fields of which the encoder does not see everything. */
export function listTruncatedFields(encoder: TextParts['encoder'], seen: ClassifierInput): string[] {
  if (seen.text === null) return [];
  const { text, parts, cut } = seen.text;
  if (encoder === null || seen.ids.length <= encoder.spec.max_tokens - 2) return cut;
  const { tokenizer, spec } = encoder;
  return parts.flatMap(({ field, end }, index) => {
    if (cut.includes(field)) return [field];
    // A field without any token after the cut lost nothing.
    const start = index === 0 ? 0 : (parts[index - 1]?.end ?? 0);
    const tokensUpToEnd = tokenizer.encode(text.slice(0, end)).length;
    return tokensUpToEnd > spec.max_tokens - 2 && tokenizer.encode(text.slice(start, end)).length > 0 ? [field] : [];
  });
}
