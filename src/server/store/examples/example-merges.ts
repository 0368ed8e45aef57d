/** Changing many examples at once to what a merge has found, each only if nobody has changed it meanwhile. */

import { pick } from '../../../engine/domain/records.ts';
import { type ExampleRecord, mergedFields } from '../../../engine/examples/fields.ts';
import type { ReadingRow } from '../../../engine/export/read-back.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { setColumns, toStored } from './example-fields.ts';
import { toFirstOfMany } from './first-labels.ts';
import { insertSecondReadings } from './given-labels.ts';

/** An example as it becomes, when it must have been changed last, and who gave a label the merge takes. */
export type MergedExample = { example: ExampleRecord; expectedUpdatedAt: number; reader: string | null };
/** Changes of a type's examples, and second readings of them: each slice is the JSON of a list of objects. */
export type ExampleMerges = {
  decisionTypeId: string;
  updatedAt: number;
  count: number;
  slices: string[];
  readings: string[];
};

const maxSliceRows = 500;

/** Writes merged examples out, so that a call that another process has prepared only hands on texts. */
export function writeMerges(
  decisionTypeId: string,
  updatedAt: number,
  changed: readonly MergedExample[],
  readings: readonly (readonly [exampleId: string, reading: ReadingRow])[],
): ExampleMerges {
  const rows = changed.map(({ example, expectedUpdatedAt, reader }) => ({
    ...toStored(pick(example, ['id', ...mergedFields])),
    expectedUpdatedAt,
    reader,
  }));
  const read = readings.map(([id, secondReading]) => ({ id, labels: { secondReading } }));
  return { decisionTypeId, updatedAt, count: rows.length, slices: toSlices(rows), readings: toSlices(read) };
}

function toSlices(rows: readonly unknown[]): string[] {
  const slices: string[] = [];
  for (let at = 0; at < rows.length; at += maxSliceRows) slices.push(JSON.stringify(rows.slice(at, at + maxSliceRows)));
  return slices;
}

/** `noteChange` hears of every type whose examples are changed. */
export function createExampleMergeStore(db: WorkbenchDatabase, noteChange: (decisionTypeId: string) => void) {
  const update = db.prepare<[{ decisionTypeId: string; updatedAt: number; slice: string }]>(
    `UPDATE examples SET ${setColumns(mergedFields, (name) => `given.value ->> '${name}'`)},
       ${toFirstOfMany("given.value ->> 'decision'")}, updated_at = @updatedAt
     FROM json_each(@slice) AS given
     WHERE examples.id = given.value ->> 'id' AND examples.decision_type_id = @decisionTypeId
       AND examples.updated_at = given.value ->> 'expectedUpdatedAt'`,
  );
  const lastLabel = db.prepare<[], number>('SELECT ifnull(max(seq), 0) FROM label_history').pluck();
  const attribute = db.prepare<[{ since: number; slice: string }]>(
    `UPDATE label_history SET reader = given.value ->> 'reader' FROM json_each(@slice) AS given
     WHERE label_history.seq > @since AND label_history.example_id = given.value ->> 'id'`,
  );
  const addReadings = db.prepare<[{ decisionTypeId: string; slice: string }]>(insertSecondReadings);
  return {
    /** Changes the examples that are still as they were, and adds second readings; returns how many were changed. */
    apply({ decisionTypeId, updatedAt, slices, readings }: ExampleMerges): number {
      if (slices.length + readings.length > 0) noteChange(decisionTypeId);
      let changed = 0;
      for (const slice of slices) {
        const since = lastLabel.get() ?? 0;
        changed += update.run({ decisionTypeId, updatedAt, slice }).changes;
        attribute.run({ since, slice });
      }
      for (const slice of readings) addReadings.run({ decisionTypeId, slice });
      return changed;
    },
  };
}
