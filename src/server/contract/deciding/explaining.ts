/** Why a decision was made, and what would change it. */
import { z } from 'zod';
import { decisionTraceSchema } from '../../../engine/domain/decision.ts';
import { uuid } from '../common.ts';
import { operation, reads } from '../operation.ts';

const changeSchema = z.object({
  field: z.string(),
  from: z.unknown().describe('The value of the input; null where it has none'),
  to: z.unknown().describe('A value seen in the examples; of a text what is left of it'),
  removed: z
    .array(z.object({ start: z.int(), end: z.int() }))
    .optional()
    .describe('The words that are left out of a text (UTF-16 indices)'),
});

export const explanationSchema = z
  .object({
    decision: z.string(),
    confidence: z.number(),
    escalate: z.boolean(),
    flips: z
      .array(
        z.object({
          changes: z.array(changeSchema),
          decision: z.string(),
          confidence: z.number(),
          escalate: z.boolean(),
        }),
      )
      .describe('The smallest changes that lead to another decision; 3 at most'),
    nearest: z
      .array(z.object({ example_id: uuid, decision: z.string(), similarity: z.number() }))
      .describe('The labelled examples most like the input'),
    words: z
      .array(
        z.object({
          field: z.string(),
          start: z.int(),
          end: z.int(),
          weight: z.number(),
          estimated: z
            .boolean()
            .describe('False where the input was decided without the words; true where their weight is an estimate'),
        }),
      )
      .describe(
        'How much less likely the decision is without these words of fields that are read as texts (UTF-16 indices), heaviest first',
      ),
    release: z
      .int()
      .nullable()
      .describe('The release that decided the logged input; null where the deployed policy is asked instead'),
    policy_version: z.string().describe('The policy that decided it'),
    usual: z
      .record(z.string(), z.number())
      .describe('The middle value of each number, and of the days between two dates, that the policy learned from'),
    trace: decisionTraceSchema.nullable().describe('How that decision came about'),
    note: z.string().nullable().describe('What to know of it, as which fields were too many to be tried'),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof explanationSchema>;

const common = {
  access: 'key',
  scope: 'read',
  tag: 'Decisions',
  output: explanationSchema,
  hints: reads,
  errors: ['model_not_deployed', 'unavailable'],
} as const;
const base = '/api/v1/decision-types/:decision_type_id';

export const explainingOperations = {
  'logs.explain': operation('POST', `${base}/logs/:log_id/explain`, {
    ...common,
    summary: 'What would change the decision on a logged input, by the release that decided it',
  }),
  'examples.explain': operation('POST', `${base}/examples/:example_id/explain`, {
    ...common,
    summary: 'What would change the decision on an example, as the deployed policy decides it now',
  }),
};
