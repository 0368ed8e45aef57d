/** The sheet of rules under the keys: its cursor, the cell that is typed in, and what becomes of what was typed. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Rule } from '../../../engine/domain/definition.ts';
import { type CellText, type Cursor, layLines, moveCell, type Range, type Spot } from '../../parts/grid/cells.ts';
import type { GridHandle } from '../../parts/grid/grid.tsx';
import { useCells } from '../../parts/grid/use-cells.ts';
import { isolate } from '../../parts/text/names.ts';
import { notify } from '../../state/notices.tsx';
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
import { writeCells } from './sheet/sheet-block.ts';
import type { RulesDesk } from './use-rules.ts';

/** The cell that is typed in: what it holds so far, and why that was not taken. */
type CellEdit = CellText & { problem: string | null };

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
function useSheetCursor(desk: RulesDesk, fields: readonly SheetField[]) {
  const [added, setAdded] = useState<readonly string[]>([]);
  const [isAtNew, setAtNew] = useState(false);
  const [wanted, setWanted] = useState(1);
  const [anchor, setAnchor] = useState<Spot | null>(null);
  const { rules, chosen, choose } = desk;
  const rows = useRows(rules, fields);
  const columns = useColumns(rows, fields, added);
  const atChosen = rows.findIndex(({ place }) => place === chosen);
  const row = isAtNew || atChosen < 0 ? rows.length : atChosen;
  const cursor: Cursor = { row, column: Math.min(wanted, columns.length - 1), anchor };
  /** Moves the cursor; `made` rows have just been added and are not among the others. */
  const put = (next: Cursor, made = 0) => {
    setAnchor(next.anchor);
    setWanted(next.column);
    setAtNew(next.row === rows.length + made);
    if (next.row !== row && desk.isCodeOpen) desk.closeCode();
    const place = rows[next.row]?.place;
    if (place !== undefined && place !== chosen) choose(place);
  };
  /** Keeps the current columns, with another one: those that an empty sheet begins with would go with its first rule. */
  const keepColumns = (...more: string[]) =>
    setAdded([...columns.flatMap(({ kind, id }) => (kind === 'field' ? [id] : [])), ...more]);
  return { rows, columns, cursor, put, setAtNew, keepColumns };
}

type SheetCursor = ReturnType<typeof useSheetCursor>;

/** Typing into cells: what is taken changes the rule, or makes the new one; what is not stays with its problem. */
function useTyping(desk: RulesDesk, sheet: SheetCursor) {
  const [edit, setEdit] = useState<CellEdit | null>(null);
  const { rows, columns, cursor, put, setAtNew, keepColumns } = sheet;
  /** Writes all texts in one step that is taken back in one, or none; returns why not. */
  const write = (cells: readonly CellText[]): string | null => {
    const written = writeCells(cells, sheet, desk.rules, desk.draft);
    if ('problem' in written) return written.problem;
    if (written.rules === desk.rules) return null;
    keepColumns();
    desk.setRules(written.rules);
    if (!rows[cursor.row] && written.rules.length > desk.rules.length) {
      desk.choose(desk.rules.length);
      setAtNew(false);
    }
    return null;
  };
  /** Takes the text and moves on; returns why it was not taken, or null. */
  const take = (typed: CellEdit, step?: { down: number; right: number }): string | null => {
    const problem = write([typed]);
    setEdit(problem === null ? null : { ...typed, problem });
    if (problem !== null || !step) return problem;
    const made = !rows[typed.row] && typed.text.trim() !== '' ? 1 : 0;
    const size = { rows: rows.length + 1 + made, columns: columns.length };
    put(moveCell({ ...typed, anchor: null }, step, size), made);
    return null;
  };
  return {
    edit,
    write,
    take,
    begin: ({ row, column }: Spot, text?: string) => {
      const target = columns[column];
      if (target) setEdit({ row, column, text: text ?? readText(rows[row], target), problem: null });
    },
    type: (text: string) => setEdit((old) => old && { ...old, text, problem: null }),
    /** Takes what was typed as the field is left; what cannot be taken is dropped with a word. */
    leave: () => {
      const problem = edit && take(edit);
      if (problem === null) return;
      notify({ kind: 'info', text: `“${isolate(edit?.text ?? '')}” was not taken. ${problem}` });
      setEdit(null);
    },
    drop: () => setEdit(null),
  };
}

