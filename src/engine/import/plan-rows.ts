/** The plan of a sheet's rows: how many examples, and which are double, contradict each other or do not fit. */
import type { Readings } from '../domain/definition.ts';
import { countOf, formatCount } from '../numeric.ts';
import type { LabelTarget } from './labels.ts';
import type { ColumnsPlan } from './plan-import.ts';
import { createRowPlanner, listNewReadings, type PlannedExample, type RowPlanner } from './row-reader.ts';
import type { Sheet, SheetRow } from './sheet.ts';
import { listLines } from './tables/skipped.ts';

export type KnownNames = { options: readonly string[]; reason_codes: readonly string[]; readings: Readings };

type UseExample = (example: PlannedExample, row: SheetRow) => void;

export type RowsPlan = Pick<RowPlanner, 'repeated' | 'alike' | 'conflicts' | 'misfits'> & {
  examples: number;
  labelled: number;
  /** Examples with two labels, and the lines of those on which they differ. */
  readTwice: number;
  differing: number[];
  newOptions: string[];
  newReasons: string[];
  /** How the type reads texts of these fields from now on. */
  newReadings: Readings;
};

/** Says how many rows have a second label, and on which of them the labels differ; null where none has one. */
export function describeReadings({ readTwice, differing }: Pick<RowsPlan, 'readTwice' | 'differing'>): string | null {
  if (readTwice === 0) return null;
  const lines = differing.length > 0 ? `: lines ${listLines(differing, differing.length)}` : '';
  return `${countOf(readTwice, 'row')} read twice, ${formatCount(differing.length)} with another label${lines}`;
}

/**
 * Works out the examples from what each column becomes, how it is read, and what each label means; gives each to `use`.
 * Copies are dropped where columns tell rows apart, unless `repeated` says otherwise.
 */
export function planRows(
  sheet: Sheet,
  read: Pick<ColumnsPlan, 'columns' | 'readings'>,
  targets: Readonly<Record<string, LabelTarget>>,
  known: KnownNames,
  { repeated, use }: { repeated?: 'keep' | 'drop' | undefined; use?: UseExample | undefined } = {},
): RowsPlan {
  const planner = createRowPlanner(sheet, read, targets, repeated);
  const options = new Set<string>();
  const reasons = new Set<string>();
  let examples = 0;
  let labelled = 0;
  let readTwice = 0;
  const differing: number[] = [];
  for (const row of sheet.rows) {
    const example = planner.read(row);
    if (planner.isCopy(row, example)) continue;
    examples += 1;
    if (example.decision !== null) {
      labelled += 1;
      options.add(example.decision);
      if (example.second != null) {
        readTwice += 1;
        options.add(example.second);
        if (example.second !== example.decision) differing.push(example.line);
      }
    }
    for (const code of example.reasonCodes) reasons.add(code);
    use?.(example, row);
  }
  return {
    ...planner,
    examples,
    labelled,
    readTwice,
    differing,
    newOptions: [...options].filter((name) => !known.options.includes(name)),
    newReasons: [...reasons].filter((name) => !known.reason_codes.includes(name)),
    newReadings: listNewReadings(read.columns, read.readings, known.readings),
  };
}
