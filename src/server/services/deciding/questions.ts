/** The questions of decision models that the deployed types of an organisation answer, and who has said so. */
import { refuseProblems, toInvalidValue } from '../../../door/errors/validation-error.ts';
import {
  type Answering,
  type AskedQuestion,
  type DoorWords,
  findAnswering,
  indexQuestions,
  listOptions,
  type QuestionIndex,
  type QuestionPorts,
  toOptionsKey,
  writeQuestion,
} from '../../../door/questions/find-answering.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { limits } from '../../../engine/limits.ts';
import type { Caller } from '../../auth/caller.ts';
import { anyModelNames } from '../../contract/deciding/decision-models.ts';
import { type BindQuestion, maxShownCharacters } from '../../contract/deciding/questions.ts';
import type { Foundation } from '../../foundation.ts';
import { createRecentCache, type RecentCache } from '../../process/recent-cache.ts';
import type { AnsweringType, StoredQuestion } from '../../store/deciding/questions.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { findDeciding } from './find-decider.ts';

/** Facts about the questions and deployed types of an organisation, until one of them changes. */
type Known = {
  changes: string;
  types: readonly AnsweringType[];
  index: QuestionIndex;
  ports: QuestionPorts;
  /** Answers to the questions asked last, by all of what was asked. */
  recent: RecentCache<string, Answering>;
};

/** Questions whose answers are kept in memory, and how long the text of one may be. */
const maxRecent = { questions: 1_000, characters: 10_000 };

/** The questions of decision models, with what is derived from them kept in memory. */
export class Questions {
  readonly #deps: Foundation;
  readonly #known = new Map<string, Known>();

  constructor(deps: Foundation) {
    this.#deps = deps;
  }

  /**
   * Finds what answers a question: the type that `model` names, or the one that is marked for it, that has the
   * question's name, or alone has its options. Throws as `findDeciding`, and `validation_error` where none fits.
   */
  find(caller: Caller, model: string, question: AskedQuestion): Answering {
    const { index, ports, recent } = this.#know(caller);
    const { kind, name, instructions, criteria, options } = question;
    const whole = JSON.stringify([model, kind, name, instructions ?? null, criteria ?? null, options]);
    const known = recent.get(whole);
    if (known !== undefined) return known;
    const found = findAnswering(index, model, question, ports);
    // Releases and aliases come to name others without a new index.
    const isLasting = anyModelNames.includes(model) || index.byName.has(model);
    if (isLasting && whole.length <= maxRecent.characters) recent.set(whole, found);
    return found;
  }

  /** The types of an organisation that decide, oldest first. */
  listAnswering(caller: Caller): readonly AnsweringType[] {
    return this.#know(caller).types;
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
    const isOfLevels = kind === 'score' && instructions === undefined && criteria === undefined;
    if (!isOfLevels && (instructions ?? criteria ?? '') === '')
      refuseProblems([toInvalidValue(['body', 'instructions'], 'must be what callers ask, in their words')]);
    const asked = { kind, name: null, instructions, criteria, options, loc: [] };
    const digest = isOfLevels ? null : this.#digest(writeQuestion(asked));
    const question = this.#make(type.id, asked, digest, options);
    store.transaction(() => {
      if (store.questions.count(caller.organisationId) >= limits.maxQuestions) {
        throw new WorkbenchError('conflict', `There are ${limits.maxQuestions} questions already: take some away.`);
      }
      store.questions.put(caller.organisationId, question);
    });
    this.#known.delete(caller.organisationId);
    return question;
  }

  /** Gives a type questions it answered elsewhere; returns a sentence for each that it does not answer here. */
  take({ organisationId }: Caller, questions: readonly StoredQuestion[]): string[] {
    const { store } = this.#deps;
    const isFree = ({ digest }: StoredQuestion) => digest === null || !store.questions.isAsked(organisationId, digest);
    const free = questions.filter(isFree);
    const taken = free.slice(0, Math.max(0, limits.maxQuestions - store.questions.count(organisationId)));
    for (const question of taken) store.questions.put(organisationId, question);
    this.#known.delete(organisationId);
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
    this.#known.delete(caller.organisationId);
  }

  #make(
    typeId: string,
    { kind, instructions, criteria }: AskedQuestion,
    digest: string | null,
    options: readonly string[],
  ): StoredQuestion {
    const listed = instructions ?? criteria ?? '';
    const shown = (typeof listed === 'string' ? listed : JSON.stringify(listed))
      .slice(0, maxShownCharacters)
      .toWellFormed();
    const { newId, clock } = this.#deps;
    return {
      ...{ id: newId(), typeId, kind, digest, shown: digest === null ? null : shown },
      ...{ options: [...options], createdAt: clock.now() },
    };
  }

  #digest(text: string): string {
    return this.#deps.sha256(Buffer.from(text));
  }

  #know(caller: Caller): Known {
    const { organisationId } = caller;
    const { decisionTypes, deployments, questions } = this.#deps.store;
    const changes = `${decisionTypes.changes} ${deployments.changes}`;
    const known = this.#known.get(organisationId);
    if (known?.changes === changes) return known;
    const types = questions.listAnswering(organisationId);
    const index = indexQuestions(types, questions.list(organisationId), words);
    const taken = new Set(anyModelNames.filter((name) => decisionTypes.getByName(name, organisationId) !== null));
    const ports: QuestionPorts = {
      digest: (text) => this.#digest(text),
      isTaken: (name) => taken.has(name),
      findNamed: (model) => {
        const { type, policy } = findDeciding(this.#deps, caller, model);
        return { id: type.id, name: type.name, options: policy.options };
      },
    };
    const made = { changes, types, index, ports, recent: createRecentCache<string, Answering>(maxRecent.questions) };
    this.#known.set(organisationId, made);
    return made;
  }
}

const tellLeft = (count: number, reason: string): string[] =>
  count === 0 ? [] : [`Questions of decision models that were left out, ${count}: ${reason}.`];

const words: DoorWords = {
  there: 'Deployed',
  howToMark: 'Say so under Deploy, or by POST /api/v1/decision-types/{id}/questions.',
};
