/** The kinds of findings about the examples of a decision type. */
import { z } from 'zod';
import type { JsonObject } from '../json.ts';

export const findingKinds = [
  'contradiction',
  'unknown_label',
  'suspect_label',
  'rule_disagreement',
  'leak',
  'near_duplicate',
  'duplicate',
  'rare_option',
  'outlier',
  'constant_field',
  'language',
] as const;
export type FindingKind = (typeof findingKinds)[number];

export const findingSchema = z.object({
  kind: z.enum(findingKinds),
  severity: z.enum(['error', 'warning', 'info']),
  message: z.string().describe('What was found and what to do about it'),
  example_ids: z.array(z.string()).describe('The first of the examples that it is about'),
  example_count: z.int().describe('How many examples it is about'),
  field: z.string().nullable(),
  suggested_decision: z.string().nullable().describe('The label that is likelier right'),
  probability: z
    .number()
    .nullable()
    .describe(
      'How likely that label is by models that had not seen the example, or how many of the labels that a rule decides agree with it; null where neither was asked',
    ),
  score: z.number().nullable().describe('Higher is surer; only findings of one kind compare'),
});
export type Finding = z.infer<typeof findingSchema>;

/** An example as it is searched, with when a reviewed one last changed, in milliseconds since 1970. */
export type FindingRow = {
  id: string;
  input: JsonObject;
  decision: string | null;
  heldOut: boolean;
  reviewedAt: number | null;
};

/** A search for one kind of problem, fed row by row; rows are numbered from 0. */
export type Search = { add(row: FindingRow): void; finish(): Finding[] };

/** Ids that a finding lists. */
export const maxListedExamples = 50;
/** Findings of a kind that are listed; the counts tell of the others. */
export const maxListedFindings = 1_000;

/** A finding about some examples, of which it lists the first. */
export function toFinding(
  finding: Pick<Finding, 'kind' | 'severity' | 'message'> &
    Partial<Pick<Finding, 'field' | 'suggested_decision' | 'probability' | 'score'>> & {
      ids: readonly string[];
      count?: number;
    },
): Finding {
  const { ids, count, field = null, suggested_decision = null, probability = null, score = null, ...rest } = finding;
  const example_ids = ids.slice(0, maxListedExamples);
  return { ...rest, field, suggested_decision, probability, score, example_ids, example_count: count ?? ids.length };
}

/** The most frequent decision; null without any, or if two are equally frequent. */
export function findMajority(decisions: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>();
  for (const decision of decisions) if (decision !== null) counts.set(decision, (counts.get(decision) ?? 0) + 1);
  const [first, second] = [...counts].sort((a, b) => b[1] - a[1]);
  return first === undefined || first[1] === second?.[1] ? null : first[0];
}

/** Names in quotes, at most four of them. */
export function quoteList(names: readonly string[]): string {
  const shown = names.slice(0, 4).map((name) => `"${name}"`);
  const more = names.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${more} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
