/** Columns of a table whose cells are JSON: objects become their fields, lists become lists. */
import { isJsonObject, type Json, type JsonObject } from '../../../json.ts';
import { type ParseJson, readCell, type Sheet } from '../../sheet.ts';
import { listFields } from '../objects.ts';
import { repairJson } from './json-text.ts';

/** More characters of one column stay texts: values of JSON take far more memory than its text. */
const maxCharacters = 8_000_000;
const isBracketed = (text: string) => /^[{[]/.test(text) && /[}\]]$/.test(text);

type Cells = (JsonObject | Json[] | null)[];

/** The values of a column whose cells are all objects, or all lists, or empty; null for any other. */
function readCells({ rows, columns }: Sheet, column: number, parseJson: ParseJson): Cells | null {
  const read: Cells = [];
  let characters = 0;
  let areLists: boolean | null = null;
  for (const row of rows) {
    const cell = readCell(row, columns, column);
    if (cell === null || cell === undefined || cell === '') {
      read.push(null);
      continue;
    }
    if (typeof cell !== 'string' || !isBracketed(cell.trim())) return null;
    characters += cell.length;
    const parsed = characters > maxCharacters ? null : parseJson(repairJson(cell).text, row.line);
    if (parsed === null || !parsed.ok) return null;
    const { value } = parsed;
    if (!isJsonObject(value) && !Array.isArray(value)) return null;
    if (areLists !== null && Array.isArray(value) !== areLists) return null;
    areLists = Array.isArray(value);
    read.push(value);
  }
  return areLists === null ? null : read;
}

/** Opens the columns of a table whose cells are JSON, and says which. */
export function openJsonCells(sheet: Sheet, parseJson: ParseJson): Sheet {
  const notes: string[] = [];
  const opened = sheet.columns.map((name, column) => {
    const cells = readCells(sheet, column, parseJson);
    if (cells === null) return null;
    const records = cells.map((cell): JsonObject => ({ [name]: cell }));
    const names = listFields(records);
    const isOpen = names.length > 1 || names[0] !== name;
    notes.push(
      `“${name}” holds JSON, read as ${isOpen ? 'its fields' : cells.some(isJsonObject) ? 'it stands' : 'lists'}`,
    );
    return { names, records };
  });
  if (notes.length === 0) return sheet;
  const columns = sheet.columns.flatMap((name, column) => opened[column]?.names ?? [name]);
  // Another column may be called as a field is.
  if (new Set(columns).size < columns.length) return sheet;
  const rows = sheet.rows.map((row, index) => ({
    line: row.line,
    cells: sheet.columns.flatMap((_, column): Json[] => {
      const parts = opened[column];
      if (!parts) return [readCell(row, sheet.columns, column) ?? null];
      const values = { line: row.line, values: parts.records[index] ?? {} };
      return parts.names.map((_name, place) => readCell(values, parts.names, place) ?? null);
    }),
  }));
  return { ...sheet, columns, rows, notes: [...sheet.notes, ...notes] };
}
