import type { ReactNode } from 'react';
import type { Metrics } from '../../../engine/domain/metrics.ts';
import type { MeasuredShare, WholeDecision } from '../../../engine/measured.ts';
import type { PolicyDetail } from '../../../server/contract/policies/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { FateBar, RightShare } from '../../parts/bars.tsx';
import { OtherWays } from '../../parts/explained/other-ways.tsx';
import { PromiseState } from '../../parts/explained/promise-state.tsx';
import { Figure } from '../../parts/figure.tsx';
import { amount, decimal, milliseconds, number, percent } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';
import { useCosts } from './tried-thresholds.ts';

type Props = { type: DecisionType; policy: PolicyDetail; whole: WholeDecision };

/** Says what a reader wants to know first, measured on the current rules, classifier and thresholds together. */
export function InShort({ type, policy, whole }: Props) {
  const { automatic, error_automatic: wrong, missing, refused, masked } = whole;
  return (
    <section className="part stack whole-width" aria-label="In short">
      <div className="short">
        <RightShare whole={whole} />
        <div>
          <p className="row between">
            <Says text="The share of unseen examples that needs no review.">{shareText(automatic)} automated</Says>
            <Figure
              className="muted"
              says={`How many of the decisions made alone are wrong: ${number(wrong.count)} of ${number(wrong.of)}.`}
            >
              {shareText(wrong)} of these wrong, {range(wrong)}
            </Figure>
          </p>
          <FateBar whole={whole} />
          <div className="row small muted">
            {policy.metrics && <Latency metrics={policy.metrics} />}
            <Promised type={type} policy={policy} />
          </div>
        </div>
        <Cost type={type} policyId={policy.id} />
      </div>
      <Ceiling type={type} />
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
    </section>
  );
}

function Says({ text, children, isHeadline }: { text: string; children: ReactNode; isHeadline?: boolean }) {
  return (
    <strong className={isHeadline ? 'headline' : 'figure-large'}>
      <Figure says={text}>{children}</Figure>
    </strong>
  );
}

/** How far two readers agree, the most that can be asked for; nothing where nobody has read twice. */
function Ceiling({ type }: { type: DecisionType }) {
  const { data } = useOperation('agreement.get', { params: { decision_type_id: type.id } });
  return data?.share ? <p className="muted">{data.sentence}</p> : null;
}

/** Shows what decisions cost beside what all of them would cost by hand; nothing where the type has no costs. */
function Cost({ type, policyId }: { type: DecisionType; policyId: string }) {
  const { data } = useCosts(type, { decision_type_id: type.id, policy_id: policyId });
  if (!data?.now || !data.by_hand) return null;
  const unit = data.currency === null ? '' : ` ${isolate(data.currency)}`;
  return (
    <p>
      <Says text="What 1,000 decisions like the unseen examples cost: errors, and a review for each that is handed on.">
        {amount(data.now.per_1000)}
        {unit} per 1,000
      </Says>
      <span className="muted">
        {amount(data.now.low)} to {amount(data.now.high)}
        {unit}; all by hand {amount(data.by_hand.per_1000)}
      </span>
    </p>
  );
}

function Latency({ metrics: { latency_estimate_p50_ms: p50, latency_estimate_p95_ms: p95 } }: { metrics: Metrics }) {
  const [usual, slow] = [milliseconds(p50), milliseconds(p95)];
  return (
    <Figure says="One after the other, each text read for the first time.">
      {usual} a decision{slow !== usual && `, 95 of 100 within ${slow}`}
    </Figure>
  );
}

function shareText({ share }: MeasuredShare): string {
  return share === null ? '–' : percent(share);
}

function range({ share, low, high }: MeasuredShare): string {
  return share === null ? 'nothing to measure' : `${percent(low)} to ${percent(high)}`;
}

const promiseTones = { kept: 'good', broken: 'bad', unknown: 'warn' } as const;
const promiseNames = { kept: 'Promised', broken: 'Broken', unknown: 'Uncertain' } as const;

/** Says what is promised of the policy and how that stands; what could be promised stands beside the thresholds. */
function Promised({ type, policy }: Pick<Props, 'type' | 'policy'>) {
  // The type tells how its promise stands after every change of the settings; the policy, of every other one.
  const promised = policy.status === 'deployed' ? type.promise : policy.promise;
  if (promised !== null) {
    return (
      <p>
        <span className={`tag ${promiseTones[promised.state]}`}>{promiseNames[promised.state]}</span>{' '}
        {promised.sentence}
      </p>
    );
  }
  if (policy.promise_standing?.state === 'not_kept') return <PromiseState promise={policy.promise_standing} />;
  return <p>No error limit promised</p>;
}

/** The figures of the training, where no example was held out to decide again. */
export function ClassifierAlone({ type, metrics }: { type: DecisionType; metrics: Metrics }) {
  const { auto_decide } = type.active_version.confidence_thresholds;
  const found = metrics.risk_coverage.find(({ threshold }) => threshold >= auto_decide - 1e-9);
  const alone = found ?? { coverage: 0, error: 0 };
  return (
    <section className="part short whole-width" aria-label="In short">
      <p>
        <Says text="The share of training examples that the classifier decides correctly." isHeadline>
          {percent(metrics.accuracy)} correct
        </Says>
        <span className="muted">of the training examples</span>
      </p>
      <p>
        <Says text="The share of training examples that the classifier is sure enough about.">
          {percent(alone.coverage)} automated
        </Says>
        <span className="muted">from a confidence of {decimal(auto_decide, 2)}</span>
      </p>
      <p>
        <Says text="How many of those decisions are wrong.">{percent(alone.error)} of these wrong</Says>
        <span className="muted">the classifier by itself, before any rule</span>
      </p>
      <Latency metrics={metrics} />
    </section>
  );
}
