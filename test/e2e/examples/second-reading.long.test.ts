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
    // What got its first label last comes first, and nothing speaks for that label.
    expect(await card(milo.page).locator('.main-text').innerText()).toBe(textOf(0));
    expect(await card(milo.page).getByRole('button', { pressed: true }).count()).toBe(0);
    expect(await milo.page.getByText('Its labels').count()).toBe(0);
    expect(await milo.page.getByText('most like it').count()).toBe(0);
    await lookAt(milo, 'second-reading');
    await milo.page.getByRole('textbox', { name: 'Note, kept with your label' }).fill('cable or power?');
    await milo.page.keyboard.press('Enter');
    await press(milo.page, 2);
    // A label that was taken back and given again is one reading.
    await milo.page.keyboard.press('u');
    await card(milo.page).getByText(textOf(0)).waitFor();
    await milo.page.getByRole('textbox', { name: 'Note, kept with your label' }).fill('cable or power?');
    await milo.page.keyboard.press('Enter');
    await press(milo.page, 2);
    for (let place = 1; place < rowCount; place += 1) await press(milo.page, 1);
    await milo.page.getByText('Saved', { exact: true }).waitFor();
    await milo.page.getByText('Two readers agree on 91.7% of 12 rows').waitFor();
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

  test('of 150 rows, labelled in two windows at once and each read again by the other, keeps 300 labels [REA-6]', async () => {
    const rows = 150;
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name: 'floor', options });
    id = made.body.id;
    const examples = Array.from({ length: rows }, (_, place) => ({ input: { text: `Ticket number ${place}` } }));
    await workbench.call('POST', `${path()}/examples`, { examples });
    /** Answers all that the queue gives out; of every tenth row the second reader says another thing. */
    const answerAll = async ({ page }: Window, isSecond: boolean) => {
      await openQueue(page, isSecond ? 'second-reading' : 'useful');
      await page.locator('.main-text').waitFor();
      const seen: string[] = [];
      for (;;) {
        const text = (await page.locator('.main-text').allTextContents())[0];
        if (text === undefined) break;
        seen.push(text);
        const place = Number(/\d+/.exec(text));
        await page.keyboard.press(String(1 + ((place + (isSecond && place % 10 === 0 ? 1 : 0)) % 3)));
        await page.waitForFunction((last) => {
          const now = document.querySelector('.main-text')?.textContent;
          return now === undefined ? document.querySelector('[aria-label="Labelled here"]') : now !== last;
        }, text);
      }
      await page.getByText('Saved', { exact: true }).waitFor();
      return seen;
    };
    const first = await Promise.all([answerAll(jana, false), answerAll(milo, false)]);
    expect(new Set(first.flat()).size).toBe(rows);
    expect(first.flat()).toHaveLength(rows);
    await workbench.call('POST', `${path()}/examples/second-readings`, { share: 1 });
    const second = await Promise.all([answerAll(jana, true), answerAll(milo, true)]);
    // Each row goes to the other reader.
    expect(second.map((texts) => texts.sort())).toEqual([first[1]?.sort(), first[0]?.sort()]);

    const agreement = await workbench.call('GET', `${path()}/agreement`);
    expect(agreement.body).toMatchObject({ rows, agreed: rows - rows / 10, conflicts: rows / 10 });
    type Row = { id: string; expected_decision: string; input_payload: { text: string } };
    for (const page of [1, 2]) {
      const { body } = await workbench.call<{ items: Row[] }>('GET', `${path()}/examples?page=${page}&page_size=100`);
      for (const { expected_decision, input_payload } of body.items)
        expect(expected_decision).toBe(options[Number(/\d+/.exec(input_payload.text)) % 3]);
    }
    expect([...jana.faults, ...milo.faults]).toEqual([]);
  });
});
