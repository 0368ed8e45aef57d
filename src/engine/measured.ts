/** Figures and promises of the whole decision, as the wire and the metrics have them. */
import { z } from 'zod';
import { orNull } from './json.ts';

export const intervalSchema = z.object({ low: z.number(), high: z.number() });

/** How rows were held out, and whether the policy was `refitted` on all rows then. */
export const splitReportSchema = z.object({
  rule: z
    .enum(['hash', 'drawn', 'test_rows', 'date', 'group', 'column'])
    .describe(
      '`hash`: at random; `drawn`: where most rows came without a label, those labelled in the order of their random numbers, as the others may have been chosen, each left out in turn; `test_rows`: those that were marked; otherwise by `field`',
    ),
  field: orNull(
    z.string(),
    'By which date, group or column rows were held out; several fields together stand between “ + ”',
  ),
  found: z
    .boolean()
    .default(false)
    .describe(
      'Whether the examples said so: of new ones of the field, or later ones, the classifier is certainly less often right than of examples at random, so a person says which it will be asked about before it decides',
    ),
  one_case: z
    .string()
    .default('')
    .describe('What one case is, and how many there are, in a sentence; empty in earlier metrics'),
  sentence: z.string().default('').describe('What was held out; empty at random and of marked rows'),
  refitted: z.boolean(),
  near_duplicates: z
    .int()
    .describe('Held-out rows that equal a training row but for case, punctuation and the order of words'),
  near_duplicate_ids: z.array(z.string()),
  corrections: z
    .int()
    .default(0)
    .describe('Corrections of live decisions among the training rows; 0 in earlier metrics, which held some out'),
  corrections_held_out: z
    .int()
    .default(0)
    .describe('Corrections of live decisions among the held-out rows: those that the analyst marked as test rows'),
  near_repeats: z
    .int()
    .default(0)
    .describe('Rows that nearly repeat others: they stay together on one side and in one fold; 0 in earlier metrics'),
  put_aside: z
    .int()
    .default(0)
    .describe(
      'Rows that the held-out ones stand for as well and that were skipped, flagged or, while they were offered, deleted without a label: they count against every figure, and intervals hold whatever their labels are',
    ),
});

/** Facts that belong to a policy's figures wherever they are quoted. */
export const cautionSchema = z.object({
  kind: z
    .enum(['gives_answer', 'known_when', 'known_late', 'labelled_differ', 'own_answers'])
    .describe(
      '`gives_answer`: a field alone tells the label of nearly all examples; `known_when`: a field that is no number tells it of all, or has a value with one answer alone, so a person says before the first release whether it is known before the decision; `known_late`: and those without a label lack it, so no figure is said; `labelled_differ`: those that came with their label are not like those that came without; `own_answers`: labels that seem to be what a policy answered, so no figure is said',
    ),
  field: z.string().nullable().default(null).describe('Of `known_when`'),
  sentence: z.string(),
});
export type Caution = z.infer<typeof cautionSchema>;

/** Rows of a tenth of confidence: their mean confidence beside how many are right, with its 95% interval. */
export const reliabilityBinSchema = z.object({
  low: z.number(),
  high: z.number(),
  count: z.int(),
  confidence: z.number(),
  accuracy: z.number(),
  accuracy_interval: intervalSchema,
});

/**
 * `count` of `of` rows; the share is null without rows. The interval has 95% confidence (Wilson). Where rows were put
 * aside without a label, `of` has them, the share counts them against the policy, and the interval holds either way.
 */
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
    rows: z.int().describe('Held-out rows that were decided'),
    missing: z
      .int()
      .describe('Held-out rows that do not count, because their example was deleted or its input changed since'),
    refused: z.int().describe('Held-out rows that the input schema refuses'),
    masked: z
      .int()
      .default(0)
      .describe('Decided rows of the log whose personal fields are masked, and count as missing; 0 in earlier metrics'),
    headline: z
      .string()
      .default('')
      .describe(
        'The figure to quote, in words: `accuracy` with its interval, beside the baseline, what `relabelled`, `taken_out` and `dropped` say, and the cautions of the policy; empty in earlier metrics',
      ),
    remarks: z
      .array(z.string())
      .default([])
      .describe('The sentences of the headline beyond figure, interval and baseline: what to know beside it'),
    accuracy: measuredShareSchema.describe(
      'Decisions that are right, automatic or not; where the rows were chosen and are certainly easier than others, of the classifier on rows held out at random',
    ),
    automatic: measuredShareSchema.describe('Decided alone: by a rule, or by the classifier with enough confidence'),
    by_rule: measuredShareSchema,
    error_automatic: measuredShareSchema.describe('Wrong ones among those decided alone'),
    escalated: measuredShareSchema.describe('Handed on: flagged, put to a connected model, answered by the fallback'),
    fallback: measuredShareSchema.describe('Answered by the fallback option'),
    baseline: orNull(
      z.object({
        option: z.string().describe('The commonest right answer among these rows'),
        accuracy: measuredShareSchema.describe('Right where always this option were the answer'),
        rules_alone: measuredShareSchema
          .nullable()
          .describe('Right with the rules, and the fallback option for what none decides; null where no rule decides'),
      }),
      'What is reached on the same rows without the classifier; null without rows, and in earlier metrics',
    ),
    relabelled: orNull(
      z.object({
        rows: z.int(),
        accuracy: measuredShareSchema.describe('Right by current labels; every other figure goes by the first ones'),
        sentence: z.string(),
      }),
      "Rows whose label was changed after a model's doubt, or with many others once there was a model: they are measured by their first label; null without any",
    ),
    taken_out: orNull(
      z.object({ rows: z.int(), wrong: z.int(), sentence: z.string() }),
      'Earlier held-out rows that were removed, edited or unlabelled, wrong ones certainly more often than right ones: they count in every figure, by what the model of then answered to them; null without any',
    ),
    dropped: orNull(
      z.object({ rows: z.int(), sentence: z.string() }),
      'Inputs that this policy or an earlier one got wrong while held out, and on which it is not measured any more: deleted, changed, without a label or no test row; null without any',
    ),
    sentence: z.string(),
  })
  .meta({ id: 'WholeDecision' });
