/** What a policy does as a whole, and what can be promised of its automatic decisions. */
import { z } from 'zod';
import {
  promiseFindingSchema,
  promiseStatusSchema,
  promiseTermsSchema,
  wholeDecisionSchema,
} from '../../engine/measured.ts';
import { decisionTypeParams, uuid } from './common.ts';
import { operation, reads, updates } from './operation.ts';

const common = { access: 'key', tag: 'Training' } as const;
const base = '/api/v1/decision-types/:decision_type_id/policies/:policy_id';
const params = decisionTypeParams.extend({ policy_id: uuid });

export const promiseOperations = {
  'policies.whole': operation({
    ...common,
    method: 'GET',
    path: `${base}/whole-decision`,
    params,
    output: wholeDecisionSchema,
    status: 200,
    summary: 'Rules, classifier and thresholds of now together, measured on the held-out examples',
    hints: reads,
  }),
  'policies.promise': operation({
    ...common,
    method: 'GET',
    path: `${base}/promise`,
    params,
    query: promiseTermsSchema.extend({
      target_error: promiseTermsSchema.shape.target_error.default(0.02),
      option: z
        .string()
        .optional()
        .describe('Only decisions for this option; such statements hold of all options at once'),
    }),
    output: promiseFindingSchema,
    status: 200,
    summary: 'The threshold that keeps an error among automatic decisions, or how many rows it would take',
    hints: reads,
  }),
  'policies.keep_promise': operation({
    ...common,
    method: 'PUT',
    path: `${base}/promise`,
    params,
    body: promiseTermsSchema.meta({ examples: [{ target_error: 0.02, certainty: 0.95 }] }),
    output: promiseStatusSchema,
    status: 200,
    summary: 'Set the threshold that keeps the error and keep the promise with the deployed policy',
    hints: updates,
    errors: ['conflict'],
  }),
  'policies.withdraw_promise': operation({
    ...common,
    method: 'DELETE',
    path: `${base}/promise`,
    params,
    output: null,
    status: 204,
    summary: 'Take the promise of a policy back; thresholds stay as they are',
    hints: updates,
  }),
};
