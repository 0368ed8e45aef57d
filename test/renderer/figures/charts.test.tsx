/** Charts as those read them who do not see them: by the sentence below, and as a table. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Metrics } from '../../../src/engine/domain/metrics.ts';
import { drawChart } from '../../../src/renderer/parts/charts/drawing.ts';
import { number, percent } from '../../../src/renderer/parts/text/figures.ts';
import { prepareClaims } from '../claims.ts';
import { claims } from '../deployed.ts';

const { serve, openPlace } = prepareClaims();

/** Waits for a chart of a part of the page; gives its table, a list of cells for each row. */
async function readChart(part: string, place = 0): Promise<string[][]> {
  const region = await screen.findByRole('region', { name: part });
  const chart = () => region.querySelectorAll('figure.chart')[place];
  await waitFor(() => expect(chart()?.querySelector('svg :is(path, rect)')).not.toBeNull());
  const find = (selector: string) => chart()?.querySelector(selector);
  // A native disclosure: the keyboard reaches and opens it in every browser.
  expect(find('details > summary')?.textContent).toBe('As a table');
  expect(find('[role=img]')?.getAttribute('aria-labelledby')).toBe(find('figcaption')?.id);
  return [...(chart()?.querySelectorAll('tbody tr') ?? [])].map((row) =>
    [...row.querySelectorAll('td')].map(({ textContent }) => textContent ?? ''),
  );
}

describe('bars', () => {
  it('are as many as rows that count: none where nothing is counted yet', () => {
    const countBars = (counts: readonly number[]) =>
      drawChart(
        {
          rows: counts.map((rows, at) => ({ rows, at })),
          columns: [],
          x: { name: 'Confidence', show: number, from: ({ at }) => at, to: ({ at }) => at + 1 },
          y: { name: 'Rows', show: number },
          bars: { series: [{ colour: 'red', of: ({ rows }) => rows }] },
        },
        ...([400, 16, false] as const),
      ).querySelectorAll('[aria-label=rect] rect').length;
    expect(countBars([0, 2, 0, 5])).toBe(2);
    expect(countBars([0, 0, 0, 0])).toBe(0);
  });
});

describe('the charts of Evaluate', () => {
  it('say as a table how sure decisions are, how sure they may be, and what examples brought [CHA-1]', async () => {
    const { call, policyUrl } = await openPlace('evaluate');
    const metrics: Metrics = (await call('GET', policyUrl)).body.metrics;
    const { confidence_bins: bins } = (await call('GET', `${policyUrl}/whole-decision`)).body;
    const sure = await readChart('How much to automate');
    expect(sure.map((cells) => cells.slice(1))).toEqual(
      bins.map(({ right, wrong }: { right: number; wrong: number }) => [number(right), number(wrong)]),
    );
    const calibrated = await readChart('Is 90% sure right 90 times in 100?');
    expect(calibrated.map((cells) => cells.slice(1))).toEqual(
      metrics.reliability.map(({ count, confidence, accuracy, accuracy_interval: { low, high } }) => [
        number(count),
        ...[confidence, accuracy, low, high].map(percent),
      ]),
    );
    const learned = await readChart('Would more examples help?');
    expect(learned.map(([examples, right]) => [examples, right])).toEqual(
      metrics.learning_curve?.points.map((point) => [number(point.train_size), percent(point.accuracy)]),
    );
    const [low, high] = learned.at(-1)?.slice(2) ?? [];
    const all = metrics.accuracy_interval ?? { low: 0, high: 0 };
    expect([low, high]).toEqual([percent(all.low), percent(all.high)]);
  });

  it('say what decisions cost wherever the threshold stands [CHA-2]', async () => {
    const { call, policyUrl } = await openPlace('evaluate', { settings: { costs: { look: 3, wrong: 400 } } });
    const { curve } = (await call('GET', `${policyUrl}/costs`)).body;
    const costs = await readChart('How much to automate', 1);
    expect(costs).toHaveLength(curve.length);
    expect(costs[0]?.[0]).toBe('0.00');
    expect(costs.at(-1)?.[1]).toBe(number(Math.round(curve.at(-1).per_1000)));
  });
});

describe('the chart of Monitor', () => {
  it('shows decisions by option and the share that needs review, by the hour where there are few days [CHA-4]', async () => {
    const { call, url, show } = await serve();
    const items = [95, 12, 11].map((proof) => ({ decision_type: claims.name, input: { proof, amount: 500 } }));
    await call('POST', '/api/v1/decide/batch', items);
    show('monitor');
    await waitFor(async () => expect(await readChart('decisions in 14 days')).toHaveLength(12));
    const rows = await readChart('decisions in 14 days');
    // The newest hour with a decision: another may have begun since.
    const hour = rows.findLast(([, total]) => total !== '0');
    expect(hour?.[0]).toMatch(/, \d{1,2}:00\b/);
    const { decision_distribution: today } = (await call('GET', `${url}/metrics`)).body;
    const options = Object.values<number>(today).sort((a, b) => b - a);
    expect(hour?.slice(1, 2 + options.length)).toEqual(['3', ...options.map(number)]);
    const { escalation_rate } = (await call('GET', `${url}/metrics`)).body;
    // One hour is no line: its share stands alone.
    expect(screen.getByRole('region', { name: 'need review' }).textContent).toContain(percent(escalation_rate));
    fireEvent.change(screen.getByLabelText('Period'), { target: { value: '30' } });
    await waitFor(async () => expect(await readChart('decisions in 30 days')).toHaveLength(12));
    expect(screen.getByRole('grid', { name: 'Decisions' })).toBeTruthy();
  });
});
