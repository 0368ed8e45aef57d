/** From a row of a sheet to an example. */
import type { Reading, Readings } from '../domain/definition.ts';
import type { Json, JsonObject } from '../json.ts';
import { readReasonCodes, toInput } from './inputs.ts';
import { readLabel } from './labels.ts';
import { compileCellReader, nounOf } from './readings.ts';
import { type Refusal, readCell, type Sheet, type SheetRow } from './sheet.ts';

export type ReadRow = { line: number; input: JsonObject; label: string | null; reasonCodes: string[] };
export type RowReader = {
  readRow(row: SheetRow): ReadRow;
  /** Cells that do not fit the kind of their column, which are left empty: the first of each column, and how many. */
  misfits: ReadonlyMap<string, { refusal: Refusal; count: number }>;
};

export type ExampleColumns = { inputs: readonly string[]; decision: string | null; reasons: string | null };

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

/** Makes the reader of a sheet's rows; a column without a reading is taken as it stands. */
export function createRowReader(
  { columns }: Sheet,
  chosen: ExampleColumns,
  readings: ReadonlyMap<string, Reading | null>,
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
  const readValue = (row: SheetRow, column: (typeof inputs)[number]): Json | undefined => {
    const { index, name, noun } = column;
    // An object that was opened into its fields can be chosen whole.
    const cell = index < 0 ? readCell(row, [name], 0) : readCell(row, columns, index);
    if (cell === undefined) return undefined;
    const value = column.readCell(cell);
    if (value !== undefined) return value;
    const known = misfits.get(name);
    if (known) known.count += 1;
    else {
      const message = `“${String(cell).slice(0, 80)}” is not ${noun}`;
      misfits.set(name, { refusal: { line: row.line, column: name, message }, count: 1 });
    }
    return null;
  };
  return {
    misfits,
    readRow: (row) => ({
      line: row.line,
      input: toInput(inputs.map((column) => [column.name, readValue(row, column)] as const)),
      label: decision === undefined ? null : readLabel(row, columns, decision),
      reasonCodes: reasons === undefined ? [] : readReasonCodes(readCell(row, columns, reasons)),
    }),
  };
}
