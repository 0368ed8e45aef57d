/** The import of a sheet: its examples, and what is double, contradicts itself or does not fit. */
import type { Readings } from '../../../engine/domain/definition.ts';
import type { LabelTarget } from '../../../engine/import/labels.ts';
import type { ImportPlan } from '../../../engine/import/plan-import.ts';
import {
  createRowPlanner,
  listNewReadings,
  type PlannedExample,
  type RowPlanner,
} from '../../../engine/import/row-reader.ts';
import type { Sheet } from '../../../engine/import/sheet.ts';

export type Plan = Pick<RowPlanner, 'repeated' | 'alike' | 'conflicts' | 'misfits'> & {
  rows: PlannedExample[];
  labelled: number;
  newOptions: string[];
  newReasons: string[];
  /** How the type reads texts of these fields from now on. */
  newReadings: Readings;
};

/** Works out the examples from what each column becomes, how it is read, and what each label means. */
export function makePlan(
  sheet: Sheet,
  read: Pick<ImportPlan, 'columns' | 'readings'>,
  targets: Readonly<Record<string, LabelTarget>>,
  type: { options: readonly string[]; reason_codes: readonly string[]; readings: Readings },
): Plan {
  const planner = createRowPlanner(sheet, read, targets);
  const rows = sheet.rows.flatMap((row) => {
    const example = planner.read(row);
    return planner.isCopy(row, example) ? [] : [example];
  });
  const decisions = rows.flatMap(({ decision }) => decision ?? []);
  const listNew = (names: readonly string[], known: readonly string[]) =>
    [...new Set(names)].filter((name) => !known.includes(name));
  return {
    ...planner,
    rows,
    labelled: decisions.length,
    newOptions: listNew(decisions, type.options),
    newReasons: listNew(
      rows.flatMap(({ reasonCodes }) => reasonCodes),
      type.reason_codes,
    ),
    newReadings: listNewReadings(read.columns, read.readings, type.readings),
  };
}
