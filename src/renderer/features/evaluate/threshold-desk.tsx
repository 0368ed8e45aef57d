import { Button, NumberInput, RangeSlider } from '@mantine/core';
import { useState } from 'react';
import type { ConfidenceThresholds } from '../../../engine/domain/definition.ts';
import type { ConfidenceBin } from '../../../engine/measure/confusion.ts';
import { listOwnThresholds } from '../../../engine/thresholds.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Chart } from '../../parts/charts/chart.tsx';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { decimal, number, percent } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { toDraft } from '../../state/drafts.ts';
import { useChange, useOperation } from '../../state/queries.ts';
import { useSetting } from '../../state/use-setting.ts';
import { useUndo } from '../../state/use-undo.ts';
import { SettingRefusal } from './setting-refusal.tsx';
import { tryThresholds, useTriedThresholds } from './tried-thresholds.ts';

const step = 0.01;
const thresholdsChanged = 'Thresholds changed';

type Props = { type: DecisionType; policyId: string; whole: OutputOf<'policies.whole'> };

/** Two handles on the distribution of confidence; every figure of the place moves with them. */
export function ThresholdDesk({ type, policyId, whole }: Props) {
  const stored = type.active_version.confidence_thresholds;
  const tried = useTriedThresholds(type);
  const [target, setTarget] = useState<number | string>(2);
  const { auto_decide: high, escalation: low } = tried ?? stored;
  const alone = type.active_version.escalation_policy.between === 'accept' ? low : high;
  const kept = toDraft(type).confidence_thresholds;
  const isKept = tried === null || (high === kept.auto_decide && low === kept.escalation);
  const setting = useSetting(type, !isKept);
  const save = (escalation: number, auto_decide: number) =>
    setting.save({
      to: { confidence_thresholds: { ...kept, escalation, auto_decide } },
      title: thresholdsChanged,
      text: `${type.model_deployed ? 'In the draft: ' : ''}Inputs are decided directly from a confidence of ${decimal(auto_decide, 2)}, and fall back below ${decimal(escalation, 2)}.`,
      onDone: () => tryThresholds(null),
    });
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
          tried={tried && alone}
          onKept={() => tryThresholds(null)}
        />
        <Distribution
          bins={whole.confidence_bins}
          low={low}
          high={high}
          alone={alone}
          from={findStart(whole, kept.escalation)}
        />
        <Effect whole={whole} thresholds={tried ?? stored} />
        <SettingRefusal setting={setting} />
        {tried !== null && (
          <div className="row">
            <Button
              variant={isKept && type.draft ? 'default' : 'filled'}
              disabled={isKept}
              loading={setting.isPending}
              onClick={() => save(low, high)}
            >
              {isKept ? 'In the draft' : type.model_deployed ? 'Keep as draft' : 'Use these thresholds'}
            </Button>
            <Button onClick={() => tryThresholds(stored)}>Back to the thresholds in use</Button>
          </div>
        )}
      </div>
    </Part>
  );
}

/** Says what becomes of the unseen examples under the two thresholds. */
function Effect({ whole, thresholds }: Pick<Props, 'whole'> & { thresholds: ConfidenceThresholds }) {
  const { automatic, error_automatic } = whole;
  const show = ({ share }: { share: number | null }) => (share === null ? '–' : percent(share));
  return (
    <p>
      <strong>
        From {decimal(thresholds.auto_decide, 2)} on{listOwnThresholds(thresholds, isolate)}: {show(automatic)}{' '}
        automated
      </strong>
      , {show(error_automatic)} of these wrong.
    </p>
  );
}

type PromiseLineProps = {
  type: DecisionType;
  policyId: string;
  targetError: number;
  /** From where the classifier decides alone under thresholds that are tried; null where none are. */
  tried: number | null;
  onKept: () => void;
};