export type WholeDecision = z.infer<typeof wholeDecisionSchema>;

export const auditFigureSchema = z
  .object({
    judged: z.int(),
    wrong: z.int(),
    passed_over: z.int().describe('Shown before the last judgement and left without one; wrong in the upper bound'),
    share: z.number().nullable().describe('Wrong among judged; null before the first judgement'),
    low: z.number(),
    high: z.number().describe('low to high hold at every moment together with 95% certainty'),
  })
  .meta({ id: 'AuditFigure' });
export type AuditFigure = z.infer<typeof auditFigureSchema>;

const effectPartSchema = z.object({
  accuracy: measuredShareSchema,
  automatic: measuredShareSchema,
  error_automatic: measuredShareSchema,
  cost_per_1000: z.number().nullable().describe('In the currency of the type; null where its costs are not known'),
});

const ruleEffectSchema = z
  .object({
    name: z.string().describe('Of the rule'),
    rows: z.int().describe('Held-out rows that it decides'),
    right: z.int().describe('Those that it decides correctly'),
    right_without: z
      .int()
      .nullable()
      .describe('Those decided correctly without it; null, as what follows, where finding out takes too long'),
    points: z.number().nullable().describe('Percentage points of correct decisions that it adds, of all rows'),
    cost_per_1000: z
      .number()
      .nullable()
      .describe('What it adds to the cost of 1,000 decisions, below 0: it saves; null also without costs'),
  })
  .meta({ id: 'RuleEffect' });
export type RuleEffect = z.infer<typeof ruleEffectSchema>;

/** Other rules in place of the current ones, on the same held-out rows. */
export const rulesEffectSchema = z
  .object({
    verdict: z
      .enum(['better', 'worse', 'not_shown', 'unchanged'])
      .describe(
        '`better` or `worse`: more, or fewer, rows are right, and chance alone seldom does as much; `not_shown`: it may; `unchanged`: every row is decided as before',
      ),
    rows: z.int().describe('Held-out rows that were decided by both'),
    masked: z.int().describe('Those in which personal fields are masked, which count as missing'),
    refused: z.int().describe('Held-out rows beyond these that only the given input schema refuses'),
    before: effectPartSchema.describe('With the current rules'),
    after: effectPartSchema.describe('With the given rules'),
    saving: intervalSchema
      .extend({ per_1000: z.number() })
      .nullable()
      .describe('What 1,000 decisions cost less, with its 95% interval; below 0: more. null as `cost_per_1000`'),
    only_before_right: z.int(),
    only_after_right: z.int(),
    p_value: z.number().describe("Of McNemar's exact test, two-sided"),
    sentence: z.string(),
    rules: z
      .array(ruleEffectSchema)
      .default([])
      .describe('Of the given rules each that decides, in their order; empty where policies are compared'),
  })
  .meta({ id: 'RulesEffect' });
export type RulesEffect = z.infer<typeof rulesEffectSchema>;

const share = z.number().min(0).max(1);
/** Target and certainty as they are asked for. */
export const promiseTermsSchema = z.strictObject({
  target_error: z.number().min(0.0001).max(0.5).describe('The error among automatic decisions that is to be promised'),
  certainty: z.number().min(0.5).max(0.9999).default(0.95).describe('Of the bound'),
});
export type PromiseTerms = z.infer<typeof promiseTermsSchema>;

/** Whether target and certainty were declared before the rows were looked at, or are one try of many on them. */
const promiseBasisSchema = z.enum(['declared', 'explored']);

