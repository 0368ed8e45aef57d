/** Labelling: what to label next with a suggestion, and the examples that are like one. */
import { z } from 'zod';
import { characters } from '../../engine/domain.ts';
import { decisionTypeParams, uuid } from './common.ts';
import { exampleSchema } from './examples.ts';
import { creates, operation, reads } from './operation.ts';

export const labellingQueues = ['to_label', 'suspect', 'corrections', 'synthetic', 'flagged'] as const;
export type LabellingQueue = (typeof labellingQueues)[number];

const suggestionSchema = z
  .object({
    decision: z.string(),
    probability: z.number(),
    source: z.enum(['policy', 'labelling']).describe('The deployed policy, or the model that learns while you label'),
  })
  .meta({ id: 'Suggestion' });
export type Suggestion = z.infer<typeof suggestionSchema>;

const common = { access: 'key', tag: 'Labelling' } as const;
const base = '/api/v1/decision-types/:decision_type_id/examples';
const one = decisionTypeParams.extend({ example_id: uuid });

export const labellingOperations = {
  'examples.next': operation({
    ...common,
    method: 'GET',
    path: `${base}/next`,
    params: decisionTypeParams,
    query: z.strictObject({
      count: z.int().min(1).max(100).default(20),
      queue: z.enum(labellingQueues).default('to_label'),
      session: characters(1, 100)
        .default('')
        .describe('Any name of a window: what it is given is kept from all others for five minutes'),
      restart: z.boolean().default(false).describe('Gives back first what the session was given and did not label'),
    }),
    output: z.object({
      items: z.array(
        z.object({
          example: exampleSchema,
          suggestion: suggestionSchema.nullable(),
          why: z.string().describe('Why this row comes now'),
        }),
      ),
      remaining: z.int().describe('Examples in the queue, those given out included'),
      recent_accuracy: z
        .number()
        .nullable()
        .describe('The share of the last suggestions, 50 at most, that were right; null before the first one'),
      recent: z.object({ right: z.int(), of: z.int() }),
      stop_hint: z.string().nullable().describe('Says so when more labels will hardly help'),
      labelling_model: z.object({
        examples_read: z.int().describe('Examples that the labelling model knows so far'),
        labels: z.int(),
      }),
    }),
    status: 200,
    summary: 'The examples to look at next, most useful first, each with a suggestion; never the same one twice',
    // What is given out is kept from others: a second call gives other rows.
    hints: creates,
    errors: ['unavailable'],
  }),
  'examples.similar': operation({
    ...common,
    method: 'GET',
    path: `${base}/:example_id/similar`,
    params: one,
    query: z.strictObject({ count: z.int().min(1).max(100).default(10) }),
    output: z.object({
      items: z.array(z.object({ example: exampleSchema, similarity: z.number().min(-1).max(1) })),
    }),
    status: 200,
    summary: 'The examples most like one, by what their texts mean and what their fields hold',
    hints: reads,
    errors: ['unavailable'],
  }),
};
