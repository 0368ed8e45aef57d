import { z } from 'zod';
import { jsonObject } from '../../engine/domain.ts';
import { decisionTypeParams } from './common.ts';
import { operation, reads } from './operation.ts';

const draftRules = z
  .array(
    z.strictObject({
      name: z.string().default(''),
      condition: z.string(),
      then: z.string().default(''),
      reason_code: z.string().nullable().default(null),
      priority: z.int().default(100),
    }),
  )
  .max(200);

const range = z.object({ start: z.int(), end: z.int() });
const problems = z.array(
  z.object({
    rule: z.int(),
    name: z.string(),
    field: z.enum(['name', 'condition', 'then', 'reason_code']),
    message: z.string(),
    suggestion: z.string().nullable(),
    range,
  }),
);
const findings = z
  .array(
    z.object({
      kind: z.enum(['never_true', 'always_true', 'never_reached', 'overlap', 'field', 'always_fails', 'no_example']),
      severity: z.enum(['warning', 'info']),
      basis: z
        .enum(['exact', 'examples'])
        .describe('exact: so for every input that follows the schema; examples: so on the examples that were tried'),
      shown_by: z
        .object({ rows: z.int(), of: z.int() })
        .nullable()
        .describe('Examples that show it, out of all that were tried; null where none were'),
      rule: z.int().describe('Place in the given list'),
      other: z.int().nullable().describe('Place of the rule it is about'),
      message: z.string(),
      suggestion: z.string().nullable(),
      range: range.nullable(),
    }),
  )
  .max(500)
  .describe('What is correct but surely not meant; empty while there are problems');
const outcome = z.object({ rule: z.string(), then: z.string() }).nullable();
const change = z.object({
  rows: z.int(),
  changed: z.int(),
  differing: z.array(z.object({ id: z.string(), before: outcome, after: outcome })).max(20),
});

export const rulesAnalysisSchema = z.object({
  problems,
  findings,
  findings_left_out: z.int().describe('Findings past the 500 that are told'),
  impact: z
    .object({
      examples: z.object({ rows: z.int(), undecided: z.int() }),
      decisions: z.object({ rows: z.int(), undecided: z.int() }),
      rules: z.array(
        z.object({
          rule: z.int(),
          name: z.string(),
          examples: z.object({
            holds: z.int().describe('Examples on which it holds, whatever the rules before it do'),
            matched: z.int().describe('Examples that it decides'),
            agrees: z.int(),
            disagrees: z.int(),
            unlabelled: z.int(),
            errors: z.int().describe('Examples on which it errs, whatever the rules before it do'),
            agreement: z.number().nullable().describe('Part of the labelled matches that agree'),
            disagreeing: z
              .array(
                z.object({
                  id: z.string(),
                  input: z.string().describe('The start of the input as JSON, personal fields replaced'),
                  expected: z.string(),
                  decided: z.string(),
                }),
              )
              .max(20),
          }),
          decisions: z.object({
            matched: z.int(),
            changed: z.int().describe('Logged decisions that this rule would have decided otherwise'),
            errors: z.int(),
          }),
        }),
      ),
      against_saved: z.object({ examples: change, decisions: change }).nullable(),
    })
    .nullable()
    .describe('First matches over the newest 20,000 examples and 5,000 logged inputs; null while there are problems'),
  fields: z.array(
    z.object({
      path: z.array(z.string()),
      types: z.array(z.enum(['any', 'bool', 'number', 'text', 'list', 'map', 'null', 'timestamp', 'duration'])),
      values: z.array(z.union([z.string(), z.number(), z.boolean()])).describe('Most frequent first'),
    }),
  ),
});
export type RulesAnalysis = z.infer<typeof rulesAnalysisSchema>;

export const ruleOperations = {
  'rules.check': operation({
    method: 'POST',
    path: '/api/v1/rules/check',
    body: z
      .strictObject({
        rules: draftRules,
        options: z.array(z.string()).max(200),
        reason_codes: z.array(z.string()).max(500).default([]),
        input_schema: jsonObject.nullable().default(null),
      })
      .meta({
        examples: [
          { rules: [{ name: 'small', condition: 'ctx.amount < 10', then: 'approve' }], options: ['approve', 'reject'] },
        ],
      }),
    output: z.object({ ok: z.boolean(), problems, findings }),
    status: 200,
    access: 'key',
    summary: 'Check rules without saving them: every problem with its place, and findings that need no examples',
    hints: reads,
    tag: 'Decision types',
  }),
  'rules.analyse': operation({
    method: 'POST',
    path: '/api/v1/decision-types/:decision_type_id/rules/analyse',
    params: decisionTypeParams,
    body: z.strictObject({
      rules: draftRules,
      options: z.array(z.string()).max(200).optional().describe('Of the unsaved type; left out: those saved'),
      reason_codes: z.array(z.string()).max(500).optional(),
      input_schema: jsonObject.nullable().optional(),
    }),
    output: rulesAnalysisSchema,
    status: 200,
    access: 'key',
    summary: 'What rules would do on the examples and the logged decisions of a type, without saving them',
    hints: reads,
    tag: 'Decision types',
  }),
};
