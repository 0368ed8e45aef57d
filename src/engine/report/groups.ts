/** Groups that must not be harmed: shares and errors of the rows of each, and the least favoured beside the most. */
import { z } from 'zod';
import { characters } from '../domain/definition.ts';
import type { Division } from '../findings/slice-conditions.ts';
import { computeRatioInterval } from '../intervals.ts';
import { orNull } from '../json.ts';
import { limits } from '../limits.ts';
import { decideRow, type ReappliedRow } from '../measure/reapply.ts';
import { measureRows } from '../measure/whole-decision.ts';
import { type MeasuredShare, measuredShareSchema, verdictSchema } from '../measured.ts';
import { formatRange, formatShare } from '../numeric.ts';
import type { ThresholdSettings } from '../thresholds.ts';

/** Options that are compared where none is favoured, those decided most. */
const maxOptions = 6;

const limitSchema = z.number().min(0).max(1);
export const groupSettingSchema = z
  .strictObject({
    fields: z
      .array(characters(1, 400))
      .min(1)
      .max(limits.maxGroupFields)
      .refine((fields) => new Set(fields).size === fields.length, { error: 'must be different fields' })
      .describe('Dot paths of the fields whose values are compared; none has to be learned'),
    favoured: orNull(z.string(), 'The option that people hope for; null: each is compared'),
    min_ratio: limitSchema
      .default(0.8)
      .describe('The least share of the favoured option beside the greatest one; certainly less holds a release'),
    max_error: orNull(
      limitSchema,
      'Of wrong ones among those decided alone in any group; certainly more holds a release',
    ),
  })
  .meta({ id: 'GroupSetting', examples: [{ fields: ['sex'], favoured: 'approve', min_ratio: 0.8, max_error: null }] });
/** The fields by whose values a type's decisions are compared, and what must hold among them. */
export type GroupSetting = z.infer<typeof groupSettingSchema>;

/** Carries the favoured option along where it is renamed or merged, or goes (null). */
export const replaceFavoured = (groups: GroupSetting, from: string, into: string | null): GroupSetting =>
  groups.favoured === from ? { ...groups, favoured: into } : groups;

const shareOfGroup = z.object({ group: z.string(), share: z.number() });
export const groupReportSchema = z
  .object({
    field: z.string(),
    groups: z
      .array(
        z.object({
          name: z
            .string()
            .describe('The value as JSON, or a range, `missing`, `another value`; of a personal field a token'),
          rows: z.int(),
          automatic: measuredShareSchema
            .nullable()
            .describe(`Decided alone; null, as all figures, below ${limits.minGroupRows} rows`),
          wrong: measuredShareSchema.nullable().describe('Decided wrongly, handed on or not'),
          error_automatic: measuredShareSchema.nullable().describe('Wrong ones among those decided alone'),
          options: z.array(
            z.object({
              option: z.string(),
              given: measuredShareSchema.describe('Decided so, handed on or not'),
              false_positive: measuredShareSchema.describe('Decided so where another option is right'),
              false_negative: measuredShareSchema.describe('Decided otherwise where it is right'),
            }),
          ),
        }),
      )
      .describe('The largest first'),
    ratios: z
      .array(
        z.object({
          option: z.string(),
          ratio: z.number().describe('The least `given` of a group beside the greatest: the demographic parity ratio'),
          low: z.number(),
          high: z.number().describe('low to high with 95% confidence'),
          least: shareOfGroup,
          most: shareOfGroup,
        }),
      )
      .describe('Of each option, the lowest first; empty below two groups with figures'),
    state: verdictSchema.element.shape.state.describe('How it stands with the limits of the setting, as in verdicts'),
    sentence: z.string(),
  })
  .meta({ id: 'GroupReport' });
export type GroupReport = z.infer<typeof groupReportSchema>;
type Group = GroupReport['groups'][number];

const isKnown = (share: MeasuredShare | null): share is MeasuredShare & { share: number } =>
  share !== null && share.share !== null;

/** Compares what is decided of the groups of each division, whose row numbers are places in `rows`. */
export function compareGroups(
  rows: readonly ReappliedRow[],
  divisions: readonly Division[],
  settings: ThresholdSettings,
  asked: GroupSetting & { options: readonly string[] },
): GroupReport[] {
  const outcomes = rows.map((row) => ({ ...row, ...decideRow(row, settings) }));
  const options = chooseOptions(outcomes, asked);
  return divisions.map(({ field, groups: parts }) => {
    const groups = parts
      .map(({ name, rows: own }) =>
        measureGroup(
          name,
          own.flatMap((row) => outcomes[row] ?? []),
          options,
        ),
      )
      .sort((a, b) => b.rows - a.rows || (a.name < b.name ? -1 : 1));
    const ratios = options.flatMap((option) => findRatio(groups, option) ?? []).sort((a, b) => a.ratio - b.ratio);
    return { field, groups, ratios, ...judge(field, groups, ratios, asked) };
  });
}

