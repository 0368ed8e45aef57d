/**
 * Whoever wonders about a figure of two policies, one of them tuned, of a record or of a proposed rule reads in one
 * sentence what it is: with the pointer, or with the keyboard.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToAddress, openWindow, type Window, waitForQuiet } from '../tools/browser-page.ts';
import { lookAtFigures } from '../tools/figures.ts';
import { startSample } from '../tools/sample.ts';
import type { RunningWorkbench } from '../tools/workbench-process.ts';

describe('each figure explains itself', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let type: string;
  let policies: string[];
  let record: string;

  beforeAll(async () => {
    const sample = await startSample();
    ({ workbench, type } = sample);
    const { path } = sample;
    // Of the tuning of its text model only the figures count here.
    const config = { tuning_tokens: 20_000 };
    const tuned = (await workbench.call<{ policy_id: string }>('POST', `${path}/train`, config)).body.policy_id;
    type Policy = { metrics: { follow_up?: { state: string } } | null; tuning: string | null };
    const isOver = async () => {
      const { body } = await workbench.call<Policy>('GET', `${path}/policies/${tuned}`);
      return body.metrics?.follow_up?.state === 'done' && body.tuning === null;
    };
    // Until its text model is tuned, too: on a busy machine that takes longer than a page is waited for.
    while (!(await isOver())) await wait(300);
    policies = [sample.policyId, tuned];
    const examples = await workbench.call<{ items: { input_payload: object }[] }>(
      'GET',
      `${path}/examples?page_size=30`,
    );
    for (const { input_payload } of examples.body.items) {
      await workbench.call('POST', '/api/v1/decide', { decision_type: 'refund-requests', input: input_payload });
    }
    record = (await workbench.call<{ items: { id: string }[] }>('GET', `${path}/logs`)).body.items[0]?.id ?? '';
    opened = await openWindow(workbench, '#/', { reducedMotion: 'reduce' });
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  async function show(hash: string): Promise<void> {
    const { page } = opened;
    await goToAddress(page, hash);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await waitForQuiet(page);
  }

  test.each([
    ['train', 8],
    ['evaluate?against=other', 30],
    ['deploy', 10],
    ['monitor?record=newest', 25],
  ])('%s', async (place, fewest) => {
    const named = place.replace('other', policies[0] ?? '').replace('newest', record);
    await show(`#/types/${type}/${named}`);
    await expect.poll(async () => (await lookAtFigures(opened.page)).seen).toBeGreaterThanOrEqual(fewest);
    expect((await lookAtFigures(opened.page)).unexplained).toEqual([]);
  });

  test('proposed rules, too', async () => {
    await show(`#/types/${type}/rules`);
    await opened.page.getByRole('button', { name: 'Look for rules' }).click();
    await opened.page
      .getByRole('table', { name: 'Proposed rules' })
      .or(opened.page.getByText('No condition is'))
      .waitFor();
    expect((await lookAtFigures(opened.page)).unexplained).toEqual([]);
  });

  test('the keyboard reads the same sentence as the pointer, and Escape puts it away', async () => {
    const { page } = opened;
    await show(`#/types/${type}/deploy`);
    const heading = page.getByRole('columnheader', { name: 'Shared test rows' });
    await page.getByRole('button', { name: 'Search or run a command' }).focus();
    for (
      let press = 0;
      press < 80 && !(await heading.evaluate((each) => each === document.activeElement));
      press += 1
    ) {
      await page.keyboard.press('Tab');
    }
    const told = page.getByRole('tooltip');
    await told.waitFor();
    expect(await told.textContent()).toBe(await heading.getAttribute('title'));
    await page.keyboard.press('Escape');
    await told.waitFor({ state: 'detached' });
  });

  test('a figure without a sentence would be found', async () => {
    const { page } = opened;
    await show(`#/types/${type}/deploy`);
    await page.getByRole('columnheader', { name: 'Correct' }).evaluate((each) => each.removeAttribute('title'));
    expect((await lookAtFigures(page)).unexplained.length).toBe(policies.length);
  });

  test('nothing went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
