/** Examples: adding, importing, generating, labelling. */
import { z } from 'zod';
import { characters, jsonObject } from '../../engine/domain.ts';
import { limits } from '../../engine/limits.ts';
import { dateTime, decisionTypeParams, pageQuery, paginated, uuid } from './common.ts';
import { creates, destroys, operation, reads, updates } from './operation.ts';

const reasonCodes = z.array(characters(1, limits.maxNameLength)).max(limits.maxReasonCodesPerExample);

const never = (...fields: string[]) => ({ not: { required: fields } });
/** Of a field and its alias at most one may be given. */
const aliases = [
  never('input_payload', 'input'),
  never('expected_decision', 'decision'),
  never('reason_codes', 'reason_code'),
];

/** Accepts the aliases `input`, `decision` and `reason_code` (a single string). */
export const exampleInputSchema = z.strictObject({
  input_payload: jsonObject.optional(),
  input: jsonObject.optional(),
  expected_decision: z.string().nullable().optional(),
  decision: z.string().nullable().optional(),
  reason_codes: reasonCodes.optional(),
  reason_code: z.string().nullable().optional(),
  test: z.boolean().optional().describe('Policies are measured on test rows and never learn from them'),
});
export type ExampleInput = z.output<typeof exampleInputSchema>;

const newExampleSchema = exampleInputSchema.meta({
  id: 'NewExample',
  examples: [{ input_payload: { amount: 42, message: 'The cup arrived in pieces.' }, expected_decision: 'approve' }],
  allOf: [{ anyOf: [{ required: ['input_payload'] }, { required: ['input'] }] }, ...aliases],
});

export const exampleStatuses = ['to_label', 'skipped', 'flagged', 'done'] as const;
export type ExampleStatus = (typeof exampleStatuses)[number];
const status = z.enum(exampleStatuses);
/** The lists from which `examples.next` gives out examples. */
export const labellingQueues = ['to_label', 'suspect', 'corrections', 'synthetic', 'flagged'] as const;
const note = characters(0, 2_000).nullable();

