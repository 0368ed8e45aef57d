/** Exported examples come back as they were, in every format and of any type, and no spreadsheet runs their cells. */
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byName } from '../../../src/engine/domain/records.ts';
import { setFlags } from '../../../src/engine/examples/fields.ts';
import { ExampleTablePlan, type ExportedExample } from '../../../src/engine/export/example-columns.ts';
import { type ExampleFormat, isTableFormat } from '../../../src/engine/export/file-kinds.ts';
import { writeRecords, writeTable } from '../../../src/engine/export/formats.ts';
import { readFile } from '../../../src/engine/import/read-file.ts';
import type { JsonObject } from '../../../src/engine/json.ts';

async function* stream(examples: readonly ExportedExample[]) {
  yield* examples;
}

async function write(
  format: Exclude<ExampleFormat, 'labelling_page'>,
  examples: readonly ExportedExample[],
  options: readonly string[] = [],
) {
  const plan = new ExampleTablePlan();
  for (const { input_payload } of examples) plan.see(input_payload);
  const pieces = isTableFormat(format)
    ? writeTable(format, 'triage', plan.finish(), stream(examples))
    : writeRecords(format, options, stream(examples));
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
  return Buffer.concat(parts);
}

const readSheet = async (format: string, bytes: Uint8Array) =>
  readFile({ name: `examples.${format}`, bytes }, {}, { maxBytes: 100_000_000 });

async function readBack(format: Exclude<ExampleFormat, 'labelling_page'>, examples: readonly ExportedExample[]) {
  const sheet = await readSheet(format, await write(format, examples));
  return { sheet, records: sheet.rows.map((row) => ('values' in row ? row.values : {})) };
}

