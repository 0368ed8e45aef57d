/** One desk for how much is automated: the handle, what it does to all decisions, what that costs, what is promised. */
import { Button, RangeSlider } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { ConfidenceThresholds } from '../../../engine/domain/definition.ts';
import type { Metrics } from '../../../engine/domain/metrics.ts';
import { quoteShare } from '../../../engine/measure/quote-share.ts';
import { formatShare } from '../../../engine/numeric.ts';
import { describeThresholds, listOwnThresholds } from '../../../engine/thresholds.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { PolicyDetail } from '../../../server/contract/policies/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { FateBar, RightShare } from '../../parts/bars.tsx';
import { Chart } from '../../parts/charts/chart.tsx';
import { OtherWays } from '../../parts/explained/other-ways.tsx';
import { OwnThresholds } from '../../parts/fields/own-thresholds.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Busy, ErrorNote } from '../../parts/notes.tsx';
import { decimal, number } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { toDraft } from '../../state/drafts.ts';
import { useOperation } from '../../state/queries.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useSetting } from '../../state/use-setting.ts';
import { Latency } from './classifier-alone.tsx';
import { CostSheet } from './cost-sheet.tsx';
import { CostLine, describe, findCheapest } from './costs.tsx';
import { OptionPromise, PromiseLine, usePromise } from './promise.tsx';
import { SettingRefusal } from './setting-refusal.tsx';
import { isSame, tryThresholds, useCosts, useTriedThresholds } from './tried-thresholds.ts';

type Props = { type: DecisionType; policy: PolicyDetail; metrics: Metrics; whole: OutputOf<'policies.whole'> };
type Mark = { at: number; name: string };

/** Shows the figures of the whole decision under the thresholds tried, and what speaks for one place of the handle. */
export function Desk({ type, policy, metrics, whole }: Props) {
  const [isOpen, setOpen] = useState(false);
  const handles = useHandles(type, isOpen);
  const { wanted, setting } = handles;
  const promise = usePromise(type, policy.id);
  const costs = useCosts(type, { decision_type_id: type.id, policy_id: policy.id });
  const finding = type.costs === null ? undefined : costs.data;
  const isBetweenAccepted = type.active_version.escalation_policy.between === 'accept';
  const cheapest = finding ? findCheapest(finding, isBetweenAccepted) : null;
  const alone = isBetweenAccepted ? wanted.escalation : wanted.auto_decide;
  return (
    <section className="part stack whole-width desk" aria-label="How much to automate">
      <div className="short">
        <RightShare whole={whole} />
        <Automated whole={whole} metrics={metrics} />
      </div>
      <div className="short">
        <div className="stack tight">
          <Distribution
            whole={whole}
            thresholds={wanted}
            alone={alone}
            kept={handles.kept.escalation}
            marks={[
              ...toMark(promise, alone),
              ...(cheapest
                ? [{ at: cheapest.thresholds.auto_decide, name: `cheapest: from ${describe(cheapest.thresholds)}` }]
                : []),
            ]}
          />
          <Acts type={type} handles={handles} />
        </div>
        <div className="stack">
          <PromiseLine
            type={type}
            promise={promise}
            standing={policy.status === 'deployed' ? type.declared_promise : policy.promise_standing}
            onKept={handles.reset}
          />
          {type.costs !== null && costs.isPending && <Busy>Comparing what errors and reviews cost…</Busy>}
          {costs.error && <ErrorNote error={costs.error} retry={() => void costs.refetch()} />}
          {(finding || type.costs === null) && (
            <CostLine finding={finding} cheapest={cheapest} isTaking={setting.isPending} onTake={handles.save}>
              {!isOpen && (
                <Button onClick={() => setOpen(true)}>{type.costs === null ? 'Set costs…' : 'Change costs…'}</Button>
              )}
            </CostLine>
          )}
          <ByOption policy={policy} options={type.active_version.options} wanted={wanted} terms={promise.terms} />
        </div>
      </div>
      <SettingRefusal setting={setting} />
      {isOpen && (
        <CostSheet
          type={type}
          metrics={metrics}
          isSaving={setting.isPending}
          onSave={(to) =>
            setting.save({
              to: { costs: to },
              title: 'Costs changed',
              text: 'Costs are saved.',
              onDone: () => setOpen(false),
            })
          }
          onClose={() => setOpen(false)}
        />
      )}
      <Remarks type={type} policy={policy} whole={whole} />
    </section>
  );
}

