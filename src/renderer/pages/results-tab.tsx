import { lazy, Suspense, useState } from 'react';
import type { Metrics } from '../../engine/domain.ts';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import type { PolicyDetail, PolicySummary } from '../../server/contract/training.ts';
import { useChange, useOperation } from '../api/queries.ts';
import { useCommands } from '../commands/use-commands.ts';
import { FamiliarityCard, LearningCurveCard, ThresholdAdvice } from '../parts/evaluation-cards.tsx';
import { type Cell, HeldOutRows, PolicyComparison } from '../parts/held-out-rows.tsx';
import { Busy, Card, EmptyState, ErrorNote, Facts, moment, percent } from '../parts/layout.tsx';
import { goTo } from '../state/route.ts';
import { useWorkbench } from '../workbench.tsx';

const RiskCoverageChart = lazy(async () => ({
  default: (await import('../parts/risk-coverage-chart.tsx')).RiskCoverageChart,
}));

/** How good the policies are, and which one decides. */
export function ResultsTab({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const [chosen, setChosen] = useState<string | null>(null);
  const list = useOperation('policies.list', { params });
  const measured = list.data?.filter((policy) => policy.accuracy !== null) ?? [];
  const current =
    measured.find(({ id }) => id === chosen) ?? measured.find(({ deployed }) => deployed) ?? measured[0] ?? null;
  const detail = useOperation(
    'policies.get',
    { params: { ...params, policy_id: current?.id ?? '' } },
    { enabled: current !== null, keepPrevious: true },
  );
  if (list.isPending) return <Busy>Loading policies…</Busy>;
  if (list.isError) return <ErrorNote error={list.error} retry={() => void list.refetch()} />;
  if (list.data.length === 0) {
    return (
      <EmptyState
        title="No policy yet"
        actions={
          <button type="button" className="primary" onClick={() => goTo({ page: 'type', id: type.id, tab: 'train' })}>
            Go to training
          </button>
        }
      >
        After a training this page shows how often the policy is right on examples it has not seen, where it is wrong,
        and what a threshold costs and brings.
      </EmptyState>
    );
  }
  return (
    <div className="stack">
      <PoliciesCard type={type} policies={list.data} current={current?.id ?? null} onChoose={setChosen} />
      {detail.isError && <ErrorNote error={detail.error} />}
      {current && detail.isPending && <Busy>Loading the metrics…</Busy>}
      {detail.data?.metrics && (
        <MetricsView key={detail.data.id} type={type} policy={detail.data} metrics={detail.data.metrics} />
      )}
      {detail.data?.metrics && measured.length > 1 && (
        <PolicyComparison
          key={`comparison-${detail.data.id}`}
          policy={{ ...params, policy_id: detail.data.id }}
          name={`v${detail.data.version}`}
          others={measured
            .filter(({ id }) => id !== detail.data.id)
            .map(({ id, version }) => ({ id, name: `v${version}` }))}
        />
      )}
    </div>
  );
}

const badges: Record<string, string> = { deployed: 'good', trained: 'accent', failed: 'bad', training: 'warn' };

function PoliciesCard({
  type,
  policies,
  current,
  onChoose,
}: {
  type: DecisionType;
  policies: readonly PolicySummary[];
  current: string | null;
  onChoose(id: string): void;
}) {
  const { ui } = useWorkbench();
  const deploy = useChange('policies.deploy');
  const run = (policy: PolicySummary) =>
    deploy.mutate(
      { params: { decision_type_id: type.id, policy_id: policy.id } },
      { onSuccess: () => ui.getState().notify('info', `Policy v${policy.version} is deployed.`) },
    );
  const deployable = policies.filter((policy) => policy.status === 'trained' && !policy.deployed);
  useCommands(
    deployable.slice(0, 5).map((policy) => ({
      id: `deploy-${policy.id}`,
      title: `Deploy policy v${policy.version}`,
      group: 'Training',
      run: () => run(policy),
    })),
  );
  return (
    <Card title="Policies">
      {deploy.isError && <ErrorNote error={deploy.error} />}
      <div className="scroll" style={{ maxHeight: '17rem' }}>
        <table>
          <thead>
            <tr>
              <th scope="col">Policy</th>
              <th scope="col">Status</th>
              <th scope="col" className="num">
                Accuracy
              </th>
              <th scope="col" className="num">
                Macro F1
              </th>
              <th scope="col" className="num">
                Trained on
              </th>
              <th scope="col">Made</th>
              <th scope="col">
                <span className="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {policies.map((policy) => (
              <tr key={policy.id} aria-selected={policy.id === current}>
                <td>
                  <button
                    type="button"
                    className="quiet small"
                    disabled={policy.accuracy === null}
                    aria-pressed={policy.id === current}
                    onClick={() => onChoose(policy.id)}
                  >
                    v{policy.version}
                  </button>
                </td>
                <td>
                  <span className={`badge ${badges[policy.status] ?? ''}`}>{policy.status}</span>
                </td>
                <td className="num">{policy.accuracy === null ? '–' : percent(policy.accuracy)}</td>
                <td className="num">{policy.macro_f1 === null ? '–' : policy.macro_f1.toFixed(3)}</td>
                <td className="num">{policy.train_size ?? '–'}</td>
                <td>{moment(policy.created_at)}</td>
                <td>
                  {policy.status === 'trained' && !policy.deployed && (
                    <button type="button" className="small" disabled={deploy.isPending} onClick={() => run(policy)}>
                      Deploy v{policy.version}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

const formatInterval = (interval: Metrics['accuracy_interval'], show: (value: number) => string) =>
  interval === null ? '' : `${show(interval.low)} to ${show(interval.high)}`;

function MetricsView({ type, policy, metrics }: { type: DecisionType; policy: PolicyDetail; metrics: Metrics }) {
  const heldOut = metrics.test_size > 0;
  const [cell, setCell] = useState<Cell | null>(null);
  return (
    <>
      {!heldOut && (
        <p className="note warn">
          No example was held out, so these figures are from the training examples and look better than they are.
        </p>
      )}
      <Facts
        items={[
          {
            name: 'Accuracy',
            value: percent(metrics.accuracy),
            detail: heldOut
              ? `${formatInterval(metrics.accuracy_interval, percent)}, of ${metrics.test_size} unseen`
              : 'on training examples',
          },
          {
            name: 'Macro F1',
            value: metrics.macro_f1.toFixed(3),
            detail: formatInterval(metrics.macro_f1_interval, (value) => value.toFixed(3)),
          },
          {
            name: 'Calibration error',
            value: metrics.ece?.toFixed(3) ?? '–',
            detail: metrics.ece === null ? 'too few rows to say' : `was ${metrics.ece_before?.toFixed(3) ?? '–'}`,
          },
          {
            name: 'Log-loss',
            value: metrics.log_loss.toFixed(3),
            ...(metrics.log_loss_before === null ? {} : { detail: `was ${metrics.log_loss_before.toFixed(3)}` }),
          },
          { name: 'Would escalate', value: percent(metrics.escalation_estimate) },
          { name: 'Latency p95', value: `${metrics.latency_estimate_p95_ms.toFixed(1)} ms` },
          { name: 'Features', value: metrics.feature_count.toLocaleString() },
        ]}
      />
      <div className="two">
        <Card title="Where it is wrong">
          <ConfusionTable
            labels={metrics.confusion_labels}
            matrix={metrics.confusion_matrix}
            onOpen={heldOut ? setCell : null}
          />
        </Card>
        <Card title="Each option">
          <ClassTable perClass={metrics.per_class} />
        </Card>
      </div>
      {cell !== null && (
        <HeldOutRows
          key={`${cell.expected} ${cell.predicted}`}
          policy={{ decision_type_id: type.id, policy_id: policy.id }}
          cell={cell}
          onClose={() => setCell(null)}
        />
      )}
      {metrics.risk_coverage.length > 0 && (
        <Card title="What a threshold costs">
          <p className="muted">
            A higher threshold decides fewer inputs directly, and is wrong on fewer of those.{' '}
            {heldOut && 'Drawn from the unseen examples.'}
          </p>
          <Suspense fallback={<Busy>Drawing…</Busy>}>
            <RiskCoverageChart points={metrics.risk_coverage} />
          </Suspense>
          {heldOut && <ThresholdAdvice type={type} policyId={policy.id} />}
        </Card>
      )}
      {metrics.learning_curve !== null && <LearningCurveCard curve={metrics.learning_curve} />}
      {metrics.familiarity !== null && <FamiliarityCard type={type} effect={metrics.familiarity} />}
      {metrics.notes.length > 0 && (
        <Card title="Notes of the run">
          <ul className="stack tight">
            {metrics.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

function ConfusionTable({
  labels,
  matrix,
  onOpen,
}: {
  labels: readonly string[];
  matrix: readonly (readonly number[])[];
  /** Opens the rows of a cell; null where no rows are kept. */
  onOpen: ((cell: Cell) => void) | null;
}) {
  return (
    <div className="scroll">
      <table className="heat">
        <caption>Rows: right. Columns: decided. A number opens its examples.</caption>
        <thead>
          <tr>
            <th scope="col">Right ↓ decided →</th>
            {labels.map((label) => (
              <th key={label} scope="col" title={label}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, row) => {
            const counts = matrix[row] ?? [];
            const sum = counts.reduce((total, count) => total + count, 0);
            return (
              <tr key={label}>
                <th scope="row" title={label}>
                  {label}
                </th>
                {labels.map((other, column) => {
                  const count = counts[column] ?? 0;
                  const share = sum === 0 ? 0 : count / sum;
                  const color = row === column ? 'var(--good)' : 'var(--bad)';
                  const tint = count === 0 ? 0 : Math.round(12 + share * 40);
                  return (
                    <td
                      key={other}
                      style={{ background: `color-mix(in srgb, ${color} ${tint}%, transparent)` }}
                      className={count === 0 ? 'muted' : undefined}
                    >
                      {count === 0 || onOpen === null ? (
                        count
                      ) : (
                        <button
                          type="button"
                          className="quiet small"
                          aria-label={`${count} examples of ${label} decided as ${other}`}
                          onClick={() => onOpen({ expected: label, predicted: other })}
                        >
                          {count}
                        </button>
                      )}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function ClassTable({ perClass }: { perClass: Metrics['per_class'] }) {
  const columns = [...new Set(Object.values(perClass).flatMap((figures) => Object.keys(figures)))];
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Option</th>
            {columns.map((column) => (
              <th key={column} scope="col" className="num">
                {column.replaceAll('_', ' ')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Object.entries(perClass).map(([option, figures]) => (
            <tr key={option}>
              <th scope="row">{option}</th>
              {columns.map((column) => {
                const value = figures[column];
                return (
                  <td key={column} className="num">
                    {value === undefined ? '–' : column === 'support' ? value : value.toFixed(3)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
