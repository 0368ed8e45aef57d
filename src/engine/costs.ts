/** The costs of decisions: a price for each kind of wrong answer and for a person's look, and their total. */
import { z } from 'zod';
import { confidenceThresholdsSchema, nameText } from './domain/definition.ts';
import { orNull } from './json.ts';

const maxCost = 1_000_000_000;
const maxPairs = 2_500;

const costSchema = z.number().min(0).max(maxCost);

export const costsSchema = z
  .strictObject({
    currency: orNull(nameText(20), 'How amounts are shown, such as "€" or "minutes"'),
    look: orNull(costSchema, 'Of a person who looks at a decision that is handed on, and then decides rightly'),
    wrong: orNull(costSchema, 'Of every wrong answer that has no cost of its own in pairs'),
    pairs: z
      .array(
        z.strictObject({
          right: z.string().min(1).describe('The option that is right'),
          decided: z.string().min(1).describe('The option that is decided; the right one, too, may cost something'),
          cost: costSchema.describe('Of that answer'),
        }),
      )
      .max(maxPairs)
      .default([])
      .describe('Costs of single answers'),
  })
  .meta({ id: 'Costs', examples: [{ currency: '€', look: 1.5, wrong: 10, pairs: [] }] });
/** Costs of a decision type, in one currency; null is not known. */
export type Costs = z.infer<typeof costsSchema>;

export const noCosts: Costs = { currency: null, look: null, wrong: null, pairs: [] };

/** Whether costs say enough to weigh errors against looks. */
export function isWeighable(costs: Costs): costs is Costs & { look: number } {
  return costs.look !== null && (costs.wrong !== null || costs.pairs.length > 0);
}

/** Makes the look-up of what an answer costs that stands alone: 0 where nothing says otherwise. */
export function compileCosts({ pairs, wrong }: Costs): (right: string, decided: string) => number {
  const byRight = new Map<string, Map<string, number>>();
  for (const { right, decided, cost } of pairs) {
    const own = byRight.get(right) ?? new Map<string, number>();
    byRight.set(right, own.set(decided, cost));
  }
  return (right, decided) => byRight.get(right)?.get(decided) ?? (right === decided ? 0 : (wrong ?? 0));
}

/** Carries costs along where an option is renamed or merged `into` another, or goes (null); known costs stay. */
export function replaceCostOption(costs: Costs, from: string, into: string | null): Costs {
  const pairs = costs.pairs.flatMap((pair) => {
    const { right, decided, cost } = pair;
    if (right !== from && decided !== from) return [pair];
    if (into === null) return [];
    const moved = { right: right === from ? into : right, decided: decided === from ? into : decided, cost };
    const isTaken = costs.pairs.some((other) => other.right === moved.right && other.decided === moved.decided);
    const isMistake = right !== decided;
    return isTaken || isMistake !== (moved.right !== moved.decided) ? [] : [moved];
  });
  return { ...costs, pairs };
}

/** Drops the costs of options that are not among `options`. */
export function keepCostOptions(costs: Costs, options: readonly string[]): Costs {
  const known = new Set(options);
  return { ...costs, pairs: costs.pairs.filter(({ right, decided }) => known.has(right) && known.has(decided)) };
}

const costEstimateSchema = z.object({
  per_1000: z.number().describe('Mean cost of 1,000 decisions'),
  low: z.number(),
  high: z.number().describe('Low and high bound it with 95% confidence'),
});
export type CostEstimate = z.infer<typeof costEstimateSchema>;
const atThresholdsSchema = costEstimateSchema.extend({
  thresholds: confidenceThresholdsSchema,
  share_automatic: z.number().describe('Decided alone'),
});

export const costFindingSchema = z
  .object({
    currency: z.string().nullable(),
    rows: z.int().describe('Held-out rows that were decided'),
    missing: z.int(),
    refused: z.int(),
    measured_on: z.enum(['the_policy', 'before_refit']),
    now: atThresholdsSchema.nullable().describe('With the current thresholds; null where it cannot be said'),
    suggested: atThresholdsSchema
      .nullable()
      .describe('With the thresholds of least cost, measured on rows that they were not chosen on'),
    saving: costEstimateSchema.nullable().describe('Of the suggested thresholds, row by row against the current ones'),
    by_hand: costEstimateSchema.nullable().describe('A person looks at everything'),
    curve: z
      .array(z.object({ auto_decide: z.number(), per_1000: z.number() }))
      .describe('Cost over the threshold from which on answers stand alone, one for all options; empty without costs'),
    sentence: z.string(),
  })
  .meta({ id: 'CostFinding' });
export type CostFinding = z.infer<typeof costFindingSchema>;
