/** The door over the workbench's store: deployed policies and their releases, the log with its charge, the plans. */
import { Deciding } from '../../../door/deciding/deciding.ts';
import type { Decided, Door, Named } from '../../../door/deciding/door.ts';
import { createTurns } from '../../../door/turns.ts';
import { replaceOption } from '../../../engine/decide/compose-decision.ts';
import type { DecisionMade } from '../../../engine/decide/golden.ts';
import type { Decision } from '../../../engine/domain/decision.ts';
import type { EscalationPolicy } from '../../../engine/domain/definition.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { redactToPlaceholder } from '../../../engine/pii.ts';
import { type Caller, toCallerId } from '../../auth/caller.ts';
import { askForDecision } from '../../connections/remote-decider.ts';
import type { Foundation } from '../../foundation.ts';
import type { NewLoggedDecision } from '../../store/deciding/log-writer.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { findDeciding } from './find-decider.ts';
import type { Questions } from './questions.ts';

/** Asks the connected model without personal fields, or keeps the decision; probabilities stay the classifier's. */
async function askConnectedModel(
  deps: Foundation,
  type: DecisionTypeRecord,
  input: JsonObject,
  decided: DecisionMade,
  policy: EscalationPolicy,
): Promise<Decision> {
  const { decision, trace } = decided;
  const { modelConnections } = deps.runtime;
  const name = policy.connection;
  const connection = name === null ? null : deps.store.connections.getByName(name, type.organisationId);
  if (connection === null) {
    return { ...decision, explanation: `${decision.explanation} No model is connected under the name that is set.` };
  }
  const startedAt = deps.clock.monotonic();
  try {
    const material = {
      question: type.name,
      description: type.description,
      options: Object.keys(decision.class_probabilities),
      reason_codes: type.activeVersion.definition.reason_codes,
      input: redactToPlaceholder(input, type.piiFields),
    };
    const chosen = await askForDecision(modelConnections.toEndpoint(connection), material, {
      timeoutMs: policy.timeout_ms,
      retries: 1,
      signal: AbortSignal.any([modelConnections.chat.signal, AbortSignal.timeout(policy.timeout_ms)]),
    });
    return {
      ...replaceOption(decision, chosen.decision),
      stage: 'escalation',
      escalate: true,
      fallback_used: false,
      reason_codes: chosen.reasonCodes,
      explanation:
        `The classifier was not sure, so the connected model «${connection.name}» was asked: ` +
        `it chose «${chosen.decision}».`,
    };
  } catch (error) {
    if (!(error instanceof WorkbenchError) || error.code !== 'unavailable') throw error;
    deps.log.warn({ err: error, connectionId: connection.id }, 'a connected model could not be asked for a decision');
    return {
      ...decision,
      explanation: `${decision.explanation} The connected model «${connection.name}» could not be asked.`,
    };
  } finally {
    if (trace !== null) trace.stage_ms['escalation'] = deps.clock.monotonic() - startedAt;
  }
}

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
