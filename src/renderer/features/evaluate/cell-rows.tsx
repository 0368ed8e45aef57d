import { Pagination } from '@mantine/core';
import { useState } from 'react';
import type { DecisionType } from '../../../server/contract/decision-types.ts';
import type { OutputOf } from '../../../server/contract/operations.ts';
import { useOperation } from '../../api/queries.ts';
import { useCommands } from '../../commands/use-commands.ts';
import { moveCursor } from '../../parts/data-grid.tsx';
import { count, percent } from '../../parts/figures.ts';
import { InputView } from '../../parts/input-view.tsx';
import { findMainText, summariseInput } from '../../parts/inputs.ts';
import { isolate, showUnseen } from '../../parts/names.ts';
import { Busy, ErrorNote } from '../../parts/notes.tsx';
import { OptionName } from '../../parts/option.tsx';
import { Inspector } from '../../parts/panes.tsx';
import { useUndo } from '../../parts/use-undo.ts';
import { useRested, useWhy, Why } from '../../parts/why.tsx';
import { useWorkbench } from '../../workbench.tsx';

/** One cell of the confusion matrix. */
export type Cell = { expected: string; predicted: string };
export type PolicyPlace = { decision_type_id: string; policy_id: string };
type Row = OutputOf<'policies.held_out'>['items'][number];

const pageSize = 25;
const maxKeyOptions = 9;

/** The held-out examples behind a cell, most confident first; number keys give one another label. */
export function CellRows({
  type,
  policy,
  cell,
  onClose,
}: {
  type: DecisionType;
  policy: PolicyPlace;
  cell: Cell;
  onClose(): void;
}) {
  const [page, setPage] = useState(1);
  const query = { ...cell, page, page_size: pageSize };
  const rows = useOperation('policies.held_out', { params: policy, query }, { keepPrevious: true });
  const items = rows.data?.items ?? [];
  const { cursor, setCursor, relabelled } = useRelabelling(type, items);
  const isRight = cell.expected === cell.predicted;
  return (
    <Inspector
      title={
        isRight
          ? `Decided correctly: ${isolate(cell.expected)}`
          : `${isolate(cell.expected)}, decided as ${isolate(cell.predicted)}`
      }
      onClose={onClose}
    >
      <div className="part stack tight">
        {rows.isPending && <Busy>Loading the examples…</Busy>}
        {rows.isError && <ErrorNote error={rows.error} retry={() => void rows.refetch()} />}
        {rows.data && (
          <p className="muted">
            {count(rows.data.total, 'example')}, most confident first. The arrow keys choose, 1–9 give another label, U
            takes it back.
          </p>
        )}
        {items.length === 0 && rows.data && <p className="note">No held-out example is in this cell.</p>}
      </div>
      <ol className="cell-rows">
        {items.map((row, index) => (
          <li key={row.example_id} data-cursor={index === cursor ? true : undefined}>
            <button type="button" aria-expanded={index === cursor} onClick={() => setCursor(index)}>
              <span className="clip" title={row.input === null ? undefined : summariseInput(row.input)}>
                {row.input === null ? 'The example was deleted' : summariseInput(row.input)}
              </span>
              <span className="muted number" title="How sure the classifier was of its decision.">
                {percent(row.confidence)}
              </span>
            </button>
            {relabelled[row.example_id] !== undefined && (
              <p className="row">
                now <OptionName typeId={type.id} option={relabelled[row.example_id] ?? null} />
              </p>
            )}
            {index === cursor && row.input && <RowWhole type={type} row={row} input={row.input} />}
          </li>
        ))}
      </ol>
      {rows.data && rows.data.pages > 1 && (
        <div className="part">
          <Pagination
            size="xs"
            total={rows.data.pages}
            value={page}
            onChange={setPage}
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          />
        </div>
      )}
    </Inspector>
  );
}

function RowWhole({ type, row, input }: { type: DecisionType; row: Row; input: NonNullable<Row['input']> }) {
  const main = findMainText(input);
  const why = useWhy(type, 'evaluate');
  const isRested = useRested();
  const { data, error, refetch } = useOperation(
    'examples.explain',
    { params: { decision_type_id: type.id, example_id: row.example_id } },
    { enabled: why.isAsked && isRested, staleMs: 60_000 },
  );
  const answer = { data, error, isStale: false, retry: () => void refetch() };
  return (
    <div className="stack tight whole">
      {main && <p className="wrap">{showUnseen(main.value)}</p>}
      <InputView input={input} without={main?.path} />
      <Why type={type} why={why} answer={answer} input={input} decided={row.predicted} />
    </div>
  );
}

/** The cursor over the rows and the keys that give the row at it another label. */
function useRelabelling(type: DecisionType, items: readonly Row[]) {
  const { acts, ui } = useWorkbench();
  const { undo } = useUndo(type.id);
  const [cursor, setCursor] = useState(0);
  const [relabelled, setRelabelled] = useState<Readonly<Record<string, string>>>({});
  const relabel = (option: string) => {
    const row = items[cursor];
    if (!row || row.input === null) return;
    const example = { id: row.example_id, expected_decision: relabelled[row.example_id] ?? row.expected };
    const title = `Labelled ${isolate(option)}`;
    acts.label(type.id, example, { expected_decision: option }, title);
    ui.getState().announce(title);
    setRelabelled({ ...relabelled, [row.example_id]: option });
    setCursor(moveCursor(cursor, 1, items.length));
  };
  const takeBack = () => {
    const last = Object.keys(relabelled).at(-1);
    if (last !== undefined) {
      const { [last]: _gone, ...rest } = relabelled;
      setRelabelled(rest);
    }
    undo();
  };
  const move = (by: number) => setCursor(moveCursor(cursor, by, items.length));
  useCommands([
    ...type.active_version.options.slice(0, maxKeyOptions).map((option, index) => ({
      id: `relabel-${index + 1}`,
      title: `Label: ${isolate(option)}`,
      group: 'Evaluate',
      keys: String(index + 1),
      run: () => relabel(option),
    })),
    { id: 'cell-next', title: 'Next row of the cell', group: 'Evaluate', keys: 'ArrowDown', run: () => move(1) },
    { id: 'cell-previous', title: 'Previous row of the cell', group: 'Evaluate', keys: 'ArrowUp', run: () => move(-1) },
    { id: 'cell-undo', title: 'Undo', group: 'Evaluate', keys: 'u', run: takeBack },
  ]);
  return { cursor, setCursor, relabelled };
}
