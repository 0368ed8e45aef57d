/** Two people label the same rows in two browsers: blind, with their agreement, and one settles what differs. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToAddress, openWindow, pictures, type Window, waitForQuiet } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

const options = ['Network, VPN and Wi-Fi', 'Building, light and heating', 'Accounts and access'];
const rowCount = 12;
const textOf = (place: number) => `Ticket ${place}: the sockets at C ${place} are dead since the move.`;

describe('a second reading', () => {
  let workbench: RunningWorkbench;
  let jana: Window;
  let milo: Window;
  let id: string;
  const path = () => `/api/v1/decision-types/${id}`;
  const card = (page: Page) => page.getByRole('article', { name: 'The example to label' });
  const openQueue = (page: Page, queue: string) => goToAddress(page, `#/types/${id}/examples?view=card&queue=${queue}`);
  const press = async (page: Page, key: number) => {
    const before = await card(page).locator('.main-text').textContent();
    await page.keyboard.press(String(key));
    await expect.poll(() => page.locator('.main-text').allTextContents()).not.toEqual([before]);
  };
  const lookAt = async ({ page }: Window, name: string) => {
    for (const [width, height] of [
      [1024, 700],
      [2560, 1440],
    ] as const) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await waitForQuiet(page);
        await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`) });
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  };

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name: 'desk', options });
    id = made.body.id;
    const examples = Array.from({ length: rowCount }, (_, place) => ({ input: { text: textOf(place) } }));
    await workbench.call('POST', `${path()}/examples`, { examples });
    [jana, milo] = await Promise.all([
      openWindow(workbench, '#/settings/look'),
      openWindow(workbench, '#/settings/look'),
    ]);
  });
  afterAll(async () => {
    await Promise.all([jana?.close(), milo?.close()]);
    await workbench?.stop();
  });

  test('goes blind to somebody else, and one person settles what differs [REA-6]', async () => {
    await jana.page.getByRole('textbox', { name: 'Your name as a reader' }).fill('Jana');
    await milo.page.getByRole('textbox', { name: 'Your name as a reader' }).fill('Milo');
    await openQueue(jana.page, 'to-label');
    await card(jana.page).waitFor();
    for (let place = 0; place < rowCount; place += 1) await press(jana.page, 1);
    await jana.page.getByText('Saved', { exact: true }).waitFor();

    await openQueue(jana.page, 'second-reading');
    await jana.page.getByText('How far the two agree').waitFor();
    await jana.page.getByRole('button', { name: 'Second reading of 10%' }).click();
    await jana.page.getByText('2 examples wait for a second reader').waitFor();
    const drawn = await workbench.call<{ drawn: number }>('POST', `${path()}/examples/second-readings`, { share: 1 });
    expect(drawn.body.drawn).toBe(rowCount - 2);

    await openQueue(milo.page, 'second-reading');
    await card(milo.page).waitFor();
    await waitForQuiet(milo.page);
    // Nothing speaks for the first label.
    expect(await card(milo.page).getByRole('button', { pressed: true }).count()).toBe(0);
    expect(await milo.page.getByText('Its labels').count()).toBe(0);
    expect(await milo.page.getByText('most like it').count()).toBe(0);
    await lookAt(milo, 'second-reading');
    await milo.page.getByRole('textbox', { name: 'Note, kept with your label' }).fill('cable or power?');
    await milo.page.keyboard.press('Enter');
    await press(milo.page, 2);
    // A label that was taken back and given again is one reading.
    await milo.page.keyboard.press('u');
    await card(milo.page)
      .getByText(textOf(rowCount - 1))
      .waitFor();
    await milo.page.getByRole('textbox', { name: 'Note, kept with your label' }).fill('cable or power?');
    await milo.page.keyboard.press('Enter');
    await press(milo.page, 2);
    for (let place = 1; place < rowCount; place += 1) await press(milo.page, 1);
    await milo.page.getByText('Saved', { exact: true }).waitFor();
    await milo.page.getByText('Two readers agree on 92% of 12 rows').waitFor();
    await lookAt(milo, 'agreement');
    const labels = await workbench.call<{ total: number }>('GET', `${path()}/examples?decision=${options[0]}`);
    expect(labels.body.total).toBe(rowCount);

    await openQueue(jana.page, 'conflicts');
    await card(jana.page).getByText('Milo said').waitFor();
    await card(jana.page).getByText('cable or power?').waitFor();
    await lookAt(jana, 'conflict');
    await jana.page.getByRole('textbox', { name: 'Reason, kept with your label' }).fill('Sockets are of the building');
    await jana.page.keyboard.press('Enter');
    await press(jana.page, 2);
    await jana.page.getByText('Saved', { exact: true }).waitFor();
    const settled = await workbench.call<{ items: { id: string; note: string }[] }>(
      'GET',
      `${path()}/examples?decision=${options[1]}`,
    );
    expect(settled.body.items.map(({ note }) => note)).toEqual(['Sockets are of the building']);
    const agreement = await workbench.call('GET', `${path()}/agreement`);
    expect(agreement.body).toMatchObject({ rows: 12, agreed: 11, conflicts: 0, settled: 1 });

    await goToAddress(jana.page, `#/types/${id}/examples?view=card&queue=all&row=${settled.body.items[0]?.id}`);
    await jana.page.getByText('Jana · settled · Sockets are of the building').waitFor();
    await lookAt(jana, 'label-history');
    expect([...jana.faults, ...milo.faults]).toEqual([]);
  });
});
