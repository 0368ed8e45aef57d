import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { PlanName } from '../../../server/contract/account/account.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import { Bars } from '../../parts/bars.tsx';
import { Busy, ErrorNote, Facts, Part } from '../../parts/notes.tsx';
import { moment, percent } from '../../parts/text/figures.ts';
import { useChange, useOperation } from '../../state/queries.ts';

const periods = [7, 30, 90] as const;

const operationNames: Readonly<Record<string, string>> = {
  decision: 'Decisions',
  training: 'Trainings',
  generation: 'Generated examples',
  hosting: 'Hosting',
};

/** The plan, the credits left, and their use. */
export function Credits() {
  const [days, setDays] = useState<number>(30);
  const balance = useOperation('credits.balance', {});
  const plans = useOperation('billing.plans', {});
  const usage = useOperation('credits.usage', { query: { days, page_size: 1 } }, { keepPrevious: true });
  const choose = useChange('billing.set_plan');
  const total = usage.data?.summary.total_credits ?? 0;
  return (
    <div className="stack">
      {balance.isPending && <Busy>Reading the balance…</Busy>}
      {(balance.isError || plans.isError || usage.isError) && (
        <ErrorNote error={balance.error ?? plans.error ?? usage.error} />
      )}
      {balance.data && <Balance balance={balance.data} />}
      {plans.data && (
        <NativeSelect
          label="Plan"
          description="The plan “local” allows everything; the others work under a budget."
          w={280}
          value={plans.data.current}
          disabled={choose.isPending}
          data={plans.data.plans.map(({ name, title }) => ({ value: name, label: title }))}
          onChange={(event) => choose.mutate({ body: { plan: event.currentTarget.value as PlanName } })}
        />
      )}
      {choose.isError && <ErrorNote error={choose.error} />}
      <Part
        title="What credits were used for"
        tools={
          <NativeSelect
            aria-label="Period"
            value={String(days)}
            data={periods.map((period) => ({ value: String(period), label: `last ${period} days` }))}
            onChange={(event) => setDays(Number(event.currentTarget.value))}
          />
        }
      >
        {usage.data && total === 0 && <p className="muted">Nothing was used in this period.</p>}
        {usage.data && total > 0 && (
          <Bars
            says="Credits used by each kind of work."
            items={Object.entries(usage.data.summary.by_operation).map(([operation, credits]) => ({
              key: operation,
              name: operationNames[operation] ?? operation,
              value: credits / total,
              text: credits.toLocaleString(),
            }))}
          />
        )}
      </Part>
    </div>
  );
}

function Balance({ balance: { used, remaining, percent_used, resets_at } }: { balance: OutputOf<'credits.balance'> }) {
  const facts = [
    { name: 'Used in this period', value: used.toLocaleString(), help: 'Credits used since the period began.' },
    {
      name: 'Remaining',
      value: remaining?.toLocaleString() ?? 'no limit',
      help: 'Credits that the plan still allows in this period.',
    },
    percent_used !== null && {
      name: 'Share used',
      value: percent(percent_used / 100),
      help: 'The share of the credits of this period that is used.',
    },
    resets_at !== null && {
      name: 'Resets',
      value: moment(resets_at),
      help: 'When the next period begins, with all its credits.',
    },
  ];
  return <Facts items={facts.filter((fact) => fact !== false)} />;
}
