/** The import of a sheet: its examples, and what is double, contradicts itself or does not fit. */
import type { Readings } from '../../../engine/domain/definition.ts';
import type { LabelTarget } from '../../../engine/import/labels.ts';
import type { ImportPlan } from '../../../engine/import/plan-import.ts';
import { createRowReader, listNewReadings, type RowReader } from '../../../engine/import/row-reader.ts';
import { readCell, type Sheet } from '../../../engine/import/sheet.ts';
import type { ExampleInput } from '../../../server/contract/examples/examples.ts';

export type PlannedRow = { line: number; example: ExampleInput };
export type Plan = {
  rows: PlannedRow[];
  labelled: number;
  /** Rows that stand in the file before, also in the columns that are left out of the input; they are left out. */
  duplicates: { line: number; of: number }[];
  /** Rows whose input stands in the file before with another label; they are imported. */
  conflicts: { line: number; with: number }[];
  newOptions: string[];
  newReasons: string[];
  /** How the type reads texts of these fields from now on. */
  newReadings: Readings;
  misfits: RowReader['misfits'];
};

/** Works out the examples from what each column becomes, how it is read, and what each label means. */
export function makePlan(
  sheet: Sheet,
  { columns, readings }: Pick<ImportPlan, 'columns' | 'readings'>,
  targets: Readonly<Record<string, LabelTarget>>,
  type: { options: readonly string[]; reason_codes: readonly string[]; readings: Readings },
): Plan {
  const { readRow, misfits } = createRowReader(sheet, columns, readings);
  const used = new Set([...columns.inputs, columns.decision, columns.reasons]);
  const ignored = [...sheet.columns.keys()].filter((index) => !used.has(sheet.columns[index] ?? ''));
  const seenRows = new Map<string, number>();
  const seenInputs = new Map<string, { line: number; decision: string | null }>();
  const plan: Omit<Plan, 'newOptions' | 'newReasons'> = {
    newReadings: listNewReadings(columns, readings, type.readings),
    rows: [],
    labelled: 0,
    duplicates: [],
    conflicts: [],
    misfits,
  };
  const newOptions = new Set<string>();
  const newReasons = new Set<string>();
  for (const row of sheet.rows) {
    const { line, input, label, reasonCodes } = readRow(row);
    const target = label === null ? null : (targets[label] ?? { kind: 'none' });
    const decision = target?.kind === 'option' ? target.option : target?.kind === 'add' ? label : null;
    const key = JSON.stringify(input);
    const rest = ignored.map((index) => readCell(row, sheet.columns, index));
    const rowKey = JSON.stringify([decision, rest]) + key;
    const same = seenRows.get(rowKey);
    if (same !== undefined) {
      plan.duplicates.push({ line, of: same });
      continue;
    }
    seenRows.set(rowKey, line);
    const earlier = seenInputs.get(key);
    if (!earlier) seenInputs.set(key, { line, decision });
    else if (earlier.decision !== decision) plan.conflicts.push({ line, with: earlier.line });
    if (decision !== null) plan.labelled += 1;
    if (decision !== null && !type.options.includes(decision)) newOptions.add(decision);
    for (const code of reasonCodes) if (!type.reason_codes.includes(code)) newReasons.add(code);
    plan.rows.push({ line, example: { input, decision, reason_codes: reasonCodes } });
  }
  return { ...plan, newOptions: [...newOptions], newReasons: [...newReasons] };
}
