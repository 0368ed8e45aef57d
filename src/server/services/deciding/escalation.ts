/** A decision that the thresholds leave open, asked of a connected model. */
import { replaceOption } from '../../../engine/decide/compose-decision.ts';
import type { DecisionMade } from '../../../engine/decide/decided.ts';
import type { Decision } from '../../../engine/domain/decision.ts';
import type { EscalationPolicy } from '../../../engine/domain/definition.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { redactToPlaceholder } from '../../../engine/pii.ts';
import { askForDecision } from '../../connections/remote-decider.ts';
import type { Foundation } from '../../foundation.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';

/** Asks the connected model without personal fields, or keeps the decision; probabilities stay the classifier's. */
export async function askConnectedModel(
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
