/** Which type answers a question of a decision model: by what is asked, never by a likeness. */
import type { Manifest } from '../../engine/bundle/manifest.ts';
import { shorten } from '../../engine/code-points.ts';
import { type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import { anyModelNames } from '../../server/contract/deciding/decision-models.ts';
import type { QuestionKind } from '../../server/contract/deciding/questions.ts';
import { toValidationError } from '../errors/validation-error.ts';

export type AskedQuestion = {
  kind: QuestionKind;
  /** The caller's name of it. */
  name: string | null;
  instructions: unknown;
  /** The options that count as yes and no to a predicate, if the format has that. */
  criteria: unknown;
  /** The options or levels in the caller's order, also those that are no text. */
  options: readonly unknown[];
  /** Where its options stand in the body. */
  loc: ErrorDetail['loc'];
};

/**
 * The answer to a question: by which name it is decided, and the options whose probabilities count. `isByOptions`: by
 * these alone, so that the state has to have a field of the type.
 */
export type Answering = { model: string; options: readonly string[]; isByOptions: boolean };

/** A type that decides. */
export type AnsweringType = { id: string; name: string; options: readonly string[] };

/** A question that somebody has given to a type, and the options that answer it. */
export type Mark = {
  typeId: string;
  kind: QuestionKind;
  /** The digest of what is asked, as `writeQuestion` writes it; null: any score with these levels. */
  digest: string | null;
  /** The beginning of what is asked, for people. */
  shown: string | null;
  /** The option of a predicate whose probability is asked; all options of a score, lowest first. */
  options: readonly string[];
};

/** How a door says where its types are, and how a question is marked there. */
export type DoorWords = { there: 'Deployed' | 'Served'; howToMark: string };

/** The types that decide and the marks of their questions, looked up by what is asked. */
export type QuestionIndex = {
  types: ReadonlyMap<string, AnsweringType>;
  byName: ReadonlyMap<string, AnsweringType>;
  byOptions: ReadonlyMap<string, readonly AnsweringType[]>;
  asked: ReadonlyMap<string, readonly Mark[]>;
  /** The order of the options of types, lowest first. */
  orders: ReadonlyMap<string, Mark>;
  /** Marks of a yes or no, by type. */
  predicates: ReadonlyMap<string, readonly Mark[]>;
  words: DoorWords;
};

const maxListedTypes = 5;
const maxListedMarks = 5;
const maxListedOptions = 10;
const maxNameCharacters = 100;

/** Names a set of options, in whatever order. */
export const toOptionsKey = (options: readonly unknown[]) => JSON.stringify(options.toSorted());
const isSame = (one: readonly unknown[], other: readonly unknown[]) =>
  one.length === other.length && one.every((value, at) => value === other[at]);
/** Lists options for a message. */
export const listOptions = (options: readonly unknown[]) => {
  const listed = options.slice(0, maxListedOptions).map((option) => shorten(JSON.stringify(option), maxNameCharacters));
  return options.length > listed.length
    ? `${listed.join(', ')} and ${options.length - listed.length} more`
    : listed.join(', ');
};

/** Texts as they are compared: without case, double blanks and the signs at their end. */
function normalise(asked: unknown): unknown {
  if (typeof asked === 'string') {
    const words = asked.normalize('NFC').toLowerCase().trim().replaceAll(/\s+/gu, ' ');
    return words.replace(/[\s.!?…。！？]+$/u, '');
  }
  if (Array.isArray(asked)) return asked.map(normalise);
  if (typeof asked !== 'object' || asked === null) return asked;
  return Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, normalise(value)]));
}

type Content = Pick<AskedQuestion, 'kind' | 'instructions' | 'criteria' | 'options'>;

/** Writes what is asked, for the digest of a mark; a choice is the same in any order of its options. */
export function writeQuestion({ kind, instructions = null, criteria = null, options }: Content): string {
  const content = kind === 'predicate' ? normalise(criteria) : kind === 'choice' ? options.toSorted() : options;
  return JSON.stringify([kind, normalise(instructions), content]);
}

