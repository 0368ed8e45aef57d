import { formatShare } from '../../../engine/numeric.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Chart } from '../../parts/charts/chart.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { OptionName, useOptionColours } from '../../parts/option.tsx';
import { useNarrow } from '../../parts/panes.tsx';
import { moment, number, percent, shortDay, timeOfDay } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';
import { FigurePart } from './figure-part.tsx';

const freshMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Decisions of fewer days are shown by the hour, with at least this many hours. */
const [minDays, minHours] = [3, 12];
/** Options with a colour of their own in the chart, the commonest first; in a small window fewer. */
const [maxOptions, maxOptionsNarrow] = [5, 3];

type Day = OutputOf<'metrics.days'>['items'][number];

const isFilled = ({ total_decisions }: Day) => total_decisions > 0;

/** The last days, or the hours up to now where there are decisions of too few days. */
function useDays(type: DecisionType, days: number) {
  const params = { decision_type_id: type.id };
  const options = { keepPrevious: true, refetchMs: freshMs };
  const found = useOperation('metrics.days', { params, query: { days } }, options);
  const all = found.data?.items ?? [];
  const first = all.findIndex(isFilled);
  const filledDays = all.length - first;
  const isShort = first >= 0 && filledDays < minDays;
  // With the day before: soon after midnight the day itself has too few hours.
  const hourly = useOperation(
    'metrics.days',
    { params, query: { days: filledDays + 1, step: 'hour' } },
    { ...options, enabled: isShort },
  );
  const hours = isShort ? (hourly.data?.items ?? []) : [];
  const shown = hours.slice(Math.min(hours.findIndex(isFilled), hours.length - minHours));
  return { ...found, items: shown.length > 0 ? shown : all };
}

/** How many decisions each day brought, for which options, and how many of them need review. */
export function OverTime({ type, days }: { type: DecisionType; days: number }) {
  const { items, ...found } = useDays(type, days);
  if (found.isError) return <ErrorNote error={found.error} />;
  if (!found.data) return null;
  const total = items.reduce((sum, day) => sum + day.total_decisions, 0);
  const reviewed = items.reduce((sum, day) => sum + day.total_decisions * (day.escalation_rate ?? 0), 0);
  return (
    <>
      <FigurePart title={`decisions in ${days} days`} figure={number(total)} says="Decisions in this period.">
        <DaysChart typeId={type.id} days={items} />
      </FigurePart>
      <FigurePart
        title="need review"
        figure={total === 0 ? '–' : percent(reviewed / total)}
        says="The share of the decisions of this period that needs review."
      >
        <ReviewChart days={items.filter(isFilled)} />
      </FigurePart>
    </>
  );
}

const startOf = ({ day, hour }: Day) => Date.parse(day) + (hour ?? 0) * hourMs;

const toSpan = ([first]: readonly Day[]) => {
  const isHourly = first !== undefined && first.hour !== null;
  return {
    name: isHourly ? 'Hour' : 'Day (UTC)',
    show: isHourly ? timeOfDay : shortDay,
    from: (day: Day) => new Date(startOf(day)),
    to: (day: Day) => new Date(startOf(day) + (isHourly ? hourMs : dayMs)),
  };
};

/** The first column of a table: the day, with the hour where it is one. */
const when = {
  name: 'From',
  show: (day: Day) => (day.hour === null ? shortDay(startOf(day)) : moment(new Date(startOf(day)).toISOString())),
};

function ReviewChart({ days }: { days: readonly Day[] }) {
  const [first] = days;
  if (days.length < 2)
    return first ? (
      <div className="muted">One {first.hour === null ? 'day' : 'hour'} with decisions so far.</div>
    ) : null;
  return (
    <Chart
      rows={days}
      columns={[when, { name: 'Needs review', show: (day) => percent(day.escalation_rate ?? 0) }]}
      x={toSpan(days)}
      y={{ name: 'Share of the decisions', show: formatShare, domain: [0, topOf(days)] }}
      lines={[{ colour: 'var(--accent)', of: (day) => day.escalation_rate ?? 0, drawn: 'points and line' }]}
      says="The share of the decisions that goes to a person."
    />
  );
}

/** The end of an axis of shares: a quarter, half, or the whole. */
function topOf(days: readonly Day[]): number {
  const most = Math.max(0, ...days.map((day) => day.escalation_rate ?? 0));
  return [0.25, 0.5].find((top) => most <= top) ?? 1;
}

function DaysChart({ typeId, days }: { typeId: string; days: readonly Day[] }) {
  const colourOf = useOptionColours(typeId);
  const most = useNarrow() ? maxOptionsNarrow : maxOptions;
  const countOf = (option: string) => (day: Day) => day.decision_distribution[option] ?? 0;
  const sumOf = (option: string) => days.reduce((sum, day) => sum + countOf(option)(day), 0);
  const options = [...new Set(days.flatMap((day) => Object.keys(day.decision_distribution)))]
    .sort((a, b) => sumOf(b) - sumOf(a))
    .slice(0, most);
  const others = (day: Day) => day.total_decisions - options.reduce((sum, option) => sum + countOf(option)(day), 0);
  const hasOthers = days.some((day) => others(day) > 0);
  return (
    <Chart
      rows={days}
      columns={[
        when,
        { name: 'Decisions', show: (day) => number(day.total_decisions) },
        ...options.map((option) => ({ name: isolate(option), show: (day: Day) => number(countOf(option)(day)) })),
        ...(hasOthers ? [{ name: 'Other options', show: (day: Day) => number(others(day)) }] : []),
      ]}
      x={toSpan(days)}
      y={{ name: 'Decisions', show: number }}
      bars={{
        series: [
          ...options.map((option) => ({ colour: colourOf(option), of: countOf(option) })),
          { colour: 'var(--line-strong)', of: others },
        ],
      }}
      below={
        <ul className="row small">
          {options.map((option) => (
            <li key={option}>
              <OptionName typeId={typeId} option={option} />
            </li>
          ))}
          {hasOthers && <li className="muted">other options in grey</li>}
        </ul>
      }
      says="Decisions by option; the last ones are not over yet."
    />
  );
}
