import { SegmentedControl } from '@mantine/core';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Busy, ErrorNote, Part } from '../../parts/notes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { count, number, percent } from '../../parts/text/figures.ts';
import { showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';
import { changeQuery, useQueryPart } from '../../state/route.ts';
import type { PolicyPlace } from './cell-rows.tsx';
import { longRestMs, useAskedThresholds } from './tried-thresholds.ts';

type Slices = OutputOf<'policies.slices'>;

const lookAgainMs = 1_500;

/** The parts of the unseen examples in which a policy is wrong more often than in the others. */
export function WeakSlices({ type, policy }: { type: DecisionType; policy: PolicyPlace }) {
  const { judged = 'whole_decision' } = useQueryPart();
  const isWhole = judged !== 'classifier';
  const thresholds = useAskedThresholds(type, longRestMs);
  const slices = useOperation(
    'policies.slices',
    { params: policy, query: { judged: isWhole ? 'whole_decision' : 'classifier', ...thresholds } },
    { refetchMs: (data) => (data?.state === 'computing' ? lookAgainMs : false) },
  );
  return (
    <Part
      title="Where it is weak"
      tools={
        <SegmentedControl
          aria-label="What is judged"
          value={isWhole ? 'whole_decision' : 'classifier'}
          onChange={(value) => changeQuery({ judged: value === 'classifier' ? value : '' }, { replace: true })}
          data={[
            { value: 'whole_decision', label: 'Whole decision' },
            { value: 'classifier', label: 'Classifier alone' },
          ]}
        />
      }
    >
      {slices.isError && <ErrorNote error={slices.error} retry={() => void slices.refetch()} />}
      {slices.isPending && <Busy>Looking for weak parts…</Busy>}
      {slices.data && <Found type={type} slices={slices.data} isWhole={isWhole} />}
    </Part>
  );
}

function toWhole(type: DecisionType): string {
  return `Rules, classifier and thresholds together, where they decide alone, as of version ${type.active_version.version_number}`;
}

function Found({ type, slices, isWhole }: { type: DecisionType; slices: Slices; isWhole: boolean }) {
  const judged = isWhole ? toWhole(type) : 'The classifier by itself';
  const { items, rows, tested, state, computed_at: computedAt } = slices;
  if (computedAt === null) return <Busy>Looking for weak parts…</Busy>;
  if (tested === 0 && state !== 'computing')
    return <p className="muted">{count(rows, 'unseen example')}: too few to look for weak spots.</p>;
  const tried = `${number(tested)} segments of ${number(rows)} unseen examples`;
  if (items.length === 0 && state !== 'computing') return <p className="muted">No weak spot in {tried}.</p>;
  return (
    <div className="stack tight">
      {state === 'computing' && <Busy>Looking again, because examples or settings have changed…</Busy>}
      {items.length > 0 && (
        <>
          <PlainTable
            label="Weak parts"
            heads={[
              'Part',
              { name: 'Examples', says: 'Unseen examples in this part.' },
              {
                name: 'Wrong',
                says: isWhole
                  ? 'The share of wrong ones among those of this part that are decided alone.'
                  : 'The share of this part for which the classifier chooses wrongly.',
              },
              { name: 'From – to', says: 'The share of wrong decisions lies between these two with 95% certainty.' },
              { name: 'Others wrong', says: 'The same share of all other unseen examples.' },
              { name: 'Unsure', says: 'The share of this part that is not decided alone.' },
            ]}
          >
            {items.map((slice) => (
              <SliceRow key={slice.description} slice={slice} isWhole={isWhole} />
            ))}
          </PlainTable>
          <p className="muted">
            {judged}. {tried} checked; at most one in twenty listed is chance.
          </p>
        </>
      )}
    </div>
  );
}

/** Only rows that people chose to look at have no rate. */
const toPercent = (share: number | null) => (share === null ? '' : percent(share));

function SliceRow({ slice, isWhole }: { slice: Slices['items'][number]; isWhole: boolean }) {
  const { description, rows, escalation_rate } = slice;
  const [wrong, range, others] = isWhole
    ? [slice.error_automatic, slice.error_automatic_interval, slice.rest_error_automatic]
    : [slice.error_rate, slice.error_interval, slice.rest_error_rate];
  return (
    <tr>
      <td className="wrap">{showUnseen(description)}</td>
      <td className="number">{rows.toLocaleString()}</td>
      <td className="number">{toPercent(wrong)}</td>
      <td className="number muted">{range && `${percent(range.low)} – ${percent(range.high)}`}</td>
      <td className="number">{toPercent(others)}</td>
      <td className="number">{toPercent(escalation_rate)}</td>
    </tr>
  );
}
