/** An analyst says what errors cost, and thresholds follow. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CostFinding, Costs } from '../../../src/engine/costs.ts';
import type { ConfidenceThresholds } from '../../../src/engine/domain/definition.ts';
import { openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { startSample } from '../tools/sample.ts';
import type { RunningWorkbench } from '../tools/workbench-process.ts';

describe('errors cost money', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let page: Page;
  let path: string;
  let policyPath: string;

  beforeAll(async () => {
    const sample = await startSample();
    ({ workbench, path } = sample);
    policyPath = `${path}/policies/${sample.policyId}`;
    opened = await openWindow(workbench, `#/types/${sample.type}/evaluate`, { viewport: { width: 1024, height: 700 } });
    page = opened.page;
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  type Type = {
    costs: Costs | null;
    draft: { settings: { confidence_thresholds?: ConfidenceThresholds } } | null;
    active_version: { options: string[]; confidence_thresholds: ConfidenceThresholds };
  };
  const readType = async () => (await workbench.call<Type>('GET', path)).body;
  const readThresholds = async () => (await readType()).active_version.confidence_thresholds;
  const panel = () => page.getByRole('region', { name: 'How much to automate' });
  const undo = (said: string) =>
    page.getByRole('alert').filter({ hasText: said }).getByRole('button', { name: 'Undo', exact: true }).click();
  const write = (amount: number) => Math.round(amount).toLocaleString('en-US');

  test('costs are set in a sheet of options by options, and Undo takes them back [CST-5]', async () => {
    const [first = '', second = ''] = (await readType()).active_version.options;
    const fill = async () => {
      await panel().getByRole('button', { name: 'Set costs…' }).click();
      await panel().getByLabel('Currency').fill('€');
      await panel().getByLabel('Manual review').fill('1.45');
      await panel().getByLabel('Error', { exact: true }).fill('3');
      await panel().getByLabel(`Cost where ${first} is right and ${second} is decided`).fill('12.5');
      await panel().getByRole('button', { name: 'Save costs' }).click();
      await panel()
        .getByText(/€ all by hand$/)
        .waitFor();
    };
    await fill();
    const costs = { currency: '€', look: 1.45, wrong: 3, pairs: [{ right: first, decided: second, cost: 12.5 }] };
    expect((await readType()).costs).toEqual(costs);
    await undo('Costs are saved.');
    await panel().getByRole('button', { name: 'Set costs…' }).waitFor();
    expect((await readType()).costs).toBeNull();
    await fill();
    expect((await readType()).costs).toEqual(costs);
  });

  test('amounts are those of the interface, and one button takes the thresholds and is undone [CST-5]', async () => {
    const strict = { auto_decide: 1, escalation: 0.3 };
    await workbench.call('PUT', path, { confidence_thresholds: strict });
    await page.reload();
    await panel().getByRole('button', { name: 'Take the cheapest' }).waitFor();
    const { body: found } = await workbench.call<CostFinding>('GET', `${policyPath}/costs`);
    const { now, suggested, by_hand } = found;
    expect(suggested?.per_1000).toBeLessThan(now?.per_1000 ?? 0);
    await panel()
      .getByText(`${write(now?.per_1000 ?? 0)} € per 1,000`)
      .waitFor();
    await panel()
      .getByText(`${write(suggested?.per_1000 ?? 0)} € at the cheapest thresholds`)
      .waitFor();
    await panel()
      .getByText(`${write(by_hand?.per_1000 ?? 0)} € all by hand`)
      .waitFor();
    await panel().scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(pictures, 'costs.png') });
    await panel().getByRole('button', { name: 'Take the cheapest' }).click();
    const readDraft = async () => (await readType()).draft?.settings.confidence_thresholds;
    await expect.poll(readDraft).toEqual(suggested?.thresholds);
    expect(await readThresholds()).toEqual(strict);
    await undo('In the draft: The classifier decides alone');
    await expect.poll(readDraft).toBe(undefined);
  });

  test('costs saved between two steps of the thresholds by one person are nobody else’s change [DRA-7]', async () => {
    await page.getByRole('slider', { name: 'Decide directly from' }).press('ArrowLeft');
    const keep = page.getByRole('button', { name: 'Keep as draft' });
    await keep.waitFor();
    for (const look of ['1.5', '1.45']) {
      await panel().getByRole('button', { name: 'Change costs…' }).click();
      await panel().getByLabel('Manual review').fill(look);
      await panel().getByRole('button', { name: 'Save costs' }).click();
      await expect.poll(async () => (await readType()).costs?.look).toBe(Number(look));
    }
    await keep.click();
    await expect.poll(async () => (await readType()).draft?.settings.confidence_thresholds).toBeDefined();
    expect(opened.faults).toEqual([]);
  });

  test('a sheet that is open fits the window, and bad costs are refused at their place [CST-1]', async () => {
    await panel().getByRole('button', { name: 'Change costs…' }).click();
    await panel().getByLabel('Currency').scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(pictures, 'cost-sheet.png') });
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    const sheet = panel().getByRole('table', { name: 'Costs by right and decided option' });
    const { length } = (await readType()).active_version.options;
    expect((await sheet.boundingBox())?.height).toBeLessThan((length + 1) * 60);
    await panel().getByLabel('Manual review').fill('9000000000');
    await panel().getByRole('button', { name: 'Save costs' }).click();
    await panel().getByRole('alert').getByText(/costs/).first().waitFor();
    expect((await readType()).costs?.look).toBe(1.45);
    expect(opened.faults.filter((fault) => !fault.includes('422'))).toEqual([]);
  });
});
