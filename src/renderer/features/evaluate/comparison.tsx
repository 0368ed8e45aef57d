import { useState } from 'react';
import { formatShare } from '../../../engine/numeric.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { Figure } from '../../parts/figure.tsx';
import { Busy, ErrorNote } from '../../parts/notes.tsx';
import { OptionName } from '../../parts/option.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Inspector } from '../../parts/panes.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { percent } from '../../parts/text/figures.ts';
import { summariseInput } from '../../parts/text/inputs.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { useOperation } from '../../state/queries.ts';
import type { PolicyPlace } from './cell-rows.tsx';
import { useAskedThresholds } from './tried-thresholds.ts';

const pageSize = 20;

type ComparisonProps = {
  type: DecisionType;
  policy: PolicyPlace;
  name: string;
  other: { id: string; name: string };
  onClose(): void;
};

/** Two policies on the examples that both held out: how often only one of them is right, and on which rows. */
export function Comparison({ type, policy, name, other, onClose }: ComparisonProps) {
  const [page, setPage] = useState(1);
  const result = useOperation(
    'policies.compare',
    {
      params: policy,
      query: { with: other.id, judged: 'whole_decision', ...useAskedThresholds(type), page, page_size: pageSize },
    },
    { keepPrevious: true },
  );
  return (
    <Inspector title={`${name} against ${other.name}`} onClose={onClose}>
      {result.isPending && <Busy>Comparing…</Busy>}
      {result.isError && <ErrorNote error={result.error} />}
      {result.data && (
        <>
          <p className="part">
            <Figure
              className="strong wrap"
              says={`McNemar's exact test: if they were equally good, chance would make at least this difference in ${formatShare(result.data.p_value)} of comparisons.`}
            >
              {result.data.sentence}
            </Figure>
          </p>
          <p className="part">
            Of {result.data.rows} examples that neither had seen, both decide {result.data.both_right} correctly and{' '}
            {result.data.both_wrong} wrongly. Only {name} is right on {result.data.only_first_right}, only {other.name}{' '}
            on {result.data.only_second_right}.
          </p>
          <PlainTable
            className="part"
            heads={['Policy', { name: 'Correct', says: 'Of these examples, by rules, classifier and thresholds.' }]}
          >
            {[
              { key: name, right: result.data.both_right + result.data.only_first_right },
              { key: other.name, right: result.data.both_right + result.data.only_second_right },
            ].map(({ key, right }) => (
              <tr key={key}>
                <td>{key}</td>
                <td className="number">{result.data.rows === 0 ? '–' : percent(right / result.data.rows)}</td>
              </tr>
            ))}
          </PlainTable>
          <ol>
            {result.data.items.map((row) => (
              <DifferingRow key={row.example_id} type={type} row={row} names={[name, other.name]} />
            ))}
          </ol>
          {result.data.pages > 1 && (
            <div className="part">
              <Pages page={page} pages={result.data.pages} onPage={setPage} />
            </div>
          )}
        </>
      )}
    </Inspector>
  );
}

type Differing = OutputOf<'policies.compare'>['items'][number];

type DifferingProps = { type: DecisionType; row: Differing; names: readonly [string, string] };

function DifferingRow({ type: { id: typeId, active_version }, row, names }: DifferingProps) {
  return (
    <li className="part stack tight">
      <span className="wrap">
        {row.input === null ? 'The example was deleted' : summariseInput(row.input, active_version.readings)}
      </span>
      <span className="row">
        right <OptionName typeId={typeId} option={row.expected} />
      </span>
      {[
        { policyName: names[0], ...row.first },
        { policyName: names[1], ...row.second },
      ].map(({ policyName, predicted, confidence, decision }) => (
        <span key={policyName} className="row">
          {policyName}
          <Figure
            className={decision === row.expected ? 'tag wrap good' : 'tag wrap bad'}
            says={
              decision === predicted
                ? 'What this policy decided, and how likely that is right.'
                : `What this policy decided, by a rule or the fallback, and how likely that is right; its classifier chose ${isolate(predicted)}.`
            }
          >
            <bdi>{showUnseen(decision)}</bdi> {percent(confidence)}
          </Figure>
        </span>
      ))}
    </li>
  );
}
