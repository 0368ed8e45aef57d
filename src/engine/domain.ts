/**
 * The nouns of the product: schemas in snake_case, with inferred types, for what crosses a border (REST, bundle, data
 * file), and plain types in camelCase inside.
 */
import { z } from 'zod';
import { limits } from './limits.ts';
import {
  intervalSchema,
  measuredShareSchema,
  reliabilityBinSchema,
  splitReportSchema,
  wholeDecisionSchema,
} from './measured.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A JSON object in a body, not walked again: bodies are read from JSON. */
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<
  JsonObject,
  { [key: string]: unknown }
>;

/** A string of `minLength` to `maxLength` characters, counted in code points as JSON Schema counts them. */
export function characters(minLength: 0 | 1, maxLength: number) {
  return z
    .string()
    .min(minLength)
    .check(({ value, issues }) => {
      if (value.length > maxLength && [...value].length > maxLength) {
        issues.push({ code: 'too_big', origin: 'string', maximum: maxLength, inclusive: true, input: value });
      }
    })
    .meta({ maxLength });
}

export const ruleSchema = z
  .strictObject({
    name: characters(1, limits.maxNameLength).describe('Shown in answers and log'),
    condition: characters(1, limits.maxConditionBytes).describe('A CEL expression over `ctx`, the input'),
    then: z.string().min(1).describe('One of the options'),
    reason_code: z.string().nullable().default(null).describe('One of the reason codes'),
    priority: z.int().min(1).default(100).describe('Lower numbers are evaluated first'),
  })
  .meta({ id: 'Rule' });
/** One hard rule: when `condition` holds for the input, `then` is the decision. Lower `priority` is evaluated first. */
export type Rule = z.infer<typeof ruleSchema>;

const confidenceSchema = z.number().min(0).max(1);
export const confidenceThresholdsSchema = z
  .strictObject({
    auto_decide: confidenceSchema.describe('Confidence from which the classifier decides alone'),
    escalation: confidenceSchema.describe('Confidence below which the decision is handed on'),
    by_option: z
      .record(z.string(), confidenceSchema)
      .refine((own) => Object.keys(own).length > 0, { message: 'must name an option, or be left out' })
      .meta({ minProperties: 1 })
      .optional()
      .describe('A higher `auto_decide` of single options'),
  })
  .refine((t) => t.escalation <= t.auto_decide, { message: 'escalation must not exceed auto_decide' })
  .describe('The confidences that separate deciding alone, a look and handing on');
/** From `auto_decide`, or an option's higher own, decided directly; below `escalation` the fallback decides. */
export type ConfidenceThresholds = z.infer<typeof confidenceThresholdsSchema>;
export const defaultThresholds: ConfidenceThresholds = { auto_decide: 0.85, escalation: 0.6 };

export const escalationPolicySchema = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Whether a connected model is asked below the thresholds'),
    between: z
      .enum(['flag', 'accept', 'fallback', 'escalate'])
      .default('flag')
      .describe('What becomes of a confidence between the thresholds'),
    connection: z.string().nullable().default(null).describe('Name of the model connection that is asked'),
    timeout_ms: z.int().min(100).max(60_000).default(10_000).describe('Wait for the connected model'),
    unfamiliar: z.enum(['escalate', 'ignore']).default('escalate').describe('What becomes of unfamiliar inputs'),
  })
  .describe('What happens to decisions of low confidence');
/** The handling of low-confidence decisions; `enabled` means that a connected model may be asked. */
export type EscalationPolicy = z.infer<typeof escalationPolicySchema>;

const areDistinct = (values: readonly string[]) => new Set(values).size === values.length;
/** A name that a person chooses: not only blanks. */
export const nameText = (maxLength: number) => characters(1, maxLength).regex(/[^ \t\n\r]/, 'must not be blank');

/** An option is a key of `class_probabilities` and of counts; keys are never `__proto__`. */
const toOption = (name: z.ZodString) =>
  name
    .refine((option) => option !== '__proto__', { message: 'an option may not be "__proto__"' })
    .meta({ not: { const: '__proto__' } });
const toOptions = (option: z.ZodString) =>
  z
    .array(option)
    .min(limits.minOptions)
    .max(limits.maxOptions)
    .refine(areDistinct, { message: 'options must be distinct' })
    .meta({ uniqueItems: true });
