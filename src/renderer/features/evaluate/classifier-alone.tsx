import type { Metrics } from '../../../engine/domain/metrics.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Figure } from '../../parts/figure.tsx';
import { decimal, milliseconds, percent } from '../../parts/text/figures.ts';

/** Says how long a decision takes. */
export function Latency({
  metrics: { latency_estimate_p50_ms: p50, latency_estimate_p95_ms: p95 },
}: {
  metrics: Metrics;
}) {
  const [usual, slow] = [milliseconds(p50), milliseconds(p95)];
  return (
    <Figure says="One after the other, each text read for the first time.">
      {usual} a decision{slow !== usual && `, 95 of 100 within ${slow}`}
    </Figure>
  );
}

/** The figures of the training, where no example was held out to decide again. */
export function ClassifierAlone({ type, metrics }: { type: DecisionType; metrics: Metrics }) {
  const { auto_decide } = type.active_version.confidence_thresholds;
  const found = metrics.risk_coverage.find(({ threshold }) => threshold >= auto_decide - 1e-9);
  const alone = found ?? { coverage: 0, error: 0 };
  const figure = (says: string, text: string, detail: string, name = 'figure-large') => (
    <p>
      <Figure className={name} says={says}>
        {text}
      </Figure>{' '}
      <span className="muted">{detail}</span>
    </p>
  );
  return (
    <section className="part short whole-width" aria-label="How much to automate">
      {figure(
        'The share of training examples that the classifier decides correctly.',
        `${percent(metrics.accuracy)} correct`,
        'of the training examples',
        'headline',
      )}
      {figure(
        'The share of training examples that the classifier is sure enough about.',
        `${percent(alone.coverage)} automated`,
        `from a confidence of ${decimal(auto_decide, 2)}`,
      )}
      {figure(
        'How many of those decisions are wrong.',
        `${percent(alone.error)} of these wrong`,
        'the classifier by itself, before any rule',
      )}
      <Latency metrics={metrics} />
    </section>
  );
}
