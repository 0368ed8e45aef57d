import { useState } from 'react';
import { useStore } from 'zustand';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { takesKeys, useRowsFocus } from '../../commands/key-focus.ts';
import { useExplanation, useRested, useWhy, Why } from '../../parts/explained/why.tsx';
import { moveCursor } from '../../parts/grid/cells.ts';
import { useRowCommands } from '../../parts/grid/use-row-commands.ts';
import { WholeInput } from '../../parts/input-view.tsx';
import { Busy, ErrorNote } from '../../parts/notes.tsx';
import { OptionName } from '../../parts/option.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Inspector } from '../../parts/panes.tsx';
import { count, percent } from '../../parts/text/figures.ts';
import { summariseInput } from '../../parts/text/inputs.ts';
import { isolate } from '../../parts/text/names.ts';
import { useOperation, usePolicy } from '../../state/queries.ts';
import { useUndo } from '../../state/use-undo.ts';
import { useWorkbench } from '../../state/workbench.ts';
import { useAskedThresholds } from './tried-thresholds.ts';

/** One cell of the confusion matrix. */
export type Cell = { expected: string; decided: string };
export type PolicyPlace = { decision_type_id: string; policy_id: string };
type Row = OutputOf<'policies.held_out'>['items'][number];

const pageSize = 25;

type CellRowsProps = {
  type: DecisionType;
  policy: PolicyPlace;
  /** null: all mistakes. */
  cell: Cell | null;
  onClose(): void;
};

/** The held-out examples behind a cell, or all mistakes, most confident first; number keys give one another label. */
export function CellRows({ type, policy, cell, onClose }: CellRowsProps) {
  const [page, setPage] = useState(1);
  const query = {
    ...(cell ?? { wrong: true }),
    ...useAskedThresholds(type),
    page,
    page_size: pageSize,
  };
  const rows = useOperation('policies.held_out', { params: policy, query }, { keepPrevious: true });
  const items = rows.data?.items ?? [];
  const { cursor, setCursor, newLabelOf } = useRelabelling(type, items);
  useRowsFocus(items.length > 0 ? `${cell?.expected} ${cell?.decided} ${page}` : null);
  const hasLearned = useHasLearned(policy);
  return (
    <Inspector title={nameRows(cell)} onClose={onClose}>
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
      <ol className="cell-rows" aria-label="Rows of the cell" tabIndex={-1} {...takesKeys}>
        {items.map((row, index) => (
          <li key={row.example_id} data-cursor={index === cursor ? true : undefined}>
            <button type="button" aria-expanded={index === cursor} onClick={() => setCursor(index)}>
              <span
                className="clip"
                title={row.input === null ? undefined : summariseInput(row.input, type.active_version.readings)}
              >
                {row.input === null
                  ? 'The example was deleted'
                  : summariseInput(row.input, type.active_version.readings)}
              </span>
              <span className="muted number" title={sayWhoDecided(row)}>
                {percent(row.confidence)}
              </span>
            </button>
            {cell === null && (
              <p className="row small">
                <OptionName typeId={type.id} option={row.expected} />
                <span className="muted">decided as</span>
                <OptionName typeId={type.id} option={row.whole?.decision ?? row.predicted} />
              </p>
            )}
            {newLabelOf(row) !== undefined && (
              <p className="row">
                now <OptionName typeId={type.id} option={newLabelOf(row) ?? null} />
              </p>
            )}
            {index === cursor && row.input && (
              <RowWhole type={type} row={row} input={row.input} hasLearned={hasLearned} />
            )}
          </li>
        ))}
      </ol>
      {rows.data && rows.data.pages > 1 && (
        <div className="part">
          <Pages page={page} pages={rows.data.pages} onPage={setPage} />
        </div>
      )}
    </Inspector>
  );
}

function nameRows(cell: Cell | null): string {
  if (cell === null) return 'Worst mistakes';
  const [right, decided] = [isolate(cell.expected), isolate(cell.decided)];
  return right === decided ? `Decided correctly: ${right}` : `${right}, decided as ${decided}`;
}

function sayWhoDecided({ predicted, whole }: Row): string {
  const sure = `How sure the classifier was of ${isolate(predicted)}.`;
  if (whole?.stage === 'rules') return `A rule decided. ${sure}`;
  return whole?.stage === 'fallback' ? `The fallback answered. ${sure}` : sure;
}

/** Whether the deployed policy is one that was fitted on all rows once it was measured, with those held out here. */
function useHasLearned({ decision_type_id, policy_id }: PolicyPlace): boolean {
  const list = useOperation('policies.list', { params: { decision_type_id } });
  const deployed = list.data?.find((policy) => policy.deployed);
  const measured = list.data?.find(({ id }) => id === policy_id);
  const isLater = deployed !== undefined && measured !== undefined && deployed.version >= measured.version;
  const { data } = usePolicy(decision_type_id, isLater ? deployed.id : undefined);
  return isLater && data?.metrics?.split?.refitted === true;
}

type RowWholeProps = { type: DecisionType; row: Row; input: NonNullable<Row['input']>; hasLearned: boolean };

function RowWhole({ type, row, input, hasLearned }: RowWholeProps) {
  const why = useWhy(type, 'evaluate');
  const isRested = useRested(row.example_id);
  const params = { decision_type_id: type.id, example_id: row.example_id };
  const answer = useExplanation('examples.explain', { params }, why.isAsked && isRested);
  return (
    <div className="stack tight whole">
      <WholeInput input={input} readings={type.active_version.readings} />
      <Why
        type={type}
        why={why}
        answer={answer}
        input={input}
        decided={row.whole?.decision ?? row.predicted}
        hasLearned={hasLearned}
      />
    </div>
  );
}

/** The cursor over the rows and the keys that give the row at it another label. */
function useRelabelling(type: DecisionType, items: readonly Row[]) {
  const { acts, outbox, ui } = useWorkbench();
  const { undoRow } = useUndo(type.id);
  const [cursor, setCursor] = useState(0);
  const given = useStore(outbox.store, (state) => state.given);
  /** The label that this window has given a row of the report, where it is another one now. */
  const newLabelOf = ({ example_id, expected }: Row) => {
    const label = given.get(example_id)?.expected_decision;
    return label === undefined || label === expected ? undefined : label;
  };
  const relabel = (option: string) => {
    const row = items[cursor];
    if (!row || row.input === null) return;
    const example = { id: row.example_id, expected_decision: newLabelOf(row) ?? row.expected };
    const title = `Labelled ${isolate(option)}`;
    acts.label(type.id, example, { expected_decision: option }, title);
    ui.getState().announce(title);
    move(1);
  };
  const move = (by: number) => setCursor(moveCursor(cursor, by, items.length));
  useRowCommands({ move, undo: undoRow, label: { options: type.active_version.options, give: relabel } });
  return { cursor, setCursor, newLabelOf };
}