export const promiseFindingSchema = z
  .object({
    possible: z.boolean(),
    basis: promiseBasisSchema.describe(
      '`declared`: the target of the type, declared before the policy was measured, tested with the whole risk. `explored`: any other one, with wider bounds that hold for all targets at once',
    ),
    target_error: share,
    certainty: share,
    option: z.string().nullable(),
    threshold: share.nullable().describe('The least confidence from which the classifier may decide alone'),
    share_automatic: share.nullable(),
    error_observed: share.nullable(),
    error_bound: share
      .nullable()
      .describe('The error is at most this, with the certainty; where explored, at every threshold at once'),
    rows: z.int().describe('Held-out rows that were decided'),
    rows_needed: z
      .int()
      .nullable()
      .describe(
        'Held-out rows that it would take, with errors as often as among those there are: these where it is possible, else more; null where no number would do',
      ),
    measured_on: z
      .enum(['the_policy', 'before_refit'])
      .describe('Whether the policy itself was measured, or its model before it was fitted again on all examples'),
    sentence: z.string(),
  })
  .meta({ id: 'PromiseFinding' });
export type PromiseFinding = z.infer<typeof promiseFindingSchema>;

/** The promise declared for a type, whichever policy decides. `declared_at` is ISO 8601. */
export const declaredPromiseSchema = z.object({ target_error: share, certainty: share, declared_at: z.string() });
export type DeclaredPromise = z.infer<typeof declaredPromiseSchema>;

/** A promise as it is kept with a policy: what was found when it was made. `made_at` is ISO 8601. */
export const keptPromiseSchema = z.object({
  target_error: share,
  certainty: share,
  basis: promiseBasisSchema.default('explored').describe('Promises of earlier versions were explored'),
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

/** A kept promise beside what the current rules and thresholds do to the held-out rows, and what corrections say. */
export const promiseStatusSchema = keptPromiseSchema
  .extend({
    state: z
      .enum(promiseStates)
      .describe('`kept`: the bound is within the target. `broken`: the held-out rows exceed it. `unknown`: neither'),
    now: z.object({
      share_automatic: share.nullable(),
      error_observed: share.nullable(),
      error_bound: share,
      rows: z.int(),
    }),
    live: z
      .object({
        checked: z.int(),
        wrong: z.int(),
        error_bound: share.nullable().describe('A bound from a sample of them; null where none was drawn'),
      })
      .describe(
        'Automatic decisions of the policy that somebody has corrected or confirmed since: counts, no sample. People look at doubtful ones first, so they say nothing of a rate',
      ),
    sentence: z.string(),
  })
  .meta({ id: 'PromiseStatus' });
export type PromiseStatus = z.infer<typeof promiseStatusSchema>;

/** How the promise of its type stands with one policy, in a word and a sentence. */
export const promiseStandingSchema = z
  .object({
    state: z
      .enum(['kept', 'not_kept', 'nothing_promised'])
      .describe('`kept`: with the certainty that was declared, under the current rules and thresholds'),
    sentence: z.string(),
  })
  .meta({ id: 'PromiseStanding' });
export type PromiseStanding = z.infer<typeof promiseStandingSchema>;

/** The same words wherever a policy, page or document has no promise. */
export const nothingPromised = {
  state: 'nothing_promised',
  sentence: 'No error limit is promised.',
} as const satisfies PromiseStanding;

/** The kinds of points that hold a release, whoever makes it. A missed gate only leaves the deployment to a person. */
export const holdKinds = ['split', 'answers', 'must', 'promise', 'worse', 'groups'] as const;

/** The points for and against a policy that is to decide. */
export const verdictSchema = z
  .array(
    z.object({
      kind: z
        .enum([
          'split',
          'answers',
          'report',
          'gate',
          'promise',
          'must',
          'worse',
          'weak_parts',
          'groups',
          'comparison',
          'availability',
          'retraining',
        ])
        .describe(
          '`split`: what it will be asked about, where examples at random are certainly easier than new ones (`one_case` of the type is the answer), or whether rows held out in another way give a lower figure; `answers`: why no figure is known, as labels may be answers of a policy, or a field is known with the answer alone; `report`: what is not known yet while that of its training is not complete (`metrics.follow_up`); `gate`: the F1 that its training asked for; `promise`: that of its type; `must`: its pinned cases; `worse`: certainly worse on unseen examples than what decides now; `weak_parts`: where it was certainly worse; `groups`: whether groups that must not be harmed are, by the `groups` of the type; `comparison`: with the policy that decided when it was made; `availability`: of a deployed one; `retraining`: why it should be trained again',
        ),
      state: z
        .enum(['passed', 'warning', 'blocking'])
        .describe(
          `\`blocking\`: no training deploys it by itself, or it cannot decide now; where the kind is one of ${holdKinds.join(', ')}, a release also asks for a reason`,
        ),
      sentence: z.string(),
    }),
  )
  .meta({ id: 'Verdict' });
export type Verdict = z.infer<typeof verdictSchema>;

/** The promise of a type, and whether its policy keeps it; nulls where nothing is promised. */
export const typePromiseSchema = z
  .object({
    target_error: share.nullable(),
    certainty: share.nullable(),
    declared_at: z.string().nullable().describe('ISO 8601'),
    policy_id: z.string().nullable().describe('The deployed policy'),
    state: z.enum([...promiseStandingSchema.shape.state.options, 'nothing_deployed']),
    sentence: z.string(),
  })
  .meta({ id: 'TypePromise' });
export type TypePromise = z.infer<typeof typePromiseSchema>;
