/** The mapping of an example file: as its request says, or as the names and values of its columns propose. */
import type { ErrorDetail } from '../../engine/errors.ts';
import { findAnswers, findCalledAnswer, findDecisionColumn, findReasonColumn } from '../../engine/import/answers.ts';
import { isMissing } from '../../engine/import/kinds.ts';
import { guessTargets, listLabels } from '../../engine/import/labels.ts';
import {
  type ImportPlan,
  type Proposal,
  planImport,
  proposeImport,
  type Question,
  type SurveyedSheet,
  toExampleColumns,
} from '../../engine/import/plan-import.ts';
import {
  createRowPlanner,
  type ExampleColumns,
  type PlannedExample,
  type RowPlanner,
} from '../../engine/import/row-reader.ts';
import { readCell, type Sheet, type SheetRow } from '../../engine/import/sheet.ts';
import { isJsonObject } from '../../engine/json.ts';
import { forbiddenSegment, inputNames, splitName } from '../../engine/readings/inputs.ts';
import type { ImportMapping } from '../contract/examples/examples.ts';
import { refuseFile, toFileProblem } from './import-file.ts';

/** The limit of a body, too: a deeper input could not be sent back. */
const maxSegments = 28;

export type MappedImport = ImportPlan & { mapping: ImportMapping; proposal: Proposal };

/**
 * Plans an import by its mapping or, without one, as it is proposed. Throws `validation_error` for a mapping with
 * columns that the file does not have.
 */
export function mapImport(file: SurveyedSheet, options: readonly string[], given?: ImportMapping): MappedImport {
  const { columns: names } = file.sheet;
  if (given) checkMapping(given, names);
  const answer = given ? given.decision : findCalledAnswer(names, findAnswers(file.surveys, options));
  const proposal = proposeImport(file, options, answer);
  const columns = given ? toColumns(given, names) : toExampleColumns(names, proposal.roles);
  checkInputColumns(columns.inputs);
  const kinds = given?.read_as ?? {};
  const plan = planImport(file, proposal, { columns, kinds, settled: given ? names : [] });
  const isAll = ![...proposal.roles.values()].includes('ignore');
  const { inputs, decision, reasons } = columns;
  const found = { decision, reason_codes: reasons, input: isAll ? null : [...inputs], read_as: {} };
  return { ...plan, mapping: given ?? found, proposal };
}

/** A mapping that names no input takes all columns but the answer and the reason codes. */
function toColumns({ decision, reason_codes: reasons, must, input }: ImportMapping, names: readonly string[]) {
  const inputs = input ?? names.filter((name) => ![decision, reasons, must].includes(name));
  return { inputs, decision, reasons };
}

/** Says to a program which part of its request answers a question. */
export function toRequestProblem({ about, column, sentence }: Question): ErrorDetail {
  const problems = {
    encoding: { loc: ['encoding'], msg: `${sentence}. State it in encoding` },
    answer: { loc: ['mapping', 'decision'], msg: `${sentence} Name it in mapping.decision` },
    input: { loc: ['mapping', 'input', column], msg: `“${column}”: ${sentence} Name the columns of the input` },
    kind: { loc: ['mapping', 'read_as', column], msg: sentence },
  };
  const { loc, msg } = problems[about];
  return { type: 'ambiguous', loc: ['body', ...loc], msg };
}

/** The mapping that the names of the columns say: the labels, the reason codes and, whole, the input. */
export function guessMapping({ columns }: Sheet): ImportMapping {
  const decision = findDecisionColumn(columns);
  const whole = columns.find((name) => inputNames.includes(name.toLowerCase()));
  const input = whole === undefined ? null : [whole];
  return { decision, reason_codes: findReasonColumn(columns), input, read_as: {} };
}

export type ImportedExample = PlannedExample & { must: boolean };

/** Cells that say no; an empty one does as well. */
const noes = new Set(['false', 'no', '0', '-']);
export type ExampleReader = Omit<RowPlanner, 'read'> & { read(row: SheetRow): ImportedExample };

/**
 * Makes the reader of a file's rows, whose labels mean options as far as they are written alike. It throws
 * `validation_error` for a cell that does not fit its mapping.
 */
