import {
  columnResizingFeature,
  columnSizingFeature,
  createColumnHelper,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { memo, type ReactNode, type Ref, useEffect, useId, useImperativeHandle, useMemo, useRef } from 'react';
import { takesKeys, useRowsFocus } from '../commands/key-focus.ts';
import { Figure } from './figure.tsx';
import { useNewest } from './hooks/use-newest.ts';
import { useRemPx } from './panes.tsx';

const features = tableFeatures({ columnSizingFeature, columnResizingFeature });
const helper = createColumnHelper<typeof features, object>();
/** The table model knows the columns and their widths; rows are asked for one by one, as they come in sight. */
const noRows: object[] = [];
const rowHeightRem = 1.875;
/** The height of headings with something below them. */
const tallHeadRem = 3.375;

/** A column: its heading, its first width in pixels of a small window, and what it shows of a row. */
export type GridColumn<T> = {
  id: string;
  header: string;
  width: number;
  numeric?: boolean;
  /** A sentence on its values, shown on hover and on keyboard focus. */
  says?: string;
  /** The sort order behind its heading; left out where rows cannot be sorted by it. */
  sort?: string;
  below?: ReactNode;
  /** Takes the width that the others leave. */
  grows?: boolean;
  cell(row: T, index: number): ReactNode;
};

export type GridHandle = { focus(): void };

/** The order after a heading is pressed: ascending, then descending (`-` in front), then none. */
function turnSort(sorted: string, sort: string): string {
  if (sorted === sort) return `-${sort}`;
  return sorted === `-${sort}` ? '' : sort;
}

type GridProps<T> = {
  label: string;
  columns: readonly GridColumn<T>[];
  count: number;
  rowAt(index: number): T | undefined;
  /** Index of the cursor; below 0 while there is none. */
  cursor: number;
  onCursor(index: number): void;
  onRange?: (first: number, last: number) => void;
  isSelected?: (row: T) => boolean;
  /** The `sort` of the column that orders the rows, with `-` in front for descending; empty without one. */
  sorted?: string;
  onSort?: (sorted: string) => void;
  handle?: Ref<GridHandle>;
};

/** The least and the most of its own width that a column which grows has where not all columns fit. */
const [leastGrown, mostGrown] = [0.6, 1.5];

/** The width of a column that grows: what is left beside those behind it that fit whole, so that none is cut. */
function fitGrowing(sizes: readonly number[], at: number, room: number): number {
  const own = sizes[at] ?? 0;
  let left = room - sizes.slice(0, at).reduce((sum, size) => sum + size, 0);
  for (const size of sizes.slice(at + 1)) {
    if (left - size < own * leastGrown) return Math.min(left, own * mostGrown);
    left -= size;
  }
  return left;
}

/** How wide each column is in a scroller of this width: as dragged, or as one that grows. */
function useColumnWidths<T>(columns: readonly GridColumn<T>[], scale: number) {
  const definitions = useMemo(
    () =>
      columns.map(({ id: columnId, header, width }) =>
        helper.display({ id: columnId, header, size: width * scale, minSize: 40 }),
      ),
    [columns, scale],
  );
  const table = useTable({ features, columns: definitions, data: noRows, columnResizeMode: 'onChange' });
  const headers = table.getHeaderGroups()[0]?.headers ?? [];
  const findWidths = (scrollerWidth: number) => {
    const sizes = headers.map((header) => header.getSize());
    const at = columns.findIndex(({ grows }) => grows);
    const isDragged = sizes[at] !== headers[at]?.column.columnDef.size;
    const fitted = at < 0 || scrollerWidth === 0 || isDragged ? null : fitGrowing(sizes, at, scrollerWidth);
    return sizes.map((size, index) => (index === at && fitted !== null ? fitted : size));
  };
  return { headers, findWidths };
}

function hasTallHead<T>(columns: readonly GridColumn<T>[]): boolean {
  return columns.some(({ below }) => below !== undefined);
}

/** Finds which rows and columns are in sight, keeps the cursor's row among them, and tells the rows to `onRange`. */
function useSight<T>({ columns, count, cursor, onRange }: GridProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const remPx = useRemPx();
  const { headers, findWidths } = useColumnWidths(columns, remPx / 16);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeightRem * remPx,
    overscan: 4,
    scrollPaddingStart: (hasTallHead(columns) ? tallHeadRem : rowHeightRem) * remPx,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height of rows is another one
  useEffect(() => virtual.measure(), [virtual, remPx]);
  const rows = virtual.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= 0) onRange?.(first, last);
  }, [first, last, onRange]);
  useEffect(() => {
    if (cursor >= 0) virtual.scrollToIndex(cursor, { align: 'auto' });
  }, [cursor, virtual]);
  const widths = findWidths(virtual.scrollElement?.clientWidth ?? 0);
  const widthText = widths.join(' ');
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => widths[index] ?? 0,
    overscan: 1,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the widths
  useEffect(() => across.measure(), [across, widthText]);
  return { scroller, headers, widths, rows, heightPx: virtual.getTotalSize(), inSight: across.getVirtualItems() };
}

/**
 * A table of any length, of which only the rows in sight exist. One cursor: the row that keys act on, named to screen
 * readers as the active one. `rowAt` gives undefined for a row that is not here yet; `onRange` hears which are wanted.
 */
