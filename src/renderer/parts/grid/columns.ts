/** The columns of a grid: how wide each is, and which are drawn where. */
import { type CSSProperties, type PointerEvent, type ReactNode, useState } from 'react';
import { useNewest } from '../hooks/use-newest.ts';

/** A column: its heading, its first width in pixels of a small window, and what it shows of a row. */
export type GridColumn<T> = {
  id: string;
  header: string;
  width: number;
  numeric?: boolean;
  /** Names the column to the styles. */
  className?: string;
  /** A sentence on its values, shown on hover and on keyboard focus. */
  says?: string;
  /** The sort order behind its heading; left out where rows cannot be sorted by it. */
  sort?: string;
  /** The heading as it is shown, where it is more than the text. */
  head?: ReactNode;
  below?: ReactNode;
  /** Takes the width that the others leave. */
  grows?: boolean;
  /** The side at which it stays in sight. */
  frozen?: 'left' | 'right';
  cell(row: T, index: number): ReactNode;
  /** Stands beside the cells: a cursor on cells does not go there. */
  isBeside?: boolean;
  /** The number of columns that the cell of a row takes, this one included. */
  span?(row: T): number;
  /** A sentence on the cell of a row, shown on hover. */
  title?(row: T): string | undefined;
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

const minDraggedPx = 40;

/** How wide each column is in a scroller of some width: as dragged, or as one that grows. */
export function useColumnWidths<T>(columns: readonly GridColumn<T>[], scale: number) {
  const [dragged, setDragged] = useState<Readonly<Record<string, number>>>({});
  const findWidths = (room: number) => {
    const sizes = columns.map(({ id, width }) => dragged[id] ?? width * scale);
    const at = columns.findIndex(({ grows }) => grows);
    const isFitted = room > 0 && dragged[columns[at]?.id ?? ''] === undefined;
    return sizes.map((size, index) => (index === at && isFitted ? fitGrowing(sizes, at, room) : size));
  };
  /** Moves the right edge of a column, pressed where it is, with the pointer. */
  const drag = ({ currentTarget: edge, pointerId, clientX: from }: PointerEvent<HTMLElement>, id: string) => {
    const width = edge.parentElement?.offsetWidth ?? 0;
    edge.setPointerCapture(pointerId);
    edge.onpointermove = ({ clientX }) =>
      setDragged((old) => ({ ...old, [id]: Math.max(minDraggedPx, width + clientX - from) }));
    edge.onlostpointercapture = () => {
      edge.onpointermove = null;
    };
  };
  return { findWidths, drag: useNewest(drag) };
}

/** A column that is drawn, with its place among all and the number of those whose room it takes, 1 if left out. */
export type PlacedColumn<T> = { column: GridColumn<T>; index: number; style: CSSProperties; span?: number };

/** The width of the columns `from` one to before another that stay in sight at a side. */
export const sumFrozen = <T>(
  columns: readonly GridColumn<T>[],
  widths: readonly number[],
  side: 'left' | 'right',
  from = 0,
  to = columns.length,
) => widths.slice(from, to).reduce((sum, width, at) => (columns[from + at]?.frozen === side ? sum + width : sum), 0);

/**
 * The columns that stay in sight and those from `first` to `last`, each with the room of those left out before it. All
 * together share what room is left if `isShared`.
 */
export function placeColumns<T>(
  columns: readonly GridColumn<T>[],
  widths: readonly number[],
  { first, last }: { first: number; last: number },
  isShared: boolean,
): PlacedColumn<T>[] {
  const isWhole = last - first + 1 === columns.length;
  let gap = 0;
  return columns.flatMap((column, index) => {
    const { frozen } = column;
    const width = widths[index] ?? 0;
    if (!frozen && (index < first || index > last)) {
      gap += width;
      return [];
    }
    const style: CSSProperties = { width, marginLeft: gap, flexGrow: isShared && isWhole ? width : 0 };
    gap = 0;
    if (frozen === 'left') style.left = sumFrozen(columns, widths, 'left', 0, index);
    if (frozen === 'right') style.right = sumFrozen(columns, widths, 'right', index + 1);
    return [{ column, index, style }];
  });
}

/** The columns of a row, of which one may take the room of those behind it. */
export function spanColumns<T>(row: T, placed: readonly PlacedColumn<T>[]): PlacedColumn<T>[] {
  let end = 0;
  return placed.flatMap((each, at) => {
    if (each.index < end) return [];
    const span = each.column.span?.(row) ?? 1;
    end = each.index + span;
    const width = placed
      .slice(at)
      .reduce((sum, { index, style }) => (index < end ? sum + Number(style.width) : sum), 0);
    return [{ ...each, span, style: { ...each.style, width, flexGrow: each.style.flexGrow ? width : 0 } }];
  });
}
