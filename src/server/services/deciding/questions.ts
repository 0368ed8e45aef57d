/** Which deployed type answers a question of a decision model: by what is asked, never by a likeness. */
import { shorten } from '../../../engine/code-points.ts';
import { type ErrorDetail, WorkbenchError } from '../../../engine/errors.ts';
import { limits } from '../../../engine/limits.ts';
import type { Caller } from '../../auth/caller.ts';
import { anyModelNames } from '../../contract/deciding/decision-models.ts';
import { type BindQuestion, maxShownCharacters, type QuestionKind } from '../../contract/deciding/questions.ts';
import { refuseProblems, toInvalidValue, toValidationError } from '../../errors/validation-error.ts';
import type { Foundation } from '../../foundation.ts';
import { createRecentCache, type RecentCache } from '../../process/recent-cache.ts';
import type { AnsweringType, StoredQuestion } from '../../store/deciding/questions.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { findDeciding } from './find-decider.ts';

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

type Candidate = Pick<AnsweringType, 'id' | 'name' | 'options'>;

/** Facts about the questions and deployed types of an organisation, until one of them changes. */
type Index = {
  changes: string;
  types: ReadonlyMap<string, AnsweringType>;
  byName: ReadonlyMap<string, AnsweringType>;
  byOptions: ReadonlyMap<string, readonly AnsweringType[]>;
  asked: Map<string, StoredQuestion>;
  /** Questions of a kind, whatever is asked, by type and kind. */
  ofKind: ReadonlyMap<string, StoredQuestion>;
  /** Names of no model that are names of types. */
  takenNames: ReadonlySet<string>;
  /** Answers to the questions asked last, by all of what was asked. */
  recent: RecentCache<string, Answering>;
};

/** Half of what may be stored is left to people. */
const maxAutomatic = limits.maxQuestions / 2;
const maxListedTypes = 5;
const maxListedOptions = 10;
const maxNameCharacters = 100;
/** Questions whose answers are kept in memory, and how long the text of one may be. */
const maxRecent = { questions: 1_000, characters: 10_000 };

const toOptionsKey = (options: readonly unknown[]) => JSON.stringify(options.toSorted());
const toKindKey = (typeId: string, kind: QuestionKind) => `${typeId} ${kind}`;
const isSame = (one: readonly unknown[], other: readonly unknown[]) =>
  one.length === other.length && one.every((value, at) => value === other[at]);
const listOptions = (options: readonly unknown[]) => {
  const listed = options.slice(0, maxListedOptions).map((option) => shorten(JSON.stringify(option), maxNameCharacters));
  return options.length > listed.length
    ? `${listed.join(', ')} and ${options.length - listed.length} more`
    : listed.join(', ');
};

/** The questions of decision models, with what is derived from them kept in memory. */
export class Questions {
  readonly #deps: Foundation;
  readonly #indexes = new Map<string, Index>();

  constructor(deps: Foundation) {
    this.#deps = deps;
  }

  /**
   * Finds what answers a question: the type that `model` names, or the one that is asked this already, that has the
   * question's name, or alone has its options. Throws as `findDeciding`, and `validation_error` where none fits.
   */
  find(caller: Caller, model: string, question: AskedQuestion): Answering {
    const index = this.#index(caller.organisationId);
    const { kind, name, instructions, criteria, options } = question;
    const whole = JSON.stringify([model, kind, name, instructions ?? null, criteria ?? null, options]);
    const known = index.recent.get(whole);
    if (known !== undefined) return known;
    const found = this.#findNew(caller, index, model, question);
    // Releases and aliases come to name others without a new index.
    const isLasting = anyModelNames.includes(model) || index.byName.has(model);
    if (isLasting && whole.length <= maxRecent.characters) index.recent.set(whole, found);
    return found;
  }