const toReasonCodes = (code: z.ZodString) =>
  z
    .array(code)
    .max(limits.maxReasonCodes)
    .refine(areDistinct, { message: 'reason codes must be distinct' })
    .meta({ uniqueItems: true });

/** Options and reason codes as they are stored and packed, which may be from before blank ones were refused. */
export const optionsSchema = toOptions(toOption(characters(1, limits.maxNameLength)));
export const reasonCodesSchema = toReasonCodes(characters(1, limits.maxNameLength));
/** Options and reason codes as a person enters them: none is blank. */
export const optionInputSchema = toOption(nameText(limits.maxNameLength));
export const optionsInputSchema = toOptions(optionInputSchema);
export const reasonCodesInputSchema = toReasonCodes(nameText(limits.maxNameLength));

/** Words of the rules language, and the one key that no JSON object can hold safely. */
const takenListNames = ['in', 'true', 'false', 'null', '__proto__'];
const listValue = z.union([
  characters(0, limits.maxNameLength).refine((text) => text.isWellFormed() && !text.includes('\0'), {
    error: 'must not hold NUL or half a surrogate pair',
  }),
  z.number(),
  z.boolean(),
]);
const listNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'a list is named by up to 64 letters, digits and _, no digit first')
  .refine((name) => !takenListNames.includes(name), { error: 'this word cannot name a list' });
export const namedListsSchema = z
  .record(listNameSchema, z.array(listValue).min(1).max(limits.maxListValues))
  .refine((lists) => Object.keys(lists).length <= limits.maxLists, { error: `at most ${limits.maxLists} lists` })
  .meta({ maxProperties: limits.maxLists })
  .describe('Values that conditions name: `… in lists.eu`');
/** Lists of values by name, which conditions of a type's rules refer to. */
export type NamedLists = z.infer<typeof namedListsSchema>;

const wordsSchema = z.array(characters(1, 60)).max(40);
const textBecomes = 'What a text becomes';
const missingWordsSchema = wordsSchema
  .optional()
  .describe('Words that say there is no value; left out: the usual ones');
/** How the texts of one field are read where they are not of its kind already. */
export const readingSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('number').describe(textBecomes),
      decimal: z.enum(['.', ',']).describe('The sign before the decimals'),
      unit: characters(0, 20)
        .optional()
        .describe('The only unit that a text may have, as it is written: € or %; left out: any'),
      missing: missingWordsSchema,
    }),
    z.strictObject({
      kind: z.literal('date').describe(textBecomes),
      order: z.enum(['day_first', 'month_first', 'year_first']).describe('ISO 8601 is read in any order'),
      missing: missingWordsSchema,
    }),
    z.strictObject({
      kind: z.literal('boolean').describe(textBecomes),
      yes: wordsSchema.optional().describe('Words for true, beside true; left out: the usual ones'),
      no: wordsSchema.optional().describe('Words for false, likewise'),
      missing: missingWordsSchema,
    }),
    z.strictObject({ kind: z.literal('text').describe(textBecomes), missing: missingWordsSchema }),
  ])
  .meta({ id: 'Reading' });
export type Reading = z.infer<typeof readingSchema>;

export const readingsSchema = z
  .record(
    characters(1, limits.maxReadingNameLength).refine((name) => !name.split('.').includes('__proto__'), {
      error: 'this name is not allowed',
    }),
    readingSchema,
  )
  .refine((readings) => JSON.stringify(readings).length <= limits.maxReadingsCharacters, {
    error: `take more than ${limits.maxReadingsCharacters} characters in all`,
  })
  .describe('How texts of fields, by dot paths, become numbers, dates, yes or no: as in the file they came from');
/** The readings of a type's fields, by the names of the columns that they were: dots nest. */
export type Readings = z.infer<typeof readingsSchema>;

/** The part of a decision type that decides; a change of it makes a new immutable version. */
export const definitionSchema = z.strictObject({
  options: optionsSchema,
  reason_codes: reasonCodesSchema,
  hard_rules: z.array(ruleSchema).max(limits.maxRules),
  lists: namedListsSchema.default({}),
  readings: readingsSchema.default({}),
  input_schema: jsonObject.nullable(),
  confidence_thresholds: confidenceThresholdsSchema,
  escalation_policy: escalationPolicySchema,
});
export type Definition = z.infer<typeof definitionSchema>;

