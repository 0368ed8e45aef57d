import type { Metrics } from '../../../engine/domain/metrics.ts';
import { formatRange, formatShare } from '../../../engine/numeric.ts';
import type { PolicyDetail } from '../../../server/contract/policies/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Chart } from '../../parts/charts/chart.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Facts, Part } from '../../parts/notes.tsx';
import { OptionCell } from '../../parts/option.tsx';
import { PendingFollowUp } from '../../parts/pending-follow-up.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { decimal, number, percent } from '../../parts/text/figures.ts';
import { quoteNames } from '../../parts/text/names.ts';
import { Groups } from './groups.tsx';
import { Familiarity, LearningCurvePart } from './learning.tsx';
import { WeakSlices } from './weak-slices.tsx';

type Bin = Metrics['reliability'][number];

/** Shows whether the classifier is right as often as its confidence says. */
export function Reliability({ bins }: { bins: readonly Bin[] }) {
  const all = bins.reduce((sum, { count }) => sum + count, 0);
  const off = bins.filter(({ confidence, accuracy_interval: { low, high } }) => confidence < low || confidence > high);
  const largest = bins.reduce((best, bin) => (bin.count > best.count ? bin : best));
  const { low, high } = largest.accuracy_interval;
  return (
    <Part title="Is 90% sure right 90 times in 100?">
      <Chart
        rows={bins}
        columns={[
          { name: 'Confidence', show: (bin) => formatRange(bin) },
          { name: 'Rows', show: ({ count }) => number(count) },
          { name: 'Said', show: ({ confidence }) => percent(confidence) },
          { name: 'Correct', show: ({ accuracy }) => percent(accuracy) },
          { name: 'From', show: (bin) => percent(bin.accuracy_interval.low) },
          { name: 'To', show: (bin) => percent(bin.accuracy_interval.high) },
        ]}
        x={{ name: 'Confidence', show: formatShare, domain: [0, 1], from: (bin) => bin.low, to: (bin) => bin.high }}
        y={{ name: 'Correct', show: formatShare, domain: [0, 1] }}
        bars={{ series: [{ colour: 'var(--chosen)', of: ({ accuracy }) => accuracy }] }}
        lines={[
          { colour: 'var(--muted)', of: ({ confidence }) => confidence, drawn: 'dashed' },
          {
            colour: 'var(--accent)',
            of: ({ accuracy }) => accuracy,
            interval: (bin) => bin.accuracy_interval,
            drawn: 'points',
          },
        ]}
        says={`${off.length === 0 ? 'Yes, as far as can be seen.' : `Not everywhere: ${off.length} of ${bins.length} steps lie off the dashed line.`} Of ${number(largest.count)} among ${number(all)} unseen examples the classifier said ${formatShare(largest.confidence)}, and ${formatShare(largest.accuracy)} were right (${formatRange({ low, high })}). Dashed: as often as it says.`}
      />
    </Part>
  );
}

type Props = {
  type: DecisionType;
  policy: PolicyDetail;
  metrics: Metrics;
  perClass: Metrics['per_class'];
};

/**
 * Shows what stands below the desk: whether more examples help, weak parts, each option, what the training noted, and,
 * folded, the classifier.
 */
export function Details({ type, policy, metrics, perClass }: Props) {
  return (
    <>
      {metrics.learning_curve !== null && <LearningCurvePart curve={metrics.learning_curve} metrics={metrics} />}
      {metrics.test_size > 0 && <WeakSlices type={type} policy={{ decision_type_id: type.id, policy_id: policy.id }} />}
      {metrics.test_size > 0 && type.groups === null && <Groups type={type} reports={[]} />}
      <Part title="Each option">
        <ClassTable type={type} perClass={perClass} />
      </Part>
      {metrics.follow_up !== null && (
        <Part title="Suspect labels">
          {metrics.follow_up.state === 'pending' ? (
            <PendingFollowUp typeId={type.id} policyId={policy.id} />
          ) : (
            <p className="muted">
              {metrics.follow_up.state === 'ended'
                ? 'Not checked: other trainings began, or the program was closed, before it was done.'
                : metrics.follow_up.sentence}
            </p>
          )}
        </Part>
      )}
      {metrics.notes.length > 0 && (
        <details className="part">
          <summary>
            <h2>Notes from the training</h2>{' '}
            <Figure className="muted" says="What the training has noted.">
              {metrics.notes.length}
            </Figure>
          </summary>
          <ul className="stack tight wrap">
            {metrics.notes.map((note) => (
              <li key={note}>{quoteNames(note)}</li>
            ))}
          </ul>
        </details>
      )}
      <details className="part">
        <summary>
          <h2>The classifier alone</h2> <span className="muted">before any rule or threshold</span>
        </summary>
        <Part title="Its figures">
          <ClassifierFigures metrics={metrics} policy={policy} />
        </Part>
        {metrics.reliability.length > 0 && <Reliability bins={metrics.reliability} />}
        {metrics.familiarity !== null && <Familiarity type={type} effect={metrics.familiarity} />}
      </details>
    </>
  );
}

