/** Where a policy is weak: parts of the rows that are wrong more often than the others. */
import { z } from 'zod';
import { computeWilsonInterval } from '../intervals.ts';
import type { LanguageDetector } from '../ports.ts';
import { collectRows, countCommon, countRows, intersect, type RowSet, subtract, unite } from '../row-sets.ts';
import { adjustForDiscoveries, computeFisherTail, listLogFactorials } from './significance.ts';
import { type Condition, listConditions, type SeenInput } from './slice-conditions.ts';

export const sliceSchema = z.object({
  description: z.string(),
  fields: z.array(z.string()),
  rows: z.int(),
  errors: z.int(),
  error_rate: z
    .number()
    .describe('Wrong ones among all rows; of the whole decision, wrong ones decided alone among all rows'),
  error_interval: z.object({ low: z.number(), high: z.number() }).describe("Wilson's, 95%"),
  rest_error_rate: z.number(),
  automatic: z.int().describe('Rows of the part that are decided alone'),
  error_automatic: z.number().describe('Wrong ones among those decided alone'),
  error_automatic_interval: z.object({ low: z.number(), high: z.number() }).describe("Wilson's, 95%"),
  rest_error_automatic: z.number(),
  escalation_rate: z.number(),
  rest_escalation_rate: z.number(),
  p_value: z.number(),
  adjusted_p_value: z.number().describe('After Benjamini and Hochberg, over all parts that were tried'),
  score: z.number().describe('Higher is worse: more errors than on average, in more rows'),
});
export type Slice = z.infer<typeof sliceSchema>;

/** A decision whose right answer is known. */
export type JudgedRow = SeenInput & { isWrong: boolean; isEscalated: boolean };
/** The weak parts, the worst first; `tested` counts those that were tried. */
export type SliceReport = {
  rows: number;
  errors: number;
  error_rate: number;
  escalation_rate: number;
  tested: number;
  items: Slice[];
};

export type SliceParams = {
  /** The rows that a part must have to be tried. */
  minRows: number;
  piiFields: readonly string[];
  /** Null: parts by language are not tried. */
  detectLanguage: LanguageDetector | null;
};

/** The share of false ones that is expected among the parts found. */
const falseDiscoveryRate = 0.05;
/** The level at which a part counts as worse beside those found before; all candidates share it (Bonferroni). */
const newsLevel = 0.05;
const maxItems = 20;
/** The weight of the error against the size of a part in its score (Sagadeeva & Boehm 2021). */
const errorWeight = 0.95;

type Tried = { conditions: Condition[]; rows: RowSet; count: number; errors: number; p: number };
type Known = { wrong: RowSet; count: number; errors: number; logs: Float64Array };

function computeP({ logs, count: all, errors: allHits }: Known, hits: number, size: number): number {
  return computeFisherTail(logs, { hits, size, allHits, all });
}

/** Tries every condition and every two, but those too small to say anything (SliceLine's bound), which count. */
function tryParts(conditions: readonly Condition[], known: Known, minRows: number): { tried: Tried[]; tested: number } {
  const single = conditions.map((condition): Tried => {
    const errors = countCommon(condition.rows, known.wrong);
    const { rows, count } = condition;
    return { conditions: [condition], rows, count, errors, p: computeP(known, errors, count) };
  });
  const tried = [...single];
  let tested = single.length;
  single.forEach((a, i) => {
    for (const b of single.slice(i + 1)) {
      const [first, second] = [a.conditions[0], b.conditions[0]];
      if (first === undefined || second === undefined || first.field === second.field) continue;
      const mostErrors = Math.min(a.errors, b.errors);
      const isHopeless = computeP(known, mostErrors, Math.max(minRows, mostErrors)) > falseDiscoveryRate;
      const count = isHopeless ? 0 : countCommon(a.rows, b.rows);
      // All rows of one side are the part that was tried before.
      if (!isHopeless && (count < minRows || count === a.count || count === b.count)) continue;
      tested += 1;
      if (isHopeless) continue;
      const rows = intersect(a.rows, b.rows);
      const errors = countCommon(rows, known.wrong);
      tried.push({ conditions: [first, second], rows, count, errors, p: computeP(known, errors, count) });
    }
  });
  return { tried, tested };
}

