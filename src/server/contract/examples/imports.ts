/** Imports of a file: looked at, asked about, and written at once. */
import { z } from 'zod';
import { nameText } from '../../../engine/domain/definition.ts';
import { columnRoles } from '../../../engine/import/plan-import.ts';
import { columnKinds } from '../../../engine/import/sheet.ts';
import { jsonObject } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import { uuid } from '../common.ts';
import { operation, updates } from '../operation.ts';
import { decisionTypeSchema, piiFields } from '../types/decision-types.ts';
import { encodingField, importedFile, importResultSchema, onConflict, readingFields } from './examples.ts';

const names = (max: number) => z.array(nameText(limits.maxNameLength)).max(max).default([]);
/** How the file of an import is read, what its columns become, and what its labels mean. */
const labelTargetSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('option'), option: z.string() }),
  z.strictObject({ kind: z.literal('add') }),
  z.strictObject({ kind: z.literal('none') }),
]);
const maxNamedColumns = 2_000;
const maxNamedLabels = 10_000;
const byName = <V extends z.ZodType>(value: V, max: number) =>
  z.record(z.string(), value).refine((named) => Object.keys(named).length <= max, { message: `at most ${max} names` });
const readAs = z.strictObject({ ...readingFields, encoding: encodingField }).shape;
const importFileSchema = z
  .strictObject({
    file: importedFile,
    decision_type_id: uuid.optional().describe('The decision type that gains the examples'),
    name: nameText(limits.maxTypeNameLength)
      .optional()
      .describe('Of the type that it makes; may be said at the commit'),
    ...readAs,
  })
  .refine((plan) => plan.decision_type_id === undefined || plan.name === undefined, {
    message: 'give decision_type_id or name, not both',
  });
export type ImportUpload = Omit<z.output<typeof importFileSchema>, 'file'>;
const importChoiceSchema = z
  .strictObject({
    answer: z
      .string()
      .nullable()
      .optional()
      .describe('Column with the labels; null: none. What labels mean is then forgotten'),
    roles: byName(z.enum(columnRoles).meta({ id: 'ColumnRole' }), maxNamedColumns)
      .optional()
      .describe('What columns become; second_reading: the labels of a second reader'),
    must: z.string().nullable().optional().describe('Column that marks pinned cases'),
    kinds: byName(z.enum(columnKinds).meta({ id: 'ColumnKind' }), maxNamedColumns)
      .optional()
      .describe('How columns are read'),
    targets: byName(labelTargetSchema, maxNamedLabels)
      .optional()
      .describe('What labels mean: an option, a new option of their name (add), or no label (none)'),
    options: names(limits.maxOptions).optional().describe('Options of a new type whose file has no labels'),
    pii_fields: piiFields
      .optional()
      .describe(
        'Columns that become personal fields: masked in the log, and names and addresses in them are not learned. Left out: of a new type those of `personal`',
      ),
    repeated: z.enum(['keep', 'drop']).optional().describe('What becomes of copies. Left out: as the file suggests'),
    settle: z
      .boolean()
      .optional()
      .describe(
        'true: answers what is open about columns as they are called: one named like an answer has the labels, and what may tell it is input',
      ),
    ...readAs,
  })
  .meta({ id: 'ImportChoice', examples: [{ answer: 'label', kinds: { amount: 'number_decimal_comma' } }] });
export type ImportChoice = z.output<typeof importChoiceSchema>;

const counted = z.object({ count: z.int(), sentence: z.string().nullable() });
const cellRows = z.array(z.object({ line: z.int(), cells: z.array(z.string()) }));
const resultShape = importResultSchema.shape;
const planSchema = z
  .object({
    file: z
      .object({
        name: z.string(),
        rows: z.int(),
        detected: z.array(z.string()).describe('Facts found out about its format'),
        report: resultShape.report,
        workbook: z.object({ sheets: z.array(z.string()), hidden: z.array(z.string()), sheet: z.string() }).nullable(),
        header: z
          .object({ line: z.int(), first: z.array(z.object({ line: z.int(), text: z.string() })) })
          .nullable()
          .describe('The line that names the columns, 0 for none, and the first lines'),
        refused: z
          .object({ count: z.int(), first: z.array(z.object({ line: z.int(), message: z.string() })) })
          .describe('Lines that cannot be read, which are left out'),
      })
      .describe('How the file was read'),
    columns: z.array(
      resultShape.columns.element.extend({
        role: z.enum(columnRoles),
        asked: z.string().nullable().describe('Why it is asked what it becomes; null: it is not'),
        is_doubtful: z.boolean().describe('Whether the reading is a guess'),
        filled: z.int(),
        distinct: z.int(),
        spread: z.array(z.int()).describe('Rows of its commonest values, or of equal steps; empty: nothing to show'),
        language: z.string().nullable().describe('Of a column of texts, in words'),
      }),
    ),
    personal: z.array(z.string()).describe('Columns of the input that tell who somebody is, by name or values'),
    pii_fields: z
      .array(z.string())
      .nullable()
      .describe('Columns that become personal fields; null: none, as nothing was said about it'),
    answer: z.string().nullable().describe('Column with the labels; null: none, or a question asks for it'),
    answer_candidates: resultShape.answer_candidates,
    answer_is_certain: z.boolean().describe('Whether the file itself tells which column is the answer'),
    answers_are_several: z.boolean().describe('Whether some could be decision types of their own'),
    other_answers: resultShape.other_answers,
    questions: resultShape.questions,
    labels: z
      .array(z.object({ value: z.string(), count: z.int(), line: z.int(), target: labelTargetSchema }))
      .describe('The commonest 2,000 labels: their rows, the line of the first, and what each means'),
    labels_total: z.int(),
    near: z
      .array(z.object({ label: z.string(), option: z.string(), is_open: z.boolean() }))
      .describe('Labels that may be a variant spelling of an option; is_open: nothing was said about it yet'),
    examples: z.int().describe('Rows that become examples'),
    labelled: z.int(),
    new_options: z.array(z.string()),
    new_reason_codes: z.array(z.string()),
    readings: resultShape.readings,
    second_reader: z.string().nullable().describe('Column that may hold the labels of a second reader'),
    read_twice: counted.describe('Rows with the labels of two readers'),
    repeated: counted.describe('Copies that are left out'),
    alike: counted.describe('Copies that are kept'),
    conflicts: counted.describe('Rows with the input of another and another label'),
    misfits: z
      .array(z.object({ column: z.string(), count: z.int(), line: z.int(), message: z.string() }))
      .describe('Cells that are left empty because they do not fit the kind of their column'),
    known: z.string().nullable().describe('Which rows are examples of the type already; null: none'),
    preview: cellRows.describe('The first rows, cells as texts'),
    merge: resultShape.merge.unwrap().extend({ unknown_decisions: resultShape.unknown_decisions }).nullable(),
  })
  .meta({ id: 'OpenImport' });
