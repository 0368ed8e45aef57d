import { ActionIcon, Button } from '@mantine/core';
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Example } from '../../../server/contract/examples/examples.ts';
import { Figure } from '../../parts/figure.tsx';
import { Grid, type GridHandle } from '../../parts/grid/grid.tsx';
import { useSeenFields } from '../../parts/hooks/use-seen-fields.ts';
import { Busy, EmptyState, ErrorNote } from '../../parts/notes.tsx';
import { OptionSelect } from '../../parts/option.tsx';
import { Inspector, Place, useNarrow } from '../../parts/panes.tsx';
import { count, number } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { notify, notifyFailure } from '../../state/notices.tsx';
import { changeQuery, useQueryPart } from '../../state/route.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useUndo } from '../../state/use-undo.ts';
import { useWorkbench } from '../../state/workbench.ts';
import { ExampleCard, useLabelCommands, type ViewProps } from './cards/card-view.tsx';
import { type ExampleFilter, isShrinking, toFilter } from './rows/queues.ts';
import { findInList, type Rows, useRows } from './rows/use-rows.ts';
import { useWork, type Work } from './rows/work.ts';
import { readTests, toBulkFilter } from './table/field-tests.ts';
import { TableBar } from './table/table-bar.tsx';
import { useColumns } from './table/use-columns.tsx';

type Selection = { kind: 'ids'; ids: ReadonlySet<string> } | { kind: 'all' };
const nothing: Selection = { kind: 'ids', ids: new Set() };

/** The examples in a table of any length, a column for each field, labelled by the same keys as the card. */
export function TableView({ type, queue, search, title, tools, side, onHint }: ViewProps) {
  const isInspected = useInspected();
  const { sort = '', fields } = useQueryPart();
  const filter = toFilter(queue, search, fields);
  const sorted = sort === '' ? filter : { ...filter, sort };
  const rows = useRows(type.id, sorted, false);
  const work = useWork(type, rows, { hasEnd: false });
  useNamedRow(type.id, sorted, work);
  const grid = useRef<GridHandle>(null);
  const sortBy = useSorting(type.id, filter, rows, work);
  const seen = useSeenFields(type.id);
  const [filtered, setFiltered] = useState<string | null>(null);
  const columns = useColumns(type, rows, seen, setFiltered);
  const { selection, selected, isSelected, clear, choose } = useSelection(rows.total, work, JSON.stringify(filter));
  const bulk = useBulk(type, filter, selected, selection, clear);
  const focus = () => grid.current?.focus();
  const acts = useLabelCommands(type, selected > 1 ? toWorkOnMany(work, bulk) : work, focus);
  return (
    <Place
      id="examples-table"
      title={title}
      still
      head={
        <Figure className="muted" says="Examples in this queue that have the words searched for and pass the filters.">
          {count(rows.total, 'row')}
        </Figure>
      }
      tools={tools}
      side={side}
      inspector={
        isInspected && work.current ? (
          <RowInspector
            type={type}
            row={work.current}
            onLabel={(option) => {
              work.label(option);
              grid.current?.focus();
            }}
          />
        ) : undefined
      }
    >
      <div className="table-view">
        <TableBar
          typeId={type.id}
          seen={seen}
          tests={readTests(fields)}
          columns={columns}
          filtered={filtered}
          onFilter={setFiltered}
          onHint={onHint}
          instead={selected > 0 && <BulkBar type={type} selected={selected} bulk={bulk} onClear={clear} />}
        />
        {rows.error !== null && <ErrorNote error={rows.error} retry={rows.retry} />}
        {rows.count === 0 && rows.error === null && <NoRows isLoading={rows.isLoading} />}
        {rows.count > 0 && (
          <Grid
            label="Examples"
            handle={grid}
            columns={columns.shown}
            count={rows.count}
            rowAt={rows.at}
            cursor={work.cursor}
            onCursor={work.moveTo}
            onMove={work.move}
            acts={{ ...acts, choose }}
            onSight={rows.want}
            isSelected={isSelected}
            sorted={sort}
            onSort={sortBy}
          />
        )}
      </div>
    </Place>
  );
}

