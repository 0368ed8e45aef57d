import type { DecisionType } from '../../../server/contract/types/decision-types.ts';

type State = NonNullable<DecisionType['declared_promise']>['state'];

const tones: Record<State, string> = {
  kept: 'good',
  not_kept: 'bad',
  nothing_deployed: 'accent',
  nothing_promised: '',
};
const names: Record<State, string> = {
  kept: 'Promise kept',
  not_kept: 'Promise not kept',
  nothing_deployed: 'Promised',
  nothing_promised: 'No error limit promised',
};

/** Says in a word and a sentence how the promise of a type stands; null where nothing is promised. */
export function PromiseState({ promise }: { promise: { state: State; sentence: string } | null }) {
  const state = promise?.state ?? 'nothing_promised';
  return (
    <p className={state === 'nothing_promised' ? 'muted' : ''}>
      <span className={`tag ${tones[state]}`}>{names[state]}</span> {state !== 'nothing_promised' && promise?.sentence}
    </p>
  );
}
