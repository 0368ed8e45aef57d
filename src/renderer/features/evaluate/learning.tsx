import type { FamiliarityEffect, LearningCurve, Metrics } from '../../../engine/domain/metrics.ts';
import { minSupport } from '../../../engine/domain/training.ts';
import { computeWilsonInterval } from '../../../engine/intervals.ts';
import { formatShare } from '../../../engine/numeric.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Chart } from '../../parts/charts/chart.tsx';
import { Part } from '../../parts/notes.tsx';
import { decimal, number, percent } from '../../parts/text/figures.ts';
import { isolate, quoteNames } from '../../parts/text/names.ts';

const adviceTones = { more: 'warn', enough: 'good', separate: 'accent' } as const;
const adviceNames = { more: 'More examples', enough: 'Enough', separate: 'Confused' } as const;
const maxAdvice = 20;

type Advice = LearningCurve['advice'][number];

const Tag = ({ advice }: Pick<Advice, 'advice'>) => (
  <span className={`tag ${adviceTones[advice]}`}>{adviceNames[advice]}</span>
);

/** How the figures grow with the examples, and advice for each option. */
export function LearningCurvePart({ curve, metrics }: { curve: LearningCurve; metrics: Metrics }) {
  const supportOf = (option: string) => metrics.per_class[option]?.['support'] ?? 0;
  const rare = metrics.rare_options?.options ?? [];
  const isFew = ({ option, advice }: Advice) =>
    advice === 'more' && supportOf(option) < minSupport && !rare.includes(option);
  const few = curve.advice.filter(isFew);
  const enough = curve.advice.filter(({ advice }) => advice === 'enough');
  const others = curve.advice.filter((each) => each.advice !== 'enough' && !isFew(each));
  const name = (some: readonly Advice[], show: (option: string) => string) =>
    some.map(({ option }) => show(option)).join(', ');
  return (
    <Part title="Would more examples help?">
      <div className="stack">
        <LearningChart metrics={metrics} points={curve.points} />
        <ul className="stack tight wrap">
          {few.length > 0 && (
            <li>
              <Tag advice="more" /> Too few test rows to judge:{' '}
              {name(few, (option) => `${isolate(option)} (${supportOf(option)})`)}
            </li>
          )}
          {others.slice(0, maxAdvice).map(({ option, advice, sentence }) => (
            <li key={option}>
              <Tag advice={advice} /> {quoteNames(sentence)}
            </li>
          ))}
          {others.length > maxAdvice && <li className="muted">and {others.length - maxAdvice} more options</li>}
          {enough.length > 0 && (
            <li>
              <Tag advice="enough" /> {name(enough, isolate)}
            </li>
          )}
        </ul>
        <p className="muted">{curve.forecast?.sentence} Rules and classifier as trained, thresholds aside.</p>
      </div>
    </Part>
  );
}

/** Draws how often the classifier is right after learning from this many examples, beside the commonest answer. */
function LearningChart({ points, metrics }: Pick<LearningCurve, 'points'> & { metrics: Metrics }) {
  const { test_size: rows, whole } = metrics;
  const baseline = whole?.baseline;
  const intervalOf = ({ accuracy }: LearningCurve['points'][number]) =>
    computeWilsonInterval(Math.round(accuracy * rows), rows);
  return (
    <Chart
      rows={points}
      columns={[
        { name: 'Examples', show: ({ train_size }) => number(train_size) },
        { name: 'Correct', show: ({ accuracy }) => percent(accuracy) },
        { name: 'From', show: (point) => percent(intervalOf(point).low) },
        { name: 'To', show: (point) => percent(intervalOf(point).high) },
        { name: 'Macro F1', show: ({ macro_f1 }) => decimal(macro_f1, 3) },
      ]}
      x={{ name: 'Examples learned from', show: number, from: ({ train_size }) => train_size }}
      y={{ name: 'Correct', show: formatShare }}
      lines={[
        { colour: 'var(--accent)', of: ({ accuracy }) => accuracy, interval: intervalOf, drawn: 'points and line' },
      ]}
      guides={
        baseline && baseline.accuracy.share !== null
          ? [{ axis: 'y', at: baseline.accuracy.share, name: `always ${isolate(baseline.option)}` }]
          : []
      }
      says={`How often the classifier alone is right on ${number(rows)} unseen examples after learning from part of the others, with the 95% interval.`}
    />
  );
}

const checkNames = {
  words: 'the rarity of its words',
  embedding: 'the distance of its meaning from the options',
  nearest: 'the distance of its meaning from the nearest example',
  fields: 'values outside the range of the examples',
} as const;

/** Shows what noticing unfamiliar inputs does to the unseen examples. */
export function Familiarity({ type, effect }: { type: DecisionType; effect: FamiliarityEffect }) {
  const isIgnored = type.active_version.escalation_policy.unfamiliar === 'ignore';
  return (
    <Part title="Inputs unlike the examples">
      <div className="stack tight">
        <p>{quoteNames(effect.sentence)}</p>
        <p className="muted">
          Checked: {effect.checks.map((check) => checkNames[check]).join(', ')}.{' '}
          {effect.accuracy_unfamiliar !== null &&
            effect.accuracy_familiar !== null &&
            `The classifier is right on ${percent(effect.accuracy_familiar)} of the familiar and ${percent(effect.accuracy_unfamiliar)} of the unfamiliar ones.`}
        </p>
        <p className="muted">
          {isIgnored
            ? 'This type decides unfamiliar inputs like any other; Define changes that.'
            : 'Such inputs count as unsure and come first under Monitor among those that need review.'}
        </p>
      </div>
    </Part>
  );
}
