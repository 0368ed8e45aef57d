/** Questions to decision models: each is decided by the type that answers it, once, all of a call or none. */
import type { z } from 'zod';
import { type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import {
  type decisionModelOperations,
  decisionsRequestSchema,
  type Outcome,
  systemoneRequestSchema,
} from '../../server/contract/deciding/decision-models.ts';
import type { Deciding } from '../deciding/deciding.ts';
import type { Answer, Door, Keeper, Named } from '../deciding/door.ts';
import { readPart } from '../errors/parse-part.ts';
import { readProblems } from '../errors/validation-error.ts';
import { mapMaybePromise } from '../maybe-promise.ts';
import { refuseByOptions } from '../questions/find-answering.ts';
import {
  type Answered,
  type Asked,
  readDecisions,
  readSystemone,
  toDecisionsAnswer,
  toSystemoneAnswer,
} from './formats.ts';
import { holdsAny, toInput } from './state-inputs.ts';

type AnswerOf<Name extends keyof typeof decisionModelOperations> = z.output<
  (typeof decisionModelOperations)[Name]['output']
>;
export type SystemoneAnswers = AnswerOf<'models.ask_systemone'>;
export type DecisionsAnswers = AnswerOf<'models.ask_decisions'>;

/** A door with what decides behind it. */
export type OpenDoor<Caller, Found extends Named> = { door: Door<Caller, Found>; deciding: Deciding<Caller, Found> };

type Call<Caller, Kept> = {
  caller: Caller;
  requestId: string;
  receipt: Keeper<Kept> | null;
  /** Whether what was decided goes beside an answer in the format's own terms. */
  sendsExtras: boolean;
};

const maxIdPrefix = 120;
const nothingUsed = { input_tokens: 0, output_tokens: 0 };

/** Answers a call in the format of TypeSafe. Throws and rejects as `Door.findAnswering` and `Deciding.decideOne`. */
export function askSystemone<Caller, Found extends Named>(
  open: OpenDoor<Caller, Found>,
  body: unknown,
  call: Call<Caller, SystemoneAnswers>,
): SystemoneAnswers | Promise<SystemoneAnswers> {
  const asked = readSystemone(readPart(systemoneRequestSchema, body));
  return ask(open, call, asked, (answered) => ({
    model: nameModel(answered),
    answers: Object.fromEntries(
      answered.map((each) => [
        each.question.name ?? '',
        { ...toSystemoneAnswer(each), ...(call.sendsExtras ? toOutcome(each) : {}) },
      ]),
    ),
    usage: nothingUsed,
  }));
}

/** Answers a call in the format of OpenAI. Throws and rejects as `askSystemone`. */
export function askDecisions<Caller, Found extends Named>(
  open: OpenDoor<Caller, Found>,
  body: unknown,
  call: Call<Caller, DecisionsAnswers>,
): DecisionsAnswers | Promise<DecisionsAnswers> {
  const asked = readDecisions(readPart(decisionsRequestSchema, body));
  return ask(open, call, asked, (answered) => ({
    model: nameModel(answered),
    answers: answered.map(toDecisionsAnswer),
    usage: {
      ...nothingUsed,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 0,
    },
    ...(call.sendsExtras ? { x_workbench: answered.map(toOutcome) } : {}),
  }));
}

/** Lists types that decide as the models of both formats. */
export function listModels(
  types: readonly { name: string; description: string; deployedAt: number }[],
): AnswerOf<'models.list'> {
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
}

/** Decides by each type that answers once; `format` makes the answers. */
function ask<Caller, Found extends Named, Kept>(
  { door, deciding }: OpenDoor<Caller, Found>,
  { caller, requestId, receipt }: Call<Caller, Kept>,
  { model, state, questions }: Asked,
  format: (answered: readonly Answered<Found>[]) => Kept,
): Kept | Promise<Kept> {
  const answering = questions.map((question) => door.findAnswering(caller, model, question));
  const named = new Map(answering.map((each) => [each.model, door.find(caller, each.model)]));
  const inputs = new Map(
    [...named].map(([name, { typeName, listFields }]) => [name, toInput(state, { name: typeName, listFields })]),
  );
  for (const [index, { model: name, isByOptions }] of answering.entries()) {
    const [question, found, input] = [questions[index], named.get(name), inputs.get(name)];
    const fields = (isByOptions && found?.listFields()) || [];
    if (question && found && input && fields.length > 0 && !holdsAny(input, fields))
      throw refuseByOptions(
        question,
        found.typeName,
        fields.map(({ path }) => path.join('.')),
      );
  }
  const models = [...named.keys()];
  const requests = [...inputs].map(([name, input]) => ({ decision_type: name, input }));
  const combine = (decided: readonly Answer<Found>[]): Kept =>
    format(
      questions.map((question, index): Answered<Found> => {
        const { model: name = '', options = [] } = answering[index] ?? {};
        const answer = decided[models.indexOf(name)];
        if (answer === undefined) throw new Error('A question has no decision.');
        return { question, typeName: named.get(name)?.typeName ?? name, options, answer };
      }),
    );
  const refuse = (error: unknown): never => {
    throw relocate(error, state.loc);
  };
  const [only] = requests;
  if (only === undefined || requests.length > 1) {
    const toRequestId = (index: number) => `${requestId.slice(0, maxIdPrefix)}-${index}`;
    const keep = (decided: readonly Answer<Found>[]) => receipt?.keep(combine(decided));
    return deciding.decideTogether(caller, requests, toRequestId, keep).then(combine, refuse);
  }
  const kept = receipt && { keep: (answer: Answer<Found>) => receipt.keep(combine([answer])) };
  const facts = { requestId, trace: false, receipt: kept, dryRun: false, sharedMs: 0, tellsUnread: false, lost: [] };
  try {
    const pending = deciding.decideOne(caller, only, facts);
    const recorded = mapMaybePromise(pending, (one) => one.recorded.then(() => one.answer));
    return recorded instanceof Promise ? recorded.then((answer) => combine([answer]), refuse) : combine([recorded]);
  } catch (error) {
    return refuse(error);
  }
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
  const names = new Set(answered.map(({ typeName, answer }) => `${typeName}@${toPin(answer)}`));
  const [only = 'workbench'] = names;
  return names.size > 1 ? 'workbench' : only;
}

/** Hexadecimal digits of a release's digest that name it where its number is not known. */
const pinDigits = 12;

const toPin = ({ release, digest }: Answer<Named>) => release ?? digest.slice(0, pinDigits);

function toOutcome({ typeName, answer }: Answered): Outcome {
  return {
    x_decision_type: typeName,
    x_decision: answer.decision,
    x_confidence: answer.confidence,
    x_classifier_choice: answer.classifier_choice,
    x_classifier_probability: answer.classifier_probability,
    x_stage: answer.stage,
    x_escalate: answer.escalate,
    x_unfamiliar: answer.unfamiliar,
    x_reason_codes: answer.reason_codes,
    x_policy_version: answer.policy_version,
    ...(answer.release === undefined ? { x_digest: answer.digest } : { x_release: answer.release }),
    x_request_id: answer.request_id,
  };
}
