import type { Metrics } from '../../../engine/domain.ts';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import type { PolicyDetail } from '../../../server/contract/training.ts';
import { decimal } from '../../parts/figures.ts';
import { showUnseen } from '../../parts/names.ts';
import { Facts, Part } from '../../parts/notes.tsx';
import { ClassTable } from './class-table.tsx';
import { Familiarity, LearningCurvePart } from './learning.tsx';
import { WeakSlices } from './weak-slices.tsx';

type Props = { type: DecisionType; policy: PolicyDetail; metrics: Metrics };

/** What stands below the desk: weak parts, each option, more figures, and what the training noted. */
export function Details({ type, policy, metrics }: Props) {
  return (
    <>
      {metrics.test_size > 0 && <WeakSlices type={type} policy={{ decision_type_id: type.id, policy_id: policy.id }} />}
      <Part title="Each option">
        <ClassTable type={type} perClass={metrics.per_class} />
      </Part>
      <Part title="More figures">
        <MoreFigures metrics={metrics} policy={policy} />
      </Part>
      {metrics.learning_curve !== null && <LearningCurvePart curve={metrics.learning_curve} />}
      {metrics.familiarity !== null && <Familiarity type={type} effect={metrics.familiarity} />}
      {metrics.notes.length > 0 && (
        <Part title="Notes from the training">
          <ul className="stack tight wrap">
            {metrics.notes.map((note) => (
              <li key={note}>{showUnseen(note)}</li>
            ))}
          </ul>
        </Part>
      )}
    </>
  );
}

function MoreFigures({ metrics, policy }: { metrics: Metrics; policy: PolicyDetail }) {
  const f1 = metrics.macro_f1_interval;
  return (
    <Facts
      items={[
        {
          name: 'Macro F1',
          value: decimal(metrics.macro_f1, 3),
          detail: f1 ? `${decimal(f1.low, 3)} to ${decimal(f1.high, 3)}` : undefined,
          help: 'The mean of the F1 of all options, each counting the same however rare it is.',
        },
        {
          name: 'Calibration error',
          value: metrics.ece === null ? '–' : decimal(metrics.ece, 3),
          detail:
            metrics.ece === null
              ? 'too few rows to say'
              : metrics.ece_before === null
                ? undefined
                : `${decimal(metrics.ece_before, 3)} before calibration`,
          help: 'How far the stated confidence and the share that is right lie apart, on average.',
        },
        {
          name: 'Log-loss',
          value: decimal(metrics.log_loss, 3),
          detail:
            metrics.log_loss_before === null ? undefined : `${decimal(metrics.log_loss_before, 3)} before calibration`,
          help: 'How little probability the right options were given, on average; lower is better.',
        },
        {
          name: 'Latency p95',
          value: `${decimal(metrics.latency_estimate_p95_ms, 1)} ms`,
          help: 'Nineteen out of twenty decisions take at most this long.',
        },
        {
          name: 'Features',
          value: metrics.feature_count.toLocaleString(),
          help: 'How many numbers the classifier reads from an input.',
        },
        {
          name: 'Trained on',
          value: metrics.train_size.toLocaleString(),
          detail: `version ${policy.decision_type_version}`,
          help: 'The examples that the measured classifier learned from, and the version of the decision type.',
        },
      ]}
    />
  );
}
