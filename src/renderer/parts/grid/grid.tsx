/** The grid of the page: rows of any length, of which those in sight exist, under one cursor on a row or on a cell. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import {
  type MouseEvent,
  memo,
  type PointerEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
} from 'react';
import { takesKeys, useRowsFocus } from '../../commands/key-focus.ts';
import { Figure } from '../figure.tsx';
import { useNewest } from '../hooks/use-newest.ts';
import { useRemPx } from '../panes.tsx';
import { moveCursor, type Range } from './cells.ts';
import {
  type GridColumn,
  type PlacedColumn,
  placeColumns,
  spanColumns,
  sumFrozen,
  useColumnWidths,
} from './columns.ts';
import type { GridCells } from './use-cells.ts';
import { type RowActs, useRowCommands } from './use-row-commands.ts';

export type GridHandle = { focus(): void };

/** The order after a heading is pressed: ascending, then descending (`-` in front), then none. */
function turnSort(sorted: string, sort: string): string {
  if (sorted === sort) return `-${sort}`;
  return sorted === `-${sort}` ? '' : sort;
}

/** The field of the cell that is typed in. */
export type CellField = { row: number; column: number; field: ReactNode };

type GridProps<T> = {
  label: string;
  columns: readonly GridColumn<T>[];
  count: number;
  rowAt(index: number): T | undefined;
  /** Index of the row with the cursor; below 0 while there is none. */
  cursor: number;
  /** Moves the cursor to a row that is pressed; left out where it is on a cell. */
  onCursor?: (index: number) => void;
  /** Moves the cursor on by some rows, where its owner knows of keys that came since the rows were drawn. */
  onMove?: (by: number) => void;
  /** The acts of keys on its rows beside moving. */
  acts?: RowActs;
  /** The cursor on cells, with what may be done to them; left out where it is on a row. */
  cells?: GridCells;
  field?: CellField | null;
  /** Hears which rows are in sight. */
  onSight?: (first: number, last: number) => void;
  isSelected?: (row: T) => boolean;
  /** The `sort` of the column that orders the rows, with `-` in front for descending; empty without one. */
  sorted?: string;
  onSort?: (sorted: string) => void;
  handle?: Ref<GridHandle>;
};

/** Finds which rows and columns are in sight, keeps the cursor among them, and tells the rows to `onSight`. */
function useSight<T>({ columns, count, cursor, cells, onSight }: GridProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const remPx = useRemPx();
  // As in the styles; a head with something below its names is higher.
  const headRem = cells ? 2.5 : columns.some(({ below }) => below !== undefined) ? 3.375 : 1.875;
  const rowRem = cells ? 2.25 : 1.875;
  const headPx = headRem * remPx;
  const { drag, findWidths } = useColumnWidths(columns, remPx / 16);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowRem * remPx,
    overscan: 4,
    // Rows begin below the head, which stays above them.
    scrollMargin: headPx,
    scrollPaddingStart: headPx,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height of rows is another one
  useEffect(() => virtual.measure(), [virtual, remPx]);
  const rows = virtual.getVirtualItems();
  const firstRow = rows[0]?.index ?? 0;
  const lastRow = rows.at(-1)?.index ?? -1;
  useEffect(() => {
    if (lastRow >= 0) onSight?.(firstRow, lastRow);
  }, [firstRow, lastRow, onSight]);
  const measured = findWidths(virtual.scrollElement?.clientWidth ?? 0);
  const widthText = measured.join(' ');
  const widths = useMemo(() => widthText.split(' ').map(Number), [widthText]);
  const [leftPx, rightPx] = [sumFrozen(columns, widths, 'left'), sumFrozen(columns, widths, 'right')];
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => widths[index] ?? 0,
    overscan: 1,
    scrollPaddingStart: leftPx,
    scrollPaddingEnd: rightPx,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other widths are measured again
  useEffect(() => across.measure(), [across, widths]);
  const column = cells && cells.cursor.column + countBeside(columns);
  // biome-ignore lint/correctness/useExhaustiveDependencies: among more columns the cell stands elsewhere
  useEffect(() => {
    const cell = column !== undefined && scroller.current?.querySelector('[role=gridcell][data-cursor]');
    if (cell) {
      // A cell that stays in sight moves its row alone, which is wider than what is in sight.
      const part = cell.classList.contains('frozen') ? cell.parentElement : cell;
      part?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      return;
    }
    if (cursor >= 0) virtual.scrollToIndex(cursor, { align: 'auto' });
    if (column !== undefined) across.scrollToIndex(column, { align: 'auto' });
  }, [cursor, column, columns.length, virtual, across]);
  const inSight = across.getVirtualItems();
  const [first, last] = [inSight[0]?.index ?? 0, inSight.at(-1)?.index ?? -1];
  const isShared = cells !== undefined;
  const placed = useMemo(
    () => placeColumns(columns, widths, { first, last }, isShared),
    [columns, widths, first, last, isShared],
  );
  const whole = useMemo(
    () => placeColumns(columns, widths, { first: 0, last: columns.length - 1 }, isShared),
    [columns, widths, isShared],
  );
  const width = widths.reduce((sum, each) => sum + each, 0);
  const padding = isShared ? { scrollPadding: `${headRem}rem ${rightPx}px 0 ${leftPx}px` } : undefined;
  // Rows of cells are as high as their words need.
  const measure = cells && virtual.measureElement;
  const heightPx = virtual.getTotalSize();
  return { scroller, drag, headRem, headPx, rows, heightPx, width, placed, whole, padding, measure };
}

