import type { Readings } from '../../../engine/domain/definition.ts';
import { readDaysName } from '../../../engine/rules/days.ts';
import type { Explanation } from '../../../server/contract/deciding/decisions.ts';
import { Bars } from '../bars.tsx';
import { BreakingName } from '../text/breaking-name.tsx';
import { decimal } from '../text/figures.ts';
import { shorten, valueText } from '../text/inputs.ts';
import { isolate, showUnseen } from '../text/names.ts';

type Weighed = { key: string; name: string; value?: string; weight: number };

type WeightsProps = { items: readonly Weighed[]; says: string; write(weight: number): string };

/** Draws what weighs for (+) or against (−) a decision, heaviest first; lengths are relative to the heaviest. */
export function Weights({ items, says, write }: WeightsProps) {
  const sorted = [...items].sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  const largest = Math.max(1e-9, Math.abs(sorted[0]?.weight ?? 0));
  return (
    <Bars
      says={says}
      items={sorted.map(({ key, name, value, weight }) => ({
        key,
        name: (
          <>
            <BreakingName name={name} />{' '}
            {value !== undefined && (
              <span className="clip muted" title={value}>
                {value}
              </span>
            )}
          </>
        ),
        value: Math.abs(weight) / largest,
        text: `${weight >= 0 ? '+' : '−'}${write(Math.abs(weight))}`,
        colour: weight >= 0 ? 'var(--good)' : 'var(--bad)',
      }))}
    />
  );
}

const maxFields = 14;
/** Causes that weigh less do not show. */
const minPoints = 0.0005;
/** Causes that a sentence names. */
const maxNamed = 2;
/** Part of the weight of the heaviest cause below which no sentence names another. */
const minNamedPart = 0.1;
const maxValueLength = 40;

/** A field, and how much less likely the decision is without what it adds; texts are one cause each. */
type Cause = { field: string; value: unknown; isText: boolean; weight: number };

/** The probability on the other side of a logit's change. */
const moveProbability = (probability: number, by: number): number => {
  const sure = Math.min(1 - 1e-9, Math.max(1e-9, probability));
  return 1 / (1 + Math.exp(-(Math.log(sure / (1 - sure)) + by)));
};

/** Lists the fields that weighed in, heaviest first; empty where a rule decided, or nothing is known. */
export function listCauses({ trace, confidence }: Pick<Explanation, 'trace' | 'confidence'>): Cause[] {
  const byField = Map.groupBy(trace?.features ?? [], ({ field }) => field);
  return [...byField]
    .map(([field, parts]) => {
      const logit = parts.reduce((sum, { contribution }) => sum + contribution, 0);
      const isText = parts.some(({ kind }) => kind.startsWith('text_'));
      const weight = confidence - moveProbability(confidence, -logit);
      return { field, value: isText ? undefined : parts[0]?.value, isText, weight };
    })
    .filter(({ weight }) => Math.abs(weight) >= minPoints)
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
}

/** A share as percentage points: `21.2`. */
export const toPoints = (share: number): string => decimal(share * 100, 1);

/** The value of a cause; days between two dates, which have parts of days where there are times, with one digit. */
function causeText(value: unknown, field: string, readings: Readings): string {
  const shown =
    typeof value === 'number' && !Number.isInteger(value) && readDaysName(field) ? Math.round(value * 10) / 10 : value;
  return shorten(valueText(shown, readings[field]), maxValueLength);
}

/** Says in a sentence what was decided and why, with the usual value of a number beside its own. */
export function describeCauses(
  { decision, trace, usual }: Pick<Explanation, 'decision' | 'trace' | 'usual'>,
  causes: readonly Cause[],
  readings: Readings,
): string {
  const rule = trace?.rules.find(({ outcome }) => outcome === 'matched');
  if (rule) return `${isolate(decision)}, by the rule “${isolate(rule.name)}”.`;
  const named = causes
    .filter(({ weight }, _, [heaviest]) => weight > 0 && weight >= minNamedPart * (heaviest?.weight ?? 0))
    .slice(0, maxNamed)
    .map(({ field, value, isText }) => {
      if (isText) return `what ${isolate(field)} says`;
      const middle = typeof value === 'number' ? usual[field] : undefined;
      const beside = middle === undefined || middle === value ? '' : ` (usual: ${causeText(middle, field, readings)})`;
      const text = value === null || value === undefined ? 'missing' : causeText(value, field, readings);
      const days = text === 'missing' ? null : readDaysName(field);
      if (days) return `${text} days between ${isolate(days.since)} and ${isolate(days.until)}${beside}`;
      return `${isolate(field)} is ${isolate(text)}${beside}`;
    });
  return named.length === 0 ? `${isolate(decision)}.` : `${isolate(decision)}, because ${named.join(' and ')}.`;
}

/** Draws the fields that weighed in, in points of how likely the decision is. */
export function FieldWeights({ causes, readings }: { causes: readonly Cause[]; readings: Readings }) {
  const says = 'Points: with + a field speaks for the decision, with − against it.';
  return (
    <>
      <Weights
        items={causes.slice(0, maxFields).map(({ field, value, isText, weight }) => ({
          key: field,
          name: showUnseen(field),
          value: isText ? 'its words and meaning' : causeText(value ?? '', field, readings),
          weight,
        }))}
        says={says}
        write={toPoints}
      />
      <p className="muted">{says}</p>
    </>
  );
}
