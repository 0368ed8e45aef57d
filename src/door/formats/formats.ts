/** The two formats of decision models: their bodies as questions about one input, decisions as their answers. */

import type { Decision } from '../../engine/domain/decision.ts';
import type { ErrorDetail } from '../../engine/errors.ts';
import { isJsonObject } from '../../engine/json.ts';
import type {
  DecisionsAnswer,
  DecisionsRequest,
  SystemoneAnswer,
  SystemoneRequest,
} from '../../server/contract/deciding/decision-models.ts';
import type { Answer, Named } from '../deciding/door.ts';
import { toInvalidValue, toValidationError } from '../errors/validation-error.ts';
import type { AskedQuestion } from '../questions/find-answering.ts';
import type { State } from './state-inputs.ts';

/** The probability of each option that answers, and the confidence of the formats: how little it is spread. */
export type Spread = { probabilities: number[]; best: number; confidence: number };

type Decided = Pick<Decision, 'decision' | 'class_probabilities'>;

/** The probabilities of some options of a decision, in their order. */
function readProbabilities({ class_probabilities: all }: Decided, options: readonly string[]): number[] {
  return options.map((option) => all[option] ?? 0);
}

/** How certain a choice is: 1 if one option is certain, 0 if all are equal. */
export function measureChoice(decided: Decided, options: readonly string[]): Spread {
  const probabilities = readProbabilities(decided, options);
  const best = findBest(probabilities, options.indexOf(decided.decision));
  const equal = 1 / probabilities.length;
  return { probabilities, best, confidence: toShare(((probabilities[best] ?? 0) - equal) / (1 - equal)) };
}

/** The mean of a score, and how near to the likeliest level the others are, measured by equal ones. */
export function measureScore(decided: Decided, options: readonly string[]): Spread & { score: number } {
  const probabilities = readProbabilities(decided, options);
  const best = findBest(probabilities, options.indexOf(decided.decision));
  const sumUp = (weigh: (p: number, level: number) => number) =>
    probabilities.reduce((sum, p, level) => sum + weigh(p, level), 0);
  const distance = sumUp((p, level) => p * Math.abs(level - best));
  const equal = sumUp((_p, level) => Math.abs(level - best)) / probabilities.length;
  return { probabilities, best, confidence: toShare(1 - distance / equal), score: sumUp((p, level) => level * p) };
}

const toShare = (value: number) => Math.min(1, Math.max(0, value));

/** The place of the highest probability; of equal ones that of the decision. */
function findBest(probabilities: readonly number[], decided: number): number {
  let best = Math.max(0, decided);
  for (const [at, p] of probabilities.entries()) if (p > (probabilities[best] ?? 0)) best = at;
  return best;
}

/** A call of either format. */
export type Asked = { model: string; state: State; questions: readonly AskedQuestion[] };
/** A question with the decision that answers it, of the type so named, and the options whose probabilities count. */
export type Answered<Found extends Named = Named> = {
  question: AskedQuestion;
  typeName: string;
  options: readonly string[];
  answer: Answer<Found>;
};

/** Reads a call in the format of TypeSafe. Throws `validation_error`. */
export function readSystemone({ model, state, questions }: SystemoneRequest): Asked {
  const place = ['body', 'state'];
  if (Array.isArray(state)) {
    throw toValidationError([toInvalidValue(place, 'must be an object or a text: a list is no input')]);
  }
  return {
    model,
    state: { value: state, loc: place },
    questions: Object.entries(questions).map(([name, question]) => ({
      name,
      instructions: question.instructions,
      loc: ['body', 'questions', name, 'criteria'],
      ...readSystemoneKind(question),
    })),
  };
}

function readSystemoneKind(
  question: SystemoneRequest['questions'][string],
): Pick<AskedQuestion, 'kind' | 'criteria' | 'options'> {
  switch (question.type) {
    case 'noul':
      return { kind: 'predicate', criteria: question.criteria, options: [] };
    case 'choice':
      return { kind: 'choice', criteria: null, options: Object.keys(question.criteria) };
    case 'score':
      return { kind: 'score', criteria: null, options: question.criteria };
  }
}

