import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Chart } from '../../parts/charts/chart.tsx';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { OptionName, useOptionColours } from '../../parts/option.tsx';
import { number, percent, shortDay } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';

const periods = [14, 30, 90] as const;
const freshMs = 60_000;
const dayMs = 86_400_000;
/** Options with a colour of their own in the chart, the commonest first. */
const maxOptions = 7;

type Day = OutputOf<'metrics.days'>['items'][number];

/** How many decisions each day brought, and for which options. */
export function OverTime({ type }: { type: DecisionType }) {
  const [days, setDays] = useState<number>(periods[0]);
  const input = { params: { decision_type_id: type.id }, query: { days } };
  const found = useOperation('metrics.days', input, { keepPrevious: true, refetchMs: freshMs });
  return (
    <Part
      title="Decisions a day"
      tools={
        <NativeSelect
          aria-label="Period"
          value={String(days)}
          data={periods.map((period) => ({ value: String(period), label: `last ${period} days` }))}
          onChange={(event) => setDays(Number(event.currentTarget.value))}
        />
      }
    >
      {found.isError && <ErrorNote error={found.error} />}
      {found.data && <DaysChart typeId={type.id} days={found.data.items} />}
    </Part>
  );
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
        { name: 'Needs review', show: (day) => (day.escalation_rate === null ? '–' : percent(day.escalation_rate)) },
      ]}
      x={{
        name: 'Day (UTC)',
        show: shortDay,
        from: ({ day }) => new Date(day),
        to: ({ day }) => new Date(Date.parse(day) + dayMs),
      }}
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
      says="Decisions of each day by option. Today is not over yet."
    />
  );
}