/** The cells under the keys: typed in, opened as code where a rule does not fit them, and pasted over. */
function useSheetCells(
  desk: RulesDesk,
  sheet: SheetCursor,
  typing: ReturnType<typeof useTyping>,
  fields: readonly SheetField[],
  onImport: (text: string) => void,
) {
  const { rows, columns, cursor, put, setAtNew, keepColumns } = sheet;
  /** Opens the code of the rule in a row, on the line of a new rule that of one made for it. */
  const openCode = ({ row }: Spot) => {
    const shown = rows[row];
    if (shown) return desk.openCode(shown.place);
    keepColumns();
    desk.add();
    setAtNew(false);
    desk.openCode(desk.rules.length);
  };
  const open = (at: Spot, text?: string) => {
    const isCode = rows[at.row]?.cells === null && columns[at.column]?.kind === 'field';
    if (!isCode) typing.begin(at, text);
    else if (text === undefined) openCode(at);
    else notify({ kind: 'info', text: 'This rule does not fit a row of cells. Press Enter to change it as code.' });
  };
  /** Writes texts into cells; why that cannot be is said. */
  const write = (texts: readonly CellText[]) => {
    const problem = typing.write(texts);
    if (problem !== null) notify({ kind: 'info', text: problem });
  };
  const paste = async (text: string, range: Range) => {
    const { namesColumns, readLinesOfText } = await import('./sheet/read-lines.ts');
    const lines = readLinesOfText(text);
    if (namesColumns(lines, { fields, draft: desk.draft })) onImport(text);
    else write(layLines(lines, range));
  };
  const cells = useCells({
    cursor,
    onCursor: put,
    rows: rows.length,
    newRows: 1,
    columns: columns.length,
    readText: (row, column) => readText(rows[row], columns[column] ?? nameColumn),
    write,
    // A rule keeps its name and its outcome, which it cannot be without.
    canBeEmpty: (column) => ['field', 'reason'].includes(columns[column]?.kind ?? ''),
    onOpen: open,
    onPaste: (text, range) => void paste(text, range),
  });
  return { cells, openCode };
}

/** The sheet: what it shows, and what its keys and the clipboard do. */
export function useSheet(desk: RulesDesk, fields: readonly SheetField[], onImport: (text: string) => void) {
  const grid = useRef<GridHandle>(null);
  const sheet = useSheetCursor(desk, fields);
  const typing = useTyping(desk, sheet);
  const { cells, openCode } = useSheetCells(desk, sheet, typing, fields, onImport);
  const { rows, columns, cursor, put, keepColumns } = sheet;
  const isTyping = typing.edit !== null;
  useEffect(() => {
    // The field that was typed in is gone; who pressed something else meanwhile keeps the focus there.
    if (!isTyping && document.activeElement === document.body) grid.current?.focus();
  }, [isTyping]);
  const focus = () => {
    cells.enter();
    grid.current?.focus();
  };
  return {
    lists: desk.draft.lists,
    rows,
    columns,
    cursor,
    grid,
    typing,
    cells,
    openCode: () => openCode(cursor),
    /** Closes the code; the keys act in the sheet again. */
    closeCode: () => {
      desk.closeCode();
      focus();
    },
    /** Begins a new rule behind the others. */
    begin: () => {
      const at = { row: rows.length, column: 0 };
      put({ ...at, anchor: null });
      cells.onOpen(at, '');
    },
    /** Moves to the rule at a place of the draft, and the focus with it. */
    goToRule: (place: number) => {
      const row = rows.findIndex((each) => each.place === place);
      if (row >= 0) put({ ...cursor, row, anchor: null });
      focus();
    },
    addColumn: (id: string) => keepColumns(id),
  };
}

export type Sheet = ReturnType<typeof useSheet>;
