/** Writing what a file adds, as it is planned: all or nothing. */
import { refuseProblems } from '../../../door/errors/validation-error.ts';
import type { Readings } from '../../../engine/domain/definition.ts';
import type { ErrorDetail } from '../../../engine/errors.ts';
import type { ConflictChoice } from '../../../engine/export/merge.ts';
import type { ImportChoices } from '../../../engine/import/planning/import-choices.ts';
import { refuseSize, toFileProblem, toProblem } from '../../../engine/import/planning/import-file.ts';
import {
  type FilePlan,
  type ImportedExample,
  type PlannedColumns,
  planExamples,
} from '../../../engine/import/planning/plan-file.ts';
import type { ExampleColumns, PlannedExample } from '../../../engine/import/row-reader.ts';
import type { Sheet, SheetRow } from '../../../engine/import/sheet.ts';
import { limits } from '../../../engine/limits.ts';
import type { ImportMapping } from '../../contract/examples/examples.ts';
import { createIdSource } from '../../process/clock.ts';
import type { ExampleMerges } from '../../store/examples/example-merges.ts';
import { type ExampleRows, ExampleRowWriter } from '../../store/examples/examples.ts';
import type { GivenLabels } from '../../store/examples/given-labels.ts';
import type { ExampleType } from '../examples/prepare-examples.ts';
import { findRowProblem } from './import-mapping.ts';
import type { ImportTarget } from './imported-file.ts';
import type { OwnExport, OwnOrder } from './merge-export.ts';
import { collectUnknown } from './unknown-names.ts';

const maxListed = 100;

/** The columns of an export are known. */
export const ownMapping: ImportMapping = {
  decision: 'expected_decision',
  reason_codes: 'reason_codes',
  input: ['input_payload'],
  read_as: {},
};

/** Rows that an import adds, examples that it changes, and names that its type gains. */
export type WrittenImport = {
  rows: ExampleRows;
  ids: string[];
  names: { options: string[]; reason_codes: string[]; readings: Readings; pii_fields: string[] };
  merges: ExampleMerges | null;
  merge: OwnExport['merge'] | null;
};
export type WriteOrder = ImportTarget & {
  /** The id of the type, also of one that the import makes. */
  typeId: string;
  choices: ImportChoices;
  nowMs: number;
  onConflict: ConflictChoice;
  /** Whether what would be left out, or added to the type unasked, is refused. */
  isStrict: boolean;
  /** Lists what is asked and not answered, as problems of the request. */
  listOpen(plan: FilePlan): ErrorDetail[];
};

/** Reads an export; what opens the database is loaded for exports alone. Null for any other file. */
export async function readOwn(sheet: Sheet, order: OwnOrder, choice: ConflictChoice): Promise<OwnExport | null> {
  if (!sheet.isOwnExport) return null;
  const { readOwnExport } = await import('./merge-export.ts');
  return readOwnExport(sheet, order, choice);
}

/** Writes what a file adds and changes, of whose examples `use` hears each. Throws `validation_error`. */
export async function writeImport(
  sheet: Sheet,
  planned: PlannedColumns,
  order: WriteOrder,
  use?: (example: ImportedExample) => void,
): Promise<WrittenImport & { plan: FilePlan }> {
  const { type, typeId, choices, nowMs } = order;
  if (sheet.isOwnExport) {
    const plan = planExamples(sheet, type, choices, planned, use);
    const made = type ?? makeTypeOfExport(typeId, plan);
    const own = made && (await readOwn(sheet, { ...order, type: made }, order.onConflict));
    if (made && own) {
      const { options, reason_codes, readings } = made.definition;
      const none = { options: [], reason_codes: [], readings: {} };
      const names = { ...(type === null ? { options, reason_codes, readings } : none), pii_fields: [] };
      return { ...writeOwn(own, typeId, nowMs), names, merges: own.merges, merge: own.merge, plan };
    }
  }
  const { plan, ...written } = writeRows(sheet, planned, order, use);
  const { newOptions: options, newReasons: reason_codes, newReadings: readings } = plan.rows;
  const names = { options, reason_codes, readings, pii_fields: plan.read.piiFields ?? [] };
  return { ...written, names, merges: null, merge: null, plan };
}

