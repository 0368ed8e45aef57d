/** The import of a sheet: its examples, and what is double, contradicts itself or does not fit. */
import type { LabelTarget } from '../../../engine/import/labels.ts';
import type { ImportPlan } from '../../../engine/import/plan-import.ts';
import { type KnownNames, planRows, type RowsPlan } from '../../../engine/import/plan-rows.ts';
import type { PlannedExample } from '../../../engine/import/row-reader.ts';
import type { Sheet } from '../../../engine/import/sheet.ts';

export type Plan = Omit<RowsPlan, 'examples'> & { rows: PlannedExample[] };

/** Works out the examples from what each column becomes, how it is read, and what each label means. */
export function makePlan(
  sheet: Sheet,
  read: Pick<ImportPlan, 'columns' | 'readings'>,
  targets: Readonly<Record<string, LabelTarget>>,
  type: KnownNames,
): Plan {
  const rows: PlannedExample[] = [];
  return { ...planRows(sheet, read, targets, type, { use: (example) => void rows.push(example) }), rows };
}
