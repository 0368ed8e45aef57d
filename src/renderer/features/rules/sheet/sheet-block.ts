/** Blocks of cells of the sheet: a range under the cursor, and texts written into many cells in one step. */
import type { Rule } from '../../../../engine/domain/definition.ts';
import { limits } from '../../../../engine/limits.ts';
import { isolate } from '../../../parts/text/names.ts';
import { appendRule, type TypeDraft } from '../../../state/drafts.ts';
import type { GivenLine } from './read-lines.ts';
import { readText, type SheetColumn, type SheetRow, writeText } from './sheet.ts';

/** A cell by its place in the sheet. */
export type Spot = { row: number; column: number };
/** A text for a cell; a row below the last one is a rule still to be made. */
export type CellText = Spot & { text: string };
/** The first and last row and column of some cells. */
export type Range = { top: number; bottom: number; left: number; right: number };

/** The cells between two of them. */
export function toRange(one: Spot, other: Spot): Range {
  const [top, bottom] = [Math.min(one.row, other.row), Math.max(one.row, other.row)];
  const [left, right] = [Math.min(one.column, other.column), Math.max(one.column, other.column)];
  return { top, bottom, left, right };
}

/** Each cell of a range, line by line, with the text that is made for it. */
export function fillRange({ top, bottom, left, right }: Range, toText: (row: number, column: number) => string) {
  const cells: CellText[] = [];
  for (let row = top; row <= bottom; row += 1)
    for (let column = left; column <= right; column += 1) cells.push({ row, column, text: toText(row, column) });
  return cells;
}

/** Lays lines of a spreadsheet into the sheet from the first cell of a range on, as often as they fill it whole. */
export function layLines(lines: readonly GivenLine[], range: Range): CellText[] {
  const { top, left } = range;
  const [height, width] = [lines.length, Math.max(...lines.map(({ cells }) => cells.length))];
  if (height === 0) return [];
  const reach = (from: number, to: number, size: number) => ((to - from + 1) % size === 0 ? to : from + size - 1);
  const filled = { top, left, bottom: reach(top, range.bottom, height), right: reach(left, range.right, width) };
  return fillRange(filled, (row, column) => lines[(row - top) % height]?.cells[(column - left) % width] ?? '');
}

/** Returns the rules with every text written as if it were typed into its cell; of one that cannot be, the problem. */
export function writeCells(
  cells: readonly CellText[],
  { rows, columns }: { rows: readonly SheetRow[]; columns: readonly SheetColumn[] },
  rules: readonly Rule[],
  draft: Pick<TypeDraft, 'options' | 'reason_codes'>,
): { rules: readonly Rule[] } | { problem: string } {
  const made = new Map<number, number>();
  const isName = ({ column }: Spot) => columns[column]?.kind === 'name';
  // Names that are written later do not stand in the way of those before them.
  const waiting = new Set(cells.filter(isName).map(({ row }) => rows[row]?.place));
  let written = rules;
  for (const cell of cells) {
    const { row, text } = cell;
    const column = columns[cell.column];
    const refuse = (problem: string) => ({
      problem:
        cells.length === 1
          ? problem
          : `Row ${row + 1}, ${isolate(column?.name ?? 'to the right of the sheet')}: ${problem} Nothing was changed.`,
    });
    if (!column) return refuse('There is no such column.');
    let place = rows[row]?.place ?? made.get(row);
    waiting.delete(place);
    if (text.trim() === readText(rows[row], column).trim()) continue;
    if (place === undefined) {
      place = written.length;
      if (place === limits.maxRules) return refuse(`A type has at most ${limits.maxRules} rules.`);
      made.set(row, place);
      const start = { condition: '', then: '', reason_code: null };
      written = appendRule(written, start, `rule ${place + 1}`);
    }
    const others = written.filter((_, at) => at !== place && !waiting.has(at));
    const found = writeText(written[place] ?? { condition: '' }, column, text, draft, others);
    if ('problem' in found) return refuse(found.problem);
    written = written.map((rule, at) => (at === place ? { ...rule, ...found.patch } : rule));
  }
  return { rules: written };
}
