/** The account of how a file was read, in the same sentences behind every door. */
import { countOf, formatCount } from '../numeric.ts';
import type { Sheet, SkipReason } from './sheet.ts';
import { listLines } from './tables/skipped.ts';

const reasonNames: Readonly<Record<SkipReason, [one: string, many: string]>> = {
  blank: ['blank line', 'blank lines'],
  title: ['title', 'titles'],
  header: ['second header', 'second headers'],
  heading: ['heading', 'headings'],
  total: ['total', 'totals'],
  note: ['note', 'notes'],
  hidden: ['hidden line', 'hidden lines'],
  other: ['line of another table', 'lines of another table'],
};

/** Says which lines are not rows, and what was guessed or made up: “No rows: 2 blank lines (3, 5), 1 total (9)”. */
function describeReading({ skipped, notes }: Pick<Sheet, 'skipped' | 'notes'>): string[] {
  const parts = skipped.map(({ reason, count, lines }) => {
    const name = reasonNames[reason][count === 1 ? 0 : 1];
    return `${formatCount(count)} ${name} (${listLines(lines, count)})`;
  });
  return [...(parts.length > 0 ? [`No rows: ${parts.join(', ')}`] : []), ...notes];
}

/** Says what a file is, “300 rows, shift_jis, separated by tabs”, then names lines that are not rows, and guesses. */
export function describeFile(sheet: Pick<Sheet, 'rows' | 'detected' | 'skipped' | 'notes'>): string[] {
  return [[countOf(sheet.rows.length, 'row'), ...sheet.detected].join(', '), ...describeReading(sheet)];
}

/** Says which columns become personal fields, and which tell who somebody is and do not. */
export function describePersonal(personal: readonly string[], piiFields: readonly string[] | null): string[] {
  const rest = personal.filter((name) => !piiFields?.includes(name));
  return [
    ...(piiFields === null || piiFields.length === 0 ? [] : [`Personal fields: ${piiFields.join(', ')}`]),
    ...(rest.length === 0 ? [] : [`Not set as personal fields: ${rest.join(', ')}`]),
  ];
}

/** Asks which encoding a text has, with a word of it in each; null where the encoding is known. */
export function askForEncoding({ encoding }: Sheet): string | null {
  if (encoding === undefined || encoding.choices.length === 0) return null;
  const choices = encoding.choices.map(({ encoding: name, example }) => `“${example}” (${name})`);
  return `is the text ${choices.join(' or ')}? Nothing in it tells`;
}
