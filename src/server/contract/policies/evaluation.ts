/** The decisions of trained policies on their held-out examples. */
import { z } from 'zod';
import { decisionSchema, stages } from '../../../engine/domain/decision.ts';
import { confidenceThresholdsSchema } from '../../../engine/domain/definition.ts';
import { judgedParts, metricsSchema } from '../../../engine/domain/metrics.ts';
import { sliceSchema } from '../../../engine/findings/slices.ts';
import { rulesEffectSchema, wholeDecisionSchema } from '../../../engine/measured.ts';
import { groupReportSchema } from '../../../engine/report/groups.ts';
import { analysisStateShape, jsonText, pageQuery, paginated, uuid } from '../common.ts';
import { operation, reads } from '../operation.ts';
import { draftDefinition } from '../types/rules.ts';

const predictionSchema = z.object({
  predicted: z.string().describe('What the classifier chose'),
  confidence: z.number().describe('The calibrated probability of `predicted`'),
});

const decidedSchema = z.object({
  decision: z.string(),
  stage: z.enum(['rules', 'classifier', 'fallback']),
  escalate: z.boolean(),
});

const heldOutRowSchema = predictionSchema
  .extend({
    whole: decidedSchema
      .nullable()
      .describe('What rules, classifier and thresholds decide; null where the example was deleted or changed since'),
    example_id: z.string(),
    input: z.record(z.string(), z.unknown()).nullable().describe('null when the example was deleted since'),
    expected: z.string(),
  })
  .meta({ id: 'HeldOutRow' });

const comparedPredictionSchema = z.object({
  predicted: predictionSchema.shape.predicted,
  decision: z.string().describe('What is compared: `predicted`, or the whole decision'),
  confidence: z.number().describe('The calibrated probability of `decision`; 1 where a rule decided'),
});

const comparedRowSchema = z
  .object({
    example_id: z.string(),
    input: z.record(z.string(), z.unknown()).nullable(),
    expected: z.string(),
    first: comparedPredictionSchema,
    second: comparedPredictionSchema,
  })
  .meta({ id: 'ComparedRow' });

const replayedSchema = z.object({
  decision: z.string(),
  confidence: decisionSchema.shape.confidence,
  stage: z.enum(stages),
  escalate: z.boolean(),
});

const replayedRowSchema = z
  .object({
    log_id: uuid,
    input: z.record(z.string(), z.unknown()).describe('As it was recorded: personal fields are replaced by tokens'),
    deployed: replayedSchema.describe('What the deployed policy decides now'),
    replayed: replayedSchema.describe('What this policy would decide'),
  })
  .meta({ id: 'ReplayedRow' });

const common = { access: 'key', scope: 'read', tag: 'Training' } as const;
const base = '/api/v1/decision-types/:decision_type_id/policies/:policy_id';

export const triedThresholds = {
  draft: z.boolean().optional().describe('Try the thresholds of the draft, where it has some'),
  auto_decide: z.number().min(0).max(1).optional().describe('Try this threshold instead of the current one'),
  escalation: z.number().min(0).max(1).optional().describe('Try this threshold instead of the current one'),
  by_option: jsonText(z.record(z.string(), z.number().min(0).max(1)))
    .optional()
    .describe('Try these thresholds of options instead, as JSON; `{}` for none'),
};

/** The whole decision with what stands behind its figures. */
const wholeDecisionDetailSchema = wholeDecisionSchema
  .extend({
    confidence_thresholds: confidenceThresholdsSchema.describe('The thresholds that decided'),
    ...metricsSchema.pick({ confusion_labels: true, confusion_matrix: true, per_class: true }).shape,
    confidence_bins: z
      .array(z.object({ low: z.number(), high: z.number(), right: z.int(), wrong: z.int() }))
      .describe('Rows that thresholds decide about, by confidence: familiar ones that no rule decides'),
    groups: z
      .array(groupReportSchema)
      .describe('By each field of the `groups` of the type; empty without them, and where no figure is known'),
  })
  .meta({ id: 'WholeDecisionDetail' });

/** Decisions of a policy whose right answer is known: of held-out examples, or logged and corrected or confirmed. */
export const judgedRows = ['held_out', 'corrected', 'both'] as const;

const share = z.number().nullable();
const interval = sliceSchema.shape.error_interval.nullable();
/** Rows that people chose to look at are not a sample: of these stand the counts, and no rate. */
const countedSliceSchema = sliceSchema
  .extend({
    error_rate: share.describe(
      `${sliceSchema.shape.error_rate.description}; null, as all rates, where corrected rows are among them`,
    ),
    error_interval: interval,
    rest_error_rate: share,
    error_automatic: share,
    error_automatic_interval: interval,
    rest_error_automatic: share,
    escalation_rate: share,
    rest_escalation_rate: share,
    p_value: share,
    adjusted_p_value: share,
  })
  .meta({ id: 'Slice' });

const pinnedCaseSchema = z
  .object({
    example_id: uuid,
    input_payload: z.record(z.string(), z.unknown()),
    note: z.string().nullable(),
    expected_decision: z.string().describe('The decision that must hold'),
    decision: z.string().nullable().describe('The decision made; null where the input schema refuses it'),
    stage: z.enum(stages).nullable(),
    rules: z.array(z.string()).describe('The rules that decided it'),
    kept: z.boolean(),
  })
  .meta({ id: 'PinnedCase' });

