import type { OutputOf } from '../../../server/contract/operations.ts';
import { RightShare } from '../../parts/bars.tsx';
import { Facts } from '../../parts/notes.tsx';
import { percent } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';

/** Unseen examples of an option from which on it is called the weakest. */
const minSupport = 5;

/** Shows what a training has brought: its figure beside what is reached without it, and where it is weakest. */
export function Learned({ whole }: { whole: OutputOf<'policies.whole'> }) {
  const { automatic, error_automatic } = whole;
  const [weakest] = Object.entries(whole.per_class)
    .filter(([, { support = 0, recall }]) => support >= minSupport && (recall ?? 0) < 1)
    .sort(([, a], [, b]) => (a.recall ?? 0) - (b.recall ?? 0));
  const toFact = (name: string, share: number | null, help: string) =>
    share === null ? [] : [{ name, value: percent(share), help }];
  return (
    <>
      <RightShare whole={whole} />
      <Facts
        items={[
          ...toFact('automated', automatic.share, 'The share of unseen examples that needs no review.'),
          ...toFact('of these wrong', error_automatic.share, 'Of the decisions without a review.'),
          ...(weakest
            ? toFact(
                `of ${isolate(weakest[0])} found, the weakest option`,
                weakest[1].recall ?? 0,
                'The share of its unseen examples that was decided as it.',
              )
            : []),
        ]}
      />
    </>
  );
}
