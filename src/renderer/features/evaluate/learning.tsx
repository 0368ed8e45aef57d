import type { FamiliarityEffect, LearningCurve } from '../../../engine/domain.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Part } from '../../parts/notes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { decimal, percent } from '../../parts/text/figures.ts';
import { showUnseen } from '../../parts/text/names.ts';

const adviceTones = { more: 'warn', enough: 'good', separate: 'accent' } as const;
const adviceNames = { more: 'More examples', enough: 'Enough', separate: 'Tell apart' } as const;
const order = ['more', 'separate', 'enough'] as const;
const maxAdvice = 20;

/** How the figures grow with the examples, and what would help each option. */
export function LearningCurvePart({ curve }: { curve: LearningCurve }) {
  const advice = [...curve.advice].sort((a, b) => order.indexOf(a.advice) - order.indexOf(b.advice));
  return (
    <Part title="Would more examples help?">
      <div className="stack">
        <PlainTable
          heads={[
            {
              name: 'Share of the examples',
              says: 'The part of the training examples that the classifier learned from.',
            },
            { name: 'Examples', says: 'How many examples that is.' },
            { name: 'Right', says: 'The share of unseen examples that the classifier alone then decides correctly.' },
            { name: 'Macro F1', says: 'The mean of the F1 of all options, each counting the same however rare it is.' },
          ]}
        >
          {curve.points.map((point) => (
            <tr key={point.share}>
              <td className="number">{Math.round(point.share * 100)} %</td>
              <td className="number">{point.train_size.toLocaleString()}</td>
              <td className="number">{percent(point.accuracy)}</td>
              <td className="number">{decimal(point.macro_f1, 3)}</td>
            </tr>
          ))}
        </PlainTable>
        <ul className="stack tight wrap">
          {advice.slice(0, maxAdvice).map(({ option, advice: kind, sentence }) => (
            <li key={option}>
              <span className={`tag ${adviceTones[kind]}`}>{adviceNames[kind]}</span> {showUnseen(sentence)}
            </li>
          ))}
          {advice.length > maxAdvice && <li className="muted">and {advice.length - maxAdvice} more options</li>}
        </ul>
      </div>
    </Part>
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
        <p>{showUnseen(effect.sentence)}</p>
        <p className="muted">
          Checked: {effect.checks.map((check) => checkNames[check]).join(', ')}.{' '}
          {effect.accuracy_unfamiliar !== null &&
            effect.accuracy_familiar !== null &&
            `The classifier is right on ${percent(effect.accuracy_familiar)} of the familiar and ${percent(effect.accuracy_unfamiliar)} of the unfamiliar ones.`}
        </p>
        <p className="muted">
          {isIgnored
            ? 'This type decides unfamiliar inputs like any other; Define changes that.'
            : 'Such inputs count as unsure and come first under Monitor among those that need a look.'}
        </p>
      </div>
    </Part>
  );
}