  #findNew(caller: Caller, index: Index, model: string, question: AskedQuestion): Answering {
    const digest = this.#digest(question);
    const asked = index.asked.get(digest);
    if (!anyModelNames.includes(model) || index.takenNames.has(model)) {
      const { type, policy } = findDeciding(this.#deps, caller, model);
      const named = { id: type.id, name: type.name, options: policy.options };
      const options = matchOptions(index, named, question, asked);
      if (options === null) throw refuse(question, explainMisfit(index, named, question));
      return { model, options };
    }
    if (asked !== undefined) return this.#takeAsked(index, asked, question);
    const byName = question.name === null ? undefined : index.byName.get(question.name);
    for (const candidate of [byName ?? [], findByContent(index, question) ?? []].flat()) {
      const options = matchOptions(index, candidate, question);
      if (options === null) continue;
      this.#remember(caller, index, candidate, question, digest, options);
      return { model: candidate.name, options };
    }
    throw refuse(question, explainNone(index, question));
  }

  /** The types of an organisation that decide, oldest first. */
  listAnswering({ organisationId }: Caller): AnsweringType[] {
    return [...this.#index(organisationId).types.values()];
  }

  /** Says that a type answers a question. Throws `validation_error` for its options, `conflict` for too many. */
  bind(
    caller: Caller,
    type: DecisionTypeRecord,
    { kind, instructions, criteria, options }: BindQuestion,
  ): StoredQuestion {
    const { store } = this.#deps;
    const known = type.activeVersion.definition.options;
    const place = ['body', 'options'];
    const unknown = options.filter((option) => !known.includes(option));
    if (unknown.length > 0) {
      refuseProblems([toInvalidValue(place, `“${type.name}” has no option ${listOptions(unknown)}`)]);
    }
    if (kind === 'predicate' ? options.length !== 1 : toOptionsKey(options) !== toOptionsKey(known)) {
      const needed = kind === 'predicate' ? 'the one option that is yes' : `each of ${listOptions(known)} once`;
      refuseProblems([toInvalidValue(place, `must be ${needed}`)]);
    }
    const isAnything = instructions === undefined && criteria === undefined;
    const asked = { kind, name: null, instructions, criteria, options, loc: [] };
    const question = this.#make(type.id, asked, isAnything ? null : this.#digest(asked), options, false);
    store.transaction(() => {
      if (store.questions.count(caller.organisationId) >= limits.maxQuestions) {
        throw new WorkbenchError('conflict', `There are ${limits.maxQuestions} questions already: take some away.`);
      }
      if (isAnything) store.questions.removeAutomatic(type.id, kind);
      store.questions.put(caller.organisationId, question);
    });
    this.#indexes.delete(caller.organisationId);
    return question;
  }

  /** Gives a type questions it answered elsewhere; returns a sentence for each that it does not answer here. */
  take({ organisationId }: Caller, questions: readonly StoredQuestion[]): string[] {
    const { store } = this.#deps;
    const isFree = ({ digest }: StoredQuestion) => digest === null || !store.questions.isAsked(organisationId, digest);
    const free = questions.filter(isFree);
    const taken = free.slice(0, Math.max(0, limits.maxQuestions - store.questions.count(organisationId)));
    for (const question of taken) store.questions.put(organisationId, question);
    this.#indexes.delete(organisationId);
    return [
      ...tellLeft(questions.length - free.length, 'other types answer them here already'),
      ...tellLeft(free.length - taken.length, `there are ${limits.maxQuestions} questions, the most that are kept`),
    ];
  }

  /** Takes a question from a type; throws `not_found`. */
  forget(caller: Caller, type: DecisionTypeRecord, id: string): void {
    if (!this.#deps.store.questions.remove(type.id, id)) {
      throw new WorkbenchError('not_found', 'The question does not exist.');
    }
    this.#indexes.delete(caller.organisationId);
  }

  #takeAsked(index: Index, asked: StoredQuestion, question: AskedQuestion): Answering {
    const type = index.types.get(asked.typeId);
    if (type === undefined) {
      throw new WorkbenchError('model_not_deployed', 'No policy is deployed for the decision type of this question.');
    }
    const options = matchOptions(index, type, question, asked);
    if (options === null) throw refuse(question, explainMisfit(index, type, question));
    return { model: type.name, options };
  }