/** Indexes types, oldest first, with the marks of their questions. */
export function indexQuestions(
  types: readonly AnsweringType[],
  marks: readonly Mark[],
  words: DoorWords,
): QuestionIndex {
  const worded = marks.filter(({ digest }) => digest !== null);
  const orders = marks.filter(({ digest, kind }) => digest === null && kind === 'score');
  return {
    types: new Map(types.map((type) => [type.id, type])),
    byName: new Map(types.map((type) => [type.name, type])),
    byOptions: Map.groupBy(types, ({ options }) => toOptionsKey(options)),
    asked: Map.groupBy(worded, ({ digest }) => digest ?? ''),
    orders: new Map(orders.map((mark) => [mark.typeId, mark])),
    predicates: Map.groupBy(
      worded.filter(({ kind }) => kind === 'predicate'),
      ({ typeId }) => typeId,
    ),
    words,
  };
}

/** The marks of a bundle, as those of a type. */
export const readMarks = (typeId: string, questions: Manifest['questions']): Mark[] =>
  (questions ?? []).map(({ kind, digest, asked: shown, options }) => ({ typeId, kind, digest, shown, options }));

/** Functions by which a door finds who answers: the digest of a text, and what it knows of names. */
export type QuestionPorts = {
  digest(text: string): string;
  /** Whether a name of no model is that of a type. */
  isTaken(name: string): boolean;
  /** The type that a name, also of a release, stands for. Throws as `Door.find`. */
  findNamed(model: string): AnsweringType;
};

/**
 * Finds what answers a question: the type that `model` names, or the one that is marked for it, that has the question's
 * name, or alone has its options; what was asked before changes nothing. Throws as `findNamed`, and `validation_error`
 * where none fits.
 */
export function findAnswering(
  index: QuestionIndex,
  model: string,
  question: AskedQuestion,
  ports: QuestionPorts,
): Answering {
  const asked = index.asked.get(ports.digest(writeQuestion(question))) ?? [];
  if (!anyModelNames.includes(model) || ports.isTaken(model)) {
    const named = ports.findNamed(model);
    return { model, options: takeOptions(index, named, question, findOfType(asked, named)), isByOptions: false };
  }
  const byName = question.name === null ? undefined : index.byName.get(question.name);
  if (asked.length > 0) return takeAsked(index, asked, byName, question);
  for (const candidate of [byName ?? [], findByContent(index, question) ?? []].flat()) {
    const options = matchOptions(index, candidate, question);
    if (options !== null) return { model: candidate.name, options, isByOptions: question.kind === 'choice' };
  }
  throw refuse(question, explainNone(index, question));
}

const findOfType = (asked: readonly Mark[], type: AnsweringType | undefined) =>
  asked.find(({ typeId }) => typeId === type?.id);

/** The answer of the type that is asked this: of several, the one that has the question's name. */
function takeAsked(
  index: QuestionIndex,
  asked: readonly Mark[],
  byName: AnsweringType | undefined,
  question: AskedQuestion,
): Answering {
  const there = asked.flatMap((mark) => index.types.get(mark.typeId) ?? []);
  const type = there.length > 1 ? there.find(({ id }) => id === byName?.id) : there[0];
  if (there.length === 0) {
    throw new WorkbenchError('model_not_deployed', 'No policy is deployed for the decision type of this question.');
  }
  if (type === undefined) throw refuse(question, `several types answer this: ${listTypes(there)}. Name one in model.`);
  return { model: type.name, options: takeOptions(index, type, question, findOfType(asked, type)), isByOptions: false };
}

function takeOptions(index: QuestionIndex, type: AnsweringType, question: AskedQuestion, mark?: Mark) {
  const options = matchOptions(index, type, question, mark);
  if (options === null) throw refuse(question, explainMisfit(index, type, question));
  return options;
}

/** The options of a type whose probabilities answer a question; null where it does not fit. */
function matchOptions(
  { orders }: QuestionIndex,
  type: AnsweringType,
  { kind, options }: AskedQuestion,
  mark?: Mark,
): readonly string[] | null {
  if (kind === 'choice') {
    return toOptionsKey(options) === toOptionsKey(type.options) ? options.map(String) : null;
  }
  const own = kind === 'score' ? (mark ?? orders.get(type.id)) : mark;
  if (own === undefined || !own.options.every((option) => type.options.includes(option))) return null;
  if (kind === 'predicate') return own.options;
  return isSame(own.options, options) && own.options.length === type.options.length ? own.options : null;
}

