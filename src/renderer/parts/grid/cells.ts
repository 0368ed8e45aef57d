/** Cells of a grid by their places: a cursor with the range up to it, and blocks of texts as in spreadsheets. */

/** A cell by its place in the grid. */
export type Spot = { row: number; column: number };
/** A text for a cell. */
export type CellText = Spot & { text: string };
/** The first and last row and column of some cells. */
export type Range = { top: number; bottom: number; left: number; right: number };
/** The cell that keys act on; `anchor` is where the range up to it begins, null while it is the only one. */
export type Cursor = Spot & { anchor: Spot | null };
/** Where the cursor goes: by some rows and columns, or to a cell; the range begins where it was if it is extended. */
export type Move = ({ down: number; right: number } | Spot) & { isExtended?: boolean };

const clamp = (place: number, count: number) => Math.min(count - 1, Math.max(0, place));

/** The index after a move of a row cursor, kept within the rows; -1 for an empty list. */
export function moveCursor(cursor: number, by: number, count: number): number {
  return count === 0 ? -1 : clamp(cursor + by, count);
}

/** The cursor after a move, kept within so many rows and columns. */
export function moveCell({ anchor, ...at }: Cursor, move: Move, size: { rows: number; columns: number }): Cursor {
  const to = 'row' in move ? move : { row: at.row + move.down, column: at.column + move.right };
  const next = { row: clamp(to.row, size.rows), column: clamp(to.column, size.columns) };
  return { ...next, anchor: move.isExtended ? (anchor ?? at) : null };
}

/** The cells from the anchor to the cursor. */
export function toRange({ anchor, ...at }: Cursor): Range {
  const other = anchor ?? at;
  const [top, bottom] = [Math.min(at.row, other.row), Math.max(at.row, other.row)];
  const [left, right] = [Math.min(at.column, other.column), Math.max(at.column, other.column)];
  return { top, bottom, left, right };
}

/** Each cell of a range, line by line, with the text that is made for it. */
export function fillRange({ top, bottom, left, right }: Range, toText: (row: number, column: number) => string) {
  const cells: CellText[] = [];
  for (let row = top; row <= bottom; row += 1)
    for (let column = left; column <= right; column += 1) cells.push({ row, column, text: toText(row, column) });
  return cells;
}

/** Lays lines of a spreadsheet into the grid from the first cell of a range on, as often as they fill it whole. */
export function layLines(lines: readonly { cells: readonly string[] }[], range: Range): CellText[] {
  const { top, left } = range;
  const [height, width] = [lines.length, Math.max(...lines.map(({ cells }) => cells.length))];
  if (height === 0) return [];
  const reach = (from: number, to: number, size: number) => ((to - from + 1) % size === 0 ? to : from + size - 1);
  const filled = { top, left, bottom: reach(top, range.bottom, height), right: reach(left, range.right, width) };
  return fillRange(filled, (row, column) => lines[(row - top) % height]?.cells[(column - left) % width] ?? '');
}

/** A text as a cell of TSV: in quotation marks where a spreadsheet would else cut it. */
const toTsvCell = (text: string) => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Lines of cells as tab-separated text. */
export const toTsv = (lines: readonly (readonly string[])[]) =>
  lines.map((line) => line.map(toTsvCell).join('\t')).join('\n');