/** Reads a call in the format of OpenAI. Throws `validation_error`. */
export function readDecisions({ model, input, questions }: DecisionsRequest): Asked {
  const place = ['body', 'input'];
  return {
    model,
    state: { value: typeof input === 'string' ? input : readMessages(input, place), loc: place },
    questions: questions.map((question, index) => {
      const { instructions, name = null } = question;
      const { part, ...asked } = readDecisionsKind(question);
      return { name, instructions, criteria: null, loc: ['body', 'questions', index, ...part], ...asked };
    }),
  };
}

function readDecisionsKind(
  question: DecisionsRequest['questions'][number],
): Pick<AskedQuestion, 'kind' | 'options'> & { part: string[] } {
  switch (question.type) {
    case 'predicate':
      return { kind: 'predicate', options: [], part: [] };
    case 'choice':
      return { kind: 'choice', options: question.choices.map(({ value }) => value), part: ['choices'] };
    case 'score':
      return { kind: 'score', options: question.levels.map(({ label }) => label), part: ['levels'] };
  }
}

/** The last message of the user: its texts, or its one object. */
function readMessages(items: readonly Record<string, unknown>[], place: ErrorDetail['loc']): State['value'] {
  const at = items.findLastIndex(({ role }) => role === 'user');
  const refuse = (loc: ErrorDetail['loc'], msg: string): never => {
    throw toValidationError([toInvalidValue([...place, ...loc], msg)]);
  };
  const content = items[at]?.['content'];
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || content.length === 0) return refuse([], 'must have a message of the user');
  const parts = content.map((part: unknown, index): string | State['value'] => {
    if (isJsonObject(part)) {
      const { type, text, data } = part;
      if (type === 'input_text' && typeof text === 'string') return text;
      if (type === 'input_json' && isJsonObject(data) && content.length === 1) return data;
    }
    return refuse(
      [at, 'content', index],
      'must be an input_text, or one input_json with an object; nothing else is read',
    );
  });
  const [first] = parts;
  return first !== undefined && typeof first !== 'string' ? first : parts.join('\n');
}

/** An answer in the format of TypeSafe. */
export function toSystemoneAnswer({ question, options, answer }: Answered): SystemoneAnswer {
  switch (question.kind) {
    case 'predicate':
      return { type: 'noul', noul: readProbabilities(answer, options)[0] ?? 0 };
    case 'choice': {
      const { probabilities: p, best, confidence } = measureChoice(answer, options);
      const probabilities = Object.fromEntries(options.map((option, at) => [option, p[at] ?? 0]));
      return { type: 'choice', choice: options[best] ?? '', probabilities, confidence };
    }
    case 'score': {
      const { probabilities: p, score, confidence } = measureScore(answer, options);
      return {
        type: 'score',
        score,
        legend: Object.fromEntries(options.map((option, level) => [String(level), option])),
        probabilities: Object.fromEntries(p.map((each, level) => [String(level), each])),
        confidence,
      };
    }
  }
}

/** An answer in the format of OpenAI. */
export function toDecisionsAnswer({ question, options, answer }: Answered): DecisionsAnswer {
  const { name } = question;
  switch (question.kind) {
    case 'predicate':
      return { type: 'predicate', name, probability: readProbabilities(answer, options)[0] ?? 0 };
    case 'choice': {
      const { probabilities: p, best, confidence } = measureChoice(answer, options);
      const probabilities = options.map((value, at) => ({ value, probability: p[at] ?? 0 }));
      return { type: 'choice', name, choice: options[best] ?? '', confidence, probabilities };
    }
    case 'score': {
      const { probabilities: p, score, confidence } = measureScore(answer, options);
      const probabilities = options.map((label, value) => ({ value, label, probability: p[value] ?? 0 }));
      return { type: 'score', name, score, confidence, probabilities };
    }
  }
}
