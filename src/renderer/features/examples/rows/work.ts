/** The cursor over examples and the labels put on them. */

import { useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Example } from '../../../../server/contract/examples/examples.ts';
import type { DecisionType } from '../../../../server/contract/types/decision-types.ts';
import { moveCursor } from '../../../parts/grid/cells.ts';
import { useNewest } from '../../../parts/hooks/use-newest.ts';
import { isolate } from '../../../parts/text/names.ts';
import { notifyFailure } from '../../../state/notices.tsx';
import { changeQuery, useQueryPart } from '../../../state/route.ts';
import { useUndo } from '../../../state/use-undo.ts';
import { useWorkbench } from '../../../state/workbench.ts';
import type { Rows } from './use-rows.ts';

const addressDelayMs = 400;

/**
 * The cursor: it belongs to an example's id, never to a place in the list, and moves before the next key is heard.
 * `place` is where it stood last, for the moment in which its row is not loaded.
 */
function createCursor(id: string | null) {
  return createStore<{ id: string | null; place: number }>()(() => ({ id, place: 0 }));
}

type CursorStore = ReturnType<typeof createCursor>;

/** Keeps the cursor in the address: one that somebody else has written moves it, to the first row where it has none. */
function useAddress(store: CursorStore, state: { id: string | null }, findFirst: () => number): void {
  const { row } = useQueryPart();
  /** The row last written into the address: it does not move the cursor again. */
  const written = useRef(row);
  const goTo = useNewest((id: string | undefined) =>
    store.setState(id === undefined ? { id: null, place: findFirst() } : { id }),
  );
  useEffect(() => {
    if (row === written.current) return;
    written.current = row;
    goTo(row);
  }, [row, goTo]);
  useEffect(() => {
    const { id } = state;
    if (id === null || id === row) return;
    const timer = setTimeout(() => {
      written.current = id;
      changeQuery({ row: id }, { replace: true });
    }, addressDelayMs);
    return () => clearTimeout(timer);
  }, [state, row]);
}

/** The place of the first row that has no label yet; the first one where all have theirs. */
function findOpen({ count, at }: Rows): number {
  for (let place = 0; place < count; place += 1) if (at(place)?.expected_decision === null) return place;
  return 0;
}

export type Work = {
  current: Example | null;
  /** Place of the cursor; -1 without rows. */
  cursor: number;
  isAtEnd: boolean;
  /** Whether the example that is drawn is still the one at the cursor, which moves before the page is drawn. */
  isShown(): boolean;
  move(by: number): void;
  moveTo(place: number): void;
  /** Labels the example at the cursor and goes on; null takes its label away and stays. */
  label(decision: string | null): void;
  /** Labels the example at the cursor as `choose` says; does nothing where that is null. */
  labelBy(choose: (example: Example) => string | null): void;
  /** Flags the example at the cursor for another look and goes on; takes the flag away where it has one. */
  toggleFlag(): void;
  setReasons(codes: string[]): void;
  toggleReviewed(): void;
  /** Pins the example as a case whose decision must hold, or not any more. */
  toggleMust(): void;
  remove(): void;
};

type ListEnd = {
  /** Whether the cursor goes on behind the last row, once that is known: nothing is left under the keys. */
  hasEnd: boolean;
};

/** Follows the rows of a list with one cursor, kept in the address; an act that is taken back moves it as well. */
function useCursor(rows: Rows, { hasEnd }: ListEnd) {
  const { acts } = useWorkbench();
  const { row } = useQueryPart();
  const [store] = useState(() => createCursor(row ?? null));
  const state = useStore(store);
  const turned = useStore(acts.store, (acted) => acted.turned);
  useAddress(store, state, () => (hasEnd ? findOpen(rows) : 0));
  /** The act taken back last: it does not move the cursor again. */
  const seen = useRef(turned);
  // The place of the row, where it is known; else where the cursor stood.
  const known = state.id === null ? -1 : rows.indexOf(state.id);
  const placeCount = rows.count + (hasEnd && rows.at(rows.count - 1) ? 1 : 0);
  const cursor = rows.count === 0 ? -1 : known >= 0 ? known : Math.min(state.place, placeCount - 1);
  const current = rows.at(cursor) ?? null;

  useEffect(() => {
    if (turned !== null && turned !== seen.current) store.setState({ id: turned.exampleId });
    seen.current = turned;
  }, [turned, store]);
  useEffect(() => {
    // A row that is not in this list, or no more: the cursor is on the one that is shown in its place.
    if (known < 0 && current) store.setState({ id: current.id, place: cursor });
  }, [known, current, cursor, store]);
  /** The row that the cursor is on at this very moment: keys come faster than the page is drawn. */
  const find = (): { example: Example; place: number } | null => {
    const { id, place } = store.getState();
    const at = id === null ? -1 : rows.indexOf(id);
    const example = rows.at(at >= 0 ? at : place);
    if (!example || (id !== null && at < 0)) return null;
    return { example, place: at >= 0 ? at : place };
  };
  const moveTo = (place: number) => {
    const target = rows.at(place);
    store.setState({ id: target?.id ?? null, place });
    rows.hold(place);
  };
  const move = (by: number) => moveTo(moveCursor(find()?.place ?? store.getState().place, by, placeCount));
  return { current, cursor, find, move, moveTo, isLast: (place: number) => place + 1 >= placeCount };
}

