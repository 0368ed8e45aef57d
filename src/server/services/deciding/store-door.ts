/** The door over the workbench's store: deployed policies and their releases, the log with its charge, the plans. */
import { Deciding } from '../../../door/deciding/deciding.ts';
import type { Decided, Door, Named } from '../../../door/deciding/door.ts';
import { createTurns } from '../../../door/turns.ts';
import { type Caller, toCallerId } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import type { NewLoggedDecision } from '../../store/deciding/log-writer.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { askConnectedModel } from './escalation.ts';
import { findDeciding } from './find-decider.ts';
import type { Questions } from './questions.ts';

type Deployed = Named & { type: DecisionTypeRecord; facts: { release: number; digest: string } };

export type StoreDoor = { door: Door<Caller, Deployed>; deciding: Deciding<Caller, Deployed> };

/** Opens the door on ready dependencies. */
export function openStoreDoor(deps: Foundation, questions: Questions): StoreDoor {
  const { runtime, metering, clock, serviceMetrics, events } = deps;
  const door: Door<Caller, Deployed> = {
    monotonic: clock.monotonic,
    createTurns: () => createTurns(clock),
    find: (caller, name) => findDeployed(deps, caller, name),
    findAnswering: (caller, model, question) => questions.find(caller, model, question),
    toCallerId,
    admit: (caller, held) =>
      metering.checkDecision(caller, (organisation) => runtime.decisions.countPending(organisation) + held),
    askModel: ({ type }, input, made, policy) => askConnectedModel(deps, type, input, made, policy),
    tellsUnread: false,
    record: (caller, decided, alongside) =>
      runtime.decisions.commit(
        decided.map((each) => toLogged(deps, caller, each)),
        caller.organisationSeq,
        alongside,
      ),
    note(caller, { found: { type }, answer }, recorded) {
      serviceMetrics.countDecision(caller.organisationSeq, type.name, answer);
      if (!events.isHeard) return;
      const event = { event: 'logs', decision_type_id: type.id, added: 1 } as const;
      // The caller that awaits the record gets an error if it cannot be written.
      recorded.then(
        () => events.tell(caller.organisationId, event),
        () => undefined,
      );
    },
    countRefusal: (code) => serviceMetrics.countRefusal(code),
    logFault: (error, requestId) => deps.log.error({ err: error, requestId }, 'a batch item failed'),
  };
  return { door, deciding: new Deciding(door) };
}

function findDeployed(deps: Foundation, caller: Caller, name: string): Deployed {
  const { deployed } = deps.runtime;
  const found = findDeciding(deps, caller, name);
  const { type, policy, pinned } = found;
  return {
    type,
    typeName: type.name,
    decider: pinned ?? deployed.get(type, policy),
    facts: { release: policy.release, digest: policy.digest },
    listFields: () => (found.pinned === null ? deployed.listFields(type, policy) : found.fields),
  };
}

function toLogged(
  { auth, clock }: Foundation,
  caller: Caller,
  { found: { type, decider }, input, made: { ruleErrors }, answer }: Decided<Deployed>,
): NewLoggedDecision {
  return {
    decisionTypeSeq: type.seq,
    requestId: answer.request_id,
    input: type.piiFields.length === 0 ? input : auth.redact(input, type.piiFields),
    decision: answer.decision,
    confidence: answer.confidence,
    classifierChoice: answer.classifier_choice,
    stage: answer.stage,
    reasonCodes: answer.reason_codes,
    classProbabilities: answer.class_probabilities,
    rulesTriggered: answer.rules_triggered,
    ruleErrors,
    escalated: answer.escalate,
    fallbackUsed: answer.fallback_used,
    unfamiliar: answer.unfamiliar,
    policyVersion: answer.policy_version,
    versionNumber: decider.version,
    release: answer.release,
    explanation: answer.explanation,
    latencyMs: answer.latency_ms,
    apiKeyId: caller.apiKeyId,
    createdAt: clock.now(),
    audit: type.audit,
  };
}
