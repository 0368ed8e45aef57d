/** Options that change with all that names them: renamed, merged into another one, deleted, and as they were again. */
import { z } from 'zod';
import { characters, optionInputSchema } from '../../../engine/domain/definition.ts';
import { destroys, operation, updates } from '../operation.ts';
import { decisionTypeSchema } from './decision-types.ts';

const commit = z.boolean().default(false).describe('false: show what it touches, nothing is written');
const output = z.object({
  committed: z.boolean(),
  touches: z.object({
    examples: z.int().describe('Examples with this label'),
    rules: z.array(z.string()).describe('Names of the rules that decide it'),
    fallback_option: z.boolean(),
    deployed_policy: z.boolean().describe('The deployed policy goes on with the option until a new one is deployed'),
  }),
  decision_type: decisionTypeSchema,
  undo_token: z.string().nullable().describe('For options/undo; null where nothing was written'),
});

const common = {
  access: 'key',
  scope: 'deploy',
  tag: 'Decision types',
  output,
  hints: destroys,
  guardsType: true,
} as const;
const base = '/api/v1/decision-types/:decision_type_id/options';

export const optionOperations = {
  'options.rename': operation('POST', `${base}/rename`, {
    ...common,
    body: z.strictObject({ from: z.string().min(1), to: optionInputSchema, commit }),
    summary: 'Rename an option everywhere: in the options, the rules, the fallback and the examples',
    hints: updates,
  }),
  'options.merge': operation('POST', `${base}/merge`, {
    ...common,
    body: z.strictObject({
      from: z.string().min(1).describe('The option that goes'),
      into: z.string().min(1).describe('The option that takes its examples and rules'),
      commit,
    }),
    summary: 'Merge an option into another: its examples, the rules that decide it and the fallback',
  }),
  'options.delete': operation('POST', `${base}/delete`, {
    ...common,
    body: z.strictObject({
      option: z.string().min(1),
      examples: z
        .enum(['unlabel', 'delete'])
        .default('unlabel')
        .describe('What becomes of the examples with this label: without one, or deleted'),
      commit,
    }),
    summary: 'Delete an option with the rules that decide it, and its examples or their labels',
  }),
  'options.undo': operation('POST', `${base}/undo`, {
    ...common,
    body: z.strictObject({ undo_token: characters(1, 100) }),
    output: z.object({
      affected: z.int().describe('Examples that have the option again'),
      decision_type: decisionTypeSchema,
    }),
    summary: 'Undo the rename, merge or deletion of an option, unless the decision type was changed since',
    hints: updates,
    errors: ['conflict'],
  }),
};
