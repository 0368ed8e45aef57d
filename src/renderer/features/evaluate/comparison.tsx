import { Pagination } from '@mantine/core';
import { useState } from 'react';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import { useOperation } from '../../api/queries.ts';
import { Figure } from '../../parts/figure.tsx';
import { percent } from '../../parts/figures.ts';
import { summariseInput } from '../../parts/inputs.ts';
import { showUnseen } from '../../parts/names.ts';
import { Busy, ErrorNote } from '../../parts/notes.tsx';
import { OptionName } from '../../parts/option.tsx';
import { Inspector } from '../../parts/panes.tsx';
import type { PolicyPlace } from './cell-rows.tsx';

const pageSize = 20;

/** Two policies on the examples that both held out: how often only one of them is right, and on which rows. */
export function Comparison({
  type,
  policy,
  name,
  other,
  onClose,
}: {
  type: DecisionType;
  policy: PolicyPlace;
  name: string;
  other: { id: string; name: string };
  onClose(): void;
}) {
  const [page, setPage] = useState(1);
  const result = useOperation(
    'policies.compare',
    { params: policy, query: { with: other.id, page, page_size: pageSize } },
    { keepPrevious: true },
  );
  return (
    <Inspector title={`${name} against ${other.name}`} onClose={onClose}>
      {result.isPending && <Busy>Comparing…</Busy>}
      {result.isError && <ErrorNote error={result.error} />}
      {result.data && (
        <>
          <p className="part">
            Of {result.data.rows} examples that neither had seen, both decide {result.data.both_right} correctly and{' '}
            {result.data.both_wrong} wrongly. Only {name} is right on {result.data.only_first_right}, only {other.name}{' '}
            on {result.data.only_second_right}.
          </p>
          <ol>
            {result.data.items.map((row) => (
              <li key={row.example_id} className="part stack tight">
                <span className="wrap">
                  {row.input === null ? 'The example was deleted' : summariseInput(row.input)}
                </span>
                <span className="row">
                  right <OptionName typeId={type.id} option={row.expected} />
                </span>
                {[
                  { policyName: name, ...row.first },
                  { policyName: other.name, ...row.second },
                ].map(({ policyName, predicted, confidence }) => (
                  <span key={policyName} className="row">
                    {policyName}
                    <Figure
                      className={predicted === row.expected ? 'tag wrap good' : 'tag wrap bad'}
                      says="What this policy decided, and how sure it was."
                    >
                      <bdi>{showUnseen(predicted)}</bdi> {percent(confidence)}
                    </Figure>
                  </span>
                ))}
              </li>
            ))}
          </ol>
          {result.data.pages > 1 && (
            <div className="part">
              <Pagination
                size="xs"
                total={result.data.pages}
                value={page}
                onChange={setPage}
                getControlProps={(control) => ({ 'aria-label': `${control} page` })}
              />
            </div>
          )}
        </>
      )}
    </Inspector>
  );
}
