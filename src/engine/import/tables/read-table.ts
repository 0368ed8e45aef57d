/** From lines of cells to a table: its header, its rows, and the lines that are neither. */
import type { Json } from '../../json.ts';
import { countOf } from '../../numeric.ts';
import { type Refusal, type Sheet, type SheetChoice, UnreadableFile } from '../sheet.ts';
import { findHeader, type Header, isFilled, isName, isValue, maxTitleLines, type TableLine } from './find-header.ts';
import { findSecondTable } from './find-second-table.ts';
import { fillOutline, takeOutHeadings } from './headings.ts';
import { listLines, SkippedLines } from './skipped.ts';
import { isDrawn } from './split-lines.ts';
import { findTableBeside } from './table-beside.ts';
import { isTotal, takeOutSubtotals } from './totals.ts';

export type { TableLine } from './find-header.ts';

const maxShownCells = 6;
const maxShownLength = 24;
/** Lines at the end of a table that may be its totals and notes. */
const maxEndLines = 10;

/** Names without gaps and without repetition, so that every column can be distinguished from the others. */
function nameColumns(header: readonly Json[]): { columns: string[]; notes: string[] } {
  /** Names with the number that the next column of this name gets. */
  const known = new Map<string, number>();
  const notes: string[] = [];
  const columns = header.map((cell, index) => {
    // A spreadsheet breaks the lines of a name (Alt+Enter), and rules would have to.
    const given = isFilled(cell)
      ? String(cell)
          .trim()
          .replaceAll(/\s*[\r\n]+\s*/g, ' ')
      : '';
    const base = given === '' ? `column ${index + 1}` : given;
    let name = base;
    for (let time = known.get(base) ?? 2; known.has(name); time += 1) {
      name = `${base} ${time}`;
      known.set(base, time + 1);
    }
    if (name !== base) notes.push(`Column ${index + 1} is called “${name}”, as another one is called “${base}”`);
    known.set(name, 2);
    return name;
  });
  return { columns, notes };
}

const showLine = ({ line, cells }: TableLine) => {
  const shown = cells.filter(isFilled).slice(0, maxShownCells);
  return { line, text: shown.map((cell) => String(cell).slice(0, maxShownLength)).join(' · ') };
};

