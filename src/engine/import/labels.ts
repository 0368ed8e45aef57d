/** The labels of a column, and what each means. */
import { countEdits } from '../rules/suggest.ts';
import { toKey } from './answers.ts';
import { isMissing } from './kinds.ts';
import { readCell, type Sheet, type SheetRow } from './sheet.ts';
import { toText } from './survey.ts';

/** What becomes of a label of the file: an option, a new option of this name, or no label. */
export type LabelTarget = { kind: 'option'; option: string } | { kind: 'add' } | { kind: 'none' };
export type LabelUse = { value: string; count: number; line: number };

/** The label of a row as its file writes it; null where it has none. */
export function readLabel(row: SheetRow, columns: readonly string[], column: number): string | null {
  const cell = readCell(row, columns, column);
  if (cell === undefined || cell === null) return null;
  const label = toText(cell);
  if (label === '') return null;
  return /^(?:true|false)$/i.test(label) ? label.toLowerCase() : label;
}

/** The labels of a column with their counts, commonest first, and the line each is met first. */
export function listLabels(sheet: Sheet, column: string): LabelUse[] {
  const uses = new Map<string, LabelUse>();
  const at = sheet.columns.indexOf(column);
  for (const row of sheet.rows) {
    const label = readLabel(row, sheet.columns, at);
    if (label === null) continue;
    const use = uses.get(label) ?? { value: label, count: 0, line: row.line };
    use.count += 1;
    uses.set(label, use);
  }
  return [...uses.values()].sort((a, b) => b.count - a.count);
}

const maxEdits = 2;
/** A value this much rarer than its neighbour is taken for a slip of the hand. */
const slipShare = 0.05;

/** Finds what each label means: an option, a slip of the hand for one, no label, or a new option. */
export function guessTargets(labels: readonly LabelUse[], options: readonly string[]): Record<string, LabelTarget> {
  const known = new Map(options.map((option) => [toKey(option), option]));
  const targets: Record<string, LabelTarget> = {};
  for (const { value, count } of labels) {
    const written = toKey(value);
    const same = known.get(written);
    const near = [...known].find(
      ([key, option]) =>
        key.length > maxEdits + 1 &&
        Math.abs(key.length - written.length) <= maxEdits &&
        countEdits(written, key, maxEdits) <= maxEdits &&
        count <= slipShare * Math.max(1 / slipShare, labels.find((label) => label.value === option)?.count ?? 0),
    );
    const option = same ?? near?.[1];
    if (option !== undefined) targets[value] = { kind: 'option', option };
    else if (isMissing(value)) targets[value] = { kind: 'none' };
    else {
      targets[value] = { kind: 'add' };
      known.set(toKey(value), value);
    }
  }
  return targets;
}
