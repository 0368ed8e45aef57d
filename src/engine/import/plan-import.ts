/** The import plan that all clients share: what each column becomes, how it is read, and what is to be asked. */
import type { Reading } from '../domain/definition.ts';
import { isJsonObject } from '../json.ts';
import { inputNames } from '../readings/inputs.ts';
import {
  type Answers,
  findAnswers,
  findBeside,
  findOtherAnswers,
  findReasonColumn,
  findSecondReader,
} from './answers.ts';
import { usualReadings } from './kinds.ts';
import { findLeaks, type Leak } from './leaks.ts';
import { askForEncoding } from './report.ts';
import type { ExampleColumns } from './row-reader.ts';
import { type ColumnKind, readCell, type Sheet } from './sheet.ts';
import type { ColumnSurvey } from './survey.ts';

export const columnRoles = ['input', 'decision', 'reasons', 'second_reading', 'ignore'] as const;
export type ColumnRole = (typeof columnRoles)[number];
export type SurveyedSheet = { sheet: Sheet; surveys: readonly ColumnSurvey[] };
/** The column of the answers, null for none of them; undefined while it is open. */
export type Answer = string | null | undefined;

export type Proposal = {
  answers: Answers;
  answer: Answer;
  roles: ReadonlyMap<string, ColumnRole>;
  leftOut: ReadonlyMap<string, string>;
  /** Columns that tell the answer or may only name the row, whatever becomes of them. */
  leaks: ReadonlyMap<string, Leak>;
  /** Columns of the input of which it is asked whether they are to be learned from. */
  asked: readonly string[];
  /** Columns that are left out because they are the answers of other decision types. */
  otherAnswers: readonly string[];
  /** Column of which it is asked whether it holds the labels of a second reader. */
  second: string | null;
  /** Columns of the input that become personal fields of a new type unless something else is said. */
  personal: readonly string[];
};

/**
 * Proposes what each column becomes. The answer is the given column, the one that is certain by the columns' values and
 * the options of the type, or for a new type the one that the file says.
 */
export function proposeImport(file: SurveyedSheet, options: readonly string[], given?: Answer): Proposal {
  const answers = findFileAnswers(file, options);
  const { sheet } = file;
  const said =
    options.length === 0
      ? (sheet.answer ?? (answers.candidates.length === 0 ? sheet.gathered?.column : undefined))
      : undefined;
  const [likeliest] = answers.candidates;
  const certain = answers.isCertain ? (likeliest?.column ?? said ?? null) : said;
  const answer = given === undefined ? certain : given;
  const planned = proposeRoles(file, answer ?? null);
  const inputs = file.surveys.filter(({ name }) => planned.roles.get(name) === 'input');
  const found = options.length > 0 ? [] : inputs.filter(({ isPersonal }) => isPersonal).map(({ name }) => name);
  // Where all tell who somebody is, there is nothing else to learn from.
  const personal = found.length < inputs.length ? found : [];
  const asked = planned.asked.filter((name) => !personal.includes(name));
  return { answers, answer, ...planned, asked, personal };
}

/** The columns that could be the answer, without the one that the file says a second reader's labels are in. */
export const findFileAnswers = ({ sheet, surveys }: SurveyedSheet, options: readonly string[]) =>
  findAnswers(
    surveys.filter(({ name }) => name !== sheet.second && sheet.setAside?.has(name) !== true),
    options,
  );

const anotherAnswer = 'It looks like the answer of another decision type.';
type Roles = Omit<Proposal, 'answers' | 'answer' | 'roles' | 'personal'> & { roles: Map<string, ColumnRole> };

/** The column of a second reader's labels beside those of the answer, as the file says it. */
const findGivenSecond = (sheet: Sheet, answer: string | null): string | null =>
  answer !== null && answer === sheet.answer ? (sheet.second ?? null) : null;

/** Columns that are said twice: those that make up the answer, or the one that says them together. */
function listGathered({ gathered }: Sheet, answer: string | null): [name: string, sentence: string][] {
  if (gathered === undefined) return [];
  const { column, from } = gathered;
  if (answer === column) return from.map((name) => [name, `It is a part of the answer “${column}”.`]);
  return [[column, `It says what ${from.map((name) => `“${name}”`).join(', ')} say together.`]];
}

