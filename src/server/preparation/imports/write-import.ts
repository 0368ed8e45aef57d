/** The rows that a file adds, written as they are planned: all or none. */
import { refuseProblems, toInvalidValue } from '../../../door/errors/validation-error.ts';
import type { ErrorDetail } from '../../../engine/errors.ts';
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
import { countOf } from '../../../engine/numeric.ts';
import type { ImportMapping, ImportResult } from '../../contract/examples/examples.ts';
import { createIdSource } from '../../process/clock.ts';
import { type ExampleRows, ExampleRowWriter } from '../../store/examples/examples.ts';
import type { GivenLabels } from '../../store/examples/given-labels.ts';
import type { ExampleType } from '../examples/prepare-examples.ts';
import { findRowProblem } from './import-mapping.ts';
import type { OwnExport } from './merge-export.ts';

const maxListed = 100;
const maxUnknownDecisions = 100;

/** The columns of an export are known. */
export const ownMapping: ImportMapping = {
  decision: 'expected_decision',
  reason_codes: 'reason_codes',
  input: ['input_payload'],
  read_as: {},
};

export type Written = { rows: ExampleRows; ids: string[] };
export type RowsOrder = {
  /** Null where the import makes it, with the id `typeId`. */
  type: ExampleType | null;
  typeId: string;
  choices: ImportChoices;
  nowMs: number;
  /** Characters of all rows in MiB: in each, the names of the columns stand again. */
  maxMebibytes: number;
  /** Whether what would be left out, or added to the type unasked, is refused. */
  isStrict: boolean;
  /** Lists what is asked and not answered, as problems of the request. */
  listOpen(plan: FilePlan): ErrorDetail[];
};

/** Writes the rows of a file, of which `use` hears each. Throws `validation_error` with the first hundred problems. */
export function writeRows(
  sheet: Sheet,
  planned: PlannedColumns,
  order: RowsOrder,
  use?: (example: ImportedExample, row: SheetRow) => void,
): Written & { plan: FilePlan } {
  const { typeId, nowMs, maxMebibytes } = order;
  const { columns } = planned.read;
  const check = order.isStrict ? checkStrictly(sheet, order, columns) : null;
  const newId = createIdSource(() => nowMs);
  const rows = new ExampleRowWriter(typeId, nowMs);
  const ids: string[] = [];
  const plan = planExamples(sheet, order.type, order.choices, planned, (example, row) => {
    use?.(example, row);
    check?.add(example, row);
    const id = newId();
    const given = toReading(example, columns, nowMs);
    // Two readers of one mind confirm a label, as they do one after the other.
    rows.add({ id, ...example, reviewed: given?.secondReading?.decision === example.decision }, given);
    refuseMore(rows, maxMebibytes);
    ids.push(id);
  });
  const problems = [...order.listOpen(plan), ...(check?.listProblems(plan.rows) ?? [])];
  refuseProblems(problems.slice(0, maxListed));
  return { rows: rows.finish(), ids, plan };
}

/** Writes the new examples of an export. Throws `validation_error` with the first hundred problems. */
export function writeOwn(
  { imported, added, problems }: OwnExport,
  type: ExampleType,
  { nowMs, maxMebibytes }: Pick<RowsOrder, 'nowMs' | 'maxMebibytes'>,
): Written {
  const unknown = collectUnknown(type.definition);
  for (const example of imported) unknown.add(example);
  refuseProblems([...unknown.listProblems(ownMapping), ...problems].slice(0, maxListed));
  const rows = new ExampleRowWriter(type.id, nowMs);
  for (const { given, ...example } of added) {
    rows.add(example, given);
    refuseMore(rows, maxMebibytes);
  }
  return { rows: rows.finish(), ids: added.map(({ id }) => id) };
}

function refuseMore({ characters }: ExampleRowWriter, maxMebibytes: number): void {
  if (characters > maxMebibytes * 2 ** 20)
    refuseSize(`the examples with the names of their columns take more than ${maxMebibytes} MiB`);
}

/** The second reading that a row brings, whose readers are known by their columns alone; null for none. */
function toReading({ decision, second }: PlannedExample, columns: ExampleColumns, nowMs: number): GivenLabels | null {
  if (decision === null || second == null) return null;
  const first = { first_decision: decision, first_reader: `column "${columns.decision}"`, first_at: nowMs };
  const reading = { decision: second, reader: `column "${columns.second}"`, note: null, read_at: nowMs };
  return { reader: null, labelledAtMs: null, secondReading: { ...first, ...reading, settled_at: null } };
}

type Unknown = ImportResult['unknown_decisions'][number];

/** Collects the labels and reason codes of examples that a type does not have. */
export function collectUnknown({ options, reason_codes }: Pick<ExampleType['definition'], 'options' | 'reason_codes'>) {
  const known = { decision: new Set(options), code: new Set(reason_codes) };
  const found = { decision: new Map<string, Unknown>(), code: new Map<string, Unknown>() };
  const note = (kind: keyof typeof found, value: string, line: number) => {
    if (known[kind].has(value)) return;
    const entry = found[kind].get(value) ?? { value, count: 0, line };
    entry.count += 1;
    found[kind].set(value, entry);
  };
  const toProblem =
    (column: string, what: string) =>
    ({ value, count, line }: Unknown) => {
      const rows = count > 1 ? ` (${countOf(count, 'row')})` : '';
      return toInvalidValue(
        ['body', 'content', line, column],
        `line ${line}: "${value.slice(0, 80)}" is not ${what}${rows}`,
      );
    };
  return {
    add({ line, decision, second = null, reasonCodes }: Omit<PlannedExample, 'input'>): void {
      for (const label of new Set([decision, second])) if (label !== null) note('decision', label, line);
      for (const code of reasonCodes) note('code', code, line);
    },
    listDecisions: () => [...found.decision.values()].slice(0, maxUnknownDecisions),
    listProblems: ({ decision, reason_codes }: Pick<ImportMapping, 'decision' | 'reason_codes'>): ErrorDetail[] => [
      ...[...found.decision.values()].map(toProblem(decision ?? 'decision', 'an option')),
      ...[...found.code.values()].map(toProblem(reason_codes ?? 'reason_codes', 'a reason code')),
    ],
  };
}

/** Cells that do not fit their kind, as problems of the file. */
const listMisfits = ({ misfits }: FilePlan['rows']): ErrorDetail[] =>
  [...misfits.values()].map(({ refusal, count }) =>
    toFileProblem(refusal.line, refusal.column, `${refusal.message}${count > 1 ? `, nor are ${count - 1} more` : ''}`),
  );

/** Finds what a commit would leave out of a file, or add to the type unasked. */
function checkStrictly({ refused }: Sheet, { type, choices }: RowsOrder, columns: ExampleColumns) {
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
      ...(unknown?.listProblems({ decision: columns.decision, reason_codes: columns.reasons }) ?? []),
    ],
  };
}
