import { Button, NativeSelect } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { Metrics } from '../../../engine/domain.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import type { PolicyDetail, PolicySummary } from '../../../server/contract/training.ts';
import { useOperation } from '../../api/queries.ts';
import { Busy, EmptyState, ErrorNote } from '../../parts/notes.tsx';
import { Pane, PlaceLayout } from '../../parts/panes.tsx';
import { changeQuery, goTo, useQueryPart } from '../../state/route.ts';
import { Confusions } from './confusions.tsx';
import { InShort } from './in-short.tsx';

// Whatever asks the server again when it is opened is loaded with that.
const CellRows = lazy(async () => ({ default: (await import('./cell-rows.tsx')).CellRows }));
const Comparison = lazy(async () => ({ default: (await import('./comparison.tsx')).Comparison }));
const ThresholdDesk = lazy(async () => ({ default: (await import('./threshold-desk.tsx')).ThresholdDesk }));
const Details = lazy(async () => ({ default: (await import('./details.tsx')).Details }));

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
          wrong, and what a threshold gains and costs.
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
          <Suspense fallback={<Busy>Loading…</Busy>}>
            <CellRows
              key={`${current.id} ${right} ${decided}`}
              type={type}
              policy={policy}
              cell={{ expected: right, predicted: decided }}
              onClose={closeCell}
            />
          </Suspense>
        ) : other ? (
          <Suspense fallback={<Busy>Loading…</Busy>}>
            <Comparison
              key={other.id}
              type={type}
              policy={policy}
              name={`v${current.version}`}
              other={{ id: other.id, name: `v${other.version}` }}
              onClose={() => changeQuery({ against: '' })}
            />
          </Suspense>
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
    <div className="columns">
      {!isHeldOut && (
        <p className="note warn">
          No example was held out, so these figures are from the training examples and look better than they are.
        </p>
      )}
      <InShort type={type} policy={policy} metrics={metrics} />
      <Confusions type={type} metrics={metrics} canOpen={isHeldOut} />
      <Suspense fallback={<Busy>Loading…</Busy>}>
        <ThresholdDesk type={type} policyId={policy.id} metrics={metrics} />
        <Details type={type} policy={policy} metrics={metrics} />
      </Suspense>
    </div>
  );
}
