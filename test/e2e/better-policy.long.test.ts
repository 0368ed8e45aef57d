/** Under Train a better text model is made by itself: offered in words, deployed by one press, or given up. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { negatedRemarks as examples } from '../engine/training/tune/tuning-request.ts';
import { openWindow, pictures, type Window } from './tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from './tools/workbench-process.ts';

const options = ['praise', 'complaint'];
const config = { tune_hyperparams: false, tuning_tokens: 20_000 };
const tuningMs = { timeout: 600_000 };

describe('a better text model', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let name: string;
  let path: string;
  type Listed = { version: number; status: string; follows: string | null };
  const list = async () =>
    (await workbench.call<Listed[]>('GET', `${path}/policies`)).body.map(({ version, status, follows }) => ({
      version,
      status,
      isBetter: follows !== null,
    }));
  const tuning = () => opened.page.getByText('The text model is being tuned in the background.');

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
  });
  afterAll(() => workbench?.stop());
  // A type for each attempt: its versions are counted from 1.
  beforeEach(async () => {
    name = `remarks ${Date.now()}`;
    const { body } = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name, options });
    path = `/api/v1/decision-types/${body.id}`;
    await workbench.call('POST', `${path}/examples`, { examples });
    opened = await openWindow(workbench, `#/types/${body.id}/train`);
  });
  afterEach(() => opened?.close());

  test('is given up by Stop, and else offered in words and decides after one press [BTR-2]', async () => {
    const { page, faults } = opened;
    await workbench.call('POST', `${path}/train`, config);
    await page.getByText('Policy v1').first().waitFor();
    await tuning().waitFor(tuningMs);
    await page.getByText('Trained and live', { exact: true }).waitFor();
    await page.screenshot({ path: join(pictures, 'better-text-model-tuned.png') });
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await tuning().waitFor({ state: 'detached' });
    expect(await list()).toEqual([{ version: 1, status: 'deployed', isBetter: false }]);

    await workbench.call('POST', `${path}/train`, config);
    await page.getByText(/v3 is right on \d+ of \d+ instead of \d+/).waitFor(tuningMs);
    await page.screenshot({ path: join(pictures, 'better-text-model-offered.png') });
    expect((await list())[0]).toEqual({ version: 3, status: 'trained', isBetter: true });
    const deploy = page.getByRole('button', { name: 'Deploy it' });
    expect(await deploy.count()).toBe(1);
    await deploy.click();
    await deploy.waitFor({ state: 'detached' });
    await page.getByTestId('main').getByRole('button', { name: 'Try it' }).waitFor();
    const asked = { decision_type: name, input: examples[0]?.input };
    const { body } = await workbench.call<{ policy_version: string }>('POST', '/api/v1/decide', asked);
    expect(body.policy_version).toBe('v3');
    await page.screenshot({ path: join(pictures, 'better-text-model-deployed.png') });
    expect(faults).toEqual([]);
  });
});
