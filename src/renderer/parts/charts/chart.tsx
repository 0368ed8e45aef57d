import './charts.css';
import { useElementSize, useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useRemPx } from '../panes.tsx';
import { PlainTable } from '../plain-table.tsx';
import type { ChartSpec } from './chart-spec.ts';

const widthBeforeLayoutPx = 600;

type ChartProps<Row> = ChartSpec<Row> & {
  says: ReactNode;
  /** Stands between drawing and sentence: what the colours mean, or handles below their values. */
  below?: ReactNode;
};

/** A drawing with a sentence on its content, and its figures as a table for readers who cannot see or point. */
export function Chart<Row>({ says, below, ...spec }: ChartProps<Row>) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const { ref, width } = useElementSize();
  const remPx = useRemPx();
  const isLow = useMediaQuery('(max-height: 760px)', false, { getInitialValueInEffect: false });
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    let isOver = false;
    const show = ({ drawChart }: typeof import('./drawing.ts')) => {
      const drawn = drawChart(spec, width || widthBeforeLayoutPx, remPx, isLow);
      // An unchanged drawing stays, under the pointer too.
      if (!isOver && place.current?.firstElementChild?.isEqualNode(drawn) !== true)
        place.current?.replaceChildren(drawn);
    };
    // Without the drawing, the table says the same; the next change tries again.
    import('./drawing.ts').then(show, () => setLost(true));
    return () => {
      isOver = true;
    };
  });
  return (
    <figure className="chart">
      <div ref={ref}>
        <div ref={place} role="img" aria-labelledby={id} className={isLost ? 'hidden' : 'drawing'} />
      </div>
      {below}
      <figcaption id={id} className="muted small">
        {says}
      </figcaption>
      <details open={isLost || undefined}>
        <summary className="small">As a table</summary>
        <PlainTable heads={spec.columns.map(({ name }) => name)}>
          {spec.rows.map((row, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row of the chart is its place
            <tr key={place}>
              {spec.columns.map(({ name, show }) => (
                <td key={name} className="number">
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
        </PlainTable>
      </details>
    </figure>
  );
}
