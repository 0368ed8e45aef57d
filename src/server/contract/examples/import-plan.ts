/** The plan of an import, whichever door it comes by: how the file was read, what becomes of it, what is asked. */
import { z } from 'zod';
import { readingsSchema } from '../../../engine/domain/definition.ts';
import { columnRoles } from '../../../engine/import/plan-import.ts';
import { columnKinds, skipReasons } from '../../../engine/import/sheet.ts';
import { uuid } from '../common.ts';

/** Meaning of a label. */
export const labelTargetSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('option'), option: z.string() }),
  z.strictObject({ kind: z.literal('add') }),
  z.strictObject({ kind: z.literal('none') }),
]);

const counted = z.object({ count: z.int(), sentence: z.string().nullable() });
export const cellRows = z.array(z.object({ line: z.int(), cells: z.array(z.string()) }));

const reportSchema = z
  .object({
    encoding: z.string().nullable().describe('Encoding of a text file; null for other files, and for text in a body'),
    encodings: z
      .array(z.object({ encoding: z.string(), example: z.string() }))
      .describe('What the text could be in where nothing in it tells, and how it would read: choose in encoding'),
    delimiter: z.string().nullable().describe('What separates the cells of a text; empty: one column'),
    quote: z.string().nullable().describe('What stands around cells that hold a separator; empty: nothing'),
    account: z.array(z.string()).describe('How the file was read, in the sentences that page and command line show'),
    skipped: z
      .array(
        z.object({
          reason: z.enum(skipReasons),
          count: z.int(),
          lines: z.array(z.int()).describe('The first of them'),
        }),
      )
      .describe('Lines that are no rows: titles, second headers, totals and notes around a table, and blank lines'),
    notes: z.array(z.string()).describe('What was guessed, made up or lost, in sentences'),
  })
  .describe('How the file was read');

const fileSchema = z
  .object({
    name: z.string().describe('Empty for text in a body'),
    rows: z.int(),
    detected: z.array(z.string()).describe('Facts found out about its format'),
    report: reportSchema,
    workbook: z
      .object({
        sheets: z.array(z.string()).describe('The fullest first'),
        hidden: z.array(z.string()),
        sheet: z.string(),
      })
      .nullable(),
    header: z
      .object({ line: z.int(), first: z.array(z.object({ line: z.int(), text: z.string() })) })
      .nullable()
      .describe('The line that names the columns, 0 for none, and the first lines'),
    refused: z
      .object({ count: z.int(), first: z.array(z.object({ line: z.int(), message: z.string() })) })
      .describe('Lines that cannot be read, which are left out'),
  })
  .describe('How the file was read');

const columnSchema = z.object({
  name: z.string(),
  kind: z.string().describe('JSON type of the values as they are read; mixed or empty'),
  samples: z.array(z.string()),
  read_as: z.enum(columnKinds),
  reason: z.string().describe('Why it is read so; empty where nothing is to be said'),
  choices: z.array(z.enum(columnKinds)).describe('Readings of which no value tells the right one: choose in read_as'),
  left_out: z.string().nullable().describe('Why the column is not part of the input; a choice takes it back in'),
  explains: z
    .number()
    .nullable()
    .describe('Share of the rows in which it alone tells the answer, where that is too much; else null'),
  doubt: z
    .string()
    .nullable()
    .describe('Why a column of the input may have to be left out. Settled by a choice that names the input'),
  role: z.enum(columnRoles),
  asked: z.string().nullable().describe('Why it is asked what it becomes; null: it is not'),
  is_doubtful: z.boolean().describe('Whether the reading is a guess'),
  filled: z.int(),
  distinct: z.int(),
  spread: z.array(z.int()).describe('Rows of its commonest values, or of equal steps; empty: nothing to show'),
  language: z
    .string()
    .nullable()
    .describe('Of a column of texts, in words; null: of others, and where a file is imported in one call'),
});

const mergeSchema = z
  .object({
    added: z.int(),
    changed: z.int().describe('Without the conflicts'),
    unchanged: z.int(),
    read_again: z.int().describe('Labels of a labelling page that become second readings beside the label here'),
    gone: z.int().describe('Labels of a labelling page whose example is not here any more'),
    conflicts: z.int().describe('Changed here and in the file otherwise: they become what on_conflict says'),
    items: z
      .array(
        z.object({
          line: z.int(),
          example_id: uuid,
          about: z.enum(['label', 'input']),
          here: z.string().nullable().describe('The label here'),
          there: z.string().nullable().describe('The label in the file'),
        }),
      )
      .describe('The first 100 conflicts'),
    unknown_decisions: z
      .array(z.object({ value: z.string(), count: z.int(), line: z.int() }))
      .describe('Labels that are none of the options'),
  })
  .nullable()
  .describe(
    'Of an export of examples: its rows are the examples of their ids, else those of equal inputs, and new ones otherwise. No label is removed. null: another file, whose rows are all added',
  );

export const importPlanSchema = z
  .object({
    file: fileSchema,
    columns: z.array(columnSchema),
    personal: z.array(z.string()).describe('Columns of the input that tell who somebody is, by name or values'),
    pii_fields: z
      .array(z.string())
      .nullable()
      .describe('Columns that become personal fields; null: none, as nothing was said about it'),
    answer: z.string().nullable().describe('Column with the labels; null: none, or a question asks for it'),
    answer_candidates: z
      .array(
        z.object({
          column: z.string(),
          why: z.string().describe('Facts that speak for it'),
          values: z.record(z.string(), z.int()).describe('Its commonest values with their rows'),
        }),
      )
      .describe('Columns that could hold the labels, the likeliest first'),
    answer_is_certain: z.boolean().describe('Whether the file itself tells which column is the answer'),
    answers_are_several: z.boolean().describe('Whether some could be decision types of their own'),
    other_answers: z
      .array(z.string())
      .describe('Columns that look like the answers of other decision types; without a choice they are left out'),
    questions: z
      .array(
        z.object({ about: z.enum(['encoding', 'answer', 'input', 'kind']), column: z.string(), sentence: z.string() }),
      )
      .describe('What only a person can tell. A commit is refused while one is open'),
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
    readings: readingsSchema.describe(
      'How the type reads texts of these fields in calls from now on, where the key has the scope deploy: it had none of them',
    ),
    second_reader: z.string().nullable().describe('Column that may hold the labels of a second reader'),
    read_twice: counted.describe('Rows with the labels of two readers'),
    repeated: counted.describe('Copies that are left out'),
    alike: counted.describe('Copies that are kept'),
    conflicts: counted.describe('Rows with the input of another and another label'),
    misfits: z
      .array(z.object({ column: z.string(), count: z.int(), line: z.int(), message: z.string() }))
      .describe('Cells that are left empty because they do not fit the kind of their column'),
    known: z
      .string()
      .nullable()
      .describe('Which rows are examples of the type already; null: none, and of a small file in one call'),
    preview: cellRows.describe('The first rows, cells as texts'),
    merge: mergeSchema,
  })
  .meta({ id: 'ImportPlan' });
export type ImportPlan = z.output<typeof importPlanSchema>;
