import type { DecisionTrace } from '../../../engine/domain/decision.ts';
import { Bars } from '../bars.tsx';
import { BreakingName } from '../text/breaking-name.tsx';
import { decimal } from '../text/figures.ts';
import { valueText } from '../text/inputs.ts';
import { showUnseen } from '../text/names.ts';

type Weighed = { key: string; name: string; value?: unknown; weight: number };

type WeightsProps = { items: readonly Weighed[]; says: string; write(weight: number): string };

/** Draws what weighs for (+) or against (−) a decision, heaviest first; lengths are relative to the heaviest. */
export function Weights({ items, says, write }: WeightsProps) {
  const sorted = [...items].sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  const largest = Math.max(1e-9, Math.abs(sorted[0]?.weight ?? 0));
  return (
    <Bars
      says={says}
      items={sorted.map(({ key, name, value, weight }) => ({
        key,
        name: (
          <>
            <BreakingName name={name} />{' '}
            {value !== undefined && (
              <span className="clip muted" title={valueText(value ?? '')}>
                {valueText(value ?? '')}
              </span>
            )}
          </>
        ),
        value: Math.abs(weight) / largest,
        text: `${weight >= 0 ? '+' : '−'}${write(Math.abs(weight))}`,
        colour: weight >= 0 ? 'var(--good)' : 'var(--bad)',
      }))}
    />
  );
}

const maxFields = 14;
/** All texts weigh in together: by what stands in them, and by what they mean. */
const textKinds: Readonly<Record<string, string>> = { text_ngrams: 'its words', text_embedding: 'its meaning' };

/** The fields that weighed in, by what each added to the logit of the decision. */
export function FieldWeights({ features }: { features: DecisionTrace['features'] }) {
  const heaviest = [...features].sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  return (
    <>
      <Weights
        items={heaviest.slice(0, maxFields).map(({ field, kind, value, contribution }) => ({
          key: `${field} ${kind}`,
          name: showUnseen(field),
          value: textKinds[kind] ?? value,
          weight: contribution,
        }))}
        says="What each field added to the logit of the decision, or took from it."
        write={(weight) => decimal(weight, 2)}
      />
      <p className="muted">For (+) or against (−) the decision; the longer the bar, the more it weighed.</p>
    </>
  );
}
