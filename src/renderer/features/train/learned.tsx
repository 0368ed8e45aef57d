import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Bars } from '../../parts/bars.tsx';
import { OptionName, useOptionColours } from '../../parts/option.tsx';
import { percent, toRight } from '../../parts/text/figures.ts';
import { quoteNames } from '../../parts/text/names.ts';

type Props = { type: DecisionType; whole: OutputOf<'policies.whole'> };

/** Shows what a training has brought: its figure beside what is reached without it, and where it is weakest. */
export function Learned({ type, whole }: Props) {
  const { accuracy, automatic, error_automatic, baseline } = whole;
  const colourOf = useOptionColours(type.id);
  const share = (value: number | null | undefined) => ({ value: value ?? 0, text: percent(value ?? 0) });
  const [weakest] = Object.entries(whole.per_class)
    .filter(([, { support = 0, recall }]) => support > 0 && (recall ?? 0) < 1)
    .sort(([, a], [, b]) => (a.recall ?? 0) - (b.recall ?? 0));
  return (
    <div className="learned">
      <div className="stack tight">
        <strong className="headline">{toRight(whole)} correct</strong>
        <p className="result">{quoteNames(whole.headline)}</p>
        {automatic.share !== null && (
          <p>
            It decides {percent(automatic.share)} alone
            {error_automatic.share !== null && `, and ${percent(error_automatic.share)} of these wrongly`}.
          </p>
        )}
        {weakest && (
          <p className="row">
            It is weakest at <OptionName typeId={type.id} option={weakest[0]} /> and catches{' '}
            {percent(weakest[1].recall ?? 0)} of these.
          </p>
        )}
      </div>
      {baseline !== null && (
        <Bars
          says="The share of unseen examples that are decided correctly by the policy, by its rules alone, and by always giving the commonest answer."
          items={[
            { key: 'policy', name: 'This policy', ...share(accuracy.share), colour: 'var(--accent)' },
            ...(baseline.rules_alone === null
              ? []
              : [{ key: 'rules', name: 'Rules alone', ...share(baseline.rules_alone.share), colour: 'var(--muted)' }]),
            {
              key: 'always',
              name: (
                <>
                  Always <OptionName typeId={type.id} option={baseline.option} />
                </>
              ),
              ...share(baseline.accuracy.share),
              colour: colourOf(baseline.option),
            },
          ]}
        />
      )}
    </div>
  );
}
