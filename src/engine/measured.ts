/** What is measured of the whole decision, and what is promised of it, as the wire and the metrics have it. */
import { z } from 'zod';

export const intervalSchema = z.object({ low: z.number(), high: z.number() });

/**
 * How rows were held out: by the hashes of their inputs, or as the analyst marked them. `refitted` says whether the
 * policy was fitted again on all rows after it was measured.
 */
export const splitReportSchema = z.object({
  rule: z.enum(['hash', 'test_rows']),
  refitted: z.boolean(),
  /** Held-out rows that equal a training row but for case, punctuation and the order of words; up to 100 ids. */
  near_duplicates: z.int(),
  near_duplicate_ids: z.array(z.string()),
});

/** Rows of a tenth of confidence: their mean confidence beside how many are right, with its 95 % interval. */
export const reliabilityBinSchema = z.object({
  low: z.number(),
  high: z.number(),
  count: z.int(),
  confidence: z.number(),
  accuracy: z.number(),
  accuracy_interval: intervalSchema,
});

/** `count` of `of` rows; the share is null without rows. The interval has 95 % confidence (Wilson). */
export const measuredShareSchema = z.object({
  count: z.int(),
  of: z.int(),
  share: z.number().nullable(),
  low: z.number(),
  high: z.number(),
});
export type MeasuredShare = z.infer<typeof measuredShareSchema>;

export const wholeDecisionSchema = z
  .object({
    /** Held-out rows that were decided. */
    rows: z.int(),
    /** Held-out rows that do not count, because their example was deleted or its input changed since. */
    missing: z.int(),
    /** Held-out rows that the input schema refuses. */
    refused: z.int(),
    accuracy: measuredShareSchema.describe('Decisions that are right, automatic or not'),
    automatic: measuredShareSchema.describe('Decided alone: by a rule, or by the classifier with enough confidence'),
    by_rule: measuredShareSchema,
    error_automatic: measuredShareSchema.describe('Wrong ones among those decided alone'),
    escalated: measuredShareSchema.describe(
      'Handed on: flagged, put to a connected model, or answered by the fallback',
    ),
    fallback: measuredShareSchema.describe('Answered by the fallback option'),
    sentence: z.string(),
  })
  .meta({ id: 'WholeDecision' });
export type WholeDecision = z.infer<typeof wholeDecisionSchema>;

const share = z.number().min(0).max(1);
/** Target and certainty as they are asked for. */
export const promiseTermsSchema = z.strictObject({
  target_error: z.number().min(0.0001).max(0.5).describe('The error among automatic decisions that is to be promised'),
  certainty: z.number().min(0.5).max(0.9999).default(0.95),
});
export type PromiseTerms = z.infer<typeof promiseTermsSchema>;

export const promiseFindingSchema = z
  .object({
    possible: z.boolean(),
    target_error: share,
    certainty: share,
    option: z.string().nullable(),
    threshold: share.nullable().describe('The least confidence from which the classifier may decide alone'),
    share_automatic: share.nullable(),
    error_observed: share.nullable(),
    error_bound: share.nullable().describe('The error is at most this, with the certainty, at every threshold at once'),
    rows: z.int().describe('Held-out rows that were decided'),
    rows_needed: z.int().describe('Rows decided alone without an error that would be enough'),
    measured_on: z
      .enum(['the_policy', 'before_refit'])
      .describe('Whether the policy itself was measured, or its model before it was fitted again on all examples'),
    sentence: z.string(),
  })
  .meta({ id: 'PromiseFinding' });
export type PromiseFinding = z.infer<typeof promiseFindingSchema>;

/** A promise as it is kept with a policy: what was found when it was made. `made_at` is ISO 8601. */
export const keptPromiseSchema = z.object({
  target_error: share,
  certainty: share,
  threshold: share,
  share_automatic: share,
  error_observed: share,
  error_bound: share,
  rows: z.int(),
  decision_type_version: z.int(),
  made_at: z.string(),
});
export type KeptPromise = z.infer<typeof keptPromiseSchema>;

const promiseStates = ['kept', 'broken', 'unknown'] as const;

/** A kept promise beside what rules and thresholds of now do to the held-out rows, and what corrections say. */
export const promiseStatusSchema = keptPromiseSchema
  .extend({
    state: z
      .enum(promiseStates)
      .describe(
        '`kept`: the bound is within the target. `broken`: the held-out rows themselves exceed it. `unknown`: neither',
      ),
    now: z.object({
      share_automatic: share.nullable(),
      error_observed: share.nullable(),
      error_bound: share,
      rows: z.int(),
    }),
    live: z
      .object({ checked: z.int(), wrong: z.int(), error_bound: share })
      .describe(
        'Automatic decisions of the policy that somebody has corrected or confirmed since; people look at doubtful ones first',
      ),
    sentence: z.string(),
  })
  .meta({ id: 'PromiseStatus' });
export type PromiseStatus = z.infer<typeof promiseStatusSchema>;
