/** Before another policy is put in charge: what it would change on the inputs that programs sent last. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listViolations } from '../tools/axe.ts';
import { isInSight, openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { startSample } from '../tools/sample.ts';
import type { RunningWorkbench } from '../tools/workbench-process.ts';

type Page<Item> = { items: Item[]; total: number };

describe('the replay of the log', () => {
  let workbench: RunningWorkbench;
  let path: string;
  let opened: Window;

  beforeAll(async () => {
    const sample = await startSample();
    ({ workbench, path } = sample);
    await workbench.call('POST', `${path}/policies`, { kind: 'rules_only' });
    for (const page of [1, 2]) {
      const examples = await workbench.call<Page<{ input_payload: object }>>(
        'GET',
        `${path}/examples?page_size=60&page=${page}`,
      );
      for (const { input_payload: input } of examples.body.items) {
        await workbench.call('POST', '/api/v1/decide', { decision_type: 'refund-requests', input });
      }
    }
    opened = await openWindow(workbench, `#/types/${sample.type}/deploy`);
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  const part = () => opened.page.getByRole('region', { name: 'What v2 would change' });

  test('is asked for by key, and counts and lists what would be decided differently [RPL-2]', async () => {
    const { page } = opened;
    await page.getByRole('button', { name: 'Replay the log with v2' }).waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    await page.locator('input[aria-label="Search commands"]:focus').waitFor();
    await page.keyboard.type('replay the log');
    await page.getByText('Replay the log with v2').last().waitFor();
    await page.keyboard.press('Enter');
    await part().getByRole('button', { name: 'Close' }).waitFor();
    // Rules alone answer “review” wherever no rule decides.
    const records = [1, 2].map((of) =>
      workbench.call<Page<{ decision: string; stage: string }>>('GET', `${path}/logs?page_size=60&page=${of}`),
    );
    const logged = (await Promise.all(records)).flatMap(({ body }) => body.items);
    const changed = logged.filter(({ decision, stage }) => stage !== 'rules' && decision !== 'review').length;
    expect([logged.length, changed > 0]).toEqual([120, true]);
    expect(await part().getByRole('status').innerText()).toBe(`On the last 120 decisions, v2 would change ${changed}.`);
    const rows = part().locator('tbody tr');
    expect(await rows.count()).toBe(changed);
    expect(await rows.first().innerText()).toMatch(/(approve|deny)\s+[\d.]+%\s+review\s+fallback$/);
    await page.screenshot({ path: join(pictures, 'replay.png') });
    expect(await listViolations(page)).toEqual([]);
    expect((await workbench.call<Page<object>>('GET', `${path}/logs`)).body.total).toBe(120);
    await page.setViewportSize({ width: 1024, height: 700 });
    for (const name of ['Replay the log with v2', 'Deploy v2']) {
      expect([name, await isInSight(page.getByRole('button', { name }))]).toEqual([name, true]);
    }
    await part().getByRole('button', { name: 'Close' }).click();
    expect(await part().count()).toBe(0);
  });

  test('says how far it is, and keeps what it found when it is stopped [RPL-2]', async () => {
    const { page } = opened;
    const held = Promise.withResolvers<void>();
    await page.route(/replay\?page=2/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Replay the log with v2' }).click();
    await part()
      .getByText(/^On the last 50 decisions/)
      .waitFor();
    expect(await part().getByRole('progressbar').getAttribute('value')).toMatch(/^0\.4[12]/);
    await part().getByRole('button', { name: 'Stop' }).click();
    held.resolve();
    await part().getByRole('button', { name: 'Close' }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    expect(await part().getByRole('status').innerText()).toMatch(/^On the last (50|100) decisions/);
  });

  test('leaves nothing wrong behind the page', () => expect(opened.faults).toEqual([]));
});
