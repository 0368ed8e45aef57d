/** How the values of a column are spread, for a small chart in its head. */
import { compileReading } from '../readings/readings.ts';
import { readCell, type Sheet } from './sheet.ts';
import { type ColumnSurvey, toText } from './survey.ts';

const steps = 12;
const maxCategories = 24;
/** Texts that differ in more than this share of the rows are no categories. */
const maxDifferent = 0.5;
/** So many rows, evenly over the file, show how numbers and dates are spread; fewer in a file of many columns. */
const maxSampledRows = 2_000;
const maxSampledCells = 100_000;

/** Counts for each column the rows of its categories, commonest first, or of its steps; none where they say nothing. */
export function countSpreads(surveys: readonly ColumnSurvey[], { columns, rows }: Sheet): number[][] {
  const sampled = Math.min(maxSampledRows, Math.ceil(maxSampledCells / columns.length));
  const stride = Math.ceil(rows.length / sampled);
  const sample = { columns, rows: rows.filter((_, place) => place % stride === 0) };
  return surveys.map((survey, column) => countSpread(survey, column, sample));
}

function countSpread(
  { kind, reading, uses, distinct, filled }: ColumnSurvey,
  column: number,
  { columns, rows }: Pick<Sheet, 'columns' | 'rows'>,
): number[] {
  if (kind.startsWith('number') || kind.startsWith('date')) {
    const read = reading === null ? null : compileReading(reading);
    const values = rows.flatMap((row) => {
      const cell = readCell(row, columns, column);
      const value = cell == null || read === null ? cell : read(toText(cell));
      const at = typeof value === 'string' ? Date.parse(value) : value;
      return typeof at === 'number' && Number.isFinite(at) ? [at] : [];
    });
    return countSteps(values);
  }
  return distinct < 2 || distinct > maxDifferent * filled ? [] : [...(uses?.values() ?? [])].slice(0, maxCategories);
}

function countSteps(values: readonly number[]): number[] {
  const [low, high] = [
    values.reduce((a, b) => Math.min(a, b), Infinity),
    values.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  if (!(high > low)) return [];
  const counts = Array.from({ length: steps }, () => 0);
  for (const value of values) {
    const step = Math.min(steps - 1, Math.floor((steps * (value - low)) / (high - low)));
    counts[step] = (counts[step] ?? 0) + 1;
  }
  return counts;
}
