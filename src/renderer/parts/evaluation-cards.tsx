import { useState } from 'react';
import type { FamiliarityEffect, LearningCurve } from '../../engine/domain.ts';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import { useChange, useOperation } from '../api/queries.ts';
import { useWorkbench } from '../workbench.tsx';
import { TextField } from './fields.tsx';
import { Card, ErrorNote, percent } from './layout.tsx';

/** Asks for the threshold that keeps a target error, and makes it a promise of the deployed policy. */
export function ThresholdAdvice({ type, policyId }: { type: DecisionType; policyId: string }) {
  const [percentText, setPercentText] = useState('2');
  const { ui } = useWorkbench();
  const targetError = Number(percentText) / 100;
  const valid = percentText.trim() !== '' && targetError >= 0.0001 && targetError <= 0.5;
  const params = { decision_type_id: type.id, policy_id: policyId };
  const promise = useOperation(
    'policies.promise',
    { params, query: { target_error: targetError } },
    { enabled: valid, keepPrevious: true },
  );
  const keep = useChange('policies.keep_promise');
  const found = valid ? promise.data : undefined;
  const use = () =>
    keep.mutate(
      { params, body: { target_error: targetError } },
      { onSuccess: ({ sentence }) => ui.getState().notify('info', sentence) },
    );
  return (
    <div className="stack tight">
      <TextField
        label="Target error among direct decisions, in percent"
        type="number"
        min={0.01}
        max={50}
        step={0.1}
        value={percentText}
        onValue={setPercentText}
        error={valid ? undefined : 'It must be a number from 0.01 to 50.'}
      />
      {promise.isError && <ErrorNote error={promise.error} />}
      {keep.isError && <ErrorNote error={keep.error} />}
      {found !== undefined && (
        <div className="row between">
          <p className={found.possible ? undefined : 'note'}>{found.sentence}</p>
          {found.possible && (
            <button type="button" disabled={keep.isPending} onClick={use}>
              Promise this
            </button>
          )}
        </div>
      )}
      {type.promise !== null && <p className="note">{type.promise.sentence}</p>}
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