/** Says what can be promised of the automatic decisions, as a sentence, with the button that keeps it. */
function PromiseLine({ type, policyId, targetError, tried, onKept }: PromiseLineProps) {
  const params = { decision_type_id: type.id, policy_id: policyId };
  const isValid = targetError >= 0.0001 && targetError <= 0.5;
  const promise = useOperation(
    'policies.promise',
    { params, query: { target_error: targetError } },
    { enabled: isValid, keepPrevious: true },
  );
  const keep = useChange('policies.keep_promise');
  const { noteDone } = useUndo(type.id);
  const found = isValid ? promise.data : undefined;
  const onKeep = () => {
    const input = { params, body: { target_error: targetError } };
    const { confidence_thresholds } = type.active_version;
    const back = { params: { decision_type_id: type.id }, body: { confidence_thresholds } };
    keep.mutate(input, {
      onSuccess: ({ sentence }) => {
        onKept();
        const again = { name: 'policies.keep_promise' as const, input };
        noteDone(thresholdsChanged, sentence, { name: 'decision_types.update', input: back }, again);
      },
    });
  };
  return (
    <>
      {!isValid && <p className="muted">The target must be a number from 0.01 to 50.</p>}
      {promise.isError && <ErrorNote error={promise.error} />}
      {keep.isError && <ErrorNote error={keep.error} />}
      {found && (
        <div className="row">
          <span className={found.possible ? undefined : 'muted'}>
            {found.sentence}
            {tried !== null &&
              found.threshold !== null &&
              (tried < found.threshold
                ? ` From ${decimal(tried, 2)}, as tried, nothing is promised.`
                : ` The thresholds tried begin there or above.`)}
          </span>
          {found.possible && (
            <Button loading={keep.isPending} onClick={onKeep}>
              Promise this
            </Button>
          )}
        </div>
      )}
    </>
  );
}

/** Where the axis begins: a tenth below the lowest confidence there is, and never above the threshold kept. */
function findStart({ confidence_bins: bins }: Props['whole'], kept: number): number {
  const lowest = bins.find(({ right, wrong }) => right + wrong > 0)?.low ?? 0;
  return Math.max(0, Math.floor(10 * Math.min(lowest, kept)) - 1) / 10;
}

type DistributionProps = {
  bins: readonly ConfidenceBin[];
  low: number;
  high: number;
  /** The threshold from which the classifier decides alone. */
  alone: number;
  from: number;
};

/** Draws how sure the classifier is of the rows that thresholds decide about, with the thresholds and their handles. */
function Distribution({ bins, low, high, alone, from }: DistributionProps) {
  return (
    <Chart
      rows={bins}
      columns={[
        { name: 'Confidence', show: (bin) => `${decimal(bin.low, 2)} to ${decimal(bin.high, 2)}` },
        { name: 'Correct', show: ({ right }) => number(right) },
        { name: 'Wrong', show: ({ wrong }) => number(wrong) },
      ]}
      x={{ name: 'Confidence', show: number, domain: [from, 1], from: (bin) => bin.low, to: (bin) => bin.high }}
      y={{ name: 'Rows', show: number }}
      bars={{
        series: [
          { colour: 'var(--bad)', of: ({ wrong }) => wrong },
          { colour: 'var(--accent)', of: ({ right }) => right },
        ],
        isFaint: (bin) => (bin.low + bin.high) / 2 < alone,
      }}
      below={
        <RangeSlider
          aria-label="Thresholds"
          thumbFromLabel="Fall back below"
          thumbToLabel="Decide directly from"
          min={from}
          max={1}
          step={step}
          minRange={0}
          label={(value) => decimal(value, 2)}
          value={[low, high]}
          onChange={([escalation, auto_decide]) => tryThresholds({ auto_decide, escalation })}
        />
      }
      guides={[low, high].map((at) => ({ axis: 'x', at, name: decimal(at, 2) }))}
      says="Unseen examples that no rule decides, by confidence. Red were wrong; pale ones go to a person."
    />
  );
}
