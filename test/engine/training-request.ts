/** Small training requests for the stories about training. */
import type { Definition, EscalationPolicy } from '../../src/engine/domain/definition.ts';
import { type TrainingConfig, type TrainingExample, trainingConfigSchema } from '../../src/engine/domain/training.ts';
import type { JsonObject } from '../../src/engine/json.ts';
import type { TrainRequest } from '../../src/engine/training/request.ts';

export const config: TrainingConfig = trainingConfigSchema.parse({ n_tuning_trials: 5, rare_options: 'refuse' });

/** Between the thresholds a decision is flagged, and nothing is called unfamiliar. */
export const ignoring: EscalationPolicy = {
  enabled: false,
  between: 'flag',
  connection: null,
  timeout_ms: 10_000,
  unfamiliar: 'ignore',
};

export function createDefinition(options: string[], changes: Partial<Definition> = {}): Definition {
  return {
    options,
    reason_codes: [],
    hard_rules: [],
    lists: {},
    readings: {},
    input_schema: null,
    confidence_thresholds: { auto_decide: 0.85, escalation: 0.6 },
    escalation_policy: ignoring,
    ...changes,
  };
}

export function createRequest(
  examples: TrainingExample[],
  definition: Definition,
  changes: Partial<TrainRequest> = {},
): TrainRequest {
  return {
    policyId: 'policy-1',
    policyVersion: 3,
    decisionType: 'Test',
    versionNumber: 2,
    definition,
    fallbackOption: null,
    examples,
    config,
    seed: 1,
    toolVersion: '0.1.0',
    createdAt: '2026-01-02T03:04:05.000Z',
    ...changes,
  };
}

export const createExample = (
  id: string,
  input: JsonObject,
  decision: string | null,
  reasonCodes: string[] = [],
): TrainingExample => ({ id, input, decision, reasonCodes, source: 'user' });

const subjects = ['my parcel', 'the blue chair', 'order 17', 'the lamp', 'our last delivery', 'this phone'];
const phrases: Record<string, string[]> = {
  refund: ['I want my money back for', 'please refund', 'give me a refund for', 'return the payment of'],
  tracking: ['where is', 'when will I get', 'track the delivery of', 'has nobody shipped'],
};

/** 48 messages of two options with a number beside the text. */
export const messages: TrainingExample[] = Object.entries(phrases).flatMap(([decision, starts]) =>
  starts.flatMap((start, s) =>
    subjects.map((subject, i) =>
      createExample(
        `${decision}-${s}-${i}`,
        { message: `${start} ${subject}`, amount: i * 10, customer: { email: `p${i}@example.org` } },
        decision,
        [i === 0 ? 'RARE' : 'USUAL'],
      ),
    ),
  ),
);

/** 240 different rows whose option hangs on colour and size together, which a linear classifier cannot express. */
export function createInteractionRows(): TrainingExample[] {
  const colours = ['red', 'green', 'blue'];
  return Array.from({ length: 240 }, (_, i) => {
    const colour = colours[i % 3] ?? '';
    const size = ((i * 7) % 10) + i / 1000;
    return createExample(`${i}`, { colour, size }, (colour === 'red') !== size >= 5 ? 'b' : 'a');
  });
}
