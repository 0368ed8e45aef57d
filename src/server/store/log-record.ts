/** A record of the log as a table of its columns. */
import { z } from 'zod';
import type { Stage } from '../../engine/domain/decision.ts';
import { jsonObject } from '../../engine/json.ts';
import type { RuleFailure } from '../../engine/rules/rules-file.ts';
import { defineRecord, flag, orNull, plain, trustedJson, values } from './record.ts';

const { text, count, time } = values;
const list = z.array(text);

/** Columns that change only by an entry of the chain (log-chain.ts), in the order in which they are digested. */
export const loggedColumns = {
  decisionTypeSeq: plain('decision_type_seq', count),
  requestId: plain('request_id', text),
  input: trustedJson('input', jsonObject),
  decision: plain('decision', text),
  /** Confidence of the decision; in records of earlier programs always that of the classifier in its own choice. */
  confidence: plain('confidence', z.number()),
  /** Option that the classifier chose, where it is not the decision; null in records of earlier programs. */
  classifierChoice: orNull(plain('classifier_choice', text)),
  stage: plain('stage', z.custom<Stage>()),
  reasonCodes: trustedJson('reason_codes', list),
  classProbabilities: trustedJson('class_probabilities', z.record(text, z.number())),
  rulesTriggered: trustedJson('rules_triggered', list),
  escalated: flag('escalated'),
  fallbackUsed: flag('fallback_used'),
  unfamiliar: flag('unfamiliar'),
  policyVersion: plain('policy_version', text),
  /** The version of the decision type whose input schema, rules and thresholds decided; null of earlier programs. */
  versionNumber: orNull(plain('version_number', count)),
  /** Null in records of earlier programs. */
  release: orNull(plain('release', count)),
  /** Why it was decided so, in a sentence without a value of the input; null in records of earlier programs. */
  explanation: orNull(plain('explanation', text)),
  latencyMs: plain('latency_ms', z.number()),
  apiKeyId: orNull(plain('api_key_id', text)),
  createdAt: plain('created_at', time),
  /** The rules that failed before one matched; NULL where none did. */
  ruleErrors: {
    ...trustedJson('rule_errors', z.custom<readonly RuleFailure[]>()),
    read: (stored: string | null): readonly RuleFailure[] => (stored === null ? [] : JSON.parse(stored)),
    write: (errors: readonly RuleFailure[]) => (errors.length === 0 ? null : JSON.stringify(errors)),
  },
  /** The id in the log of the service that made it elsewhere; null of what is decided here. */
  edgeId: orNull(plain('edge_id', text)),
  /** Who brought it, and out of which file, as they said. */
  importedBy: orNull(plain('imported_by', text)),
  importedFile: orNull(plain('imported_file', text)),
};
export const loggedTable = defineRecord('decision_logs', loggedColumns);
