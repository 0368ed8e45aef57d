/** Finding the lines that name the columns of a table, and whether there are any. */
import type { Json } from '../../json.ts';
import { readNumber } from '../../readings/numbers.ts';
import { compileReading } from '../../readings/readings.ts';
import { readSaidColumns, type SaidColumns } from './column-lines.ts';

/** A line of a table; lines count from 1. */
export type TableLine = { line: number; cells: Json[]; isBelowBlank?: boolean };

/** Lines among which the header is sought. */
export const maxTitleLines = 20;
/** Rows below it that are compared with it. */
const comparedRows = 100;
const minFilledShare = 0.7;

/** Whether a cell holds anything but white space. */
export const isFilled = (cell: Json | undefined): boolean =>
  cell !== null && cell !== undefined && (typeof cell !== 'string' || cell.trim() !== '');
const toText = (cell: Json | undefined) => (isFilled(cell) ? String(cell).trim() : '');
const isAmount = (text: string) => /\d/.test(text) && (readNumber(text, '.') ?? readNumber(text, ',')) !== null;
/** Whether a cell could name a column: a text with a letter that is no amount, as “5 USD” is. */
export const isName = (cell: Json | undefined): boolean =>
  typeof cell === 'string' && /\p{L}/u.test(cell) && !isAmount(cell.trim());
/** A number, a date or a time: digits and signs; or a value that a workbook holds as such. */
export const isValue = (cell: Json | undefined): boolean =>
  typeof cell === 'string'
    ? /^\P{L}*\d\P{L}*$/u.test(cell) ||
      isAmount(cell.trim()) ||
      /^\d{4}-\d\d-\d\dT/.test(cell) ||
      /^[-+]?\d+(?:\.\d+)?e[-+]?\d+$/i.test(cell)
    : isFilled(cell);
const readAmount = compileReading({ kind: 'number', decimal: '.' });
/** Whether a cell says that there is no value, as tools write it. */
export const isMissingWord = (cell: Json | undefined): boolean =>
  readAmount(toText(cell)) === null || /^none$/i.test(toText(cell));
/** How the Census Bureau, Qualtrics and SurveyMonkey name columns in a second line. */
const isCode = (cell: Json) => /!!|"ImportId"/.test(toText(cell)) || responseWord.test(toText(cell));
const responseWord = /^(?:open-ended )?response$/i;
const isPeriod = (text: string) => /^(?:19|20)\d\d(?:[-/. ]?(?:0?[1-9]|1[0-2]|Q[1-4]))?$/i.test(text);

const countFilled = ({ cells }: TableLine): number => cells.filter(isFilled).length;
/** The number of cells of a line, without the empty ones at its end. */
export const measureReach = ({ cells }: TableLine) => cells.findLastIndex(isFilled) + 1;

/** The width that most of the first lines have; of two, the larger. */
function findUsualWidth(lines: readonly TableLine[]): number {
  const uses = new Map<number, number>();
  const isFact = ({ cells }: TableLine) => toText(cells[0]).endsWith(':');
  // Facts of a file above its table, as “From:” beside a day, are no rows.
  const rows = lines.some((line) => !isFact(line)) ? lines.filter((line) => !isFact(line)) : lines;
  for (const line of rows) uses.set(measureReach(line), (uses.get(measureReach(line)) ?? 0) + 1);
  return [...uses].sort(([a, timesA], [b, timesB]) => timesB - timesA || b - a)[0]?.[0] ?? 0;
}

/** Cells of a column in some rows that hold anything. */
export const listCells = (rows: readonly TableLine[], column: number) =>
  rows.map(({ cells }) => cells[column]).filter((cell) => isFilled(cell) && !isMissingWord(cell));

const isSameLine = (a: TableLine, b: TableLine) =>
  a.cells.every((cell, column) => toText(cell) === toText(b.cells[column]));

