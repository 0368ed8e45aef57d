/** Labelling: what to label next, who labelled when, second readings, the audit, and findings about examples. */
import { z } from 'zod';
import { characters } from '../../../engine/domain/definition.ts';
import { byName } from '../../../engine/domain/records.ts';
import { findingKinds, findingSchema } from '../../../engine/findings/finding.ts';
import { orNull } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import { auditFigureSchema } from '../../../engine/measured.ts';
import { analysisStateShape, dateTime, pageQuery, paginated, uuid } from '../common.ts';
import { creates, operation, reads, updates } from '../operation.ts';
import { auditSettingSchema } from '../types/decision-types.ts';
import { exampleSchema, labellingQueues, readerName } from './examples.ts';

export type LabellingQueue = (typeof labellingQueues)[number];

const likely = { decision: z.string(), probability: z.number() };
const suggestionSchema = z
  .object({
    ...likely,
    source: z
      .enum(['policy', 'labelling', 'label_check'])
      .describe(
        'The deployed policy, the model that learns while you label, or the models that doubt a suspect label and had not seen it',
      ),
    beats_chance: z
      .boolean()
      .describe(
        'Whether it is worth a look: the labelling model must be right more often than chance on the labels so far',
      ),
    likely: z.array(z.object(likely)).describe('The likeliest options, nine at most, likeliest first'),
  })
  .meta({ id: 'Suggestion' });
export type Suggestion = z.infer<typeof suggestionSchema>;

const share = z.number().min(0).max(1);
const teacherLabellingSchema = z
  .object({
    state: z
      .enum(['idle', 'measuring', 'labelling', 'done', 'refused', 'cancelled', 'failed'])
      .describe('How far it is; refused: the teacher agreed too seldom'),
    teacher: z.enum(['connected_model', 'labelling_model']).nullable(),
    connection: z.string().nullable(),
    agreement: z
      .object({ right: z.int(), of: z.int(), low: z.number(), high: z.number() })
      .nullable()
      .describe('With labels that people gave, measured before anything is labelled; low to high with 95% certainty'),
    measured: z.int().describe('Labelled examples that it was asked about to measure it'),
    done: z.int().describe('Examples looked at'),
    total: z.int(),
    labelled: z.int().describe('Examples that it labelled'),
    tokens: z.int().describe('Taken so far, the measuring included'),
    credits: z.int(),
    message: z.string(),
  })
  .meta({ id: 'TeacherLabelling' });

const common = { access: 'key', scope: 'read', tag: 'Labelling' } as const;

const count = z.int();
const range = { value: z.number(), low: z.number(), high: z.number() };
const coefficient = z.object(range).nullable();
const typeBase = '/api/v1/decision-types/:decision_type_id';
const base = `${typeBase}/examples` as const;

const policyAuditSchema = z.object({
  policy_version: z.string().describe('As log records name it'),
  drawn: z.int(),
  error: auditFigureSchema.describe('The whole decision, whoever made it'),
  error_automatic: auditFigureSchema.describe('Those decided alone, by rule or classifier'),
  sentence: z.string(),
});
export type PolicyAuditAnswer = z.infer<typeof policyAuditSchema>;

const dataFindingSchema = findingSchema.extend({
  example: exampleSchema.nullable().describe('The first of the examples as it is now; null without one'),
});

const counts = byName(findingKinds, () => z.int());

