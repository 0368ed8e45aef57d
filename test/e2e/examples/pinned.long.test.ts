/** Cases whose decisions must hold: pinned from the card, under Try and in the log, and shown where they do not hold. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToPlace, openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { startSample } from '../tools/sample.ts';
import type { RunningWorkbench } from '../tools/workbench-process.ts';

describe('pinned cases on the page', () => {
  let workbench: RunningWorkbench;
  let path: string;
  let opened: Window;
  type Listed = { red: number; items: { decision: string; expected_decision: string }[]; uncovered_rules: string[] };
  const listed = async () => (await workbench.call<Listed>('GET', `${path}/pinned-cases`)).body;

  beforeAll(async () => {
    const sample = await startSample();
    ({ workbench, path } = sample);
    opened = await openWindow(workbench, `#/types/${sample.type}/examples?view=card&queue=to-label`);
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  test('are pinned by a key on the card, a menu under Try and a key in the log [PIN-4]', async () => {
    const { page } = opened;
    await page.locator('.choice').first().waitFor();
    await page.keyboard.press('p');
    await page.getByText(/· pinned/).waitFor();
    await page.screenshot({ path: `${pictures}/pinned-card.png` });
    await page.keyboard.press('1');
    await goToPlace(page, 'Try');
    await page.getByRole('button', { name: 'Save…' }).click();
    await page
      .getByRole('menuitem', { name: /Pin: it must be/ })
      .first()
      .click();
    await page.getByText(/Pinned: it must be decided as/).waitFor();
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('menuitem', { name: 'Decide and record it, as for a program' }).click();
    await goToPlace(page, 'Monitor');
    await page.getByRole('gridcell').first().click();
    await page.getByRole('button', { name: 'Pin', exact: true }).click();
    await page
      .getByText(/Pinned: it must be/)
      .first()
      .waitFor();
    await expect.poll(async () => (await listed()).items.length).toBe(3);
  });

  test('that do not hold are named under Deploy and Rules [PIN-4]', async () => {
    const { page } = opened;
    const { body } = await workbench.call<{ items: { input_payload: object }[] }>(
      'GET',
      `${path}/examples?page_size=9`,
    );
    const options = (await workbench.call<{ active_version: { options: string[] } }>('GET', path)).body.active_version;
    const long = { subject: 'A long subject that goes on and on, '.repeat(8), ...body.items[8]?.input_payload };
    for (const decision of options.options.slice(0, 2)) {
      await workbench.call('POST', `${path}/examples`, { examples: [{ input: long, decision, must: true }] });
    }
    await goToPlace(page, 'Deploy');
    await page.getByText(/of 5 pinned cases (does|do) not hold\./).waitFor();
    await page.getByText(/Rules that no case reaches:/).waitFor();
    await page.screenshot({ path: `${pictures}/pinned-deploy.png` });
    await goToPlace(page, 'Rules');
    await page.getByRole('table', { name: 'Pinned cases' }).waitFor();
    await page.screenshot({ path: `${pictures}/pinned-rules.png` });
  });
});
