import { Button } from '@mantine/core';
import { useState } from 'react';
import type { CostEstimate, CostFinding } from '../../../engine/costs.ts';
import type { ConfidenceThresholds } from '../../../engine/domain/definition.ts';
import type { Metrics } from '../../../engine/domain/metrics.ts';
import { listOwnThresholds } from '../../../engine/thresholds.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Chart } from '../../parts/charts/chart.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Busy, ErrorNote, Part } from '../../parts/notes.tsx';
import { amount, decimal, number, percent } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { toDraft } from '../../state/drafts.ts';
import { type Setting, useSetting } from '../../state/use-setting.ts';
import { CostSheet } from './cost-sheet.tsx';
import { SettingRefusal } from './setting-refusal.tsx';
import { tryThresholds, useCosts, useTriedThresholds } from './tried-thresholds.ts';

/** Shows what decisions cost with the current thresholds, with the cheapest ones and by hand, and sets the costs. */
export function CostsPanel({ type, policyId, metrics }: { type: DecisionType; policyId: string; metrics: Metrics }) {
  const [isOpen, setOpen] = useState(false);
  const setting = useSetting(type, isOpen);
  const params = { decision_type_id: type.id, policy_id: policyId };
  const found = useCosts(type, params);
  return (
    <Part
      title="Costs"
      tools={
        !isOpen && <Button onClick={() => setOpen(true)}>{type.costs === null ? 'Set costs…' : 'Change costs…'}</Button>
      }
    >
      {type.costs === null && !isOpen && (
        <p className="muted">Set what errors and reviews cost, to find the cheapest thresholds.</p>
      )}
      <div className="stack">
        <SettingRefusal setting={setting} />
        {isOpen && (
          <CostSheet
            type={type}
            metrics={metrics}
            isSaving={setting.isPending}
            onSave={(costs) =>
              setting.save({
                to: { costs },
                title: 'Costs changed',
                text: 'Costs are saved.',
                onDone: () => setOpen(false),
              })
            }
            onClose={() => setOpen(false)}
          />
        )}
        {type.costs !== null && found.isPending && <Busy>Comparing what errors and reviews cost…</Busy>}
        {found.isError && <ErrorNote error={found.error} retry={() => void found.refetch()} />}
        {type.costs !== null && found.data && <Weighed type={type} finding={found.data} setting={setting} />}
      </div>
    </Part>
  );
}

function Weighed({ type, finding, setting }: { type: DecisionType; finding: CostFinding; setting: Setting }) {
  const name = useTriedThresholds(type) === null ? 'now' : 'as tried';
  const { now, suggested, saving, by_hand, currency, rows } = finding;
  if (now === null || by_hand === null) return <p className="muted">{finding.sentence}</p>;
  const stored = toDraft(type).confidence_thresholds;
  const isOffered = suggested !== null && saving !== null && saving.per_1000 > 0;
  const isKept = isOffered && JSON.stringify(stored) === JSON.stringify(suggested.thresholds);
  const take = ({ thresholds }: NonNullable<CostFinding['suggested']>) =>
    setting.save({
      to: { confidence_thresholds: thresholds },
      title: 'Thresholds changed',
      text: `${type.model_deployed ? 'In the draft: inputs' : 'Inputs'} are decided directly from a confidence of ${describe(thresholds)}.`,
      onDone: () => tryThresholds(null),
    });
  return (
    <>
      <p className="muted">Per 1,000 decisions, measured on {number(rows)} unseen examples:</p>
      <div className="short">
        <Amount name={name} says={nowSays} estimate={now} currency={currency}>
          {percent(now.share_automatic)} automated
        </Amount>
        {isOffered && (
          <Amount name="at suggested thresholds" says={suggestedSays} estimate={suggested} currency={currency}>
            from {describe(suggested.thresholds)}: {percent(suggested.share_automatic)} automated
          </Amount>
        )}
        <Amount name="all by hand" says={byHandSays} estimate={by_hand} currency={currency}>
          nothing automated
        </Amount>
      </div>
      <CostCurve finding={finding} name={name} now={now} suggested={isOffered ? suggested : null} />
      {isOffered ? (
        <div className="row">
          <Button
            variant={type.draft ? 'default' : 'filled'}
            disabled={isKept}
            loading={setting.isPending}
            onClick={() => take(suggested)}
          >
            {isKept ? 'In the draft' : 'Take these thresholds'}
          </Button>
          {saving.low <= 0 && <span className="muted">The difference may be chance.</span>}
        </div>
      ) : (
        <p className="muted">
          {suggested === null ? finding.sentence : 'No other thresholds would cost less, as far as can be seen.'}
        </p>
      )}
    </>
  );
}

type Placed = { thresholds: ConfidenceThresholds } | null;
type CurveProps = { finding: CostFinding; name: string; now: Placed; suggested: Placed };

/** Draws what decisions cost wherever the threshold stands, with the current one and the one suggested. */
function CostCurve({ finding: { curve, by_hand, currency }, name, now, suggested }: CurveProps) {
  const unit = currency === null ? '' : ` ${isolate(currency)}`;
  const mark = (of: string, at: Placed) =>
    at === null ? [] : [{ axis: 'x' as const, at: at.thresholds.auto_decide, name: of }];
  return (
    <Chart
      rows={curve}
      columns={[
        { name: 'Automated from', show: ({ auto_decide }) => decimal(auto_decide, 2) },
        { name: `Cost of 1,000${unit && `,${unit}`}`, show: ({ per_1000 }) => amount(per_1000) },
      ]}
      x={{ name: 'Automated from this confidence on', show: number, from: ({ auto_decide }) => auto_decide }}
      y={{ name: `Cost of 1,000${unit && `,${unit}`}`, show: number }}
      lines={[{ colour: 'var(--accent)', of: ({ per_1000 }) => per_1000, drawn: 'line' }]}
      guides={[
        ...mark(name, now),
        ...mark('suggested', suggested),
        ...(by_hand === null ? [] : [{ axis: 'y' as const, at: by_hand.per_1000, name: 'all by hand' }]),
      ]}
      says="Left of the lowest point errors cost more, right of it reviews. A suggestion also heeds the confidence, so it may stand beside it."
    />
  );
}

const describe = (thresholds: ConfidenceThresholds) =>
  decimal(thresholds.auto_decide, 3) + listOwnThresholds(thresholds, isolate);

const nowSays =
  'What 1,000 decisions like the unseen examples cost now: errors, and a review for each that is handed on.';
const suggestedSays =
  'The same with the thresholds of least cost, each example by thresholds that were chosen without it.';
const byHandSays = 'What 1,000 reviews cost.';

type AmountProps = {
  name: string;
  says: string;
  estimate: CostEstimate;
  currency: string | null;
  children: React.ReactNode;
};

function Amount({ name, says, estimate: { per_1000, low, high }, currency, children }: AmountProps) {
  const unit = currency === null ? '' : ` ${isolate(currency)}`;
  return (
    <p>
      <strong className="figure-large">
        <Figure says={says}>
          {amount(per_1000)}
          {unit} {name}
        </Figure>
      </strong>
      <span className="muted">
        {low < high && `${amount(low)} to ${amount(high)}${unit}, `}
        {children}
      </span>
    </p>
  );
}
