/** Releases: what decided for a type, when, by whom and why; promises about its automatic decisions. */
import { z } from 'zod';
import { costFindingSchema } from '../../../engine/costs.ts';
import {
  promiseFindingSchema,
  promiseStatusSchema,
  promiseTermsSchema,
  typePromiseSchema,
} from '../../../engine/measured.ts';
import { dateTime, pageQuery, paginated, releaseReason, uuid } from '../common.ts';
import { operation, replaces, updates } from '../operation.ts';
import { triedThresholds } from './evaluation.ts';

export const releaseSchema = z
  .object({
    release: z.int().describe('1, 2, … of its decision type: as decisions, log records and bundles name it'),
    current: z.boolean().describe('Whether it decides now'),
    aliases: z.array(z.string()).describe('Names that callers decide by: `refunds@production`'),
    digest: z.string().describe('SHA-256 of all that decides; equal where that is equal, whatever the type is called'),
    policy_id: uuid,
    policy_version: z.string().describe('The policy, such as v3'),
    decision_type_version: z.int().describe('The version whose rules, thresholds, schema and lists decide beside it'),
    version_id: uuid,
    fallback_option: z.string().nullable(),
    created_at: dateTime,
    replaced_at: dateTime.nullable().describe('When the next one took over; null of the newest'),
    live: z
      .object({
        decisions: z.int(),
        escalated: z.int().describe('Those that were handed on'),
        checked: z.int().describe('Those that people corrected, confirmed or judged blind'),
        wrong: z.int().describe('Of these'),
      })
      .describe('Its decisions in the log, also those of calls that name it'),
    by: z.string().nullable().describe('Name of the person or key then; null where it is not known'),
    automatic: z.boolean().describe('Whether a training made it'),
    reason: z.string().nullable(),
    changes: z
      .array(z.string())
      .describe('In sentences: how it differs from the release before, and whatever spoke against releasing it'),
  })
  .meta({ id: 'Release' });
export type Release = z.infer<typeof releaseSchema>;

export const aliasName = z
  .string()
  .regex(
    /^(?!v?\d+$|latest$)[a-z0-9][a-z0-9_-]{0,39}$/,
    'up to 40 of a-z, 0-9, _ and -, no number and not `latest`: what decides now is the name without @',
  )
  .describe('Such as `production`');
const aliasParams = z.strictObject({
  decision_type_id: uuid.describe('Id of the decision type'),
  alias: aliasName,
});

const common = { access: 'key', scope: 'read', tag: 'Training' } as const;
const base = '/api/v1/decision-types/:decision_type_id';

const typePath = '/api/v1/decision-types/:decision_type_id/promise';
const policyPath = '/api/v1/decision-types/:decision_type_id/policies/:policy_id';

export const releaseOperations = {
  'releases.list': operation('GET', `${base}/releases`, {
    ...common,
    query: z.strictObject(pageQuery),
    output: paginated(releaseSchema),
    summary: 'What decided, newest first: each policy with the settings beside it, and what changed in words',
    ignoresExamples: true,
  }),
  'releases.create': operation('POST', `${base}/releases`, {
    ...common,
    scope: 'deploy',
    body: z.strictObject({
      release: z
        .int()
        .min(1)
        .optional()
        .describe('The release whose policy and settings decide again; left out: the draft decides'),
      reason: releaseReason,
    }),
    output: releaseSchema,
    status: 201,
    summary: 'Publish the draft, or go back to an earlier release by a new one that decides the same',
    hints: { ...replaces, idempotent: false },
    takesIdempotencyKey: true,
    guardsType: true,
    errors: ['not_found', 'conflict'],
  }),
  'aliases.set': operation('PUT', `${base}/aliases/:alias`, {
    ...common,
    scope: 'deploy',
    params: aliasParams,
    body: z.strictObject({ release: z.int().min(1) }),
    output: releaseSchema,
    summary: 'Give a release a name that callers decide by, as `refunds@production`; another release loses it',
    hints: { ...updates, destructive: true },
    errors: ['not_found'],
  }),
  'aliases.delete': operation('DELETE', `${base}/aliases/:alias`, {
    ...common,
    scope: 'deploy',
    params: aliasParams,
    output: null,
    summary: 'Take the name of a release away',
  }),
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
  'policies.costs': operation('GET', `${policyPath}/costs`, {
    ...common,
    query: z.strictObject(triedThresholds),
    output: costFindingSchema,
    summary: 'What 1,000 decisions cost now, with the thresholds of least cost, and all by hand, on held-out examples',
  }),
  'policies.promise': operation('GET', `${policyPath}/promise`, {
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
  'policies.keep_promise': operation('PUT', `${policyPath}/promise`, {
    ...common,
    scope: 'deploy',
    body: promiseTermsSchema.meta({ examples: [{ target_error: 0.02, certainty: 0.95 }] }),
    output: promiseStatusSchema,
    summary: 'Set the threshold that keeps the error with the deployed policy, and promise it of the type',
    errors: ['conflict'],
  }),
  'policies.withdraw_promise': operation('DELETE', `${policyPath}/promise`, {
    ...common,
    scope: 'deploy',
    output: null,
    summary: 'Take the promise of a policy back, of the deployed one that of the type; thresholds stay as they are',
    hints: updates,
  }),
};