type ByOptionProps = Pick<Props, 'policy'> & {
  options: readonly string[];
  wanted: ConfidenceThresholds;
  terms: ReturnType<typeof usePromise>['terms'];
};

/** Sets thresholds of single options, each with the promise it could keep. */
function ByOption({ policy, options, wanted, terms }: ByOptionProps) {
  return (
    <details>
      <summary>By option{listOwnThresholds(wanted, isolate)}</summary>
      <div className="stack">
        <OwnThresholds
          options={options}
          thresholds={wanted}
          set={(own) => tryThresholds({ ...wanted, ...own })}
          below={(option, take) => <OptionPromise policy={policy} option={option} terms={terms} onTake={take} />}
        />
      </div>
    </details>
  );
}

/** Says how much needs no review, how much of that is wrong, and what becomes of all decisions. */
function Automated({ whole, metrics }: Pick<Props, 'whole' | 'metrics'>) {
  const { automatic, error_automatic: wrong } = whole;
  const [alone, error] = [quoteShare(automatic), quoteShare(wrong)];
  return (
    <div>
      <p className="row between">
        <Figure className="figure-large" says="The share of unseen examples that needs no review.">
          {alone.isKnown ? `${alone.figure} automated` : 'Nothing measured yet'}
        </Figure>
        <Figure
          className="muted"
          says={`How many of the decisions made alone are wrong: ${number(wrong.count)} of ${number(wrong.of)}.`}
        >
          {error.isKnown
            ? `${error.figure} of these wrong, ${error.beside}`
            : 'How many of these are wrong is not known yet'}
        </Figure>
      </p>
      <FateBar whole={whole} />
      <p className="small muted">
        <Latency metrics={metrics} />
      </p>
    </div>
  );
}

/** The thresholds of the two handles and of single options, until they are kept or given up. */
function useHandles(type: DecisionType, isCostEdited: boolean) {
  const stored = type.active_version.confidence_thresholds;
  const kept = toDraft(type).confidence_thresholds;
  const tried = useTriedThresholds(type);
  const wanted = tried ?? stored;
  const isKept = isSame(wanted, kept);
  const setting = useSetting(type, !isKept || isCostEdited);
  const newest = useRef(wanted);
  useEffect(() => {
    newest.current = wanted;
  });
  const reset = () => tryThresholds(null);
  const save = (thresholds: ConfidenceThresholds) =>
    setting.save({
      to: { confidence_thresholds: thresholds },
      title: 'Thresholds changed',
      text: `${type.model_deployed ? 'In the draft: ' : ''}${describeThresholds({ ...type, ...type.active_version, confidence_thresholds: thresholds }, isolate)}`,
      // The values that were tried meanwhile stay.
      onDone: () => {
        if (isSame(newest.current, wanted)) reset();
      },
    });
  const saveTitle = type.model_deployed ? 'Keep as draft' : 'Use these thresholds';
  useCommands('Edit', [
    { id: 'save', title: saveTitle, keys: 'Mod+S', inFields: true, enabled: !isKept, run: () => save(wanted) },
    { id: 'undo', title: 'Undo', keys: 'Mod+Z', enabled: !isKept, run: reset },
  ]);
  return {
    wanted,
    kept,
    isKept,
    isTried: tried !== null,
    setting,
    saveTitle,
    save,
    reset,
    back: () => tryThresholds(stored),
  };
}