type Outcome = ReappliedRow & ReturnType<typeof decideRow>;

function chooseOptions(
  outcomes: readonly Outcome[],
  { favoured, options }: Parameters<typeof compareGroups>[3],
): string[] {
  if (favoured !== null && options.includes(favoured)) return [favoured];
  const decided = Map.groupBy(outcomes, ({ decision }) => decision);
  const count = (option: string) => decided.get(option)?.length ?? 0;
  return [...options].sort((a, b) => count(b) - count(a)).slice(0, maxOptions);
}

function measureGroup(name: string, rows: readonly Outcome[], options: readonly string[]): Group {
  if (rows.length < limits.minGroupRows)
    return { name, rows: rows.length, automatic: null, wrong: null, error_automatic: null, options: [] };
  const isWrong = ({ decision, expected }: Outcome) => decision !== expected;
  return {
    name,
    rows: rows.length,
    automatic: measureRows(rows, ({ escalate }) => !escalate),
    wrong: measureRows(rows, isWrong),
    error_automatic: measureRows(
      rows.filter(({ escalate }) => !escalate),
      isWrong,
    ),
    options: options.map((option) => {
      const [its, others] = [
        rows.filter((row) => row.expected === option),
        rows.filter((row) => row.expected !== option),
      ];
      return {
        option,
        given: measureRows(rows, ({ decision }) => decision === option),
        false_positive: measureRows(others, ({ decision }) => decision === option),
        false_negative: measureRows(its, ({ decision }) => decision !== option),
      };
    }),
  };
}

function findRatio(groups: readonly Group[], option: string): GroupReport['ratios'][number] | null {
  const given = groups.flatMap(({ name, options }) => {
    const share = options.find((each) => each.option === option)?.given ?? null;
    return isKnown(share) ? [{ group: name, ...share }] : [];
  });
  const [least, ...others] = given.sort((a, b) => a.share - b.share);
  const most = others.at(-1);
  if (least === undefined || most === undefined || most.share === 0) return null;
  const toShare = ({ group, share }: typeof least) => ({ group, share });
  return {
    option,
    ratio: least.share / most.share,
    ...computeRatioInterval(least, most),
    least: toShare(least),
    most: toShare(most),
  };
}

type Judgement = Pick<GroupReport, 'state' | 'sentence'>;
const standings = {
  passed: 'at least the # asked for',
  warning: 'less than the # asked for, which may be chance',
  blocking: 'certainly less than the # asked for',
} as const;

/** Judges the lowest ratio, and the group that is wrong most, by the limits of the setting; the worse of the two. */
function judge(
  field: string,
  groups: readonly Group[],
  [lowest]: GroupReport['ratios'],
  { min_ratio: min, max_error: max }: GroupSetting,
): Judgement {
  const by = `By «${field}»`;
  if (lowest === undefined) {
    const [{ options: compared } = { options: [] }, ...others] = groups.filter(({ options }) => options.length > 0);
    const sentence =
      compared.length > 0 && others.length > 0
        ? `${by} no group has an unseen example that is decided ${compared.map(({ option }) => `«${option}»`).join(' or ')}: there is nothing to compare.`
        : `${by} there are no two groups of ${limits.minGroupRows} unseen examples to compare.`;
    return { state: 'warning', sentence };
  }
  const { option, ratio, low, high, least, most } = lowest;
  const state = ratio >= min ? 'passed' : high < min ? 'blocking' : 'warning';
  const figure = `${ratio.toFixed(2)} (95% confidence interval ${low.toFixed(2)} to ${high.toFixed(2)})`;
  const sentence = `${by} «${option}» goes to ${formatShare(least.share)} where it is ${least.group}, to ${formatShare(most.share)} where it is ${most.group}: a ratio of ${figure}, ${standings[state].replace('#', String(min))}.`;
  const [worst] = groups
    .flatMap(({ name, error_automatic: error }) => (isKnown(error) ? [{ name, ...error }] : []))
    .sort((a, b) => b.share - a.share);
  if (max === null || worst === undefined || worst.share <= max) return { state, sentence };
  const isCertain = worst.low > max;
  const range = formatRange(worst);
  const error = `Where it is ${worst.name}, ${formatShare(worst.share)} of those decided alone are wrong (95% confidence interval ${range}), ${isCertain ? 'certainly ' : ''}more than the ${formatShare(max)} allowed.`;
  return { state: isCertain || state === 'blocking' ? 'blocking' : 'warning', sentence: `${sentence} ${error}` };
}
