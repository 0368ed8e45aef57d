/** Answers that hold for a month: the page proposes to hold out the newest, one press does, and both figures stay. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMonthlyRequests } from '../../monthly-requests.ts';
import { goToPlace, openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

const dateField = 'date and time at which the request was opened by the customer';
const examples = createMonthlyRequests(1000, dateField);

type Detail = {
  verdict: object[];
  promise_standing: object;
  metrics: { other_ways: { split: object; sentence: string }[] };
};

describe('examples whose answers hold for a month', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let path: string;

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    const type = { name: 'requests', options: ['call back', 'write'] };
    const { body } = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', type);
    path = `/api/v1/decision-types/${body.id}`;
    await workbench.call('POST', `${path}/examples`, { examples });
    opened = await openWindow(workbench, `#/types/${body.id}/train`);
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  async function look(name: string): Promise<void> {
    const { page } = opened;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const [width, height] of [
        [1024, 700],
        [2560, 1440],
      ] as const) {
        await page.setViewportSize({ width, height });
        await page.screenshot({ path: `${pictures}/hold-out-${name}-${colorScheme}-${width}.png` });
      }
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1440, height: 900 });
  }

  test('are tested on the newest at one press, and both figures are said [HLD-7] [HLD-8]', async () => {
    const { page, faults } = opened;
    const way = page.getByRole('combobox', { name: 'Test it on' });
    expect(await way.inputValue()).toBe('random');
    await page.getByRole('button', { name: 'Start training' }).click();
    await page.getByText(/Of examples held out at random the classifier gets/).waitFor({ timeout: 600_000 });
    await look('proposed');
    const newest = async () => {
      const [policy] = (await workbench.call<{ id: string }[]>('GET', `${path}/policies`)).body;
      return (await workbench.call<Detail>('GET', `${path}/policies/${policy?.id}`)).body;
    };
    const terms = { target_error: 0.2, certainty: 0.95 };
    await workbench.call('PUT', `${path}/promise`, terms);
    const { verdict, promise_standing, metrics } = await newest();
    const [stricter] = metrics.other_ways;
    expect(stricter).toMatchObject({ split: { by: 'date', field: dateField }, standing: 'lower' });
    expect(verdict).toContainEqual({ kind: 'split', state: 'warning', sentence: stricter?.sentence });
    expect(promise_standing).toMatchObject({
      state: 'not_kept',
      sentence: expect.stringContaining(`Hold them out by the date ${JSON.stringify(dateField)} and train again`),
    });
    await goToPlace(page, 'Evaluate');
    const proposal = page.getByText(
      /Of examples held out at random the classifier gets [\d.]+% right, of the newest by/,
    );
    await proposal.waitFor();
    await proposal.scrollIntoViewIfNeeded();
    await look('evaluated');
    await page.getByRole('button', { name: 'Hold them out and train' }).click();
    await page
      .getByText(/Policy v2/)
      .first()
      .waitFor();
    await page
      .getByText(/^Held out: the newest examples by/)
      .first()
      .waitFor({ timeout: 600_000 });
    await page.getByText(/Of the newest by .* the classifier gets/).waitFor({ timeout: 600_000 });
    expect(await way.inputValue()).toBe('date');
    expect(await page.getByRole('combobox', { name: 'Field' }).inputValue()).toBe(dateField);
    await way.scrollIntoViewIfNeeded();
    await look('chosen');
    await way.selectOption('column');
    await page.getByText(/Tested on the examples whose field says test/).waitFor();
    await way.selectOption('random');
    expect(await page.getByRole('combobox', { name: 'Field' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
