/** Rules, checked before they are saved, and options renamed, merged and deleted. */
import { z } from 'zod';
import { characters, namedListsSchema, optionInputSchema } from '../../../engine/domain/definition.ts';
import { jsonObject, orNull } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import { formatCount } from '../../../engine/numeric.ts';
import {
  ruleFindingSchema,
  ruleProblemSchema,
  ruleProposalsSchema,
  rulesChangeSchema,
  seenDaysSchema,
  seenFieldSchema,
} from '../../../engine/rules/results.ts';
import { destroys, operation, reads, updates } from '../operation.ts';
import { decisionTypeSchema } from './decision-types.ts';

/** How much one analysis of rules reads and answers. */
export const analysisLimits = { maxExamples: 20_000, maxLoggedDecisions: 5_000, maxFindings: 500 } as const;

const draftRules = z
  .array(
    z.strictObject({
      name: z.string().default('').describe('Of the rule'),
      condition: z.string().describe('In CEL over `ctx`, the input'),
      then: z.string().default('').describe('An option'),
      reason_code: orNull(z.string(), 'A reason code'),
      priority: z.int().default(100).describe('Lower first'),
      hint: z.boolean().optional().describe('Teaches, decides nothing'),
    }),
  )
  .max(limits.maxRules)
  .describe('Hard rules that are not saved');
export const draftDefinition = z.strictObject({
  rules: draftRules,
  options: z.array(z.string()).max(limits.maxOptions).optional().describe('Of the unsaved type; left out: those saved'),
  reason_codes: z.array(z.string()).max(limits.maxReasonCodes).optional(),
  lists: namedListsSchema.optional(),
});

const problems = z.array(ruleProblemSchema);
const findings = z
  .array(ruleFindingSchema)
  .max(analysisLimits.maxFindings)
  .describe('What is valid but probably not intended, of the rules without a problem');
const listedRow = {
  id: z.string(),
  input: z.string().describe('The start of the input as JSON, personal fields replaced'),
};

const rulesAnalysisSchema = z.object({
  problems,
  findings,
  findings_left_out: z.int().describe(`Findings beyond the ${analysisLimits.maxFindings} that are listed`),
  impact: z
    .object({
      examples: z.object({
        rows: z.int(),
        undecided: z.int(),
        undecided_rows: z
          .array(z.object({ ...listedRow, expected: z.string().nullable() }))
          .max(20)
          .describe('The newest examples that no rule decides'),
      }),
      decisions: z.object({ rows: z.int(), undecided: z.int() }),
      rules: z.array(
        z.object({
          rule: z.int(),
          name: z.string(),
          examples: z.object({
            holds: z.int().describe('Examples on which it holds, whatever the rules before it do'),
            matched: z.int().describe('Examples that it decides, or of a hint all that it holds on'),
            agrees: z.int(),
            disagrees: z.int(),
            unlabelled: z.int(),
            errors: z.int().describe('Examples on which it fails, whatever the rules before it do'),
            agreement: z.number().nullable().describe('Part of the labelled matches that agree'),
            disagreeing: z.array(z.object({ ...listedRow, expected: z.string(), decided: z.string() })).max(20),
          }),
          decisions: z.object({
            matched: z.int(),
            changed: z.int().describe('Logged decisions that this rule would have decided otherwise'),
            errors: z.int(),
            masked: z
              .int()
              .describe('Logged inputs in which a personal field that it reads is masked: the other counts miss these'),
          }),
        }),
      ),
      against_saved: z
        .object({ examples: rulesChangeSchema, decisions: rulesChangeSchema })
        .nullable()
        .describe('null while a rule has a problem, saved or not'),
    })
    .describe(
      `First matches over the newest ${formatCount(analysisLimits.maxExamples)} examples and ${formatCount(analysisLimits.maxLoggedDecisions)} logged inputs, of the rules without a problem as if the others were not there`,
    ),
  fields: z.array(seenFieldSchema),
  days: z.array(seenDaysSchema),
});
export type RulesAnalysis = z.infer<typeof rulesAnalysisSchema>;

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
const optionsPath = '/api/v1/decision-types/:decision_type_id/options';

export const ruleOperations = {
  'rules.check': operation('POST', '/api/v1/rules/check', {
    body: z
      .strictObject({
        rules: draftRules,
        options: z.array(z.string()).max(limits.maxOptions),
        reason_codes: z.array(z.string()).max(limits.maxReasonCodes).default([]),
        lists: namedListsSchema.default({}),
        input_schema: jsonObject.nullable().default(null),
      })
      .meta({
        examples: [
          { rules: [{ name: 'small', condition: 'ctx.amount < 10', then: 'approve' }], options: ['approve', 'reject'] },
        ],
      }),
    output: z.object({ ok: z.boolean(), problems, findings }),
    access: 'key',
    scope: 'read',
    summary: 'Check rules without saving them: every problem with its place, and findings that need no examples',
    hints: reads,
    tag: 'Decision types',
  }),
  'rules.analyse': operation('POST', '/api/v1/decision-types/:decision_type_id/rules/analyse', {
    body: draftDefinition.extend({ input_schema: jsonObject.nullable().optional() }),
    output: rulesAnalysisSchema,
    access: 'key',
    scope: 'read',
    summary: 'What rules would do on the examples and the logged decisions of a type, without saving them',
    hints: reads,
    tag: 'Decision types',
  }),
  'rules.propose': operation('GET', '/api/v1/decision-types/:decision_type_id/rule-proposals', {
    query: z.strictObject({
      min_precision: z
        .number()
        .min(0.5)
        .max(0.999)
        .default(0.85)
        .describe('The least lower bound of the precision with which a rule is proposed'),
    }),
    output: ruleProposalsSchema,
    access: 'key',
    scope: 'read',
    summary: `Short rules that the newest ${formatCount(analysisLimits.maxExamples)} examples suggest, beside the rules of the type`,
    errors: ['conflict'],
    tag: 'Decision types',
  }),
  'options.rename': operation('POST', `${optionsPath}/rename`, {
    ...common,
    body: z.strictObject({ from: z.string().min(1), to: optionInputSchema, commit }),
    summary: 'Rename an option everywhere: in the options, the rules, the fallback and the examples',
    hints: updates,
  }),
  'options.merge': operation('POST', `${optionsPath}/merge`, {
    ...common,
    body: z.strictObject({
      from: z.string().min(1).describe('The option that goes'),
      into: z.string().min(1).describe('The option that takes its examples and rules'),
      commit,
    }),
    summary: 'Merge an option into another: its examples, the rules that decide it and the fallback',
  }),
  'options.delete': operation('POST', `${optionsPath}/delete`, {
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
  'options.undo': operation('POST', `${optionsPath}/undo`, {
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