export const evaluationOperations = {
  'pinned_cases.list': operation('GET', '/api/v1/decision-types/:decision_type_id/pinned-cases', {
    ...common,
    query: z.strictObject({ policy_id: uuid.optional().describe('Another policy than the deployed one') }),
    output: z.object({
      policy_id: uuid,
      items: z.array(pinnedCaseSchema).describe('The newest 200 labelled ones, newest first'),
      red: z.int().describe('Cases that are decided otherwise than they must'),
      uncovered_rules: z.array(z.string()).describe('Hard rules that no case reaches'),
    }),
    summary: 'Examples marked must, as a policy decides them with the current rules and thresholds',
    errors: ['not_found', 'model_not_deployed', 'unavailable'],
  }),
  'policies.whole': operation('GET', `${base}/whole-decision`, {
    ...common,
    query: z.strictObject(triedThresholds),
    output: wholeDecisionDetailSchema,
    summary: 'Current rules, classifier and thresholds together, measured on the held-out examples',
  }),
  'policies.try_rules': operation('POST', `${base}/rules-effect`, {
    ...common,
    hints: reads,
    body: draftDefinition,
    output: rulesEffectSchema,
    summary: 'Whether unsaved rules make the whole decision better or worse, measured on the held-out examples',
    errors: ['conflict'],
  }),
  'policies.slices': operation('GET', `${base}/slices`, {
    ...common,
    query: z.strictObject({
      rows: z.enum(judgedRows).default('held_out').describe('Which decisions: held out, logged and corrected, or both'),
      judged: z
        .enum(judgedParts)
        .default('whole_decision')
        .describe('What is wrong: the classifier’s choice, or the whole decision where it is made alone'),
      min_rows: z.int().min(10).max(100_000).default(30).describe('Rows that a part must have'),
      ...triedThresholds,
    }),
    output: z.object({
      items: z.array(countedSliceSchema).describe('At most 20, the worst first'),
      rows: z.int(),
      errors: z.int(),
      error_rate: share,
      escalation_rate: share,
      sentence: z.string().nullable().describe('Why there are no rates; null where there are'),
      tested: z.int().describe('Parts that were tried'),
      ...analysisStateShape,
    }),
    summary:
      'Parts of the rows, by one field or two, in which a policy is wrong more often than in the others; at most 5% of them are expected to be chance',
  }),
  'policies.report': operation('GET', `${base}/report`, {
    ...common,
    output: null,
    produces: 'text/html',
    summary: 'One page to print: the question, figures beside a baseline, promise, weak parts, rules in words',
    errors: ['conflict'],
  }),
  'policies.held_out': operation('GET', `${base}/held-out`, {
    ...common,
    query: z.strictObject({
      ...pageQuery,
      expected: z.string().optional().describe('Only rows for which this option is right'),
      predicted: z.string().optional().describe('Only rows for which the classifier chose this option'),
      decided: z
        .string()
        .optional()
        .describe('Only rows for which rules, classifier and thresholds decide this option'),
      wrong: z.boolean().optional().describe('true: only rows of which the whole decision is wrong'),
      ...triedThresholds,
    }),
    output: paginated(heldOutRowSchema),
    summary: 'The held-out examples with what the classifier chose and what is decided, most confident first',
  }),
  'policies.compare': operation('GET', `${base}/comparison`, {
    ...common,
    query: z.strictObject({
      ...pageQuery,
      ...triedThresholds,
      with: uuid.describe('The policy to compare with'),
      judged: z
        .enum(judgedParts)
        .default('whole_decision')
        .describe('What is right or not: the choice of the classifier, or the whole decision by the current settings'),
    }),
    output: paginated(comparedRowSchema).extend({
      rows: z.int().describe('Rows that both policies held out; the other counts add up to it'),
      both_right: z.int(),
      both_wrong: z.int(),
      only_first_right: z.int(),
      only_second_right: z.int(),
      p_value: z
        .number()
        .describe("Of McNemar's exact test, two-sided: how often equally good policies differ so much or more"),
      sentence: z.string(),
    }),
    summary: 'Two policies on the examples that both held out; items are the rows that only one of them gets right',
  }),
  'policies.replay': operation('GET', `${base}/replay`, {
    ...common,
    query: z.strictObject({
      ...pageQuery,
      end_time: z.iso
        .datetime({ offset: true, local: true })
        .optional()
        .describe('Only inputs logged until then, so that pages stay what they are; ISO 8601, without an offset UTC'),
    }),
    output: z.object({
      items: z.array(replayedRowSchema).describe('The inputs of the page that the two decide differently'),
      rows: z.int().describe('Inputs of the page that both decided'),
      refused: z.int().describe('Inputs of the page that the current input schema refuses'),
      total: z.int().describe('Logged decisions on all pages'),
    }),
    summary: 'What a policy would decide on logged inputs, newest first, beside the deployed one; nothing is recorded',
    errors: ['conflict', 'model_not_deployed', 'unavailable'],
    ignoresExamples: true,
  }),
};
