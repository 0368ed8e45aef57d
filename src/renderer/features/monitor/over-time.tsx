import { formatShare } from '../../../engine/measure/format-share.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Chart } from '../../parts/charts/chart.tsx';
import { Figure } from '../../parts/figure.tsx';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { OptionName, useOptionColours } from '../../parts/option.tsx';
import { number, percent, shortDay } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';

const freshMs = 60_000;
const dayMs = 86_400_000;
/** Options with a colour of their own in the chart, the commonest first. */
const maxOptions = 5;

type Day = OutputOf<'metrics.days'>['items'][number];

/** How many decisions each day brought, for which options, and how many of them need review. */
export function OverTime({ type, days }: { type: DecisionType; days: number }) {
  const input = { params: { decision_type_id: type.id }, query: { days } };
  const found = useOperation('metrics.days', input, { keepPrevious: true, refetchMs: freshMs });
  if (found.isError) return <ErrorNote error={found.error} />;
  if (!found.data) return null;
  const { items } = found.data;
  const total = items.reduce((sum, day) => sum + day.total_decisions, 0);
  const reviewed = items.reduce((sum, day) => sum + day.total_decisions * (day.escalation_rate ?? 0), 0);
  return (
    <>
      <Part
        title="Decisions by day"
        tools={
          <Figure className="figure-large" says="Decisions in this period.">
            {number(total)}
          </Figure>
        }
      >
        <DaysChart typeId={type.id} days={items} />
      </Part>
      <Part
        title="Review by day"
        tools={
          <Figure className="figure-large" says="The share of the decisions of this period that needs review.">
            {total === 0 ? '–' : percent(reviewed / total)}
          </Figure>
        }
      >
        <ReviewChart days={items.filter(({ total_decisions }) => total_decisions > 0)} />
      </Part>
    </>
  );
}

const spanOfDay = {
  name: 'Day (UTC)',
  show: shortDay,
  from: ({ day }: Day) => new Date(day),
  to: ({ day }: Day) => new Date(Date.parse(day) + dayMs),
};

function ReviewChart({ days }: { days: readonly Day[] }) {
  return (
    <Chart
      rows={days}
      columns={[
        { name: 'Day', show: ({ day }) => shortDay(Date.parse(day)) },
        { name: 'Needs review', show: (day) => percent(day.escalation_rate ?? 0) },
      ]}
      x={spanOfDay}
      y={{ name: 'Share of the decisions', show: formatShare, domain: [0, topOf(days)] }}
      lines={[{ colour: 'var(--accent)', of: (day) => day.escalation_rate ?? 0, drawn: 'points and line' }]}
      says="The share of each day’s decisions that goes to a person."
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
  const countOf = (option: string) => (day: Day) => day.decision_distribution[option] ?? 0;
  const sumOf = (option: string) => days.reduce((sum, day) => sum + countOf(option)(day), 0);
  const options = [...new Set(days.flatMap((day) => Object.keys(day.decision_distribution)))]
    .sort((a, b) => sumOf(b) - sumOf(a))
    .slice(0, maxOptions);
  const others = (day: Day) => day.total_decisions - options.reduce((sum, option) => sum + countOf(option)(day), 0);
  const hasOthers = days.some((day) => others(day) > 0);
  return (
    <Chart
      rows={days}
      columns={[
        { name: 'Day', show: ({ day }) => shortDay(Date.parse(day)) },
        { name: 'Decisions', show: (day) => number(day.total_decisions) },
        ...options.map((option) => ({ name: isolate(option), show: (day: Day) => number(countOf(option)(day)) })),
        ...(hasOthers ? [{ name: 'Other options', show: (day: Day) => number(others(day)) }] : []),
      ]}
      x={spanOfDay}
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
      says="Decisions of each day by option, in UTC; today is not over yet."
    />
  );
}
