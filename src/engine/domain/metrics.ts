/** Everything that a training measured of its policy. */
import { z } from 'zod';
import { orNull } from '../json.ts';
import {
  cautionSchema,
  intervalSchema,
  measuredShareSchema,
  reliabilityBinSchema,
  splitReportSchema,
  wholeDecisionSchema,
} from '../measured.ts';
import { atRandom, type SplitWay, splitSchema, splitWays } from './training.ts';

const familiarityEffectSchema = z.object({
  checks: z.array(z.enum(['words', 'embedding', 'nearest', 'fields'])),
  target_loss: z.number().describe('The share of inputs like the examples that the limits are set to lose'),
  flagged: z.number().describe('The share of held-out rows called unfamiliar'),
  accuracy_familiar: z.number().nullable().describe('Of the classifier on the other rows'),
  accuracy_unfamiliar: z.number().nullable(),
  probes_tried: z.int().describe('Texts that have nothing to do with the type'),
  probes_noticed: z.int().describe('How many of them are noticed'),
  near: orNull(
    measuredShareSchema,
    'Examples of options left out of learning, and how many are noticed; null below four options',
  ),
  far: orNull(measuredShareSchema, 'The same of the texts that have nothing to do with the type; null without text'),
  sentence: z.string(),
});
export type FamiliarityEffect = z.infer<typeof familiarityEffectSchema>;

const learningCurveSchema = z.object({
  points: z.array(z.object({ share: z.number(), train_size: z.int(), accuracy: z.number(), macro_f1: z.number() })),
  /** Advice for each option: more examples, nothing, or a clearer difference from the others. */
  advice: z.array(
    z.object({ option: z.string(), advice: z.enum(['more', 'enough', 'separate']), sentence: z.string() }),
  ),
  forecast: orNull(
    z.object({ labels: z.int(), gain: z.number(), low: z.number(), high: z.number(), sentence: z.string() }),
    'The share that more labels would add to the accuracy of the classifier, with its 95% interval; null below 60 labels or 20 measured rows',
  ),
});
export type LearningCurve = z.infer<typeof learningCurveSchema>;

const fittedTextSchema = z.object({
  accuracy: z.number(),
  accuracy_interval: intervalSchema,
  log_loss: z.number(),
  log_loss_interval: intervalSchema,
});
const textModelTrialSchema = z.object({
  /** `words`, or the name of a text model. */
  text_model: z.string(),
  rows: z.int().describe('Examples it is judged on, each by a fit that had not seen it'),
  accuracy: z.number(),
  log_loss: z.number(),
  encode_ms: z.number().describe('To read one text'),
  size_mb: z.number().describe('Of its files, which a bundle carries'),
  chosen: z.boolean(),
});
export type TextModelTrial = z.infer<typeof textModelTrialSchema>;

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
    .describe('Mean losses after every epoch of the first fold: of its steps (contrastive part too) and held-out rows'),
});

const rareOptionsReportSchema = z.object({
  mode: z.enum(['learn', 'set_aside', 'fallback']),
  min_per_option: z.int(),
  options: z.array(z.string()).describe('Those that were not learned'),
  few: z.array(z.string()).default([]).describe('Those that were learned and are never decided alone'),
  examples: z.int().describe('The labelled examples of both'),
  labelled: z.int().describe('The labelled examples of all options'),
  held_out: z
    .object({ rows: z.int(), handed_on: z.int(), right_by_rule: z.int(), wrong_alone: z.int() })
    .describe('What becomes of their held-out rows'),
  minima: z
    .array(
      z.object({
        min_per_option: z.int().describe('Labelled examples from which an option would be decided alone'),
        accuracy: measuredShareSchema,
        automatic: measuredShareSchema,
        error_automatic: measuredShareSchema,
        chosen: z.boolean(),
      }),
    )
    .default([])
    .describe(
      'The minima that `measure` chose among, each with the figures of the whole decision on all held-out rows; empty without a choice',
    ),
  sentence: z.string(),
});

