import { Button } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { formatShare } from '../../../engine/numeric.ts';
import { describeLanguages } from '../../../engine/text/languages.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Bars } from '../../parts/bars.tsx';
import { ClockNote, DamageNote } from '../../parts/data-notes.tsx';
import { PromiseState } from '../../parts/explained/promise-state.tsx';
import { Figure } from '../../parts/figure.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { OptionName, useOptionColours } from '../../parts/option.tsx';
import { useNarrow } from '../../parts/panes.tsx';
import { count, milliseconds, number, percent } from '../../parts/text/figures.ts';
import { showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';
import { changeQuery, goTo } from '../../state/route.ts';
import { FigurePart } from './figure-part.tsx';

const maxFields = 5;
const computingMs = 1_000;
const keptMs = 60_000;

/** How the newest decisions differ from the examples; read again while that is being found out. */
const useDrift = (type: DecisionType) =>
  useOperation(
    'metrics.drift',
    { params: { decision_type_id: type.id } },
    { refetchMs: (data) => (data?.state === 'computing' ? computingMs : keptMs) },
  );

/** Says whether inputs are unlike the examples, and what to do then; nothing before there are enough. */
function DriftNote({ type }: { type: DecisionType }) {
  const drift = useDrift(type);
  if (drift.isError) return <ErrorNote error={drift.error} />;
  if (!drift.data || drift.data.computed_at === null) return null;
  const { items, decisions, comparable, unfamiliar, languages } = drift.data;
  const seen = languages.filter(
    (field) => field.decisions.length > 0 && describeLanguages(field.decisions) !== describeLanguages(field.examples),
  );
  const now = seen.map((field) => (
    <p key={field.field} className="muted">
      {showUnseen(field.field)} is in {describeLanguages(field.decisions)} now
      {field.examples.length > 0 && `, in ${describeLanguages(field.examples)} among the examples`}.
    </p>
  ));
  if (unfamiliar === null && !comparable) return now;
  if (items.length === 0 && unfamiliar === null) {
    return (
      <>
        <p className="muted">No field drift in the newest {count(decisions, 'decision')}.</p>
        {now}
      </>
    );
  }
  return (
    <div className="note warn row still" role="status" aria-label="Drift">
      <TriangleAlert size={18} aria-hidden="true" />
      <div className="grow">
        <strong>
          Inputs have changed since the examples were collected
          {unfamiliar &&
            `: ${formatShare(unfamiliar.decisions_share)} are unlike them, ${formatShare(unfamiliar.examples_share)} expected`}
          .
        </strong>
        {now}
        <p>Evaluate may no longer hold: correct some of these, then train again.</p>
      </div>
      <Button onClick={() => changeQuery({ review: 'yes', page: '', record: '' })}>Show what needs review</Button>
    </div>
  );
}

/** The values of fields whose share has changed most, as bars with a mark where they were among the examples. */
function ChangedFields({ type }: { type: DecisionType }) {
  const items = useDrift(type).data?.items ?? [];
  if (items.length === 0) return null;
  const changeOf = ({ decisions_share: now, examples_share: then }: (typeof items)[number]) => Math.abs(now - then);
  const shown = items.toSorted((a, b) => changeOf(b) - changeOf(a)).slice(0, maxFields);
  return (
    <FigurePart
      title={items.length === 1 ? 'field has changed' : 'fields have changed'}
      figure={number(items.length)}
      says="Fields with other values among the newest decisions than among the examples."
    >
      <div className="changed">
        <Bars
          says="The share of each value among the newest decisions; marks are its share of the examples."
          items={shown.map(({ field, condition, decisions_share: now, examples_share: then }) => ({
            key: field,
            name: showUnseen(condition),
            value: now,
            mark: then,
            text: `${percent(now)}, was ${percent(then)}`,
          }))}
        />
      </div>
    </FigurePart>
  );
}

/** This week beside the last: each answer, and each field of which a share has changed. */
function Weeks({ type }: { type: DecisionType }) {
  const weeks = useDrift(type).data?.weeks;
  const days = useOperation('metrics.days', { params: { decision_type_id: type.id }, query: { days: 14 } });
  const colourOf = useOptionColours(type.id);
  const [last, now] = [days.data?.items.slice(0, 7) ?? [], days.data?.items.slice(7) ?? []];
  const sum = (week: typeof now, option?: string) =>
    week.reduce(
      (total, day) => total + (option === undefined ? day.total_decisions : (day.decision_distribution[option] ?? 0)),
      0,
    );
  if (sum(last) === 0 || sum(now) === 0) return null;
  const answers = type.active_version.options
    .map((option) => ({ option, now: sum(now, option) / sum(now), last: sum(last, option) / sum(last) }))
    .sort((a, b) => Math.abs(b.now - b.last) - Math.abs(a.now - a.last));
  const fields = (weeks?.items ?? []).slice(0, maxFields);
  return (
    <FigurePart
      title="decisions this week"
      figure={number(sum(now))}
      says={`In the last seven days; ${number(sum(last))} in the seven before.`}
    >
      <div className="changed">
        <Bars
          says="The share of each answer, and of values that have changed, among the decisions of the last seven days; marks are those of the seven days before."
          items={[
            ...answers.slice(0, maxFields).map(({ option, now: share, last: before }) => ({
              key: option,
              name: <OptionName typeId={type.id} option={option} />,
              value: share,
              mark: before,
              colour: colourOf(option),
              text: `${percent(share)}, last week ${percent(before)}`,
            })),
            ...fields.map(({ field, condition, this_week_share: share, last_week_share: before }) => ({
              key: `field ${field}`,
              name: showUnseen(condition),
              value: share,
              mark: before,
              text: `${percent(share)}, last week ${percent(before)}`,
            })),
          ]}
        />
        {fields.length === 0 && weeks?.comparable && <p className="muted">No field has changed since last week.</p>}
      </div>
    </FigurePart>
  );
}

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
      <FigurePart
        title="decisions in the last 24 hours"
        figure={number(total_decisions)}
        says="Decisions recorded in the last 24 hours."
      >
        <Mix type={type} distribution={metrics.data.decision_distribution} />
      </FigurePart>
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
