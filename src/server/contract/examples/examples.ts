/** Examples: adding, importing, generating, labelling. */
import { z } from 'zod';
import { characters } from '../../../engine/domain/definition.ts';
import { byName, pick } from '../../../engine/domain/records.ts';
import { exampleFields, exampleShape, givenFlags, setFlags, shownFlags } from '../../../engine/examples/fields.ts';
import { exampleFormats } from '../../../engine/export/file-kinds.ts';
import { conflictChoices } from '../../../engine/export/merge.ts';
import { columnKinds, textFormats } from '../../../engine/import/sheet.ts';
import { isEncoding } from '../../../engine/import/tables/decode-text.ts';
import { jsonObject, orNull } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import { aliasOf, dateTime, jsonText, pageQuery, paginated, uuid } from '../common.ts';
import { creates, destroys, operation, updates } from '../operation.ts';
import { importPlanSchema } from './import-plan.ts';

const reasonCodes = exampleShape.reasonCodes.describe('Reason codes of the type that apply');
const inputPayload = jsonObject.describe('The input, a JSON object');

/** A field and its alias may not both be given; `reason_code` is a single one. */
const exampleInputSchema = z.strictObject({
  input_payload: inputPayload.optional(),
  input: aliasOf('input_payload', jsonObject),
  expected_decision: z.string().nullable().optional().describe('The label, one of the options; null: none'),
  decision: aliasOf('expected_decision', z.string().nullable()),
  reason_codes: reasonCodes.optional(),
  reason_code: aliasOf('reason_codes with one', z.string().nullable()),
  ...byName(givenFlags, (flag) => z.boolean().optional().describe(exampleFields[flag].given)),
});
export type ExampleInput = z.output<typeof exampleInputSchema>;

export const newExampleSchema = exampleInputSchema.meta({
  id: 'ExampleAddition',
  examples: [{ input_payload: { amount: 42, message: 'The cup arrived in pieces.' }, expected_decision: 'approve' }],
  required: ['input_payload'],
});

const exampleStatuses = ['to_label', 'skipped', 'flagged', 'done'] as const;
export type ExampleStatus = (typeof exampleStatuses)[number];
const status = z.enum(exampleStatuses);
/** The lists from which `examples.next` gives out examples. */
export const labellingQueues = [
  'to_label',
  'random',
  'suspect',
  'corrections',
  'audit',
  'synthetic',
  'flagged',
  'second_reading',
  'conflicts',
] as const;
/** The name of who labels, where several people share a key or session; else that of the key or person. */
export const readerName = characters(1, 100)
  .optional()
  .describe('Who labels, of those who share a session; a key labels by its own name');
const note = exampleShape.note;