export function createExampleReader(
  sheet: Sheet,
  { columns, readings, mapping }: Pick<MappedImport, 'columns' | 'readings' | 'mapping'>,
  options: readonly string[],
): ExampleReader {
  const labels = columns.decision === null ? [] : listLabels(sheet, columns.decision);
  const planner = createRowPlanner(sheet, { columns, readings }, guessTargets(labels, options).targets);
  return {
    ...planner,
    read(row) {
      checkRow(row, columns);
      return { ...planner.read(row), must: isPinned(row, sheet, mapping.must) };
    },
  };
}

/** Whether the column that marks pinned cases marks a row. */
export function isPinned(row: SheetRow, { columns }: Sheet, must: string | null | undefined): boolean {
  const pinned = must == null ? null : readCell(row, columns, columns.indexOf(must));
  return pinned != null && !isMissing(String(pinned)) && !noes.has(String(pinned).trim().toLowerCase());
}

/** Refuses a cell that cannot be a label, reason codes or a whole input. */
function checkRow(row: SheetRow, { inputs, decision, reasons }: ExampleColumns): void {
  if ('cells' in row) return;
  const { line, values } = row;
  const label = decision === null ? null : (readCell(row, [decision], 0) ?? null);
  if (decision !== null && Array.isArray(label) && label.length > 1)
    refuseFile([toFileProblem(line, decision, `${label.length} labels in one row; leave one of them`)]);
  if (decision !== null && isJsonObject(label))
    refuseFile([toFileProblem(line, decision, 'the decision is an object; name a column with one value')]);
  const codes = reasons === null ? null : (values[reasons] ?? null);
  const isList = Array.isArray(codes) && codes.every((code) => typeof code === 'string');
  if (reasons !== null && typeof codes === 'object' && codes !== null && !isList)
    refuseFile([toFileProblem(line, reasons, 'the reason codes are not a list of strings')]);
  const [whole] = inputs;
  const isWhole = inputs.length === 1 && whole !== undefined && inputNames.includes(whole.toLowerCase());
  if (isWhole && !Object.hasOwn(values, whole)) refuseFile([toFileProblem(line, whole, `"${whole}" is missing`)]);
}

/** Refuses a mapping that names columns the file does not have. */
function checkMapping(mapping: ImportMapping, names: readonly string[]): void {
  // An object that was opened into its fields is still known by its own name.
  const outer = names.flatMap((name) => name.split('.').map((_, depth, keys) => keys.slice(0, depth).join('.')));
  const known = new Set([...names, ...outer]);
  const places: [name: string | null, ...loc: (string | number)[]][] = [
    [mapping.decision, 'decision'],
    [mapping.reason_codes, 'reason_codes'],
    [mapping.must ?? null, 'must'],
    ...(mapping.input ?? []).map((name, index): [string, string, number] => [name, 'input', index]),
    ...Object.keys(mapping.read_as).map((name): [string, string, string] => [name, 'read_as', name]),
  ];
  const problems = places.flatMap(([name, ...loc]): ErrorDetail[] =>
    name === null || known.has(name)
      ? []
      : [{ type: 'unknown_column', loc: ['body', 'mapping', ...loc], msg: `there is no column "${name}"` }],
  );
  if (problems.length > 0) refuseFile(problems);
}

/** Refuses names that no input can have, and two names of which one would overwrite the other's value. */
export function checkInputColumns(names: readonly string[]): void {
  const problems: ErrorDetail[] = [];
  const known = new Set(names);
  for (const name of names) {
    const segments = splitName(name);
    if (segments.includes(forbiddenSegment)) problems.push(toFileProblem(1, name, 'this column name is not allowed'));
    if (segments.length > maxSegments) {
      problems.push(
        toFileProblem(1, name.slice(0, 80), `a column name has at most ${maxSegments} parts between its dots`),
      );
      continue;
    }
    const above = segments.map((_, depth) => segments.slice(0, depth).join('.')).find((outer) => known.has(outer));
    if (above === undefined) continue;
    problems.push(
      toFileProblem(1, name, `the columns "${above}" and "${name}" name the same place; rename or leave out one`),
    );
  }
  if (problems.length > 0) refuseFile(problems);
}