/** Whether a part is still wrong more often than expected without what was found before, or inside it. */
function isNews(part: Tried, found: readonly Tried[], known: Known, minRows: number, level: number): boolean {
  const { wrong, logs } = known;
  const covered = found.reduce<RowSet>((union, other) => unite(union, other.rows), new Uint32Array(wrong.length));
  const own = subtract(part.rows, covered);
  const size = countRows(own);
  const all = known.count - countRows(covered);
  const allHits = known.errors - countCommon(covered, wrong);
  const hits = countCommon(own, wrong);
  if (size >= minRows && computeFisherTail(logs, { hits, size, allHits, all }) <= level) return true;
  const outer = found.find((other) => countCommon(other.rows, part.rows) === part.count);
  if (outer === undefined) return false;
  const inner = { hits: part.errors, size: part.count, allHits: outer.errors, all: outer.count };
  return computeFisherTail(logs, inner) <= level;
}

/**
 * Finds the weak parts of judged rows by one field or two, with at most 5% false ones expected (Benjamini-Hochberg
 * over all tried), and none that a more certain one explains.
 */
export function findWeakSlices(rows: readonly JudgedRow[], params: SliceParams): SliceReport {
  const { minRows, piiFields, detectLanguage } = params;
  const wrong = collectRows(rows.length, (row) => rows[row]?.isWrong === true);
  const escalated = collectRows(rows.length, (row) => rows[row]?.isEscalated === true);
  const logs = listLogFactorials(rows.length);
  const known: Known = { wrong, count: rows.length, errors: countRows(wrong), logs };
  const conditions = listConditions(rows, minRows, piiFields, { byDate: true, detectLanguage });
  const { tried, tested } = tryParts(conditions, known, minRows);
  const adjusted = adjustForDiscoveries(
    tried.map(({ p }) => p),
    tested,
  );
  const significant = tried
    .map((part, i) => ({ part, adjusted: adjusted[i] ?? 1 }))
    .filter((each) => each.adjusted <= falseDiscoveryRate)
    .sort((a, b) => a.part.p - b.part.p || a.part.conditions.length - b.part.conditions.length);
  const found: { part: Tried; adjusted: number }[] = [];
  for (const each of significant) {
    if (found.length >= maxItems) break;
    const parts = found.map(({ part }) => part);
    if (isNews(each.part, parts, known, minRows, newsLevel / significant.length)) found.push(each);
  }
  return {
    rows: rows.length,
    errors: known.errors,
    error_rate: known.errors / Math.max(1, rows.length),
    escalation_rate: countRows(escalated) / Math.max(1, rows.length),
    tested,
    items: found.map((each) => toSlice(each, known, escalated)).sort((a, b) => b.score - a.score),
  };
}

function countAutomatic(rows: RowSet, wrong: RowSet, escalated: RowSet) {
  const alone = subtract(rows, escalated);
  return { automatic: countRows(alone), errors: countCommon(alone, wrong) };
}

function toSlice({ part, adjusted }: { part: Tried; adjusted: number }, known: Known, escalated: RowSet): Slice {
  const { count, errors } = part;
  const rest = Math.max(1, known.count - count);
  const escalations = countCommon(part.rows, escalated);
  const meanError = known.errors / known.count;
  const inside = countAutomatic(part.rows, known.wrong, escalated);
  const everyRow = collectRows(known.count, () => true);
  const outside = countAutomatic(subtract(everyRow, part.rows), known.wrong, escalated);
  return {
    description: part.conditions.map(({ text }) => text).join(' and '),
    fields: part.conditions.map(({ field }) => field),
    rows: count,
    errors,
    error_rate: errors / count,
    error_interval: computeWilsonInterval(errors, count),
    rest_error_rate: (known.errors - errors) / rest,
    automatic: inside.automatic,
    error_automatic: inside.errors / Math.max(1, inside.automatic),
    error_automatic_interval: computeWilsonInterval(inside.errors, inside.automatic),
    rest_error_automatic: outside.errors / Math.max(1, outside.automatic),
    escalation_rate: escalations / count,
    rest_escalation_rate: (countRows(escalated) - escalations) / rest,
    p_value: part.p,
    adjusted_p_value: adjusted,
    score: errorWeight * (errors / count / meanError - 1) - (1 - errorWeight) * (known.count / count - 1),
  };
}
