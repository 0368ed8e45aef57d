/** The log of decisions and the metrics made from it. */
import { z } from 'zod';
import { stages } from '../../../engine/domain/decision.ts';
import { characters } from '../../../engine/domain/definition.ts';
import {
  driftSchema,
  fieldLanguagesSchema,
  unfamiliarDriftSchema,
  weekDriftSchema,
} from '../../../engine/findings/drift.ts';
import { orNull } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import { caseLanguageSchema } from '../../../engine/report/case-words.ts';
import { errorKinds } from '../../../engine/rules/evaluation/values.ts';
import { analysisStateShape, dateTime, pageQuery, paginated, uuid } from '../common.ts';
import { operation, updates } from '../operation.ts';

/** Its order is that of the columns of an export. */
export const logRecordSchema = z
  .object({
    id: uuid,
    request_id: z.string(),
    decision_type_id: uuid,
    decision_type: z.string(),
    input: z.record(z.string(), z.unknown()).describe('Personal fields are replaced by tokens'),
    decision: z.string(),
    confidence: z
      .number()
      .describe(
        'Of the decision; records of earlier programs have the confidence of the classifier in its own choice here',
      ),
    stage: z.enum(stages).describe('The stage that produced the decision'),
    reason_codes: z.array(z.string()),
    class_probabilities: z.record(z.string(), z.number()),
    rules_triggered: z.array(z.string()),
    rule_errors: z
      .array(z.object({ name: z.string(), error: z.enum(errorKinds) }))
      .describe('The rules that failed on the input, and so did not match; trace=true shows where'),
    escalated: z.boolean().describe('Whether it was handed on'),
    fallback_used: z.boolean().describe('Whether the fallback option answered'),
    unfamiliar: z.boolean().describe('Whether the input was unlike the examples'),
    policy_version: z.string().describe('The policy that decided, such as v3'),
    latency_ms: z.number(),
    api_key_id: z.string().nullable().describe('The key of the caller, or of whoever imported it; null for a person'),
    created_at: dateTime,
    corrected_decision: z.string().nullable().describe('The right option, where a person gave it later'),
    decision_type_version: z
      .int()
      .nullable()
      .describe('The version whose input schema, rules and thresholds decided; null in records of earlier programs'),
    explanation: z
      .string()
      .nullable()
      .describe('Why it was decided so, with the connected model that was asked; null in records of earlier programs'),
    release: z.int().nullable().describe('The release that decided; null in records of earlier programs'),
    digest: z.string().nullable().describe('SHA-256 of all that decided; null in records of earlier programs'),
    origin: z
      .enum(['workbench', 'edge'])
      .describe('Where it was decided: here, or by its bundle in a service whose log was imported'),
    classifier_choice: z.string().nullable().describe('As in the answer; null in records of earlier programs'),
    classifier_probability: z.number().nullable().describe('The probability of classifier_choice'),
    imported_by: z.string().nullable().describe('Who imported it; null of what was decided here'),
    imported_file: z.string().nullable().describe('Out of which file, as they said'),
  })
  .meta({ id: 'LogRecord' });
export type LogRecord = z.infer<typeof logRecordSchema>;

/** Lines of one call, and characters of a line: the largest input, the names and probabilities of all options. */
export const maxLogLines = 1_000;
export const maxLogLineCharacters = 1.5 * 2 ** 20;

const logImportSchema = z.object({
  added: z.int(),
  known: z.int().describe('Decisions that were imported before'),
  expired: z.int().describe('Decisions that are older than the retention_days of their type'),
  unknown: z
    .array(z.object({ digest: z.string(), decision_type: z.string(), lines: z.int() }))
    .describe('Releases that no decision type here has, or several have and none by the name of the line'),
  refused: z
    .array(z.object({ index: z.int().describe('Place of the line in the request'), message: z.string() }))
    .describe('Lines that are not as they must be'),
});
export type LogImport = z.infer<typeof logImportSchema>;