/** The type that an export of examples makes; null where its columns or labels become others. */
function makeTypeOfExport(id: string, { read, labels, targets, rows }: FilePlan): ExampleType | null {
  const isWhole = read.columns.inputs.join() === 'input_payload' && read.columns.decision === ownMapping.decision;
  const areKept = labels.every(({ value }) => targets[value]?.kind === 'add');
  if (!isWhole || !areKept) return null;
  return { id, definition: { options: rows.newOptions, reason_codes: rows.newReasons, readings: {} } };
}

/** Writes the rows of a file as they are planned. Throws `validation_error` with the first hundred problems. */
function writeRows(sheet: Sheet, planned: PlannedColumns, order: WriteOrder, use?: (example: ImportedExample) => void) {
  const { type, typeId, choices, nowMs } = order;
  const { columns } = planned.read;
  const check = order.isStrict ? checkStrictly(sheet, order, columns) : null;
  const newId = createIdSource(() => nowMs);
  const rows = new ExampleRowWriter(typeId, nowMs);
  const ids: string[] = [];
  const plan = planExamples(sheet, type, choices, planned, (example, row) => {
    use?.(example);
    check?.add(example, row);
    const id = newId();
    const given = toReading(example, columns, nowMs);
    // Two readers of one mind confirm a label, as they do one after the other.
    rows.add({ id, ...example, reviewed: given?.secondReading?.decision === example.decision }, given);
    refuseMore(rows);
    ids.push(id);
  });
  const problems = [...order.listOpen(plan), ...(check?.listProblems(plan.rows) ?? [])];
  refuseProblems(problems.slice(0, maxListed));
  return { rows: rows.finish(), ids, plan };
}

/** Writes the new examples of an export. Throws `validation_error` with the first hundred problems. */
function writeOwn({ added, problems }: OwnExport, typeId: string, nowMs: number) {
  refuseProblems(problems.slice(0, maxListed));
  const rows = new ExampleRowWriter(typeId, nowMs);
  for (const { given, ...example } of added) {
    rows.add(example, given);
    refuseMore(rows);
  }
  return { rows: rows.finish(), ids: added.map(({ id }) => id) };
}

function refuseMore({ characters }: ExampleRowWriter): void {
  if (characters > limits.maxImportedMebibytes * 2 ** 20)
    refuseSize(`the examples with the names of their columns take more than ${limits.maxImportedMebibytes} MiB`);
}

/** The second reading that a row brings, whose readers are known by their columns alone; null for none. */
function toReading({ decision, second }: PlannedExample, columns: ExampleColumns, nowMs: number): GivenLabels | null {
  if (decision === null || second == null) return null;
  const first = { first_decision: decision, first_reader: `column "${columns.decision}"`, first_at: nowMs };
  const reading = { decision: second, reader: `column "${columns.second}"`, note: null, read_at: nowMs };
  return { reader: null, labelledAtMs: null, secondReading: { ...first, ...reading, settled_at: null } };
}

/** Cells that do not fit their kind, as problems of the file. */
const listMisfits = ({ misfits }: FilePlan['rows']): ErrorDetail[] =>
  [...misfits.values()].map(({ refusal, count }) =>
    toFileProblem(refusal.line, refusal.column, `${refusal.message}${count > 1 ? `, nor are ${count - 1} more` : ''}`),
  );

/** Finds what a commit would leave out of a file, or add to the type unasked. */
function checkStrictly({ refused }: Sheet, { type, choices }: WriteOrder, columns: ExampleColumns) {
  const chosen = Object.entries(choices.targets).flatMap(([label, { kind }]) => (kind === 'add' ? [label] : []));
  const unknown = type && collectUnknown({ ...type.definition, options: [...type.definition.options, ...chosen] });
  const broken: ErrorDetail[] = refused.map(toProblem);
  return {
    add(example: PlannedExample, row: SheetRow): void {
      unknown?.add(example);
      const problem = findRowProblem(row, columns);
      if (problem !== null) broken.push(problem);
    },
    listProblems: (rows: FilePlan['rows']): ErrorDetail[] => [
      ...broken,
      ...listMisfits(rows),
      ...(unknown?.listProblems(columns) ?? []),
    ],
  };
}
