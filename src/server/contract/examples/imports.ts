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
import { encodingField, importedFile, onConflict, readingFields } from './examples.ts';
import { cellRows, importPlanSchema, labelTargetSchema } from './import-plan.ts';

const names = (max: number) => z.array(nameText(limits.maxNameLength)).max(max).default([]);
/** How the file of an import is read, what its columns become, and what its labels mean. */
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

const openedSchema = z.object({
  id: uuid,
  plan: importPlanSchema.describe('What becomes of the file'),
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
    description: `A form with a file is answered with what is in it, what becomes of it, and what is to be asked: say otherwise by PATCH, then commit. A file has at most ${limits.maxImportBytes / 1_000_000} MB. Five minutes without a call, or a restart, end the import, and where the files of a caller take more than 128 MiB, the one used longest ago gives way. A key needs the scope train to make a type and deploy to add options, reason codes or readings.`,
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
      merge: importPlanSchema.shape.merge,
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
