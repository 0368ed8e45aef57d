import { Button, NumberInput, RangeSlider } from '@mantine/core';
import { useState } from 'react';
import type { Metrics } from '../../../engine/domain.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import { useChange, useOperation } from '../../api/queries.ts';
import { decimal, percent } from '../../parts/figures.ts';
import { isolate } from '../../parts/names.ts';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { useUndo } from '../../parts/use-undo.ts';
import { notify } from '../../state/notices.tsx';
import { useWorkbench } from '../../workbench.tsx';
import { type Bin, splitByThresholds, toBins } from './threshold-figures.ts';

const binCount = 40;
const heightPx = 110;
const widthPx = 600;
const step = 0.01;

/** Two handles on the distribution of confidence; what they would do to the unseen examples moves with them. */
export function ThresholdDesk({ type, policyId, metrics }: { type: DecisionType; policyId: string; metrics: Metrics }) {
  const stored = type.active_version.confidence_thresholds;
  const [handles, setHandles] = useState<[number, number] | null>(null);
  const [target, setTarget] = useState<number | string>(2);
  const update = useChange('decision_types.update');
  const { undo } = useUndo(type.id);
  const noteChange = useThresholdNote(type);
  const curve = metrics.risk_coverage;
  if (curve.length === 0) return null;
  const [low, high] = handles ?? [stored.escalation, stored.auto_decide];
  const split = splitByThresholds(curve, low, high);
  const isStored = low === stored.escalation && high === stored.auto_decide;
  const save = (escalation: number, auto_decide: number) =>
    update.mutate(
      { params: { decision_type_id: type.id }, body: { confidence_thresholds: { escalation, auto_decide } } },
      {
        onSuccess: () => {
          setHandles(null);
          noteChange();
          const text = `Inputs are decided directly from a confidence of ${decimal(auto_decide, 2)}, and fall back below ${decimal(escalation, 2)}.`;
          notify({ kind: 'info', text, undo });
        },
      },
    );
  return (
    <Part
      title="Thresholds"
      tools={
        <div className="row">
          <span className="muted">at most</span>
          <NumberInput
            aria-label="Target error among direct decisions, in percent"
            w={72}
            min={0.01}
            max={50}
            step={0.5}
            value={target}
            onChange={setTarget}
          />
          <span className="muted">% wrong</span>
        </div>
      }
    >
      <div className="stack desk">
        <PromiseLine
          type={type}
          policyId={policyId}
          targetError={Number(target) / 100}
          onKept={() => setHandles(null)}
        />
        <Distribution bins={toBins(curve, binCount)} low={low} high={high} />
        <RangeSlider
          aria-label="Thresholds"
          thumbFromLabel="Fall back below"
          thumbToLabel="Decide directly from"
          min={0}
          max={1}
          step={step}
          minRange={0}
          label={(value) => decimal(value, 2)}
          value={[low, high]}
          onChange={setHandles}
        />
        <p title="The shares of unseen examples below, between and above the two thresholds, by the classifier alone.">
          Below {decimal(low, 2)}: {percent(split.below)}{' '}
          {type.fallback_option ? `fall back to ${isolate(type.fallback_option)}` : 'are marked as unsure'}. Between:{' '}
          {percent(split.between)}. From {decimal(high, 2)}: <strong>{percent(split.above)} decided directly</strong>,
          of those {percent(split.error)} wrong.
        </p>
        {update.isError && <ErrorNote error={update.error} />}
        <div className="row">
          <Button disabled={isStored} loading={update.isPending} onClick={() => save(low, high)}>
            {isStored ? 'In use' : 'Use these thresholds'}
          </Button>
          {!isStored && (
            <Button variant="default" onClick={() => setHandles(null)}>
              Back to the ones in use
            </Button>
          )}
        </div>
      </div>
    </Part>
  );
}

