/** Dates in conditions: JSON has none, so they are texts, in which only ISO 8601 puts the later one behind. */
import { type At, listChildren, type RuleNode } from '../tree.ts';

const orderings = ['<', '<=', '>', '>='] as const;
const numbersWithYear = /^\d{1,2}([./-])\d{1,2}\1\d{4}(?!\d)/;

/** Reads a date as ISO 8601 has it, with an optional time, or as 31.12.2026; null where it is none. */
export function readDate(text: string): string | null {
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text);
  const iso = dotted ? `${dotted[3]}-${dotted[2]?.padStart(2, '0')}-${dotted[1]?.padStart(2, '0')}` : text;
  if (!/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/.test(iso)) return null;
  const day = new Date(`${iso.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(iso.slice(0, 10)) ? iso : null;
}

/** Finds dates compared by size though they begin with day or month: 02.01.2020 comes before 03.01.2010. */
export function findDateTexts(node: RuleNode): { at: At; message: string; suggestion: string }[] {
  const below = listChildren(node).flatMap(findDateTexts);
  if (node.k !== 'op' || !orderings.some((op) => op === node.op)) return below;
  const dates = [node.left, node.right].flatMap((side) =>
    side.k === 'lit' && typeof side.v === 'string' && numbersWithYear.test(side.v)
      ? [{ at: side.at, text: side.v }]
      : [],
  );
  return [
    ...below,
    ...dates.map(({ at, text }) => ({
      at,
      message: `"${text}" is compared letter by letter, not as a date.`,
      suggestion: `Write the year first, as the inputs must, too: "${readDate(text) ?? '2026-12-31'}".`,
    })),
  ];
}
