/** What the workbench has found out by itself: the whole decision, weak parts, and rules in the data. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToPlace, openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { startSample } from '../tools/sample.ts';
import type { RunningWorkbench } from '../tools/workbench-process.ts';

describe('what the workbench finds out by itself', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let page: Page;
  let path: string;
  let policyPath: string;

  beforeAll(async () => {
    const sample = await startSample();
    ({ workbench, path } = sample);
    policyPath = `${path}/policies/${sample.policyId}`;
    opened = await openWindow(workbench, `#/types/${sample.type}/evaluate`, {
      viewport: { width: 1440, height: 1100 },
    });
    page = opened.page;
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  test('says under Evaluate how right rules and classifier are together, and what can be promised', async () => {
    type Whole = Record<'accuracy' | 'automatic' | 'error_automatic', { share: number }>;
    const { body: whole } = await workbench.call<Whole>('GET', `${policyPath}/whole-decision`);
    const { body: promise } = await workbench.call<{ sentence: string }>('GET', `${policyPath}/promise`);
    const short = page.getByRole('region', { name: 'In short' });
    const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
    await short.getByText(`Right ${percent(whole.accuracy.share)}`).waitFor();
    await short.getByText(`Decides ${percent(whole.automatic.share)} alone`).waitFor();
    await short.getByText(`${percent(whole.error_automatic.share)} of those are wrong`).waitFor();
    await short.getByText(`No error limit promised ${promise.sentence}`).waitFor();
    await page.screenshot({ path: join(pictures, 'in-short.png') });
  });

  test('lists weak parts of the unseen examples, or says how many it tried', async () => {
    const weak = page.getByRole('region', { name: 'Where it is weak' });
    await weak.getByText(/parts of \d+ unseen examples were tried/).waitFor();
    await weak.scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(pictures, 'weak-parts.png') });
  });

  test('gives the rows of a finding their likelier label by a key, and takes that back by another', async () => {
    await goToPlace(page, 'Examples');
    await page.getByRole('button', { name: /^Findings/ }).click();
    const list = page.getByRole('list', { name: 'Findings' });
    // What was planted in the sample is found: equal requests with different labels.
    await expect.poll(() => list.getByRole('button').filter({ hasText: 'contradiction' }).count()).toBe(3);
    await list.getByRole('button').filter({ hasText: 'suspect label' }).first().click();
    type Found = { items: { example_ids: string[]; suggested_decision: string }[] };
    const { body: found } = await workbench.call<Found>('GET', `${path}/data-findings?kind=suspect_label`);
    const [suspect] = found.items;
    const label = async () => {
      const example = `${path}/examples/${suspect?.example_ids[0]}`;
      return (await workbench.call<{ expected_decision: string }>('GET', example)).body.expected_decision;
    };
    const before = await label();
    expect(suspect?.suggested_decision).not.toBe(before);
    await page.keyboard.press('l');
    await expect.poll(label).toBe(suspect?.suggested_decision);
    // The page knows of its act once the server has answered.
    await page.getByText(`Labelled ${suspect?.suggested_decision}: 1 example`).waitFor({ state: 'attached' });
    await page.keyboard.press('u');
    await expect.poll(label).toBe(before);
  });

  test('proposes rules, and one click adds one to the draft', async () => {
    await goToPlace(page, 'Rules');
    const lines = page.getByRole('grid', { name: 'Rules' }).locator('tbody tr');
    await expect.poll(() => lines.filter({ hasText: /[1-9]\d* · \d+/ }).count()).toBe(3);
    await page.getByRole('button', { name: 'Look for rules' }).click();
    const proposals = page.getByRole('region', { name: 'Rules that the examples suggest' });
    await proposals.getByText(/labelled examples that no saved rule decides/).waitFor();
    await proposals.scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(pictures, 'rule-proposals.png') });
    type Proposals = { items: { rule: { name: string; condition: string; then: string } }[] };
    const { body } = await workbench.call<Proposals>('GET', `${path}/rule-proposals`);
    const proposed = body.items[0]?.rule;
    expect(proposed).toBeDefined();
    const add = proposals.getByRole('button', { name: `Add the rule ${proposed?.name}` });
    await add.click();
    await expect.poll(() => add.innerText()).toBe('Added');
    const chosen = lines.and(page.locator('[aria-selected=true]'));
    await expect.poll(() => chosen.innerText()).toContain(proposed?.name);
    expect(await chosen.innerText()).toContain(proposed?.then);
  });
});