/** Where a row is from: a person, a teacher, or a corrected live decision, which is not a random one. */
export type RowSource = 'user' | 'synthetic' | 'correction';

export type TrainingExample = {
  id: string;
  input: JsonObject;
  decision: string | null;
  /** The label that it is measured by where it is held out; left out or null: its decision. */
  firstDecision?: string | null;
  reasonCodes: string[];
  source: RowSource;
  /** Whether the analyst marked it as a test row: it is measured on and never learned from. Left out: no. */
  test?: boolean;
  /** Whether it is left to a rule: only the whole decision is measured on it. Left out: no. */
  ruled?: boolean;
};

/** The kind of inputs that the golden decisions of a bundle are made of. */
export const goldenInputKinds = ['synthetic', 'examples'] as const;

const trainedRows = ['all', 'left_by_rules'] as const;
const rareOptionModes = ['refuse', 'set_aside', 'fallback'] as const;

export const trainingConfigSchema = z
  .strictObject({
    augment: z.boolean().default(false).describe('Fill up the training side with varied copies'),
    augment_target_size: z
      .int()
      .min(1)
      .max(limits.maxExamples)
      .nullable()
      .default(null)
      .describe('Rows to reach with augment'),
    auto_generate: z.boolean().default(false).describe('Have the teacher fill up options with too few examples'),
    min_per_option: z
      .int()
      .min(limits.leastExamplesPerOption)
      .max(1_000)
      .default(limits.minExamplesPerOption)
      .describe('Labelled examples from which an option is learned'),
    rare_options: z
      .enum(rareOptionModes)
      .default('refuse')
      .describe(
        'Options with fewer: `refuse` the training, `set_aside` their examples, or learn them as one that is never decided, whose inputs end in the `fallback`',
      ),
    train_on: z
      .enum(trainedRows)
      .default('all')
      .describe('Learn from all examples, or from those that no hard rule decides: the classifier meets no others'),
    tune_hyperparams: z.boolean().default(true).describe('Choose the settings of the classifier by trials'),
    n_tuning_trials: z.int().min(1).max(200).default(20).describe('Trials of tune_hyperparams'),
    target_f1: z.number().min(0).max(1).nullable().default(null).describe('Least macro F1 for a deployment; null: any'),
    auto_deploy: z
      .boolean()
      .default(true)
      .describe('Deploy the policy when it is done and good enough: needs the scope deploy, too'),
    escalation_threshold: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .default(null)
      .describe('Threshold of escalation of this policy; null: that of the type'),
    refit: z.boolean().default(true).describe('Fit the measured model again on all examples'),
    slice_gate: z
      .strictObject({
        max_error: z.number().min(0).max(1).describe('Greatest share of a part that is decided alone and wrongly'),
        min_rows: z.int().min(10).max(100_000).default(30).describe('Rows that a part must have'),
      })
      .nullable()
      .default(null)
      .describe('What no part of the held-out rows, by one field or two, may exceed for a deployment'),
    tune_encoder: z
      .union([z.literal('auto'), z.boolean()])
      .default('auto')
      .describe(
        'Tunes the text model on the examples, for minutes, taken where better: `true` before the policy is there; `auto` in the background after it, where that leaves room',
      ),
    tuning_tokens: z
      .int()
      .min(10_000)
      .max(10_000_000)
      .default(400_000)
      .describe('Tokens that tuning may go through, over all steps; 400,000 take about three minutes on two cores'),
    seed: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .nullable()
      .default(null)
      .describe('What all chance in the training follows from; null: the digest of the examples'),
    golden_inputs: z
      .enum(goldenInputKinds)
      .default('synthetic')
      .describe('What a bundle tests itself by: inputs made up of what five examples share, or examples as they are'),
  })
  .meta({ id: 'TrainingConfig' });
export type TrainingConfig = z.infer<typeof trainingConfigSchema>;

/** Stages of a training run in their order, with the name that is shown. */
export const trainingStages = [
  { stage: 'generate', name: 'Generate examples' },
  { stage: 'prepare', name: 'Prepare data' },
  { stage: 'features', name: 'Learn features' },
  { stage: 'text_model', name: 'Fit text model' },
  { stage: 'classifier', name: 'Train classifier' },
  { stage: 'evaluate', name: 'Evaluate' },
  { stage: 'package', name: 'Compile and package' },
] as const;
export type TrainingStage = (typeof trainingStages)[number]['stage'];

