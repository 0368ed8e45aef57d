/** What may be wrong with the examples of a decision type. */
import { z } from 'zod';
import { findingKinds, findingSchema } from '../../engine/findings/finding.ts';
import { dateTime, decisionTypeParams, pageQuery, paginated } from './common.ts';
import { operation, reads } from './operation.ts';

/** How far an analysis is that takes longer than a call waits. */
export const analysisStateShape = {
  state: z.enum(['ready', 'computing']).describe('computing: ask again; what is answered is the last known result'),
  stale: z.boolean().describe('Examples, options or policy changed after the answer was computed'),
  computed_at: dateTime.nullable().describe('null: nothing is known yet'),
  progress: z.number().min(0).max(1).nullable().describe('How far the computation is; null where none is under way'),
};

const counts = Object.fromEntries(findingKinds.map((kind) => [kind, z.int()])) as Record<
  (typeof findingKinds)[number],
  z.ZodInt
>;

export const dataFindingOperations = {
  'data_findings.list': operation({
    method: 'GET',
    path: '/api/v1/decision-types/:decision_type_id/data-findings',
    access: 'key',
    tag: 'Examples',
    status: 200,
    hints: reads,
    params: decisionTypeParams,
    query: z.strictObject({
      ...pageQuery,
      kind: z.enum(findingKinds).optional().describe('Only findings of this kind'),
    }),
    output: paginated(findingSchema.meta({ id: 'DataFinding' })).extend({
      counts: z.object(counts).describe('All findings by kind, also those beyond the first 1,000 of a kind'),
      ...analysisStateShape,
    }),
    summary:
      'Contradictions, duplicates, suspect labels and other problems of the examples: the worst kind first, the most doubtful label first',
  }),
};