const verifiedSchema = z
  .object({
    looked: z.int().describe('Records of the page that were decided again'),
    equal: z.int().describe('Those whose every field is as recorded; probabilities within 1e-5'),
    exact: z.int().describe('Those of them that are equal to the last digit'),
    items: z
      .array(
        z.object({
          log_id: uuid,
          request_id: z.string(),
          release: z.int().nullable(),
          reason: z
            .enum(['differs', 'masked', 'no_release', 'unavailable'])
            .describe('It differs, or why it cannot be decided as it was'),
          fields: z.array(z.string()).describe('The fields that are not as recorded'),
          message: z.string(),
        }),
      )
      .describe('The others'),
    total: z.int().describe('Records on all pages'),
  })
  .meta({ id: 'VerifiedDecisions' });
export type Verified = z.infer<typeof verifiedSchema>;

const filters = {
  decision: z.string().optional().describe('Only records of this option'),
  escalated: z.boolean().optional().describe('Only records that were handed on, or were not'),
  min_confidence: z.number().min(0).max(1).optional().describe('Least confidence'),
  max_confidence: z.number().min(0).max(1).optional().describe('Greatest confidence'),
  start_time: z.iso.datetime({ offset: true, local: true }).optional().describe('ISO 8601; without an offset UTC'),
  end_time: z.iso.datetime({ offset: true, local: true }).optional().describe('ISO 8601; without an offset UTC'),
};
const filterSchema = z.strictObject(filters);
export type LogFilter = z.output<typeof filterSchema>;

const common = { access: 'key', scope: 'read', tag: 'Logs and metrics' } as const;
const base = '/api/v1/decision-types/:decision_type_id';

