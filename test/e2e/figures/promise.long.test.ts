/** Somebody promises an error on the page, trains again, and sees what becomes of the promise. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { terminal } from '../../server/workbench.ts';
import { goToPlace, openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { startSample } from '../tools/sample.ts';
import type { RunningWorkbench } from '../tools/workbench-process.ts';

describe('a promise on the page', () => {
  let workbench: RunningWorkbench;
  let path: string;
  let opened: Window;

  beforeAll(async () => {
    const sample = await startSample();
    ({ workbench, path } = sample);
    opened = await openWindow(workbench, `#/types/${sample.type}/evaluate`);
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  async function promise(percent: string): Promise<void> {
    await opened.page.getByRole('textbox', { name: /wrong at most/i }).fill(percent);
    await opened.page.getByRole('button', { name: 'Promise this' }).click();
  }
  async function train(): Promise<string> {
    const { body } = await workbench.call<{ policy_id: string }>('POST', `${path}/train`, { tune_hyperparams: false });
    const policy = `${path}/policies/${body.policy_id}`;
    for (;;) {
      const answer = await workbench.call<{ status: string }>('GET', `${policy}/progress`);
      if (terminal(answer)) return answer.body.status;
      await wait(300);
    }
  }

  test('is declared at the desk, and kept through a training [PRM-10]', async () => {
    const { page } = opened;
    await page.getByText('No error limit promised').waitFor();
    await promise('20');
    await page.getByText('Promise kept').waitFor();
    expect(await train()).toBe('deployed');
    await goToPlace(page, 'Deploy');
    await page.getByRole('row', { name: /v2 deployed/ }).waitFor();
    await page.getByText('Promise kept').waitFor();
    await page
      .getByText(/The promise is kept: at most 20% of automatic decisions are wrong, with 95% certainty/)
      .waitFor();
    await page.screenshot({ path: `${pictures}/promise-kept.png` });
    const { body } = await workbench.call<{ items: { input_payload: object }[] }>(
      'GET',
      `${path}/examples?page_size=1`,
    );
    const input = body.items[0]?.input_payload;
    await workbench.call('POST', '/api/v1/decide', { decision_type: 'refund-requests', input });
    await goToPlace(page, 'Monitor');
    await page.getByText('Promise kept').waitFor();
  });

  test('that the next policy cannot keep holds it back, and a deployment by hand says so [PRM-11]', async () => {
    const { page } = opened;
    await goToPlace(page, 'Evaluate');
    await promise('0.1');
    await page.getByText('Promise not kept').waitFor();
    expect(await train()).toBe('trained');
    await goToPlace(page, 'Deploy');
    await page.getByRole('row', { name: /v3 trained held back/ }).waitFor();
    await page
      .getByText(/Policy v3 is held back\. The promise of at most 0\.1% wrong with 95% certainty is not kept/)
      .waitFor();
    await page.screenshot({ path: `${pictures}/promise-held-back.png` });
    const deploy = page.getByTestId('main').getByRole('button', { name: 'Deploy v3' });
    const table = page.locator('.scroll', { has: page.getByRole('button', { name: 'Deploy v3' }) });
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await deploy.click();
    await page.getByText(/To release it anyway, give a reason/).waitFor();
    // Chromium logs the refusal.
    expect(opened.faults.splice(0)).toEqual([expect.stringContaining('status of 409')]);
    await page.getByLabel('Reason').fill('Agreed with the desk of complaints.');
    await deploy.click();
    await page.getByText(/Policy v3 is deployed\. The promise of at most 0\.1% .* is not kept/).waitFor();
    await page.getByRole('row', { name: /v3 deployed/ }).waitFor();
    await goToPlace(page, 'Evaluate');
    await page.getByText('Promise not kept').first().waitFor();
    await page.getByRole('button', { name: 'Withdraw the promise' }).click();
    await page.getByText('No error limit promised').waitFor();
  });

  test('nothing went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