export const policyStatuses = [
  'training',
  'stopping',
  'cancelling',
  'cancelled',
  'trained',
  'deployed',
  'failed',
] as const;
export type PolicyStatus = (typeof policyStatuses)[number];

/** The statuses of a policy whose training has not ended: it holds the training slot of its organisation. */
export const inProgressStatuses = ['training', 'stopping', 'cancelling'] as const satisfies readonly PolicyStatus[];

/** Whether a training is still under way in this status. */
export function isInProgress(status: PolicyStatus): boolean {
  return (inProgressStatuses as readonly PolicyStatus[]).includes(status);
}

const familiarityEffectSchema = z.object({
  checks: z.array(z.enum(['words', 'embedding', 'nearest', 'fields'])),
  target_loss: z.number().describe('The share of inputs like the examples that the limits are set to lose'),
  flagged: z.number().describe('The share of held-out rows called unfamiliar'),
  accuracy_familiar: z.number().nullable().describe('Of the classifier on the other rows'),
  accuracy_unfamiliar: z.number().nullable(),
  probes_tried: z.int().describe('Texts that have nothing to do with the type'),
  probes_noticed: z.int().describe('How many of them are noticed'),
  near: measuredShareSchema
    .nullable()
    .default(null)
    .describe(
      'Examples of options that were left out of learning, and how many of them are noticed; null below four options',
    ),
  far: measuredShareSchema
    .nullable()
    .default(null)
    .describe('The same of the texts that have nothing to do with the type; null without text'),
  sentence: z.string(),
});
export type FamiliarityEffect = z.infer<typeof familiarityEffectSchema>;

const learningCurveSchema = z.object({
  points: z.array(z.object({ share: z.number(), train_size: z.int(), accuracy: z.number(), macro_f1: z.number() })),
  /** Advice for each option: more examples, nothing, or a clearer difference from the others. */
  advice: z.array(
    z.object({ option: z.string(), advice: z.enum(['more', 'enough', 'separate']), sentence: z.string() }),
  ),
});
export type LearningCurve = z.infer<typeof learningCurveSchema>;

const fittedTextSchema = z.object({
  accuracy: z.number(),
  accuracy_interval: intervalSchema,
  log_loss: z.number(),
  log_loss_interval: intervalSchema,
});
const textTuningSchema = z.object({
  chosen: z.enum(['frozen', 'tuned']),
  rows: z.int().describe('Training rows that were tuned on in the end'),
  held_rows: z.int().describe('Rows of the folds on which both encoders were compared'),
  frozen: fittedTextSchema,
  tuned: fittedTextSchema,
  seconds: z.number().describe('What the tuning took; like latencies it differs from run to run'),
  steps: z.int(),
  loss_curve: z
    .array(z.object({ step: z.int(), training_loss: z.number(), held_loss: z.number() }))
    .describe(
      'Mean losses after every epoch of the first fold: of its steps, contrastive part included, and of its held-out rows',
    ),
});

const rareOptionsReportSchema = z.object({
  mode: z.enum(['set_aside', 'fallback']),
  min_per_option: z.int(),
  options: z.array(z.string()),
  examples: z.int().describe('Their labelled examples'),
  labelled: z.int().describe('The labelled examples of all options'),
  held_out: z
    .object({ rows: z.int(), handed_on: z.int(), right_by_rule: z.int(), wrong_alone: z.int() })
    .describe('What becomes of their held-out rows'),
  sentence: z.string(),
});

/** The classifier's choice, or the whole decision, wrong where it stands alone and is not right. */
export const judgedParts = ['classifier', 'whole_decision'] as const;
export type JudgedPart = (typeof judgedParts)[number];