/** Names that are numbers: years or months, or one more in each of several columns. */
function areCountedNames(texts: readonly string[]): boolean {
  if (new Set(texts).size < texts.length) return false;
  if (texts.every(isPeriod)) return true;
  const isRunning = texts.every((text, index) => /^\d+$/.test(text) && Number(text) === Number(texts[0]) + index);
  return texts.length > 3 && isRunning;
}

function isRow(line: TableLine, rows: readonly TableLine[]): boolean {
  const values = line.cells.filter(isValue).map(toText);
  const areNames = areCountedNames(values);
  let forNames = 0;
  let forRow = 0;
  let repeated = 0;
  for (const [column, cell] of line.cells.entries()) {
    const cells = listCells(rows, column);
    if (!isFilled(cell) || isMissingWord(cell) || cells.length === 0) continue;
    const areValues = cells.every(isValue);
    if (isValue(cell) && areValues && !areNames) forRow += 1;
    if (isName(cell) && !isValue(cell) && areValues) forNames += 1;
    if (!areValues && cells.some((other) => toText(other) === toText(cell))) repeated += 1;
  }
  if (forNames > 0) return forRow > forNames;
  return forRow > 0 || (repeated > 0 && repeated >= 0.5 * countFilled(line));
}

/**
 * Whether a line below the first names says more about the columns and is not a row: units, questions, a second header.
 * None of its cells is met in a row, but where it is one of options, and its words stand over columns of numbers.
 */
function isSecondHeader(line: TableLine, below: readonly TableLine[], least: number): boolean {
  const hasOptions = line.cells.some(isCode);
  // A question is put to all rows.
  let over = hasOptions || line.cells.some((cell) => toText(cell).endsWith('?')) ? 1 : 0;
  for (const [column, cell] of line.cells.entries()) {
    if (!isFilled(cell)) continue;
    if (isValue(cell) || isMissingWord(cell)) return false;
    const cells = listCells(below, column);
    const isMet = (other: Json | undefined) => toText(other) === toText(cell);
    if (hasOptions ? !cells.every(isMet) && cells.some(isMet) : cells.some(isMet)) return false;
    const values = cells.filter(isValue).length;
    if (values >= 2 && cells.length - values <= 1) over += 1;
  }
  return over >= least;
}

/** Whether the names of a line need the line below: one stands over several columns, or some are equal. */
function areGroups(cells: readonly Json[], width: number): boolean {
  const texts = cells.slice(0, width).map(toText);
  const filled = texts.filter((text) => text !== '');
  return filled.length < width || new Set(filled).size < filled.length;
}

/** “Stay – nights” for “nights” under “Stay”, which stands over its own column and the empty ones behind it. */
function joinLines(upper: TableLine, lower: TableLine): TableLine {
  const width = Math.max(upper.cells.length, lower.cells.length);
  let group = '';
  const cells = Array.from({ length: width }, (_, column) => {
    group = toText(upper.cells[column]) || group;
    const name = toText(lower.cells[column]).replace(responseWord, '');
    return [group, name].filter((part, index, parts) => part !== '' && parts.indexOf(part) === index).join(' – ');
  });
  return { line: lower.line, cells };
}

/** Whether a narrow line above the names groups them: its words stand apart, over several columns, unlike a title's. */
function standsOver(upper: TableLine, lower: TableLine): boolean {
  const places = [...upper.cells.keys()].filter((column) => isFilled(upper.cells[column]));
  const isApart = places.some((place, index) => index > 0 && place - (places[index - 1] ?? 0) > 1);
  const areWords = places.every((place) => isName(upper.cells[place]) || isPeriod(toText(upper.cells[place])));
  if (places.length < 2 || !isApart || !areWords || measureReach(upper) > measureReach(lower)) return false;
  const names = lower.cells.filter(isFilled).map(toText);
  // A cell that spans both lines names its own column only.
  const groups = places.filter((place) => toText(upper.cells[place]) !== toText(lower.cells[place]));
  return (groups[0] ?? 0) > 0 || groups.length > 2 || new Set(names).size < names.length;
}