/** The one type that has the options of a question. */
function findByContent({ byOptions }: QuestionIndex, { kind, options }: AskedQuestion): AnsweringType | undefined {
  const [only, ...others] = kind === 'predicate' ? [] : (byOptions.get(toOptionsKey(options)) ?? []);
  return others.length === 0 ? only : undefined;
}

const listTypes = (types: readonly AnsweringType[]) =>
  types
    .slice(0, maxListedTypes)
    .map(({ name }) => `“${name}”`)
    .join(', ');

/** Refuses a state that has no field of the type that its options alone have found. */
export function refuseByOptions(question: AskedQuestion, type: string, fields: readonly string[]): WorkbenchError {
  const named = `“${type}” alone has these options, and reads ${listOptions(fields)}, of which the state has none`;
  return refuse(question, `${named}. Name the type in model where it is meant.`);
}

function refuse({ loc }: AskedQuestion, msg: string): WorkbenchError {
  return toValidationError([{ type: 'question_not_known', loc, msg }]);
}

function explainMisfit(
  { orders, predicates, words }: QuestionIndex,
  type: AnsweringType,
  { kind, options }: AskedQuestion,
): string {
  if (kind === 'predicate') {
    const open = `for “${type.name}” nobody has said which of its options ${listOptions(type.options)} is yes to this question`;
    return `${open}. ${listPredicates(predicates.get(type.id) ?? [])}${words.howToMark}`;
  }
  const known = new Set<unknown>(type.options);
  const unknown = options.filter((option) => !known.has(option));
  const missing = type.options.filter((option) => !options.includes(option));
  const differences = [
    ...(unknown.length === 0 ? [] : [`it does not have ${listOptions(unknown)}`]),
    ...(missing.length === 0 ? [] : [`the question leaves out ${listOptions(missing)}`]),
  ];
  if (differences.length > 0) return `“${type.name}” cannot answer this: ${differences.join(', and ')}`;
  if (kind === 'choice') return 'an option stands there twice';
  const order = orders.get(type.id)?.options;
  if (order === undefined) return `nobody has said that the options of “${type.name}” are in order. ${words.howToMark}`;
  return `the order of “${type.name}” is ${listOptions(order)}`;
}

/** The yes-or-no questions that a type answers, as a sentence; empty if it answers none. */
function listPredicates(marks: readonly Mark[]): string {
  const listed = marks.slice(0, maxListedMarks).map(({ shown, options }) => {
    const yes = `yes is ${listOptions(options)}`;
    return shown === null ? yes : `“${shorten(shown, maxNameCharacters)}” (${yes})`;
  });
  const more = marks.length > listed.length ? ` and ${marks.length - listed.length} more` : '';
  return listed.length === 0 ? '' : `It is said of: ${listed.join('; ')}${more}. `;
}

/** Says which types there are, where none answers a question. */
function explainNone(index: QuestionIndex, question: AskedQuestion): string {
  const types = [...index.types.values()];
  const same = index.byOptions.get(toOptionsKey(question.options)) ?? [];
  const [only] = same;
  if (only !== undefined && same.length === 1) return explainMisfit(index, only, question);
  if (same.length > 1 && question.kind !== 'predicate') {
    return `several types have these options: ${listTypes(same)}. Name one of them in model.`;
  }
  if (types.length === 0) return 'no decision type is deployed';
  const listed = types.slice(0, maxListedTypes).map((type) => `“${type.name}” (${listOptions(type.options)})`);
  const more = types.length > listed.length ? ` and ${types.length - listed.length} more` : '';
  const there = `${index.words.there}: ${listed.join('; ')}${more}.`;
  return question.kind === 'predicate'
    ? `no type is known to answer this yes or no. ${listPredicates([...index.predicates.values()].flat())}${index.words.howToMark} ${there}`
    : `no deployed type has exactly these options. ${there}`;
}