export const metricsSchema = z
  .object({
    accuracy: z.number().describe('Of the classifier alone, on the held-out rows; `whole` judges the whole decision'),
    macro_f1: z.number().describe('Of the classifier alone'),
    macro_precision: z.number(),
    macro_recall: z.number(),
    per_class: z
      .record(z.string(), z.record(z.string(), z.number()))
      .describe('Precision, recall, F1 and rows of each option'),
    confusion_matrix: z.array(z.array(z.int())).describe('Rows: the right option; columns: the chosen one'),
    confusion_labels: z.array(z.string()).describe('The options in the order of the matrix'),
    train_size: z.int().describe('Rows learned from'),
    test_size: z.int().describe('Rows held out'),
    feature_count: z.int(),
    split: splitReportSchema.nullable().default(null).describe('Null for policies of earlier versions'),
    accuracy_interval: intervalSchema.nullable().default(null).describe("95 %, Wilson's, on the held-out rows"),
    macro_f1_interval: intervalSchema.nullable().default(null).describe('95 %, by a bootstrap'),
    log_loss_before: z.number().nullable().default(null).describe('Before calibration'),
    log_loss: z.number().describe('After calibration'),
    ece_before: z
      .number()
      .nullable()
      .describe('Expected calibration error; null where fewer than 200 rows were measured: there it is mostly noise'),
    ece: z.number().nullable().describe('Expected calibration error after calibration; null below 200 rows'),
    reliability: z.array(reliabilityBinSchema).default([]),
    whole: wholeDecisionSchema
      .nullable()
      .default(null)
      .describe(
        'The whole decision on the held-out rows, with the settings of the training; null for earlier policies',
      ),
    escalation_estimate: z.number().describe('The share of decisions that would be handed on, rules included'),
    latency_estimate_p50_ms: z.number().describe('Half of the decisions take at most this long'),
    latency_estimate_p95_ms: z.number().describe('95 of 100 take at most this long'),
    risk_coverage: z
      .array(z.object({ threshold: z.number(), coverage: z.number(), error: z.number() }))
      .describe('For each threshold: share of rows decided at or above it, and the error among those'),
    /** The lowest threshold that promises the error with 95 % certainty, or null; all bounds hold at once. */
    suggested_thresholds: z
      .array(
        z.object({
          target_error: z.number(),
          threshold: z.number().nullable(),
          coverage: z.number(),
          error: z.number(),
          error_interval: intervalSchema,
        }),
      )
      .default([]),
    rare_options: rareOptionsReportSchema
      .nullable()
      .default(null)
      .describe(
        'The options that were left to a person, and what becomes of their held-out rows; null where all were learned',
      ),
    left_to_rules: z
      .object({
        examples: z.int().describe('Labelled examples that a rule decides'),
        held_out: z.int().describe('How many of them are held out: only the whole decision is measured on these'),
        sentence: z.string(),
      })
      .nullable()
      .default(null)
      .describe('What `train_on` left to the rules; null where all examples were learned'),
    text_tuning: textTuningSchema
      .nullable()
      .default(null)
      .describe('What tuning the text model brought; null where it was not tried'),
    learning_curve: learningCurveSchema
      .nullable()
      .default(null)
      .describe('Null until `follow_up` is done, and of a tuned text model'),
    follow_up: z
      .object({
        state: z.enum(['pending', 'done', 'ended']),
        sentence: z.string(),
        expected_wrong: z
          .int()
          .nullable()
          .default(null)
          .describe(
            'About so many of the labels are wrong; null where they are not checked, where the models err on over a fifth of the examples and cannot tell, or where earlier versions checked',
          ),
      })
      .nullable()
      .default(null)
      .describe(
        'Learning curve and checks of labels, computed after the training: pending, done, or ended by another training or the end of the program; null for policies of earlier versions',
      ),
    familiarity: familiarityEffectSchema
      .nullable()
      .default(null)
      .describe('What noticing unfamiliar inputs does to the held-out rows; null where the policy cannot notice them'),
    weak_parts: z
      .array(z.object({ description: z.string(), fields: z.array(z.string()), rows: z.int(), errors: z.int() }))
      .nullable()
      .default(null)
      .describe(
        'Parts of the held-out rows that were certainly worse than the others after the training, the worst first; null where none were searched',
      ),
    /** Whether the gate on weak parts of the rows was met; null without one. */
    slice_gate: z
      .object({
        judged: z
          .enum(judgedParts)
          .default('classifier')
          .describe('What was judged: the whole decision, and the classifier alone in policies of earlier programs'),
        max_error: z.number(),
        min_rows: z.int(),
        met: z.boolean(),
        tested: z.int().describe('Parts that were tried'),
        worst: z.object({ description: z.string(), rows: z.int(), errors: z.int(), error_rate: z.number() }).nullable(),
        sentence: z.string(),
      })
      .nullable()
      .default(null),
    better_than: z
      .object({
        policy_version: z.string(),
        rows: z.int(),
        right: z.int(),
        right_before: z.int(),
        sentence: z.string(),
      })
      .nullable()
      .default(null)
      .describe(
        'The policy that this one `follows`, on the rows that both have held out and those on which their text models were compared; null unless it was tuned in the background',
      ),
    /** The policy and the one deployed when it was done, on rows held out of both; null without such rows. */
    compared_with_deployed: z
      .object({
        policy_version: z.string(),
        rows: z.int(),
        right: z.int(),
        right_deployed: z.int(),
        macro_f1: z.number(),
        macro_f1_deployed: z.number(),
      })
      .nullable()
      .default(null)
      .describe('What target_f1 is held against where a policy is deployed and both have held out 30 rows or more'),
    notes: z
      .array(z.string())
      .describe('Plain sentences about the run: fields left out and why, texts cut, what the text model uses'),
    augmentation: z.object({
      status: z.string(),
      original_count: z.int(),
      augmented_count: z.int(),
      target_size: z.int(),
      failure_reason: z.string(),
      per_class_counts: z.record(z.string(), z.int()),
    }),
    auto_generation: z.object({
      status: z.string(),
      generated_count: z.int(),
      original_count: z.int(),
      minimum_required: z.int(),
    }),
  })
  .meta({ id: 'Metrics' });
