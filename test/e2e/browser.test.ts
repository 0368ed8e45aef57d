/** A newcomer's first minutes in the browser: the sample project, from examples to a decision and a bundle. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningWorkbench, startWorkbenchProcess } from './workbench-process.ts';

/** `KEEP_SCREENSHOT=1` renews the picture that the README shows. */
const pictures = resolve(import.meta.dirname, '../..', process.env.KEEP_SCREENSHOT ? 'docs' : 'test-results');

describe('the workbench in the browser', () => {
  let workbench: RunningWorkbench;
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    workbench = await startWorkbenchProcess();
    browser = await chromium.launch({
      executablePath: process.env.WORKBENCH_CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(20_000);
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
  });
  afterAll(async () => {
    await browser?.close();
    await workbench?.stop();
  });

  test('signs in with the token of the owner and opens the sample project', async () => {
    await page.goto(`${workbench.url}/app/`);
    await page.getByLabel('Session token').fill(workbench.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Decision types', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Open sample project' }).first().click();
    await tab('Examples').click();
    await page.getByRole('grid').waitFor();
  });

  test('labels by keyboard, and undo takes it back', async () => {
    const label = () => page.locator('tbody tr select').first();
    await page.locator('tbody tr').first().waitFor();
    const before = await label().inputValue();
    const options = await label().locator('option').allTextContents();
    const place = options.findIndex((option) => option !== '' && option !== before && option !== options[0]);
    await page.locator('tbody tr').first().focus();
    await page.keyboard.press(String(place));
    await expect.poll(async () => label().inputValue()).not.toBe(before);
    await page.keyboard.press('u');
    await expect.poll(async () => label().inputValue()).toBe(before);
  });

  test('renames an option everywhere after showing what that touches [TYP-27]', async () => {
    await tab('Define').click();
    await page.getByRole('button', { name: 'Rename an option everywhere' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename an option' });
    await dialog.getByLabel('Option', { exact: true }).selectOption('deny');
    await dialog.getByLabel('New name').fill('refuse');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => dialog.getByRole('list', { name: 'What it touches' }).textContent())
      .toMatch(/\d\d examples with this label.*Rules: /);
    await dialog.getByRole('button', { name: 'Rename everywhere' }).click();
    await page.getByText('Renamed. Version 2 is active.').first().waitFor();
    await expect.poll(() => page.getByLabel('Option 2').inputValue()).toBe('refuse');
  });

  test('trains with progress until the policy is deployed', async () => {
    await tab('Train').click();
    await page.getByRole('button', { name: 'Start training' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.getByText('Done and deployed').first().waitFor({ timeout: 120_000 });
  });

  test('shows where the policy is wrong', async () => {
    await tab('Results').click();
    await page.locator('.recharts-line').first().waitFor();
    await page.getByRole('heading', { name: 'Where it is wrong' }).waitFor();
    const cell = page.getByRole('button', { name: /^\d+ examples of approve decided as approve$/ });
    const count = Number(await cell.textContent());
    await cell.click();
    const opened = page.getByRole('region', { name: 'Decided correctly: approve' });
    await opened.getByText(`· ${count} in all`).waitFor();
    await page.getByLabel('Target error among direct decisions, in percent').fill('0.1');
    await page.getByText(/^\d+ rows cannot promise 0.1 %; 3688 without an error could.$/).waitFor();
    await page.getByLabel('Target error among direct decisions, in percent').fill('50');
    await page.getByText(/are decided alone, at most 50 % wrong with 95 % certainty/).waitFor();
    await page.getByRole('button', { name: 'Promise this' }).click();
    await page
      .getByText(/^The promise is kept: /)
      .first()
      .waitFor();
    await page.getByRole('heading', { name: 'Would more examples help?' }).waitFor();
    await page.getByRole('heading', { name: 'Inputs unlike the examples' }).waitFor();
  });

  test('decides on the Try tab with the trace beside it', async () => {
    await tab('Try').click();
    await page.getByRole('button', { name: 'Decide', exact: true }).click();
    const shown = (await page.getByTestId('decision').textContent()) ?? '';
    expect(shown).toMatch(/approve|review|refuse/);
    await page.screenshot({ path: join(pictures, 'workbench.png') });
    await tab('Logs').click();
    await page.locator('tbody tr').first().waitFor();
  });

  test('exports the bundle', async () => {
    await tab('Use').click();
    const download = page.waitForEvent('download', { timeout: 60_000 });
    await page.getByRole('button', { name: 'Export bundle' }).click();
    expect((await download).suggestedFilename()).toMatch(/^refund-requests.*\.zip$/);
  });

  test('nothing went wrong behind the page', () => {
    expect(faults).toEqual([]);
  });
});
