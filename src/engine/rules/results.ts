/** The results of checks, analyses and searches of rules, as the wire has them. */
import { z } from 'zod';
import { ruleSchema } from '../domain/definition.ts';

const range = z.object({ start: z.int(), end: z.int() });
export const ruleProblemSchema = z.object({
  rule: z.int(),
  name: z.string(),
  field: z.enum(['name', 'condition', 'then', 'reason_code']),
  message: z.string(),
  suggestion: z.string().nullable(),
  range,
});
/** A problem of a rule, and its field. `range` is a place in the condition, else 0–0. */
export type RuleProblem = z.infer<typeof ruleProblemSchema>;

export const ruleFindingSchema = z.object({
  kind: z.enum([
    'never_true',
    'always_true',
    'never_reached',
    'overlap',
    'field',
    'always_fails',
    'loses_digits',
    'ascii_only',
    'no_example',
  ]),
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
});

const outcome = z.object({ rule: z.string(), then: z.string() }).nullable();
export const rulesChangeSchema = z.object({
  rows: z.int(),
  changed: z.int(),
  differing: z.array(z.object({ id: z.string(), before: outcome, after: outcome })).max(20),
});
/** The rows whose rule or decision differs between two sets of rules, and the first of them. */
export type RulesChange = z.infer<typeof rulesChangeSchema>;

export const seenFieldSchema = z.object({
  path: z.array(z.string()),
  types: z.array(z.enum(['any', 'bool', 'number', 'text', 'list', 'map', 'null', 'timestamp', 'duration'])),
  values: z.array(z.union([z.string(), z.number(), z.boolean()])).describe('Most frequent first'),
  has_times: z.boolean().describe('Whether some of its texts are days with a time'),
  counts: z.array(z.int()).describe('How often each of the values occurs'),
  distribution: z
    .object({ low: z.number(), high: z.number(), counts: z.array(z.int()) })
    .nullable()
    .describe('Its numbers in equal steps from low to high, the outermost with what lies beyond; null without any'),
  by_option: z
    .array(z.object({ option: z.string(), counts: z.array(z.int()), distribution: z.array(z.int()).nullable() }))
    .describe('The part of both counts that examples with each label have; of the first 200 fields'),
  information: z.number().describe('What it says about the label, in nats, less its bias; 0 where nothing is known'),
});
export const seenDaysSchema = seenFieldSchema
  .extend({ since: z.object({ path: z.array(z.string()), has_times: z.boolean() }) })
  .describe(
    'The days between two dates that most examples have: until the one at path, since another, which is earlier',
  );
/** The days between two dates that were seen. */
export type SeenDays = z.infer<typeof seenDaysSchema>;
/** A field that was seen: types, frequent values, numbers (null without any), and both for each label. */
export type SeenField = z.infer<typeof seenFieldSchema>;

const proposalTally = z.object({ for: z.int(), against: z.int() });
export const ruleProposalsSchema = z
  .object({
    items: z.array(
      z.object({
        rule: ruleSchema.describe('Ready to be added: its name and priority fit those of the type'),
        for: z.int().describe('Labelled examples that no rule decides and that agree'),
        against: z.int().describe('Those that disagree'),
        against_ids: z.array(z.uuid().toLowerCase()).max(20).describe('The first examples against it'),
        checked: proposalTally.describe('Distinct examples of the half that was not searched'),
        precision_low: z
          .number()
          .describe('Lower bound of the precision by the checked half; all bounds of an answer hold with 95%'),
        share: z.number().describe('Part of all examples that the rule would decide in place of the classifier'),
      }),
    ),
    rows: z.object({
      examples: z.int(),
      undecided: z.int().describe('Examples that no rule of the type decides'),
      searched: z.int().describe('Distinct labelled ones in which conditions were searched'),
      checked: z.int(),
    }),
    tried: z.int().describe('Conditions that were tried on the checked half'),
  })
  .meta({ id: 'RuleProposals' });
export type RuleProposals = z.infer<typeof ruleProposalsSchema>;
