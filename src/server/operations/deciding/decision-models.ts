/** The formats of decision models: requests as questions about one input, decisions as the answers of each format. */
import type { ZodType, z } from 'zod';
import { type ErrorDetail, WorkbenchError } from '../../../engine/errors.ts';
import { isJsonObject } from '../../../engine/json.ts';
import type { Caller } from '../../auth/caller.ts';
import {
  type DecisionsAnswer,
  type DecisionsRequest,
  decisionsRequestSchema,
  type Outcome,
  type SystemoneAnswer,
  type SystemoneRequest,
  systemoneRequestSchema,
} from '../../contract/deciding/decision-models.ts';
import type { DecideResponse } from '../../contract/deciding/decisions.ts';
import { parsePart } from '../../errors/parse-part.ts';
import { readProblems, toInvalidValue, toValidationError } from '../../errors/validation-error.ts';
import { mapMaybePromise } from '../../hot-path/maybe-promise.ts';
import { decideOne, decideTogether } from '../../services/deciding/decisions.ts';
import { type Deciding, findDeciding } from '../../services/deciding/find-decider.ts';
import { measureChoice, measureScore, readProbabilities } from '../../services/deciding/question-answers.ts';
import type { AskedQuestion } from '../../services/deciding/questions.ts';
import { type State, toInput } from '../../services/deciding/state-inputs.ts';
import type { Receipt } from '../../services/receipts.ts';
import type { Deps, Handlers } from '../context.ts';

type Asked = { model: string; state: State; questions: readonly AskedQuestion[] };
/** A question with the decision that answers it, of the type so named, and the options whose probabilities count. */
type Answered = { question: AskedQuestion; typeName: string; options: readonly string[]; decided: DecideResponse };

const maxIdPrefix = 120;

export const decisionModelHandlers = {
  'models.ask_systemone': (deps, { body, caller, requestId, receipt, sendsExtras }) =>
    ask(deps, { caller, requestId, receipt }, readSystemone(read(systemoneRequestSchema, body)), (answered) => ({
      model: nameModel(answered),
      answers: Object.fromEntries(
        answered.map((each) => [
          each.question.name ?? '',
          { ...toSystemoneAnswer(each), ...(sendsExtras ? toOutcome(each) : {}) },
        ]),
      ),
      usage: { input_tokens: 0, output_tokens: 0 },
    })),

  'models.ask_decisions': (deps, { body, caller, requestId, receipt, sendsExtras }) =>
    ask(deps, { caller, requestId, receipt }, readDecisions(read(decisionsRequestSchema, body)), (answered) => ({
      model: nameModel(answered),
      answers: answered.map(toDecisionsAnswer),
      usage: {
        input_tokens: 0,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 0,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 0,
      },
      ...(sendsExtras ? { x_workbench: answered.map(toOutcome) } : {}),
    })),

  'models.list'({ questions }, { caller }) {
    const types = questions.listAnswering(caller);
    return {
      object: 'list',
      data: types.map(({ name, deployedAt }) => ({
        id: name,
        object: 'model',
        created: Math.floor(deployedAt / 1_000),
        owned_by: 'decision-workbench',
      })),
      models: types.map(({ name, description, deployedAt }) => ({
        name,
        description,
        release_date: new Date(deployedAt).toISOString().slice(0, 10),
      })),
    };
  },
} satisfies Handlers;

function read<Schema extends ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = parsePart(schema, body, 'body');
  if (!parsed.ok) throw toValidationError(parsed.problems);
  return parsed.value;
}

