/** The specification of a chart: its rows, and how each is drawn and described. Drawing and table share the rows. */
export type ChartSpec<Row> = {
  rows: readonly Row[];
  /** The columns of the table; the first one names the row. */
  columns: readonly { name: string; show(row: Row): string }[];
  /** Where a row begins and, if it covers a span, ends; a `Date` is drawn along time in UTC. */
  x: Axis & { from(row: Row): number | Date; to?(row: Row): number | Date };
  y: Axis;
  /** Bars from the ground up, the first series lowest; `isFaint` mutes a row's bars. */
  bars?: { series: readonly Series<Row>[]; isFaint?(row: Row): boolean };
  /** Lines through the middle of the rows, with the interval of each value where it has one. */
  lines?: readonly Line<Row>[];
  /** Values that hold for the whole chart, such as a threshold or what is reached without a model. */
  guides?: readonly { axis: 'x' | 'y'; at: number; name: string }[];
};

type Axis = { name: string; show(value: number): string; domain?: readonly [number, number] };
type Series<Row> = { colour: string; of(row: Row): number };
type Line<Row> = {
  colour: string;
  of(row: Row): number;
  interval?(row: Row): { low: number; high: number };
  /** Points are joined, or not; a line without points has too many of them, a dashed one is what is expected. */
  drawn: 'points and line' | 'points' | 'line' | 'dashed';
};

/** The margins of the drawing in rem, so that things below it can line up with its values. */
export const chartMarginsRem = { left: 2.75, right: 0.875, top: 1.375, bottom: 2.125 };
export const chartHeightRem = { usual: 10.5, low: 7.5 };
