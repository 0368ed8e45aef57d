/** Choices about the file of an import, and how further ones are added. */
import { type ErrorDetail, WorkbenchError } from '../../errors.ts';
import { findCalledAnswer } from '../answers.ts';
import type { LabelTarget, LabelUse } from '../labels.ts';
import { type ColumnRole, type Proposal, proposeImport, type SurveyedSheet } from '../plan-import.ts';
import type { ExampleColumns } from '../row-reader.ts';
import type { ColumnKind } from '../sheet.ts';
import type { SheetFields } from './import-file.ts';

type Chosen<Value> = Readonly<Record<string, Value>>;
export type ImportChoices = {
  reading: SheetFields;
  /** undefined: as proposed. */
  answer: string | null | undefined;
  roles: Chosen<ColumnRole>;
  /** All columns as a request names them: in its order, and objects whole. Left out: by their roles. */
  columns?: ExampleColumns;
  must: string | null;
  kinds: Chosen<ColumnKind>;
  /** undefined: nothing was said about it. */
  piiFields?: readonly string[] | undefined;
  targets: Chosen<LabelTarget>;
  options: readonly string[];
  repeated: 'keep' | 'drop' | undefined;
};

/** Choices of one call; what it leaves out stays as it was. `settle`: columns are what they are called. */
export type FileChoice = {
  answer?: string | null | undefined;
  must?: string | null | undefined;
  roles?: Chosen<ColumnRole> | undefined;
  kinds?: Chosen<ColumnKind> | undefined;
  options?: readonly string[] | undefined;
  repeated?: 'keep' | 'drop' | undefined;
  pii_fields?: readonly string[] | undefined;
  targets?: Chosen<LabelTarget> | undefined;
  settle?: boolean | undefined;
};

/** Nothing is chosen yet but how the file is read. */
export const startChoices = (reading: SheetFields): ImportChoices => ({
  reading,
  answer: undefined,
  roles: {},
  must: null,
  kinds: {},
  targets: {},
  options: [],
  repeated: undefined,
});

function refuseProblems(problems: ErrorDetail[]): void {
  if (problems.length > 0) throw new WorkbenchError('validation_error', 'Request validation failed.', problems);
}

const pick = <Value>(chosen: Chosen<Value>, isKept: (name: string, value: Value) => boolean): Chosen<Value> =>
  Object.fromEntries(Object.entries(chosen).filter(([name, value]) => isKept(name, value)));

/** Takes over how the file is read. Another sheet or separator has another header. */
export function chooseReading(former: ImportChoices, choice: SheetFields): ImportChoices {
  const { sheet, header_line, delimiter, quote, encoding } = choice;
  const given = pick({ sheet, header_line, delimiter, quote, encoding }, (_, value) => value !== undefined);
  if (Object.keys(given).length === 0) return former;
  const { header_line: _, ...others } = former.reading;
  const kept = sheet === undefined && delimiter === undefined ? former.reading : others;
  return { ...former, reading: { ...kept, ...given } };
}

/** Forgets what was said of columns that the file, read otherwise, does not have. */
function keepKnown(choices: ImportChoices, columns: readonly string[]): ImportChoices {
  const known = new Set(columns);
  const isKnown = (name: string) => known.has(name);
  const { answer, must } = choices;
  return {
    ...choices,
    answer: answer == null || isKnown(answer) ? answer : undefined,
    must: must !== null && isKnown(must) ? must : null,
    roles: pick(choices.roles, isKnown),
    kinds: pick(choices.kinds, isKnown),
    piiFields: choices.piiFields?.filter(isKnown),
  };
}

function chooseAnswer(former: ImportChoices, answer: string | null): ImportChoices {
  const roles = pick(former.roles, (name, role) => name !== answer && role !== 'decision');
  return { ...former, answer, targets: {}, roles };
}

