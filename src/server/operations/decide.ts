/** Deciding: one call or a batch. An answer leaves only after its log record and its credit entry are durable. */
import type { Decided } from '../../engine/decide/decider.ts';
import type { Decision, JsonObject } from '../../engine/domain.ts';
import { type ErrorDetail, errorTable, WorkbenchError } from '../../engine/errors.ts';
import { limits } from '../../engine/limits.ts';
import type { Caller } from '../auth/caller.ts';
import type { BatchError, DecideRequest, DecideResponse } from '../contract/decisions.ts';
import { mapMaybePromise } from '../hot-path/maybe-promise.ts';
import { readDecideRequest } from '../hot-path/read-decide-request.ts';
import { askConnectedModel } from '../services/live-escalation.ts';
import type { DecisionTypeRow } from '../store/decision-types.ts';
import type { Deps, Handlers } from './context.ts';
import { toWorkbenchError } from './envelope.ts';

/** A decision that is made but not yet recorded. */
type PendingDecision = { response: DecideResponse; recorded: Promise<void> };

/** One input on its way. */
type Call = { caller: Caller; type: DecisionTypeRow; input: JsonObject; requestId: string; began: number };
type Accepted = Extract<Decided, { ok: true }>;

/**
 * Decides and hands the record to the commit queue, without waiting for it. Done when it returns, unless the text
 * encoder or a live model must be asked: a promise for every decision would be a cost that can be seen.
 */
function decideOne(
  deps: Deps,
  caller: Caller,
  request: DecideRequest,
  requestId: string,
  trace: boolean,
): PendingDecision | Promise<PendingDecision> {
  const { store, runtime, metering, clock } = deps;
  const began = clock.monotonic();
  const type = store.decisionTypes.byName(request.decision_type, caller.organisationId);
  if (!type) throw new WorkbenchError('decision_type_not_found', 'There is no decision type with this name.');
  const policy = store.policies.deployedOf(type.id);
  if (!policy)
    throw new WorkbenchError('model_not_deployed', 'No policy is deployed for this decision type. Train one first.');
  metering.checkDecision(caller, runtime.decisions.pendingOf);
  const call = { caller, type, input: request.input, requestId, began };
  const decided = runtime.deployed.get(type, policy).decide(request.input, { trace });
  if (decided instanceof Promise) return decideLater(deps, call, decided);
  const known = accepted(decided);
  return known.liveModel === null ? record(deps, call, known, known.decision) : decideLater(deps, call, decided);
}

async function decideLater(deps: Deps, call: Call, decided: Decided | Promise<Decided>): Promise<PendingDecision> {
  const known = accepted(await decided);
  const { liveModel } = known;
  const decision =
    liveModel === null ? known.decision : await askConnectedModel(deps, call.type, call.input, known, liveModel);
  // while the text encoder or the live model worked, other calls may have taken what was left
  deps.metering.checkDecision(call.caller, deps.runtime.decisions.pendingOf);
  return record(deps, call, known, decision);
}

function accepted(decided: Decided): Accepted {
  if (decided.ok) return decided;
  throw new WorkbenchError('validation_error', 'The input does not fit the input schema', decided.problems);
}

function record(deps: Deps, call: Call, { trace, ruleErrors }: Accepted, decision: Decision): PendingDecision {
  const { caller, type, input, requestId } = call;
  const latencyMs = Math.round((deps.clock.monotonic() - call.began) * 1_000) / 1_000;
  const recorded = deps.runtime.decisions.commit(
    {
      decisionTypeSeq: type.seq,
      requestId,
      inputJson: JSON.stringify(type.piiFields.length === 0 ? input : deps.auth.redact(input, type.piiFields)),
      decision: decision.decision,
      confidence: decision.confidence,
      stage: decision.stage,
      reasonCodes: decision.reason_codes,
      classProbabilities: decision.class_probabilities,
      rulesTriggered: decision.rules_triggered,
      ruleErrors,
      escalated: decision.escalate,
      fallbackUsed: decision.fallback_used,
      unfamiliar: decision.unfamiliar,
      policyVersion: decision.policy_version,
      latencyMs,
      apiKeyId: caller.apiKeyId,
      createdAt: deps.clock.now(),
    },
    caller.organisationSeq,
  );
  const response = { ...decision, latency_ms: latencyMs, request_id: requestId };
  return { response: trace === null ? response : { ...response, trace }, recorded };
}

