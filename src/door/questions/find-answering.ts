/** Which type answers a question of a decision model: by what is asked, never by a likeness. */
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

/** The answer to a question: by which name it is decided, and the options whose probabilities count. */
export type Answering = { model: string; options: readonly string[] };

/** A type that decides. */
export type AnsweringType = { id: string; name: string; options: readonly string[] };

/** A question that somebody, or an earlier call, has given to a type, and the options that answer it. */
export type Mark = {
  typeId: string;
  kind: QuestionKind;
  /** The digest of what is asked, as `writeQuestion` writes it; null: whatever is asked of this kind. */
  digest: string | null;
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
  asked: Map<string, Mark>;
  /** Questions of a kind, whatever is asked, by type and kind. */
  ofKind: ReadonlyMap<string, Mark>;
  words: DoorWords;
};

const maxListedTypes = 5;
const maxListedOptions = 10;
const maxNameCharacters = 100;

/** Names a set of options, in whatever order. */
export const toOptionsKey = (options: readonly unknown[]) => JSON.stringify(options.toSorted());
const toKindKey = (typeId: string, kind: QuestionKind) => `${typeId} ${kind}`;
const isSame = (one: readonly unknown[], other: readonly unknown[]) =>
  one.length === other.length && one.every((value, at) => value === other[at]);
/** Lists options for a message. */
export const listOptions = (options: readonly unknown[]) => {
  const listed = options.slice(0, maxListedOptions).map((option) => shorten(JSON.stringify(option), maxNameCharacters));
  return options.length > listed.length
    ? `${listed.join(', ')} and ${options.length - listed.length} more`
    : listed.join(', ');
};

/** Writes what is asked, for the digest of a mark; a choice is the same in any order of its options. */
export function writeQuestion({
  kind,
  instructions,
  criteria,
  options,
}: Pick<AskedQuestion, 'kind' | 'instructions' | 'criteria' | 'options'>): string {
  const content = kind === 'predicate' ? (criteria ?? null) : kind === 'choice' ? options.toSorted() : options;
  return JSON.stringify([kind, instructions ?? null, content]);
}

/** Indexes types, oldest first, with the marks of their questions. */
export function indexQuestions(
  types: readonly AnsweringType[],
  marks: readonly Mark[],
  words: DoorWords,
): QuestionIndex {
  return {
    types: new Map(types.map((type) => [type.id, type])),
    byName: new Map(types.map((type) => [type.name, type])),
    byOptions: Map.groupBy(types, ({ options }) => toOptionsKey(options)),
    asked: new Map(marks.flatMap((mark) => (mark.digest === null ? [] : [[mark.digest, mark]]))),
    ofKind: new Map(marks.flatMap((mark) => (mark.digest === null ? [[toKindKey(mark.typeId, mark.kind), mark]] : []))),
    words,
  };
}

/** Functions by which a door finds who answers: the digest of a text, and what it knows of names. */
export type QuestionPorts = {
  digest(text: string): string;
  /** Whether a name of no model is that of a type. */
  isTaken(name: string): boolean;
  /** The type that a name, also of a release, stands for. Throws as `Door.find`. */
  findNamed(model: string): AnsweringType;
  /** Hears of a question that a type answers without a mark. */
  remember(mark: Mark & { digest: string }, question: AskedQuestion): void;
};

/**
 * Finds what answers a question: the type that `model` names, or the one that is asked this already, that has the
 * question's name, or alone has its options. Throws as `findNamed`, and `validation_error` where none fits.
 */
export function findAnswering(
  index: QuestionIndex,
  model: string,
  question: AskedQuestion,
  ports: QuestionPorts,
): Answering {
  const digest = ports.digest(writeQuestion(question));
  const asked = index.asked.get(digest);
  if (!anyModelNames.includes(model) || ports.isTaken(model)) {
    const named = ports.findNamed(model);
    const options = matchOptions(index, named, question, asked);
    if (options === null) throw refuse(question, explainMisfit(index, named, question));
    return { model, options };
  }
  if (asked !== undefined) return takeAsked(index, asked, question);
  const byName = question.name === null ? undefined : index.byName.get(question.name);
  for (const candidate of [byName ?? [], findByContent(index, question) ?? []].flat()) {
    const options = matchOptions(index, candidate, question);
    if (options === null) continue;
    ports.remember({ typeId: candidate.id, kind: question.kind, digest, options }, question);
    return { model: candidate.name, options };
  }
  throw refuse(question, explainNone(index, question));
}

