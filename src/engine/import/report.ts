/** Tells in sentences how a file was read. */
import type { Sheet, SkipReason } from './sheet.ts';
import { listLines } from './tables/skipped.ts';

const reasonNames: Readonly<Record<SkipReason, [one: string, many: string]>> = {
  blank: ['blank line', 'blank lines'],
  title: ['title', 'titles'],
  header: ['second header', 'second headers'],
  total: ['total', 'totals'],
  note: ['note', 'notes'],
  hidden: ['hidden line', 'hidden lines'],
};

/** Says which lines are no rows, and what was guessed or made up: “No rows: 2 blank lines (3, 5), 1 total (9)”. */
export function describeReading({ skipped, notes }: Pick<Sheet, 'skipped' | 'notes'>): string[] {
  const parts = skipped.map(({ reason, count, lines }) => {
    const name = reasonNames[reason][count === 1 ? 0 : 1];
    return `${count.toLocaleString('en')} ${name} (${listLines(lines, count)})`;
  });
  return [...(parts.length > 0 ? [`No rows: ${parts.join(', ')}`] : []), ...notes];
}

/** Asks which encoding a text has, with a word of it in each; null where the encoding is known. */
export function askForEncoding({ encoding }: Sheet): string | null {
  if (encoding === undefined || encoding.choices.length === 0) return null;
  const choices = encoding.choices.map(({ encoding: name, example }) => `“${example}” (${name})`);
  return `is the text ${choices.join(' or ')}? Nothing in it tells`;
}