function NoRows({ isLoading }: { isLoading: boolean }) {
  if (isLoading) return <Busy>Loading the examples…</Busy>;
  const showAll = () => changeQuery({ queue: 'all', search: '', fields: '', row: '' });
  return (
    <EmptyState
      title="No example fits"
      actions={
        <Button variant="filled" onClick={showAll}>
          Show all examples
        </Button>
      }
    >
      No example in this queue has these words and passes the filters.
    </EmptyState>
  );
}

/** Whether the row at the cursor is shown whole, and the key for it: in a small window it would lie over the table. */
function useInspected(): boolean {
  const narrow = useNarrow();
  const { inspect = narrow ? 'no' : 'yes' } = useQueryPart();
  const show = () => changeQuery({ inspect: 'yes' }, { replace: true });
  useCommands('Go', [{ id: 'inspect', title: 'Show the row whole', keys: 'Enter', run: show }]);
  return inspect === 'yes';
}

type RowInspectorProps = { type: ViewProps['type']; row: Example; onLabel(option: string | null): void };

function RowInspector({ type, row, onLabel }: RowInspectorProps) {
  return (
    <Inspector title="The example" onClose={() => changeQuery({ inspect: 'no' }, { replace: true })}>
      <div className="part">
        <ExampleCard type={type} example={row} />
      </div>
      <div className="part stack">
        <OptionSelect
          label="Right decision"
          options={type.active_version.options}
          value={row.expected_decision}
          onValue={onLabel}
          placeholder="No label"
        />
      </div>
    </Inspector>
  );
}

/** The rows that an act on many acts on: picked one by one, or all of the list. */
function useSelection(total: number, work: Work, filter: string) {
  const [made, setMade] = useState({ filter, selection: nothing });
  // A selection under another filter does not carry over.
  const selection = made.filter === filter ? made.selection : nothing;
  const setSelection = (next: Selection) => setMade({ filter, selection: next });
  const clear = () => setSelection(nothing);
  const toggle = () => {
    const id = work.current?.id;
    if (!id || selection.kind === 'all') return clear();
    const ids = new Set(selection.ids);
    if (!ids.delete(id)) ids.add(id);
    setSelection({ kind: 'ids', ids });
    work.move(1);
  };
  return {
    selection,
    selected: selection.kind === 'all' ? total : selection.ids.size,
    isSelected: (row: Example) => selection.kind === 'all' || selection.ids.has(row.id),
    clear,
    choose: { toggle, all: () => setSelection({ kind: 'all' }) },
  };
}

/** Goes to the row that the address names as the table opens, on whatever page it is. */
function useNamedRow(typeId: string, filter: Parameters<typeof findInList>[2], { moveTo }: Work): void {
  const workbench = useWorkbench();
  const { row } = useQueryPart();
  // biome-ignore lint/correctness/useExhaustiveDependencies: later rows in the address are written by the cursor
  useEffect(() => {
    if (row === undefined || isShrinking(filter)) return;
    findInList(workbench, typeId, filter, row).then(
      (place) => place !== null && moveTo(place),
      // The list tells itself what is wrong.
      () => undefined,
    );
  }, []);
}

/** Sorts the rows; the cursor stays on its example, wherever that stands then. */
function useSorting(typeId: string, filter: ExampleFilter, rows: Rows, work: Work): (sort: string) => void {
  const workbench = useWorkbench();
  const newest = useRef(0);
  return (sort) => {
    newest.current += 1;
    const asked = newest.current;
    const show = (place: number | null) => {
      // A heading that was pressed later counts.
      if (asked !== newest.current) return;
      if (place !== null) rows.hold(place);
      changeQuery({ sort }, { replace: true });
    };
    if (work.current === null) return show(null);
    findInList(workbench, typeId, sort === '' ? filter : { ...filter, sort }, work.current.id).then(
      show,
      // The list tells itself what is wrong.
      () => show(null),
    );
  };
}

