/** From the rows of a sheet to its examples, the same behind every door: values, labels, copies, contradictions. */
import type { Reading, Readings } from '../domain/definition.ts';
import type { Json, JsonObject } from '../json.ts';
import { formatCount } from '../numeric.ts';
import { readReasonCodes, toInput } from '../readings/inputs.ts';
import { compileCellReader, nounOf } from '../readings/readings.ts';
import { type LabelTarget, readLabel } from './labels.ts';
import { type Refusal, readCell, type Sheet, type SheetRow } from './sheet.ts';

type ReadRow = { line: number; input: JsonObject; label: string | null; second?: string | null; reasonCodes: string[] };
type RowReader = {
  readRow(row: SheetRow): ReadRow;
  /** Cells that do not fit the kind of their column, which are left empty: the first of each column, and how many. */
  misfits: ReadonlyMap<string, { refusal: Refusal; count: number }>;
};

/** Columns by what they become; `second` holds the labels of a second reader. */
export type ExampleColumns = {
  inputs: readonly string[];
  decision: string | null;
  reasons: string | null;
  second: string | null;
};

/** The readings of columns that become inputs, as far as the decision type has none of these fields. */
export function listNewReadings(
  { inputs }: ExampleColumns,
  readings: ReadonlyMap<string, Reading | null>,
  known: Readings,
): Readings {
  const taken = inputs.flatMap((name): [string, Reading][] => {
    const reading = readings.get(name) ?? null;
    return reading === null || Object.hasOwn(known, name) ? [] : [[name, reading]];
  });
  return Object.fromEntries(taken);
}

/**
 * Makes the reader of a sheet's rows; a column without a reading is taken as it stands. `toDecide`: cells that do not
 * fit stay as they are, for a decision to name them, and empty cells of a table are left out.
 */
export function createRowReader(
  { columns, header }: Sheet,
  chosen: ExampleColumns,
  readings: ReadonlyMap<string, Reading | null>,
  toDecide = false,
): RowReader {
  const misfits = new Map<string, { refusal: Refusal; count: number }>();
  const places = new Map(columns.map((name, index) => [name, index]));
  const findPlace = (name: string | null) => (name === null ? undefined : places.get(name));
  const inputs = chosen.inputs.map((name) => {
    const reading = readings.get(name) ?? null;
    const noun = reading === null ? 'a value' : nounOf(reading);
    return { name, index: places.get(name) ?? -1, readCell: compileCellReader(reading), noun };
  });
  const decision = findPlace(chosen.decision);
  const reasons = findPlace(chosen.reasons);
  const second = findPlace(chosen.second);
  const readValue = (row: SheetRow, column: (typeof inputs)[number]): Json | undefined => {
    const { index, name, noun } = column;
    // An object that was opened into its fields can be chosen whole.
    const cell = index < 0 ? readCell(row, [name], 0) : readCell(row, columns, index);
    if (cell === undefined) return undefined;
    const value = column.readCell(cell);
    if (value !== undefined) return value === null && toDecide && header !== null ? undefined : value;
    const known = misfits.get(name);
    if (known) known.count += 1;
    else {
      const message = `“${String(cell).slice(0, 80)}” is not ${noun}`;
      misfits.set(name, { refusal: { line: row.line, column: name, message }, count: 1 });
    }
    return toDecide ? cell : null;
  };
  return {
    misfits,
    readRow: (row) => ({
      line: row.line,
      input: toInput(inputs.map((column) => [column.name, readValue(row, column)] as const)),
      label: decision === undefined ? null : readLabel(row, columns, decision),
      ...(second !== undefined && { second: readLabel(row, columns, second) }),
      reasonCodes: reasons === undefined ? [] : readReasonCodes(readCell(row, columns, reasons)),
    }),
  };
}

/** `second`: what the second reader decided, where the file has one. */
export type PlannedExample = Omit<ReadRow, 'label'> & { decision: string | null };
/** Lines of a file, each with the earlier line that it repeats or contradicts. */
export type LinePairs = { line: number; of: number }[];

export type RowPlanner = ReturnType<typeof createRowPlanner>;

