import type { NewLoggedDecision } from '../../src/server/store/deciding/log-writer.ts';

/** A decision as the classifier makes it, to be logged; a test says in what its own differ. */
export const usualDecision: NewLoggedDecision = {
  decisionTypeSeq: 1,
  requestId: 'r',
  input: {},
  decision: 'yes',
  confidence: 0.9,
  stage: 'classifier',
  reasonCodes: [],
  classProbabilities: { yes: 0.9, no: 0.1 },
  rulesTriggered: [],
  escalated: false,
  fallbackUsed: false,
  unfamiliar: false,
  policyVersion: 'v1',
  versionNumber: 1,
  release: 1,
  explanation: 'Rule «one» matched.',
  latencyMs: 1,
  apiKeyId: null,
  createdAt: 1_000,
};
