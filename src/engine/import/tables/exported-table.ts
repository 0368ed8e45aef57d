/** A table of exported examples as a sheet: every line below its header is an example, whatever stands in it. */

import { areExported, createTableReader } from '../../export/read-back.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { Refusal, Sheet } from '../sheet.ts';
import type { TableLine } from './find-header.ts';

/** The facts about a file that say that it is one of the workbench's own. */
const ownExport = 'an export of Decision Workbench';

/** Reads the lines of a table of exported examples; null where its first line does not say that it is one. */
export function readExportedTable(lines: readonly TableLine[], detected: string[], isGuarded: boolean): Sheet | null {
  const [first, ...others] = lines;
  if (first === undefined) return null;
  const headers = first.cells.map((cell) => String(cell ?? '').trim());
  if (!areExported(headers)) return null;
  const filled = others.filter(({ cells }) => cells.some((cell) => cell !== null && cell !== ''));
  const readRow = createTableReader(
    headers,
    filled.map(({ cells }) => cells),
    isGuarded,
  );
  const refused: Refusal[] = [];
  const rows = filled.map(({ line, cells }) => {
    const { example, faults } = readRow(cells);
    refused.push(...faults.map((fault) => ({ line, ...fault })));
    return { line, values: example };
  });
  return { ...toExportedSheet(rows, detected), refused, header: { line: first.line, first: [] } };
}

/** Makes a sheet of exported examples, one to a row: their inputs stay whole. */
export function toExportedSheet(rows: { line: number; values: JsonObject }[], detected: string[]): Sheet {
  const columns = ['id', 'input_payload', 'expected_decision', 'reason_codes'];
  const facts = { refused: [], skipped: [], notes: [], workbook: null, header: null };
  return { ...facts, columns, rows, detected: [...detected, ownExport], isOwnExport: true };
}

/** Makes lines of records that have the keys of a table of exported examples; null where they have not. */
export function toExportedLines(records: readonly { line: number; values: JsonObject }[]): TableLine[] | null {
  const [first] = records;
  const names = Object.keys(first?.values ?? {});
  if (!areExported(names)) return null;
  const lines = records.map(({ line, values }) => ({ line, cells: names.map((name): Json => values[name] ?? null) }));
  return [{ line: 0, cells: names }, ...lines];
}
