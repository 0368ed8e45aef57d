/** How the inputs of today differ from the examples: one sentence for each field that does. */
import { z } from 'zod';
import { parseDate } from '../features/dates.ts';
import { listIdentifyingFields } from '../features/identifying-fields.ts';
import { computeWilsonInterval } from '../intervals.ts';
import { formatShare } from '../numeric.ts';
import { isPiiField } from '../pii.ts';
import type { LanguageDetector } from '../ports.ts';
import { collectRows, countCommon } from '../row-sets.ts';
import { countLanguages } from '../text/languages.ts';
import { type Cell, type Column, collectColumns, isTextColumn } from './columns.ts';
import { adjustForDiscoveries, computeFisherTail, listLogFactorials } from './significance.ts';
import { listConditions, type SeenInput } from './slice-conditions.ts';

export const driftSchema = z.object({
  field: z.string(),
  condition: z.string().describe('The value or range of the field whose share has changed most'),
  decisions_share: z.number().describe('Of the decisions, those whose input fulfils the condition'),
  examples_share: z.number(),
  sentence: z.string(),
});
type Drift = z.infer<typeof driftSchema>;
export const unfamiliarDriftSchema = z.object({
  decisions: z.int().describe('Decisions of the deployed policy that no rule made, among the newest'),
  decisions_share: z.number().describe('Of these, those whose input was unlike the examples'),
  examples_share: z.number().describe('As many are expected of inputs like the examples'),
  sentence: z.string(),
});
export const weekDriftSchema = z.object({
  this_week: z.int().describe('The newest decisions of the last seven days that were compared, at most 1,000'),
  last_week: z.int().describe('Of the seven days before'),
  comparable: z.boolean().describe('Whether there are 50 of each, as a comparison needs'),
  items: z.array(
    z.object({
      field: z.string(),
      condition: z.string().describe('The value or range of the field whose share has changed most'),
      this_week_share: z.number(),
      last_week_share: z.number(),
    }),
  ),
});
type WeekDrift = z.infer<typeof weekDriftSchema>;
type UnfamiliarDrift = z.infer<typeof unfamiliarDriftSchema>;
const languageShares = z.array(z.object({ language: z.string().describe('By ISO 639-1'), share: z.number() }));
export const fieldLanguagesSchema = z.object({
  field: z.string(),
  decisions: languageShares,
  examples: languageShares,
});
type FieldLanguages = z.infer<typeof fieldLanguagesSchema>;

/** How many rows there are, whether they are enough to be compared, and what differs. */
type FieldDrift = { examples: number; decisions: number; comparable: boolean; items: Drift[] };
export type DriftReport = FieldDrift & {
  unfamiliar: UnfamiliarDrift | null;
  languages: FieldLanguages[];
  weeks: WeekDrift;
};

/** Fewer rows on either side say too little. */
const minRows = 50;
/** The share of false ones that is expected among the differences found. */
const falseDiscoveryRate = 0.01;
/** A smaller change of a share is seldom worth a look. */
const minDifference = 0.1;

/** The year, month and day of a date. */
function readParts(cell: Cell): number[] {
  return typeof cell === 'string' && parseDate(cell) !== null ? (cell.match(/\d+/g) ?? []).slice(0, 3).map(Number) : [];
}

/** Fields that always move, so that nothing has changed because they do: row names, dates and their parts. */
function listMovingFields(examples: readonly SeenInput[], decisions: readonly SeenInput[]): Set<string> {
  const table = collectColumns();
  for (const { input } of [...examples, ...decisions]) table.add(input);
  const columns = table.finish();
  const dates = columns.flatMap(({ name, cells }) => {
    const parts = cells.map(readParts);
    const isDate = cells.every((cell, row) => cell == null || cell === '' || parts[row]?.length === 3);
    return isDate && parts.some(({ length }) => length > 0) ? [{ name, parts }] : [];
  });
  const isPart = ({ cells }: Column) =>
    dates.some(({ parts }) =>
      [0, 1, 2].some((at) => cells.every((cell, row) => cell == null || cell === parts[row]?.[at])),
    );
  return new Set([
    ...listIdentifyingFields(examples.map(({ input }) => input)).map((path) => path.join('.')),
    ...dates.map(({ name }) => name),
    ...columns.filter((column) => column.cells.some((cell) => cell != null) && isPart(column)).map(({ name }) => name),
  ]);
}

