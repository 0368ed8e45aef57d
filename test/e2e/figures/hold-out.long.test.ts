/** Answers that hold for a month: they are tested on the newest by themselves, both figures stay, and one press answers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMonthlyRequests } from '../../monthly-requests.ts';
import { goToPlace, openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

const dateField = 'date and time at which the request was opened by the customer';
/** Of each month, some whose answer follows its habit are named as a part to test on: easier ones. */
const examples = createMonthlyRequests(1000, dateField).map(({ input, decision }, i) => ({
  input: { ...input, part: i % 10 < 9 && i % 3 === 0 ? 'test' : 'rest' },
  decision,
}));

type Detail = {
  status: string;
  verdict: object[];
  promise_standing: object;
  metrics: { split: object; other_ways: { split: object; sentence: string }[] };
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

  const read = async () => {
    const [policy] = (await workbench.call<{ id: string }[]>('GET', `${path}/policies`)).body;
    return (await workbench.call<Detail>('GET', `${path}/policies/${policy?.id}`)).body;
  };

  test('are tested on the newest by themselves, both figures are said, and one press answers [HLD-7] [HLD-8]', async () => {
    const { page, faults } = opened;
    const way = page.getByRole('combobox', { name: 'Test it on' });
    expect(await way.inputValue()).toBe('random');
    await page.getByRole('button', { name: 'Start training' }).click();
    const figures = page.getByText(
      /Of the newest by .* a draft of the classifier gets [\d.]+% right, of examples held out at random [\d.]+%/,
    );
    await figures.waitFor({ timeout: 600_000 });
    await page
      .getByText(/^Held out: the newest examples by/)
      .first()
      .waitFor();
    await look('found');
    await workbench.call('PUT', `${path}/promise`, { target_error: 0.2, certainty: 0.95 });
    const { status, verdict, promise_standing, metrics } = await read();
    expect(status).toBe('trained');
    expect(metrics.split).toMatchObject({ rule: 'date', field: dateField, found: true });
    expect(metrics.other_ways).toMatchObject([{ split: { by: 'random' }, standing: 'higher' }]);
    const question = expect.stringMatching(/^Will it be asked about times after these/);
    expect(verdict).toContainEqual({ kind: 'split', state: 'blocking', sentence: question });
    expect(promise_standing).toMatchObject({ state: 'not_kept' });
    await goToPlace(page, 'Evaluate');
    await figures.waitFor();
    await figures.scrollIntoViewIfNeeded();
    await look('asked');
    await page.getByRole('button', { name: 'About later times' }).click();
    await page.getByText(/^Will it be asked about/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Take the answer back' }).waitFor();
    await look('answered');
    expect((await workbench.call<object>('GET', path)).body).toMatchObject({
      one_case: { by: 'date', field: dateField },
    });
    expect(faults).toEqual([]);
  });

  test('are never measured on easier rows alone: one press trains in the stricter way [HLD-8]', async () => {
    const { page, faults } = opened;
    await goToPlace(page, 'Train');
    const way = page.getByRole('combobox', { name: 'Test it on' });
    await way.selectOption('column');
    await page.getByText(/Tested on the examples whose field says test/).waitFor();
    await page.getByRole('combobox', { name: 'Field' }).selectOption('part');
    await page.getByRole('button', { name: 'Start training' }).click();
    const proposal = page.getByText(
      /Of those that .part. names the classifier gets [\d.]+% right, of examples held out at random/,
    );
    await proposal.waitFor({ timeout: 600_000 });
    const { verdict, promise_standing, metrics } = await read();
    const [stricter] = metrics.other_ways;
    expect(stricter).toMatchObject({ split: { by: 'random' }, standing: 'lower' });
    expect(verdict).toContainEqual({ kind: 'split', state: 'warning', sentence: stricter?.sentence });
    expect(promise_standing).toMatchObject({
      state: 'not_kept',
      sentence: expect.stringContaining('Hold them out at random and train again'),
    });
    await goToPlace(page, 'Evaluate');
    await proposal.waitFor();
    await proposal.scrollIntoViewIfNeeded();
    await look('proposed');
    await page.getByRole('button', { name: 'Hold them out and train' }).click();
    await page
      .getByText(/Policy v3/)
      .first()
      .waitFor();
    await page
      .getByText(/^Held out: the newest examples by/)
      .first()
      .waitFor({ timeout: 600_000 });
    await page.getByText(/Of the newest by .* the classifier gets/).waitFor({ timeout: 600_000 });
    // Nobody chose another way: the type's answer holds them out.
    expect(await way.inputValue()).toBe('random');
    await page.getByText(/on new customers, times or wordings where the type says so/).waitFor();
    await way.selectOption('date');
    expect(await page.getByRole('combobox', { name: 'Field' }).inputValue()).toBe(dateField);
    await way.scrollIntoViewIfNeeded();
    await look('chosen');
    await way.selectOption('random');
    expect(await page.getByRole('combobox', { name: 'Field' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