export type OpenImportPlan = z.output<typeof planSchema>;
const openedSchema = z.object({
  id: uuid,
  plan: planSchema.describe('What becomes of the file'),
});

/** A line of a file as an import makes an example of it, or why it makes none. */
const readLineSchema = z.object({
  line: z.int(),
  input_payload: jsonObject.nullable(),
  expected_decision: z.string().nullable(),
  problem: z
    .object({ type: z.string(), loc: z.array(z.union([z.string(), z.int()])), msg: z.string() })
    .nullable()
    .describe('Why the line holds no example'),
});
export type ReadLine = z.output<typeof readLineSchema>;

const maxRowsPerCall = 200;
const common = { access: 'key', scope: 'label', tag: 'Examples' } as const;
const base = '/api/v1/imports';

export const importOperations = {
  'imports.begin': operation('POST', base, {
    ...common,
    fileForm: importFileSchema,
    spillsUpToBytes: limits.maxImportBytes,
    output: openedSchema,
    status: 201,
    summary: 'Begin an import of a file',
    description:
      'A form with a file is answered with what is in it, what becomes of it, and what is to be asked: say otherwise by PATCH, then commit. A file has at most 100 MB. Five minutes without a call, or a restart, end the import, and where the files of a caller take more than 128 MiB, the one used longest ago gives way. A key needs the scope train to make a type and deploy to add options, reason codes or readings.',
    errors: ['decision_type_not_found', 'conflict', 'quota_exceeded'],
  }),
  'imports.choose': operation('PATCH', `${base}/:import_id`, {
    ...common,
    body: importChoiceSchema,
    output: openedSchema,
    summary: 'Choose what becomes of the file of an import; what is left out stays as it was',
    errors: ['decision_type_not_found', 'conflict'],
  }),
  'imports.get': operation('GET', `${base}/:import_id`, {
    ...common,
    output: z.object({
      id: uuid,
      progress: z.number().nullable().describe('Share of the rows that the commit has written; null: none yet'),
    }),
    summary: 'How far the commit of a file is',
    errors: ['conflict'],
  }),
  'imports.rows': operation('GET', `${base}/:import_id/rows`, {
    ...common,
    query: z.strictObject({
      from: z.int().min(0).default(0).describe('Number of the first row, from 0'),
      count: z.int().min(1).max(maxRowsPerCall).default(20),
      label: z.string().optional().describe('Only rows with this label, as cells'),
      as: z
        .enum(['cells', 'examples'])
        .default('cells')
        .describe(
          'examples: all lines as the import reads them, with those that hold none and with copies; to be decided, so empty cells are left out and cells that do not fit stay texts',
        ),
    }),
    output: z.object({
      rows: cellRows.describe('At most 20,000 cells, 200 characters of each'),
      examples: z.array(readLineSchema).nullable().describe('At most a million characters, or one; null: as cells'),
      next: z.int().nullable().describe('The number to go on from; null: there are no more'),
    }),
    summary: 'Rows of the file of an import, cells as texts or as examples to be decided',
    errors: ['decision_type_not_found', 'conflict'],
  }),
  'imports.commit': operation('POST', `${base}/:import_id/commit`, {
    ...common,
    body: z.strictObject({
      name: nameText(limits.maxTypeNameLength).optional().describe('Of the decision type that a file makes'),
      on_conflict: onConflict,
      strict: z
        .boolean()
        .default(false)
        .describe(
          'true: refused where the file has lines that cannot be read, cells that do not fit their kind, or labels and reason codes that the type does not have and nobody has chosen',
        ),
    }),
    output: z.object({
      decision_type: decisionTypeSchema,
      examples: z.int().describe('Added examples'),
      example_ids: z.array(uuid).describe('Ids of the added examples'),
      merge: resultShape.merge,
    }),
    summary: 'Make the type, its new options and all examples of an import count, or nothing of it',
    hints: updates,
    takesIdempotencyKey: true,
    errors: ['decision_type_not_found', 'quota_exceeded'],
  }),
  'imports.cancel': operation('DELETE', `${base}/:import_id`, {
    ...common,
    output: null,
    summary: 'End an import without any effect, also while it is committed',
  }),
};