const answerAfterCommit = ({ response, recorded }: PendingDecision): Promise<DecideResponse> =>
  recorded.then(() => response);

function readBatch(body: unknown): unknown[] {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const items: unknown = isObject ? (body as { decisions?: unknown }).decisions : body;
  const at = isObject ? ['body', 'decisions'] : ['body'];
  const refuse = (type: string, loc: (string | number)[], msg: string) =>
    new WorkbenchError('validation_error', 'Request validation failed', [{ type, loc, msg }]);
  if (isObject) {
    const unknown = Object.keys(body).find((key) => key !== 'decisions');
    if (unknown !== undefined) throw refuse('unrecognized_keys', ['body', unknown], `unknown field: ${unknown}`);
  }
  if (!Array.isArray(items)) throw refuse('invalid_type', at, 'expected a list of decision requests');
  if (items.length === 0) throw refuse('too_small', at, 'at least one decision request is needed');
  if (items.length > limits.maxBatchSize)
    throw refuse('too_big', at, `at most ${limits.maxBatchSize} decision requests are allowed`);
  return items;
}

function nameIn(item: unknown): string {
  if (typeof item !== 'object' || item === null) return '';
  const { decision_type, type, decision_type_name } = item as Record<string, unknown>;
  const name = decision_type ?? type ?? decision_type_name;
  return typeof name === 'string' ? name : '';
}

/** Problems that the message of a refused item tells. */
const maxReportedProblems = 3;

/** The message and the first places in the item, because an item's error has no details. */
function messageOf({ code, message, details }: WorkbenchError, index: number): string {
  if (code !== 'validation_error' || details === undefined) return message;
  const problems = (details as ErrorDetail[]).slice(0, maxReportedProblems).map(({ loc, msg }) => {
    const place = loc.slice(loc[1] === index ? 2 : 1);
    return place.length === 0 ? msg : `${place.join('.')}: ${msg}`;
  });
  return `${message}: ${problems.join('; ')}`;
}

function refused(error: unknown, index: number, item: unknown, requestId: string): BatchError {
  const known = toWorkbenchError(error);
  const { code, status } = known;
  return {
    index,
    decision_type: nameIn(item),
    code,
    message: messageOf(known, index),
    status_code: status,
    retryable: errorTable[code].retryable,
    request_id: requestId,
  };
}

export const decideHandlers = {
  decide(deps, { body, query, caller, requestId }) {
    const request = readDecideRequest(body);
    if (!request.ok) throw new WorkbenchError('validation_error', 'Request validation failed', request.problems);
    return mapMaybePromise(decideOne(deps, caller, request.value, requestId, query.trace), answerAfterCommit);
  },

  async 'decide.batch'(deps, { body, caller, requestId }) {
    const items = readBatch(body);
    const results: (DecideResponse | null)[] = items.map(() => null);
    const errors: BatchError[] = [];
    const records: Promise<void>[] = [];
    for (const [index, item] of items.entries()) {
      const itemId = `${requestId.slice(0, 120)}-${index}`;
      try {
        const request = readDecideRequest(item, ['body', index]);
        if (!request.ok) throw new WorkbenchError('validation_error', 'Request validation failed', request.problems);
        const { response, recorded } = await decideOne(deps, caller, request.value, itemId, false);
        const settled = recorded.then(
          () => {
            results[index] = response;
          },
          (error: unknown) => void errors.push(refused(error, index, item, itemId)),
        );
        records.push(settled);
      } catch (error) {
        const known = toWorkbenchError(error);
        if (known.code === 'internal_error') deps.log.error({ err: error, requestId: itemId }, 'a batch item failed');
        errors.push(refused(known, index, item, itemId));
      }
    }
    await Promise.all(records);
    errors.sort((a, b) => a.index - b.index);
    return { results, errors, succeeded: items.length - errors.length, failed: errors.length };
  },
} satisfies Handlers<'decide' | 'decide.batch'>;
