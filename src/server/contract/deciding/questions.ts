/** The questions of decision models that a decision type answers. */
import { z } from 'zod';
import { limits } from '../../../engine/limits.ts';
import { dateTime, uuid } from '../common.ts';
import { operation, updates } from '../operation.ts';

/** A choice among options, a yes or no, a place on a scale. */
export const questionKinds = ['choice', 'predicate', 'score'] as const;
export type QuestionKind = (typeof questionKinds)[number];

/** The characters of what is asked that are kept for people. */
export const maxShownCharacters = 300;

/** Instructions to a decision model, in any of their forms. */
export const instructionsSchema = z
  .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
  .nullable();

export const yesNoCriteriaSchema = z
  .looseObject({ true: instructionsSchema.optional(), false: instructionsSchema.optional() })
  // No client can be generated in Java with fields of these names, so the document leaves them out.
  .meta({ properties: undefined });

const kind = z.enum(questionKinds).describe('predicate: a yes or no (`noul` in /v1/systemone)');

const questionSchema = z
  .object({
    id: uuid,
    kind,
    asked: z.string().nullable().describe('The beginning of what is asked; null: any score with these levels'),
    options: z
      .array(z.string())
      .describe('Of a predicate the one whose probability is the answer, of a score all, lowest first'),
    created_at: dateTime,
  })
  .meta({ id: 'Question' });

const bindQuestionSchema = z
  .strictObject({
    kind,
    instructions: instructionsSchema
      .optional()
      .describe(
        'As callers send them, but for case, blanks and the sign at the end; left out of a score: whatever is asked',
      ),
    criteria: yesNoCriteriaSchema
      .nullable()
      .optional()
      .describe('Of a `noul` what `true` and `false` mean, as callers send them'),
    options: z
      .array(z.string().min(1))
      .min(1)
      .max(limits.maxOptions)
      .describe('Of a predicate the one that is yes, of a score all, lowest first, of a choice all'),
  })
  .meta({
    id: 'QuestionCreate',
    examples: [{ kind: 'predicate', instructions: 'Is this a good risk?', options: ['approve'] }],
  });
export type BindQuestion = z.infer<typeof bindQuestionSchema>;

const common = { access: 'key', tag: 'Decision models' } as const;
const base = '/api/v1/decision-types/:decision_type_id/questions';

export const questionOperations = {
  'questions.list': operation('GET', base, {
    ...common,
    scope: 'read',
    output: z.array(questionSchema),
    summary: 'The questions of decision models that a type answers',
    ignoresExamples: true,
  }),
  'questions.bind': operation('POST', base, {
    ...common,
    scope: 'deploy',
    body: bindQuestionSchema,
    output: questionSchema,
    status: 201,
    summary: 'Say that a type answers a question: which option is yes, or that its options are in order',
    description: `A yes or no belongs to one wording; another one needs a mark of its own. A question that several types answer is asked by naming one in model. An organisation has up to ${limits.maxQuestions} questions.`,
    hints: updates,
    ignoresExamples: true,
    errors: ['conflict'],
  }),
  'questions.forget': operation('DELETE', `${base}/:question_id`, {
    ...common,
    scope: 'deploy',
    output: null,
    summary: 'Take a question from a type',
    ignoresExamples: true,
  }),
};
