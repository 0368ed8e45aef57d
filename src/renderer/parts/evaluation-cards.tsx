import { useState } from 'react';
import type { FamiliarityEffect, LearningCurve, Metrics } from '../../engine/domain.ts';
import { suggestThreshold } from '../../engine/training/evaluate/thresholds.ts';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import { useChange } from '../api/queries.ts';
import { useWorkbench } from '../workbench.tsx';
import { TextField } from './fields.tsx';
import { Card, ErrorNote, percent } from './layout.tsx';

/** Suggests the threshold that keeps a target error, and takes it over for the decision type. */
export function ThresholdAdvice({ type, metrics }: { type: DecisionType; metrics: Metrics }) {
  const [percentText, setPercentText] = useState('2');
  const { ui } = useWorkbench();
  const update = useChange('decision_types.update');
  const targetError = Number(percentText) / 100;
  const valid = percentText.trim() !== '' && Number.isFinite(targetError) && targetError >= 0 && targetError <= 1;
  const found = valid ? suggestThreshold(metrics.risk_coverage, targetError, metrics.test_size) : null;
  const { confidence_thresholds: present } = type.active_version;
  const use = (threshold: number) =>
    update.mutate(
      {
        params: { decision_type_id: type.id },
        body: {
          confidence_thresholds: { auto_decide: threshold, escalation: Math.min(present.escalation, threshold) },
        },
      },
      {
        onSuccess: () =>
          ui.getState().notify('info', `Inputs are decided directly from a confidence of ${threshold.toFixed(2)}.`),
      },
    );
  return (
    <div className="stack tight">
      <TextField
        label="Target error among direct decisions, in percent"
        type="number"
        min={0}
        max={100}
        step={0.1}
        value={percentText}
        onValue={setPercentText}
        error={valid ? undefined : 'It must be a number from 0 to 100.'}
      />
      {update.isError && <ErrorNote error={update.error} />}
      {valid && found === null && (
        <p className="note">No threshold keeps the error that low on the unseen examples. More examples may help.</p>
      )}
      {found !== null && (
        <div className="row between">
          <p>
            Decide directly from <strong>{found.threshold.toFixed(2)}</strong>: {percent(found.coverage)} of inputs,
            with {percent(found.error)} error (at most {percent(found.error_interval.high)}, with 95 % confidence).
          </p>
          <button
            type="button"
            disabled={update.isPending || found.threshold === present.auto_decide}
            onClick={() => use(found.threshold)}
          >
            {found.threshold === present.auto_decide ? 'In use' : 'Use these'}
          </button>
        </div>
      )}
    </div>
  );
}

const adviceBadges = { more: 'warn', enough: 'good', separate: 'accent' } as const;
const adviceNames = { more: 'More examples', enough: 'Enough', separate: 'Tell apart' } as const;

/** How the figures grow with the examples, and what would help each option. */
export function LearningCurveCard({ curve }: { curve: LearningCurve }) {
  const order = ['more', 'separate', 'enough'] as const;
  const advice = [...curve.advice].sort((a, b) => order.indexOf(a.advice) - order.indexOf(b.advice));
  return (
    <Card title="Would more examples help?">
      <table>
        <thead>
          <tr>
            <th scope="col" className="num">
              Share of the examples
            </th>
            <th scope="col" className="num">
              Examples
            </th>
            <th scope="col" className="num">
              Accuracy
            </th>
            <th scope="col" className="num">
              Macro F1
            </th>
          </tr>
        </thead>
        <tbody>
          {curve.points.map((point) => (
            <tr key={point.share}>
              <td className="num">{Math.round(point.share * 100)} %</td>
              <td className="num">{point.train_size.toLocaleString()}</td>
              <td className="num">{percent(point.accuracy)}</td>
              <td className="num">{point.macro_f1.toFixed(3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="scroll" style={{ maxHeight: '18rem' }}>
        <ul className="stack tight">
          {advice.map(({ option, advice: kind, sentence }) => (
            <li key={option}>
              <span className={`badge ${adviceBadges[kind]}`}>{adviceNames[kind]}</span> {sentence}
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}

const checkNames = {
  words: 'the rarity of its words',
  embedding: 'the distance of its meaning from the options',
  fields: 'values outside the range of the examples',
} as const;

/** What noticing unfamiliar inputs does to the unseen examples. */
export function FamiliarityCard({ type, effect }: { type: DecisionType; effect: FamiliarityEffect }) {
  const ignored = type.active_version.escalation_policy.unfamiliar === 'ignore';
  return (
    <Card title="Inputs unlike the examples">
      <p>{effect.sentence}</p>
      <p className="muted">
        Looked at: {effect.checks.map((check) => checkNames[check]).join(', ')}.{' '}
        {effect.accuracy_unfamiliar !== null &&
          effect.accuracy_familiar !== null &&
          `The classifier is right on ${percent(effect.accuracy_familiar)} of the familiar and ${percent(effect.accuracy_unfamiliar)} of the unfamiliar ones.`}
      </p>
      <p className="muted">
        {ignored
          ? 'This type decides unfamiliar inputs like any other; Define changes that.'
          : 'Such inputs count as unsure and come first under Logs among those that need a look.'}
      </p>
    </Card>
  );
}