export function DataGrid<T>(props: GridProps<T>) {
  const { label, columns, count, rowAt, cursor, onCursor, isSelected, sorted = '', onSort, handle } = props;
  const id = useId();
  const { scroller, headers, widths, rows, heightPx, inSight } = useSight(props);
  useImperativeHandle(handle, () => ({ focus: () => scroller.current?.focus() }), [scroller]);
  useRowsFocus(label);
  const choose = useNewest((index: number) => {
    scroller.current?.focus();
    onCursor(index);
  });
  const widthText = widths.join(' ');
  const width = widths.reduce((sum, each) => sum + each, 0);
  return (
    <div
      ref={scroller}
      className="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-activedescendant={cursor >= 0 ? `${id}-${cursor}` : undefined}
      tabIndex={0}
      {...takesKeys}
    >
      <div className="head" role="rowgroup" style={{ width, minWidth: '100%' }}>
        <div role="row" aria-rowindex={1} style={hasTallHead(columns) ? { height: `${tallHeadRem}rem` } : undefined}>
          {headers.map((header, index) => (
            <div
              key={header.id}
              role="columnheader"
              className={columns[index]?.numeric ? 'number' : undefined}
              aria-sort={findDirection(columns[index]?.sort, sorted)}
              style={{ width: widths[index] }}
              title={columns[index]?.says}
            >
              <Heading column={columns[index]} sorted={sorted} onSort={onSort} />
              {columns[index]?.below}
              <span
                className="edge"
                aria-hidden="true"
                onMouseDown={header.getResizeHandler()}
                onTouchStart={header.getResizeHandler()}
              />
            </div>
          ))}
        </div>
      </div>
      <div
        className="lines"
        role="rowgroup"
        style={{ height: heightPx, width, minWidth: '100%', position: 'relative' }}
      >
        {rows.map(({ index, start }) => {
          const row = rowAt(index);
          return (
            <GridRow
              key={index}
              id={`${id}-${index}`}
              index={index}
              start={start}
              row={row}
              columns={columns}
              widths={widthText}
              firstColumn={inSight[0]?.index ?? 0}
              lastColumn={inSight.at(-1)?.index ?? -1}
              indentPx={inSight[0]?.start ?? 0}
              isCursor={index === cursor}
              isSelected={row !== undefined && isSelected?.(row) === true}
              onChoose={choose}
            />
          );
        })}
      </div>
    </div>
  );
}

function findDirection(sort: string | undefined, sorted: string): 'ascending' | 'descending' | undefined {
  if (sort === undefined) return undefined;
  if (sorted === sort) return 'ascending';
  return sorted === `-${sort}` ? 'descending' : undefined;
}

type HeadingProps<T> = {
  column: GridColumn<T> | undefined;
  sorted: string;
  onSort: ((sorted: string) => void) | undefined;
};

/** The heading of a column: a button where the rows can be sorted by it, with an arrow where they are. */
function Heading<T>({ column, sorted, onSort }: HeadingProps<T>) {
  const sort = column?.sort;
  if (sort === undefined || onSort === undefined) {
    if (column?.says === undefined) return column?.header;
    return <Figure says={column.says}>{column.header}</Figure>;
  }
  const direction = findDirection(sort, sorted);
  return (
    <button type="button" className="sort" title={column?.says} onClick={() => onSort(turnSort(sorted, sort))}>
      <span className="clip">{column?.header}</span>
      {direction === 'ascending' && <ArrowUp size={12} aria-hidden="true" />}
      {direction === 'descending' && <ArrowDown size={12} aria-hidden="true" />}
    </button>
  );
}

type RowProps<T> = {
  id: string;
  index: number;
  start: number;
  row: T | undefined;
  columns: readonly GridColumn<T>[];
  /** The widths of the columns in pixels, joined by blanks: equal widths are equal texts. */
  widths: string;
  /** The columns in sight; those before them leave this much room. */
  firstColumn: number;
  lastColumn: number;
  indentPx: number;
  isCursor: boolean;
  isSelected: boolean;
  onChoose(index: number): void;
};

/** One row in sight; drawn again only where something of it changed. */
const GridRow = memo(function GridRow<T>(props: RowProps<T>) {
  const { id, index, start, row, columns, firstColumn, lastColumn, indentPx, isCursor, isSelected, onChoose } = props;
  const widths = props.widths.split(' ');
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid's own keys move the cursor
    <div
      id={id}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-cursor={isCursor ? true : undefined}
      style={{ transform: `translateY(${start}px)`, paddingLeft: indentPx }}
      onClick={() => onChoose(index)}
    >
      {row === undefined ? (
        <div role="gridcell">…</div>
      ) : (
        columns.slice(firstColumn, lastColumn + 1).map((column, place) => {
          const shown = column.cell(row, index);
          return (
            <div
              key={column.id}
              role="gridcell"
              aria-colindex={firstColumn + place + 1}
              className={column.numeric ? 'number' : undefined}
              style={{ width: `${widths[firstColumn + place]}px` }}
              // Text that the width cuts off can be read on hover.
              title={typeof shown === 'string' ? shown : undefined}
            >
              {shown}
            </div>
          );
        })
      )}
    </div>
  );
}) as <T>(props: RowProps<T>) => ReactNode;

/** The index after a move of the cursor, kept within the rows; -1 for an empty table. */
export function moveCursor(cursor: number, by: number, count: number): number {
  return count === 0 ? -1 : Math.min(count - 1, Math.max(0, cursor + by));
}
