/** Deciding: one call or a batch. An answer leaves only after its log record and its credit entry are durable. */
import type { DecisionMade, DecisionResult } from '../../engine/decide/decider.ts';
import type { Decision, JsonObject } from '../../engine/domain.ts';
import { type ErrorDetail, type Result, WorkbenchError } from '../../engine/errors.ts';
import type { Auth } from '../auth/auth.ts';
import type { Caller } from '../auth/caller.ts';
import type { DecideRequest, DecideResponse } from '../contract/decisions.ts';
import { toWorkbenchError } from '../errors/envelope.ts';
import { toValidationError } from '../errors/validation-error.ts';
import type { Metering } from '../metering/metering.ts';
import type { Clock } from '../process/clock.ts';
import type { DeployedDeciders } from '../runtime/deployed-deciders.ts';
import type { CommitQueue } from '../store/commit-queue.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { Store } from '../store/store.ts';
import { findDecisionTypeByName } from './decision-types.ts';
import { askConnectedModel, type EscalationDeps } from './escalation.ts';

export type DecisionDeps = {
  store: Pick<Store, 'decisionTypes' | 'deployments' | 'connections'>;
  runtime: { deployed: Pick<DeployedDeciders, 'get'>; decisions: CommitQueue } & EscalationDeps['runtime'];
  metering: Pick<Metering, 'checkDecision'>;
  auth: Pick<Auth, 'redact'>;
  clock: Clock;
  log: EscalationDeps['log'] & { error(facts: object, text: string): void };
};

/** A decision that is made but not yet recorded: the response may leave once `recorded` resolves. */
export type PendingDecision = { response: DecideResponse; recorded: Promise<void> };
/** What became of one item of a batch. */
export type BatchOutcome = { ok: true; response: DecideResponse } | { ok: false; error: WorkbenchError };

type Call = {
  caller: Caller;
  type: DecisionTypeRecord;
  input: JsonObject;
  requestId: string;
  /** On the monotonic clock. */
  startedAt: number;
};

/**
 * Decides and hands the record to the commit queue without waiting for it. Done when it returns, unless the text
 * encoder or a connected model must be asked: a promise for every decision would be a cost that can be seen. Throws
 * `decision_type_not_found`, `model_not_deployed`, `quota_exceeded` or, for the input schema, `validation_error`.
 */
export function decideOne(
  deps: DecisionDeps,
  caller: Caller,
  request: DecideRequest,
  requestId: string,
  trace: boolean,
): PendingDecision | Promise<PendingDecision> {
  const { store, runtime, metering, clock } = deps;
  const startedAt = clock.monotonic();
  const type = findDecisionTypeByName(deps, caller, request.decision_type);
  const policy = store.deployments.find(type.id);
  if (policy === null) {
    throw new WorkbenchError('model_not_deployed', 'No policy is deployed for this decision type. Train one first.');
  }
  metering.checkDecision(caller, runtime.decisions.countPending);
  const call = { caller, type, input: request.input, requestId, startedAt };
  const decided = runtime.deployed.get(type, policy).decide(request.input, { trace });
  if (decided instanceof Promise) return decideLater(deps, call, decided);
  const accepted = acceptInput(decided);
  return accepted.escalation === null
    ? record(deps, call, accepted, accepted.decision)
    : decideLater(deps, call, decided);
}

/**
 * Decides the items of a batch one after the other, each charged and recorded like a single call, and returns what
 * became of each once all are durable. An item that could not be read, or that fails, leaves the others alone.
 */
export async function decideBatch(
  deps: DecisionDeps,
  caller: Caller,
  items: readonly Result<DecideRequest, ErrorDetail>[],
  toItemId: (index: number) => string,
): Promise<BatchOutcome[]> {
  const outcomes: Promise<BatchOutcome>[] = [];
  await embedAhead(deps, caller, items);
  for (const [index, item] of items.entries()) {
    const requestId = toItemId(index);
    const refuse = (error: unknown): BatchOutcome => {
      const known = toWorkbenchError(error);
      if (known.code === 'internal_error') deps.log.error({ err: error, requestId }, 'a batch item failed');
      return { ok: false, error: known };
    };
    try {
      if (!item.ok) throw toValidationError(item.problems);
      const { response, recorded } = await decideOne(deps, caller, item.value, requestId, false);
      outcomes.push(recorded.then((): BatchOutcome => ({ ok: true, response }), refuse));
    } catch (error) {
      outcomes.push(Promise.resolve(refuse(error)));
    }
  }
  return Promise.all(outcomes);
}

/** Has the texts of a batch embedded together. What is wrong with an item shows when it is decided. */
async function embedAhead(
  deps: DecisionDeps,
  caller: Caller,
  items: readonly Result<DecideRequest, ErrorDetail>[],
): Promise<void> {
  const requests = items.flatMap((item) => (item.ok ? [item.value] : []));
  const inputs = Map.groupBy(requests, (request) => request.decision_type);
  await Promise.all(
    [...inputs].map(async ([name, ofType]) => {
      const type = deps.store.decisionTypes.getByName(name, caller.organisationId);
      const policy = type === null ? null : deps.store.deployments.find(type.id);
      if (type === null || policy === null || ofType.length < 2) return;
      await deps.runtime.deployed.get(type, policy).embedAhead(ofType.map(({ input }) => input));
    }),
  );
}

async function decideLater(
  deps: DecisionDeps,
  call: Call,
  decided: DecisionResult | Promise<DecisionResult>,
): Promise<PendingDecision> {
  const accepted = acceptInput(await decided);
  const { escalation } = accepted;
  const decision =
    escalation === null
      ? accepted.decision
      : await askConnectedModel(deps, call.type, call.input, accepted, escalation);
  // While the text encoder or the connected model worked, other calls may have taken what was left.
  deps.metering.checkDecision(call.caller, deps.runtime.decisions.countPending);
  return record(deps, call, accepted, decision);
}

function acceptInput(decided: DecisionResult): DecisionMade {
  if (decided.ok) return decided;
  throw new WorkbenchError('validation_error', 'The input does not fit the input schema.', decided.problems);
}

function record(
  deps: DecisionDeps,
  call: Call,
  { trace, ruleErrors }: DecisionMade,
  decision: Decision,
): PendingDecision {
  const { caller, type, input, requestId } = call;
  const latencyMs = Math.round((deps.clock.monotonic() - call.startedAt) * 1_000) / 1_000;
  const recorded = deps.runtime.decisions.commit(
    {
      decisionTypeSeq: type.seq,
      requestId,
      input: type.piiFields.length === 0 ? input : deps.auth.redact(input, type.piiFields),
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
