/** Lines that head the rows below them, and cells that a report leaves empty below the first of a group. */
import { isFilled, isName, type TableLine } from './find-header.ts';

const maxHeadingLength = 80;
/** Where several lines head others, cells may be empty in this share of them. */
const maxEmptyShare = 0.3;
/** Headings are fewer than the rows: at most one for each of them. */
const maxShare = 0.5;

/**
 * Takes out the lines that head groups of rows: a name alone in a line of three or more columns, above the first row as
 * well, where the other rows fill all columns, or nearly all below several headings. They are never two in a row, nor
 * the last line. Where the first line could head others and is no heading by this, it is `unsure`.
 */
export function takeOutHeadings(
  rows: readonly TableLine[],
  width: number,
): { rows: TableLine[]; headings: TableLine[]; unsure: TableLine[] } {
  const isHeading = ({ cells }: TableLine) => {
    const filled = cells.filter(isFilled);
    return filled.length === 1 && isName(filled[0]) && String(filled[0]).trim().length <= maxHeadingLength;
  };
  const headings = rows.filter(isHeading);
  const others = rows.filter((row) => !isHeading(row));
  const [first] = rows;
  const areHeadings =
    first !== undefined &&
    isHeading(first) &&
    headings.length <= maxShare * rows.length &&
    isFull(others, width, headings.length > 1 ? maxEmptyShare : 0) &&
    rows.every((row, index) => !isHeading(row) || rows.slice(index + 1, index + 2).some((next) => !isHeading(next)));
  if (areHeadings) return { rows: others, headings, unsure: [] };
  const isUnsure = first !== undefined && isHeading(first) && width > 2 && 2 * headings.length < others.length;
  return { rows: [...rows], headings: [], unsure: isUnsure ? headings : [] };
}

/** Whether no more than a share of the cells is empty, in the columns that any row fills. */
function isFull(rows: readonly TableLine[], width: number, maxEmpty: number): boolean {
  const counts = Array.from(
    { length: width },
    (_, column) => rows.filter(({ cells }) => isFilled(cells[column])).length,
  );
  const used = counts.filter((count) => count > 0);
  const filled = used.reduce((sum, count) => sum + count, 0);
  return used.length > 2 && filled >= (1 - maxEmpty) * rows.length * used.length;
}

/**
 * Fills the cells of an outline: a column that names its group in the first row of each alone. `ends` are the lines of
 * the totals behind the groups, which show that it is one. Gives the places of the columns that were filled.
 */
export function fillOutline(
  rows: readonly TableLine[],
  ends: readonly number[],
): { rows: TableLine[]; filled: number[] } {
  const groups: TableLine[][] = [];
  let from = 0;
  for (const end of ends) {
    const to = rows.findIndex(({ line }) => line > end);
    const group = rows.slice(from, to < 0 ? rows.length : to);
    if (group.length > 0) groups.push(group);
    from = to < 0 ? rows.length : to;
  }
  if (from < rows.length) groups.push(rows.slice(from));
  const width = rows[0]?.cells.length ?? 0;
  const isOutlined = (column: number) =>
    groups.some((group) => group.length > 1) &&
    groups.every(
      ([first, ...others]) => isName(first?.cells[column]) && others.every(({ cells }) => !isFilled(cells[column])),
    );
  const filled = Array.from({ length: width }, (_, column) => column).filter(isOutlined);
  if (filled.length === 0) return { rows: [...rows], filled };
  const fill = ({ line, cells }: TableLine, first: TableLine) => ({
    line,
    cells: cells.map((cell, column) => (filled.includes(column) ? (first.cells[column] ?? null) : cell)),
  });
  return {
    rows: groups.flatMap((group) => group.slice(0, 1).flatMap((first) => group.map((row) => fill(row, first)))),
    filled,
  };
}
