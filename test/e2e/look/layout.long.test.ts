/** Every place at the sizes that people have: zoomed to 200%, a small window, a large screen. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToAddress, isInSight, openWindow, type Window } from '../tools/browser-page.ts';
import { findCutTexts } from '../tools/legibility.ts';
import { startSample } from '../tools/sample.ts';
import type { RunningWorkbench } from '../tools/workbench-process.ts';

/** A window of 1280 × 800 at 200% has 640 × 400 pixels for the page. */
const zoomed = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 };
const small = { viewport: { width: 1024, height: 700 } };
const large = { viewport: { width: 2560, height: 1440 } };
const longName = `<b>refunds</b> ${'n'.repeat(80)}`;

let workbench: RunningWorkbench;
let typeId: string;

beforeAll(async () => {
  ({ workbench, type: typeId } = await startSample());
  await workbench.call('POST', '/api/v1/decision-types', { name: longName, options: ['a'.repeat(100), 'مرحبا', '🎈'] });
});
afterAll(() => workbench?.stop());

async function show({ page }: Window, hash: string): Promise<void> {
  await goToAddress(page, hash);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await expect.poll(() => page.locator('main [role=status].busy').count()).toBe(0);
}

const names = ['define', 'rules', 'examples?view=card', 'examples?view=table', 'import', 'train', 'evaluate', 'try'];
const places = [...names, 'deploy', 'monitor'];

describe.each([
  ['zoomed to 200%', zoomed],
  ['1024 × 700', small],
  ['2560 × 1440', large],
] as const)('%s', (_name, size) => {
  let opened: Window;
  beforeAll(async () => {
    opened = await openWindow(workbench, '#/', size);
  });
  afterAll(() => opened?.close());

  test('no place is wider than the window or under what cannot be closed, and what is cut off can be read on hover', async () => {
    const { page } = opened;
    for (const hash of ['#/', ...places.map((place) => `#/types/${typeId}/${place}`)]) {
      await show(opened, hash);
      const seen = await page.evaluate(() => {
        const path = document.querySelector('.bar .path');
        return {
          overPx: document.documentElement.scrollWidth - window.innerWidth,
          isPathWhole: path !== null && path.scrollWidth <= path.clientWidth,
        };
      });
      const over = page.locator('.over');
      const closable = over.getByRole('button', { name: /^Close/ });
      const isFree = (await over.count()) === 0 || (await closable.count()) === 1;
      const cut = await findCutTexts(page);
      expect([hash, seen, isFree, cut]).toEqual([hash, { overPx: 0, isPathWhole: true }, true, []]);
    }
  });

  test('a long name does not push the list of types out of the window', async () => {
    await show(opened, '#/');
    const body = opened.page.locator('main .body').first();
    const over = await body.evaluate((element) => element.scrollWidth - element.clientWidth);
    // Zoomed, a table of five columns may scroll; the name alone never makes it do so.
    if (size !== zoomed) expect(over).toBe(0);
    const name = opened.page.getByRole('link', { name: longName }).last();
    expect((await name.boundingBox())?.width ?? Number.NaN).toBeLessThan(size.viewport.width / 2);
  });

  test('nothing went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});

test('a large screen is used: figures in three columns, larger type, help and guideline beside the card, the log over the whole width', async () => {
  const opened = await openWindow(workbench, '#/', large);
  try {
    await show(opened, `#/types/${typeId}/evaluate`);
    const edges = await opened.page
      .locator('.columns > .part')
      .evaluateAll((parts) => parts.map((part) => Math.round(part.getBoundingClientRect().left)));
    expect(new Set(edges).size).toBe(3);
    // As while the examples are still being read.
    await opened.page.route(/\/similar\?/, (route) => route.fulfill({ json: { items: [] } }), { times: 1 });
    await show(opened, `#/types/${typeId}/examples?view=card&queue=to-label`);
    const text = opened.page.locator('.main-text').first();
    await text.waitFor();
    expect(await text.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize))).toBeGreaterThan(20);
    const besides = ['Labelled examples most like it', 'Guideline'].map((name) =>
      opened.page.getByRole('region', { name, exact: true }),
    );
    for (const beside of besides) await beside.waitFor();
    const boxes = await Promise.all([text, ...besides].map((part) => part.boundingBox()));
    const lefts = boxes.map((box) => box?.x ?? Number.NaN);
    expect(lefts).toEqual([...lefts].sort((a, b) => a - b));
    expect(lefts[2]).toBeGreaterThan((boxes[1]?.x ?? 0) + (boxes[1]?.width ?? 0) - 1);
    await show(opened, `#/types/${typeId}/examples?view=table&inspect=no`);
    const grid = opened.page.getByRole('grid', { name: 'Examples' });
    const [inside, row] = await grid.evaluate((element) => [
      element.clientWidth,
      [...(element.querySelector('[data-cursor]')?.children ?? [])].reduce(
        (sum, cell) => sum + cell.getBoundingClientRect().width,
        0,
      ),
    ]);
    expect(row).toBeGreaterThanOrEqual((inside ?? Number.NaN) - 1);
  } finally {
    await opened.close();
  }
});

test('in a small window the acts are in sight: answers at the foot of the card, handles of the thresholds', async () => {
  const opened = await openWindow(workbench, '#/', small);
  try {
    const { page } = opened;
    await show(opened, `#/types/${typeId}/examples?view=card&queue=to-label`);
    const answers = page.locator('.choice');
    await answers.first().waitFor();
    for (const answer of await answers.all()) expect(await isInSight(answer), await answer.innerText()).toBe(true);
    await show(opened, `#/types/${typeId}/evaluate`);
    await page.locator('.desk .drawing svg').waitFor();
    for (const handle of await page.getByRole('slider').all()) await expect.poll(() => isInSight(handle)).toBe(true);
    const matrix = page.getByRole('table', { name: 'Right options against decided ones' });
    for (const row of await matrix.getByRole('row').all())
      expect(await isInSight(row), await row.innerText()).toBe(true);
    expect(opened.faults).toEqual([]);
  } finally {
    await opened.close();
  }
});

test('a correction is in sight in the log while its record is open', async () => {
  const path = `/api/v1/decision-types/${typeId}`;
  const { body } = await workbench.call<{ items: { input_payload: object }[] }>('GET', `${path}/examples?page_size=9`);
  for (const { input_payload: input } of body.items)
    await workbench.call('POST', '/api/v1/decide', { decision_type: 'refund-requests', input });
  const opened = await openWindow(workbench, `#/types/${typeId}/monitor`);
  try {
    const { page } = opened;
    const row = page.getByRole('grid', { name: 'Decisions' }).getByRole('row').nth(1);
    await row.click();
    await page.getByRole('region', { name: 'Record' }).waitFor();
    await page.keyboard.press('3');
    const head = page.getByRole('columnheader', { name: 'Corrected' });
    await head.waitFor();
    const corrected = row.getByRole('gridcell').nth(4);
    await expect.poll(() => corrected.textContent()).not.toBe('');
    expect([await isInSight(corrected), await isInSight(head)]).toEqual([true, true]);
  } finally {
    await opened.close();
  }
});

test('the guideline beside the card keeps its list', async () => {
  const opened = await openWindow(workbench, `#/types/${typeId}/examples?view=card&queue=all`);
  try {
    const guideline = opened.page.getByRole('region', { name: 'Guideline' });
    await guideline
      .getByRole('listitem')
      .filter({ hasText: /^Deny every request/ })
      .waitFor();
  } finally {
    await opened.close();
  }
});