/** Notes that the thresholds were changed, with the call that sets those of before. */
function useThresholdNote(type: DecisionType): () => void {
  const { acts } = useWorkbench();
  const body = { confidence_thresholds: type.active_version.confidence_thresholds };
  return () =>
    void acts.done(type.id, 'Thresholds changed', 'decision_types.update', {
      params: { decision_type_id: type.id },
      body,
    });
}

type PromiseLineProps = { type: DecisionType; policyId: string; targetError: number; onKept: () => void };

/** What can be promised of the automatic decisions, as a sentence, with the button that keeps it. */
function PromiseLine({ type, policyId, targetError, onKept }: PromiseLineProps) {
  const params = { decision_type_id: type.id, policy_id: policyId };
  const isValid = targetError >= 0.0001 && targetError <= 0.5;
  const promise = useOperation(
    'policies.promise',
    { params, query: { target_error: targetError } },
    { enabled: isValid, keepPrevious: true },
  );
  const keep = useChange('policies.keep_promise');
  const { undo } = useUndo(type.id);
  const noteChange = useThresholdNote(type);
  const found = isValid ? promise.data : undefined;
  const onKeep = () =>
    keep.mutate(
      { params, body: { target_error: targetError } },
      {
        onSuccess: ({ sentence }) => {
          onKept();
          noteChange();
          notify({ kind: 'info', text: sentence, undo });
        },
      },
    );
  return (
    <>
      {!isValid && <p className="muted">The target must be a number from 0.01 to 50.</p>}
      {promise.isError && <ErrorNote error={promise.error} />}
      {keep.isError && <ErrorNote error={keep.error} />}
      {found && (
        <div className="row">
          <span className={found.possible ? undefined : 'muted'}>{found.sentence}</span>
          {found.possible && (
            <Button variant="default" loading={keep.isPending} onClick={onKeep}>
              Promise this
            </Button>
          )}
        </div>
      )}
    </>
  );
}

function Distribution({ bins, low, high }: { bins: readonly Bin[]; low: number; high: number }) {
  // The root keeps the few bars at the low end visible beside the many at the high one.
  const scale = heightPx / Math.sqrt(Math.max(1e-9, ...bins.map(({ right, wrong }) => right + wrong)));
  const toX = (confidence: number) => confidence * widthPx;
  const zones = [
    { from: 0, to: low, tone: 'var(--bad-soft)' },
    { from: low, to: high, tone: 'var(--warn-soft)' },
    { from: high, to: 1, tone: 'var(--good-soft)' },
  ];
  return (
    <svg
      className="chart"
      viewBox={`0 0 ${widthPx} ${heightPx + 4}`}
      preserveAspectRatio="none"
      role="img"
      aria-label="How confident the classifier is on the unseen examples; wrong ones are drawn in red."
    >
      <title>How confident the classifier is on the unseen examples; wrong ones are drawn in red.</title>
      {zones.map(({ from, to, tone }) => (
        <rect key={tone} x={toX(from)} width={Math.max(0, toX(to - from))} y={0} height={heightPx} fill={tone} />
      ))}
      {bins.map(({ from, to, right, wrong }) => {
        const all = right + wrong;
        const height = all === 0 ? 0 : Math.max(1.5, Math.sqrt(all) * scale);
        const wrongHeight = all === 0 ? 0 : (height * wrong) / all;
        const width = Math.max(1, toX(to - from) - 2);
        return (
          <g key={from}>
            <rect
              x={toX(from) + 1}
              width={width}
              y={heightPx - height}
              height={Math.max(0, height - wrongHeight)}
              fill="var(--accent)"
            />
            <rect x={toX(from) + 1} width={width} y={heightPx - wrongHeight} height={wrongHeight} fill="var(--bad)" />
          </g>
        );
      })}
      {[low, high].map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: always these two, in this order
        <line key={index} x1={toX(value)} x2={toX(value)} y1={0} y2={heightPx} stroke="var(--text)" strokeWidth={2} />
      ))}
    </svg>
  );
}
