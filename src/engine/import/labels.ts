/** The labels of a column, and the meaning of each. */
import { toName } from '../domain/names.ts';
import { limits } from '../limits.ts';
import { countEdits } from '../rules/suggest.ts';
import { toKey, unwrapList } from './answers.ts';
import { isMissing } from './kinds.ts';
import { readCell, type Sheet, type SheetRow } from './sheet.ts';
import { toText } from './survey.ts';

export type LabelTarget = { kind: 'option'; option: string } | { kind: 'add' } | { kind: 'none' };
export type LabelUse = { value: string; count: number; line: number };

/** The label of a row as its file writes it, without signs that nobody sees; null where it has none. */
export function readLabel(row: SheetRow, columns: readonly string[], column: number): string | null {
  const found = readCell(row, columns, column);
  // A list of one label is that label.
  const cell = Array.isArray(found) && found.length < 2 ? found[0] : found;
  if (cell === undefined || cell === null) return null;
  const label = unwrapList(toName(toText(cell))).trim();
  if (label === '') return null;
  return /^(?:true|false)$/i.test(label) ? label.toLowerCase() : label;
}

/** The labels of columns with the rows that have them, commonest first, and the line each is met first. */
export function listLabels(sheet: Sheet, ...columns: readonly (string | null)[]): LabelUse[] {
  const uses = new Map<string, LabelUse>();
  const places = columns.flatMap((column) => (column === null ? [] : [sheet.columns.indexOf(column)]));
  for (const row of sheet.rows)
    for (const label of new Set(places.map((at) => readLabel(row, sheet.columns, at)))) {
      if (label === null) continue;
      const use = uses.get(label) ?? { value: label, count: 0, line: row.line };
      use.count += 1;
      uses.set(label, use);
    }
  return [...uses.values()].sort((a, b) => b.count - a.count);
}

const maxEdits = 2;
/** A value this much rarer than its neighbour may be a typo. */
const slipShare = 0.05;

/** The same writing but for case, blanks and the form of Unicode: one and the same answer. */
const toWriting = (text: string): string => text.normalize('NFC').trim().toLowerCase().replaceAll(/\s+/g, ' ');

type Written = { option: string; key: string; digits: string };
const toWritten = (option: string): Written => ({ option, key: toKey(option), digits: option.replaceAll(/\D/g, '') });

/** Whether two writings differ so little that one may be a slip; other digits are never one. */
function areNear(a: Written, b: Written): boolean {
  if (a.digits !== b.digits || Math.abs(a.key.length - b.key.length) > maxEdits) return false;
  return a.key === b.key || (b.key.length > maxEdits + 1 && countEdits(a.key, b.key, maxEdits) <= maxEdits);
}

/** A label that may be a variant spelling of an option; only a person can tell. */
export type NearLabel = { label: LabelUse; option: string };

/**
 * Finds what each label means: an option that is written the same but for case and blanks, no label, or a new option;
 * and new ones that may be a slip for an option of the type, or for one that is far more frequent in the file. Where
 * there are more new ones than a type has options, it is not a column of answers, and no more are compared.
 */
export function guessTargets(
  labels: readonly LabelUse[],
  options: readonly string[],
): { targets: Record<string, LabelTarget>; near: NearLabel[] } {
  const counts = new Map(labels.map(({ value, count }) => [value, count]));
  const known = new Map(options.map((option) => [toWriting(option), toWritten(option)]));
  const targets: Record<string, LabelTarget> = {};
  const near: NearLabel[] = [];
  for (const label of labels) {
    const { value, count } = label;
    const same = known.get(toWriting(value));
    if (same !== undefined) targets[value] = { kind: 'option', option: same.option };
    else if (isMissing(value)) targets[value] = { kind: 'none' };
    else {
      const written = toWritten(value);
      const isNear = (other: Written) =>
        areNear(written, other) &&
        (count <= Math.max(1, slipShare * (counts.get(other.option) ?? 0)) ||
          options.includes(other.option) ||
          written.key === other.key);
      const nearest = known.size > limits.maxOptions ? undefined : [...known.values()].find(isNear);
      if (nearest === undefined) known.set(toWriting(value), written);
      else near.push({ label, option: nearest.option });
      targets[value] = { kind: 'add' };
    }
  }
  return { targets, near };
}
