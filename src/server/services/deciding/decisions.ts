/** Deciding: one call or a batch. An answer leaves only after its log record and its credit entry are durable. */
import type { DecisionMade, DecisionResult } from '../../../engine/decide/decided.ts';
import type { Decision } from '../../../engine/domain/decision.ts';
import { type ErrorDetail, type Result, WorkbenchError } from '../../../engine/errors.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { type Caller, toCallerId } from '../../auth/caller.ts';
import type { DecideRequest, DecideResponse } from '../../contract/deciding/decisions.ts';
import { toWorkbenchError } from '../../errors/envelope.ts';
import { toValidationError } from '../../errors/validation-error.ts';
import type { Foundation } from '../../foundation.ts';
import { createTurns } from '../../process/turns.ts';
import type { CommitQueue } from '../../store/deciding/commit-queue.ts';
import type { NewLoggedDecision } from '../../store/deciding/log-writer.ts';
import type { DeployedPolicy } from '../../store/policies/deployments.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { askConnectedModel } from './escalation.ts';
import { findDeciding } from './find-decider.ts';

/** A decision that is made but not yet recorded: the response may leave once `recorded` resolves. */
export type PendingDecision = { response: DecideResponse; recorded: Promise<void> };
export type BatchOutcome = { ok: true; response: DecideResponse } | { ok: false; error: WorkbenchError };

type CallFacts = {
  requestId: string;
  trace: boolean;
  receipt: { keep(response: DecideResponse): void } | null;
  /** Milliseconds of this call's share in what was computed for several calls together, before it began. */
  sharedMs: number;
  /** Only answer: no record, no charge, no question to a connected model, nothing for the receipt. */
  dryRun: boolean;
  /** Name parts of the input that are not read. */
  tellsUnread: boolean;
  /** Warns of whole numbers in the request that lose digits. */
  lost: readonly string[];
};

type Call = Omit<CallFacts, 'trace' | 'sharedMs' | 'tellsUnread'> & {
  caller: Caller;
  type: DecisionTypeRecord;
  policy: DeployedPolicy;
  input: JsonObject;
  versionNumber: number;
  /** On the monotonic clock, earlier by the call's share in what was computed before. */
  startedAt: number;
  /** Parts of the input that are not read; null where nobody asks, or it is not known. */
  unread: string[] | null;
};

/**
 * Decides and hands record and receipt to the commit queue; a promise only where encoder or connected model must be
 * asked. Throws as `findDeciding`, `quota_exceeded` or `validation_error`.
 */
export function decideOne(
  deps: Foundation,
  caller: Caller,
  request: DecideRequest,
  { requestId, trace, receipt, dryRun, sharedMs, tellsUnread, lost }: CallFacts,
): PendingDecision | Promise<PendingDecision> {
  const { runtime, metering, clock } = deps;
  const startedAt = clock.monotonic() - sharedMs;
  const { type, policy, pinned } = findDeciding(deps, caller, request.decision_type);
  metering.checkDecision(caller, runtime.decisions.countPending);
  const decider = pinned ?? runtime.deployed.get(type, policy);
  const versionNumber = decider.version;
  const { input } = request;
  const unread = tellsUnread ? decider.findUnread(input) : null;
  const call = { caller, type, policy, input, versionNumber, requestId, receipt, dryRun, startedAt, unread, lost };
  const decided = decider.decide(input, { trace, callerId: toCallerId(caller) });
  if (decided instanceof Promise) return decideLater(deps, call, decided);
  const accepted = acceptInput(decided);
  return accepted.escalation === null || dryRun
    ? record(deps, call, accepted, accepted.decision)
    : decideLater(deps, call, decided);
}

