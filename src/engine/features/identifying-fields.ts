/** Fields that tell rows apart and say nothing else: identifiers, running numbers, times of entry. */
import { toRowContent } from '../drawn-rows.ts';
import type { Json, JsonObject } from '../json.ts';
import { identifierPattern, isFiniteNumber, listLeaves } from './values.ts';

/** Rows that are looked at. */
export const maxIdentifyingRows = 1_000;
/** Fewer rows may well have different values everywhere. */
const minRows = 20;
const maxRepeatedValues = 50;
/** Where fewer different contents than these, and than a third of the rows, are left, the rows differ by the fields. */
const minContents = 30;
/** A running number has gaps at most where a third of its rows are missing. */
const maxRangePerRow = 1.5;

/** Paths of fields whose values name a row, whatever its label; none where hardly anything else would be left. */
export function listIdentifyingFields(inputs: readonly JsonObject[]): string[][] {
  const columns = new Map<string, { path: string[]; values: Json[] }>();
  const shown = inputs.slice(0, maxIdentifyingRows);
  for (const input of shown) {
    for (const { path, value } of listLeaves(input)) {
      const key = JSON.stringify(path);
      const column = columns.get(key) ?? { path, values: [] };
      if (value !== null) column.values.push(value);
      columns.set(key, column);
    }
  }
  const all = [...columns.values()];
  const found = all.filter(({ path, values }) => isIdentifying(path.at(-1) ?? '', values, shown.length));
  const paths = found.map(({ path }) => path);
  const left = new Set(paths.length === 0 ? [] : shown.map((input) => toRowContent(input, paths)));
  return left.size < Math.min(minContents, shown.length / 3) ? [] : paths;
}

function isIdentifying(name: string, values: readonly Json[], rows: number): boolean {
  const different = new Set(values);
  if (different.size < minRows) return false;
  const texts = values.filter((value) => typeof value === 'string');
  const numbers = values.filter(isFiniteNumber).filter(Number.isInteger);
  const isOneType = texts.length === values.length || numbers.length === values.length;
  if (!isOneType) return false;
  if (identifierPattern.test(name)) return different.size > maxRepeatedValues || values.length < 2 * different.size;
  if (different.size < rows) return false;
  return numbers.length === 0 ? texts.every(isCode) : isRunning(numbers);
}

const isCode = (text: string) => /^\S*\d\S*$/.test(text);

/** Whether different whole numbers count the rows: they rise or fall from row to row, or leave few gaps. */
function isRunning(numbers: readonly number[]): boolean {
  const rising = numbers.filter((number, i) => i > 0 && number > (numbers[i - 1] ?? 0)).length;
  const sorted = Float64Array.from(numbers).sort();
  const range = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0) + 1;
  return rising === 0 || rising === numbers.length - 1 || range <= maxRangePerRow * numbers.length;
}
