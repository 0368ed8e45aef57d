/** The sheet of rules under the keys: its cursor, the cell that is typed in, and what becomes of what was typed. */
import { type ClipboardEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { Rule } from '../../../engine/domain/definition.ts';
import { count } from '../../parts/text/figures.ts';
import { isolate } from '../../parts/text/names.ts';
import { notify } from '../../state/notices.tsx';
import { orderRules } from './order-rules.ts';
import {
  listColumns,
  readText,
  type SheetColumn,
  type SheetField,
  type SheetRow,
  toField,
  toSheetRow,
  type Written,
  writeText,
} from './sheet/sheet.ts';
import { toLines, toTsv } from './sheet/sheet-lines.ts';
import type { RulesDesk } from './use-rules.ts';

/** The cell that is typed in: what it holds so far, and why that was not taken. */
type CellEdit = { row: number; column: number; text: string; problem: string | null };
type Move = { down: number; right: number };

const stay: Move = { down: 0, right: 0 };
const leap = 10;
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

/** Rows, columns and the cursor; the row behind the last one is that of a rule still to be made. */
function useCursor(desk: RulesDesk, fields: readonly SheetField[]) {
  const [added, setAdded] = useState<readonly string[]>([]);
  const [isAtNew, setAtNew] = useState(false);
  const [wanted, setWanted] = useState(1);
  const { rules, chosen, choose } = desk;
  const rows = useRows(rules, fields);
  const columns = useColumns(rows, fields, added);
  const atChosen = rows.findIndex(({ place }) => place === chosen);
  const row = isAtNew || atChosen < 0 ? rows.length : atChosen;
  const column = within(wanted, columns.length);
  /** Moves to a cell; `made` rows have just been added and are not among the current ones. */
  const moveTo = (toRow: number, toColumn: number, made = 0) => {
    const next = within(toRow, rows.length + made + 1);
    setWanted(within(toColumn, columns.length));
    setAtNew(next === rows.length + made);
    if (next !== row && desk.isCodeOpen) desk.closeCode();
    const place = rows[next]?.place;
    if (place !== undefined && place !== chosen) choose(place);
  };
  /** Keeps the current columns, with another one: those that an empty sheet begins with would go with its first rule. */
  const keepColumns = (...more: string[]) =>
    setAdded([...columns.flatMap(({ kind, id }) => (kind === 'field' ? [id] : [])), ...more]);
  return { rows, columns, row, column, moveTo, setAtNew, keepColumns };
}

type Cursor = ReturnType<typeof useCursor>;

/** Typing into cells: what is taken changes the rule, or makes the new one; what is not stays with its problem. */
function useTyping(desk: RulesDesk, cursor: Cursor) {
  const [edit, setEdit] = useState<CellEdit | null>(null);
  const { rows, columns, moveTo, setAtNew, keepColumns } = cursor;
  const write = (at: number, column: SheetColumn, text: string): Written => {
    const row = rows[at];
    const others = desk.rules.filter((_, place) => place !== row?.place);
    const written = writeText(row?.rule ?? { condition: '' }, column, text, desk.draft, others);
    if ('problem' in written) return written;
    if (row) desk.setRuleAt(row.place, written.patch);
    else {
      keepColumns();
      desk.add(written.patch);
      setAtNew(false);
    }
    return written;
  };
  /** Returns why the text was not taken, or null. */
  const take = ({ row, column, text }: CellEdit, { down, right }: Move): string | null => {
    const target = columns[column];
    const isSame = target === undefined || text.trim() === readText(rows[row], target).trim();
    const written = isSame ? null : write(row, target, text);
    if (written && 'problem' in written) {
      setEdit({ row, column, text, problem: written.problem });
      return written.problem;
    }
    setEdit(null);
    if (down !== 0 || right !== 0) moveTo(row + down, column + right, written !== null && !rows[row] ? 1 : 0);
    return null;
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

/** The sheet: what it shows, and what its keys and the clipboard do. */
export function useSheet(desk: RulesDesk, fields: readonly SheetField[], onPaste: (text: string) => void) {
  const table = useRef<HTMLTableElement>(null);
  const cursor = useCursor(desk, fields);
  const typing = useTyping(desk, cursor);
  const { rows, columns, row, column, moveTo } = cursor;
  const isTyping = typing.edit !== null;
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
    if (!isCode) typing.begin(row, column, text);
    else if (text === undefined) openCode();
    else notify({ kind: 'info', text: 'This rule does not fit a row of cells. Press Enter to change it as code.' });
  };
  const clear = () => {
    if (!shown || !target || isCode || readText(shown, target) === '') return;
    const written = typing.write(row, target, '');
    if ('problem' in written) notify({ kind: 'info', text: written.problem });
  };
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const move = moves[event.key];
    if (move) moveTo(row + move.down, column + move.right);
    else if (event.key === 'Enter' || event.key === 'F2') open();
    else if (event.key === 'Delete' || event.key === 'Backspace') clear();
    else if (event.key.length === 1 && event.key !== ' ') open(event.key);
    else return;
    event.preventDefault();
  };
  return {
    lists: desk.draft.lists,
    ...cursor,
    table,
    typing,
    open,
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
    addColumn: (id: string) => cursor.keepColumns(id),
    copy: (event: ClipboardEvent) => {
      if (isTypedIn(event)) return;
      event.preventDefault();
      event.clipboardData.setData('text/plain', toTsv(toLines(rows, columns)));
      tellCopied(rows);
    },
    paste: (event: ClipboardEvent) => {
      if (isTypedIn(event)) return;
      event.preventDefault();
      const text = event.clipboardData.getData('text/plain').replace(/\r?\n$/, '');
      if (/[\t\n]/.test(text)) onPaste(text);
      else open(text);
    },
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
