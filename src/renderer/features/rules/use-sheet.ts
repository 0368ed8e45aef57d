/** The sheet of rules under the keys: its cursor, the cell that is typed in, and what becomes of what was typed. */
import { type ClipboardEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { Rule } from '../../../engine/domain/definition.ts';
import { count } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { notify } from '../../state/notices.tsx';
import { useCommands } from '../../state/use-commands.ts';
import { orderRules } from './order-rules.ts';
import {
  listColumns,
  nameColumn,
  readText,
  type SheetField,
  type SheetRow,
  toField,
  toSheetRow,
} from './sheet/sheet.ts';
import { type CellText, fillRange, layLines, type Spot, toRange, writeCells } from './sheet/sheet-block.ts';
import { toTsv } from './sheet/sheet-lines.ts';
import type { RulesDesk } from './use-rules.ts';

/** The cell that is typed in: what it holds so far, and why that was not taken. */
type CellEdit = { row: number; column: number; text: string; problem: string | null };
type Move = { down: number; right: number };

const stay: Move = { down: 0, right: 0 };
const leap = 10;
const sides = { Up: 'above', Down: 'below', Left: 'to the left', Right: 'to the right' };
const moves: Readonly<Record<string, Move>> = {
  ArrowUp: { down: -1, right: 0 },
  ArrowDown: { down: 1, right: 0 },
  ArrowLeft: { down: 0, right: -1 },
  ArrowRight: { down: 0, right: 1 },
  Home: { down: 0, right: Number.NEGATIVE_INFINITY },
  End: { down: 0, right: Number.POSITIVE_INFINITY },
  PageUp: { down: -leap, right: 0 },
  PageDown: { down: leap, right: 0 },
};

/** Whether the clipboard is that of a field, not of the sheet: after a click the event comes from the cell. */
const isTypedIn = ({ target }: ClipboardEvent) => target instanceof HTMLInputElement;

const within = (place: number, count: number) => Math.min(count - 1, Math.max(0, place));

/** The rows of the rules; a rule that stays as it is keeps its row, so that the others need not be drawn again. */
function useRows(rules: readonly Rule[], fields: readonly SheetField[]): SheetRow[] {
  const find = useMemo(() => toField(fields), [fields]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other fields make other rows
  const known = useMemo(() => new WeakMap<Rule, SheetRow>(), [find]);
  return useMemo(
    () =>
      orderRules(rules).flatMap((place) => {
        const rule = rules[place];
        if (!rule) return [];
        const old = known.get(rule);
        const row = old?.place === place ? old : toSheetRow(rule, place, find);
        known.set(rule, row);
        return [row];
      }),
    [rules, find, known],
  );
}

function useColumns(rows: readonly SheetRow[], fields: readonly SheetField[], added: readonly string[]) {
  const columns = useMemo(() => listColumns(rows, fields, added), [rows, fields, added]);
  const ids = columns.map(({ id }) => id).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ids stand for the columns
  return useMemo(() => columns, [ids, fields]);
}

/** Rows, columns, the cursor and the range up to it; the row behind the last one is that of a rule still to be made. */
function useCursor(desk: RulesDesk, fields: readonly SheetField[]) {
  const [added, setAdded] = useState<readonly string[]>([]);
  const [isAtNew, setAtNew] = useState(false);
  const [wanted, setWanted] = useState(1);
  const [anchor, setAnchor] = useState<Spot | null>(null);
  const { rules, chosen, choose } = desk;
  const rows = useRows(rules, fields);
  const columns = useColumns(rows, fields, added);
  const atChosen = rows.findIndex(({ place }) => place === chosen);
  const row = isAtNew || atChosen < 0 ? rows.length : atChosen;
  const column = within(wanted, columns.length);
  /** Moves to a cell, with a range `from` another; `made` rows have just been added and are not among the others. */
  const moveTo = (toRow: number, toColumn: number, from: Spot | null = null, made = 0) => {
    const next = within(toRow, rows.length + made + 1);
    setAnchor(from);
    setWanted(within(toColumn, columns.length));
    setAtNew(next === rows.length + made);
    if (next !== row && desk.isCodeOpen) desk.closeCode();
    const place = rows[next]?.place;
    if (place !== undefined && place !== chosen) choose(place);
  };
  /** Keeps the current columns, with another one: those that an empty sheet begins with would go with its first rule. */
  const keepColumns = (...more: string[]) =>
    setAdded([...columns.flatMap(({ kind, id }) => (kind === 'field' ? [id] : [])), ...more]);
  const start = anchor ?? { row, column };
  const range = toRange(start, { row, column });
  return { rows, columns, row, column, start, range, isRange: anchor !== null, moveTo, setAtNew, keepColumns };
}

type Cursor = ReturnType<typeof useCursor>;

/** Typing into cells: what is taken changes the rule, or makes the new one; what is not stays with its problem. */
function useTyping(desk: RulesDesk, cursor: Cursor) {
  const [edit, setEdit] = useState<CellEdit | null>(null);
  const { rows, columns, row, moveTo, setAtNew, keepColumns } = cursor;
  /** Writes all texts in one step that is taken back in one, or none; returns why not. */
  const write = (cells: readonly CellText[]): string | null => {
    const written = writeCells(cells, cursor, desk.rules, desk.draft);
    if ('problem' in written) return written.problem;
    if (written.rules === desk.rules) return null;
    keepColumns();
    desk.setRules(written.rules);
    if (!rows[row] && written.rules.length > desk.rules.length) {
      desk.choose(desk.rules.length);
      setAtNew(false);
    }
    return null;
  };
  /** Returns why the text was not taken, or null. */
  const take = (typed: CellEdit, { down, right }: Move): string | null => {
    const problem = write([typed]);
    setEdit(problem === null ? null : { ...typed, problem });
    if (problem === null && (down !== 0 || right !== 0))
      moveTo(typed.row + down, typed.column + right, null, !rows[typed.row] && typed.text.trim() !== '' ? 1 : 0);
    return problem;
  };
  return {
    edit,
    write,
    take,
    begin: (row: number, column: number, text?: string) => {
      const target = columns[column];
      if (target) setEdit({ row, column, text: text ?? readText(rows[row], target), problem: null });
    },
    type: (text: string) => setEdit((old) => old && { ...old, text, problem: null }),
    /** Takes what was typed as the field is left; what cannot be taken is dropped with a word. */
    leave: () => {
      const problem = edit && take(edit, stay);
      if (problem === null) return;
      notify({ kind: 'info', text: `“${isolate(edit?.text ?? '')}” was not taken. ${problem}` });
      setEdit(null);
    },
    drop: () => setEdit(null),
  };
}

/** The acts on the range of cells, and what the clipboard brings: each is one step that is taken back in one. */
function useBlocks(
  desk: RulesDesk,
  cursor: Cursor,
  writeAll: (cells: readonly CellText[]) => string | null,
  fields: readonly SheetField[],
  onPaste: (text: string) => void,
) {
  const { rows, columns, row, column, start, range, moveTo } = cursor;
  const textAt = (atRow: number, at: number) => readText(rows[atRow], columns[at] ?? nameColumn);
  /** Writes texts into cells; why that cannot be is said. */
  const write = (cells: readonly CellText[]) => {
    const problem = writeAll(cells);
    if (problem !== null) notify({ kind: 'info', text: problem });
  };
  const clear = () => {
    const cells = fillRange(range, () => '');
    // A rule keeps its name and its outcome, which it cannot be without.
    const free = cells.filter(({ column: at }) => ['field', 'reason'].includes(columns[at]?.kind ?? ''));
    write(free.length > 0 ? free : cells);
  };
  const fillDown = () => {
    const from = range.top === range.bottom ? range.top - 1 : range.top;
    if (from >= 0) write(fillRange({ ...range, top: from + 1 }, (_, at) => textAt(from, at)));
  };
  useCommands('Edit', [
    { id: 'fill-down', title: 'Fill down', keys: 'Mod+d', run: fillDown },
    { id: 'clear-cells', title: 'Clear the cells', keys: 'Delete', run: clear },
    {
      id: 'select-cells',
      title: 'Select all cells',
      keys: 'Mod+a',
      run: () => moveTo(rows.length - 1, columns.length - 1, { row: 0, column: 0 }),
    },
    ...Object.entries(sides).map(([side, title]) => {
      const { down, right } = moves[`Arrow${side}`] ?? stay;
      const run = () => moveTo(row + down, column + right, start);
      return { id: `select-${side}`, title: `Select the cells ${title}`, keys: `Shift+Arrow${side}`, run };
    }),
  ]);
  return {
    clear,
    copy: (event: ClipboardEvent) => {
      if (isTypedIn(event)) return;
      event.preventDefault();
      const lines = rows
        .slice(range.top, range.bottom + 1)
        .map((each) => columns.slice(range.left, range.right + 1).map((one) => readText(each, one)));
      event.clipboardData.setData('text/plain', toTsv(lines));
    },
    paste: async (event: ClipboardEvent) => {
      if (isTypedIn(event)) return;
      event.preventDefault();
      const text = event.clipboardData.getData('text/plain').replace(/\r?\n$/, '');
      const { namesColumns, readLinesOfText } = await import('./sheet/read-lines.ts');
      const lines = readLinesOfText(text);
      if (namesColumns(lines, { fields, draft: desk.draft })) onPaste(text);
      else write(layLines(lines, range));
    },
  };
}

/**
 * Tells whether somebody is in the sheet: until then, and again after Escape, letters belong to the keys of the window.
 * The focus that the sheet has as its place opens is nobody's.
 */
function useEntering() {
  const [isEntered, setEntered] = useState(false);
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
  }, []);
  return { isEntered, enter: () => isOpen.current && setEntered(true), quit: () => setEntered(false) };
}