/**
 * Makes the planner of a sheet's rows, from what each column becomes, how it is read, and what each label means.
 * Without a word about copies, they are dropped where a column tells rows apart. `toDecide`: as `createRowReader`.
 */
export function createRowPlanner(
  sheet: Sheet,
  { columns, readings }: { columns: ExampleColumns; readings: ReadonlyMap<string, Reading | null> },
  targets: Readonly<Record<string, LabelTarget>>,
  copies?: 'keep' | 'drop',
  toDecide = false,
) {
  const { readRow, misfits } = createRowReader(sheet, columns, readings, toDecide);
  const used = new Set([...columns.inputs, columns.decision, columns.reasons, columns.second]);
  const ignored = [...sheet.columns.keys()].filter((index) => !used.has(sheet.columns[index] ?? ''));
  const seenRows = new Map<string, number>();
  const seenInputs = new Map<string, { line: number; decision: string | null }>();
  const toOption = (label: string | null): string | null => {
    const target = label === null ? undefined : targets[label];
    return target?.kind === 'option' ? target.option : target?.kind === 'add' ? label : null;
  };
  const dropsCopies = copies === undefined ? hasDistinctRows(sheet) : copies === 'drop';
  const repeated: LinePairs = [];
  const alike: LinePairs = [];
  const conflicts: LinePairs = [];
  return {
    misfits,
    /** Rows that are left out because they repeat an earlier one. */
    repeated,
    /** Rows that repeat an earlier one and are kept: in few kinds of rows equal ones are cases of their own. */
    alike,
    /** Rows that give the input of an earlier one another label. */
    conflicts,
    /** The example of a row; labels that nothing is said about do not count. */
    read(row: SheetRow): PlannedExample {
      const { label, second, ...example } = readRow(row);
      return { ...example, decision: toOption(label), ...(second !== undefined && { second: toOption(second) }) };
    },
    /** Whether a row is left out as a copy of an earlier one, in all columns; takes note of it. */
    isCopy(row: SheetRow, { line, input, decision, second }: PlannedExample): boolean {
      const key = JSON.stringify(input);
      const rest = ignored.map((index) => readCell(row, sheet.columns, index));
      const rowKey = JSON.stringify([decision, second, rest]) + key;
      const same = seenRows.get(rowKey);
      if (same !== undefined) {
        (dropsCopies ? repeated : alike).push({ line, of: same });
        return dropsCopies;
      }
      seenRows.set(rowKey, line);
      const earlier = seenInputs.get(key);
      if (earlier === undefined) seenInputs.set(key, { line, decision });
      else if (earlier.decision !== decision) conflicts.push({ line, of: earlier.line });
      return false;
    },
  };
}

/** Whether a column has other values in most rows, so that equal rows are copies and no coincidence. */
function hasDistinctRows({ columns, rows }: Sheet): boolean {
  return [...columns.keys()].some((column) => {
    const values = new Set<string>();
    return rows.some((row) => values.add(JSON.stringify(readCell(row, columns, column))).size * 2 >= rows.length);
  });
}

const maxPairs = 8;
const pairWords = {
  repeated: { one: 'duplicate row', many: 'duplicate rows', what: 'left out', word: 'as' },
  alike: { one: 'duplicate row', many: 'duplicate rows', what: 'kept, as no column tells rows apart', word: 'as' },
  conflicts: { one: 'row', many: 'rows', what: 'with the same input as another but another label', word: 'and' },
} as const;

/** Says in a sentence which rows repeat or contradict an earlier one, if any do. */
export function describePairs(kind: keyof typeof pairWords, pairs: LinePairs): string[] {
  if (pairs.length === 0) return [];
  const { one, many, what, word } = pairWords[kind];
  const shown = pairs.slice(0, maxPairs).map(({ line, of }) => `${line} (${word} ${of})`);
  const more = pairs.length > maxPairs ? ` and ${formatCount(pairs.length - maxPairs)} more` : '';
  return [`${formatCount(pairs.length)} ${pairs.length === 1 ? one : many} ${what}: lines ${shown.join('; ')}${more}`];
}
