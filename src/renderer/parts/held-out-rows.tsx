import { useState } from 'react';
import { useOperation } from '../api/queries.ts';
import { summariseInput } from '../pages/example-table.tsx';
import { Pager } from '../pages/types-page.tsx';
import { Busy, Card, ErrorNote, percent } from './layout.tsx';

/** One cell of the confusion matrix. */
export type Cell = { expected: string; predicted: string };
type Policy = { decision_type_id: string; policy_id: string };

/** A row's input in one line; a deleted example says so. */
function InputCell({ input }: { input: Record<string, unknown> | null }) {
  const text = input === null ? 'The example was deleted' : summariseInput(input);
  return (
    <span className={input === null ? 'muted' : 'clip'} style={{ maxWidth: '34rem' }} title={text}>
      {text}
    </span>
  );
}

/** The held-out examples behind a cell of the confusion matrix, the most confident first. */
export function HeldOutRows({ policy, cell, onClose }: { policy: Policy; cell: Cell; onClose(): void }) {
  const [page, setPage] = useState(1);
  const query = { ...cell, page, page_size: 10 };
  const rows = useOperation('policies.held_out', { params: policy, query }, { keepPrevious: true });
  const right = cell.expected === cell.predicted;
  return (
    <Card
      title={right ? `Decided correctly: ${cell.expected}` : `${cell.expected}, decided as ${cell.predicted}`}
      actions={
        <button type="button" className="small" onClick={onClose}>
          Close
        </button>
      }
    >
      {rows.isPending && <Busy>Loading the examples…</Busy>}
      {rows.isError && <ErrorNote error={rows.error} retry={() => void rows.refetch()} />}
      {rows.data?.items.length === 0 && <p className="note">No held-out example is in this cell.</p>}
      {rows.data && rows.data.items.length > 0 && (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Input</th>
                <th scope="col" className="num">
                  Confidence
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.data.items.map((row) => (
                <tr key={row.example_id}>
                  <td>
                    <InputCell input={row.input} />
                  </td>
                  <td className="num">{percent(row.confidence)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {rows.data && <Pager page={page} pages={rows.data.pages} total={rows.data.total} onPage={setPage} />}
    </Card>
  );
}

/** Two policies on the examples that both held out: how often only one of them is right, and on which rows. */
export function PolicyComparison({
  policy,
  name,
  others,
}: {
  policy: Policy;
  name: string;
  others: readonly { id: string; name: string }[];
}) {
  const [chosen, setChosen] = useState('');
  const [page, setPage] = useState(1);
  const other = others.find(({ id }) => id === chosen) ?? null;
  const result = useOperation(
    'policies.compare',
    { params: policy, query: { with: other?.id ?? policy.policy_id, page, page_size: 10 } },
    { enabled: other !== null, keepPrevious: true },
  );
  return (
    <Card
      title="Compare two policies"
      actions={
        <select
          aria-label={`Compare ${name} with`}
          value={chosen}
          onChange={(event) => {
            setChosen(event.target.value);
            setPage(1);
          }}
        >
          <option value="">Choose a policy</option>
          {others.map(({ id, name: otherName }) => (
            <option key={id} value={id}>
              {otherName}
            </option>
          ))}
        </select>
      }
    >
      {other === null && (
        <p className="muted">Choose another policy to see on which of the same unseen examples the two differ.</p>
      )}
      {other !== null && result.isPending && <Busy>Comparing…</Busy>}
      {result.isError && <ErrorNote error={result.error} />}
      {other !== null && result.data && (
        <>
          <p>
            Of {result.data.rows} examples that neither had seen, both decide {result.data.both_right} correctly and{' '}
            {result.data.both_wrong} wrongly. Only {name} is right on {result.data.only_first_right}, only {other.name}{' '}
            on {result.data.only_second_right}.
          </p>
          {result.data.items.length > 0 && (
            <div className="scroll">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Input</th>
                    <th scope="col">Right</th>
                    <th scope="col">{name}</th>
                    <th scope="col">{other.name}</th>
                  </tr>
                </thead>
                <tbody>
                  {result.data.items.map((row) => (
                    <tr key={row.example_id}>
                      <td>
                        <InputCell input={row.input} />
                      </td>
                      <td>{row.expected}</td>
                      {[row.first, row.second].map(({ predicted, confidence }, index) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: always these two, in this order
                        <td key={index}>
                          <span className={`badge ${predicted === row.expected ? 'good' : 'bad'}`}>{predicted}</span>{' '}
                          {percent(confidence)}
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          <Pager page={page} pages={result.data.pages} total={result.data.total} onPage={setPage} />
        </>
      )}
    </Card>
  );
}
