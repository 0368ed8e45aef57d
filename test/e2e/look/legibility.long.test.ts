/** Everything can be read: letters whole, words on one line, nothing cut or covered, with 20,000 rows and hostile names. */
import { expect, test } from 'vitest';
import { forAll } from '../../server/workbench.ts';
import { goToAddress, isInSight, openWindow, waitForQuiet } from '../tools/browser-page.ts';
import { makeHostileType } from '../tools/hostile-type.ts';
import { makeLargeType, options } from '../tools/large-type.ts';
import { findBrokenWords, findCutInk, findOverlaps } from '../tools/legibility.ts';
import { listFaults, looks, show } from '../tools/looks.ts';
import { startWorkbenchProcess } from '../tools/workbench-process.ts';

const opened = forAll(
  async () => {
    const workbench = await startWorkbenchProcess();
    const names = ['klassifizierung_gepaeckstuecke', 'schadenmeldungen-q1-final2', 'Anträge Großgewerbe'];
    for (const name of names) await workbench.call('POST', '/api/v1/decision-types', { name, options: ['a', 'b'] });
    const typeId = await makeLargeType(workbench);
    return { workbench, typeId, window: await openWindow(workbench, '#/') };
  },
  async ({ workbench, window }) => {
    await window.close();
    await workbench.stop();
  },
);

const places = [
  ...['examples?view=table&queue=all', 'examples?queue=findings', 'rules', 'evaluate', 'monitor', 'define'],
  ...['examples?view=card&queue=all', 'import', 'train', 'try', 'deploy', '#/settings/data'],
];

// The widest before the usual one, as the parts of a window keep their shares where it shrinks.
test.each([
  { width: 1024, height: 700 },
  { width: 2560, height: 1440 },
  { width: 1440, height: 900 },
])('letters keep their tails, and words stand on one line at %o', async (viewport) => {
  const { page } = opened.window;
  await page.setViewportSize(viewport);
  for (const place of places) {
    await goToAddress(page, place.startsWith('#') ? place : `#/types/${opened.typeId}/${place}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await waitForQuiet(page);
    expect([place, await findCutInk(page)]).toEqual([place, []]);
    expect([place, await findBrokenWords(page)]).toEqual([place, []]);
    expect([place, await findOverlaps(page)]).toEqual([place, []]);
  }
});

test('outcome and counts of each rule are in sight at 1440 pixels, before the fields are scrolled', async () => {
  const { page } = opened.window;
  await page.setViewportSize({ width: 1440, height: 900 });
  await goToAddress(page, `#/types/${opened.typeId}/rules`);
  const sheet = page.getByRole('grid', { name: 'Rules' });
  const [first] = options;
  await sheet.getByText(first ?? '', { exact: true }).waitFor();
  const right = await page.locator('.sheet').evaluate((element) => element.getBoundingClientRect().right);
  for (const name of ['Then', 'Right']) {
    const box = await sheet.getByRole('columnheader', { name }).boundingBox();
    expect((box?.x ?? Number.NaN) + (box?.width ?? Number.NaN)).toBeLessThanOrEqual(right + 1);
  }
  // Not a wall of words: a cell without a condition is empty until the cursor comes.
  const any = sheet.locator('.lines [role=row]').nth(1).getByText('any').first();
  expect(await any.evaluate((element) => getComputedStyle(element).opacity)).toBe('0');
});

test('the pages of the findings are in sight below them', async () => {
  const { page } = opened.window;
  await page.setViewportSize({ width: 1024, height: 700 });
  await goToAddress(page, `#/types/${opened.typeId}/examples?queue=findings`);
  const next = page.getByRole('button', { name: 'Next page' });
  await next.waitFor();
  expect(await isInSight(next)).toBe(true);
});

test('every place, and all that opens in it, can be read where names and values strain it', async () => {
  const { page, faults } = opened.window;
  await page.setViewportSize({ width: 1024, height: 700 });
  const typeId = await makeHostileType(opened.workbench);
  for (const look of looks) {
    await show(page, typeId, look);
    expect([look.name, await listFaults(page)]).toEqual([look.name, []]);
  }
  expect(faults).toEqual([]);
});
