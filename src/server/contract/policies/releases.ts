/** Releases: what decided for a type, when, by whom and why. */
import { z } from 'zod';
import { dateTime, pageQuery, paginated, uuid } from '../common.ts';
import { operation } from '../operation.ts';

const releaseSchema = z
  .object({
    release: z.int().describe('1, 2, … of its decision type: as decisions, log records and bundles name it'),
    current: z.boolean().describe('Whether it decides now'),
    digest: z.string().describe('SHA-256 of all that decides; equal where that is equal, whatever the type is called'),
    policy_id: uuid,
    policy_version: z.string().describe('The policy, such as v3'),
    decision_type_version: z.int().describe('The version whose rules, thresholds, schema and lists decide beside it'),
    version_id: uuid,
    fallback_option: z.string().nullable(),
    created_at: dateTime,
    by: z.string().nullable().describe('Name of the person or key then; null where it is not known'),
    automatic: z.boolean().describe('Whether a training made it'),
    reason: z.string().nullable(),
    changes: z.array(z.string()).describe('What is other than in the release before, in sentences'),
  })
  .meta({ id: 'Release' });
export type Release = z.infer<typeof releaseSchema>;

const common = { access: 'key', scope: 'read', tag: 'Training' } as const;
const base = '/api/v1/decision-types/:decision_type_id';

export const releaseOperations = {
  'releases.list': operation('GET', `${base}/releases`, {
    ...common,
    query: z.strictObject(pageQuery),
    output: paginated(releaseSchema),
    summary: 'What decided, newest first: each policy with the settings beside it, and what changed in words',
    ignoresExamples: true,
  }),
};
