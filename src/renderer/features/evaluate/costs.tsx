/** The cost of decisions with the thresholds that show, and with the cheapest ones. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CostFinding } from '../../../engine/costs.ts';
import type { ConfidenceThresholds } from '../../../engine/domain/definition.ts';
import { listOwnThresholds } from '../../../engine/thresholds.ts';
import { Chart } from '../../parts/charts/chart.tsx';
import { Figure } from '../../parts/figure.tsx';
import { amount, decimal, number, percent } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';

/** The thresholds of least cost, and whether with them a person decides all; null where none cost less. */
export function findCheapest({ now, suggested, saving, by_hand }: CostFinding, isBetweenAccepted: boolean) {
  if (now === null || by_hand === null) return null;
  const { auto_decide, escalation } = now.thresholds;
  const isByHand = by_hand.per_1000 <= (suggested?.per_1000 ?? Number.POSITIVE_INFINITY);
  if (isByHand && by_hand.per_1000 < now.per_1000 && auto_decide < 1) {
    return { isByHand, thresholds: { auto_decide: 1, escalation: isBetweenAccepted ? 1 : escalation } };
  }
  const isLess = suggested !== null && saving !== null && saving.per_1000 > 0;
  return isLess ? { isByHand: false, thresholds: suggested.thresholds } : null;
}

/** "0.85", and the options that need more: ", pay from 0.9". */
export const describe = (thresholds: ConfidenceThresholds) =>
  decimal(thresholds.auto_decide, 2) + listOwnThresholds(thresholds, isolate);

type Props = {
  /** Undefined where the type has no costs, or they are still being compared. */
  finding: CostFinding | undefined;
  cheapest: ReturnType<typeof findCheapest>;
  isTaking: boolean;
  onTake(thresholds: ConfidenceThresholds): void;
  /** The act that opens the costs. */
  children: ReactNode;
};

/** Says what 1,000 decisions cost, by hand too, and where the cheapest thresholds are; or invites to say so. */
export function CostLine({ finding, cheapest, isTaking, onTake, children }: Props) {
  if (!finding) {
    return (
      <div className="row between">
        <p className="muted">Set what errors and reviews cost, to find the cheapest thresholds.</p>
        {children}
      </div>
    );
  }
  const { now, suggested, saving, by_hand, currency, rows, sentence } = finding;
  const money = (value: number) => amount(value) + (currency === null ? '' : ` ${isolate(currency)}`);
  return (
    <div className="stack tight">
      <div className="row between">
        {now && by_hand && (
          <p>
            <Figure
              className="figure-large"
              says={`What 1,000 decisions like the ${number(rows)} unseen examples cost: errors, and a review for each that is handed on.`}
            >
              {money(now.per_1000)} per 1,000
            </Figure>{' '}
            <span className="muted">
              {now.low < now.high && `${amount(now.low)} to ${money(now.high)}; `}
              {money(by_hand.per_1000)} all by hand
            </span>
          </p>
        )}
        {children}
      </div>
      <div className="row between muted">
        {cheapest === null && (
          <p>{now && suggested ? 'No other thresholds would cost less, as far as can be seen.' : sentence}</p>
        )}
        {cheapest?.isByHand && (
          <p>Nothing costs less than a review of each decision. What a rule decides stays automated.</p>
        )}
        {cheapest && !cheapest.isByHand && suggested && (
          <p>
            {money(suggested.per_1000)} at the cheapest thresholds, from {describe(suggested.thresholds)}:{' '}
            {percent(suggested.share_automatic)} automated.
            {saving !== null && saving.low <= 0 && ' The difference may be chance.'}
          </p>
        )}
        {cheapest && (
          <Button loading={isTaking} onClick={() => onTake(cheapest.thresholds)}>
            {cheapest.isByHand ? 'Let a person decide all' : 'Take the cheapest'}
          </Button>
        )}
      </div>
      {finding.curve.length > 0 && (
        <details>
          <summary>Cost at each threshold</summary>
          <CostCurve finding={finding} />
        </details>
      )}
    </div>
  );
}

/** Draws what decisions cost wherever the threshold stands. */
function CostCurve({ finding: { curve, now, by_hand, currency } }: { finding: CostFinding }) {
  const name = `Cost of 1,000${currency === null ? '' : `, ${isolate(currency)}`}`;
  return (
    <Chart
      rows={curve}
      columns={[
        { name: 'Automated from', show: ({ auto_decide }) => decimal(auto_decide, 2) },
        { name, show: ({ per_1000 }) => amount(per_1000) },
      ]}
      x={{ name: 'Automated from this confidence on', show: number, from: ({ auto_decide }) => auto_decide }}
      y={{ name, show: number }}
      lines={[{ colour: 'var(--accent)', of: ({ per_1000 }) => per_1000, drawn: 'line' }]}
      guides={[
        ...(now ? [{ axis: 'x' as const, at: now.thresholds.auto_decide, name: 'now' }] : []),
        ...(by_hand ? [{ axis: 'y' as const, at: by_hand.per_1000, name: 'all by hand' }] : []),
      ]}
      says="Left of the lowest point errors cost more, right of it reviews. A suggestion also heeds the confidence, so it may stand beside it."
    />
  );
}