export const logOperations = {
  'logs.list': operation('GET', `${base}/logs`, {
    ...common,
    query: z.strictObject({
      ...pageQuery,
      ...filters,
      review: z
        .boolean()
        .default(false)
        .describe('Only records that need review and have no correction, those of unfamiliar inputs first'),
    }),
    output: paginated(logRecordSchema),
    summary: 'Decision log, newest first',
    description: 'Imported decisions stand where they came in, whenever they were made.',
    ignoresExamples: true,
  }),
  'logs.export': operation('GET', `${base}/logs/export`, {
    ...common,
    query: z.strictObject({ format: z.enum(['json', 'csv']).default('json'), ...filters }),
    output: null,
    produces: 'application/json, text/csv',
    summary: 'The filtered log as a stream',
    description:
      'In JSON each record is a line that ends with `chain`, the digest of the line before and of itself; `after` of the first is the head of the log. `workbench verify FILE` names a line that was changed.',
    ignoresExamples: true,
  }),
  'logs.verify': operation('GET', `${base}/logs/verification`, {
    ...common,
    query: z.strictObject({
      ...pageQuery,
      share: z.number().min(0).max(1).default(1).describe('Of the records of the page, drawn at random'),
      end_time: filters.end_time,
    }),
    output: verifiedSchema,
    summary: 'Decide logged inputs again, newest first, each by the release that decided it; nothing is recorded',
    description:
      'Pages stay what they are with end_time. What a connected model chose is taken as recorded; all else is decided.',
    ignoresExamples: true,
  }),
  'logs.case': operation('GET', `${base}/logs/:log_id/case`, {
    ...common,
    query: z.strictObject({
      format: z.enum(['json', 'html']).default('json').describe('html: a page that prints'),
      language: caseLanguageSchema
        .optional()
        .describe("Of the page; without it that of the type's texts where it is one of these, else English"),
    }),
    output: null,
    produces: 'application/json, text/html',
    summary:
      'One logged decision for the person who asks why: rule or main causes, what would have changed it, who looked, which release, its known errors, how to contest it',
    errors: ['unavailable'],
  }),
  'logs.correct': operation('PUT', `${base}/logs/:log_id/correction`, {
    ...common,
    scope: 'label',
    body: z.strictObject({
      decision: z.string().min(1).nullable().describe('null: withdraw the correction, with the example it made'),
      reason_codes: z.array(z.string()).max(limits.maxReasonCodesPerExample).optional(),
    }),
    output: logRecordSchema,
    summary: 'Store the right decision of a record and make a reviewed example of it, or withdraw both',
  }),
  'logs.import': operation('POST', '/api/v1/logs/import', {
    ...common,
    scope: 'logs',
    body: z.strictObject({
      file: orNull(characters(1, 200), 'Name of the file, for the record'),
      lines: z
        .array(z.string().max(maxLogLineCharacters))
        .min(1)
        .max(maxLogLines)
        .describe('Lines of the file, each a JSON object as text'),
    }),
    output: logImportSchema,
    summary: 'Add decisions that bundles made elsewhere to the log: lines of `decision-edge serve --log`',
    description:
      'A line belongs to the release whose digest it names, which says policy and version; its names must be those of the release, which decides it again: what differs is refused, with both answers. Texts of an encoder that is not loaded are decided again one in 20. It is added once by its id, also where it is sent again. Lines that are left out are reported, and leave the others alone. Personal fields are masked as the type says now. Nothing is charged.',
    hints: updates,
    bodyLimitBytes: 4 * 2 ** 20,
  }),
  'logs.restore': operation('POST', `${base}/logs/restore`, {
    ...common,
    access: 'owner',
    output: z.object({ restored: z.int() }),
    summary: 'Bring back records that were removed for their age in the last two days; raise retention_days first',
    hints: updates,
  }),
  'metrics.type': operation('GET', `${base}/metrics`, {
    ...common,
    output: z.object({
      total_decisions: z.int(),
      avg_confidence: z.number().nullable(),
      avg_latency_ms: z.number().nullable(),
      latency_p50_ms: z.number().nullable().describe('Half of the newest 1,000 decisions took at most this long'),
      latency_p95_ms: z.number().nullable().describe('Of the same decisions, 95 of 100 took at most this long'),
      escalation_rate: z.number().nullable(),
      decision_distribution: z.record(z.string(), z.int()),
    }),
    summary: 'Metrics of the last 24 hours',
    ignoresExamples: true,
  }),
  'metrics.days': operation('GET', `${base}/metrics/days`, {
    ...common,
    query: z.strictObject({
      days: z
        .int()
        .min(1)
        .max(90)
        .optional()
        .describe('How many, 14 or by the hour 1 where none is given; today is the last of them'),
      step: z.enum(['day', 'hour']).default('day').describe('`hour`: up to the current hour, of at most 3 days'),
    }),
    output: z.object({
      items: z.array(
        z.object({
          day: z.iso.date().describe('From midnight to midnight UTC'),
          hour: z.int().min(0).max(23).nullable().describe('Which of its hours; null of a whole day'),
          total_decisions: z.int(),
          avg_confidence: z.number().nullable(),
          escalation_rate: z.number().nullable(),
          decision_distribution: z.record(z.string(), z.int()),
        }),
      ),
    }),
    summary: 'Decisions of each of the last days, or of their hours, the oldest first; those without any are zero',
    ignoresExamples: true,
  }),
  'metrics.drift': operation('GET', `${base}/drift`, {
    ...common,
    output: z.object({
      items: z.array(driftSchema.meta({ id: 'Drift' })).describe('One for each field that differs, the largest first'),
      unfamiliar: unfamiliarDriftSchema
        .meta({ id: 'UnfamiliarDrift' })
        .nullable()
        .describe('Set where more inputs than expected are unlike the examples, as new topics or another language'),
      languages: z
        .array(fieldLanguagesSchema.meta({ id: 'FieldLanguages' }))
        .describe('Shares of at least 5%, of fields with texts that are not in English alone'),
      weeks: weekDriftSchema
        .meta({ id: 'WeekDrift' })
        .nullable()
        .describe('The inputs of this week beside those of the last; null before a comparison'),
      decisions: z.int().describe('The newest decisions that were compared, at most 1,000'),
      examples: z.int().describe('The newest labelled examples that were compared, at most 5,000'),
      comparable: z.boolean().describe('Whether there are 50 of each, as a comparison needs'),
      ...analysisStateShape,
    }),
    summary:
      'Fields whose values have other shares among the current decisions than among the examples; 50 of each are needed',
  }),
  'metrics.organisation': operation('GET', '/api/v1/metrics', {
    ...common,
    output: z.object({
      total_decisions: z.int(),
      decisions_today: z.int(),
      avg_latency_ms: z.number().nullable(),
      decision_types: z.array(
        z.object({
          id: uuid,
          name: z.string(),
          total_decisions: z.int(),
          decisions_24h: z.int().describe('Of the last 24 hours'),
          avg_confidence: z.number().nullable(),
          avg_latency_ms: z.number().nullable(),
          escalation_rate: z.number().nullable(),
        }),
      ),
    }),
    summary: 'Metrics of the organisation and of each of its decision types',
  }),
};