/** The sheet: what it shows, and what its keys and the clipboard do. */
export function useSheet(desk: RulesDesk, fields: readonly SheetField[], onPaste: (text: string) => void) {
  const table = useRef<HTMLTableElement>(null);
  const cursor = useCursor(desk, fields);
  const typing = useTyping(desk, cursor);
  const { rows, columns, row, column, moveTo } = cursor;
  const isTyping = typing.edit !== null;
  const { isEntered, enter, quit } = useEntering();
  useEffect(() => {
    // The field that was typed in is gone; who pressed something else meanwhile keeps the focus there.
    if (!isTyping && document.activeElement === document.body) table.current?.focus({ preventScroll: true });
  }, [isTyping]);
  const shown = rows[row];
  const target = columns[column];
  const isCode = shown?.cells === null && target?.kind === 'field';
  /** Opens the code of the rule at the cursor, on the line of a new rule that of one made for it. */
  const openCode = () => {
    if (shown) return desk.openCode(shown.place);
    cursor.keepColumns();
    desk.add();
    cursor.setAtNew(false);
    desk.openCode(desk.rules.length);
  };
  const open = (text?: string) => {
    enter();
    if (!isCode) typing.begin(row, column, text);
    else if (text === undefined) openCode();
    else notify({ kind: 'info', text: 'This rule does not fit a row of cells. Press Enter to change it as code.' });
  };
  const { clear, ...clipboard } = useBlocks(desk, cursor, typing.write, fields, onPaste);
  const { start } = cursor;
  /** The cell beside the one at the cursor; before and behind a row, Tab leaves the sheet. */
  const findTab = (isBack: boolean): Move | undefined => {
    const right = isBack ? -1 : 1;
    return isEntered && columns[column + right] ? { down: 0, right } : undefined;
  };
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, shiftKey } = event;
    const move = key === 'Tab' ? findTab(shiftKey) : moves[key];
    // The arrows with Shift are commands, which the list of keys names.
    if (move && shiftKey && key.startsWith('Arrow')) return;
    if (move) {
      enter();
      moveTo(row + move.down, column + move.right, shiftKey && key !== 'Tab' ? start : null);
    } else if (key === 'Escape') quit();
    else if (key === 'Enter' || key === 'F2') open();
    else if (key === 'Backspace') clear();
    else if (key.length === 1 && key !== ' ' && isEntered) open(key);
    else return;
    event.preventDefault();
  };
  return {
    lists: desk.draft.lists,
    ...cursor,
    table,
    typing,
    open,
    enter,
    press,
    openCode,
    /** Closes the code; the keys act in the sheet again. */
    closeCode: () => {
      desk.closeCode();
      table.current?.focus();
    },
    /** Moves to the rule at a place of the draft, and the focus with it. */
    goToRule: (place: number) => {
      const at = rows.findIndex((each) => each.place === place);
      if (at >= 0) moveTo(at, column);
      table.current?.focus();
    },
    ...clipboard,
    addColumn: (id: string) => cursor.keepColumns(id),
  };
}

export type Sheet = ReturnType<typeof useSheet>;

/** Says how many rules were copied. */
export function tellCopied(rows: readonly SheetRow[]): void {
  notify({
    kind: 'info',
    text: `${count(rows.length, 'rule')} with their head copied: paste them into a spreadsheet.`,
  });
}