/** The labels given since the list was opened, by their examples, without those that were taken back. */
export function useLabelsHere(typeId: string): ReadonlyMap<string, string> {
  const { acts } = useWorkbench();
  const [openedAt] = useState(() => Date.now());
  const done = useStore(acts.store, (state) => state.done);
  return useMemo(() => {
    const labels = new Map<string, string>();
    for (const { typeId: of, at, step } of done) {
      if (of !== typeId || at < openedAt || step.kind !== 'label') continue;
      const { exampleId, after } = step;
      if (after.expected_decision) labels.set(exampleId, after.expected_decision);
      else if (after.expected_decision === null) labels.delete(exampleId);
    }
    return labels;
  }, [done, typeId, openedAt]);
}

/**
 * Changes the examples of a list, the one at its cursor; of a second reading only the label, which stands beside the
 * first one. `readNote` is what goes with a label.
 */
export function useWork(
  type: DecisionType,
  rows: Rows,
  end: ListEnd,
  { isSecond, readNote }: { isSecond: boolean; readNote(): string } = { isSecond: false, readNote: () => '' },
): Work {
  const { acts, ui } = useWorkbench();
  const { sayDone } = useUndo(type.id);
  const { current, cursor, find, move, moveTo, isLast } = useCursor(rows, end);
  const put = ({ example, place }: { example: Example; place: number }, decision: string | null) => {
    const title = decision === null ? 'Label removed' : `Labelled ${isolate(decision)}`;
    // A label settles a flag; named here, the flag comes back with an undo.
    const settled = decision !== null && example.status === 'flagged' ? { status: 'done' as const } : {};
    const note = decision === null ? '' : readNote().trim();
    const labelled = isSecond
      ? { expected_decision: decision, second_reading: true as const }
      : { expected_decision: decision, reviewed: decision !== null, ...settled };
    acts.label(type.id, example, { ...labelled, ...(note !== '' && { note }) }, title);
    ui.getState().announce(title);
    if (decision !== null && !isLast(place)) moveTo(place + 1);
  };
  /** The row at the cursor, for what a second reading leaves to the first one. */
  const findOpen = () => {
    if (isSecond) ui.getState().announce('A second reading gives a label alone');
    return isSecond ? null : find();
  };
  type Found = NonNullable<ReturnType<typeof find>>;
  const onOpen = (change: (found: Found) => void) => () => {
    const found = findOpen();
    if (found) change(found);
  };
  return {
    current,
    cursor,
    isAtEnd: rows.count > 0 && cursor === rows.count,
    isShown: () => find()?.example.id === current?.id,
    move,
    moveTo,
    label: (decision) => {
      const found = find();
      if (found) put(found, decision);
    },
    labelBy: (choose) => {
      const found = find();
      const decision = found && choose(found.example);
      if (found && decision !== null) put(found, decision);
    },
    toggleFlag: onOpen(({ example, place }) => {
      const isFlagged = example.status === 'flagged';
      const status = isFlagged ? (example.expected_decision === null ? 'to_label' : 'done') : 'flagged';
      const title = isFlagged ? 'Flag removed' : 'Flagged';
      acts.label(type.id, example, { status }, title);
      ui.getState().announce(title);
      if (!isFlagged && !isLast(place)) moveTo(place + 1);
    }),
    setReasons: (reason_codes) => {
      const found = findOpen();
      if (found) acts.label(type.id, found.example, { reason_codes }, 'Reasons changed');
    },
    toggleReviewed: onOpen(({ example }) => {
      const reviewed = !example.reviewed;
      acts.label(type.id, example, { reviewed }, reviewed ? 'Marked as reviewed' : 'Marked as not reviewed');
    }),
    toggleMust: onOpen(({ example }) => {
      const must = !example.must;
      const title = must ? 'Pinned: its decision must hold' : 'Not pinned any more';
      acts.label(type.id, example, { must }, title);
      ui.getState().announce(title);
    }),
    remove: onOpen(({ example, place }) => {
      moveTo(end.hasEnd || rows.at(place + 1) ? place + 1 : Math.max(0, place - 1));
      acts
        .bulk(type.id, [{ ids: [example.id], action: 'delete' }], 'Example deleted', 1)
        .then((act) => sayDone('The example was deleted.', act), notifyFailure);
    }),
  };
}
