/** Changing many examples at once to what a merge has found, each only if nobody has changed it meanwhile. */
import type { ReadingRow } from '../../../engine/export/read-back.ts';
import type { WorkbenchDatabase } from '../database.ts';
import type { ExampleRecord } from './examples.ts';
import { toFirstOfMany } from './first-labels.ts';
import { toSecondReadings } from './given-labels.ts';

/**
 * An example as it becomes, the time at which it must have been changed last (milliseconds since 1970), and who gave a
 * label that the merge takes.
 */
export type MergedExample = { example: ExampleRecord; expectedUpdatedAt: number; reader: string | null };
/** Changes of a type's examples, and second readings of them: each slice is the JSON of a list of them. */
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
  const rows = changed.map(({ example, expectedUpdatedAt, reader }) => [
    example.id,
    expectedUpdatedAt,
    JSON.stringify(example.input),
    example.decision,
    JSON.stringify(example.reasonCodes),
    ...[example.reviewed, example.test, example.byTeacher].map(Number),
    example.mark,
    example.note,
    reader,
  ]);
  const read = readings.map(([exampleId, reading]) => [exampleId, JSON.stringify(reading)]);
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
    `UPDATE examples SET input = given.value ->> 2, decision = given.value ->> 3, ${toFirstOfMany('given.value ->> 3')},
       reason_codes = given.value ->> 4, reviewed = given.value ->> 5, test = given.value ->> 6,
       by_teacher = given.value ->> 7, mark = given.value ->> 8, note = given.value ->> 9, updated_at = @updatedAt
     FROM json_each(@slice) AS given
     WHERE examples.id = given.value ->> 0 AND examples.decision_type_id = @decisionTypeId
       AND examples.updated_at = given.value ->> 1`,
  );
  const lastLabel = db.prepare<[], number>('SELECT ifnull(max(seq), 0) FROM label_history').pluck();
  const attribute = db.prepare<[{ since: number; slice: string }]>(
    `UPDATE label_history SET reader = given.value ->> 10 FROM json_each(@slice) AS given
     WHERE label_history.seq > @since AND label_history.example_id = given.value ->> 0`,
  );
  const addReadings = db.prepare<[{ decisionTypeId: string; slice: string }]>(toSecondReadings(1));
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
