import { Button } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Bars } from '../../parts/bars.tsx';
import { ClockNote, DamageNote } from '../../parts/data-notes.tsx';
import { PromiseState } from '../../parts/explained/promise-state.tsx';
import { Figure } from '../../parts/figure.tsx';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { OptionName, useOptionColours } from '../../parts/option.tsx';
import { useNarrow } from '../../parts/panes.tsx';
import { count, milliseconds, number, percent } from '../../parts/text/figures.ts';
import { useOperation } from '../../state/queries.ts';
import { goTo } from '../../state/route.ts';
import { ChangedFields, DriftNote, Weeks } from './drift-note.tsx';

/** The error of live decisions by the audit, and the way to decisions that wait to be judged. */
function AuditNote({ type }: { type: DecisionType }) {
  const audit = useOperation('audit.get', { params: { decision_type_id: type.id } });
  if (audit.isError) return <ErrorNote error={audit.error} />;
  if (!audit.data) return null;
  const { deployed, to_judge: waiting } = audit.data;
  if (type.audit === null && waiting === 0 && deployed === null) {
    return <p className="muted">Live errors are not known yet: draw some decisions to judge, under Define.</p>;
  }
  return (
    <div className="row between" role="status" aria-label="Audit">
      <p>
        {deployed?.sentence ?? 'No decision of the deployed policy has been drawn for you to judge yet.'}
        {type.audit?.per_week !== undefined && ' Those of this week are drawn on Monday.'}
      </p>
      {waiting > 0 && (
        <Button onClick={() => goTo({ page: 'type', id: type.id, place: 'examples', query: { queue: 'audit' } })}>
          Judge {count(waiting, 'decision')}
        </Button>
      )}
    </div>
  );
}

const OverTime = lazy(async () => ({ default: (await import('./over-time.tsx')).OverTime }));

const liveMs = 5_000;
/** Options whose share is shown, those that changed most; in a small window fewer. */
const [maxOptions, maxOptionsNarrow] = [6, 3];

/** Decisions of the last days, how they differ from the examples, and how things stand now; an alert first. */
export function Overview({ type, days }: { type: DecisionType; days: number }) {
  return (
    <div className="overview cards">
      <DamageNote />
      <ClockNote />
      <DriftNote type={type} />
      <Suspense>
        <OverTime type={type} days={days} />
      </Suspense>
      <Now type={type} />
      <Weeks type={type} />
      <ChangedFields type={type} />
    </div>
  );
}

/** The last 24 hours: figures, the mix of the options then and now, and whether the promise is kept. */
function Now({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const metrics = useOperation('metrics.type', { params }, { refetchMs: liveMs });
  if (metrics.isError) return <ErrorNote error={metrics.error} />;
  if (!metrics.data) return null;
  const { total_decisions, latency_p50_ms, latency_p95_ms } = metrics.data;
  return (
    <>
      <Part
        title="decisions in the last 24 hours"
        tools={
          <Figure className="figure-large" says="Decisions recorded in the last 24 hours.">
            {number(total_decisions)}
          </Figure>
        }
      >
        <Mix type={type} distribution={metrics.data.decision_distribution} />
      </Part>
      <footer className="row">
        {latency_p50_ms !== null && latency_p95_ms !== null && (
          <p className="muted">
            Answered in{' '}
            <Figure says="Half of the newest 1,000 decisions of the last 24 hours were answered within this time. An item of a batch counts its share of the batch.">
              {milliseconds(latency_p50_ms)}
            </Figure>
            ,{' '}
            <Figure says="95 of 100 of the newest 1,000 decisions of the last 24 hours were answered within this time.">
              95 of 100 within {milliseconds(latency_p95_ms)}
            </Figure>
          </p>
        )}
        <PromiseState promise={type.declared_promise} />
        <AuditNote type={type} />
      </footer>
    </>
  );
}

/** The share of each option among decisions and among labelled examples. */
function Mix({ type, distribution }: { type: DecisionType; distribution: Readonly<Record<string, number>> }) {
  const stats = useOperation('examples.stats', { params: { decision_type_id: type.id } });
  const colourOf = useOptionColours(type.id);
  const most = useNarrow() ? maxOptionsNarrow : maxOptions;
  const decided = Object.values(distribution).reduce((sum, count) => sum + count, 0);
  if (decided === 0 || !stats.data) return null;
  const { by_option, labelled } = stats.data;
  const rows = type.active_version.options
    .map((option) => ({
      option,
      now: (distribution[option] ?? 0) / decided,
      examples: labelled === 0 ? 0 : (by_option[option] ?? 0) / labelled,
    }))
    .sort((a, b) => Math.abs(b.now - b.examples) - Math.abs(a.now - a.examples));
  return (
    <Bars
      says="The share of each option among the decisions of the last 24 hours; marks are its share of the labelled examples."
      items={rows.slice(0, most).map(({ option, now, examples }) => ({
        key: option,
        name: <OptionName typeId={type.id} option={option} />,
        value: now,
        mark: examples,
        colour: colourOf(option),
        text: `${percent(now)}, was ${percent(examples)}`,
      }))}
    />
  );
}
