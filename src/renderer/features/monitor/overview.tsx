import type { DecisionType } from '../../../server/contract/decision-types.ts';
import { useOperation } from '../../api/queries.ts';
import { DamageNote } from '../../parts/damage-note.tsx';
import { decimal, moment, percent } from '../../parts/figures.ts';
import { isolate } from '../../parts/names.ts';
import { ErrorNote, Facts } from '../../parts/notes.tsx';
import { OptionName, useOptionColours } from '../../parts/option.tsx';
import { formatRoute } from '../../state/route.ts';

const liveMs = 5_000;
const maxOptions = 6;

/** The figures of the last 24 hours, and how the decisions differ from the examples. */
export function Overview({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const metrics = useOperation('metrics.type', { params }, { refetchMs: liveMs });
  if (metrics.isError) return <ErrorNote error={metrics.error} />;
  if (!metrics.data) return null;
  const { total_decisions, avg_confidence, avg_latency_ms, escalation_rate } = metrics.data;
  const figure = (value: number | null, show: (value: number) => string) => (value === null ? '–' : show(value));
  return (
    <div className="overview">
      <DamageNote />
      <ClockNote />
      <Facts
        items={[
          {
            name: 'Decisions, last 24 h',
            value: total_decisions.toLocaleString(),
            help: 'Decisions recorded in the last 24 hours.',
          },
          {
            name: 'Mean confidence',
            value: figure(avg_confidence, percent),
            help: 'The mean confidence of the decisions of the last 24 hours.',
          },
          {
            name: 'Mean latency',
            value: figure(avg_latency_ms, (ms) => `${decimal(ms, 1)} ms`),
            help: 'The mean time from a call to its answer, in the last 24 hours.',
          },
          {
            name: 'Escalated',
            value: figure(escalation_rate, percent),
            help: 'The share of the decisions of the last 24 hours that need a look.',
          },
        ]}
      />
      <Mix type={type} distribution={metrics.data.decision_distribution} />
    </div>
  );
}

/** The share of each option among decisions and among labelled examples. */
function Mix({ type, distribution }: { type: DecisionType; distribution: Readonly<Record<string, number>> }) {
  const stats = useOperation('examples.stats', { params: { decision_type_id: type.id } });
  const colourOf = useOptionColours(type.id, type.active_version.options);
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
    <table
      className="mix"
      aria-label="Decisions against examples"
      title="The share of each option among the decisions of the last 24 hours and among the labelled examples."
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reaches what the pointer can hover over
      tabIndex={0}
    >
      <tbody>
        {rows.slice(0, maxOptions).map(({ option, now, examples }) => (
          <tr
            key={option}
            title={`${isolate(option)}: ${percent(now)} of the decisions, ${percent(examples)} of the examples.`}
          >
            <th scope="row">
              <OptionName typeId={type.id} option={option} />
            </th>
            <td className="lanes">
              <span className="meter" aria-hidden="true">
                <span style={{ width: `${now * 100}%`, background: colourOf(option) }} />
              </span>
            </td>
            <td className="number">{percent(now)}</td>
            <td className="muted number">examples {percent(examples)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Says that old records are kept because the clock leapt; the settings ask whether it is right. */
function ClockNote() {
  const clock = useOperation('clock.get', {});
  if (clock.data?.state !== 'in doubt') return null;
  return (
    <p className="note warn">
      The clock of this machine leapt by more than two days and shows {moment(clock.data.now)} now. No record is removed
      for its age until you <a href={formatRoute({ page: 'settings', section: 'data' })}>confirm the time</a> or set it
      right.
    </p>
  );
}