function ClassifierFigures({ metrics, policy }: { metrics: Metrics; policy: PolicyDetail }) {
  const { accuracy_interval: right, macro_f1_interval: f1 } = metrics;
  return (
    <Facts
      items={[
        {
          name: 'Correct',
          value: percent(metrics.accuracy),
          detail: right ? formatRange(right) : undefined,
          help: 'The share of unseen examples that the classifier decides correctly, before any rule or threshold.',
        },
        {
          name: 'Macro F1',
          value: decimal(metrics.macro_f1, 3),
          detail: f1 ? `${decimal(f1.low, 3)} to ${decimal(f1.high, 3)}` : undefined,
          help: 'The mean of the F1 of all options, each counting the same however rare it is.',
        },
        {
          name: 'Calibration error',
          value: metrics.ece === null ? '–' : decimal(metrics.ece, 3),
          detail:
            metrics.ece === null
              ? 'too few rows to say'
              : metrics.ece_before === null
                ? undefined
                : `${decimal(metrics.ece_before, 3)} before calibration`,
          help: 'How far the stated confidence is from the share that is right, on average.',
        },
        {
          name: 'Log-loss',
          value: decimal(metrics.log_loss, 3),
          detail:
            metrics.log_loss_before === null ? undefined : `${decimal(metrics.log_loss_before, 3)} before calibration`,
          help: 'How little probability the right options were given, on average; lower is better.',
        },
        {
          name: 'Features',
          value: metrics.feature_count.toLocaleString(),
          help: 'How many numbers the classifier reads from an input.',
        },
        {
          name: 'Trained on',
          value: metrics.train_size.toLocaleString(),
          detail: `version ${policy.decision_type_version}`,
          help: 'The examples that the measured classifier learned from, and the version of the decision type.',
        },
      ]}
    />
  );
}

const figureHeads: Readonly<Record<string, { name: string; says: string }>> = {
  precision: { name: 'Correct (precision)', says: 'How often this option is right where it was decided.' },
  recall: {
    name: 'Caught (recall)',
    says: 'The share of the examples with this label for which this option was decided.',
  },
  f1: { name: 'F1', says: 'Both shares in one figure: their harmonic mean.' },
  support: { name: 'Examples', says: 'Unseen examples with this label.' },
};

/** The figures of every option, the worst caught first. */
function ClassTable({ type, perClass }: { type: DecisionType; perClass: Metrics['per_class'] }) {
  const columns = [...new Set(Object.values(perClass).flatMap((figures) => Object.keys(figures)))];
  const rows = Object.entries(perClass).sort(([, a], [, b]) => (a.recall ?? 0) - (b.recall ?? 0));
  return (
    <PlainTable
      className="options-table"
      heads={[
        'Option',
        ...columns.map(
          (column) => figureHeads[column] ?? { name: column.replaceAll('_', ' '), says: 'A figure of each option.' },
        ),
      ]}
    >
      {rows.map(([option, figures]) => (
        <tr key={option}>
          <OptionCell typeId={type.id} option={option} />
          {columns.map((column) => {
            const value = figures[column];
            return (
              <td key={column} className="number">
                {value === undefined ? '–' : column === 'support' ? value : percent(value)}
              </td>
            );
          })}
        </tr>
      ))}
    </PlainTable>
  );
}