export type Header = {
  /** The line that names the columns; 0 if there is none. */
  line: number;
  names: Json[];
  /** Places of the lines that only say more about the columns, or whose names are joined to theirs; the first row's. */
  more: number[];
  first: number;
  /** Titles end before this index. */
  start: number;
  note: string | null;
  /** The kind and role that the file gives each column; left out: none. */
  said?: SaidColumns;
};

/** Names without a line of them: the columns are counted. */
function countColumns(lines: readonly TableLine[], start: number, note: string | null): Header {
  const width = lines.slice(start, start + comparedRows).reduce((most, line) => Math.max(most, measureReach(line)), 0);
  const names = Array.from({ length: width }, (_, column) => `column ${column + 1}`);
  return { line: 0, names, more: [], first: start, start, note };
}

/** Whether rows have one cell more than the header: their names, as R writes them. */
function areRowsNamed(header: TableLine, rows: readonly TableLine[]): boolean {
  const names = listCells(rows, 0).map(toText);
  return (
    rows.length > 0 &&
    header.cells.every(isName) &&
    rows.every((row) => row.cells.length === header.cells.length + 1 && isFilled(row.cells.at(-1))) &&
    new Set(names).size === rows.length
  );
}

/** Finds the header of a table, past titles that are narrower; `headerLine` states it, 0 that there is none. */
export function findHeader(lines: readonly TableLine[], headerLine: number | undefined): Header | null {
  if (headerLine === 0) return countColumns(lines, 0, null);
  if (headerLine !== undefined) {
    const at = lines.findIndex(({ line }) => line === headerLine);
    const found = lines[at];
    return found ? toHeader(lines, found, at, []) : null;
  }
  const head = lines.slice(0, maxTitleLines);
  const width = findUsualWidth(lines.slice(0, comparedRows));
  const [top] = lines;
  if (top === undefined) return null;
  if (width < 2 || areRowsNamed(top, lines.slice(1, comparedRows))) return toHeader(lines, top, 0, []);
  const start = head.findIndex((line) => {
    const filled = countFilled(line);
    return filled >= minFilledShare * width || (filled >= width - 1 && measureReach(line) >= width);
  });
  const at = Math.max(0, start);
  const line = lines[at];
  if (line === undefined) return null;
  const below = lines.slice(at + 1, at + 1 + comparedRows).filter((row) => !isSameLine(line, row));
  const above = lines[at - 1];
  if (above !== undefined && line.line === above.line + 1 && standsOver(above, line)) {
    return { ...toHeader(lines, joinLines(above, line), at, []), start: at - 1, more: [at - 1] };
  }
  const plain = toHeader(lines, line, at, []);
  if (plain.said !== undefined) return plain;
  const [second, third, ...rest] = below;
  const groups = areGroups(line.cells, width);
  if (second !== undefined && isSecondHeader(second, below.slice(1), groups || second.cells.some(isCode) ? 1 : 2)) {
    if (groups) return { ...toHeader(lines, joinLines(line, second), at + 1, []), start: at, more: [at] };
    const hasThird = third !== undefined && isSecondHeader(third, rest, 2);
    return toHeader(lines, line, at, hasThird ? [at + 1, at + 2] : [at + 1]);
  }
  if (!isRow(line, below)) return plain;
  const note = `Line ${line.line} looks like a row, so the columns have numbers for names. If it names them, state it as the header`;
  return countColumns(lines, at, note);
}

function toHeader(lines: readonly TableLine[], header: TableLine, at: number, more: number[]): Header {
  const first = at + 1 + more.length;
  const isNamed = areRowsNamed(header, lines.slice(first, first + comparedRows));
  const names = isNamed ? ['', ...header.cells] : header.cells;
  const below = lines.slice(first, first + comparedRows).map(({ cells }) => cells);
  const said = more.length > 0 ? null : readSaidColumns(names, below);
  if (said === null) return { line: header.line, names, more, first, start: at, note: null };
  const described = Array.from({ length: said.lines }, (_, index) => first + index);
  return {
    line: header.line,
    names: said.names,
    more: described,
    first: first + described.length,
    start: at,
    note: said.note,
    said,
  };
}
