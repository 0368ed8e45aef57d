/** From a sheet to examples: the role of each column, and how a row is read. */

import type { Reading, Readings } from '../domain/definition.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { findBeside, findOtherAnswers, findReasonColumn } from './answers.ts';
import { inputNames, readReasonCodes, toInput } from './inputs.ts';
import { usualReadings } from './kinds.ts';
import { readLabel } from './labels.ts';
import { findLeaks, type Leak } from './leaks.ts';
import { compileCellReader, nounOf } from './readings.ts';
import { type ColumnKind, type Refusal, readCell, type Sheet, type SheetRow } from './sheet.ts';
import type { ColumnSurvey } from './survey.ts';

export type ColumnRole = 'input' | 'decision' | 'reasons' | 'ignore';

/**
 * Proposes what each column becomes, once the answer is known, and a sentence for each that is left out. `asked` are
 * columns of the input of which it is open whether they should be learned from, unless there are no others.
 */
export function proposeRoles(
  sheet: Sheet,
  surveys: readonly ColumnSurvey[],
  answer: string | null,
): { roles: Map<string, ColumnRole>; reasons: Map<string, string>; leaks: Map<string, Leak>; asked: string[] } {
  const reasonColumn = findReasonColumn(sheet.columns);
  const whole = sheet.columns.findIndex((column) => inputNames.includes(column.toLowerCase()));
  const [first] = sheet.rows;
  const holdsInputs = first !== undefined && isJsonObject(readCell(first, sheet.columns, whole));
  const beside = findBeside(sheet.columns, answer);
  const leaks = findLeaks(sheet, surveys, answer);
  const following = [...leaks].flatMap(([name, { isCertain, sentence }]) =>
    isCertain ? [[name, sentence] as const] : [],
  );
  const others = findOtherAnswers(surveys, answer);
  const reasons = new Map([...others, ...following, ...beside, ...(sheet.setAside ?? [])]);
  for (const { name, identifies } of surveys) if (identifies !== null) reasons.set(name, identifies);
  const roles = new Map<string, ColumnRole>();
  for (const [column, name] of sheet.columns.entries()) {
    const isInput = holdsInputs ? column === whole : !reasons.has(name);
    roles.set(name, name === answer ? 'decision' : name === reasonColumn ? 'reasons' : isInput ? 'input' : 'ignore');
  }
  for (const [name, role] of roles) if (role !== 'ignore') reasons.delete(name);
  if (![...roles.values()].includes('input')) {
    // Something must be learned from, even if it only names the row.
    for (const name of reasons.keys()) roles.set(name, 'input');
    reasons.clear();
  }
  const inputs = [...roles].flatMap(([name, role]) => (role === 'input' ? [name] : []));
  const asked = inputs.filter((name) => leaks.get(name)?.isCertain === false);
  return { roles, reasons, leaks, asked: asked.length < inputs.length ? asked : [] };
}

export type ReadRow = { line: number; input: JsonObject; label: string | null; reasonCodes: string[] };
export type RowReader = {
  readRow(row: SheetRow): ReadRow;
  /** Cells that do not fit the kind of their column, which are left empty: the first of each column, and how many. */
  misfits: ReadonlyMap<string, { refusal: Refusal; count: number }>;
};

export type ExampleColumns = { inputs: readonly string[]; decision: string | null; reasons: string | null };

/** Groups the columns of a sheet by their roles. */
export function toExampleColumns(columns: readonly string[], roles: ReadonlyMap<string, ColumnRole>): ExampleColumns {
  const listNamed = (role: ColumnRole) => columns.filter((name) => roles.get(name) === role);
  return {
    inputs: listNamed('input'),
    decision: listNamed('decision')[0] ?? null,
    reasons: listNamed('reasons')[0] ?? null,
  };
}

/** How each column is read: as it was found, or as a person has chosen; null as it stands. */
export function chooseReadings(
  surveys: readonly ColumnSurvey[],
  kinds: ReadonlyMap<string, ColumnKind>,
): ReadonlyMap<string, Reading | null> {
  return new Map(
    surveys.map(({ name, kind, reading }) => {
      const chosen = kinds.get(name) ?? kind;
      return [name, chosen === kind ? reading : chosen === 'as_is' ? null : usualReadings[chosen]];
    }),
  );
}

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