/** Decides a batch in order, each recorded and charged alone; with `keep`, in one transaction with its writes. */
export async function decideBatch(
  deps: Foundation,
  caller: Caller,
  items: readonly Result<DecideRequest, ErrorDetail>[],
  {
    toItemId,
    dryRun,
    toLost,
  }: { toItemId: (index: number) => string; dryRun: boolean; toLost: (index: number) => readonly string[] },
  keep?: (outcomes: readonly BatchOutcome[]) => void,
): Promise<BatchOutcome[]> {
  const held = keep && holdCommits(deps.runtime.decisions);
  const ownDeps = held ? { ...deps, runtime: { ...deps.runtime, decisions: held.queue } } : deps;
  const expected: BatchOutcome[] = [];
  const outcomes: Promise<BatchOutcome>[] = [];
  const takeTurns = createTurns(deps.clock);
  const beganAt = deps.clock.monotonic();
  const embedded = await embedAhead(deps, caller, items, takeTurns);
  const shareMs = (deps.clock.monotonic() - beganAt) / Math.max(1, embedded.size);
  for (const [index, item] of items.entries()) {
    await takeTurns();
    const requestId = toItemId(index);
    const refuse = (error: unknown): BatchOutcome => {
      const known = toWorkbenchError(error);
      deps.serviceMetrics.countRefusal(known.code);
      if (known.code === 'internal_error') deps.log.error({ err: error, requestId }, 'a batch item failed');
      return { ok: false, error: known };
    };
    try {
      if (!item.ok) throw toValidationError(item.problems);
      const sharedMs = embedded.has(item.value.input) ? shareMs : 0;
      const facts = {
        requestId,
        trace: false,
        receipt: null,
        dryRun,
        sharedMs,
        tellsUnread: dryRun,
        lost: toLost(index),
      };
      const { response, recorded } = await decideOne(ownDeps, caller, item.value, facts);
      const outcome: BatchOutcome = { ok: true, response };
      expected.push(outcome);
      outcomes.push(recorded.then(() => outcome, refuse));
    } catch (error) {
      const outcome = refuse(error);
      expected.push(outcome);
      outcomes.push(Promise.resolve(outcome));
    }
  }
  held?.release(caller.organisationSeq, () => keep?.(expected));
  return Promise.all(outcomes);
}

/**
 * Decides by several types at once, all or none: texts that they share are read once, and their records share one
 * commit, also with what `keep` writes. Rejects as `decideOne`.
 */
export async function decideTogether(
  deps: Foundation,
  caller: Caller,
  requests: readonly DecideRequest[],
  toRequestId: (index: number) => string,
  keep?: (responses: readonly DecideResponse[]) => void,
): Promise<DecideResponse[]> {
  const held = holdCommits(deps.runtime.decisions);
  const ownDeps = { ...deps, runtime: { ...deps.runtime, decisions: held.queue } };
  const facts = { trace: false, receipt: null, dryRun: false, sharedMs: 0, tellsUnread: false, lost: [] };
  const made = await Promise.all(
    requests.map(async (request, index) =>
      decideOne(ownDeps, caller, request, { ...facts, requestId: toRequestId(index) }),
    ),
  );
  const responses = made.map(({ response }) => response);
  held.release(caller.organisationSeq, () => keep?.(responses));
  await Promise.all(made.map(({ recorded }) => recorded));
  return responses;
}

/** Inputs of a batch whose texts are read at a time; the encoder takes what waits together. */
const embeddedAtOnce = 8;

/** Embeds the texts of a batch together; resolves with their inputs. What is wrong with an item shows later. */
async function embedAhead(
  deps: Foundation,
  caller: Caller,
  items: readonly Result<DecideRequest, ErrorDetail>[],
  takeTurns: () => Promise<void>,
): Promise<ReadonlySet<JsonObject>> {
  const requests = items.flatMap((item) => (item.ok ? [item.value] : []));
  const inputs = Map.groupBy(requests, (request) => request.decision_type);
  const embedded = await Promise.all(
    [...inputs].map(async ([name, ofType]): Promise<readonly JsonObject[]> => {
      const type = deps.store.decisionTypes.getByName(name, caller.organisationId);
      const policy = type === null ? null : deps.store.deployments.find(type.id);
      if (type === null || policy === null || ofType.length < 2) return [];
      const decider = deps.runtime.deployed.get(type, policy);
      const asked: Promise<readonly JsonObject[]>[] = [];
      for (let at = 0; at < ofType.length; at += embeddedAtOnce) {
        const some = ofType.slice(at, at + embeddedAtOnce);
        asked.push(decider.embedAhead(some.map(({ input }) => input)));
        await takeTurns();
      }
      return (await Promise.all(asked)).flat();
    }),
  );
  return new Set(embedded.flat());
}