/** Follows the pointer, to a row or to a cell of the columns behind those `beside` the cells, and the keys of rows. */
function usePresses<T>(props: GridProps<T>, beside: number, focus: () => void) {
  const { label, count, cursor, onCursor, onMove, acts, cells, field, handle } = props;
  useImperativeHandle(handle, () => ({ focus }));
  useRowsFocus(label);
  const move = (by: number) => {
    focus();
    if (onMove) onMove(by);
    else onCursor?.(moveCursor(cursor, by, count));
  };
  useRowCommands(cells ? null : { ...acts, move, leaps: true });
  const choose = useNewest((index: number) => {
    focus();
    onCursor?.(index);
  });
  const onCell = useNewest((row: number, column: number, isExtended: boolean) => {
    if (!isExtended || !field) cells?.move({ row, column: column - beside, isExtended });
  });
  const onOpen = useNewest((row: number, column: number) => cells?.onOpen({ row, column: column - beside }));
  return { onChoose: cells ? undefined : choose, onCell, onOpen };
}

/**
 * A table of any length, of which only the rows in sight exist. One cursor, named to screen readers as the active row
 * or cell: `onCursor` makes it one on rows, `cells` one on cells. `rowAt` gives undefined for a row that is not here
 * yet; `onSight` hears which are wanted.
 */
