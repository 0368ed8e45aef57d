import { ErrorNote } from '../../parts/notes.tsx';
import { quoteNames } from '../../parts/text/names.ts';
import type { useTrial } from './use-rules.ts';

const tones = { better: 'good', worse: 'bad', not_shown: 'warn', unchanged: '' } as const;

/** Says in one line whether the rules, as they would be saved, make the whole decision better or worse. */
export function WholeEffect({ policy, isChanged, trial, isLive }: ReturnType<typeof useTrial> & { isLive: boolean }) {
  const { data, isError, error } = trial;
  if (!policy || !isChanged) return null;
  if (isError) return <ErrorNote error={error} />;
  return (
    <p
      aria-live="polite"
      title={`Rules, classifier and thresholds together, on the examples held out of the training of v${policy.version}. Rules made by looking at these examples look better than they are.`}
    >
      <span className={`tag ${tones[data?.verdict ?? 'unchanged']}`}>{isLive ? 'When published' : 'When saved'}</span>{' '}
      {data ? quoteNames(data.sentence) : 'Trying these rules on unseen examples…'}
    </p>
  );
}