type BulkAct =
  | { action: 'set_decision'; decision: string | null }
  | { action: 'set_reviewed'; reviewed: boolean }
  | { action: 'delete' };

/** Says what an act does to some rows: `label 3 examples yes`, `3 examples labelled yes`. */
function describeBulk(act: BulkAct, rows: number): { order: string; done: string } {
  const examples = count(rows, 'example');
  if (act.action === 'delete') return { order: `Delete ${examples}`, done: `${examples} deleted` };
  if (act.action === 'set_reviewed') return { order: `Mark ${examples} as reviewed`, done: `${examples} reviewed` };
  return act.decision === null
    ? { order: `Remove the label of ${examples}`, done: `${examples} unlabelled` }
    : { order: `Label ${examples} ${isolate(act.decision)}`, done: `${examples} labelled ${isolate(act.decision)}` };
}

/** The acts on the selected rows, each undone as one; `ask` asks first, as a key is easily pressed. */
function useBulk(
  type: ViewProps['type'],
  filter: ReturnType<typeof toFilter>,
  selected: number,
  selection: Selection,
  onDone: () => void,
) {
  const { acts, ui } = useWorkbench();
  const { sayDone } = useUndo(type.id);
  const [isRunning, setIsRunning] = useState(false);
  const run = (what: BulkAct) => {
    setIsRunning(true);
    const target = selection.kind === 'all' ? { filter: toBulkFilter(filter) } : { ids: [...selection.ids] };
    acts
      .bulk(type.id, [{ ...target, ...what }], describeBulk(what, selected).done, selected)
      .then((act) => {
        onDone();
        sayDone(`${describeBulk(what, act.exampleCount).done}.`, act);
      }, notifyFailure)
      .finally(() => setIsRunning(false));
  };
  const ask = (what: BulkAct) => {
    const { order } = describeBulk(what, selected);
    const [yes = ''] = order.split(' ');
    ui.getState().ask({ heading: `${order}?`, title: 'Undo takes it back whole.', yes, run: () => run(what) });
  };
  const refuse = () => notify({ kind: 'info', text: 'This key acts on one row. Clear the selection first.' });
  return { isRunning, run, ask, refuse };
}

/** The keys of labelling while several rows are selected: they act on all of these, or say that they cannot. */
const toWorkOnMany = (work: Work, { ask, refuse }: ReturnType<typeof useBulk>): Work => ({
  ...work,
  label: (decision) => ask({ action: 'set_decision', decision }),
  toggleReviewed: () => ask({ action: 'set_reviewed', reviewed: true }),
  remove: () => ask({ action: 'delete' }),
  toggleFlag: refuse,
  toggleMust: refuse,
});

type BulkBarProps = {
  type: ViewProps['type'];
  selected: number;
  bulk: ReturnType<typeof useBulk>;
  onClear(): void;
};

/** Offers the acts on the selected rows. */
function BulkBar({ type, selected, bulk: { isRunning, run, ask }, onClear }: BulkBarProps) {
  return (
    <div className="row bulk" role="toolbar" aria-label="Selected examples">
      <ActionIcon aria-label="Clear the selection" onClick={onClear}>
        <X size={14} />
      </ActionIcon>
      <Figure className="strong" says="Examples that the buttons beside this act on.">
        {number(selected)} selected
      </Figure>
      <OptionSelect
        label="Label the selected examples"
        hideLabel
        placeholder="Label as…"
        options={type.active_version.options}
        value={null}
        onValue={(decision) => decision !== null && run({ action: 'set_decision', decision })}
      />
      <Button disabled={isRunning} onClick={() => run({ action: 'set_reviewed', reviewed: true })}>
        Mark as reviewed
      </Button>
      <Button disabled={isRunning} onClick={() => (selected > 1 ? ask : run)({ action: 'delete' })}>
        Delete
      </Button>
    </div>
  );
}