export function Grid<T>(props: GridProps<T>) {
  const { label, columns, count, rowAt, cursor, cells, field, isSelected } = props;
  const id = useId();
  const { scroller, drag, headRem, headPx, rows, heightPx, width, placed, whole, padding, measure } = useSight(props);
  const beside = countBeside(columns);
  const { sorted, onSort } = props;
  const onDrag = cells ? undefined : drag;
  // The headings are not drawn again as the cursor moves.
  const head = useMemo(
    () => <GridHead placed={whole} width={width} heightRem={headRem} {...{ onDrag, sorted, onSort }} />,
    [whole, width, headRem, onDrag, sorted, onSort],
  );
  const pressed = usePresses(props, beside, () => scroller.current?.focus({ preventScroll: true }));
  return (
    <div
      ref={scroller}
      className={cells ? 'grid sheet' : 'grid'}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-multiselectable={cells ? true : undefined}
      aria-activedescendant={cells ? `${id}-cell` : cursor >= 0 ? `${id}-${cursor}` : undefined}
      tabIndex={0}
      style={padding}
      {...takesKeys}
      {...cells?.listeners}
    >
      {head}
      <div
        className="lines"
        role="rowgroup"
        style={{ width, minWidth: '100%', height: heightPx, position: 'relative' }}
      >
        {rows.map(({ index, start }) => {
          const row = rowAt(index);
          const isCursor = index === cursor;
          return (
            <GridRow
              key={index}
              id={id}
              index={index}
              start={start - headPx}
              row={row}
              placed={placed}
              whole={whole}
              isCursor={isCursor}
              cell={cells && isCursor ? cells.cursor.column + beside : -1}
              {...toChosen(cells?.range ?? null, index, beside)}
              field={cells && field?.row === index ? { ...field, column: field.column + beside } : null}
              isSelected={cells ? isCursor && !cells.range : row !== undefined && isSelected?.(row) === true}
              measure={measure}
              {...pressed}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The columns of a range that are in a row; none where `to` is below `from`. */
function toChosen(range: Range | null, row: number, beside: number): { from: number; to: number } {
  if (range === null || row < range.top || row > range.bottom) return { from: 0, to: -1 };
  return { from: range.left + beside, to: range.right + beside };
}

/** The number of columns before the first one that the cursor can be on. */
const countBeside = <T,>(columns: readonly GridColumn<T>[]) => columns.findIndex(({ isBeside }) => !isBeside);

const nameClasses = <T,>({ numeric, frozen, className = '' }: GridColumn<T>) =>
  `${numeric ? 'number ' : ''}${frozen ? 'frozen ' : ''}${className}`.trim() || undefined;

function findDirection(sort: string | undefined, sorted: string): 'ascending' | 'descending' | undefined {
  if (sort === undefined) return undefined;
  if (sorted === sort) return 'ascending';
  return sorted === `-${sort}` ? 'descending' : undefined;
}

type HeadProps<T> = {
  sorted: string | undefined;
  onSort: ((sorted: string) => void) | undefined;
  placed: readonly PlacedColumn<T>[];
  /** Drags the width of a column; undefined where widths follow from the contents. */
  onDrag: ((event: PointerEvent<HTMLElement>, id: string) => void) | undefined;
  width: number;
  heightRem: number;
};

function GridHead<T>({ placed, onDrag, width, heightRem, sorted = '', onSort }: HeadProps<T>) {
  return (
    <div className="head" role="rowgroup" style={{ width, minWidth: '100%' }}>
      <div role="row" aria-rowindex={1} style={{ height: `${heightRem}rem` }}>
        {placed.map(({ column, style }) => (
          <div
            key={column.id}
            role="columnheader"
            className={nameClasses(column)}
            aria-sort={findDirection(column.sort, sorted)}
            style={style}
            title={column.says ?? (column.head === undefined ? undefined : column.header)}
          >
            <Heading column={column} sorted={sorted} onSort={onSort} />
            {column.below}
            {onDrag && <span className="edge" aria-hidden="true" onPointerDown={(event) => onDrag(event, column.id)} />}
          </div>
        ))}
      </div>
    </div>
  );
}

type HeadingProps<T> = {
  column: GridColumn<T>;
  sorted: string;
  onSort: ((sorted: string) => void) | undefined;
};

/** The heading of a column: a button where the rows can be sorted by it, with an arrow where they are. */
function Heading<T>({ column: { sort, says, header, head = header }, sorted, onSort }: HeadingProps<T>) {
  if (sort === undefined || onSort === undefined) {
    if (says === undefined) return head;
    return <Figure says={says}>{head}</Figure>;
  }
  const direction = findDirection(sort, sorted);
  return (
    <button type="button" className="sort" title={says} onClick={() => onSort(turnSort(sorted, sort))}>
      <span className="clip">{head}</span>
      {direction === 'ascending' && <ArrowUp size={12} aria-hidden="true" />}
      {direction === 'descending' && <ArrowDown size={12} aria-hidden="true" />}
    </button>
  );
}

type RowProps<T> = {
  /** That of the grid. */
  id: string;
  index: number;
  start: number;
  row: T | undefined;
  placed: readonly PlacedColumn<T>[];
  /** All columns, for a row in which a cell takes the room of several. */
  whole: readonly PlacedColumn<T>[];
  isCursor: boolean;
  /** The column of a cursor on cells, and those of the range in this row; below 0 for none. */
  cell: number;
  from: number;
  to: number;
  field: CellField | null;
  isSelected: boolean;
  /** Hears of the row as it is drawn, where its height follows from its words. */
  measure: ((row: HTMLElement | null) => void) | undefined;
  onChoose: ((index: number) => void) | undefined;
  /** Moves to a cell, or extends the range to it. */
  onCell(row: number, column: number, isExtended: boolean): void;
  onOpen(row: number, column: number): void;
};

/** One row in sight; drawn again only where something of it changed. */
const GridRow = memo(function GridRow<T>(props: RowProps<T>) {
  const { id, index, start, row, placed, whole, isCursor, isSelected, measure, onChoose } = props;
  const hasSpan = row !== undefined && whole.some(({ column }) => (column.span?.(row) ?? 1) > 1);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid's own keys move the cursor
    <div
      ref={measure}
      id={`${id}-${index}`}
      data-index={index}
      role="row"
      tabIndex={onChoose ? -1 : undefined}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-cursor={onChoose && isCursor ? true : undefined}
      style={{ transform: `translateY(${start}px)` }}
      onClick={onChoose && (() => onChoose(index))}
    >
      {row === undefined ? (
        <div role="gridcell">…</div>
      ) : (
        (hasSpan ? spanColumns(row, whole) : placed).map((each) => drawCell(row, each, props))
      )}
    </div>
  );
}) as <T>(props: RowProps<T>) => ReactNode;

/** A cell of a row; one that the cursor can be on takes the pointer. No part of its own: a table has many. */
function drawCell<T>(row: T, { column, index: place, style, span = 1 }: PlacedColumn<T>, props: RowProps<T>) {
  const { id, index, cell, from, to, field, onChoose, onCell, onOpen } = props;
  const isEdited = field?.column === place;
  const shown = isEdited ? field.field : column.cell(row, index);
  const isCursor = cell >= place && cell < place + span;
  const pressed = !onChoose &&
    !column.isBeside && {
      'aria-selected': from < place + span && to >= place,
      onMouseDown: ({ shiftKey }: MouseEvent) => !isEdited && onCell(index, place, shiftKey),
      onMouseEnter: ({ buttons }: MouseEvent) => buttons === 1 && onCell(index, place, true),
      onDoubleClick: () => !isEdited && onOpen(index, place),
    };
  return (
    <div
      key={column.id}
      id={isCursor ? `${id}-cell` : undefined}
      role="gridcell"
      aria-colindex={place + 1}
      aria-colspan={span > 1 ? span : undefined}
      className={isEdited ? `${nameClasses(column)} edited` : nameClasses(column)}
      data-cursor={isCursor ? true : undefined}
      style={style}
      // Text that the width cuts off can be read on hover.
      title={column.title?.(row) ?? (typeof shown === 'string' ? shown : undefined)}
      {...pressed}
    >
      {shown}
    </div>
  );
}