/** What comes back: all but what a model said, which says nothing of another copy. */
const toKept = ({ suggestion: _s, suggestion_probability: _p, policy: _, ...kept }: ExportedExample) => kept;
const pickKept = (record: JsonObject, like: object) =>
  Object.fromEntries(Object.keys(like).map((key) => [key, record[key]]));

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('a;=1+1;b', "a;'-1", 'p|@q', 'x\n=1', 'a\t"+1"', ";''\uff1d", '"a;@b"'),
  fc.constantFrom('', ' ', '=1+1', "'=1", "''+2", '-5', '007', 'true', 'null', '"', '"a"', 'a;b|c', '2024-01-02', '[]'),
  fc.constantFrom(
    'a\nb',
    'a\r\nb',
    '\t',
    'total',
    'Total',
    'note: x',
    '_x000D_',
    '\u0000',
    'ä',
    '\ufeff',
    '\ud800',
    '{}',
  ),
);
const numbers = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
/** Other whole numbers lose digits, and no input holds them. */
const isExact = (value: number) => !Number.isInteger(value) || Number.isSafeInteger(value);
const values = fc.oneof(
  { weight: 5, arbitrary: texts },
  { weight: 3, arbitrary: numbers.filter(isExact).map((value) => (Object.is(value, -0) ? 0 : value)) },
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(texts, fc.integer(), fc.constant(null)), { maxLength: 3 }),
);
const names = fc.oneof(
  fc.constantFrom(
    'amount',
    'id',
    'status',
    'input.id',
    'cell_kinds',
    'a.b',
    'Anzahl Nächte',
    ' x',
    '',
    'note',
    '7',
    '=a',
    "'-b",
    '\uff0d',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const isPlain = (name: string) => name !== '__proto__';
const fields = fc.dictionary(names.filter(isPlain), values, { maxKeys: 5 });
const inputs = fc.dictionary(
  names.filter(isPlain),
  fc.oneof({ weight: 4, arbitrary: values }, fields, fc.dictionary(fc.constantFrom('x', 'y', 'id'), fields)),
  { maxKeys: 7 },
);
const options = fc.constantFrom('approve', 'reject', '=now()', ' spaced ', '"quoted"', 'a;b');
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const times = fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString());
const examples: fc.Arbitrary<ExportedExample> = fc.record({
  id: fc.uuid(),
  // Through JSON, as inputs come.
  input_payload: inputs.map((input) => JSON.parse(JSON.stringify(input)) as JsonObject),
  expected_decision: optional(options),
  reason_codes: fc.array(fc.constantFrom('A', 'B;C', 'D|E', ' F', '[G'), { maxLength: 3 }),
  status: fc.constantFrom('to_label', 'done', 'skipped', 'flagged'),
  note: optional(texts.filter((text) => text !== '')),
  ...byName(setFlags, () => fc.boolean()),
  source: fc.constantFrom('user', 'synthetic'),
  labelled_by: optional(fc.constantFrom('person', 'teacher')),
  first_decision: optional(options),
  reader: optional(texts.filter((text) => text !== '')),
  labelled_at: optional(times),
  second_reading: optional(
    fc.record({
      ...{ first_decision: options, first_reader: optional(texts), first_at: times, decision: options },
      ...{ reader: optional(texts), note: optional(texts), read_at: times, settled_at: optional(times) },
    }),
  ),
  created_at: times,
  updated_at: times,
  suggestion: optional(options),
  suggestion_probability: optional(fc.double({ min: 0, max: 1, noNaN: true })),
  side: optional(fc.constantFrom('test', 'learned', 'held_out')),
  policy: optional(fc.constantFrom('v1', 'v12')),
});

describe('Exported examples', () => {
  it.each(['csv', 'xlsx', 'parquet', 'jsonl'] as const)('come back from %s as they were [XPT-2]', async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(examples, { minLength: 1, maxLength: 8 }), async (given) => {
        const { sheet, records } = await readBack(format, given);
        expect([sheet.isOwnExport, sheet.refused, records.length]).toEqual([true, [], given.length]);
        for (const [index, example] of given.entries()) {
          const kept = toKept(example);
          expect(pickKept(records[index] ?? {}, kept)).toEqual(kept);
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** Inputs as labelling tools show them: texts and a few facts. */
const textInputs = fc.record(
  {
    subject: fc.string({ minLength: 1, maxLength: 20 }),
    body: fc.string({ minLength: 1, maxLength: 40 }),
    amount: fc.integer(),
    urgent: fc.boolean(),
  },
  { requiredKeys: ['subject'] },
);

describe('Examples for labelling tools', () => {
  it.each(['label_studio', 'argilla', 'prodigy', 'spacy'] as const)(
    'are read back from the format of %s with their labels [XPT-6]',
    async (format) => {
      const labelled = fc.tuple(examples, textInputs, fc.constantFrom('approve', 'reject')).map(
        ([example, input, label]): ExportedExample => ({
          ...example,
          input_payload: input,
          expected_decision: label,
          status: 'done',
        }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(labelled, { minLength: 2, maxLength: 6 }), async (given) => {
          const sheet = await readSheet('json', await write(format, given, ['approve', 'reject']));
          const records = sheet.rows.map((row) => ('values' in row ? row.values : {}));
          expect(records).toEqual(
            given.map(({ input_payload, expected_decision }) => ({ ...input_payload, label: expected_decision })),
          );
        }),
        { numRuns: 40 },
      );
    },
  );
});

describe('A table of examples', () => {
  const example = {
    ...{ id: '00000000-0000-4000-8000-000000000000', expected_decision: '=approve', reason_codes: [], status: 'done' },
    ...{
      note: '+1',
      reviewed: true,
      test: false,
      must: true,
      source: 'user',
      labelled_by: 'person',
      first_decision: null,
      ...{ reader: null, labelled_at: null, second_reading: null },
    },
    ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z', suggestion: null },
    ...{ suggestion_probability: null, side: null, policy: null },
  };
  const rows = [
    { ...example, input_payload: { amount: 5, note: '=HYPERLINK("x")', stay: { nights: 2 }, paid: true } },
    { ...example, input_payload: { amount: 7.5, note: 'fine', stay: { nights: 3 }, paid: false } },
  ];

  it('names its columns as the import does, and starts no cell with what a spreadsheet runs [XPT-3]', async () => {
    const csv = (await write('csv', rows)).toString();
    const [header = [], ...lines]: string[][] = parse(csv);
    expect(header.slice(-4)).toEqual(['amount', 'input.note', 'stay.nights', 'paid']);
    expect(lines.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
    expect(lines[0]?.slice(-4)).toEqual(['5', `'=HYPERLINK("x")`, '2', 'true']);
  });

  it.each([';', '|', '\t'])('has no formula for who opens it with %j between cells [XPT-3]', async (delimiter) => {
    const notes = ['a;=1+1;b', 'a|@b', 'a\t+1', 'a\n-1', 'a;"=1"', ";'=1", 'a;\uff1d1', '[";=1"]'];
    const csv = (
      await write(
        'csv',
        notes.map((note) => ({ ...example, input_payload: { note } })),
      )
    ).toString();
    const cells: string[][] = parse(csv, { delimiter, relax_quotes: true, relax_column_count: true });
    expect(cells.flat().filter((cell) => /^['"]*[=+\-@\uff1d]/.test(cell) && !cell.startsWith("'"))).toEqual([]);
  });

  it('takes rows that somebody adds, and names the cell that is not of its kind [XPT-2]', async () => {
    const csv = (await write('csv', rows)).toString();
    const width = csv.split('\r\n')[0]?.split(',').length ?? 0;
    const added = (cells: string[]) => `${[...Array.from({ length: width - 4 }, () => ''), ...cells].join(',')}\r\n`;
    const sheet = await readSheet(
      'csv',
      Buffer.from(csv + added(['9', 'new', '', 'TRUE']) + added(['many', '', '', ''])),
    );
    const last = sheet.rows.at(2);
    expect(last && 'values' in last && last.values).toMatchObject({
      id: null,
      input_payload: { amount: 9, note: 'new', paid: true },
    });
    expect(sheet.refused).toEqual([{ line: 5, column: 'amount', message: '“many” is not a number' }]);
  });
});