const noteStart =
  /^(?:[*†‡§¹²³]|\(?\d+\)|\(?\d+ (?:rows?|records?|zeilen|lignes|filas)(?![\p{L}])|(?:sources?|notes?|remarks?|footnotes?|quellen?|hinweise?|anmerkung(?:en)?|fu(?:ß|ss)noten?|stand|datenstand|fuente|notas?|fonte|bron|generated|created|exported|last updated|data from|legend|legende|end of)(?![\p{L}]))/iu;

/** Whether the last row is a sentence about the table: alone in its line, and said to be a note or of several words. */
function isNote({ line, cells }: TableLine, before: TableLine | undefined, width: number): boolean {
  const at = cells.findIndex(isFilled);
  const text = String(cells[at] ?? '').trim();
  // A sentence with commas is several cells.
  if (/^[\p{L} ]+:/u.test(text) && noteStart.test(text) && !isFilled(cells[width - 1])) return true;
  if (at > 1 || !isName(cells[at]) || cells.slice(at + 1).some(isFilled)) return false;
  const isApart = before !== undefined && line > before.line + 1;
  if (noteStart.test(text)) return cells.length === 1 || isApart || width > 2;
  return width > 2 && /\s/.test(text) && (isApart || cells.length === 1);
}

/** The place behind the last full row where, below a blank line, only sentences of one cell follow, however many. */
function findFoot(rows: readonly TableLine[], width: number): number {
  const isAlone = ({ cells }: TableLine) => isName(cells[0]) && cells.findLastIndex(isFilled) === 0;
  const foot = rows.findLastIndex((row) => !isAlone(row)) + 1;
  const [first, last] = [rows[foot], rows[foot - 1]];
  if (width < 2 || !first || !last || first.line <= last.line + 1) return rows.length;
  const whole = rows.slice(0, isTotal(last, rows.slice(0, foot)) ? foot - 1 : foot);
  // Of two columns the second may be the label, which unlabelled rows leave out.
  const isCertain =
    width > 2 ? !takeOutHeadings(whole, width).rows.some(isAlone) : noteStart.test(String(first.cells[0]).trim());
  return isCertain ? foot : rows.length;
}

function skipEnd(rows: TableLine[], width: number, skipped: SkippedLines): void {
  const foot = findFoot(rows, width);
  const found: { reason: 'total' | 'note'; line: number }[] = [];
  for (const { line } of rows.splice(foot)) found.push({ reason: 'note', line });
  while (rows.length > 1 && found.length < maxEndLines) {
    const last = rows.at(-1);
    if (last === undefined) break;
    const reason = width > 1 && isTotal(last, rows) ? 'total' : isNote(last, rows.at(-2), width) ? 'note' : null;
    if (reason === null || (width < 2 && reason === 'note')) break;
    found.unshift({ reason, line: last.line });
    rows.pop();
  }
  for (const { reason, line } of found) skipped.add(reason, line);
}

/** Rows of the header's width. Cells that are left out at the end are empty, and empty ones behind it are nothing. */
function fitRows(lines: readonly TableLine[], from: number, names: readonly Json[], skipped: SkippedLines) {
  const width = names.length;
  const named = names.findLastIndex(isFilled) + 1;
  const rows: TableLine[] = [];
  const refused: Refusal[] = [];
  const short: number[] = [];
  const isStart = findStarts(lines.slice(from), named);
  for (let index = from; index < lines.length; index += 1) {
    const row = lines[index] as TableLine;
    const count = row.cells.length;
    const reach = count > width ? row.cells.findLastIndex(isFilled) + 1 : count;
    const following = lines[index + 1];
    const next = following?.cells.length ?? 0;
    if (isRepeated(row, names)) skipped.add('header', row.line);
    else if (following && isRepeated(following, names) && row.cells.filter(isFilled).length === 1)
      skipped.add('title', row.line);
    else if (reach > width) {
      const message = `${reach} cells instead of ${width}; quote cells that hold a separator`;
      refused.push({ line: row.line, column: width + 1, message });
    } else if (
      following &&
      named > 2 &&
      count < named &&
      next < named &&
      count + next === named + 1 &&
      !isStart(following)
    ) {
      const message = `${count} cells instead of ${named}, and the rest of them in the next line; quote cells that hold a line break`;
      refused.push({ line: row.line, column: count + 1, message });
      // The other half would be a row of wrong fields.
      index += 1;
      refused.push({ line: lines[index]?.line ?? row.line, column: 1, message: `the rest of line ${row.line}` });
    } else if (count === width) rows.push(row);
    else {
      if (count < named) short.push(row.line);
      const cells = row.cells.slice(0, width);
      while (cells.length < width) cells.push('');
      rows.push({ line: row.line, cells });
    }
  }
  return { rows, refused, short };
}

/** Tells whether a line begins as whole rows do: with one of their first cells, or a value like all of them. */
function findStarts(lines: readonly TableLine[], named: number): (line: TableLine) => boolean {
  const firsts = lines.filter(({ cells }) => cells.length >= named).map(({ cells }) => cells[0] ?? null);
  const known = new Set(firsts.map(String));
  const areValues = firsts.length > 0 && firsts.every(isValue);
  return ({ cells: [first = null] }) => (areValues ? isValue(first) : known.has(String(first)));
}

const isRepeated = ({ cells }: TableLine, names: readonly Json[]) =>
  cells.length >= names.length &&
  cells[0] === names[0] &&
  names.every((name, column) => cells[column] === name) &&
  names.some(isName);

/** Cuts a small table off that stands beside the rows, and says so. */
function cutBeside(lines: readonly TableLine[], header: Header, headerLine: number | undefined) {
  const beside = findTableBeside(header.names, lines.slice(header.first));
  if (beside === null) return { lines, header, aside: [] };
  const left = header.names.slice(beside.from).filter(isFilled);
  const named = left.length > 0 ? `: ${left.map((name) => `“${String(name).trim()}”`).join(', ')}` : '';
  const cut = lines
    .map((line) => ({ ...line, cells: line.cells.slice(0, beside.from) }))
    .filter((line) => !isBlank(line));
  return {
    lines: cut,
    // Lines below the names are recognised by their width.
    header: findHeader(cut, headerLine) ?? header,
    aside: [`A table beside the rows is not read, as it has ${countOf(beside.lines, 'line')}${named}`],
  };
}

/** The rows of a table so far: each kind of other line is taken from them. */
type Body = { rows: TableLine[]; columns: readonly string[]; notes: string[]; skipped: SkippedLines };

/** Takes lines out that sum up others, and fills the outline that they end the groups of. */
function takeTotals(body: Body): void {
  const { rows, totals, unsure } = takeOutSubtotals(body.rows);
  for (const line of totals) body.skipped.add('total', line);
  if (unsure.length > 0)
    body.notes.push(`Called a total, but read as a row: line ${listLines(unsure, unsure.length)}; delete what is none`);
  const outline = totals.length > 0 ? fillOutline(rows, totals) : { rows, filled: [] };
  body.rows = outline.rows;
  for (const column of outline.filled)
    body.notes.push(
      `“${body.columns[column]}” stands in the first row of each group alone, and is filled in the others from there`,
    );
}

function takeHeadings(body: Body): void {
  const { rows, headings, unsure } = takeOutHeadings(body.rows, body.columns.length);
  body.rows = rows;
  if (unsure.length > 0)
    body.notes.push(
      `Alone in its line, but read as a row: line ${listLines(
        unsure.map(({ line }) => line),
        unsure.length,
      )}; delete what heads others`,
    );
  for (const { line } of headings) body.skipped.add('heading', line);
  if (headings.length === 0) return;
  const texts = headings.slice(0, maxShownCells).map(({ cells }) => `“${String(cells.find(isFilled)).trim()}”`);
  body.notes.push(`Headings between the rows are not read: ${texts.join(', ')}`);
}

/** Recognisers of lines that are no rows, in their order: each takes its own, and says so. */
const lineKinds: readonly ((body: Body) => void)[] = [
  ({ rows, columns, skipped }) => skipEnd(rows, columns.length, skipped),
  takeTotals,
  takeHeadings,
];

const isBlank = ({ cells }: TableLine) =>
  cells.every((cell) => !isFilled(cell) || (typeof cell === 'string' && isDrawn(cell)));

/** The lines that hold anything, each with whether a blank one stands above it. */
function listFilled(given: readonly TableLine[], skipped: SkippedLines): TableLine[] {
  const lines: TableLine[] = [];
  let isBelowBlank = false;
  for (const line of given) {
    if (isBlank(line)) skipped.add('blank', line.line);
    else lines.push(isBelowBlank ? { ...line, isBelowBlank } : line);
    isBelowBlank = !line.cells.some(isFilled);
  }
  return lines;
}

/** The answer, and the columns that are no inputs, by what the file says of its columns. */
function toSaid({ said }: Header, columns: readonly string[]): Pick<Sheet, 'answer' | 'setAside'> {
  const named = (role: string) => columns.filter((_, column) => said?.roles[column] === role);
  const [answer] = named('answer');
  const aside = named('aside').map((name) => [name, 'The file says that it is no input.'] as const);
  return { ...(answer !== undefined && { answer }), ...(aside.length > 0 && { setAside: new Map(aside) }) };
}

/** Makes a sheet of lines: titles, second headers, totals and notes are not rows; lines that fit no row are refused. */
export function readTable(
  given: readonly TableLine[],
  detected: string[],
  choice: SheetChoice,
  skipped = new SkippedLines(),
): Sheet {
  const all = listFilled(given, skipped);
  if (all.length === 0) throw new UnreadableFile('The file is empty.');
  const found = findHeader(all, choice.headerLine);
  if (found === null)
    throw new UnreadableFile(`There is no line ${choice.headerLine}. Choose another line for the header.`);
  const { lines, header, aside } = cutBeside(all, found, choice.headerLine);
  for (const { line } of lines.slice(0, header.start)) skipped.add('title', line);
  for (const at of header.more) skipped.add('header', lines[at]?.line ?? 0);
  const { columns, notes } = nameColumns(header.names);
  const gaps = [...lines.keys()].filter((index) => lines[index]?.isBelowBlank);
  const second = findSecondTable(lines, gaps, header.first, header.names);
  const table = second === null ? lines : lines.slice(0, second.at);
  const { rows: fitting, refused, short: narrow } = fitRows(table, header.first, header.names, skipped);
  const body: Body = { rows: fitting, columns, notes, skipped };
  for (const take of lineKinds) take(body);
  const { rows } = body;
  notes.push(...aside);
  const short = narrow.filter((line) => line <= (rows.at(-1)?.line ?? 0));
  if (header.note !== null) notes.unshift(header.note);
  if (second !== null) {
    for (const { line } of lines.slice(second.at)) skipped.add('other', line);
    const { line, text } = showLine(second.header);
    notes.push(
      `A second table begins at line ${line} (“${text}”) and is not read; to read it, state that line as the header`,
    );
  }
  if (short.length > 0) {
    const what = short.length === 1 ? 'Line' : 'Lines';
    notes.push(`${what} with fewer cells than the others, whose rest is empty: ${listLines(short, short.length)}`);
  }
  const first = lines.slice(0, maxTitleLines).map(showLine);
  const isUsed = (index: number) => isFilled(header.names[index]) || rows.some(({ cells }) => isFilled(cells[index]));
  const used = [...columns.keys()].filter(isUsed);
  const areAll = used.length === columns.length;
  return {
    columns: areAll ? columns : used.map((index) => columns[index] ?? ''),
    rows: areAll ? rows : rows.map(({ line, cells }) => ({ line, cells: used.map((index) => cells[index] ?? null) })),
    detected,
    refused,
    skipped: skipped.list(),
    notes,
    workbook: null,
    header: { line: header.line, first },
    ...toSaid(header, columns),
  };
}
