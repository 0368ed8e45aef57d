/** A decision and its trace. */
import { z } from 'zod';
import { confidenceThresholdsSchema } from './definition.ts';

export const stages = ['rules', 'classifier', 'escalation', 'fallback'] as const;
export type Stage = (typeof stages)[number];

/** The outcome of one rule for one input. `values` holds the sub-expressions that settled it, in source order. */
const ruleTraceSchema = z.object({
  name: z.string(),
  outcome: z.enum(['matched', 'not_matched', 'error', 'not_reached']),
  error: z.string().nullable(),
  values: z.array(z.object({ expression: z.string(), value: z.unknown() })),
});
export type RuleTrace = z.infer<typeof ruleTraceSchema>;

export const decisionTraceSchema = z.object({
  rules: z.array(ruleTraceSchema),
  features: z.array(z.object({ field: z.string(), kind: z.string(), value: z.unknown(), contribution: z.number() })),
  thresholds: confidenceThresholdsSchema.nullable(),
  stage_ms: z.record(z.string(), z.number()),
  truncated: z.array(z.string()).describe("Names of the text fields that were cut to the encoder's length"),
  reasons: z
    .array(z.object({ code: z.string(), probability: z.number() }))
    .describe('Probability of every reason code that has a head of its own'),
  /** The comparison of the input with the examples; `outside` names fields beyond their range. */
  familiarity: z.array(
    z.object({
      check: z.enum(['words', 'embedding', 'nearest', 'fields']),
      score: z.number(),
      limit: z.number(),
      familiar: z.boolean(),
      outside: z.array(z.string()),
    }),
  ),
});
export type DecisionTrace = z.infer<typeof decisionTraceSchema>;

/** The answer of the decider; the server adds request_id and latency_ms. */
export const decisionSchema = z.object({
  decision: z.string().describe('One of the options'),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .describe(
      'The calibrated probability of the decision given, also of a fallback or of what a connected model chose; 1 where a rule decided, 0 where no classifier was asked',
    ),
  classifier_choice: z
    .string()
    .nullable()
    .describe('What the classifier chose, where the fallback or a connected model decided otherwise; null elsewhere'),
  classifier_probability: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('The calibrated probability of classifier_choice, which the thresholds were compared with'),
  reason_codes: z.array(z.string()).describe('Why, in codes of the type'),
  escalate: z.boolean().describe('Whether a person should look before it is acted on'),
  fallback_used: z.boolean().describe('Whether the fallback option answered'),
  rules_triggered: z.array(z.string()).describe('Names of the rules that decided'),
  policy_version: z.string().describe('The deployed policy, such as v3'),
  class_probabilities: z.record(z.string(), z.number()).describe('A probability for every option'),
  explanation: z.string().describe('Why, in a sentence'),
  stage: z.enum(stages).describe('The stage that produced the decision'),
  unfamiliar: z
    .boolean()
    .describe('The input is unlike the examples the policy learned from; it counts as below the escalation threshold'),
});
export type Decision = z.infer<typeof decisionSchema>;
