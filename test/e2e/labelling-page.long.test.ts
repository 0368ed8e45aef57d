/** A labelling page that went by mail: two people label on a phone and on a PC, and their labels come home. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { buildForAll } from '../edge/built-package.ts';
import { makeType, openForTest, temporaryFolder } from '../server/workbench.ts';
import { listViolations } from './tools/axe.ts';
import { keepPicture, openAddress } from './tools/browser-page.ts';

const edge = buildForAll();
const [bill, fault] = ['a bill that nobody has paid yet', 'fault'] as const;
const options = [bill, fault];
const count = 200;

/** The text of a row says which answer is right. */
const isBill = (text: string) => Number(/\d+/.exec(text)?.[0]) % 3 === 0;

async function save(page: Page, folder: string): Promise<string> {
  const saving = page.getByRole('button', { name: 'Save my labels' }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), saving]);
  const file = join(folder, download.suggestedFilename());
  await download.saveAs(file);
  return readFileSync(file, 'utf8');
}

/** Swipes over the card with one finger. */
async function swipe(page: Page, across: number): Promise<void> {
  await page.locator('#card').evaluate((card, distance) => {
    const touch = (clientX: number) => new Touch({ identifier: 1, target: card, clientX, clientY: 300 });
    const [start, end] = [touch(200), touch(200 + distance)];
    card.dispatchEvent(new TouchEvent('touchstart', { touches: [start], changedTouches: [start] }));
    card.dispatchEvent(new TouchEvent('touchend', { touches: [], changedTouches: [end] }));
  }, across);
}

test('goes to a phone and a locked PC, and 200 labels of each come home [REA-7]', async () => {
  const folder = temporaryFolder();
  const { call } = await openForTest({ edgeDir: edge.folder });
  const description = 'Is it a bill that was not paid, or a fault of what was sold?';
  const id = await makeType(call, { name: 'desk', options, description });
  const url = `/api/v1/decision-types/${id}`;
  const examples = Array.from({ length: count }, (_, n) => ({
    input: {
      text: `Ticket ${n}: <b>nothing works</b>, ${'and so on, '.repeat(n === 0 ? 400 : n % 9)}`,
      shop: `Branch ${n % 4}`,
    },
  }));
  await call('POST', `${url}/examples`, { examples });
  const file = join(folder, 'desk.html');
  writeFileSync(file, (await call('GET', `${url}/examples/export?format=labelling_page`)).text);
  const open = async (context: BrowserContextOptions) => {
    const opened = await openAddress(pathToFileURL(file).href, context);
    onTestFinished(() => opened.close());
    return opened;
  };
  const textOf = (page: Page) => page.locator('.case').innerText();

  const phone = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'dark' });
  await keepPicture(phone.page, 'labelling-page-phone');
  expect(await listViolations(phone.page)).toEqual([]);
  for (let row = 0; row < 20; row += 1) await swipe(phone.page, isBill(await textOf(phone.page)) ? -120 : 120);
  // A finger that scrolls labels nothing.
  await swipe(phone.page, 20);
  await phone.page.getByText('180 rows to go, 20 labels given.').waitFor();
  await phone.page.reload();
  await phone.page.getByText('180 rows to go, 20 labels given.').waitFor();
  for (let row = 20; row < count; row += 1) {
    const option = isBill(await textOf(phone.page)) ? bill : fault;
    await phone.page.getByRole('button', { name: option }).tap();
  }
  await phone.page.getByText('There are no more.').waitFor();
  await phone.page.getByRole('button', { name: 'Save my labels' }).tap();
  await phone.page.getByText('Type your name first').waitFor();
  await phone.page.getByLabel('Your name').fill('Ana / Müller');
  const fromPhone = await save(phone.page, folder);

  const desk = await open({ viewport: { width: 1024, height: 700 } });
  await keepPicture(desk.page, 'labelling-page-desk');
  for (let row = 0; row < count; row += 1) {
    // A digit is found by its place where the board types another sign there.
    const isWrong = row % 10 === 0;
    const key = isBill(await textOf(desk.page)) === isWrong ? '2' : '1';
    if (row % 2 === 0) await desk.page.keyboard.press(key);
    else
      await desk.page.evaluate((digit) => {
        const typed = { key: 'é', code: `Digit${digit}`, bubbles: true };
        document.body.dispatchEvent(new KeyboardEvent('keydown', typed));
      }, key);
    if (row === 3) {
      await desk.page.keyboard.press('u');
      await desk.page.keyboard.press(key);
    }
  }
  await desk.page.getByLabel('Your name').fill('Ben');
  await keepPicture(desk.page, 'labelling-page-done');
  const fromDesk = await save(desk.page, folder);
  for (const opened of [phone, desk]) expect([opened.reached, opened.faults]).toEqual([[], []]);

  for (const [content, changed, again] of [
    [fromPhone, count, 0],
    [fromDesk, 0, count],
  ] as const) {
    const { body } = await call('POST', `${url}/examples/import`, { format: 'jsonl', content, commit: true });
    expect(body.merge).toMatchObject({ added: 0, changed, read_again: again, conflicts: 0, gone: 0 });
  }
  const { rows, agreed } = (await call('GET', `${url}/agreement`)).body;
  expect([rows, agreed]).toEqual([count, 0.9 * count]);
});
