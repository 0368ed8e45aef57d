/** Texts written into many cells of the sheet in one step. */
import type { Rule } from '../../../../engine/domain/definition.ts';
import { limits } from '../../../../engine/limits.ts';
import type { CellText, Spot } from '../../../parts/grid/cells.ts';
import { isolate } from '../../../parts/text/names.ts';
import { appendRule, type TypeDraft } from '../../../state/drafts.ts';
import { readText, type SheetColumn, type SheetRow, writeText } from './sheet.ts';

/**
 * Returns the rules with every text written as if it were typed into its cell, a row below the last one as a new rule;
 * of a text that cannot be, the problem.
 */
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