export const exampleSchema = z
  .object({
    id: uuid,
    decision_type_id: uuid,
    input_payload: z.record(z.string(), z.unknown()),
    expected_decision: z.string().nullable().describe('The label; null: none yet'),
    first_decision: z
      .string()
      .nullable()
      .describe(
        'The label by which policies are measured where it is held out: it was changed after a model had doubted it, or with many others once there was a model; null: expected_decision',
      ),
    reason_codes: z.array(z.string()),
    source: z.enum(['user', 'synthetic']).describe('Entered or imported, or proposed by a teacher'),
    ...byName(shownFlags, (flag) => z.boolean().describe(exampleFields[flag].shown)),
    status: status.describe('to_label and done follow from the label; skipped and flagged are set'),
    note: z.string().nullable().describe('For people'),
    labelled_by: z
      .enum(['person', 'teacher'])
      .nullable()
      .describe('Who gave the label; a reviewed label of a teacher was confirmed by a person'),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({ id: 'Example' });
export type Example = z.infer<typeof exampleSchema>;

/** Room for a dot path through the deepest field of an input. */
const maxSortLength = 1_000;
const maxFieldTests = 20;
const bound = z.union([z.number(), z.string()]);
const fieldTestSchema = z
  .strictObject({
    field: characters(1, maxSortLength).describe('Dot path of a field of the input'),
    min: bound.optional().describe('Numbers are compared with a number, texts (such as ISO dates) with a text'),
    max: bound.optional(),
    above: bound.optional(),
    below: bound.optional(),
    one_of: z
      .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .min(1)
      .max(limits.maxOptions)
      .optional()
      .describe('null also stands for a missing field'),
    contains: characters(1, 200).optional().describe('Without regard to capitals of a to z'),
    empty: z.boolean().optional().describe('Empty is missing, null, "" or []'),
  })
  .meta({ id: 'FieldTest', examples: [{ field: 'amount', min: 100, below: 200 }] });
export type FieldTest = z.output<typeof fieldTestSchema>;
const fieldTests = z.array(fieldTestSchema).max(maxFieldTests);
const fieldTestsText = jsonText(fieldTests);
const fieldsHelp = 'Tests of fields; an example passes every part of each';
const filterFields = {
  source: z.enum(['user', 'synthetic']).optional(),
  ...byName(setFlags, () => z.boolean().optional()),
  decision: z.string().optional(),
  labelled: z.boolean().optional(),
  status: status.optional(),
  labelled_by: z.enum(['person', 'teacher']).optional(),
  search: characters(0, 200).optional(),
};
const exampleFilterSchema = z
  .strictObject({ ...filterFields, fields: fieldTests.optional().describe(fieldsHelp) })
  .meta({ id: 'ExampleFilter' });
export type ExampleFilter = z.output<typeof exampleFilterSchema>;

const listOrder = {
  sort: z
    .string()
    .max(maxSortLength)
    .regex(/^-?(?:created_at|updated_at|decision|input\.[\s\S]+)$/, {
      message:
        'must be created_at, updated_at, decision or input. and the dot path of a field, with - in front for descending',
    })
    .optional()
    .describe(
      'created_at, updated_at, decision or input.<dot path of a field>; - in front: descending. Numbers come before texts, which are compared by their first 100 characters; missing values are last and equal ones newest first. Left out: newest first',
    ),
  page_of: uuid
    .optional()
    .describe('Id of an example: its page is answered instead of page, where the list has the example'),
};

const importMappingSchema = z.strictObject({
  decision: z.string().nullable().describe('Column that holds the label; null: unlabelled examples'),
  reason_codes: orNull(z.string(), 'Column with reason codes (separated by ; or |, or a JSON array)'),
  second_reading: z.string().optional().describe('Column with the labels of a second reader'),
  must: z.string().optional().describe('Column that marks pinned cases: filled, and none of false, no, 0 or -'),
  input: orNull(
    z.array(z.string()).max(2_000),
    'Columns that become the input; null: all the others. Dots in a name nest',
  ),
  read_as: z
    .record(z.string(), z.enum(columnKinds))
    .default({})
    .describe('Kinds of columns by name; of the others they are found by all of their values'),
  pii_fields: z
    .array(z.string())
    .max(500)
    .optional()
    .describe('Columns that become personal fields; needs the scope deploy'),
});
export type ImportMapping = z.output<typeof importMappingSchema>;

const maxDelimiterLength = 10;
const headerLineProblem = { message: 'must be the number of a line, or 0 where none names the columns' };
/** How a file is read, where that is not as it is found. */
export const readingFields = {
  sheet: z.string().optional().describe('Sheet of a workbook. Left out: the fullest'),
  header_line: z
    .int(headerLineProblem)
    .min(0, headerLineProblem)
    .optional()
    .describe('Line with the names of the columns; 0: there is none. Left out: found below titles'),
  delimiter: characters(1, maxDelimiterLength)
    .optional()
    .describe(
      'What separates the cells of a text: its characters, or tab, or blanks for any run of them, or none for one column. Left out: found',
    ),
  quote: z
    .enum(['"', "'", 'none'], { message: 'must be ", \' or none' })
    .optional()
    .describe('What stands around cells that hold a separator. Left out: "'),
};
export const encodingField = z
  .string()
  .refine(isEncoding, { message: 'is no encoding that is known; name one such as windows-1252, shift_jis or utf-8' })
  .optional()
  .describe('Encoding of a text, such as windows-1250 or shift_jis. Left out: found');
export const importedFile = z.file().describe('CSV with any separator, TSV, Excel, Parquet, JSON or JSON Lines');
export const onConflict = z
  .enum(conflictChoices)
  .default('refuse')
  .describe(
    'Of an export of examples: what becomes of one that was changed here and in the file otherwise. keep: as here; take: as in the file; flag: without a label, flagged, with both labels in its note; refuse: nothing is imported',
  );
const importFields = {
  ...readingFields,
  mapping: importMappingSchema.optional().describe('Left out: found by the names and values of the columns'),
  commit: z.boolean().default(false).describe('false: preview only, nothing is written'),
  on_conflict: onConflict,
};
const importRequestSchema = z
  .strictObject({
    format: z
      .enum(textFormats)
      .optional()
      .describe('csv: separated by commas; tsv: by tabs. Left out: found, with any separator'),
    content: z.string().describe('The file as text'),
    ...importFields,
  })
  .meta({ examples: [{ format: 'csv', content: 'amount,decision\n42,approve\n9000,reject\n' }] });
/** An import as a form: sheet, delimiter, quote, encoding and on_conflict as they are, the other fields as JSON. */
export const importFormSchema = z.strictObject({
  file: importedFile,
  encoding: encodingField,
  ...importFields,
});

const importResultSchema = importPlanSchema.extend({
  committed: z.boolean().describe('Whether it was written'),
  first_examples: z
    .array(
      z.object({
        line: z.int(),
        input_payload: z.record(z.string(), z.unknown()),
        expected_decision: z.string().nullable(),
        reason_codes: z.array(z.string()),
      }),
    )
    .describe('The first 20 examples, or as many of them as take a megabyte'),
});
export type ImportResult = z.infer<typeof importResultSchema>;

const bulkValues = {
  decision: z.string().nullable().describe('For set_decision'),
  ...byName(setFlags, (flag) => z.boolean().describe(`For set_${flag}`)),
  status: status.describe('For set_status: done and to_label concern only the examples with, and without, a label'),
};
/** A value of another action may be there, and changes nothing. */
const bulkAction = z.strictObject({
  ids: z.array(uuid).min(1).max(limits.maxExamplesPerCall).optional(),
  filter: exampleFilterSchema.optional(),
  ...z.object(bulkValues).partial().shape,
});
const exampleBulkSchema = z
  .discriminatedUnion(
    'action',
    [
      bulkAction.extend({ action: z.literal('delete') }),
      bulkAction.extend({ action: z.literal('set_decision'), decision: bulkValues.decision }),
      ...setFlags.map((flag) => {
        const value: object = pick(bulkValues, [flag]);
        return bulkAction.extend({ action: z.literal(`set_${flag}`), ...value });
      }),
      bulkAction.extend({ action: z.literal('set_status'), status: bulkValues.status }),
    ],
    `expected delete, set_decision, ${setFlags.map((flag) => `set_${flag}`).join(', ')} or set_status`,
  )
  .refine((b) => (b.ids === undefined) !== (b.filter === undefined), { message: 'give either ids or filter' })
  .meta({
    id: 'ExampleBulk',
    examples: [{ filter: { source: 'synthetic', reviewed: false }, action: 'set_reviewed', reviewed: true }],
  });
export type ExampleBulk = z.output<typeof exampleBulkSchema>;

const trainedExamplesSchema = z.object({
  examples: z.int().describe('What the training was given'),
  left: z.int().describe('How many of them are there, and leave with policy_id of examples/export'),
  changed: z.int().describe('How many of these were changed since: their labels are those of then, all else as it is'),
  is_exact: z.boolean().describe('Whether the export is what the training was given'),
  snapshot_sha256: z.string().describe('Digest of what it was given, as the model card says it'),
  sentence: z.string(),
});
export type TrainedExamples = z.output<typeof trainedExamplesSchema>;

const common = { access: 'key', scope: 'read', tag: 'Examples' } as const;
const base = '/api/v1/decision-types/:decision_type_id/examples';

export const exampleOperations = {
  'examples.create': operation('POST', base, {
    ...common,
    scope: 'label',
    body: z.strictObject({ examples: z.array(newExampleSchema).min(1).max(limits.maxExamplesPerCall) }),
    output: z.array(exampleSchema),
    status: 201,
    summary: 'Add examples, all or none',
    takesIdempotencyKey: true,
    bodyLimitBytes: limits.maxExamplesBytes,
  }),
  'examples.list': operation('GET', base, {
    ...common,
    query: z.strictObject({
      ...pageQuery,
      ...listOrder,
      ...filterFields,
      fields: fieldTestsText.optional().describe(`${fieldsHelp}: the JSON of a list of FieldTest`),
    }),
    output: paginated(exampleSchema),
    summary: 'List examples, newest first or sorted by a column',
  }),
  'examples.export': operation('GET', `${base}/export`, {
    ...common,
    errors: ['not_found', 'conflict'],
    query: z.strictObject({
      format: z.enum(exampleFormats).default('csv'),
      personal: z
        .boolean()
        .default(false)
        .describe('true: with the values of personal fields; otherwise tokens stand for them'),
      policy_id: uuid
        .optional()
        .describe('Only what this policy was trained and tested on, with the labels of then; see examples/trained'),
      ...filterFields,
      fields: fieldTestsText.optional().describe(`${fieldsHelp}: the JSON of a list of FieldTest`),
    }),
    output: null,
    produces:
      'text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, application/vnd.apache.parquet, application/x-ndjson, application/json, text/html',
    summary: 'The filtered examples as a file, oldest first, which an import reads without loss',
    description:
      'CSV, XLSX and Parquet files have a column for each field of the inputs, with dots for fields within fields. label_studio, argilla, prodigy and spacy are what those tools import. labelling_page is one HTML file of up to 500 examples, without labels and personal fields, in which somebody labels elsewhere; the file that it saves is imported.',
  }),
  'examples.trained': operation('GET', `${base}/trained`, {
    ...common,
    errors: ['not_found', 'conflict'],
    query: z.strictObject({ policy_id: uuid }),
    output: trainedExamplesSchema,
    summary: 'Which examples a policy was trained from, and whether they are as they were',
  }),
  'examples.stats': operation('GET', `${base}/stats`, {
    ...common,
    output: z.object({
      total: z.int(),
      labelled: z.int(),
      unlabelled: z.int(),
      reviewed: z.int(),
      by_source: z.object({ user: z.int(), synthetic: z.int() }),
      by_option: z.record(z.string(), z.int()),
      by_queue: z.record(z.enum(labellingQueues), z.int()).describe('What the queues of examples/next hold'),
      suspects: z
        .object({
          expected_wrong: z
            .int()
            .nullable()
            .describe('About so many of all labels were wrong: a line at which to stop; null where it is not known'),
          corrected: z.int().describe('Suspect labels in whose place there is another one since'),
          checked_at: z.iso.datetime(),
        })
        .nullable()
        .describe('The last check of all labels; null before the first one'),
    }),
    summary: 'How the examples are distributed',
  }),
  'examples.get': operation('GET', `${base}/:example_id`, {
    ...common,
    output: exampleSchema,
    summary: 'One example',
  }),
  'examples.update': operation('PATCH', `${base}/:example_id`, {
    ...common,
    scope: 'label',
    body: exampleInputSchema
      .extend({
        reviewed: z.boolean().optional().describe('A person has confirmed it'),
        status: status.optional().describe('skipped or flagged'),
        note: note.optional().describe('For people'),
        replaces: z.string().nullable().optional().describe('The label it replaces; a 409 where it is another'),
        reader: readerName,
      })
      .meta({ id: 'ExampleUpdate', examples: [{ expected_decision: 'reject', reviewed: true }] }),
    output: exampleSchema,
    summary: 'Change one example',
    errors: ['conflict'],
  }),
  'examples.delete': operation('DELETE', `${base}/:example_id`, {
    ...common,
    scope: 'label',
    output: null,
    summary: 'Delete one example',
  }),
  'examples.bulk': operation('POST', `${base}/bulk`, {
    ...common,
    scope: 'label',
    body: exampleBulkSchema,
    output: z.object({
      affected: z.int(),
      held_out: z
        .int()
        .describe('So many are held out and have another label now: they are still measured by their first one'),
      undo_token: z.string(),
    }),
    summary: 'Label, review, mark or delete many examples; can be undone with the token',
    hints: destroys,
  }),
  'examples.undo': operation('POST', `${base}/undo`, {
    ...common,
    scope: 'label',
    body: z.strictObject({ undo_token: characters(1, 100) }),
    output: z.object({ affected: z.int() }),
    summary: 'Undo one bulk change',
    hints: updates,
    errors: ['conflict'],
  }),
  'examples.cancel': operation('DELETE', `${base}/change`, {
    ...common,
    scope: 'label',
    output: null,
    summary: 'Cancel a change of many examples, also by an option, while it goes on: nothing of it stays',
    description:
      'The call that made the change is answered 409. `progress` of the events says how far it is. An undo cannot be cancelled. That of an option takes the scope deploy, and the versions there and back stay in its history.',
    ignoresExamples: true,
    errors: ['conflict'],
  }),
  'examples.generate': operation('POST', `${base}/generate`, {
    ...common,
    scope: 'label',
    body: z.strictObject({
      count: z.int().min(1).max(limits.maxGeneratedPerCall).default(10).describe('How many'),
      option: z.string().optional().describe('Left out: the options with the fewest examples come first'),
    }),
    bodyOptional: true,
    output: z.array(exampleSchema),
    status: 201,
    summary: 'Have the teacher propose synthetic examples, all or none',
    description:
      'Where no model is connected, new examples are put together from those of the type, in their language; an option without any gets English sentences.',
    hints: { ...creates, openWorld: true },
    takesIdempotencyKey: true,
    errors: ['quota_exceeded', 'insufficient_credits', 'conflict'],
  }),
  'examples.import': operation('POST', `${base}/import`, {
    ...common,
    scope: 'label',
    body: importRequestSchema,
    fileForm: importFormSchema,
    output: importResultSchema,
    summary: 'Preview or import a file, whole or not at all',
    description: `Answers with the plan that POST /api/v1/imports gives, which takes larger files: a body has at most ${limits.maxExamplesBytes / 2 ** 20} MiB here. What a person is asked there is said in mapping. A commit refuses labels and reason codes that the type does not have, which are new_options and new_reason_codes of the plan: add them to the type first.`,
    takesIdempotencyKey: true,
    bodyLimitBytes: limits.maxExamplesBytes,
  }),
};

/** Operations whose large bodies reach their handlers as bytes, because they are read outside the server's thread. */
export const preparedOperations = [
  'examples.create',
  'examples.import',
  'decision_types.import',
  'policies.import',
] as const;
export type PreparedOperation = (typeof preparedOperations)[number];
