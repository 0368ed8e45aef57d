/** What trained policies decide on examples that were held out of their training. */
import { z } from 'zod';
import { judgedParts } from '../../engine/domain.ts';
import { sliceSchema } from '../../engine/findings/slices.ts';
import { analysisStateShape, decisionTypeParams, pageQuery, paginated, uuid } from './common.ts';
import { operation, reads } from './operation.ts';

const predictionSchema = z.object({ predicted: z.string(), confidence: z.number() });

const heldOutRowSchema = predictionSchema
  .extend({
    example_id: z.string(),
    /** null when the example was deleted since. */
    input: z.record(z.string(), z.unknown()).nullable(),
    expected: z.string(),
  })
  .meta({ id: 'HeldOutRow' });

const comparedRowSchema = z
  .object({
    example_id: z.string(),
    input: z.record(z.string(), z.unknown()).nullable(),
    expected: z.string(),
    first: predictionSchema,
    second: predictionSchema,
  })
  .meta({ id: 'ComparedRow' });

const common = { method: 'GET', access: 'key', tag: 'Training', status: 200, hints: reads } as const;
const base = '/api/v1/decision-types/:decision_type_id/policies/:policy_id';
const params = decisionTypeParams.extend({ policy_id: uuid });

/** Decisions of a policy whose right answer is known: of held-out examples, or logged and corrected or confirmed. */
export const judgedRows = ['held_out', 'corrected', 'both'] as const;

export const evaluationOperations = {
  'policies.slices': operation({
    ...common,
    path: `${base}/slices`,
    params,
    query: z.strictObject({
      rows: z.enum(judgedRows).default('held_out').describe('Which decisions: held out, logged and corrected, or both'),
      judged: z
        .enum(judgedParts)
        .default('classifier')
        .describe(
          'What is wrong: the choice of the classifier, or the whole decision of rules, classifier and thresholds where it is made alone',
        ),
      min_rows: z.int().min(10).max(100_000).default(30).describe('Rows that a part must have'),
    }),
    output: z.object({
      items: z.array(sliceSchema.meta({ id: 'Slice' })).describe('At most 20, the worst first'),
      rows: z.int(),
      error_rate: z.number(),
      escalation_rate: z.number(),
      tested: z.int().describe('Parts that were tried'),
      ...analysisStateShape,
    }),
    summary:
      'Parts of the rows, by one field or two, in which a policy is wrong more often than in the others; at most 5 % of them are expected to be chance',
  }),
  'policies.held_out': operation({
    ...common,
    path: `${base}/held-out`,
    params,
    query: z.strictObject({
      ...pageQuery,
      expected: z.string().optional().describe('Only rows for which this option is right'),
      predicted: z.string().optional().describe('Only rows for which the classifier chose this option'),
    }),
    output: paginated(heldOutRowSchema),
    summary: 'The held-out examples and what the classifier chose for them, most confident first',
  }),
  'policies.compare': operation({
    ...common,
    path: `${base}/comparison`,
    params,
    query: z.strictObject({ ...pageQuery, with: uuid.describe('The policy to compare with') }),
    output: paginated(comparedRowSchema).extend({
      /** Rows that both policies held out; the other counts add up to it. */
      rows: z.int(),
      both_right: z.int(),
      both_wrong: z.int(),
      only_first_right: z.int(),
      only_second_right: z.int(),
    }),
    summary: 'Two policies on the examples that both held out; items are the rows that only one of them gets right',
  }),
};
