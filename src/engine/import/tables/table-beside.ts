/** A small table beside the rows, with an empty column between: a summary or a legend, which belongs to no row. */
import type { Json } from '../../json.ts';
import { isFilled, type TableLine } from './find-header.ts';

/** A table beside fills at most this share of the rows. */
const maxShare = 0.7;
const minRows = 4;

/**
 * Finds the column from which on cells belong to another table: behind an empty one without a name, and filled in one
 * run of the rows alone, which is shorter than they are. Null for none.
 */
export function findTableBeside(
  names: readonly Json[],
  rows: readonly TableLine[],
): { from: number; lines: number } | null {
  if (rows.length < minRows) return null;
  const isEmpty = (column: number) => !isFilled(names[column]) && rows.every(({ cells }) => !isFilled(cells[column]));
  for (let gap = 1; gap < names.length - 1; gap += 1) {
    if (!isEmpty(gap)) continue;
    const holds = rows.map(({ cells }) => cells.slice(gap + 1).some(isFilled));
    const first = holds.indexOf(true);
    const last = holds.lastIndexOf(true);
    const lines = last - first + 1;
    const isRun = first >= 0 && holds.slice(first, last + 1).every((is) => is);
    const isShort = lines <= maxShare * rows.length || last < rows.length - 2;
    if (isRun && lines < rows.length && isShort) return { from: gap, lines };
  }
  return null;
}