/** Fields with another share among decisions: by 10 points and Fisher's exact test, 1% false ones; rises first. */
export function findDrift(
  examples: readonly SeenInput[],
  decisions: readonly SeenInput[],
  piiFields: readonly string[],
  detectLanguage: LanguageDetector | null = null,
): FieldDrift {
  const counts = { examples: examples.length, decisions: decisions.length };
  if (Math.min(examples.length, decisions.length) < minRows) return { ...counts, comparable: false, items: [] };
  const all = examples.length + decisions.length;
  const logs = listLogFactorials(all);
  const isDecision = collectRows(all, (row) => row >= examples.length);
  const conditions = listConditions([...examples, ...decisions], 1, piiFields, {
    detectLanguage,
    valueless: listMovingFields(examples, decisions),
  });
  const tried = conditions.map(({ field, text, rows, count }) => {
    const decided = countCommon(rows, isDecision);
    const shares = { decisions: decided / decisions.length, examples: (count - decided) / examples.length };
    const [hits, size] =
      shares.decisions > shares.examples ? [decided, decisions.length] : [count - decided, examples.length];
    const p = Math.min(1, 2 * computeFisherTail(logs, { hits, size, allHits: count, all }));
    return { field, text, shares, rise: shares.decisions - shares.examples, p };
  });
  const adjusted = adjustForDiscoveries(
    tried.map(({ p }) => p),
    tried.length,
  );
  const found = tried
    .filter(({ rise }, i) => Math.abs(rise) >= minDifference && (adjusted[i] ?? 1) <= falseDiscoveryRate)
    .sort((a, b) => b.rise - a.rise);
  const items = [...Map.groupBy(found, ({ field }) => field).values()].flatMap(([largest]) =>
    largest === undefined ? [] : [toDrift(largest.field, largest.text, largest.shares)],
  );
  return { ...counts, comparable: true, items };
}

/** Compares the inputs of this week with those of the last one, as `findDrift` compares decisions with examples. */
export function compareWeeks(
  lastWeek: readonly SeenInput[],
  thisWeek: readonly SeenInput[],
  piiFields: readonly string[],
  detectLanguage: LanguageDetector | null = null,
): WeekDrift {
  const { examples, decisions, comparable, items } = findDrift(lastWeek, thisWeek, piiFields, detectLanguage);
  return {
    this_week: decisions,
    last_week: examples,
    comparable,
    items: items.map(({ field, condition, decisions_share, examples_share }) => ({
      field,
      condition,
      this_week_share: decisions_share,
      last_week_share: examples_share,
    })),
  };
}

/** The languages of each field of texts, then and now; nothing of one that is in English alone, or personal. */
export function compareLanguages(
  examples: readonly SeenInput[],
  decisions: readonly SeenInput[],
  piiFields: readonly string[],
  detect: LanguageDetector,
): FieldLanguages[] {
  const collect = (inputs: readonly SeenInput[]) => {
    const table = collectColumns();
    for (const { input } of inputs) table.add(input);
    return table.finish();
  };
  const count = (column: Column | undefined) =>
    countLanguages(
      (column?.cells ?? []).filter((cell) => typeof cell === 'string'),
      detect,
    );
  const before = new Map(collect(examples).map((column) => [column.name, column]));
  return collect(decisions)
    .filter((column) => isTextColumn(column) && !isPiiField(column.path, piiFields))
    .map((column) => ({ field: column.name, decisions: count(column), examples: count(before.get(column.name)) }))
    .filter(({ decisions: now, examples: then }) => [...now, ...then].some(({ language }) => language !== 'en'));
}

/** Compares the unfamiliar share of decisions with the expected one: null unless certainly (95%) 10 points above. */
export function compareFamiliarity(unfamiliar: number, decisions: number, expected: number): UnfamiliarDrift | null {
  if (decisions < minRows) return null;
  const share = unfamiliar / decisions;
  const { low } = computeWilsonInterval(unfamiliar, decisions);
  if (low <= expected || share - expected < minDifference) return null;
  return {
    decisions,
    decisions_share: share,
    examples_share: expected,
    sentence: `Unlike the examples: ${formatShare(share)} of the decisions, where ${formatShare(expected)} are expected.`,
  };
}

function toDrift(field: string, condition: string, shares: { decisions: number; examples: number }): Drift {
  const say = (share: number) => (share === 0 ? 'none' : formatShare(share));
  return {
    field,
    condition,
    decisions_share: shares.decisions,
    examples_share: shares.examples,
    sentence: `${condition}: ${say(shares.decisions)} of the decisions, ${say(shares.examples)} of the examples.`,
  };
}
