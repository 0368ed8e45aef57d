import { readCell, type Sheet } from '../import/sheet.ts';
import type { ColumnSurvey } from '../import/survey.ts';
import type { LanguageDetector } from '../ports.ts';
import { countLanguages, describeReading } from '../text/languages.ts';
import { isTextColumn } from './columns.ts';

/** Rows that are looked at, spread evenly. */
const maxRows = 1_000;

/**
 * Says of each column of texts which languages it holds, as the end of a sentence: "German (96%)". The detector is
 * opened where there is such a column.
 */
export async function describeColumnLanguages(
  { rows, columns }: Sheet,
  surveys: readonly ColumnSurvey[],
  openDetector: () => Promise<LanguageDetector>,
): Promise<ReadonlyMap<string, string>> {
  const every = Math.ceil(rows.length / maxRows);
  const some = rows.filter((_, place) => place % every === 0);
  const texts = surveys.flatMap(({ name, kind }, column) => {
    if (kind !== 'text' && kind !== 'as_is') return [];
    const cells = some.flatMap((row) => {
      const cell = readCell(row, columns, column);
      return typeof cell === 'string' ? [cell] : [];
    });
    return isTextColumn({ cells }) ? [{ name, cells }] : [];
  });
  if (texts.length === 0) return new Map();
  const detect = await openDetector();
  const described = texts.map(({ name, cells }) => [name, describeReading(countLanguages(cells, detect))] as const);
  return new Map(described.flatMap(([name, sentence]) => (sentence === null ? [] : [[name, sentence] as const])));
}
