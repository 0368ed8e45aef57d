import { SegmentedControl } from '@mantine/core';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import { useOperation } from '../../api/queries.ts';
import { FigureHead } from '../../parts/figure.tsx';
import { percent } from '../../parts/figures.ts';
import { showUnseen } from '../../parts/names.ts';
import { Busy, ErrorNote, Part } from '../../parts/notes.tsx';
import { changeQuery, useQueryPart } from '../../state/route.ts';
import type { PolicyPlace } from './cell-rows.tsx';

type Slices = OutputOf<'policies.slices'>;

const lookAgainMs = 1_500;

/** The parts of the unseen examples in which a policy errs more often than in the others. */
export function WeakSlices({ type, policy }: { type: DecisionType; policy: PolicyPlace }) {
  const { judged = 'classifier' } = useQueryPart();
  const isWhole = judged === 'whole_decision';
  const slices = useOperation(
    'policies.slices',
    { params: policy, query: isWhole ? { judged } : {} },
    { refetchMs: (data) => (data?.state === 'computing' ? lookAgainMs : false) },
  );
  return (
    <Part
      title="Where it is weak"
      tools={
        <SegmentedControl
          aria-label="What is judged"
          value={isWhole ? 'whole_decision' : 'classifier'}
          onChange={(value) => changeQuery({ judged: value === 'classifier' ? '' : value }, { replace: true })}
          data={[
            { value: 'classifier', label: 'Classifier' },
            { value: 'whole_decision', label: 'Whole decision' },
          ]}
        />
      }
    >
      {slices.isError && <ErrorNote error={slices.error} retry={() => void slices.refetch()} />}
      {slices.isPending && <Busy>Looking for weak parts…</Busy>}
      {slices.data && <Found slices={slices.data} judged={isWhole ? toWhole(type) : 'The classifier by itself'} />}
    </Part>
  );
}

function toWhole(type: DecisionType): string {
  return `Rules, classifier and thresholds together, where they decide alone, as of version ${type.active_version.version_number}`;
}

function Found({ slices, judged }: { slices: Slices; judged: string }) {
  const { items, rows, tested, state, computed_at: computedAt } = slices;
  if (computedAt === null) return <Busy>Looking for weak parts…</Busy>;
  const tried = `${tested.toLocaleString()} parts of ${rows.toLocaleString()} unseen examples were tried`;
  return (
    <div className="stack tight">
      {state === 'computing' && <Busy>Looking again, because examples or settings have changed…</Busy>}
      {items.length === 0 ? (
        <p className="muted">
          No part is wrong more often than the others; {tried}. {judged}.
        </p>
      ) : (
        <>
          <div className="scroll">
            <table className="plain" aria-label="Weak parts">
              <thead>
                <tr>
                  <th scope="col">Part</th>
                  <FigureHead says="Unseen examples in this part.">Examples</FigureHead>
                  <FigureHead says="The share of this part that is decided wrongly.">Wrong</FigureHead>
                  <FigureHead says="The share of wrong decisions lies between these two with 95 % certainty.">
                    From – to
                  </FigureHead>
                  <FigureHead says="The share of all other unseen examples that is decided wrongly.">
                    Others wrong
                  </FigureHead>
                  <FigureHead says="The share of this part that is not decided alone.">Unsure</FigureHead>
                </tr>
              </thead>
              <tbody>
                {items.map((slice) => (
                  <SliceRow key={slice.description} slice={slice} />
                ))}
              </tbody>
            </table>
          </div>
          <p className="muted">
            {judged}. {tried}; at most one in twenty listed is chance.
          </p>
        </>
      )}
    </div>
  );
}

function SliceRow({ slice }: { slice: Slices['items'][number] }) {
  const { description, rows, error_rate, error_interval, rest_error_rate, escalation_rate } = slice;
  return (
    <tr>
      <td className="wrap">{showUnseen(description)}</td>
      <td className="number">{rows.toLocaleString()}</td>
      <td className="number">{percent(error_rate)}</td>
      <td className="number muted">
        {percent(error_interval.low)} – {percent(error_interval.high)}
      </td>
      <td className="number">{percent(rest_error_rate)}</td>
      <td className="number">{percent(escalation_rate)}</td>
    </tr>
  );
}
