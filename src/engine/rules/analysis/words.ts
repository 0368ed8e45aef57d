import { nameSubject } from '../days.ts';
import { type TableRow, toTable } from './table.ts';

/** Words for the tests of conditions. */
export type ConditionWords = {
  tests: Readonly<Record<TableRow['test'], string>>;
  and: string;
  or: string;
  write?(value: unknown): string;
};

const tests: ConditionWords['tests'] = {
  '==': 'is',
  '!=': 'is not',
  '<': 'is below',
  '<=': 'is at most',
  '>': 'is over',
  '>=': 'is at least',
  in: 'is one of',
  'not in': 'is none of',
  'in list': 'is in the list',
  'not in list': 'is not in the list',
  contains: 'contains',
  startsWith: 'begins with',
  endsWith: 'ends with',
  mentions: 'mentions',
  is: 'is (ignoring case)',
  present: 'is given',
  absent: 'is missing',
  empty: 'is empty',
  filled: 'is not empty',
};

export const englishConditions: ConditionWords = { tests, and: ' and ', or: ' or ' };

/** Writes tests joined by `&&` in words, names and values by `quote`; null for any other condition. */
export function describeCondition(
  condition: string,
  quote = (text: string) => text,
  words: ConditionWords = englishConditions,
): string | null {
  const { write = JSON.stringify } = words;
  const describeRow = (row: TableRow) => {
    const start = `${quote(nameSubject(row))} ${words.tests[row.test]}`;
    if ('list' in row) return `${start} ${quote(row.list)}`;
    if (!('value' in row)) return start;
    const values = [row.value].flat().map((value) => quote(write(value)));
    return `${start} ${values.join(row.test === 'in' || row.test === 'not in' ? ', ' : words.or)}`;
  };
  return toTable(condition)?.map(describeRow).join(words.and) ?? null;
}