  /** Keeps which type has answered a question, so that a further type with the same options changes nothing. */
  #remember(
    { organisationId }: Caller,
    index: Index,
    type: Candidate,
    question: AskedQuestion,
    digest: string,
    options: readonly string[],
  ): void {
    const { store } = this.#deps;
    if (index.asked.size >= maxAutomatic || !store.writeLock.isFree()) return;
    const stored = this.#make(type.id, question, digest, options, true);
    store.transaction(() => store.questions.put(organisationId, stored));
    index.asked.set(digest, stored);
  }

  #make(
    typeId: string,
    { kind, instructions, criteria }: AskedQuestion,
    digest: string | null,
    options: readonly string[],
    isAutomatic: boolean,
  ): StoredQuestion {
    const listed = instructions ?? criteria ?? '';
    const shown = (typeof listed === 'string' ? listed : JSON.stringify(listed))
      .slice(0, maxShownCharacters)
      .toWellFormed();
    const { newId, clock } = this.#deps;
    return {
      ...{ id: newId(), typeId, kind, digest, shown: digest === null ? null : shown },
      ...{ options: [...options], isAutomatic, createdAt: clock.now() },
    };
  }

  /** Names what is asked; a choice is the same in any order of its options. */
  #digest({ kind, instructions, criteria, options }: AskedQuestion): string {
    const content = kind === 'predicate' ? (criteria ?? null) : kind === 'choice' ? options.toSorted() : options;
    return this.#deps.sha256(Buffer.from(JSON.stringify([kind, instructions ?? null, content])));
  }

  #index(organisationId: string): Index {
    const { decisionTypes, deployments, questions } = this.#deps.store;
    const changes = `${decisionTypes.changes} ${deployments.changes}`;
    const known = this.#indexes.get(organisationId);
    if (known?.changes === changes) return known;
    const types = questions.listAnswering(organisationId);
    const stored = questions.list(organisationId);
    const index: Index = {
      changes,
      types: new Map(types.map((type) => [type.id, type])),
      byName: new Map(types.map((type) => [type.name, type])),
      byOptions: Map.groupBy(types, ({ options }) => toOptionsKey(options)),
      asked: new Map(stored.flatMap((question) => (question.digest === null ? [] : [[question.digest, question]]))),
      ofKind: new Map(
        stored.flatMap((question) =>
          question.digest === null ? [[toKindKey(question.typeId, question.kind), question]] : [],
        ),
      ),
      takenNames: new Set(anyModelNames.filter((name) => decisionTypes.getByName(name, organisationId) !== null)),
      recent: createRecentCache(maxRecent.questions),
    };
    this.#indexes.set(organisationId, index);
    return index;
  }
}

/** The options of a type whose probabilities answer a question; null where it does not fit. */
function matchOptions(
  { ofKind }: Index,
  type: Candidate,
  { kind, options }: AskedQuestion,
  asked?: StoredQuestion,
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
function findByContent({ byOptions, ofKind }: Index, { kind, options }: AskedQuestion): AnsweringType | undefined {
  if (kind === 'predicate') return undefined;
  const all = byOptions.get(toOptionsKey(options)) ?? [];
  const [only, ...others] = all.length === 1 ? all : all.filter(({ id }) => ofKind.has(toKindKey(id, kind)));
  return others.length === 0 ? only : undefined;
}

const tellLeft = (count: number, reason: string): string[] =>
  count === 0 ? [] : [`Questions of decision models that were left out, ${count}: ${reason}.`];

function refuse({ loc }: AskedQuestion, msg: string): WorkbenchError {
  return toValidationError([{ type: 'question_not_known', loc, msg }]);
}

const howToBind = 'Say so under Deploy, or by POST /api/v1/decision-types/{id}/questions.';

function explainMisfit({ ofKind }: Index, type: Candidate, { kind, options }: AskedQuestion): string {
  if (kind === 'predicate') {
    return `for “${type.name}” nobody has said which of its options ${listOptions(type.options)} is yes. ${howToBind}`;
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
  if (order === undefined) return `nobody has said that the options of “${type.name}” are in order. ${howToBind}`;
  return `the order of “${type.name}” is ${listOptions(order)}`;
}

/** Says which types there are, where none answers a question. */
function explainNone(index: Index, question: AskedQuestion): string {
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
  const there = `Deployed: ${listed.join('; ')}${more}.`;
  return question.kind === 'predicate'
    ? `no type is known to answer this yes or no. Name a type in model that has an option marked as yes. ${there}`
    : `no deployed type has exactly these options. ${there}`;
}
