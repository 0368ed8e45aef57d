/** What the workbench has found out by itself: the whole decision, weak parts, and rules in the data. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { quoteAccuracy, quoteShare } from '../../../src/engine/measure/quote-share.ts';
import type { MeasuredShare } from '../../../src/engine/measured.ts';
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
    type Whole = Record<'accuracy' | 'automatic' | 'error_automatic', MeasuredShare>;
    const { body: whole } = await workbench.call<Whole>('GET', `${policyPath}/whole-decision`);
    const { body: promise } = await workbench.call<{ sentence: string }>(
      'GET',
      `${policyPath}/promise?target_error=0.05`,
    );
    const short = page.getByRole('region', { name: 'How much to automate' });
    await short.getByText(quoteAccuracy(whole.accuracy).phrase).waitFor();
    await short
      .locator('.figure-large')
      .getByText(`${quoteShare(whole.automatic).figure} automated`)
      .waitFor();
    await short.getByText(`${quoteShare(whole.error_automatic).figure} of these wrong`).waitFor();
    await short.getByText('No error limit promised').waitFor();
    // Once, beside the thresholds that would keep it.
    await expect.poll(() => page.getByText(promise.sentence).count()).toBe(1);
    await page.screenshot({ path: join(pictures, 'in-short.png') });
  });

  test('lists weak parts of the unseen examples, or says how many it tried', async () => {
    const weak = page.getByRole('region', { name: 'Where it is weak' });
    await weak.getByText(/segments of \d+ unseen examples/).waitFor();
    await weak.scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(pictures, 'weak-parts.png') });
  });

  test('gives the rows of a finding their likelier label by a key, and takes that back by another', async () => {
    await goToPlace(page, 'Examples');
    await page.getByRole('button', { name: /^Findings/ }).click();
    const list = page.getByRole('grid', { name: 'Findings' });
    // What was planted in the sample is found: equal requests with different labels.
    await expect.poll(() => list.getByRole('row').filter({ hasText: 'contradiction' }).count()).toBe(3);
    const suspectRow = list.getByRole('row').filter({ hasText: 'suspect label' }).first();
    await suspectRow.click();
    type Finding = {
      example_ids: string[];
      suggested_decision: string;
      probability: number;
      example: { input_payload: { message: string } };
    };
    type Found = { items: Finding[] };
    const { body: found } = await workbench.call<Found>('GET', `${path}/data-findings?kind=suspect_label`);
    const [suspect] = found.items;
    const label = async () => {
      const example = `${path}/examples/${suspect?.example_ids[0]}`;
      return (await workbench.call<{ expected_decision: string }>('GET', example)).body.expected_decision;
    };
    const before = await label();
    expect(suspect?.suggested_decision).not.toBe(before);
    // The row says it all: the text, its label, the likelier one and how likely that is.
    const { example, probability } = suspect ?? {};
    const cells = [
      example?.input_payload.message,
      before,
      suspect?.suggested_decision,
      `${((probability ?? 0) * 100).toFixed(1)}%`,
    ];
    for (const cell of cells) expect(await suspectRow.innerText()).toContain(cell);
    await page.screenshot({ path: join(pictures, 'findings-table.png') });
    await page.keyboard.press('l');
    await expect.poll(label).toBe(suspect?.suggested_decision);
    // The page knows of its act once the server has answered.
    await page.getByText(`Labelled ${suspect?.suggested_decision}: 1 example`).waitFor({ state: 'attached' });
    await page.keyboard.press('u');
    await expect.poll(label).toBe(before);
  });

  test('fixes all picked findings by one key, and one undo takes all of it back', async () => {
    const labels = async () => {
      const { body } = await workbench.call<{ items: { id: string; expected_decision: string | null }[] }>(
        'GET',
        `${path}/examples?page_size=100&sort=created_at`,
      );
      return body.items.map(({ id, expected_decision }) => [id, expected_decision]);
    };
    const before = await labels();
    await page.keyboard.press('ControlOrMeta+a');
    await page.getByRole('button', { name: /^Fix \d+ findings/ }).waitFor();
    await page.keyboard.press('l');
    await page.getByText(/^Relabelled: \d+ examples/).waitFor({ state: 'attached' });
    expect(await labels()).not.toEqual(before);
    await page.keyboard.press('u');
    await page.getByRole('button', { name: 'Undo it' }).click();
    await expect.poll(labels).toEqual(before);
  });

  test('lists a label that a saved rule contradicts, and takes what the rule decides by a key [FND-5]', async () => {
    const input = { message: 'The lamp came broken', amount: 2_000 };
    const examples = [{ input, decision: 'approve' }];
    await workbench.call('POST', `${path}/examples`, { examples });
    const row = page.getByRole('grid', { name: 'Findings' }).getByRole('row').filter({ hasText: input.message });
    await row.click();
    for (const text of ['rule disagreement', 'approve', 'review']) expect(await row.innerText()).toContain(text);
    await page.screenshot({ path: join(pictures, 'findings-rules.png') });
    await page.keyboard.press('l');
    await row.waitFor({ state: 'detached' });
    type Found = { items: { id: string; expected_decision: string }[] };
    const { body } = await workbench.call<Found>('GET', `${path}/examples?page_size=1`);
    expect(body.items[0]?.expected_decision).toBe('review');
    await workbench.call('DELETE', `${path}/examples/${body.items[0]?.id}`);
  });

  test('V keeps the label of a suspect and takes it off the list', async () => {
    type Found = { total: number; stale: boolean; items: { example: { input_payload: { message: string } } }[] };
    const find = async () => (await workbench.call<Found>('GET', `${path}/data-findings?kind=suspect_label`)).body;
    await expect.poll(async () => (await find()).stale).toBe(false);
    const before = await find();
    const message = before.items[0]?.example.input_payload.message ?? '';
    const suspects = page.getByRole('grid', { name: 'Findings' }).getByRole('row').filter({ hasText: 'suspect label' });
    const row = suspects.filter({ hasText: message });
    await row.click();
    await page.keyboard.press('v');
    await row.waitFor({ state: 'detached' });
    expect((await find()).total).toBe(before.total - 1);
    await page.keyboard.press('u');
    await row.waitFor();
    expect((await find()).total).toBe(before.total);
  });

  test('proposes rules, and one click adds one to the draft', async () => {
    await goToPlace(page, 'Rules');
    const lines = page.getByRole('grid', { name: 'Rules' }).locator('.lines [role=row]');
    await expect.poll(() => lines.filter({ hasText: /\d+ of \d+/ }).count()).toBe(3);
    await page.getByRole('button', { name: 'Look for rules' }).click();
    const proposals = page.getByRole('region', { name: 'Suggestions' });
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
