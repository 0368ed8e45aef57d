/** Two people at two browsers: each sees what the other does, and neither overwrites the other unasked. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToPlace, openWindow, type Window } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

type Example = { id: string; expected_decision: string | null };

describe('two browsers', () => {
  let workbench: RunningWorkbench;
  let first: Window;
  let second: Window;
  let path: string;
  const list = async () =>
    (await workbench.call<{ items: Example[] }>('GET', `${path}/examples?page_size=100`)).body.items;
  const chosen = (page: Page) => page.getByRole('article').getByRole('button', { pressed: true });

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', {
      name: 'colours',
      options: ['red', 'green'],
    });
    path = `/api/v1/decision-types/${made.body.id}`;
    const examples = Array.from({ length: 5 }, (_, place) => ({ input: { text: `example number ${place}` } }));
    await workbench.call('POST', `${path}/examples`, { examples });
    const [row] = await list();
    const hash = `#/types/${made.body.id}/examples?queue=all&row=${row?.id}`;
    [first, second] = await Promise.all([openWindow(workbench, hash), openWindow(workbench, hash)]);
    for (const { page } of [first, second]) await page.getByRole('article').waitFor();
  });
  afterAll(async () => {
    await Promise.all([first?.close(), second?.close()]);
    await workbench?.stop();
  });

  test('a label given in one shows in the other, in the card that is open there', async () => {
    await first.page.keyboard.press('1');
    await chosen(second.page).filter({ hasText: 'red' }).waitFor();
    // The second gives another one, which it may: it has seen the first.
    await second.page.keyboard.press('2');
    await first.page.keyboard.press('k');
    await chosen(first.page).filter({ hasText: 'green' }).waitFor();
    expect((await list())[0]?.expected_decision).toBe('green');
  });

  test('a window that has not heard of a label does not overwrite it unasked', async () => {
    const { page } = second;
    // It stays without an answer: where it fails, the page looks for the server, and then reads everything again.
    await page.context().route('**/api/v1/events', () => undefined);
    await page.reload();
    await page.getByRole('article').waitFor();
    const rows = await list();
    for (const each of [first.page, page]) {
      await each.evaluate((id) => {
        window.location.hash = window.location.hash.replace(/row=[^&]*/, `row=${id}`);
      }, rows[2]?.id);
      await each.getByRole('article').getByText('example number 2').first().waitFor();
    }
    await first.page.keyboard.press('1');
    await expect.poll(async () => (await list())[2]?.expected_decision).toBe('red');
    await page.keyboard.press('2');
    await page.getByText('was not saved. Somebody else has labelled it otherwise meanwhile.').waitFor();
    expect((await list())[2]?.expected_decision).toBe('red');
    await page.getByRole('button', { name: 'Keep my label' }).click();
    await expect.poll(async () => (await list())[2]?.expected_decision).toBe('green');
  });

  test('a training and the decisions after it show by themselves, and nothing is asked for while nothing happens', async () => {
    const { page } = first;
    const rows = Array.from({ length: 120 }, (_, n) => ({ input: { n }, decision: n < 60 ? 'red' : 'green' }));
    await workbench.call('POST', `${path}/examples`, { examples: rows });
    await goToPlace(page, 'Train');
    const started = await workbench.call('POST', `${path}/train`, { tune_hyperparams: false });
    expect(started).toMatchObject({ status: 202 });
    const main = page.getByRole('main');
    await main.getByText('Policy v1').waitFor();
    await main.getByText('Trained and live').waitFor({ timeout: 600_000 });
    await goToPlace(page, 'Monitor');
    const decide = (n: number) => workbench.call('POST', '/api/v1/decide', { decision_type: 'colours', input: { n } });
    expect(await decide(815)).toMatchObject({ status: 200 });
    await main.getByText('n: 815').waitFor();
    let askedMs = Date.now();
    page.on('request', () => {
      askedMs = Date.now();
    });
    // Longer than the intervals of a window that does not hear.
    await expect.poll(() => Date.now() - askedMs).toBeGreaterThan(6_000);
    await decide(471);
    await main.getByText('n: 471').waitFor();
  });

  test('a decision type deleted in one leaves the other, and comes back with the undo there', async () => {
    const { page } = first;
    const types = (of: Page) =>
      of.getByRole('navigation', { name: 'Workbench' }).getByRole('link', { name: /^colours/ });
    page.on('dialog', (dialog) => void dialog.accept());
    const remove = async () => {
      await types(page).click();
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Search commands' }).fill('Delete this decision type');
      await page.getByRole('dialog').getByText('Delete this decision type').waitFor();
      await page.keyboard.press('Enter');
      await types(page).waitFor({ state: 'detached' });
    };
    const before = await list();
    await remove();
    await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click();
    await types(page).waitFor();
    await remove();
    // Also after a reload, by the key.
    await page.reload();
    await page.getByRole('button', { name: 'Undo: Deleted colours' }).waitFor();
    await page.keyboard.press('Control+z');
    await types(page).waitFor();
    expect(await list()).toEqual(before);
  });

  test('nothing went wrong behind the page', () => {
    expect(first.faults).toEqual([]);
  });
});
