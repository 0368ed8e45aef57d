/** Finding where a second table begins below the first, in one sheet or text. */
import type { Json } from '../../json.ts';
import { isFilled, isMissingWord, isName, isValue, listCells, measureReach, type TableLine } from './find-header.ts';

/** Rows of each table that are compared. */
const comparedRows = 100;

/** Whether a line could name columns: at least two filled cells, all of them different names. */
function areNames({ cells }: TableLine): boolean {
  const filled = cells.filter(isFilled);
  const names = new Set(filled.map((cell) => String(cell).trim()));
  return (
    filled.length > 1 &&
    names.size === filled.length &&
    filled.every((cell) => isName(cell) && !isValue(cell) && !isMissingWord(cell))
  );
}

/** Whether a line names the columns of other rows than those above: names over numbers, or another width. */
function isOtherHeader(line: TableLine, above: readonly TableLine[], below: readonly TableLine[], width: number) {
  if (!areNames(line) || below.length === 0) return false;
  const reach = measureReach(line);
  if (reach !== width && below.every((row) => measureReach(row) === reach)) return true;
  return [...line.cells.keys()].some((column) => {
    const cells = isFilled(line.cells[column]) ? listCells(above, column) : [];
    return cells.length > 0 && cells.every(isValue);
  });
}

/** The place among `lines` where a second table begins, with its title, behind the rows from `first` on, or null. */
export function findSecondTable(
  lines: readonly TableLine[],
  gaps: readonly number[],
  first: number,
  names: readonly Json[],
): { at: number; header: TableLine } | null {
  const width = names.findLastIndex(isFilled) + 1;
  for (const [index, at] of gaps.entries()) {
    const title = lines[at];
    if (at <= first || title === undefined) continue;
    const header = title.cells.filter(isFilled).length === 1 ? lines[at + 1] : title;
    if (header === undefined) return null;
    if (names.every((name, column) => header.cells[column] === name) && measureReach(header) === width) continue;
    const begin = header === title ? at + 1 : at + 2;
    const below = lines.slice(begin, Math.min(gaps[index + 1] ?? lines.length, begin + comparedRows));
    if (isOtherHeader(header, lines.slice(first, Math.min(at, first + comparedRows)), below, width)) {
      return { at, header };
    }
  }
  return null;
}
