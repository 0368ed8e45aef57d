/** On the page: a training on what the rules leave, and what it says once they have changed. */
import { afterAll, expect, test } from 'vitest';
import { openWindow, pictures } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

let workbench: RunningWorkbench;
afterAll(() => workbench?.stop());

const rules = [{ name: 'heavy', condition: 'ctx.weight > 150', then: 'parcel', priority: 1 }];
const rows = (decision: string, from: number) =>
  Array.from({ length: 90 }, (_, i) => ({ input: { weight: from + i + i / 7 }, decision }));

test('a type trains on what its rules leave, says so, and asks for a new training when they change [LFT-1] [LFT-2] [LFT-3]', async () => {
  workbench = await startWorkbenchProcess();
  const call = <T>(method: 'GET' | 'POST' | 'PUT', address: string, body?: unknown) =>
    workbench.call<T>(method, address, body);
  const type = { name: 'post', options: ['letter', 'parcel'], hard_rules: rules };
  const { id } = (await call<{ id: string }>('POST', '/api/v1/decision-types', type)).body;
  const path = `/api/v1/decision-types/${id}`;
  await call('POST', `${path}/examples`, { examples: [...rows('letter', 0), ...rows('parcel', 100)] });
  const ruled = rows('parcel', 100).filter(({ input }) => input.weight > 150).length;

  const { page, faults, close } = await openWindow(workbench, `#/types/${id}/train`);
  const go = (place: string) => page.goto(`${page.url().split('#')[0]}#/types/${id}/${place}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByLabel('Learn only what the rules leave').check();
  await page.getByText(`Rules decide ${ruled} of them, which do not count here.`).waitFor();
  await page.screenshot({ path: `${pictures}/left-by-rules-options.png` });
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.getByText('Trained and live', { exact: true }).waitFor({ timeout: 600_000 });
  await page
    .getByText(`${ruled} of 180 examples are decided by a rule: the classifier did not learn from them`)
    .waitFor();
  await page.screenshot({ path: `${pictures}/left-by-rules-result.png` });

  await call('PUT', path, { hard_rules: [] });
  const said = 'the conditions of the rules have changed since. Train the type again';
  await page.getByText(said).waitFor();
  await go('deploy');
  await page.getByText(said).waitFor();
  await page.screenshot({ path: `${pictures}/left-by-rules-deploy.png` });

  expect(faults).toEqual([]);
  await close();
});
