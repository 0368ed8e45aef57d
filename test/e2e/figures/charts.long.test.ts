/** Charts as people look at them: in both themes and in windows of any size, and as tables by keyboard. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listViolations } from '../tools/axe.ts';
import { goToAddress, keepPicture, openWindow, type Window, waitForQuiet } from '../tools/browser-page.ts';
import { startSample } from '../tools/sample.ts';
import type { RunningWorkbench } from '../tools/workbench-process.ts';

const sizes = [
  { width: 1024, height: 700 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1440 },
];
const places = { evaluate: 4, monitor: 1 };

let workbench: RunningWorkbench;
let type: string;

beforeAll(async () => {
  const sample = await startSample();
  ({ workbench, type } = sample);
  await workbench.call('PUT', sample.path, { costs: { currency: '€', look: 1.5, wrong: 10 } });
  const { body } = await workbench.call<{ items: { input_payload: object }[] }>('GET', `${sample.path}/examples`);
  const items = body.items.map(({ input_payload: input }) => ({ decision_type: 'refund-requests', input }));
  expect((await workbench.call('POST', '/api/v1/decide/batch', items)).status).toBe(200);
});
afterAll(() => workbench?.stop());

/** How far the handles of the thresholds stand from their lines in the chart above, in whole pixels. */
const measureHandles = (page: Window['page']) =>
  page.evaluate(() => {
    const middleOf = (element: Element) => {
      const { left, width } = element.getBoundingClientRect();
      return left + width / 2;
    };
    const lines = [...document.querySelectorAll('.desk svg [aria-label="rule"]')].map(middleOf);
    return [...document.querySelectorAll('.desk [role=slider]')].map((handle, at) =>
      Math.abs(Math.trunc(middleOf(handle) - (lines[at] ?? Number.NaN))),
    );
  });

describe.each(['light', 'dark'] as const)('charts, %s', (theme) => {
  let opened: Window;
  beforeAll(async () => {
    opened = await openWindow(workbench, '#/', { colorScheme: theme, reducedMotion: 'reduce' });
  });
  afterAll(() => opened?.close());

  test.each(Object.entries(places))(
    'of %s fit their place in every window, and open as tables by keyboard [CHA-3]',
    async (place, charts) => {
      const { page, faults } = opened;
      await goToAddress(page, `#/types/${type}/${place}`);
      const drawn = page.locator('figure.chart [role=img] svg');
      await expect.poll(() => drawn.count()).toBe(charts);
      for (const fold of await page.locator('details > summary:not(.chart summary)').all()) await fold.press('Enter');
      for (const size of sizes) {
        await page.setViewportSize(size);
        await waitForQuiet(page);
        const areWithin = () =>
          drawn.evaluateAll((all) =>
            all.every((svg) => {
              const part = svg.closest('.part, .pane')?.getBoundingClientRect();
              const { left, right } = svg.getBoundingClientRect();
              return part !== undefined && left >= part.left && right <= part.right;
            }),
          );
        await expect.poll(areWithin).toBe(true);
        await expect.poll(() => measureHandles(page)).toEqual(place === 'evaluate' ? [0, 0] : []);
        for (let place = 0; place < charts; place++) await drawn.nth(place).scrollIntoViewIfNeeded();
        await keepPicture(page, `charts-${place.replace(/\W.*/, '')}-${size.width}-${theme}`);
      }
      for (const chart of await page.locator('figure.chart').all()) {
        await chart.getByText('As a table').focus();
        await page.keyboard.press('Enter');
        await chart.getByRole('table').waitFor();
      }
      expect(await listViolations(page)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );
});