export const labellingOperations = {
  'examples.next': operation('GET', `${base}/next`, {
    ...common,
    scope: 'label',
    query: z.strictObject({
      count: z.int().min(1).max(100).default(20).describe('How many'),
      queue: z
        .enum(labellingQueues)
        .default('to_label')
        .describe('From which list; random: those to label of lowest random number, by which figures are measured'),
      session: characters(1, 100)
        .optional()
        .describe('Name of a window: its rows are kept from others for five minutes'),
      reader: readerName,
      restart: z.boolean().default(false).describe('Gives back its unlabelled rows first'),
    }),
    output: z.object({
      items: z.array(
        z.object({
          example: exampleSchema,
          suggestion: suggestionSchema.nullable(),
          why: z.string().describe('Why this row comes now'),
        }),
      ),
      remaining: z.int().describe('Examples in the queue, those given out included'),
      recent_accuracy: z
        .number()
        .nullable()
        .describe('The share of the last suggestions, 50 at most, that were right; null before the first one'),
      recent: z.object({ right: z.int(), of: z.int() }),
      stop_hint: z
        .string()
        .nullable()
        .describe('What 100 more labels would bring, by the newest training; null where it does not know'),
      labelling_model: z.object({
        examples_read: z.int().describe('Examples that the labelling model knows so far'),
        labels: z.int(),
        drawn: z.int().describe('Labels of rows drawn at random, by which figures are measured'),
      }),
    }),
    summary:
      'The examples to look at next, most useful first and one in five drawn at random, with suggestions; none twice',
    // Rows given out are kept from others: a second call gives other rows.
    hints: creates,
    errors: ['unavailable'],
  }),
  'examples.suggest': operation('POST', `${base}/suggestions`, {
    ...common,
    body: z.strictObject({ ids: z.array(uuid).min(1).max(100) }),
    output: z.object({
      items: z
        .array(z.object({ example_id: uuid, suggestion: suggestionSchema.nullable() }))
        .describe('In the order of the ids; examples that do not exist are left out'),
    }),
    status: 200,
    summary: 'Suggested labels for examples, labelled or not; gives none of them out',
    hints: reads,
  }),
  'examples.numbers': operation('GET', `${base}/numbers`, {
    ...common,
    output: z.object({
      items: z.array(
        z.object({
          field: z.string().describe('Its dotted path'),
          cuts: z.array(z.number()).describe('101 numbers: the lowest, and the one at each hundredth of the examples'),
        }),
      ),
    }),
    status: 200,
    summary: 'How the numbers of the inputs are spread in the newest 1,000 examples, by field; none of PII fields',
    hints: reads,
  }),
  'teacher_labelling.start': operation('POST', `${base}/teacher-labelling`, {
    ...common,
    scope: 'label',
    body: z.strictObject({
      min_agreement: share
        .default(0.8)
        .describe('What the lower end of the measured agreement must reach; below it nothing is labelled'),
      min_probability: share.default(0.8).describe('What the labelling model must be sure of to label an example'),
      max_examples: z
        .int()
        .min(0)
        .max(limits.maxExamples)
        .default(1_000)
        .describe('0 only measures; a labelling started right after it goes by what was measured'),
    }),
    bodyOptional: true,
    output: teacherLabellingSchema,
    status: 202,
    summary: 'Have the teacher label examples, once it was measured on labelled ones; its labels are not reviewed',
    errors: ['quota_exceeded', 'insufficient_credits', 'conflict'],
  }),
  'teacher_labelling.get': operation('GET', `${base}/teacher-labelling`, {
    ...common,
    output: teacherLabellingSchema,
    summary: 'How far the teacher is with labelling',
  }),
  'teacher_labelling.cancel': operation('POST', `${base}/teacher-labelling/cancel`, {
    ...common,
    scope: 'label',
    output: teacherLabellingSchema,
    summary: 'Stop the teacher; what it has labelled stays',
    hints: updates,
  }),
  'examples.similar': operation('GET', `${base}/:example_id/similar`, {
    ...common,
    query: z.strictObject({
      count: z.int().min(1).max(100).default(10),
      labelled: z.boolean().default(false).describe('Only examples with a label; none while they are still being read'),
      near_copies: z
        .boolean()
        .default(false)
        .describe('Only examples to label with nearly the same texts (0.97 or more); none while they are being read'),
    }),
    output: z.object({
      items: z.array(z.object({ example: exampleSchema, similarity: z.number().min(-1).max(1) })),
    }),
    summary: 'The examples most like one, by what their texts mean and what their fields hold',
    errors: ['conflict'],
  }),
  'second_readings.draw': operation('POST', `${typeBase}/examples/second-readings`, {
    ...common,
    scope: 'label',
    body: z.strictObject({
      share: z
        .number()
        .gt(0)
        .max(1)
        .optional()
        .describe('Of the labelled examples, at random: as many as are missing until this share is read twice'),
      ids: z.array(uuid).min(1).max(1_000).optional().describe('These; those without a label are left out'),
    }),
    output: z.object({
      drawn: count.describe('Examples that were chosen now'),
      waiting: count.describe('Examples in the queue "second_reading"'),
      undo_token: z.string().describe('By which examples.undo takes back those that are not read yet'),
    }),
    status: 200,
    summary: 'Give labelled examples to a second reader, who does not see their labels; to the first one after a week',
    hints: creates,
  }),
  'second_readings.give': operation('PUT', `${typeBase}/examples/:example_id/second-reading`, {
    ...common,
    scope: 'label',
    body: z.strictObject({
      expected_decision: z.string().nullable().describe('The label; null takes it back'),
      note: orNull(characters(0, 2_000), 'For people'),
      reader: readerName,
    }),
    output: exampleSchema.describe('With this label, and nothing of the first one'),
    status: 200,
    summary: 'Label an example of the queue "second_reading" again: the label stands beside the first one',
    errors: ['conflict'],
  }),
  'examples.labels': operation('GET', `${typeBase}/examples/:example_id/labels`, {
    ...common,
    output: z.object({
      items: z.array(
        z.object({
          kind: z
            .enum(['label', 'second_reading', 'settled'])
            .describe('settled: one person has decided between two labels that differed'),
          before: z.string().nullable().describe('The label until then'),
          decision: z.string().nullable().describe('The label given; null: it was taken away'),
          reader: z.string().nullable().describe('Person, key or model; null where it is not known, as in a file'),
          suggested: z.string().nullable().describe('What was suggested to them; null for nothing'),
          note: z.string().nullable(),
          given_at: dateTime,
        }),
      ),
    }),
    summary: 'The labels that an example was given after the one it came with, newest first, 100 at most',
  }),
  'agreement.get': operation('GET', `${typeBase}/agreement`, {
    ...common,
    output: z.object({
      drawn: count.describe('Examples chosen for a second reading'),
      waiting: count,
      conflicts: count.describe('Examples with two labels that differ, until one person decides'),
      settled: count,
      rows: count.describe('Examples with both labels'),
      agreed: count,
      share: coefficient.describe('Of agreed rows, with its 95% interval (Wilson); null without rows'),
      alpha: coefficient.describe(
        "Krippendorff's alpha: agreement beyond luck, 1 is always, 0 that of guesses; with a bootstrap's 95% interval",
      ),
      pairs: z.array(
        z.object({
          readers: z.array(z.string()).length(2),
          rows: count,
          agreed: count,
          kappa: coefficient.describe("Cohen's kappa with its 95% interval; null where only one label was given"),
        }),
      ),
      by_option: z
        .array(z.object({ option: z.string(), rows: count, agreed: count }))
        .describe('Rows where a reader gave the option, the least agreed first'),
      sentence: z.string(),
    }),
    summary: 'How far two readers agree: the most that any policy can be asked for',
  }),
  'audit.get': operation('GET', `${typeBase}/audit`, {
    ...common,
    output: z.object({
      audit: auditSettingSchema.nullable(),
      to_judge: z.int().describe('Drawn decisions in the queue "audit"'),
      deployed: policyAuditSchema.nullable().describe('The deployed policy; null without one, or before a draw'),
      policies: z.array(policyAuditSchema).describe('Every policy of which decisions were drawn, the newest first'),
    }),
    summary: 'The error of live decisions by an audit: drawn at random, judged blind, with bounds that always hold',
  }),
  'data_findings.list': operation('GET', `${typeBase}/data-findings`, {
    ...common,
    tag: 'Examples',
    query: z.strictObject({
      ...pageQuery,
      kind: z.enum(findingKinds).optional().describe('Only findings of this kind'),
    }),
    output: paginated(dataFindingSchema.meta({ id: 'DataFinding' })).extend({
      counts: z.object(counts).describe('All findings by kind, also those beyond the first 1,000 of a kind'),
      ...analysisStateShape,
    }),
    summary:
      'Contradictions, duplicates, suspect labels, labels that rules contradict and other problems of the examples: the worst kind first, the most doubtful label first',
  }),
};
