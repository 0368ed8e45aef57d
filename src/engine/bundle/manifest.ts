/** What stands in a bundle: the entries' names, the manifest, reason codes and golden decisions. */
import { z } from 'zod';
import { classifierKinds } from '../classifiers/model.ts';
import type { Decision, JsonObject } from '../domain.ts';
import {
  confidenceThresholdsSchema,
  escalationPolicySchema,
  optionsSchema,
  reasonCodesSchema,
  stages,
} from '../domain.ts';

/** The newest bundle layout this product writes and reads. */
export const bundleFormatVersion = 1;

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');
/** Passes the parsed object through untouched: a copying schema would lose own keys such as `__proto__`. */
const rawObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

const fileFactsSchema = z.strictObject({ sha256: sha256Hex, size_bytes: z.int().min(0) });

/** `manifest.json`: what the bundle decides, by which settings, and the digest of every other entry. */
export const manifestSchema = z.strictObject({
  format_version: z.literal(bundleFormatVersion),
  tool_version: z.string(),
  decision_type: z.string(),
  version: z.int().min(1),
  policy_id: z.string(),
  policy_version: z.string(),
  options: optionsSchema,
  reason_codes: reasonCodesSchema,
  confidence_thresholds: confidenceThresholdsSchema,
  escalation_policy: escalationPolicySchema,
  fallback_option: z.string().nullable(),
  created_at: z.iso.datetime({ offset: true }),
  classifier: z.strictObject({ kind: z.enum(classifierKinds) }),
  /** null when the policy reads no text; `slim` when the text files are not inside. */
  text: z
    .strictObject({ encoder_sha256: sha256Hex.nullable(), tokenizer_sha256: sha256Hex, slim: z.boolean() })
    .nullable(),
  files: z.record(z.string(), fileFactsSchema),
});
export type Manifest = z.infer<typeof manifestSchema>;

/**
 * `reasons.json`: the reason codes that go with a classifier decision for each option, and the codes that have a head
 * in `reasons.onnx`, in the order of its outputs, with the options whose examples carry them.
 */
export const reasonsSchema = z.strictObject({
  by_option: z.record(z.string(), z.array(z.string())),
  heads: z.array(z.strictObject({ code: z.string(), options: z.array(z.string()) })).default([]),
});
export type Reasons = z.infer<typeof reasonsSchema>;

const goldenOutputSchema = z.strictObject({
  decision: z.string(),
  confidence: z.number(),
  stage: z.enum(stages),
  reason_codes: z.array(z.string()),
  rules_triggered: z.array(z.string()),
  fallback_used: z.boolean(),
  escalate: z.boolean(),
  unfamiliar: z.boolean().default(false),
  class_probabilities: z.record(z.string(), z.number()),
});
/** One line of `golden.jsonl`: an input and the decision that every implementation must give for it. */
export const goldenSchema = z.strictObject({ input: rawObject, output: goldenOutputSchema });
export type Golden = z.infer<typeof goldenSchema>;
export type GoldenOutput = Golden['output'];

/** The part of a decision that a golden line pins down. */
export function toGoldenOutput(decision: Decision): GoldenOutput {
  return {
    decision: decision.decision,
    confidence: decision.confidence,
    stage: decision.stage,
    reason_codes: [...decision.reason_codes],
    rules_triggered: [...decision.rules_triggered],
    fallback_used: decision.fallback_used,
    escalate: decision.escalate,
    unfamiliar: decision.unfamiliar,
    class_probabilities: { ...decision.class_probabilities },
  };
}

/** Names that may occur in a bundle, in the order in which they are written. */
export const entryNames = [
  'manifest.json',
  'rules.json',
  'features.json',
  'classifier.onnx',
  'reasons.json',
  'reasons.onnx',
  'familiarity.json',
  'input_schema.json',
  'golden.jsonl',
  'model-card.md',
  'LICENSES',
  'text/tokenizer.json',
  'text/encoder.int8.onnx',
] as const;
export type EntryName = (typeof entryNames)[number];

/** Entries that every bundle has. */
export const requiredEntries: readonly EntryName[] = [
  'manifest.json',
  'rules.json',
  'features.json',
  'classifier.onnx',
  'reasons.json',
  'golden.jsonl',
  'model-card.md',
  'LICENSES',
];