function takeAsked(index: QuestionIndex, asked: Mark, question: AskedQuestion): Answering {
  const type = index.types.get(asked.typeId);
  if (type === undefined) {
    throw new WorkbenchError('model_not_deployed', 'No policy is deployed for the decision type of this question.');
  }
  const options = matchOptions(index, type, question, asked);
  if (options === null) throw refuse(question, explainMisfit(index, type, question));
  return { model: type.name, options };
}

/** The options of a type whose probabilities answer a question; null where it does not fit. */
function matchOptions(
  { ofKind }: QuestionIndex,
  type: AnsweringType,
  { kind, options }: AskedQuestion,
  asked?: Mark,
): readonly string[] | null {
  if (kind === 'choice') {
    return toOptionsKey(options) === toOptionsKey(type.options) ? options.map(String) : null;
  }
  const own = asked?.typeId === type.id ? asked : ofKind.get(toKindKey(type.id, kind));
  if (own === undefined || !own.options.every((option) => type.options.includes(option))) return null;
  if (kind === 'predicate') return own.options;
  return isSame(own.options, options) && own.options.length === type.options.length ? own.options : null;
}

/** The one type that has the options of a question, or of several the one that says it answers whatever is asked. */
function findByContent(
  { byOptions, ofKind }: QuestionIndex,
  { kind, options }: AskedQuestion,
): AnsweringType | undefined {
  if (kind === 'predicate') return undefined;
  const all = byOptions.get(toOptionsKey(options)) ?? [];
  const [only, ...others] = all.length === 1 ? all : all.filter(({ id }) => ofKind.has(toKindKey(id, kind)));
  return others.length === 0 ? only : undefined;
}

function refuse({ loc }: AskedQuestion, msg: string): WorkbenchError {
  return toValidationError([{ type: 'question_not_known', loc, msg }]);
}

function explainMisfit(
  { ofKind, words }: QuestionIndex,
  type: AnsweringType,
  { kind, options }: AskedQuestion,
): string {
  if (kind === 'predicate') {
    return `for “${type.name}” nobody has said which of its options ${listOptions(type.options)} is yes. ${words.howToMark}`;
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
  const order = ofKind.get(toKindKey(type.id, kind))?.options;
  if (order === undefined) return `nobody has said that the options of “${type.name}” are in order. ${words.howToMark}`;
  return `the order of “${type.name}” is ${listOptions(order)}`;
}

/** Says which types there are, where none answers a question. */
function explainNone(index: QuestionIndex, question: AskedQuestion): string {
  const types = [...index.types.values()];
  const same = index.byOptions.get(toOptionsKey(question.options)) ?? [];
  const [only] = same;
  if (only !== undefined && same.length === 1) return explainMisfit(index, only, question);
  if (same.length > 1 && question.kind !== 'predicate') {
    const names = same.slice(0, maxListedTypes).map(({ name }) => `“${name}”`);
    return `several types have these options: ${names.join(', ')}. Name one of them in model.`;
  }
  if (types.length === 0) return 'no decision type is deployed';
  const listed = types.slice(0, maxListedTypes).map((type) => `“${type.name}” (${listOptions(type.options)})`);
  const more = types.length > listed.length ? ` and ${types.length - listed.length} more` : '';
  const there = `${index.words.there}: ${listed.join('; ')}${more}.`;
  return question.kind === 'predicate'
    ? `no type is known to answer this yes or no. Name a type in model that has an option marked as yes. ${there}`
    : `no deployed type has exactly these options. ${there}`;
}
