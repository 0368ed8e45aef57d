/** A dead server, a reload, a second window: nothing that was typed or labelled is lost, and the page lives on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToPlace, isInSight, openWindow, type Window, waitForQuiet } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

type Example = { input_payload: { text: string }; expected_decision: string | null };

describe('nothing is lost', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let path: string;
  const dataDir = mkdtempSync(join(tmpdir(), 'workbench-'));
  const page = () => opened.page;
  const port = () => new URL(workbench.url).port;
  const labels = async () =>
    (await workbench.call<{ items: Example[] }>('GET', `${path}/examples?page_size=100`)).body.items.map(
      ({ expected_decision }) => expected_decision,
    );

  beforeAll(async () => {
    workbench = await startWorkbenchProcess(dataDir);
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', {
      name: 'colours',
      options: ['red', 'green'],
    });
    path = `/api/v1/decision-types/${made.body.id}`;
    const examples = Array.from({ length: 40 }, (_, place) => ({ input: { text: `example number ${place}` } }));
    await workbench.call('POST', `${path}/examples`, { examples });
    opened = await openWindow(workbench, `#/types/${made.body.id}/examples?view=card&queue=to-label`);
    await page().locator('.main-text').waitFor();
    // Every part of the page is here before the server goes.
    await waitForQuiet(page());
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.end();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('labels given while the server is dead wait, survive a reload, and arrive when it is back', async () => {
    await page().keyboard.press('1');
    await page().getByText('Saved', { exact: true }).waitFor();
    await workbench.end();
    for (const key of ['2', '1', '2']) await page().keyboard.press(key);
    await page().getByText('3 labels on the way').waitFor();
    await page().getByText('The workbench is not answering.').waitFor();
    const old = port();
    workbench = await startWorkbenchProcess(dataDir, '--port', old);
    await page().reload();
    await page().getByText('Saved', { exact: true }).waitFor();
    await expect.poll(async () => (await labels()).slice(0, 5)).toEqual(['red', 'green', 'red', 'green', null]);
  });

  test('a draft typed at a dead server is still there when it is back, at every place the page lives', async () => {
    await goToPlace(page(), 'Define');
    await page().getByLabel('Description').fill('Typed before');
    await workbench.end();
    await page().getByLabel('Description').fill('Typed while the server was dead');
    for (const place of ['Rules', 'Train', 'Evaluate', 'Try', 'Deploy', 'Monitor', 'Examples', 'Define']) {
      await page()
        .getByRole('navigation', { name: 'Workbench' })
        .getByRole('link', { name: new RegExp(`^${place}`) })
        .click();
      await expect.poll(() => page().getByRole('main').innerText()).not.toBe('');
    }
    expect(await page().getByLabel('Description').inputValue()).toBe('Typed while the server was dead');
    workbench = await startWorkbenchProcess(dataDir, '--port', port());
    await page().getByText('The workbench is not answering.').waitFor({ state: 'detached' });
    await page().reload();
    await page().getByRole('button', { name: 'Save changes' }).click();
    await page()
      .getByText(/Saved\. Version/)
      .first()
      .waitFor();
    const saved = await workbench.call<{ description: string }>('GET', path);
    expect(saved.body.description).toBe('Typed while the server was dead');
  });

  test('two windows: the second shows what the first does, and a conflict is shown instead of overwritten', async () => {
    const [second] = await Promise.all([
      page().context().waitForEvent('page'),
      page().evaluate(() => void window.open(window.location.href)),
    ]);
    await second.getByLabel('Description').waitFor();
    await second.getByLabel('Description').fill('from the second window');
    await second.getByRole('button', { name: 'Save changes' }).click();
    await expect.poll(() => page().getByLabel('Description').inputValue()).toBe('from the second window');
    // Windows of one browser share their drafts only when they are opened, so each edits by itself.
    await page().getByLabel('Description').fill('mine');
    await workbench.call('PUT', path, { description: 'theirs' });
    await page().getByRole('button', { name: 'Save changes' }).click();
    const conflict = page().getByText(/Another window or program has changed the description/);
    await conflict.waitFor();
    expect(await isInSight(conflict)).toBe(true);
    expect((await workbench.call<{ description: string }>('GET', path)).body.description).toBe('theirs');
    await page().getByRole('button', { name: 'Take theirs' }).click();
    await expect.poll(() => page().getByLabel('Description').inputValue()).toBe('theirs');
    await second.close();
    // A refusal stands beside the button, and no message lies over either.
    await page().getByLabel('Keep log records for (days)').fill('5000');
    await page().getByLabel('Name', { exact: true }).fill(' ');
    const save = page().getByRole('button', { name: 'Save changes' });
    await save.click();
    const refusal = page().getByRole('main').getByRole('alert').first();
    await refusal.waitFor();
    expect([await isInSight(refusal), await isInSight(save)]).toEqual([true, true]);
    await page().getByRole('button', { name: 'Discard changes' }).click();
  });

  test('going back and forth goes through places and filters as they were', async () => {
    await goToPlace(page(), 'Examples');
    await page()
      .getByRole('button', { name: /^All examples/ })
      .click();
    await page().getByRole('heading', { name: 'All examples', level: 1 }).waitFor();
    await goToPlace(page(), 'Monitor');
    await page().goBack();
    await page().getByRole('heading', { name: 'All examples', level: 1 }).waitFor();
    expect(await page().title()).toBe('Examples · colours · Decision Workbench');
    await page().goForward();
    await expect.poll(() => page().title()).toBe('Monitor · colours · Decision Workbench');
  });
});
