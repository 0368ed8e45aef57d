/** Finding the header of a table, and its rows below. */
import type { Json } from '../domain.ts';
import { type Refusal, type Sheet, type SheetChoice, UnreadableFile } from './sheet.ts';

export type TableLine = { line: number; cells: Json[] };

/** Lines among which the header is sought. */
const maxTitleLines = 20;
const maxShownCells = 6;
const maxShownLength = 24;
const isFilled = (cell: Json | undefined) => cell !== null && cell !== undefined && cell !== '';
const countFilled = ({ cells }: TableLine) => cells.filter(isFilled).length;
const isName = (cell: Json) => typeof cell === 'string' && /\p{L}/u.test(cell);

/** Finds the line that names the columns, past titles that are narrower; else the first line. */
function findHeader(lines: readonly TableLine[]): number {
  const start = lines.slice(0, maxTitleLines);
  const widest = Math.max(...start.map(countFilled));
  if (widest < 2) return 0;
  const found = start.findIndex((line) => {
    const filled = line.cells.filter(isFilled);
    return filled.length >= 0.7 * widest && filled.filter(isName).length >= 0.7 * filled.length;
  });
  return Math.max(0, found);
}

/** Names without gaps and without repetition, so that every column can be distinguished from the others. */
function nameColumns(line: number, header: readonly Json[]): { columns: string[]; renamed: Refusal[] } {
  const times = new Map<string, number>();
  const renamed: Refusal[] = [];
  const columns = header.map((cell, index) => {
    const given = isFilled(cell) ? String(cell).trim() : '';
    const base = given === '' ? `column ${index + 1}` : given;
    if (given === '') renamed.push({ line, column: index + 1, message: 'a column has no name' });
    let name = base;
    for (let time = 2; times.has(name); time += 1) name = `${base} ${time}`;
    if (name !== base) renamed.push({ line, column: index + 1, message: `the column "${base}" occurs twice` });
    times.set(name, 1);
    return name;
  });
  return { columns, renamed };
}

const showLine = ({ line, cells }: TableLine) => {
  const shown = cells.filter(isFilled).slice(0, maxShownCells);
  return { line, text: shown.map((cell) => String(cell).slice(0, maxShownLength)).join(' · ') };
};

/** Makes a sheet of lines; refuses other widths than the header's, leaves out nameless empty columns. */
export function readTable(lines: readonly TableLine[], detected: string[], choice: SheetChoice): Sheet {
  if (lines.length === 0) throw new UnreadableFile('The file is empty.');
  const at =
    choice.headerLine === undefined ? findHeader(lines) : lines.findIndex(({ line }) => line === choice.headerLine);
  const header = lines[at];
  if (!header) throw new UnreadableFile(`There is no line ${choice.headerLine}. Choose another line for the header.`);
  const { columns, renamed } = nameColumns(header.line, header.cells);
  const rows: TableLine[] = [];
  const refused: Refusal[] = [];
  for (let index = at + 1; index < lines.length; index += 1) {
    const row = lines[index] as TableLine;
    const width = row.cells.length;
    if (width === columns.length) rows.push(row);
    else {
      const message = `${width} cells instead of ${columns.length}`;
      refused.push({ line: row.line, column: Math.min(width, columns.length) + 1, message });
    }
  }
  const first = lines.slice(0, maxTitleLines).map(showLine);
  const sheet = { columns, rows, detected, refused, renamed, workbook: null, header: { line: header.line, first } };
  const isUsed = (index: number) => isFilled(header.cells[index]) || rows.some(({ cells }) => isFilled(cells[index]));
  const used = [...columns.keys()].filter(isUsed);
  if (used.length === columns.length) return sheet;
  return {
    ...sheet,
    columns: used.map((index) => columns[index] ?? ''),
    rows: rows.map(({ line, cells }) => ({ line, cells: used.map((index) => cells[index] ?? null) })),
    renamed: renamed.filter(({ column }) => used.includes(Number(column) - 1)),
  };
}