type ActsProps = { type: DecisionType; handles: ReturnType<typeof useHandles> };

function Acts({ type, handles: { wanted, isKept, isTried, setting, saveTitle, save, back } }: ActsProps) {
  if (!isTried) return null;
  return (
    <div className="row">
      {isKept ? (
        <span className="muted">In the draft</span>
      ) : (
        <Button variant={type.draft ? 'default' : 'filled'} loading={setting.isPending} onClick={() => save(wanted)}>
          {saveTitle}
        </Button>
      )}
      <Button onClick={back}>Back to the thresholds in use</Button>
    </div>
  );
}

/** Where a promise of the terms that are typed would begin, and whether the handle stands there or above. */
function toMark({ found }: ReturnType<typeof usePromise>, alone: number): Mark[] {
  if (!found || found.threshold === null) return [];
  const { target_error, certainty, threshold } = found;
  const name = `at most ${formatShare(target_error)} wrong, certain to ${formatShare(certainty)}: from ${number(threshold)}`;
  return [{ at: threshold, name: alone < threshold ? name : `${name} ✓` }];
}

/** Where the axis begins: a tenth below the lowest confidence there is, and never above the threshold kept. */
function findStart({ confidence_bins: bins }: Props['whole'], kept: number): number {
  const lowest = bins.find(({ right, wrong }) => right + wrong > 0)?.low ?? 0;
  return Math.max(0, Math.floor(10 * Math.min(lowest, kept)) - 1) / 10;
}

type DistributionProps = Pick<Props, 'whole'> & {
  thresholds: ConfidenceThresholds;
  /** The threshold from which the classifier decides alone. */
  alone: number;
  marks: readonly Mark[];
  /** The lower threshold that is kept; the axis stays while its handle is dragged. */
  kept: number;
};

/** Draws how sure the classifier is of the rows that thresholds decide about, with the handles and the marks below. */
function Distribution({ whole, thresholds, alone, marks, kept }: DistributionProps) {
  const from = findStart(whole, kept);
  const { auto_decide: high, escalation: low } = thresholds;
  return (
    <Chart
      rows={whole.confidence_bins}
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
        <>
          <RangeSlider
            aria-label="Thresholds"
            thumbFromLabel="Fall back below"
            thumbToLabel="Decide directly from"
            min={from}
            max={1}
            step={0.01}
            minRange={0}
            label={(value) => decimal(value, 2)}
            value={[low, high]}
            onChange={([escalation, auto_decide]) => tryThresholds({ ...thresholds, auto_decide, escalation })}
          />
          {marks.map(({ at, name }) => (
            <p key={name} className="mark" style={{ '--at': Math.max(0, at - from) / (1 - from) }}>
              {name}
            </p>
          ))}
        </>
      }
      guides={[low, high].map((at) => ({ axis: 'x', at, name: decimal(at, 2) }))}
      says="Unseen examples that no rule decides, by confidence. Red were wrong; pale ones go to a person."
    />
  );
}

/** How far two readers agree, how rows were held out, and which of them do not count. */
function Remarks({ type, policy, whole: { missing, refused, masked } }: Omit<Props, 'metrics'>) {
  const { data } = useOperation('agreement.get', { params: { decision_type_id: type.id } });
  return (
    <>
      {data?.share && <p className="muted">{data.sentence}</p>}
      <OtherWays policy={policy} />
      {missing + refused + masked > 0 && (
        <p className="muted">
          {missing > 0 &&
            `${missing.toLocaleString()} unseen examples do not count: they were deleted or changed, or schema and rules take too long for more. `}
          {refused > 0 && `${refused.toLocaleString()} do not follow the input schema. `}
          {masked > 0 &&
            `${masked.toLocaleString()} come from the log with masked personal fields, which count as missing.`}
        </p>
      )}
    </>
  );
}
