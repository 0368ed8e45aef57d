/** Acts that others may want to ask about: deletions, imports, switches, exports, keys. */
import { z } from 'zod';
import { dateTime, pageQuery, paginated, uuid } from '../common.ts';
import { operation } from '../operation.ts';

const activitySchema = z
  .object({
    operation: z.string().describe('The operation, as this document names it'),
    summary: z.string().describe('What it does'),
    details: z.string().nullable().describe('Of which thing, or what came of it'),
    decision_type_id: uuid.nullable(),
    decision_type: z.string().nullable().describe('The name of the decision type then'),
    by: z.string().nullable().describe('Name of the person or key then; null where it is not known'),
    api_key_id: uuid.nullable(),
    created_at: dateTime,
  })
  .meta({ id: 'Activity' });

export const activityOperations = {
  'activity.list': operation('GET', '/api/v1/activity', {
    access: 'key',
    scope: 'read',
    tag: 'Account',
    query: z.strictObject({ ...pageQuery, decision_type_id: uuid.optional().describe('Of this decision type alone') }),
    output: paginated(activitySchema),
    summary: 'Who deleted, imported, switched, exported or made keys, newest first',
    description: 'Kept as long as the longest log of a decision type is.',
  }),
};
