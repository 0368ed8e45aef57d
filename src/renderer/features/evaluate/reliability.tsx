import type { Metrics } from '../../../engine/domain/metrics.ts';
import { formatShare } from '../../../engine/measure/format-share.ts';
import { Chart } from '../../parts/charts/chart.tsx';
import { Part } from '../../parts/notes.tsx';
import { number, percent } from '../../parts/text/figures.ts';

type Bin = Metrics['reliability'][number];

/** Shows whether the classifier is right as often as its confidence says. */
export function Reliability({ bins }: { bins: readonly Bin[] }) {
  const all = bins.reduce((sum, { count }) => sum + count, 0);
  const off = bins.filter(({ confidence, accuracy_interval: { low, high } }) => confidence < low || confidence > high);
  const largest = bins.reduce((best, bin) => (bin.count > best.count ? bin : best));
  const { low, high } = largest.accuracy_interval;
  return (
    <Part title="Is 90% sure right 90 times in 100?">
      <Chart
        rows={bins}
        columns={[
          { name: 'Confidence', show: (bin) => `${formatShare(bin.low)} to ${formatShare(bin.high)}` },
          { name: 'Rows', show: ({ count }) => number(count) },
          { name: 'Said', show: ({ confidence }) => percent(confidence) },
          { name: 'Correct', show: ({ accuracy }) => percent(accuracy) },
          { name: 'From', show: (bin) => percent(bin.accuracy_interval.low) },
          { name: 'To', show: (bin) => percent(bin.accuracy_interval.high) },
        ]}
        x={{ name: 'Confidence', show: formatShare, domain: [0, 1], from: (bin) => bin.low, to: (bin) => bin.high }}
        y={{ name: 'Correct', show: formatShare, domain: [0, 1] }}
        bars={{ series: [{ colour: 'var(--chosen)', of: ({ accuracy }) => accuracy }] }}
        lines={[
          { colour: 'var(--muted)', of: ({ confidence }) => confidence, drawn: 'dashed' },
          {
            colour: 'var(--accent)',
            of: ({ accuracy }) => accuracy,
            interval: (bin) => bin.accuracy_interval,
            drawn: 'points',
          },
        ]}
        says={`${off.length === 0 ? 'Yes, as far as can be seen.' : `Not everywhere: ${off.length} of ${bins.length} steps lie off the dashed line.`} Of ${number(largest.count)} among ${number(all)} unseen examples the classifier said ${formatShare(largest.confidence)}, and ${formatShare(largest.accuracy)} were right (${formatShare(low)} to ${formatShare(high)}). Dashed: as often as it says.`}
      />
    </Part>
  );
}