export const exampleSchema = z
  .object({
    id: uuid,
    decision_type_id: uuid,
    input_payload: z.record(z.string(), z.unknown()),
    expected_decision: z.string().nullable(),
    reason_codes: z.array(z.string()),
    source: z.enum(['user', 'synthetic']),
    reviewed: z.boolean(),
    test: z.boolean(),
    status: status.describe('to_label and done follow from the label; skipped and flagged are set'),
    note: z.string().nullable(),
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
const filterFields = {
  source: z.enum(['user', 'synthetic']).optional(),
  reviewed: z.boolean().optional(),
  test: z.boolean().optional(),
  decision: z.string().optional(),
  labelled: z.boolean().optional(),
  status: status.optional(),
  labelled_by: z.enum(['person', 'teacher']).optional(),
  search: characters(0, 200).optional(),
};
export const exampleFilterSchema = z.strictObject(filterFields);
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

export const importFormats = ['csv', 'tsv', 'json', 'jsonl'] as const;
export const importMappingSchema = z.strictObject({
  /** Column that holds the label; null: unlabelled examples. */
  decision: z.string().nullable(),
  /** Column with reason codes (separated by ; or |, or a JSON array). */
  reason_codes: z.string().nullable().default(null),
  /** Columns that become the input; null: all the others. Dots in a name nest. */
  input: z.array(z.string()).max(2_000).nullable().default(null),
});
export type ImportMapping = z.output<typeof importMappingSchema>;

const importRequestSchema = z
  .strictObject({
    format: z.enum(importFormats),
    content: z.string(),
    mapping: importMappingSchema.optional().describe('Left out: guessed from the column names'),
    commit: z.boolean().default(false).describe('false: preview only, nothing is written'),
  })
  .meta({ examples: [{ format: 'csv', content: 'amount,decision\n42,approve\n9000,reject\n' }] });

const importResultSchema = z.object({
  committed: z.boolean(),
  mapping: importMappingSchema,
  columns: z.array(z.object({ name: z.string(), kind: z.string(), samples: z.array(z.string()) })),
  total: z.int(),
  labelled: z.int(),
  by_option: z.record(z.string(), z.int()),
  unknown_decisions: z.array(z.object({ value: z.string(), count: z.int(), line: z.int() })),
  preview: z.array(
    z.object({
      line: z.int(),
      input_payload: z.record(z.string(), z.unknown()),
      expected_decision: z.string().nullable(),
      reason_codes: z.array(z.string()),
    }),
  ),
});

export type ImportResult = z.infer<typeof importResultSchema>;

const exampleBulkSchema = z
  .strictObject({
    ids: z.array(uuid).min(1).max(limits.maxExamplesPerCall).optional(),
    filter: exampleFilterSchema.optional(),
    action: z.enum(['set_decision', 'set_reviewed', 'set_test', 'set_status', 'delete']),
    decision: z.string().nullable().optional(),
    reviewed: z.boolean().optional(),
    test: z.boolean().optional(),
    status: status.optional().describe('done and to_label concern only the examples with, and without, a label'),
  })
  .refine((b) => (b.ids === undefined) !== (b.filter === undefined), { message: 'give either ids or filter' })
  .refine((b) => b.action !== 'set_decision' || b.decision !== undefined, {
    message: 'decision is required',
    path: ['decision'],
  })
  .refine((b) => b.action !== 'set_reviewed' || b.reviewed !== undefined, {
    message: 'reviewed is required',
    path: ['reviewed'],
  })
  .refine((b) => b.action !== 'set_test' || b.test !== undefined, { message: 'test is required', path: ['test'] })
  .refine((b) => b.action !== 'set_status' || b.status !== undefined, {
    message: 'status is required',
    path: ['status'],
  })
  .meta({
    id: 'ExampleBulk',
    examples: [{ filter: { source: 'synthetic', reviewed: false }, action: 'set_reviewed', reviewed: true }],
    oneOf: [{ required: ['ids'] }, { required: ['filter'] }],
    anyOf: [
      { properties: { action: { const: 'delete' } } },
      { properties: { action: { const: 'set_decision' } }, required: ['decision'] },
      { properties: { action: { const: 'set_reviewed' } }, required: ['reviewed'] },
      { properties: { action: { const: 'set_test' } }, required: ['test'] },
      { properties: { action: { const: 'set_status' } }, required: ['status'] },
    ],
  });

const common = { access: 'key', tag: 'Examples' } as const;
const base = '/api/v1/decision-types/:decision_type_id/examples';
const params = decisionTypeParams;
const one = decisionTypeParams.extend({ example_id: uuid });
/** The largest body of a call that carries examples. */
const maxExamplesBodyBytes = 16 * 1024 * 1024;

export const exampleOperations = {
  'examples.create': operation({
    ...common,
    method: 'POST',
    path: base,
    params,
    body: z.strictObject({ examples: z.array(newExampleSchema).min(1).max(limits.maxExamplesPerCall) }),
    output: z.array(exampleSchema),
    status: 201,
    summary: 'Add examples, all or none',
    hints: creates,
    takesIdempotencyKey: true,
    bodyLimitBytes: maxExamplesBodyBytes,
  }),
  'examples.list': operation({
    ...common,
    method: 'GET',
    path: base,
    params,
    query: z.strictObject({ ...pageQuery, ...listOrder, ...filterFields }),
    output: paginated(exampleSchema),
    status: 200,
    summary: 'List examples, newest first or sorted by a column',
    hints: reads,
  }),
  'examples.stats': operation({
    ...common,
    method: 'GET',
    path: `${base}/stats`,
    params,
    output: z.object({
      total: z.int(),
      labelled: z.int(),
      unlabelled: z.int(),
      reviewed: z.int(),
      by_source: z.object({ user: z.int(), synthetic: z.int() }),
      by_option: z.record(z.string(), z.int()),
      by_queue: z.record(z.enum(labellingQueues), z.int()).describe('What the queues of examples/next hold'),
    }),
    status: 200,
    summary: 'How the examples are distributed',
    hints: reads,
  }),
  'examples.get': operation({
    ...common,
    method: 'GET',
    path: `${base}/:example_id`,
    params: one,
    output: exampleSchema,
    status: 200,
    summary: 'One example',
    hints: reads,
  }),
  'examples.update': operation({
    ...common,
    method: 'PATCH',
    path: `${base}/:example_id`,
    params: one,
    body: exampleInputSchema
      .extend({
        reviewed: z.boolean().optional(),
        status: status.optional(),
        note: note.optional(),
        replaces: z
          .string()
          .nullable()
          .optional()
          .describe('The label that the given one replaces: a 409 where another one stands there meanwhile'),
      })
      .meta({ id: 'ExampleUpdate', allOf: aliases, examples: [{ expected_decision: 'reject', reviewed: true }] }),
    output: exampleSchema,
    status: 200,
    summary: 'Change one example',
    hints: updates,
    errors: ['conflict'],
  }),
  'examples.delete': operation({
    ...common,
    method: 'DELETE',
    path: `${base}/:example_id`,
    params: one,
    output: null,
    status: 204,
    summary: 'Delete one example',
    hints: destroys,
  }),
  'examples.bulk': operation({
    ...common,
    method: 'POST',
    path: `${base}/bulk`,
    params,
    body: exampleBulkSchema,
    output: z.object({ affected: z.int(), undo_token: z.string() }),
    status: 200,
    summary: 'Label, review, mark or delete many examples; can be undone with the token',
    hints: destroys,
  }),
  'examples.undo': operation({
    ...common,
    method: 'POST',
    path: `${base}/undo`,
    params,
    body: z.strictObject({ undo_token: characters(1, 100) }),
    output: z.object({ affected: z.int() }),
    status: 200,
    summary: 'Undo one bulk change',
    hints: updates,
    errors: ['conflict'],
  }),
  'examples.generate': operation({
    ...common,
    method: 'POST',
    path: `${base}/generate`,
    params,
    body: z.strictObject({
      count: z.int().min(1).max(limits.maxGeneratedPerCall).default(10),
      option: z.string().optional().describe('Left out: the options with the fewest examples come first'),
    }),
    bodyOptional: true,
    output: z.array(exampleSchema),
    status: 201,
    summary: 'Have the teacher propose synthetic examples, all or none',
    hints: { ...creates, openWorld: true },
    takesIdempotencyKey: true,
    errors: ['quota_exceeded', 'insufficient_credits', 'conflict'],
  }),
  'examples.import': operation({
    ...common,
    method: 'POST',
    path: `${base}/import`,
    params,
    body: importRequestSchema,
    output: importResultSchema,
    status: 200,
    summary: 'Preview or import a CSV, TSV, JSON or JSONL file, whole or not at all',
    hints: creates,
    takesIdempotencyKey: true,
    bodyLimitBytes: maxExamplesBodyBytes,
  }),
};

/** Operations whose large bodies reach their handlers as bytes, because they are read outside the server's thread. */
export const preparedOperations = ['examples.create', 'examples.import'] as const;
export type PreparedOperation = (typeof preparedOperations)[number];