const otherWaySchema = z.object({
  split: splitSchema,
  accuracy: measuredShareSchema.describe('Of the same classifier, fitted without them, on rows held out so'),
  accuracy_as_measured: measuredShareSchema.describe('On the rows that the policy was measured on'),
  standing: z
    .enum(['lower', 'alike', 'higher'])
    .describe('`lower`, `higher`: by two points or more that are no chance (Fisher, 1%)'),
  sentence: z.string(),
});
export type OtherWay = z.infer<typeof otherWaySchema>;

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
    cautions: z.array(cautionSchema).default([]).describe('What belongs to the figures: the headline ends with it'),
    split: orNull(splitReportSchema, 'Null for policies of earlier versions'),
    accuracy_interval: orNull(intervalSchema, "95%, Wilson's, on the held-out rows; copies and near copies count once"),
    macro_f1_interval: orNull(intervalSchema, '95%, by a bootstrap'),
    log_loss_before: orNull(z.number(), 'Before calibration'),
    log_loss: z.number().describe('After calibration'),
    ece_before: z
      .number()
      .nullable()
      .describe('Expected calibration error; null where fewer than 200 rows were measured: there it is mostly noise'),
    ece: z.number().nullable().describe('Expected calibration error after calibration; null below 200 rows'),
    reliability: z.array(reliabilityBinSchema).default([]),
    whole: orNull(
      wholeDecisionSchema,
      'The whole decision on held-out rows, with the settings of the training; null for earlier policies',
    ),
    escalation_estimate: z.number().describe('The share of decisions that would be handed on, rules included'),
    latency_estimate_p50_ms: z.number().describe('Half of the decisions take at most this long'),
    latency_estimate_p95_ms: z.number().describe('95 of 100 take at most this long'),
    risk_coverage: z
      .array(z.object({ threshold: z.number(), coverage: z.number(), error: z.number() }))
      .describe('For each threshold: share of rows decided at or above it, and the error among those'),
    /** The threshold that decides most and promises the error with 95% certainty, or null; all bounds hold at once. */
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
    rare_options: orNull(
      rareOptionsReportSchema,
      'Options with few examples, and what becomes of their held-out rows; null where there are none',
    ),
    left_to_rules: orNull(
      z.object({
        examples: z.int().describe('Labelled examples that a rule decides'),
        held_out: z.int().describe('How many of them are held out: only the whole decision is measured on these'),
        sentence: z.string(),
      }),
      'What `train_on` left to the rules; null where all examples were learned',
    ),
    directions: z
      .array(
        z.object({
          field: z.string(),
          keyword: z.enum(['never_lowers', 'never_raises']),
          option: z.string(),
          sentence: z.string(),
        }),
      )
      .default([])
      .describe('What the classifier keeps of numbers for every input, as the input schema asked'),
    languages: orNull(
      z.array(z.object({ language: z.string().describe('ISO 639-1'), share: z.number() })),
      'Languages of at least 5% of the texts, the most frequent first; null without text',
    ),
    text_models: orNull(
      z.array(textModelTrialSchema),
      'What `auto` compared, the fastest first; null where there was no choice',
    ),
    text_tuning: orNull(textTuningSchema, 'What tuning the text model brought; null where it was not tried'),
    learning_curve: orNull(learningCurveSchema, 'Null until `follow_up` is done, and of a tuned text model'),
    follow_up: orNull(
      z.object({
        state: z.enum(['pending', 'done', 'ended']),
        sentence: z.string(),
        expected_wrong: orNull(
          z.int(),
          'About so many of the labels are wrong; null where they are not checked, where the models err on over a fifth of the examples and cannot tell, or where earlier versions checked',
        ),
      }),
      'Learning curve and checks of labels, computed after the training: pending, done, or ended by another training or the end of the program; null for policies of earlier versions',
    ),
    other_ways: orNull(
      z.array(otherWaySchema),
      'What the classifier reaches where rows are held out by a date or a group that the examples have, or at random; computed after the training, with a promise before its end; null where not, as of marked rows and of more than 20,000',
    ),
    hints: orNull(
      z.object({
        rows: z.int().describe('Rows without a label on which hints agreed: learned from, at a weight of 0.3'),
        measured: z
          .int()
          .describe('Rows that both were measured on; 0 until `follow_up` is done, and where none can be'),
        right: z.int().describe('How many a draft that learned from labels and hints has right'),
        right_without: z.int().describe('How many a draft that learned from labels alone has right'),
        each: z
          .array(
            z.object({
              name: z.string(),
              rows: z.int().describe('Rows that no other hint taught'),
              right_without: z.int().describe('How many a draft that did not learn these rows has right'),
            }),
          )
          .default([])
          .describe('What each hint adds, of at most ten; empty where nothing was measured'),
        sentence: z.string(),
      }),
      'What the hints among the rules brought; null without any',
    ),
    familiarity: orNull(
      familiarityEffectSchema,
      'What noticing unfamiliar inputs does to the held-out rows; null where the policy cannot notice them',
    ),
    weak_parts: orNull(
      z.array(z.object({ description: z.string(), fields: z.array(z.string()), rows: z.int(), errors: z.int() })),
      'Parts of the held-out rows that were certainly worse than the others after the training, the worst first; null where none were searched',
    ),
    better_than: orNull(
      z.object({
        policy_version: z.string(),
        rows: z.int(),
        right: z.int(),
        right_before: z.int(),
        sentence: z.string(),
      }),
      'The policy that this one `follows`, on the rows that both have held out and those on which their text models were compared; null unless it was tuned in the background',
    ),
    /** The policy and the one deployed when it was done, on rows held out of both; null without such rows. */
    compared_with_deployed: orNull(
      z.object({
        policy_version: z.string(),
        rows: z.int(),
        right: z.int(),
        right_deployed: z.int(),
        macro_f1: z.number(),
        macro_f1_deployed: z.number(),
      }),
      'What target_f1 is held against where a policy is deployed and both have held out 30 rows or more',
    ),
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
    'Other trainings began, or the program was closed, before it was known which labels are suspect and whether more examples would help.',
  expected_wrong: null,
} as const satisfies Metrics['follow_up'];

/** The way in which the rows of a policy were held out; marked and drawn ones count as at random. */
export function readWay(split: Metrics['split']): SplitWay {
  const by = splitWays.find((way) => way === split?.rule);
  return by === undefined || split?.field == null ? atRandom : { by, field: split.field };
}

/** The way to hold rows out on which a classifier does certainly worse than as it was measured, the worst; or null. */
export function findStricterWay(metrics: Metrics | null): OtherWay | null {
  const lower = metrics?.other_ways?.filter(({ standing }) => standing === 'lower') ?? [];
  return lower.sort((a, b) => (a.accuracy.share ?? 0) - (b.accuracy.share ?? 0))[0] ?? null;
}