/** One column is the answer, and at most one holds reason codes, or the labels of a second reader. */
function chooseRole(
  former: ImportChoices,
  column: string,
  role: ColumnRole,
  { roles, answer }: Proposal,
): ImportChoices {
  if (role === 'decision') return chooseAnswer(former, column);
  const current = former.answer === undefined ? answer : former.answer;
  const next = column === current ? chooseAnswer(former, null) : former;
  const all = new Map([...roles, ...Object.entries(next.roles)]);
  const isSingle = role === 'reasons' || role === 'second_reading';
  const freed = isSingle ? [...all].flatMap(([name, old]) => (old === role ? [name] : [])) : [];
  const inputs = Object.fromEntries(
    freed.map((name): [string, ColumnRole] => [name, role === 'reasons' ? 'input' : 'ignore']),
  );
  return { ...next, roles: { ...next.roles, ...inputs, [column]: role } };
}

/**
 * Adds a choice to those about a file read as they say; throws `validation_error` for columns that it does not have.
 * Labels are checked once their columns are planned.
 */
export function addChoice(
  former: ImportChoices,
  choice: FileChoice,
  file: SurveyedSheet,
  options: readonly string[],
): ImportChoices {
  const { columns } = file.sheet;
  checkColumns(choice, columns);
  const kept = keepKnown(former, columns);
  const { answer, must, roles = {}, kinds, repeated, pii_fields: piiFields, targets } = choice;
  const proposal = proposeImport(file, options, kept.answer);
  let next = answer === undefined ? kept : chooseAnswer(kept, answer);
  for (const [column, role] of Object.entries(roles)) next = chooseRole(next, column, role, proposal);
  if (choice.settle) next = settleColumns(next, file, options);
  return {
    ...next,
    must: must === undefined ? next.must : must,
    kinds: { ...next.kinds, ...kinds },
    options: choice.options ?? next.options,
    repeated: repeated ?? next.repeated,
    piiFields: piiFields ?? next.piiFields,
    targets: { ...next.targets, ...targets },
  };
}

function checkColumns(
  { answer, must, roles = {}, kinds = {}, pii_fields = [] }: FileChoice,
  columns: readonly string[],
) {
  const known = new Set(columns);
  const places: [loc: string[], name: string | null | undefined][] = [
    [['answer'], answer],
    [['must'], must],
    ...Object.keys(roles).map((name): [string[], string] => [['roles', name], name]),
    ...Object.keys(kinds).map((name): [string[], string] => [['kinds', name], name]),
    ...pii_fields.map((name): [string[], string] => [['pii_fields'], name]),
  ];
  refuseProblems(
    places.flatMap(([loc, name]): ErrorDetail[] =>
      name == null || known.has(name)
        ? []
        : [{ type: 'unknown_column', loc: ['body', ...loc], msg: `there is no column "${name}"` }],
    ),
  );
}

/** Answers what is open about columns as they are called, as a program does that can ask nobody. */
function settleColumns(former: ImportChoices, file: SurveyedSheet, options: readonly string[]): ImportChoices {
  const { answer: proposed, answers } = proposeImport(file, options, former.answer);
  const answer = proposed === undefined ? findCalledAnswer(file.sheet.columns, answers) : proposed;
  const { asked, second } = proposeImport(file, options, answer);
  const inputs = Object.fromEntries(asked.map((name): [string, ColumnRole] => [name, 'input']));
  const left: Chosen<ColumnRole> = second === null ? {} : { [second]: 'ignore' };
  return { ...former, answer, roles: { ...inputs, ...left, ...former.roles } };
}

/** Throws `validation_error` for labels that are not in the file and options that nobody has. */
export function checkTargets(
  targets: Chosen<LabelTarget>,
  labels: readonly LabelUse[],
  options: readonly string[],
): void {
  const known = new Set(labels.map(({ value }) => value));
  const meant = new Set([...options, ...known]);
  refuseProblems(
    Object.entries(targets).flatMap(([label, target]): ErrorDetail[] => {
      const loc = ['body', 'targets', label];
      if (!known.has(label)) return [{ type: 'unknown_label', loc, msg: `no row has the label "${label}"` }];
      if (target.kind !== 'option' || meant.has(target.option)) return [];
      return [{ type: 'unknown_option', loc, msg: `"${target.option}" is no option, nor a label of the file` }];
    }),
  );
}
