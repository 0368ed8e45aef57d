/** Where a policy with many options is wrong: more than a matrix could show. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWindow, type Window } from './browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from './workbench-process.ts';

const optionCount = 24;
const rowsPerOption = 40;
/** How far the values of an option reach into its neighbours', so that some rows cannot be told apart. */
const reach = 1.6;
const options = Array.from({ length: optionCount }, (_, index) => `topic ${index} ${'long '.repeat(8).trim()}`);

describe('many options', () => {
  let workbench: RunningWorkbench;
  let opened: Window;

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name: 'topics', options });
    const path = `/api/v1/decision-types/${made.body.id}`;
    const examples = options.flatMap((decision, index) =>
      Array.from({ length: rowsPerOption }, (_, row) => ({
        input: { x: index + (reach * row) / rowsPerOption, y: row },
        decision,
      })),
    );
    await workbench.call('POST', `${path}/examples`, { examples });
    const started = await workbench.call<{ policy_id: string }>('POST', `${path}/train`, { tune_hyperparams: false });
    const progress = `${path}/policies/${started.body.policy_id}/progress`;
    while ((await workbench.call<{ status: string }>('GET', progress)).body.status === 'training') await wait(300);
    opened = await openWindow(workbench, `#/types/${made.body.id}/evaluate`, {
      viewport: { width: 1024, height: 700 },
    });
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  test('are shown as the commonest mistakes first, in sight, and a click opens their rows in sight', async () => {
    const { page } = opened;
    const cells = page.getByRole('button', { name: /^\d+ examples of topic .* decided as topic/ });
    await cells.first().waitFor();
    const counts = (await cells.allInnerTexts()).map(Number);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1024);
    const sight = { x: 0, y: 0, width: 1024, height: 700 };
    const isInSight = (box: typeof sight | null) =>
      box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= 1024 && box.y < sight.height;
    expect(isInSight(await cells.first().boundingBox())).toBe(true);
    await cells.first().click();
    const inspector = page.getByRole('region', { name: /decided as/ });
    await inspector.getByText(/\d+ in all, most confident first/).waitFor();
    expect(isInSight(await inspector.boundingBox())).toBe(true);
    expect(opened.faults).toEqual([]);
  });
});
