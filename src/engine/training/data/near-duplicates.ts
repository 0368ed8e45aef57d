/** Held-out inputs that say the same as an input of the training side in nearly the same words. */
import type { Json } from '../../json.ts';
import type { LabelledRow } from './labelled-rows.ts';
import { foldText } from './near-repeats.ts';
import { compareStrings } from './split.ts';

/** How many held-out rows have a near duplicate, and the ids of the first of them. */
type NearDuplicates = { count: number; exampleIds: string[] };

const maxReportedIds = 100;

/** The words of every value under its path, sorted and folded: equal for near duplicates. */
function foldInput(value: Json, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => foldInput(item, `${path}[]`));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => foldInput(item, `${path}.${key}`));
  }
  if (typeof value !== 'string') return [`${path}=${value}`];
  return [`${path}=${foldText(value)}`];
}

const toKey = (row: LabelledRow) => foldInput(row.input).sort(compareStrings).join('\n');

/** Finds the rows of `testRows` that have a near duplicate in `trainRows`; in their order. Linear in all texts. */
export function findNearDuplicates(
  trainRows: readonly LabelledRow[],
  testRows: readonly LabelledRow[],
): NearDuplicates {
  const known = new Set(trainRows.map(toKey));
  const found = testRows.filter((row) => known.has(toKey(row)));
  return { count: found.length, exampleIds: found.slice(0, maxReportedIds).map(({ id }) => id) };
}
