/** The mapping of an example file: as its request says, or as the names and values of its columns propose. */
import type { ErrorDetail } from '../../../engine/errors.ts';
import { findCalledAnswer } from '../../../engine/import/answers.ts';
import {
  type ColumnRole,
  findFileAnswers,
  type Question,
  type SurveyedSheet,
} from '../../../engine/import/plan-import.ts';
import { type ImportChoices, startChoices } from '../../../engine/import/planning/import-choices.ts';
import { refuseFile, toFileProblem } from '../../../engine/import/planning/import-file.ts';
import type { ExampleColumns } from '../../../engine/import/row-reader.ts';
import { readCell, type Sheet, type SheetRow } from '../../../engine/import/sheet.ts';
import { isJsonObject } from '../../../engine/json.ts';
import { inputNames } from '../../../engine/readings/inputs.ts';
import type { ImportMapping } from '../../contract/examples/examples.ts';

/** The choices of a request's mapping, else as the file is proposed. Throws `validation_error` for unknown columns. */
export function chooseByMapping(file: SurveyedSheet, options: readonly string[], given?: ImportMapping): ImportChoices {
  const { columns: names } = file.sheet;
  const chosen = startChoices({});
  if (given === undefined) return { ...chosen, answer: findCalledAnswer(names, findFileAnswers(file, options)) };
  checkMapping(given, names);
  const { decision: answer, must = null, read_as: kinds, pii_fields: piiFields } = given;
  const columns = toColumns(given, file.sheet);
  return { ...chosen, answer, must, kinds, piiFields, columns, roles: toRoles(names, columns) };
}

/** A mapping that names no input takes all columns but the answer and the reason codes. */
function toColumns(mapping: ImportMapping, sheet: Sheet): ExampleColumns {
  const { columns, answer, second: known, gathered } = sheet;
  const { decision, reason_codes: reasons, must, input } = mapping;
  const { second_reading: second = decision === answer ? (known ?? null) : null } = mapping;
  const twice = gathered === undefined ? [] : decision === gathered.column ? gathered.from : [gathered.column];
  const left = [decision, reasons, must, second, known, ...twice, ...(sheet.setAside?.keys() ?? [])];
  const inputs = input ?? columns.filter((name) => !left.includes(name));
  return { inputs, decision, reasons, second };
}

/** Columns with what they become; one of an object that is taken whole is input as well. */
function toRoles(names: readonly string[], { inputs, decision, reasons, second }: ExampleColumns) {
  const taken = new Set(inputs);
  const singles = new Map<string | null, ColumnRole>([
    [second, 'second_reading'],
    [reasons, 'reasons'],
    [decision, 'decision'],
  ]);
  const isInput = (name: string) => listOuterNames(name).some((outer) => taken.has(outer));
  const toRole = (name: string): ColumnRole => singles.get(name) ?? (isInput(name) ? 'input' : 'ignore');
  return Object.fromEntries(names.map((name) => [name, toRole(name)]));
}

/** The name of a column and those of the objects around it, which was opened into its fields. */
const listOuterNames = (name: string) => name.split('.').map((_, depth, keys) => keys.slice(0, depth + 1).join('.'));

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

/** Finds a cell that cannot be a label, reason codes or a whole input; null for none. */
export function findRowProblem(row: SheetRow, { inputs, decision, reasons }: ExampleColumns): ErrorDetail | null {
  if ('cells' in row) return null;
  const { line, values } = row;
  const label = decision === null ? null : (readCell(row, [decision], 0) ?? null);
  if (decision !== null && Array.isArray(label) && label.length > 1)
    return toFileProblem(line, decision, `${label.length} labels in one row; leave one of them`);
  if (decision !== null && isJsonObject(label))
    return toFileProblem(line, decision, 'the decision is an object; name a column with one value');
  const codes = reasons === null ? null : (values[reasons] ?? null);
  const isList = Array.isArray(codes) && codes.every((code) => typeof code === 'string');
  if (reasons !== null && typeof codes === 'object' && codes !== null && !isList)
    return toFileProblem(line, reasons, 'the reason codes are not a list of strings');
  const [whole] = inputs;
  const isWhole = inputs.length === 1 && whole !== undefined && inputNames.includes(whole.toLowerCase());
  return isWhole && !Object.hasOwn(values, whole) ? toFileProblem(line, whole, `"${whole}" is missing`) : null;
}

/** Refuses a file for the first row in which one of these cells stands. */
export function refuseBrokenRow({ rows }: Sheet, columns: ExampleColumns): void {
  for (const row of rows) {
    const problem = findRowProblem(row, columns);
    if (problem !== null) refuseFile([problem]);
  }
}

/** Refuses a mapping that names columns the file does not have. */
function checkMapping(mapping: ImportMapping, names: readonly string[]): void {
  const known = new Set(names.flatMap(listOuterNames));
  const places: [name: string | null, ...loc: (string | number)[]][] = [
    [mapping.decision, 'decision'],
    [mapping.reason_codes, 'reason_codes'],
    [mapping.must ?? null, 'must'],
    ...(mapping.pii_fields ?? []).map((name): [string, string] => [name, 'pii_fields']),
    [mapping.second_reading ?? null, 'second_reading'],
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
