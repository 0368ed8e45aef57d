/** The audit on the page: drawn decisions are judged by keys without their decision in sight, and Monitor says the error. */
import { afterAll, expect, test } from 'vitest';
import { openWindow, pictures } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

let workbench: RunningWorkbench;
afterAll(() => workbench?.stop());

test('a drawn decision is judged blind by a key, taken back and judged again, and Monitor shows the live error [AUD-3] [AUD-4] [LFT-5]', async () => {
  workbench = await startWorkbenchProcess();
  const call = <T>(method: 'GET' | 'POST' | 'PUT', address: string, body?: unknown) =>
    workbench.call<T>(method, address, body);
  const rules = [{ name: 'loud', condition: 'ctx.text.contains("!")', then: 'angry', priority: 1 }];
  const type = { name: 'mood', options: ['calm', 'angry'], rules, fallback_option: 'calm' };
  const { id } = (await call<{ id: string }>('POST', '/api/v1/decision-types', type)).body;
  const path = `/api/v1/decision-types/${id}`;
  const policy = (await call<{ id: string }>('POST', `${path}/policies`, { kind: 'rules_only' })).body;
  await call('POST', `${path}/policies/${policy.id}/deploy`, {});

  const { page, faults, close } = await openWindow(workbench, `#/types/${id}/define`);
  await page.getByLabel('Decisions to judge blind (%)').fill('100');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: /^Save/ }).first().click();
  await expect.poll(async () => (await call<{ audit: unknown }>('GET', path)).body.audit).toEqual({ share: 1 });
  for (const text of ['well, thank you!', 'where is it!', 'it has come', 'good morning']) {
    await call('POST', '/api/v1/decide', { decision_type: 'mood', input: { text } });
  }

  await page.goto(`${page.url().split('#')[0]}#/types/${id}/monitor`);
  await page.getByRole('button', { name: 'Judge 4 decisions' }).click();
  const shown = page.locator('.main-text');
  const shows = (text: string) => expect.poll(() => shown.innerText()).toBe(text);
  await shows('well, thank you!');
  await page.getByText('A live decision, drawn at random.').waitFor();
  const card = page.getByRole('article', { name: 'The example to label' });
  // Both options are offered alike, and neither is marked or said to be likely.
  for (const option of ['calm', 'angry']) {
    const choice = card.getByRole('button', { name: option });
    expect(await choice.getAttribute('aria-pressed')).toBe('false');
    expect(await choice.innerText()).not.toMatch(/%/);
  }
  await page.screenshot({ path: `${pictures}/audit-blind.png` });
  await page.keyboard.press('1');
  await shows('where is it!');
  await page.keyboard.press('u');
  await shows('well, thank you!');
  for (const [key, next] of [
    ['1', 'where is it!'],
    ['2', 'it has come'],
    ['1', 'good morning'],
  ] as const) {
    await page.keyboard.press(key);
    await shows(next);
  }
  await page.keyboard.press('1');
  await page.getByText('Done: nothing left in this queue').waitFor();
  await page.getByText('Saved', { exact: true }).waitFor();

  await page.goto(`${page.url().split('#')[0]}#/types/${id}/monitor`);
  const sentence = 'Of 4 decisions drawn at random and judged blind, 1 was wrong';
  await page.getByText(sentence).waitFor();
  await page.screenshot({ path: `${pictures}/audit-monitor.png` });
  const { body } = await call<{ deployed: { sentence: string } }>('GET', `${path}/audit`);
  expect(body.deployed.sentence).toContain(sentence);

  await page.goto(`${page.url().split('#')[0]}#/types/${id}/define`);
  await page.getByText('A week', { exact: true }).click();
  await page.getByLabel('Decisions of a week to judge blind').fill('50');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: /^Save/ }).first().click();
  await expect.poll(async () => (await call<{ audit: unknown }>('GET', path)).body.audit).toEqual({ per_week: 50 });
  await page.goto(`${page.url().split('#')[0]}#/types/${id}/monitor`);
  await page.getByText('Those of this week are drawn on Monday.').waitFor();
  expect(faults).toEqual([]);
  await close();
});
