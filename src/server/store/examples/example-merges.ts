/** Changing many examples at once to what a merge has found, each only if nobody has changed it meanwhile. */
import type { WorkbenchDatabase } from '../database.ts';
import type { ExampleRecord } from './examples.ts';
import { toFirstOfMany } from './first-labels.ts';

/** An example as it becomes, and the time at which it must have been changed last (milliseconds since 1970). */
export type MergedExample = { example: ExampleRecord; expectedUpdatedAt: number };
/** Changes of a type's examples: each slice is the JSON of a list of them. */
export type ExampleMerges = { decisionTypeId: string; updatedAt: number; count: number; slices: string[] };

const maxSliceRows = 500;

/** Writes merged examples out, so that a call that another process has prepared only hands on texts. */
export function writeMerges(
  decisionTypeId: string,
  updatedAt: number,
  changed: readonly MergedExample[],
): ExampleMerges {
  const rows = changed.map(({ example, expectedUpdatedAt }) => [
    example.id,
    expectedUpdatedAt,
    JSON.stringify(example.input),
    example.decision,
    JSON.stringify(example.reasonCodes),
    ...[example.reviewed, example.test, example.byTeacher].map(Number),
    example.mark,
    example.note,
  ]);
  const slices: string[] = [];
  for (let at = 0; at < rows.length; at += maxSliceRows) slices.push(JSON.stringify(rows.slice(at, at + maxSliceRows)));
  return { decisionTypeId, updatedAt, count: rows.length, slices };
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
  return {
    /** Changes the examples that are still as they were; returns how many. */
    apply({ decisionTypeId, updatedAt, slices }: ExampleMerges): number {
      if (slices.length > 0) noteChange(decisionTypeId);
      return slices.reduce((sum, slice) => sum + update.run({ decisionTypeId, updatedAt, slice }).changes, 0);
    },
  };
}
