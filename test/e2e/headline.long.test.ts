/** One figure says how good a policy is, wherever it stands, and follows a threshold while that is dragged. */
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatShare } from '../../src/engine/numeric.ts';
import { quoteNames } from '../../src/renderer/parts/text/names.ts';
import { goToAddress, goToPlace, openWindow, pictures, type Window, waitForQuiet } from './tools/browser-page.ts';
import { startSample } from './tools/sample.ts';
import type { RunningWorkbench } from './tools/workbench-process.ts';

type Whole = {
  headline: string;
  accuracy: { count: number; share: number };
  confusion_labels: string[];
  confusion_matrix: number[][];
  per_class: Record<string, { precision: number; recall: number }>;
  confidence_thresholds: { auto_decide: number; escalation: number };
};

let workbench: RunningWorkbench;
let type: string;
let base: string;
let opened: Window;

beforeAll(async () => {
  const sample = await startSample();
  ({ workbench, type } = sample);
  base = `${sample.path}/policies/${sample.policyId}`;
  opened = await openWindow(workbench, `#/types/${type}/train`, { reducedMotion: 'reduce' });
});
afterAll(async () => {
  await opened?.close();
  await workbench?.stop();
});

const measure = async (query = '') => (await workbench.call<Whole>('GET', `${base}/whole-decision${query}`)).body;
const readMatrix = () =>
  opened.page
    .getByRole('table', { name: 'Right options against decided ones' })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].slice(0, -1).map((cell) => Number(cell.textContent))),
    );

describe('the headline', () => {
  test('is one figure in bar, rail, Train, Evaluate, Deploy and the API', async () => {
    const { page } = opened;
    const { headline, accuracy } = await measure();
    const figure = formatShare(accuracy.share);
    const words = quoteNames(headline);
    for (const place of ['Train', 'Evaluate', 'Deploy']) {
      await goToPlace(page, place);
      await page.getByRole('main').getByRole('img', { name: words }).waitFor();
      expect(await page.getByTitle(words).filter({ hasText: figure }).count()).toBe(2);
    }
    const [policy] = (await workbench.call<{ whole: Whole }[]>('GET', base.replace(/\/[^/]+$/, ''))).body;
    expect(policy?.whole.headline).toBe(headline);
  });

  test('follows a threshold that is dragged, as matrix and options do, and nothing is stored', async () => {
    const { page } = opened;
    const before = await measure();
    await goToAddress(page, `#/types/${type}/evaluate`);
    await waitForQuiet(page);
    expect(await readMatrix()).toEqual(before.confusion_matrix);
    const [from, to] = await Promise.all(
      ['Fall back below', 'Decide directly from'].map(async (name) => {
        const handle = page.getByRole('slider', { name });
        await handle.scrollIntoViewIfNeeded();
        return handle.boundingBox();
      }),
    );
    if (!from || !to) throw new Error('the handles are not in sight');
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + 400, to.y + to.height / 2, { steps: 12 });
    await page.mouse.up();
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + 400, from.y + from.height / 2, { steps: 12 });
    const low = Number(await page.getByRole('slider', { name: 'Fall back below' }).getAttribute('aria-valuenow'));
    const high = Number(await page.getByRole('slider', { name: 'Decide directly from' }).getAttribute('aria-valuenow'));
    expect(low).toBeGreaterThan(before.confidence_thresholds.escalation);
    const tried = await measure(`?auto_decide=${high}&escalation=${low}`);
    expect(tried.confusion_matrix).not.toEqual(before.confusion_matrix);
    // The button is still down.
    await page
      .getByRole('region', { name: 'How much to automate' })
      .getByRole('img', { name: quoteNames(tried.headline) })
      .waitFor();
    await expect.poll(readMatrix).toEqual(tried.confusion_matrix);
    await page.mouse.up();
    const options = page.getByRole('region', { name: 'Each option' });
    for (const [option, { precision, recall }] of Object.entries(tried.per_class)) {
      const cells = await options.getByRole('row').filter({ hasText: option }).getByRole('cell').allTextContents();
      expect(cells.slice(1, 3)).toEqual([precision, recall].map((share) => `${(100 * share).toFixed(1)}%`));
    }
    expect((await measure()).confidence_thresholds).toEqual(before.confidence_thresholds);

    await page.reload();
    await page
      .getByRole('region', { name: 'How much to automate' })
      .getByRole('img', { name: quoteNames(tried.headline) })
      .waitFor();
    await page.getByRole('button', { name: 'Back to the thresholds in use' }).click();
    await page
      .getByRole('region', { name: 'How much to automate' })
      .getByRole('img', { name: quoteNames(before.headline) })
      .waitFor();
  });

  test.each([
    ['light', 1024, 700],
    ['dark', 1024, 700],
    ['light', 1440, 900],
    ['dark', 1440, 900],
    ['light', 2560, 1440],
    ['dark', 2560, 1440],
  ] as const)('is whole in %s at %i × %i', async (colorScheme, width, height) => {
    const { page } = opened;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    for (const place of ['Evaluate', 'Deploy']) {
      await goToPlace(page, place);
      await waitForQuiet(page);
      const words = page.getByRole('main').getByRole('img', { name: quoteNames((await measure()).headline) });
      expect(await words.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(1);
      await page.screenshot({ path: resolve(pictures, `headline-${place}-${colorScheme}-${width}.png`) });
    }
  });

  test('shows nothing that went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
