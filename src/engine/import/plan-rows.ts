/** The plan of a sheet's rows: how many examples, and which are double, contradict each other or do not fit. */
import type { Readings } from '../domain/definition.ts';
import type { LabelTarget } from './labels.ts';
import type { ImportPlan } from './plan-import.ts';
import { createRowPlanner, listNewReadings, type PlannedExample, type RowPlanner } from './row-reader.ts';
import type { Sheet, SheetRow } from './sheet.ts';

/** Names that a decision type has already; a new one has none. */
export type KnownNames = { options: readonly string[]; reason_codes: readonly string[]; readings: Readings };

type UseExample = (example: PlannedExample, row: SheetRow) => void;

export type RowsPlan = Pick<RowPlanner, 'repeated' | 'alike' | 'conflicts' | 'misfits'> & {
  examples: number;
  labelled: number;
  newOptions: string[];
  newReasons: string[];
  /** How the type reads texts of these fields from now on. */
  newReadings: Readings;
};

/**
 * Works out the examples from what each column becomes, how it is read, and what each label means; gives each to `use`.
 * Copies are dropped where columns tell rows apart, unless `repeated` says otherwise.
 */
export function planRows(
  sheet: Sheet,
  read: Pick<ImportPlan, 'columns' | 'readings'>,
  targets: Readonly<Record<string, LabelTarget>>,
  known: KnownNames,
  { repeated, use }: { repeated?: 'keep' | 'drop' | undefined; use?: UseExample | undefined } = {},
): RowsPlan {
  const planner = createRowPlanner(sheet, read, targets, repeated);
  const options = new Set<string>();
  const reasons = new Set<string>();
  let examples = 0;
  let labelled = 0;
  for (const row of sheet.rows) {
    const example = planner.read(row);
    if (planner.isCopy(row, example)) continue;
    examples += 1;
    if (example.decision !== null) {
      labelled += 1;
      options.add(example.decision);
    }
    for (const code of example.reasonCodes) reasons.add(code);
    use?.(example, row);
  }
  return {
    ...planner,
    examples,
    labelled,
    newOptions: [...options].filter((name) => !known.options.includes(name)),
    newReasons: [...reasons].filter((name) => !known.reason_codes.includes(name)),
    newReadings: listNewReadings(read.columns, read.readings, known.readings),
  };
}
