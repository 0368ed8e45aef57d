/** Promises about the automatic decisions of a policy. */
import { z } from 'zod';
import { costFindingSchema } from '../../../engine/costs.ts';
import {
  promiseFindingSchema,
  promiseStatusSchema,
  promiseTermsSchema,
  typePromiseSchema,
} from '../../../engine/measured.ts';
import { operation, updates } from '../operation.ts';
import { triedThresholds } from './evaluation.ts';

const common = { access: 'key', scope: 'read', tag: 'Training' } as const;
const typePath = '/api/v1/decision-types/:decision_type_id/promise';
const base = '/api/v1/decision-types/:decision_type_id/policies/:policy_id';

export const promiseOperations = {
  'promises.get': operation('GET', typePath, {
    ...common,
    output: typePromiseSchema,
    summary: 'What is promised of a decision type, and how that stands with the deployed policy',
  }),
  'promises.declare': operation('PUT', typePath, {
    ...common,
    scope: 'deploy',
    body: promiseTermsSchema.meta({ examples: [{ target_error: 0.05, certainty: 0.95 }] }),
    output: typePromiseSchema,
    summary: 'Promise an error of a decision type: every policy that is trained or deployed is asked for it',
  }),
  'promises.withdraw': operation('DELETE', typePath, {
    ...common,
    scope: 'deploy',
    output: null,
    summary: 'Take the promise of a decision type back; thresholds stay as they are',
    hints: updates,
  }),
  'policies.costs': operation('GET', `${base}/costs`, {
    ...common,
    query: z.strictObject(triedThresholds),
    output: costFindingSchema,
    summary: 'What 1,000 decisions cost now, with the thresholds of least cost, and all by hand, on held-out examples',
  }),
  'policies.promise': operation('GET', `${base}/promise`, {
    ...common,
    query: promiseTermsSchema.extend({
      target_error: promiseTermsSchema.shape.target_error.default(0.02),
      option: z
        .string()
        .optional()
        .describe('Only decisions for this option; such statements hold of all options at once'),
    }),
    output: promiseFindingSchema,
    summary: 'The threshold that keeps an error among automatic decisions, or how many rows it would take',
  }),
  'policies.keep_promise': operation('PUT', `${base}/promise`, {
    ...common,
    scope: 'deploy',
    body: promiseTermsSchema.meta({ examples: [{ target_error: 0.02, certainty: 0.95 }] }),
    output: promiseStatusSchema,
    summary: 'Set the threshold that keeps the error with the deployed policy, and promise it of the type',
    errors: ['conflict'],
  }),
  'policies.withdraw_promise': operation('DELETE', `${base}/promise`, {
    ...common,
    scope: 'deploy',
    output: null,
    summary: 'Take the promise of a policy back, of the deployed one that of the type; thresholds stay as they are',
    hints: updates,
  }),
};
