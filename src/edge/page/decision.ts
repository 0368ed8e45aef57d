/** A decision as a page shows it. */
import { formatShare } from '../../engine/numeric.ts';
import type { EdgeDecision } from '../api.ts';
import { make, say } from './elements.ts';

const stageNames = { rules: 'by a rule', classifier: 'by the classifier', fallback: 'the fallback' };

/** How sure the decision is, of what the classifier was asked. */
function describeSureness({ stage, confidence, classifier_choice: choice }: EdgeDecision): string {
  return stage === 'fallback' && choice === null && confidence === 0 ? '' : `${formatShare(confidence)} sure, `;
}

/** Shows a decision: the option, how sure it is and why, and the probabilities of all. */
export function show(decided: EdgeDecision): Node[] {
  const { decision, stage, explanation, escalate, reason_codes, class_probabilities, unread } = decided;
  const rows = Object.entries(class_probabilities)
    .sort(([, a], [, b]) => b - a)
    .map(([option, share]) =>
      make('tr', {}, make('td', {}, make('bdi', {}, option)), make('td', {}, formatShare(share))),
    );
  return [
    make('p', { className: 'decision' }, make('bdi', {}, decision)),
    say(
      `${describeSureness(decided)}${stageNames[stage]}${reason_codes.length > 0 ? `: ${reason_codes.join(', ')}` : ''}`,
    ),
    ...(escalate ? [say('A person should look at this one.', 'warn')] : []),
    say(explanation, 'hint'),
    ...unread.map((sentence) => say(`${sentence}.`, 'warn')),
    make('table', {}, make('tbody', {}, ...rows)),
  ];
}