/** Decides by each type that answers once; `format` makes the answers. Throws as `Questions.find`, `decideOne`. */
function ask<Answer>(
  deps: Deps,
  { caller, requestId, receipt }: { caller: Caller; requestId: string; receipt: Receipt | null },
  { model, state, questions }: Asked,
  format: (answered: readonly Answered[]) => Answer,
): Answer | Promise<Answer> {
  const answering = questions.map((question) => deps.questions.find(caller, model, question));
  const models = [...new Set(answering.map((each) => each.model))];
  const deciding = models.map((name) => findDeciding(deps, caller, name));
  const requests = models.map((name, at) => ({
    decision_type: name,
    input: toInput(state, toReader(deps, deciding[at])),
  }));
  const combine = (decided: readonly DecideResponse[]): Answer =>
    format(
      questions.map((question, index): Answered => {
        const { model: name = '', options = [] } = answering[index] ?? {};
        const at = models.indexOf(name);
        const response = decided[at];
        if (response === undefined) throw new Error('A question has no decision.');
        return { question, typeName: deciding[at]?.type.name ?? name, options, decided: response };
      }),
    );
  const refuse = (error: unknown): never => {
    throw relocate(error, state.loc);
  };
  const [only] = requests;
  if (only === undefined || requests.length > 1) {
    const toRequestId = (index: number) => `${requestId.slice(0, maxIdPrefix)}-${index}`;
    const keep = (decided: readonly DecideResponse[]) => receipt?.keep(combine(decided));
    return decideTogether(deps, caller, requests, toRequestId, keep).then(combine, refuse);
  }
  const kept = receipt && { keep: (response: DecideResponse) => receipt.keep(combine([response])) };
  const facts = { requestId, trace: false, receipt: kept, dryRun: false, sharedMs: 0, tellsUnread: false, lost: [] };
  try {
    const pending = decideOne(deps, caller, only, facts);
    const recorded = mapMaybePromise(pending, (one) => one.recorded.then(() => one.response));
    return recorded instanceof Promise ? recorded.then((response) => combine([response]), refuse) : combine([recorded]);
  } catch (error) {
    return refuse(error);
  }
}

function toReader({ runtime }: Deps, deciding: Deciding | undefined) {
  if (deciding === undefined) throw new Error('A type that answers is not there.');
  const { type, policy } = deciding;
  const listFields = () => (deciding.pinned === null ? runtime.deployed.listFields(type, policy) : deciding.fields);
  return { name: type.name, listFields };
}

/** Names what is wrong with an input where the caller's format has it. */
function relocate(error: unknown, place: ErrorDetail['loc']): unknown {
  if (!(error instanceof WorkbenchError) || error.code !== 'validation_error') return error;
  const problems = readProblems(error);
  const isOfInput = ({ loc: [part, name] }: ErrorDetail) => part === 'body' && name === 'input';
  const details = problems.map((one) => (isOfInput(one) ? { ...one, loc: [...place, ...one.loc.slice(2)] } : one));
  return new WorkbenchError(error.code, error.message, details, { cause: error });
}

/** The type and release that answered, in the form in which it can be asked again. */
function nameModel(answered: readonly Answered[]): string {
  const names = new Set(answered.map(({ typeName, decided }) => `${typeName}@${decided.release}`));
  const [only = 'workbench'] = names;
  return names.size > 1 ? 'workbench' : only;
}

function toOutcome({ typeName, decided }: Answered): Outcome {
  return {
    x_decision_type: typeName,
    x_decision: decided.decision,
    x_confidence: decided.confidence,
    x_classifier_choice: decided.classifier_choice,
    x_classifier_probability: decided.classifier_probability,
    x_stage: decided.stage,
    x_escalate: decided.escalate,
    x_unfamiliar: decided.unfamiliar,
    x_reason_codes: decided.reason_codes,
    x_policy_version: decided.policy_version,
    x_release: decided.release,
    x_request_id: decided.request_id,
  };
}

function readSystemone({ model, state, questions }: SystemoneRequest): Asked {
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

function readDecisions({ model, input, questions }: DecisionsRequest): Asked {
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

function toSystemoneAnswer({ question, options, decided }: Answered): SystemoneAnswer {
  switch (question.kind) {
    case 'predicate':
      return { type: 'noul', noul: readProbabilities(decided, options)[0] ?? 0 };
    case 'choice': {
      const { probabilities: p, best, confidence } = measureChoice(decided, options);
      const probabilities = Object.fromEntries(options.map((option, at) => [option, p[at] ?? 0]));
      return { type: 'choice', choice: options[best] ?? '', probabilities, confidence };
    }
    case 'score': {
      const { probabilities: p, score, confidence } = measureScore(decided, options);
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

function toDecisionsAnswer({ question, options, decided }: Answered): DecisionsAnswer {
  const { name } = question;
  switch (question.kind) {
    case 'predicate':
      return { type: 'predicate', name, probability: readProbabilities(decided, options)[0] ?? 0 };
    case 'choice': {
      const { probabilities: p, best, confidence } = measureChoice(decided, options);
      const probabilities = options.map((value, at) => ({ value, probability: p[at] ?? 0 }));
      return { type: 'choice', name, choice: options[best] ?? '', confidence, probabilities };
    }
    case 'score': {
      const { probabilities: p, score, confidence } = measureScore(decided, options);
      const probabilities = options.map((label, value) => ({ value, label, probability: p[value] ?? 0 }));
      return { type: 'score', name, score, confidence, probabilities };
    }
  }
}
