/** The cursor on the cells of a grid under the keys: ranges, copying and pasting, and when letters go into a cell. */
import { useWindowEvent } from '@mantine/hooks';
import { type ClipboardEvent, type KeyboardEvent, useRef, useState } from 'react';
import { whenComposed } from '../../commands/keys.ts';
import { useCommands } from '../../state/use-commands.ts';
import {
  type CellText,
  type Cursor,
  fillRange,
  type Move,
  moveCell,
  type Range,
  type Spot,
  toRange,
  toTsv,
} from './cells.ts';

type Step = { down: number; right: number };
const leap = 10;
const sides = { Up: 'above', Down: 'below', Left: 'to the left', Right: 'to the right' };
const steps: Readonly<Record<string, Step>> = {
  ArrowUp: { down: -1, right: 0 },
  ArrowDown: { down: 1, right: 0 },
  ArrowLeft: { down: 0, right: -1 },
  ArrowRight: { down: 0, right: 1 },
  Home: { down: 0, right: Number.NEGATIVE_INFINITY },
  End: { down: 0, right: Number.POSITIVE_INFINITY },
  PageUp: { down: -leap, right: 0 },
  PageDown: { down: leap, right: 0 },
};

type CellsOptions = {
  cursor: Cursor;
  onCursor(next: Cursor): void;
  /** Rows that there are; behind them is `newRows` that the cursor may be in as well. */
  rows: number;
  newRows: number;
  columns: number;
  readText(row: number, column: number): string;
  /** Writes texts into cells in one step, or none of them. */
  write(cells: readonly CellText[]): void;
  /** Whether a cell can be empty: Delete empties others only where all of them are such. */
  canBeEmpty(column: number): boolean;
  /** Opens a cell: to type in, beginning with a letter that was typed on it. */
  onOpen(at: Spot, text?: string): void;
  onPaste(text: string, range: Range): void;
};

/**
 * Tells whether somebody is in the cells: until then, after Escape, and after a press of the pointer elsewhere letters
 * belong to the keys of the window. The focus that comes back by itself is nobody's.
 */
function useEntering() {
  const [isEntered, setEntered] = useState(false);
  const isElsewhere = useRef(true);
  const enter = () => setEntered(true);
  const quit = () => setEntered(false);
  const leave = () => {
    isElsewhere.current = true;
    quit();
  };
  const comeByKey = ({ key }: globalThis.KeyboardEvent) => {
    if (key.length > 1) isElsewhere.current = false;
  };
  useWindowEvent('pointerdown', leave, { capture: true });
  useWindowEvent('keydown', comeByKey, { capture: true });
  const listeners = {
    onPointerDown: () => {
      isElsewhere.current = false;
      enter();
    },
    onFocus: () => {
      if (!isElsewhere.current) enter();
    },
  };
  return { isEntered, enter, quit, listeners };
}

/** Whether the clipboard is that of a field, not of the grid: after a click the event comes from the cell. */
const isTypedIn = ({ target }: ClipboardEvent) => target instanceof HTMLInputElement;

/** The acts on the range of cells; each is one step that is taken back in one. */
function useRangeCommands(
  { onCursor, rows, columns, readText, write, canBeEmpty }: CellsOptions,
  range: Range,
  move: (to: Move) => void,
) {
  const clear = () => {
    const cells = fillRange(range, () => '');
    const free = cells.filter(({ column }) => canBeEmpty(column));
    write(free.length > 0 ? free : cells);
  };
  const fillDown = () => {
    const from = range.top === range.bottom ? range.top - 1 : range.top;
    if (from >= 0) write(fillRange({ ...range, top: from + 1 }, (_, column) => readText(from, column)));
  };
  const selectAll = () => onCursor({ row: Math.max(0, rows - 1), column: columns - 1, anchor: { row: 0, column: 0 } });
  useCommands('Edit', [
    { id: 'fill-down', title: 'Fill down', keys: 'Mod+d', run: fillDown },
    { id: 'clear-cells', title: 'Clear the cells', keys: 'Delete', run: clear },
    { id: 'select-cells', title: 'Select all cells', keys: 'Mod+a', run: selectAll },
    ...Object.entries(sides).map(([side, title]) => ({
      id: `select-${side}`,
      title: `Select the cells ${title}`,
      keys: `Shift+Arrow${side}`,
      run: () => move({ ...(steps[`Arrow${side}`] ?? { down: 0, right: 0 }), isExtended: true }),
    })),
  ]);
  return clear;
}

/** Gives a grid a cursor on its cells, and its owner the ways to move it. */
export function useCells(options: CellsOptions) {
  const { cursor, onCursor, rows, newRows, columns, readText, onOpen, onPaste } = options;
  const { isEntered, enter, quit, listeners } = useEntering();
  const move = (to: Move) => onCursor(moveCell(cursor, to, { rows: rows + newRows, columns }));
  const range = toRange(cursor);
  const clear = useRangeCommands(options, range, move);
  const open = (at: Spot, text?: string) => {
    enter();
    onOpen(at, text);
  };
  /** The cell beside the one at the cursor; before and behind a row, Tab leaves the grid. */
  const findTab = (right: number): Step | undefined => {
    const to = cursor.column + right;
    return isEntered && to >= 0 && to < columns ? { down: 0, right } : undefined;
  };
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, shiftKey } = event;
    const step = key === 'Tab' ? findTab(shiftKey ? -1 : 1) : steps[key];
    // The arrows with Shift are commands, which the list of keys names.
    if (step && shiftKey && key.startsWith('Arrow')) return;
    if (step) {
      enter();
      move({ ...step, isExtended: shiftKey && key !== 'Tab' });
    } else if (key === 'Escape') quit();
    else if (key === 'Enter' || key === 'F2') open(cursor);
    else if (key === 'Backspace') clear();
    else if (key.length === 1 && key !== ' ' && isEntered) open(cursor, key);
    else return;
    event.preventDefault();
  };
  const copy = (event: ClipboardEvent) => {
    if (isTypedIn(event)) return;
    event.preventDefault();
    const bottom = Math.min(range.bottom, rows - 1);
    const texts = Map.groupBy(fillRange({ ...range, bottom }, readText), ({ row }) => row);
    event.clipboardData.setData('text/plain', toTsv([...texts.values()].map((line) => line.map(({ text }) => text))));
  };
  const paste = (event: ClipboardEvent) => {
    if (isTypedIn(event)) return;
    event.preventDefault();
    onPaste(event.clipboardData.getData('text/plain').replace(/\r?\n$/, ''), range);
  };
  return {
    cursor,
    /** The chosen cells, where there are more than that at the cursor. */
    range: cursor.anchor && range,
    move,
    enter,
    onOpen: open,
    listeners: { ...listeners, onKeyDown: whenComposed(press), onCopy: copy, onPaste: paste },
  };
}

export type GridCells = ReturnType<typeof useCells>;
