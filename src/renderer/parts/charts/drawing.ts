/** The drawing of a chart. Only this file knows the library, so that it is loaded with the first chart. */
import * as Plot from '@observablehq/plot';
import { shorten } from '../text/inputs.ts';
import { type ChartSpec, chartHeightRem, chartMarginsRem } from './chart-spec.ts';

const maxTicks = 4;
/** The room that a day or an hour below an axis takes. */
const tickRem = 4.5;
/** Characters of a name in the note at the pointer, which what scrolls around a chart would cut. */
const maxTipName = 24;

/** Draws a chart in this many pixels, at a size of type; colours are values of CSS, so that it follows the theme. */
export function drawChart<Row>(spec: ChartSpec<Row>, widthPx: number, remPx: number, isLow: boolean): Element {
  const { x, y, guides = [] } = spec;
  const drawing = Plot.plot({
    width: widthPx,
    height: chartHeightRem[isLow ? 'low' : 'usual'] * remPx,
    marginLeft: chartMarginsRem.left * remPx,
    marginRight: chartMarginsRem.right * remPx,
    marginTop: chartMarginsRem.top * remPx,
    marginBottom: chartMarginsRem.bottom * remPx,
    style:
      '--plot-background: var(--pane); color: var(--muted); font: inherit; font-size: 0.6875rem; overflow: visible',
    x: { ...toScale(x), grid: false, ...toDays(spec, widthPx / remPx) },
    // Bars that are all empty have no height of their own to scale to.
    y: { ...toScale(isEmpty(spec) ? { ...y, domain: [0, 1] } : y), grid: true },
    color: { type: 'identity' },
    opacity: { type: 'identity' },
    marks: [markBars(spec), markLines(spec), markGuides(guides), markTip(spec)],
  });
  // Its content is described beside it, and of each row in the table.
  drawing.setAttribute('aria-hidden', 'true');
  return drawing;
}

/** Along time, some of the rows begin with a tick: days of their own choice would stand too close in a small chart. */
function toDays<Row>({ rows, x }: ChartSpec<Row>, widthRem: number): Plot.ScaleOptions {
  const starts = rows.map(x.from);
  if (!(starts[0] instanceof Date)) return {};
  const axisRem = widthRem - chartMarginsRem.left - chartMarginsRem.right;
  const most = Math.min(maxTicks, Math.max(2, Math.floor(axisRem / tickRem)));
  const step = Math.ceil(starts.length / most);
  return { ticks: starts.filter((_, place) => place % step === 0) };
}

const endOf = <Row>({ x }: ChartSpec<Row>) => x.to ?? x.from;

function middleOf<Row>(spec: ChartSpec<Row>) {
  const end = endOf(spec);
  return (row: Row) => {
    const [from, to] = [spec.x.from(row), end(row)];
    return from instanceof Date || to instanceof Date ? new Date((+from + +to) / 2) : (from + to) / 2;
  };
}

function markBars<Row>(spec: ChartSpec<Row>): Plot.Markish {
  const { rows, x, bars } = spec;
  const end = endOf(spec);
  const all = bars?.series.flatMap((series) => rows.map((row) => ({ row, series }))) ?? [];
  // On a scale from nothing to nothing, bars of nothing would be as high as the drawing.
  const stacked = all.filter(({ row, series }) => series.of(row) !== 0);
  return Plot.rectY(stacked, {
    x1: ({ row }) => x.from(row),
    x2: ({ row }) => end(row),
    y: ({ row, series }) => series.of(row),
    fill: ({ series }) => series.colour,
    fillOpacity: ({ row }) => (bars?.isFaint?.(row) ? 0.4 : 1),
    inset: 0.5,
  });
}

function markLines<Row>(spec: ChartSpec<Row>): Plot.Markish[] {
  const middle = middleOf(spec);
  const rows = [...spec.rows];
  return (spec.lines ?? []).map(({ colour, of, interval, drawn }) => [
    interval && markBand(spec, interval, colour, drawn === 'points'),
    drawn === 'points'
      ? null
      : Plot.lineY(rows, {
          x: middle,
          y: of,
          stroke: colour,
          strokeDasharray: drawn === 'dashed' ? '3 4' : 'none',
        }),
    drawn.startsWith('points') ? Plot.dot(rows, { x: middle, y: of, fill: colour, r: 2.5 }) : null,
  ]);
}

/** The interval of each value: a band along a line, and where points are not joined a box as wide as its row. */
function markBand<Row>(
  spec: ChartSpec<Row>,
  interval: (row: Row) => { low: number; high: number },
  fill: string,
  isApart: boolean,
): Plot.Markish {
  const ends = {
    y1: (row: Row) => interval(row).low,
    y2: (row: Row) => interval(row).high,
    fill,
    fillOpacity: 0.18,
  };
  return isApart
    ? Plot.rectY([...spec.rows], { x1: spec.x.from, x2: endOf(spec), inset: 0.5, ...ends })
    : Plot.areaY([...spec.rows], { x: middleOf(spec), ...ends });
}

function markGuides(guides: NonNullable<ChartSpec<never>['guides']>): Plot.Markish[] {
  // Names of two guides that stand close to each other are written away from each other.
  const upright = guides.flatMap(({ axis, at }) => (axis === 'x' ? [at] : []));
  const sideOf = (at: number) => (upright.every((each) => each <= at) ? 'start' : 'end');
  return guides.map(({ axis, at, name }) =>
    axis === 'x'
      ? [
          Plot.ruleX([at], { stroke: 'var(--text)', strokeWidth: 2 }),
          Plot.text([at], {
            x: at,
            text: () => name,
            frameAnchor: 'top',
            dy: -14,
            textAnchor: sideOf(at),
            fill: 'var(--text)',
          }),
        ]
      : [
          Plot.ruleY([at], { stroke: 'var(--muted)', strokeDasharray: '2 3' }),
          Plot.text([at], { y: at, text: () => name, frameAnchor: 'right', textAnchor: 'end', dy: -7 }),
        ],
  );
}

function markTip<Row>(spec: ChartSpec<Row>): Plot.Markish {
  return Plot.tip(
    [...spec.rows],
    Plot.pointerX({
      x: middleOf(spec),
      title: (row: Row) =>
        spec.columns.map(({ name, show }) => `${shorten(name, maxTipName)}: ${show(row)}`).join('\n'),
      frameAnchor: 'top',
      fill: 'var(--pane)',
      stroke: 'var(--line-soft)',
    }),
  );
}

const isEmpty = <Row>({ rows, bars }: ChartSpec<Row>) =>
  bars !== undefined && rows.every((row) => bars.series.every(({ of }) => of(row) === 0));

function toScale({ name, show, domain }: Omit<ChartSpec<never>['y'], 'of'>): Plot.ScaleOptions {
  return {
    label: name,
    labelArrow: 'none',
    ticks: maxTicks,
    tickFormat: (value: number | Date) => show(+value),
    ...(domain ? { domain: [...domain] } : {}),
  };
}