/** A commit queue that holds records back until they are released into one transaction. */
function holdCommits(decisions: CommitQueue) {
  const held: NewLoggedDecision[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const queue: CommitQueue = {
    commit(records) {
      held.push(...records);
      return promise;
    },
    countPending: (organisationSeq) => decisions.countPending(organisationSeq) + held.length,
  };
  return {
    queue,
    release(organisationSeq: number, alongside?: () => void): void {
      if (held.length > 0) decisions.commit(held, organisationSeq, alongside).then(resolve, reject);
    },
  };
}

async function decideLater(
  deps: Foundation,
  call: Call,
  decided: DecisionResult | Promise<DecisionResult>,
): Promise<PendingDecision> {
  const accepted = acceptInput(await decided);
  const { escalation } = accepted;
  const decision =
    escalation === null || call.dryRun
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
  deps: Foundation,
  call: Call,
  { trace, ruleErrors, escalation, misread }: DecisionMade,
  decision: Decision,
): PendingDecision {
  const { caller, type, policy, input, requestId, receipt, dryRun } = call;
  const { release, digest } = policy;
  // Values not of their field's kind, and numbers that lose digits, are named without being asked for.
  const unread = call.unread ?? (misread === undefined && call.lost.length === 0 ? null : [...(misread ?? [])]);
  const latencyMs = Math.round((deps.clock.monotonic() - call.startedAt) * 1_000) / 1_000;
  const made: DecideResponse = { ...decision, release, digest, latency_ms: latencyMs, request_id: requestId };
  if (unread !== null) made.unread = [...call.lost, ...unread];
  const response: DecideResponse = trace === null ? made : { ...made, trace };
  if (dryRun) return { response: toDryAnswer(response, escalation !== null), recorded: Promise.resolve() };
  const logged: NewLoggedDecision = {
    decisionTypeSeq: type.seq,
    requestId,
    input: type.piiFields.length === 0 ? input : deps.auth.redact(input, type.piiFields),
    decision: decision.decision,
    confidence: decision.confidence,
    classifierChoice: decision.classifier_choice,
    stage: decision.stage,
    reasonCodes: decision.reason_codes,
    classProbabilities: decision.class_probabilities,
    rulesTriggered: decision.rules_triggered,
    ruleErrors,
    escalated: decision.escalate,
    fallbackUsed: decision.fallback_used,
    unfamiliar: decision.unfamiliar,
    policyVersion: decision.policy_version,
    versionNumber: call.versionNumber,
    release,
    explanation: decision.explanation,
    latencyMs,
    apiKeyId: caller.apiKeyId,
    createdAt: deps.clock.now(),
    audit: type.audit,
  };
  const alongside = receipt === null ? undefined : () => receipt.keep(response);
  const recorded = deps.runtime.decisions.commit([logged], caller.organisationSeq, alongside);
  deps.serviceMetrics.countDecision(caller.organisationSeq, type.name, made);
  if (deps.events.isHeard) {
    const event = { event: 'logs', decision_type_id: type.id, added: 1 } as const;
    // The caller that awaits the record gets an error if it cannot be written.
    recorded.then(
      () => deps.events.tell(caller.organisationId, event),
      () => undefined,
    );
  }
  return { response, recorded };
}

/** Notes on an answer that nothing was recorded, and that it stands only where the connected model gives none. */
function toDryAnswer(response: DecideResponse, isEscalated: boolean): DecideResponse {
  const said = isEscalated ? ' This was a dry run, so the connected model was not asked.' : '';
  return { ...response, explanation: response.explanation + said, dry_run: true };
}