export type Metrics = z.infer<typeof metricsSchema>;

export const pendingFollowUp = {
  state: 'pending',
  sentence: 'Still being computed: which labels are suspect, and whether more examples would help.',
  expected_wrong: null,
} as const satisfies Metrics['follow_up'];
export const endedFollowUp = {
  state: 'ended',
  sentence:
    'Another training began, or the program was closed, before it was known which labels are suspect and whether more examples would help.',
  expected_wrong: null,
} as const satisfies Metrics['follow_up'];

export const stages = ['rules', 'classifier', 'escalation', 'fallback'] as const;
export type Stage = (typeof stages)[number];

/** The outcome of one rule for one input. `values` holds the sub-expressions that settled it, in source order. */
const ruleTraceSchema = z.object({
  name: z.string(),
  outcome: z.enum(['matched', 'not_matched', 'error', 'not_reached']),
  error: z.string().nullable(),
  values: z.array(z.object({ expression: z.string(), value: z.unknown() })),
});
export type RuleTrace = z.infer<typeof ruleTraceSchema>;

export const decisionTraceSchema = z.object({
  rules: z.array(ruleTraceSchema),
  features: z.array(z.object({ field: z.string(), kind: z.string(), value: z.unknown(), contribution: z.number() })),
  thresholds: confidenceThresholdsSchema.nullable(),
  stage_ms: z.record(z.string(), z.number()),
  truncated: z.array(z.string()).describe("Names of the text fields that were cut to the encoder's length"),
  reasons: z
    .array(z.object({ code: z.string(), probability: z.number() }))
    .describe('Probability of every reason code that has a head of its own'),
  /** The comparison of the input with the examples; `outside` names fields beyond their range. */
  familiarity: z.array(
    z.object({
      check: z.enum(['words', 'embedding', 'nearest', 'fields']),
      score: z.number(),
      limit: z.number(),
      familiar: z.boolean(),
      outside: z.array(z.string()),
    }),
  ),
});
export type DecisionTrace = z.infer<typeof decisionTraceSchema>;

/** The answer of the decider; the server adds request_id and latency_ms. */
export const decisionSchema = z.object({
  decision: z.string().describe('One of the options'),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .describe(
      'The calibrated probability of the decision; 1 where a rule decided. Of a fallback or a connected model that of the classifier in its own choice: class_probabilities has the probability of the decision',
    ),
  reason_codes: z.array(z.string()).describe('Why, in codes of the type'),
  escalate: z.boolean().describe('Whether a person should look before it is acted on'),
  fallback_used: z.boolean().describe('Whether the fallback option answered'),
  rules_triggered: z.array(z.string()).describe('Names of the rules that decided'),
  policy_version: z.string().describe('The deployed policy, such as v3'),
  class_probabilities: z.record(z.string(), z.number()).describe('A probability for every option'),
  explanation: z.string().describe('Why, in a sentence'),
  stage: z.enum(stages).describe('The stage that produced the decision'),
  unfamiliar: z
    .boolean()
    .describe(
      'The input is unlike the examples that the policy learned from; it counts as below the escalation threshold',
    ),
});
export type Decision = z.infer<typeof decisionSchema>;
