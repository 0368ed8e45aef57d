/** The mapping of an example file: as its request says, or as the names and values of its columns propose. */
import type { Reading } from '../../engine/domain/definition.ts';
import type { ErrorDetail } from '../../engine/errors.ts';
import { type Candidate, findAnswers, findDecisionColumn, findReasonColumn } from '../../engine/import/answers.ts';
import {
  chooseReadings,
  createRowReader,
  type ExampleColumns,
  proposeRoles,
  type ReadRow,
  type RowReader,
  toExampleColumns,
} from '../../engine/import/example-plan.ts';
import { forbiddenSegment, inputNames, splitName } from '../../engine/import/inputs.ts';
import { isMissing } from '../../engine/import/kinds.ts';
import { findLeaks, type Leak } from '../../engine/import/leaks.ts';
import { askForEncoding } from '../../engine/import/report.ts';
import { type ColumnKind, readCell, type Sheet, type SheetRow } from '../../engine/import/sheet.ts';
import type { ColumnSurvey } from '../../engine/import/survey.ts';
import { isJsonObject } from '../../engine/json.ts';
import type { ImportMapping } from '../contract/examples/examples.ts';
import { refuseFile, toFileProblem } from './import-file.ts';

/** The limit of a body, too: a deeper input could not be sent back. */
const maxSegments = 28;
const maxNamedCandidates = 3;

export type ImportPlan = {
  mapping: ImportMapping;
  columns: ExampleColumns;
  candidates: readonly Candidate[];
  kinds: ReadonlyMap<string, ColumnKind>;
  /** How each column is read; null as it stands. */
  readings: ReadonlyMap<string, Reading | null>;
  /** Columns that tell the answer or may only name the row, whatever becomes of them. */
  leaks: ReadonlyMap<string, Leak>;
  /** Columns that are left out, each with a sentence. */
  leftOut: ReadonlyMap<string, string>;
  /** Questions to which only a mapping can give the answer. */
  questions: ErrorDetail[];
};

const toQuestion = (loc: (string | number)[], msg: string): ErrorDetail => ({ type: 'ambiguous', loc, msg });

/** Plans the roles of the columns. Throws `validation_error` for a mapping with columns that the file does not have. */
export function planImport(
  sheet: Sheet,
  surveys: readonly ColumnSurvey[],
  options: readonly string[],
  given: ImportMapping | undefined,
): ImportPlan {
  const { candidates, isCertain } = findAnswers(surveys, options);
  const plan = given ? applyMapping(sheet, surveys, given) : proposeMapping(sheet, surveys, candidates, isCertain);
  checkInputColumns(plan.columns.inputs);
  const inputs = new Set(plan.columns.inputs);
  const open = surveys.filter(
    ({ name, choices }) => choices.length > 0 && inputs.has(name) && plan.mapping.read_as[name] === undefined,
  );
  const ambiguous = open.map(({ name, reason, choices }) =>
    toQuestion(['body', 'mapping', 'read_as', name], `${reason}. Choose ${choices.join(' or ')}`),
  );
  const kinds = new Map([
    ...surveys.map(({ name, kind }) => [name, kind] as const),
    ...Object.entries(plan.mapping.read_as),
  ]);
  const encoding = askForEncoding(sheet);
  const unknown = encoding === null ? [] : [toQuestion(['body', 'encoding'], `${encoding}. State it in encoding`)];
  const questions = [...unknown, ...plan.questions, ...ambiguous];
  return { ...plan, kinds, readings: chooseReadings(surveys, kinds), candidates, questions };
}

type Proposal = Omit<ImportPlan, 'candidates' | 'kinds' | 'readings'>;

function applyMapping(sheet: Sheet, surveys: readonly ColumnSurvey[], mapping: ImportMapping): Proposal {
  const { columns } = sheet;
  checkMapping(mapping, columns);
  const { decision, reason_codes: reasons } = mapping;
  const inputs = mapping.input ?? columns.filter((name) => name !== decision && name !== reasons);
  const leaks = findLeaks(sheet, surveys, decision);
  return { mapping, columns: { inputs, decision, reasons }, leaks, leftOut: new Map(), questions: [] };
}

/** The mapping that the names of the columns say: the labels, the reason codes and, whole, the input. */
export function guessMapping({ columns }: Sheet): ImportMapping {
  const decision = findDecisionColumn(columns);
  const whole = columns.find((name) => inputNames.includes(name.toLowerCase()));
  const input = whole === undefined ? null : [whole];
  return { decision, reason_codes: findReasonColumn(columns), input, read_as: {} };
}

export type ImportedExample = Omit<ReadRow, 'label'> & { decision: string | null };
export type ExampleReader = { read(row: SheetRow): ImportedExample; misfits: RowReader['misfits'] };

/** Makes the reader of a file's rows. It throws `validation_error` for a cell that does not fit its mapping. */
export function createExampleReader(
  sheet: Sheet,
  { columns, readings }: Pick<ImportPlan, 'columns' | 'readings'>,
  options: readonly string[],
): ExampleReader {
  const { readRow, misfits } = createRowReader(sheet, columns, readings);
  return {
    misfits,
    read(row) {
      checkRow(row, columns);
      const { label, ...example } = readRow(row);
      const isNone = label !== null && isMissing(label) && !options.includes(label);
      return { ...example, decision: isNone ? null : label };
    },
  };
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

/** A column that is called the labels holds them, unless others hold the options and it does not. */
function proposeMapping(
  sheet: Sheet,
  surveys: readonly ColumnSurvey[],
  candidates: readonly Candidate[],
  isCertain: boolean,
): Proposal {
  const names = candidates.map(({ column }) => column);
  const called = findDecisionColumn(sheet.columns);
  const isCalled = called !== null && (names.length === 0 || names.includes(called));
  const decision = isCalled ? called : isCertain ? (names[0] ?? null) : null;
  const { roles, reasons: leftOut, leaks, asked } = proposeRoles(sheet, surveys, decision);
  const columns = toExampleColumns(sheet.columns, roles);
  const isAll = ![...roles.values()].includes('ignore');
  const doubts = asked.map((name) =>
    toQuestion(
      ['body', 'mapping', 'input', name],
      `“${name}”: ${leaks.get(name)?.sentence} Name the columns of the input`,
    ),
  );
  const msg = `which column holds the labels: ${names.slice(0, maxNamedCandidates).join(', ')}? Name it in mapping.decision`;
  return {
    mapping: { decision, reason_codes: columns.reasons, input: isAll ? null : [...columns.inputs], read_as: {} },
    columns,
    leaks,
    leftOut,
    questions: isCalled || isCertain ? doubts : [toQuestion(['body', 'mapping', 'decision'], msg)],
  };
}

/** Refuses a mapping that names columns the file does not have. */
function checkMapping(mapping: ImportMapping, names: readonly string[]): void {
  // An object that was opened into its fields is still known by its own name.
  const outer = names.flatMap((name) => name.split('.').map((_, depth, keys) => keys.slice(0, depth).join('.')));
  const known = new Set([...names, ...outer]);
  const places: [name: string | null, ...loc: (string | number)[]][] = [
    [mapping.decision, 'decision'],
    [mapping.reason_codes, 'reason_codes'],
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
function checkInputColumns(names: readonly string[]): void {
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
