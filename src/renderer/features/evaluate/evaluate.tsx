import './evaluate.css';
import { Button, NativeSelect } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { Metrics } from '../../../engine/domain/metrics.ts';
import type { PolicyDetail, PolicySummary } from '../../../server/contract/policies/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { DraftBar } from '../../parts/explained/draft-bar.tsx';
import { Busy, EmptyState, ErrorNote } from '../../parts/notes.tsx';
import { Pane, Place } from '../../parts/panes.tsx';
import { ReportButton } from '../../parts/report-button.tsx';
import { toDraft } from '../../state/drafts.ts';
import { useOperation, usePolicy } from '../../state/queries.ts';
import { changeQuery, goTo, useQueryPart } from '../../state/route.ts';
import { ClassifierAlone } from './classifier-alone.tsx';
import { Confusions } from './confusions.tsx';
import { isSame, useTriedThresholds, useWhole } from './tried-thresholds.ts';

// Panels that ask the server again when opened are loaded then.
const CellRows = lazy(async () => ({ default: (await import('./cell-rows.tsx')).CellRows }));
const Comparison = lazy(async () => ({ default: (await import('./comparison.tsx')).Comparison }));
const Desk = lazy(async () => ({ default: (await import('./desk.tsx')).Desk }));
const PromiseAlone = lazy(async () => ({ default: (await import('./promise.tsx')).PromiseAlone }));
const Groups = lazy(async () => ({ default: (await import('./groups.tsx')).Groups }));
const Details = lazy(async () => ({ default: (await import('./details.tsx')).Details }));

/** How good a policy is on examples that it has not seen, where it is wrong, and what thresholds cost and bring. */
export function Evaluate({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const { policy: chosen, right, decided, worst, against } = useQueryPart();
  const list = useOperation('policies.list', { params });
  const measured = list.data?.filter(({ accuracy }) => accuracy !== null) ?? [];
  const current =
    measured.find(({ id }) => id === chosen) ?? measured.find(({ deployed }) => deployed) ?? measured[0] ?? null;
  const detail = usePolicy(type.id, current?.id, { keepPrevious: true });
  if (list.isPending) return <Busy>Loading policies…</Busy>;
  if (list.isError) return <ErrorNote error={list.error} retry={() => void list.refetch()} />;
  if (current === null) return <NothingYet type={type} />;
  const policy = { decision_type_id: type.id, policy_id: current.id };
  const other = measured.find(({ id }) => id === against && id !== current.id) ?? null;
  const closeCell = () => changeQuery({ right: '', decided: '', worst: '' });
  const cell = right !== undefined && decided !== undefined ? { expected: right, decided } : null;
  return (
    <Place
      id="evaluate"
      title="Evaluate"
      cards
      head={
        <>
          <Choice measured={measured} current={current} other={other} />
          <ReportButton typeId={type.id} policyId={current.id} />
        </>
      }
      inspector={
        cell !== null || worst !== undefined ? (
          <Suspense fallback={<Busy>Loading…</Busy>}>
            <CellRows
              key={`${current.id} ${right} ${decided}`}
              type={type}
              policy={policy}
              cell={cell}
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
    >
      {detail.isError && <ErrorNote error={detail.error} />}
      {detail.isPending && <Busy>Loading the figures…</Busy>}
      {detail.data?.metrics && (
        <Measured key={current.id} type={type} policy={detail.data} metrics={detail.data.metrics} />
      )}
    </Place>
  );
}

function NothingYet({ type }: { type: DecisionType }) {
  return (
    <Pane title="Evaluate" level={1}>
      <EmptyState
        title="Nothing to evaluate yet"
        actions={
          <Button variant="filled" onClick={() => goTo({ page: 'type', id: type.id, place: 'train' })}>
            Go to training
          </Button>
        }
      >
        After a training this place shows how often the policy is right on examples it has not seen, where it is wrong,
        and what a threshold gains and costs. What may go wrong at most is best promised before.
      </EmptyState>
      <Suspense>
        <PromiseAlone type={type} />
      </Suspense>
    </Pane>
  );
}

type ChoiceProps = { measured: readonly PolicySummary[]; current: PolicySummary; other: PolicySummary | null };

function Choice({ measured, current, other }: ChoiceProps) {
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
  const isHeldOut = metrics.test_size > 0 || metrics.split?.rule === 'drawn';
  const place = { decision_type_id: type.id, policy_id: policy.id };
  const tried = useTriedThresholds(type);
  const kept = toDraft(type).confidence_thresholds;
  const isEdited = tried !== null && !isSame(tried, kept);
  const whole = useWhole(type, place, isHeldOut);
  // Without held-out examples only the classifier was measured.
  const confusion = isHeldOut ? whole.data : metrics;
  return (
    <div className="columns">
      <DraftBar type={type} isEdited={isEdited} />
      {!isHeldOut && (
        <p className="note warn">
          No example was held out, so these figures are from the training examples and look better than they are.
        </p>
      )}
      {isHeldOut && whole.isPending && <Busy>Checking the unseen examples again…</Busy>}
      {whole.isError && <ErrorNote error={whole.error} retry={() => void whole.refetch()} />}
      <Suspense fallback={<Busy>Loading…</Busy>}>
        {whole.data && <Desk type={type} policy={policy} metrics={metrics} whole={whole.data} />}
        {whole.data && type.groups !== null && <Groups type={type} reports={whole.data.groups} />}
      </Suspense>
      {!isHeldOut && <ClassifierAlone type={type} metrics={metrics} />}
      {confusion && <Confusions type={type} confusion={confusion} canOpen={isHeldOut} />}
      <Suspense fallback={<Busy>Loading…</Busy>}>
        {!isHeldOut && <PromiseAlone type={type} />}
        {confusion && <Details type={type} policy={policy} metrics={metrics} perClass={confusion.per_class} />}
      </Suspense>
    </div>
  );
}
