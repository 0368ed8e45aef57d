/** Findings about the examples of a decision type. */
import { z } from 'zod';
import { byName } from '../../../engine/domain/records.ts';
import { findingKinds, findingSchema } from '../../../engine/findings/finding.ts';
import { analysisStateShape, pageQuery, paginated } from '../common.ts';
import { operation } from '../operation.ts';
import { exampleSchema } from './examples.ts';

const dataFindingSchema = findingSchema.extend({
  example: exampleSchema.nullable().describe('The first of the examples as it is now; null without one'),
});

const counts = byName(findingKinds, () => z.int());

export const dataFindingOperations = {
  'data_findings.list': operation('GET', '/api/v1/decision-types/:decision_type_id/data-findings', {
    access: 'key',
    scope: 'read',
    tag: 'Examples',
    query: z.strictObject({
      ...pageQuery,
      kind: z.enum(findingKinds).optional().describe('Only findings of this kind'),
    }),
    output: paginated(dataFindingSchema.meta({ id: 'DataFinding' })).extend({
      counts: z.object(counts).describe('All findings by kind, also those beyond the first 1,000 of a kind'),
      ...analysisStateShape,
    }),
    summary:
      'Contradictions, duplicates, suspect labels, labels that rules contradict and other problems of the examples: the worst kind first, the most doubtful label first',
  }),
};
