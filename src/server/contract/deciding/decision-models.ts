/** The two wire formats of decision models, in which clients of other services ask the deployed types. */
import { z } from 'zod';
import type { JsonObject } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import { creates, operation } from '../operation.ts';
import { instructionsSchema, yesNoCriteriaSchema } from './questions.ts';

/** Names that clients send where nobody has chosen a model: the questions say which types answer. */
export const anyModelNames: readonly string[] = ['latest', 'workbench', 'jev-latest', 'gpt-6-luna'];

const model = z
  .string()
  .min(1)
  .default('latest')
  .describe(
    `Name of a decision type or of one of its releases (\`refunds@3\`); one of ${anyModelNames.join(', ')}: by each question`,
  );
const instructions = instructionsSchema.optional();
const wrongKind = (kinds: string) => ({ error: `must have a type: ${kinds}` });
const text = z.string();
/** Bodies are read from JSON; the schema of the type is what an input is checked by. */
const isContainer = (value: unknown) => typeof value === 'object' && value !== null;
const probability = z.number().min(0).max(1);

const systemoneQuestion = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('noul'), instructions, criteria: yesNoCriteriaSchema.nullable().optional() }),
    z.looseObject({
      type: z.literal('choice'),
      instructions,
      criteria: z.record(z.string(), z.unknown()).describe('Options with descriptions, which are not read'),
    }),
    z.looseObject({
      type: z.literal('score'),
      instructions,
      criteria: z.array(z.unknown()).min(2).max(limits.maxOptions).describe('Levels, lowest first'),
    }),
  ],
  wrongKind('noul, choice or score'),
);

export const systemoneRequestSchema = z
  .looseObject({
    model,
    state: z
      .custom<string | JsonObject | unknown[]>((value) => typeof value === 'string' || isContainer(value), {
        error: 'must be an object or a text',
      })
      .meta({
        anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: {} }, { type: 'array', items: {} }],
        description: 'The input; a text alone where the type reads one field',
      }),
    questions: z
      .record(z.string(), systemoneQuestion)
      .refine((questions) => Object.keys(questions).length > 0, { error: 'must not be empty' })
      .refine((questions) => Object.keys(questions).length <= limits.maxQuestionsPerCall, {
        error: `takes at most ${limits.maxQuestionsPerCall} questions`,
      })
      .meta({ minProperties: 1, maxProperties: limits.maxQuestionsPerCall }),
  })
  .meta({
    id: 'SystemoneRequest',
    examples: [
      {
        model: 'latest',
        state: { amount: 42, message: 'The cup arrived in pieces.' },
        questions: { refund: { type: 'choice', criteria: { approve: null, reject: null } } },
      },
    ],
  });
export type SystemoneRequest = z.infer<typeof systemoneRequestSchema>;

/** The workbench's own outcome, beside the answer in the format's own terms. */
const outcomeSchema = z.object({
  x_decision_type: text,
  x_decision: text.describe('The answer of /api/v1/decide: thresholds, fallback and connected model applied'),
  x_confidence: probability.describe('The confidence of x_decision, as /api/v1/decide answers it'),
  x_classifier_choice: text.nullable(),
  x_classifier_probability: probability.nullable(),
  x_stage: text,
  x_escalate: z.boolean(),
  x_unfamiliar: z.boolean(),
  x_reason_codes: z.array(text),
  x_policy_version: text,
  x_release: z.int().optional().describe('Of the workbench'),
  x_digest: text.optional().describe('Of a bundle, which does not know the number of its release'),
  x_request_id: text,
});
export type Outcome = z.infer<typeof outcomeSchema>;

const own = outcomeSchema.partial().shape;
const systemoneAnswer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('noul'), noul: probability, ...own }),
  z.object({
    type: z.literal('choice'),
    choice: text,
    probabilities: z.record(z.string(), probability),
    confidence: probability,
    ...own,
  }),
  z.object({
    type: z.literal('score'),
    score: z.number(),
    legend: z.record(z.string(), text),
    probabilities: z.record(z.string(), probability),
    confidence: probability,
    ...own,
  }),
]);
export type SystemoneAnswer = z.infer<typeof systemoneAnswer>;

