import { Button, NativeSelect } from '@mantine/core';
import type { Metrics } from '../../../engine/domain.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import type { PolicyDetail, PolicySummary } from '../../../server/contract/training.ts';
import { useOperation } from '../../api/queries.ts';
import { percent } from '../../parts/figures.ts';
import { Busy, EmptyState, ErrorNote, Facts, Part } from '../../parts/notes.tsx';
import { Pane, PlaceLayout } from '../../parts/panes.tsx';
import { changeQuery, goTo, useQueryPart } from '../../state/route.ts';
import { CellRows } from './cell-rows.tsx';
import { Comparison } from './comparison.tsx';
import { ClassTable, Confusions } from './confusions.tsx';
import { Familiarity, LearningCurvePart } from './learning.tsx';
import { ThresholdDesk } from './threshold-desk.tsx';
import { decideAlone } from './threshold-figures.ts';

/** How good a policy is on examples that it has not seen, where it errs, and what thresholds cost and bring. */
export function Evaluate({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const { policy: chosen, right, decided, against } = useQueryPart();
  const list = useOperation('policies.list', { params });
  const measured = list.data?.filter(({ accuracy }) => accuracy !== null) ?? [];
  const current =
    measured.find(({ id }) => id === chosen) ?? measured.find(({ deployed }) => deployed) ?? measured[0] ?? null;
  const detail = useOperation(
    'policies.get',
    { params: { ...params, policy_id: current?.id ?? '' } },
    { enabled: current !== null, keepPrevious: true },
  );
  if (list.isPending) return <Busy>Loading policies…</Busy>;
  if (list.isError) return <ErrorNote error={list.error} retry={() => void list.refetch()} />;
  if (current === null) {
    return (
      <Pane title="Evaluate" level={1}>
        <EmptyState
          title="Nothing to evaluate yet"
          actions={<Button onClick={() => goTo({ page: 'type', id: type.id, place: 'train' })}>Go to training</Button>}
        >
          After a training this place shows how often the policy is right on examples it has not seen, where it is
          wrong, and what a threshold costs and brings.
        </EmptyState>
      </Pane>
    );
  }
  const policy = { decision_type_id: type.id, policy_id: current.id };
  const other = measured.find(({ id }) => id === against && id !== current.id) ?? null;
  const closeCell = () => changeQuery({ right: '', decided: '' });
  return (
    <PlaceLayout
      id="evaluate"
      main={
        <Pane title="Evaluate" level={1} head={<Choice measured={measured} current={current} other={other} />}>
          {detail.isError && <ErrorNote error={detail.error} />}
          {detail.isPending && <Busy>Loading the figures…</Busy>}
          {detail.data?.metrics && (
            <Measured key={current.id} type={type} policy={detail.data} metrics={detail.data.metrics} />
          )}
        </Pane>
      }
      inspector={
        right !== undefined && decided !== undefined ? (
          <CellRows
            key={`${current.id} ${right} ${decided}`}
            type={type}
            policy={policy}
            cell={{ expected: right, predicted: decided }}
            onClose={closeCell}
          />
        ) : other ? (
          <Comparison
            key={other.id}
            type={type}
            policy={policy}
            name={`v${current.version}`}
            other={{ id: other.id, name: `v${other.version}` }}
            onClose={() => changeQuery({ against: '' })}
          />
        ) : undefined
      }
    />
  );
}

function Choice({
  measured,
  current,
  other,
}: {
  measured: readonly PolicySummary[];
  current: PolicySummary;
  other: PolicySummary | null;
}) {
  const nameOf = ({ version, deployed }: PolicySummary) => `v${version}${deployed ? ', deployed' : ''}`;
  return (
    <>
      <NativeSelect
        aria-label="Policy"
        value={current.id}
        data={measured.map((policy) => ({ value: policy.id, label: nameOf(policy) }))}
        onChange={(event) => changeQuery({ policy: event.currentTarget.value, right: '', decided: '' })}
      />
      {measured.length > 1 && (
        <NativeSelect
          aria-label="Compare with"
          value={other?.id ?? ''}
          data={[
            { value: '', label: 'against…' },
            ...measured
              .filter(({ id }) => id !== current.id)
              .map((policy) => ({ value: policy.id, label: `against ${nameOf(policy)}` })),
          ]}
          onChange={(event) => changeQuery({ against: event.currentTarget.value, right: '', decided: '' })}
        />
      )}
    </>
  );
}

function Measured({ type, policy, metrics }: { type: DecisionType; policy: PolicyDetail; metrics: Metrics }) {
  const isHeldOut = metrics.test_size > 0;
  return (
    <>
      {!isHeldOut && (
        <p className="note warn">
          No example was held out, so these figures are from the training examples and look better than they are.
        </p>
      )}
      <Sentences type={type} metrics={metrics} />
      <Confusions type={type} metrics={metrics} canOpen={isHeldOut} />
      <ThresholdDesk type={type} policyId={policy.id} metrics={metrics} />
      <Part title="Each option">
        <ClassTable type={type} perClass={metrics.per_class} />
      </Part>
      <Part title="More figures">
        <MoreFigures metrics={metrics} policy={policy} />
      </Part>
      {metrics.learning_curve !== null && <LearningCurvePart curve={metrics.learning_curve} />}
      {metrics.familiarity !== null && <Familiarity type={type} effect={metrics.familiarity} />}
      {metrics.notes.length > 0 && (
        <Part title="Notes of the training">
          <ul className="stack tight">
            {metrics.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </Part>
      )}
    </>
  );
}

/** What a reader wants to know first, in three sentences. */
function Sentences({ type, metrics }: { type: DecisionType; metrics: Metrics }) {
  const { accuracy, accuracy_interval: interval, test_size, risk_coverage } = metrics;
  const { auto_decide } = type.active_version.confidence_thresholds;
  const alone = decideAlone(risk_coverage, auto_decide);
  return (
    <section className="part sentences" aria-label="In short">
      <p>
        <strong>Right {percent(accuracy)}</strong>
        <span className="muted">
          {interval && `${percent(interval.low)} to ${percent(interval.high)}, `}
          {test_size > 0 ? `of ${test_size.toLocaleString()} unseen examples` : 'of the training examples'}
        </span>
      </p>
      <p>
        <strong>Decides {percent(alone.coverage)} alone</strong>
        <span className="muted">from a confidence of {auto_decide.toFixed(2)}</span>
      </p>
      <p>
        <strong>{percent(alone.error)} of those are wrong</strong>
        <span className="muted">the classifier by itself, before any rule</span>
      </p>
    </section>
  );
}

function MoreFigures({ metrics, policy }: { metrics: Metrics; policy: PolicyDetail }) {
  const f1 = metrics.macro_f1_interval;
  return (
    <Facts
      items={[
        {
          name: 'Macro F1',
          value: metrics.macro_f1.toFixed(3),
          detail: f1 ? `${f1.low.toFixed(3)} to ${f1.high.toFixed(3)}` : undefined,
          help: 'The mean over the options of how well each is found and how often its answers are right.',
        },
        {
          name: 'Calibration error',
          value: metrics.ece?.toFixed(3) ?? '–',
          detail: metrics.ece === null ? 'too few rows to say' : `was ${metrics.ece_before?.toFixed(3) ?? '–'}`,
          help: 'How far stated confidence and observed frequency lie apart, on average.',
        },
        {
          name: 'Log-loss',
          value: metrics.log_loss.toFixed(3),
          detail: metrics.log_loss_before === null ? undefined : `was ${metrics.log_loss_before.toFixed(3)}`,
          help: 'How much probability the right answers were given; lower is better.',
        },
        {
          name: 'Latency p95',
          value: `${metrics.latency_estimate_p95_ms.toFixed(1)} ms`,
          help: 'Nineteen of twenty decisions take at most this long.',
        },
        {
          name: 'Features',
          value: metrics.feature_count.toLocaleString(),
          help: 'Numbers that the classifier reads of an input.',
        },
        {
          name: 'Trained on',
          value: metrics.train_size.toLocaleString(),
          detail: `version ${policy.decision_type_version}`,
        },
      ]}
    />
  );
}