function proposeRoles({ sheet, surveys }: SurveyedSheet, answer: string | null): Roles {
  const reasonColumn = findReasonColumn(sheet.columns);
  const beside = findBeside(sheet.columns, answer);
  const others = findOtherAnswers(surveys, answer).map((name) => [name, anotherAnswer] as const);
  const given = findGivenSecond(sheet, answer);
  const second = given === null ? findSecondReader(surveys, answer) : null;
  const leaks = findLeaks(sheet, surveys, answer);
  const following = [...leaks].flatMap(([name, { isCertain, sentence }]) =>
    isCertain ? [[name, sentence] as const] : [],
  );
  const leftOut = new Map<string, string>([...others, ...following, ...beside, ...(sheet.setAside ?? [])]);
  for (const { name, identifies } of surveys) if (identifies !== null) leftOut.set(name, identifies);
  if (sheet.second !== undefined) leftOut.set(sheet.second, 'It has the labels of a second reader.');
  for (const [name, sentence] of listGathered(sheet, answer)) leftOut.set(name, sentence);
  if (second !== null) leftOut.set(second, `It holds the same options as “${answer}”. Is it a second reader's?`);
  const whole = sheet.columns.findIndex((column) => inputNames.includes(column.toLowerCase()));
  const [first] = sheet.rows;
  const holdsInputs = first !== undefined && isJsonObject(readCell(first, sheet.columns, whole));
  const singles = new Map<string | null, ColumnRole>([
    [reasonColumn, 'reasons'],
    [given, 'second_reading'],
    [answer, 'decision'],
  ]);
  const roles = new Map<string, ColumnRole>();
  for (const [column, name] of sheet.columns.entries()) {
    const isInput = holdsInputs ? column === whole : !leftOut.has(name);
    roles.set(name, singles.get(name) ?? (isInput ? 'input' : 'ignore'));
  }
  for (const [name, role] of roles) if (role !== 'ignore') leftOut.delete(name);
  if (![...roles.values()].includes('input')) {
    // Something must be learned from, even if it only names the row.
    for (const name of leftOut.keys()) roles.set(name, 'input');
    leftOut.clear();
  }
  const inputs = [...roles].flatMap(([name, role]) => (role === 'input' ? [name] : []));
  const asked = inputs.filter((name) => leaks.get(name)?.isCertain === false);
  // Where all would be asked about, there is nothing else to learn from.
  const otherAnswers = [...leftOut].flatMap(([name, sentence]) => (sentence === anotherAnswer ? [name] : []));
  return { roles, leftOut, leaks, asked: asked.length < inputs.length ? asked : [], otherAnswers, second };
}

/** Groups the columns of a sheet by their roles. */
export function toExampleColumns(columns: readonly string[], roles: ReadonlyMap<string, ColumnRole>): ExampleColumns {
  const listNamed = (role: ColumnRole) => columns.filter((name) => roles.get(name) === role);
  return {
    inputs: listNamed('input'),
    decision: listNamed('decision')[0] ?? null,
    reasons: listNamed('reasons')[0] ?? null,
    second: listNamed('second_reading')[0] ?? null,
  };
}

/** The choices about a file: its columns, the kinds of some, and those that are said to be learned from or not. */
export type Choices = {
  columns: ExampleColumns;
  /** Columns that become personal fields; left out: as proposed. */
  piiFields?: readonly string[] | undefined;
  kinds: Readonly<Record<string, ColumnKind>>;
  settled: readonly string[];
};
/** A question that only a person or a program can settle; the one about the encoding is about no column. */
export type Question = {
  about: 'encoding' | 'answer' | 'input' | 'kind';
  column: string;
  sentence: string;
};
export type ColumnsPlan = ReturnType<typeof planImport>;

const maxNamedCandidates = 3;

/** Plans how the columns are read, and lists the questions that the choices leave open. */
export function planImport({ sheet, surveys }: SurveyedSheet, proposal: Proposal, choices: Choices) {
  const { columns, settled } = choices;
  const kinds = new Map([...surveys.map(({ name, kind }) => [name, kind] as const), ...Object.entries(choices.kinds)]);
  const inputs = new Set(columns.inputs);
  const encoding = askForEncoding(sheet);
  const proposed = proposal.personal.filter((name) => !settled.includes(name));
  const piiFields = choices.piiFields ?? (proposed.length > 0 ? proposed : null);
  const questions: Question[] = encoding === null ? [] : [{ about: 'encoding', column: '', sentence: encoding }];
  if (proposal.answer === undefined) {
    const names = proposal.answers.candidates.slice(0, maxNamedCandidates).map(({ column }) => column);
    questions.push({ about: 'answer', column: '', sentence: `which column holds the labels: ${names.join(', ')}?` });
  }
  for (const name of proposal.asked)
    if (inputs.has(name) && !settled.includes(name))
      questions.push({ about: 'input', column: name, sentence: proposal.leaks.get(name)?.sentence ?? '' });
  const { second, leftOut } = proposal;
  if (second !== null && leftOut.has(second) && !settled.includes(second))
    questions.push({ about: 'input', column: second, sentence: leftOut.get(second) ?? '' });
  for (const { name, reason, choices: possible } of surveys)
    if (possible.length > 0 && inputs.has(name) && !Object.hasOwn(choices.kinds, name))
      questions.push({ about: 'kind', column: name, sentence: `${reason}. Choose ${possible.join(' or ')}` });
  return {
    columns,
    kinds,
    /** How each column is read; null as it stands. */
    readings: chooseReadings(surveys, kinds),
    questions,
    /** Columns of the input that tell who somebody is, and those that become personal fields; null: none is said. */
    personal: surveys.flatMap(({ name, isPersonal }) => (isPersonal && inputs.has(name) ? [name] : [])),
    piiFields: piiFields?.filter((name) => inputs.has(name)) ?? null,
  };
}

/** How each column is read: as it was found, or as a person has chosen; null as it stands. */
function chooseReadings(
  surveys: readonly ColumnSurvey[],
  kinds: ReadonlyMap<string, ColumnKind>,
): ReadonlyMap<string, Reading | null> {
  return new Map(
    surveys.map(({ name, kind, reading }) => {
      const chosen = kinds.get(name) ?? kind;
      return [name, chosen === kind ? reading : chosen === 'as_is' ? null : usualReadings[chosen]];
    }),
  );
}
