/** Tables made of known rows with the oddities of programs and people, and how they are read back. */
import fc from 'fast-check';
import { planImport, proposeImport, toExampleColumns } from '../../../src/engine/import/plan-import.ts';
import { readFile } from '../../../src/engine/import/read-file.ts';
import { createRowReader } from '../../../src/engine/import/row-reader.ts';
import { UnreadableFile } from '../../../src/engine/import/sheet.ts';
import { surveyColumns } from '../../../src/engine/import/survey.ts';
import type { JsonObject } from '../../../src/engine/json.ts';

export type Row = { text: string; amount: number | null; day: string; verdict: string };

const word = fc.constantFrom('late', 'broken', 'Zürich', 'lost', 'café', 'twice', 'wrong size', 'no reply', 'cold');
const row = fc.record({
  text: fc.tuple(word, word, fc.nat(999)).map(([a, b, n]) => `${a}, ${b} ${n}`),
  amount: fc.integer({ min: 1, max: 99_999 }).map((cents) => (cents + 100_000) / 100),
  day: fc
    .date({ min: new Date('1990-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10)),
});
/** Rows of both labels, with a day past the twelfth among them. */
export const someRows: fc.Arbitrary<Row[]> = fc.array(row, { minLength: 8, maxLength: 24 }).map((rows) =>
  rows.map(
    (each, index): Row => ({
      ...each,
      day: index === 0 ? `${each.day.slice(0, 8)}28` : each.day,
      verdict: index % 3 === 0 ? 'grant' : 'deny',
    }),
  ),
);

const often = (weight: number) => fc.nat(99).map((at) => at >= 100 - weight);
/** What programs and people do to a table in a text. */
const textOddities = fc.record({
  separator: fc.constantFrom(',', ';', '\t', '|', ';', ','),
  end: fc.constantFrom('\n', '\r\n'),
  encoding: fc.constantFrom('utf-8', 'utf-8 with a mark', 'utf-16le'),
  isQuoted: often(30),
  hasDecimalComma: often(30),
  days: fc.constantFrom('iso', 'day first', 'month first', 'month in words'),
  /** How an amount is written besides its digits. */
  amounts: fc.constantFrom('plain', 'plain', 'plain', '$', ' €', 'thousands', 'USD behind'),
  /** What stands where there is no amount; null where each row has one. */
  missing: fc.constantFrom(null, null, null, '', 'NA', 'NULL', 'n/a', '-', '.', '<NA>', '#N/A'),
  texts: fc.constantFrom('plain', 'plain', 'quotes', 'line breaks'),
  /** What programs write in front of all. */
  before: fc.constantFrom('nothing', 'nothing', 'nothing', 'separator', 'comments', 'facts', 'blank lines'),
  hasIndex: often(15),
  /** Bars around the lines, and dashes below the names, as Markdown has them. */
  isDrawn: often(10),
  hasSecondTable: often(10),
  answersIn: fc.constantFrom('a text', 'a text', 'a text', 'a list', 'a Python list'),
  titles: fc.nat(2),
  kinds: fc.constantFrom('none', 'none', 'none', 'database', 'orange'),
  hasHeadings: often(15),
  hasTotal: often(20),
  notes: fc.constantFrom(0, 0, 0, 1, 2),
  hasBlankLines: often(15),
  hasTrailingSeparators: often(15),
  hasTableBeside: often(15),
  repeatsHeader: often(10),
  marks: fc.constantFrom('none', 'none', 'none', 'x', '1'),
});
type TextOddities = typeof textOddities extends fc.Arbitrary<infer T> ? T : never;

const toDay = (day: string, form: TextOddities['days']) => {
  const [year, month, date] = day.split('-');
  switch (form) {
    case 'iso':
      return day;
    case 'day first':
      return `${date}.${month}.${year}`;
    case 'month first':
      return `${month}/${date}/${year}`;
    case 'month in words':
      return `${date} ${new Date(day).toLocaleString('en', { month: 'short', timeZone: 'UTC' })} ${year}`;
  }
};

/** The rows that a file with these oddities holds. */
const toWritten = (rows: readonly Row[], { missing, texts }: TextOddities): Row[] =>
  rows.map((row, index) => ({
    ...row,
    amount: missing !== null && index % 4 === 1 ? null : row.amount,
    text: texts === 'quotes' ? `${row.text} "so"` : texts === 'line breaks' ? `${row.text}\nand more` : row.text,
  }));

/** Writes rows as a text with these oddities. */
function writeText(rows: readonly Row[], odd: TextOddities): Uint8Array {
  const { separator, marks } = odd;
  const toAmount = (amount: number | null) => {
    if (amount === null) return odd.missing ?? '';
    const plain =
      odd.amounts === 'thousands' ? amount.toLocaleString('en', { minimumFractionDigits: 2 }) : amount.toFixed(2);
    const signed = odd.hasDecimalComma ? plain.replace(/[.,]/g, (sign) => (sign === '.' ? ',' : '.')) : plain;
    return { $: `$${signed}`, ' €': `${signed} €`, 'USD behind': `${signed} USD`, plain: signed, thousands: signed }[
      odd.amounts
    ];
  };
  const toAnswerText = (verdict: string) =>
    odd.answersIn === 'a text' || verdict === ''
      ? verdict
      : odd.answersIn === 'a list'
        ? `["${verdict}"]`
        : `['${verdict}']`;
  const options = ['grant', 'deny'];
  const toAnswer = (verdict: string) =>
    marks === 'none'
      ? [toAnswerText(verdict)]
      : options.map((option) => (option === verdict ? marks : marks === '1' ? '0' : ''));
  const names = ['text', 'amount', 'day', ...(marks === 'none' ? ['verdict'] : options)];
  const width = names.length;
  const fill = (...cells: string[]) => [...cells, ...Array.from({ length: width - cells.length }, () => '')];
  const lines: string[][] = odd.before === 'facts' ? [['From:', '2024-01-01'], ['To:', '2024-12-31'], []] : [];
  if (odd.before === 'comments') lines.push(['# exported by the desk'], ['# for the north']);
  if (odd.before === 'blank lines') lines.push([], []);
  for (let title = 0; title < odd.titles; title += 1)
    lines.push([title === 0 ? 'Report of all cases' : 'made for the desk']);
  if (odd.titles > 0) lines.push([]);
  lines.push(names);
  if (odd.kinds === 'database') lines.push(['VARCHAR(80)', 'DECIMAL', 'DATE', ...toAnswer('').map(() => 'VARCHAR')]);
  if (odd.kinds === 'orange')
    lines.push(
      ['string', 'continuous', 'time', ...toAnswer('').map(() => 'discrete')],
      fill('', '', '', ...(marks === 'none' ? ['class'] : [])),
    );
  const isRow = new Set<string[]>();
  const start = lines.indexOf(names);
  const half = Math.floor(rows.length / 2);
  for (const [index, { text, amount, day, verdict }] of rows.entries()) {
    if (odd.hasHeadings && marks !== 'x' && (index === 0 || index === half))
      lines.push(fill(index === 0 ? 'Region North' : 'Region South'));
    if (odd.hasBlankLines && index === half) lines.push([]);
    if (odd.repeatsHeader && index === half) lines.push(names);
    const line = [text, toAmount(amount), toDay(day, odd.days), ...toAnswer(verdict)];
    isRow.add(line);
    lines.push(line);
  }
  if (odd.hasTotal) lines.push(fill('Total', toAmount(rows.reduce((sum, { amount }) => sum + (amount ?? 0), 0))));
  if (odd.notes > 0) lines.push([]);
  for (let note = 0; note < odd.notes; note += 1)
    lines.push([note === 0 ? 'Source: the desk of the north' : 'Figures are not final']);
  if (odd.hasIndex) {
    let count = 0;
    for (const [at, line] of lines.entries()) {
      if (at < start || line.length < width) continue;
      lines[at] = [isRow.has(line) ? String(count) : '', ...line];
      if (isRow.has(line)) count += 1;
    }
  }
  if (odd.hasTableBeside) {
    for (const [index, beside] of [
      ['shop', 'count'],
      ['north', '3'],
      ['south', '5'],
    ].entries()) {
      const line = lines[start + index];
      if (line !== undefined)
        lines[start + index] = [
          ...line,
          ...Array.from({ length: width + Number(odd.hasIndex) - line.length }, () => ''),
          '',
          ...beside,
        ];
    }
  }
  if (odd.hasSecondTable) lines.push([], ['shop', 'count', 'share'], ['north', '3', '0.4'], ['south', '5', '0.6']);
  const isDrawn =
    odd.isDrawn && separator === '|' && !odd.isQuoted && !odd.hasTableBeside && !odd.hasTrailingSeparators;
  if (isDrawn)
    lines.splice(lines.findIndex((line) => line.includes('amount')) + 1, 0, lines[start]?.map(() => '---') ?? []);
  const most = Math.max(...lines.map(({ length }) => length));
  const quote = (cell: string) =>
    odd.isQuoted || cell.includes(separator) || /["\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const mark = odd.before === 'separator' ? `sep=${separator}${odd.end}` : '';
  const written = lines
    .map((cells) => {
      const filled = odd.hasTrailingSeparators
        ? [...cells, ...Array.from({ length: most + 1 - cells.length }, () => '')]
        : cells;
      const joined = filled.map((cell) => (cell === '' ? '' : quote(cell))).join(isDrawn ? ' | ' : separator);
      return isDrawn && cells.length >= width ? `| ${joined} |` : joined;
    })
    .join(odd.end);
  const text = mark + written;
  const marked = odd.encoding === 'utf-8' ? text : `\ufeff${text}`;
  return odd.encoding === 'utf-16le'
    ? new Uint8Array(Buffer.from(marked, 'utf16le'))
    : new TextEncoder().encode(marked);
}

/** The shapes in which programs write rows as JSON. */
export const jsonShapes = [
  'records',
  'lines',
  'wrapped',
  'split',
  'compact',
  'gviz',
  'columns',
  'mongo',
  'quoted',
  'lists',
  'columns beside their kinds',
  'values of a sheet',
  'features',
  'dynamo',
  'documents of several lines',
] as const;
export type JsonShape = (typeof jsonShapes)[number];

/** Writes rows as JSON of a shape. */
export function writeJson(rows: readonly Row[], shape: JsonShape): Uint8Array {
  const names = ['text', 'amount', 'day', 'verdict'] as const;
  const cells = rows.map((each) => names.map((name) => each[name]));
  const write = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  switch (shape) {
    case 'records':
      return write(rows);
    case 'lines':
      return new TextEncoder().encode(rows.map((each) => JSON.stringify(each)).join('\n'));
    case 'wrapped':
      return write({ meta: { total: rows.length }, result: { items: rows }, errors: [] });
    case 'split':
      return write({ columns: names, index: rows.map((_, index) => index), data: cells });
    case 'compact':
      return write({ meta: names.map((name) => ({ name, type: 'String' })), data: cells, rows: rows.length });
    case 'gviz':
      return write({
        table: {
          cols: names.map((label) => ({ id: label, label })),
          rows: cells.map((c) => ({ c: c.map((v) => ({ v })) })),
        },
      });
    case 'columns':
      return write(Object.fromEntries(names.map((name) => [name, rows.map((each) => each[name])])));
    case 'mongo':
      return write(rows.map(({ amount, ...each }) => ({ ...each, amount: { $numberDecimal: String(amount) } })));
    case 'quoted':
      return write(rows.map((each) => ({ ...each, amount: String(each.amount) })));
    case 'lists':
      return write([names, ...cells]);
    case 'columns beside their kinds':
      return write({
        meta: names.map((name) => ({ name, type: 'String' })),
        data: Object.fromEntries(names.map((name) => [name, rows.map((each) => each[name])])),
        statistics: { elapsed: 0.1 },
      });
    case 'values of a sheet':
      return write({ range: 'A1:D9', values: [names, ...cells.map((own) => own.map(String))] });
    case 'features':
      return write({ type: 'FeatureCollection', features: rows.map((properties) => ({ geometry: null, properties })) });
    case 'dynamo':
      return write({
        Items: rows.map(({ text, amount, day, verdict }) => ({
          text: { S: text },
          amount: { N: String(amount) },
          day: { S: day },
          verdict: { S: verdict },
        })),
        Count: rows.length,
      });
    case 'documents of several lines':
      return new TextEncoder().encode(rows.map((each) => JSON.stringify(each, null, 2)).join('\n'));
  }
}

export type Verdict = { kind: 'right' | 'asked' | 'wrong'; said: string };

/** Reads a file back as an import proposes it, and compares it with the rows that it was made from. */
export async function readBack(bytes: Uint8Array, name: string, rows: readonly Row[]): Promise<Verdict> {
  try {
    const sheet = await readFile({ name, bytes }, {}, { maxBytes: 1e7 });
    if (sheet.refused.length > 0) return { kind: 'asked', said: sheet.refused[0]?.message ?? '' };
    const surveys = surveyColumns(sheet, 2026);
    const proposal = proposeImport({ sheet, surveys }, ['grant', 'deny']);
    const columns = toExampleColumns(sheet.columns, proposal.roles);
    const { readings, questions } = planImport({ sheet, surveys }, proposal, { columns, kinds: {}, settled: [] });
    const { readRow } = createRowReader(sheet, columns, readings);
    const read = sheet.rows.map(readRow);
    const wanted = rows.map(({ verdict, ...input }) => ({ input, label: verdict }));
    const toWanted = (input: JsonObject) => ({ text: input['text'], amount: input['amount'], day: input['day'] });
    const found = read.map(({ input, label }) => ({ input: toWanted(input), label }));
    const isRight =
      JSON.stringify(found) === JSON.stringify(wanted) && read.every(({ input }) => Object.keys(input).length === 3);
    if (isRight) return { kind: 'right', said: '' };
    const asks = questions.map(({ sentence }) => sentence).join(' ');
    const differing = found.findIndex((each, index) => JSON.stringify(each) !== JSON.stringify(wanted[index]));
    const said = `${sheet.notes.join('. ')} ${asks} ${found.length} of ${wanted.length} rows; ${differing}: ${JSON.stringify(read[differing])}`;
    const isAsked = questions.length > 0 || sheet.notes.some((note) => note.includes('but read as a row'));
    return { kind: isAsked ? 'asked' : 'wrong', said };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { kind: 'asked', said: error.message };
  }
}

/** Walks over tables of combined oddities, and counts how they are read back; throws for one that is silently another. */
export async function walk(tables: number, seed: number): Promise<Record<Verdict['kind'], number>> {
  const counts = { right: 0, asked: 0, wrong: 0 };
  const property = fc.asyncProperty(someRows, textOddities, async (made, odd) => {
    const rows = toWritten(made, odd);
    const { kind, said } = await readBack(writeText(rows, odd), 'table.csv', rows);
    counts[kind] += 1;
    if (kind === 'wrong') throw new Error(said);
  });
  await fc.assert(property, { numRuns: tables, seed });
  return counts;
}