const name = z.string().nullable().optional();
const decisionsQuestion = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('predicate'), instructions, name }),
    z.looseObject({
      type: z.literal('choice'),
      instructions,
      name,
      choices: z.array(z.looseObject({ value: z.union([z.string(), z.boolean()]) })).min(2),
    }),
    z.looseObject({
      type: z.literal('score'),
      instructions,
      name,
      levels: z
        .array(z.looseObject({ label: z.string() }))
        .min(2)
        .max(limits.maxOptions),
    }),
  ],
  wrongKind('predicate, choice or score'),
);

export const decisionsRequestSchema = z
  .looseObject({
    model,
    input: z
      .union([z.string(), z.array(z.record(z.string(), z.unknown()))])
      .describe('A text, or messages of which the last one of the user is read: texts, or one `input_json`'),
    questions: z.array(decisionsQuestion).min(1).max(limits.maxQuestionsPerCall),
  })
  .meta({
    id: 'DecisionsRequest',
    examples: [
      {
        model: 'latest',
        input: '{"amount": 42, "message": "The cup arrived in pieces."}',
        questions: [{ type: 'choice', choices: [{ value: 'approve' }, { value: 'reject' }] }],
      },
    ],
  });
export type DecisionsRequest = z.infer<typeof decisionsRequestSchema>;

const named = { name: z.string().nullable() };
const decisionsAnswer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('predicate'), ...named, probability }),
  z.object({
    type: z.literal('choice'),
    ...named,
    choice: text,
    confidence: probability,
    probabilities: z.array(z.object({ value: text, probability })),
  }),
  z.object({
    type: z.literal('score'),
    ...named,
    score: z.number(),
    confidence: probability,
    probabilities: z.array(z.object({ value: z.int(), label: text, probability })),
  }),
]);
export type DecisionsAnswer = z.infer<typeof decisionsAnswer>;

const tokens = z.int().describe('Always 0');
const common = { access: 'key', scope: 'decide', tag: 'Decision models' } as const;
const deciding = {
  ...common,
  hints: { ...creates, openWorld: true },
  decides: true,
  takesZstd: true,
  takesIdempotencyKey: true,
  errors: ['quota_exceeded', 'decision_type_not_found', 'not_found', 'model_not_deployed'],
} as const;
const sameAnswer =
  'Answers are those of `/api/v1/decide`, with the same log, limits and charge; `x_…` fields say what was decided by it, unless the header `X-Workbench-Extras: off` is sent.';

export const decisionModelOperations = {
  'models.ask_systemone': operation('POST', '/v1/systemone', {
    ...deciding,
    dialect: 'systemone',
    body: systemoneRequestSchema,
    output: z
      .object({
        model: text.describe('What answered: type and release; `workbench` where several types did'),
        answers: z.record(z.string(), systemoneAnswer),
        usage: z.object({ input_tokens: tokens, output_tokens: tokens }),
      })
      .meta({ id: 'SystemoneAnswers' }),
    summary: 'Ask the deployed types as a decision model, in the format of TypeSafe',
    description: `${sameAnswer} The body may be compressed by zstd.`,
  }),
  'models.ask_decisions': operation('POST', '/v1/decisions', {
    ...deciding,
    dialect: 'decisions',
    body: decisionsRequestSchema,
    output: z
      .object({
        model: text.describe('What answered: type and release; `workbench` where several types did'),
        answers: z.array(decisionsAnswer),
        usage: z.object({
          input_tokens: tokens,
          input_tokens_details: z.object({ cached_tokens: tokens, cache_write_tokens: tokens }),
          output_tokens: tokens,
          output_tokens_details: z.object({ reasoning_tokens: tokens }),
          total_tokens: tokens,
        }),
        x_workbench: z.array(outcomeSchema).optional().describe('For each answer, what was decided'),
      })
      .meta({ id: 'DecisionsAnswers' }),
    summary: 'Ask the deployed types as a decision model, in the format of OpenAI',
    description: sameAnswer,
  }),
  'models.list': operation('GET', '/v1/models', {
    ...common,
    dialect: 'decisions',
    output: z.object({
      object: z.literal('list'),
      data: z.array(z.object({ id: text, object: z.literal('model'), created: z.int(), owned_by: text })),
      models: z.array(z.object({ name: text, description: text, release_date: text })),
    }),
    summary: 'The deployed types as the models of both formats',
  }),
};
