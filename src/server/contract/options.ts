/** Options that go: merged into another one, or deleted with all that names them. */
import { z } from 'zod';
import { decisionTypeParams } from './common.ts';
import { decisionTypeSchema } from './decision-types.ts';
import { destroys, operation } from './operation.ts';

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
});

const common = {
  method: 'POST',
  access: 'key',
  tag: 'Decision types',
  params: decisionTypeParams,
  output,
  status: 200,
  hints: destroys,
} as const;
const base = '/api/v1/decision-types/:decision_type_id/options';

export const optionOperations = {
  'options.merge': operation({
    ...common,
    path: `${base}/merge`,
    body: z.strictObject({
      from: z.string().min(1).describe('The option that goes'),
      into: z.string().min(1).describe('The option that takes its examples and rules'),
      commit,
    }),
    summary: 'Merge an option into another: its examples, the rules that decide it and the fallback; cannot be undone',
  }),
  'options.delete': operation({
    ...common,
    path: `${base}/delete`,
    body: z.strictObject({
      option: z.string().min(1),
      examples: z
        .enum(['unlabel', 'delete'])
        .default('unlabel')
        .describe('What becomes of the examples with this label: without one, or deleted'),
      commit,
    }),
    summary: 'Delete an option with the rules that decide it, and its examples or their labels; cannot be undone',
  }),
};
