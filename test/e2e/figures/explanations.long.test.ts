/** Why a decision was made and what would change it, wherever decisions are read: Try, Monitor and Evaluate. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Explanation } from '../../../src/server/contract/deciding/decisions.ts';
import { listViolations } from '../tools/axe.ts';
import { goToAddress, openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { startSample } from '../tools/sample.ts';
import type { RunningWorkbench } from '../tools/workbench-process.ts';

/** Markup, text that runs backwards, a word without end, numbers out of measure. */
const hostile = {
  message: `<img src=x onerror="document.title='run'"> \u202Eback\u202C ${'endless'.repeat(120)} I want a refund please`,
  amount: 1e21,
  '"><script>': 'x'.repeat(400),
};

describe('the explanation of a decision', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let page: Page;
  let path: string;
  let type: string;
  /** Where a cell with wrong rows is open. */
  let evaluate: string;
  const panel = () => page.getByRole('region', { name: 'Explanation' });
  const flips = () => panel().getByRole('region', { name: 'What would change it' });
  const open = (place: string) => goToAddress(page, `#/types/${type}/${place}`);
  const total = async () => (await workbench.call<{ total: number }>('GET', `${path}/logs`)).body.total;

  beforeAll(async () => {
    ({ workbench, type, path } = await startSample());
    const decided = await workbench.call('POST', '/api/v1/decide', {
      decision_type: 'refund-requests',
      input: hostile,
    });
    expect(decided.status).toBe(200);
    // The examples most like an input are known once the labelling model has read them all.
    const [example] = (await workbench.call<{ items: { id: string }[] }>('GET', `${path}/examples`)).body.items;
    const explain = `${path}/examples/${example?.id}/explain`;
    while ((await workbench.call<Explanation>('POST', explain)).body.nearest.length === 0) await wait(300);
    opened = await openWindow(workbench, `#/types/${type}/try`);
    page = opened.page;
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  test('stands under Try beside the answer, says what the server says, and leaves no record', async () => {
    const before = await total();
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const editor = page.getByLabel('Input (JSON)');
    const input = JSON.parse(await editor.inputValue());
    /** Types the input; the answer to what stood there before may still be on its way. */
    const ask = async (amount: number): Promise<Explanation> => {
      const answered = page.waitForResponse(
        (response) =>
          response.url().includes('explain=true') && response.request().postDataJSON().input.amount === amount,
      );
      await editor.fill(JSON.stringify({ ...input, amount }));
      return (await (await answered).json()).explain;
    };
    // The search has 150 ms; on a busy machine they may be over before it finds anything.
    let explain = await ask(1500);
    for (let amount = 1501; explain.flips.length === 0; amount += 1) explain = await ask(amount);
    await expect.poll(() => flips().getByRole('listitem').count()).toBe(explain.flips.length);
    for (const [index, flip] of explain.flips.entries()) {
      const sentence = await flips().getByRole('listitem').nth(index).innerText();
      expect(sentence).toContain(flip.decision);
      for (const { field } of flip.changes) expect(sentence).toContain(field);
    }
    expect(await total()).toBe(before);
  });

  test('shows the labelled examples that are most like the input, each whole on a click', async () => {
    const near = panel().getByRole('region', { name: 'Labelled examples most like it' }).getByRole('button').first();
    await near.click();
    expect(await near.getAttribute('aria-expanded')).toBe('true');
    await panel().getByRole('row').first().waitFor();
  });

  test('follows what is typed', async () => {
    const input = { message: 'Where is my parcel? It should have been here a week ago.', amount: 20 };
    await page.getByLabel('Input (JSON)').fill(JSON.stringify(input));
    const words = panel().getByRole('region', { name: 'Words that weighed in' });
    // Any of them: in the time that it may take, a busy machine does not weigh each word.
    await words
      .getByText(/^(?:Where|parcel|should|been|here|week|ago)\s*$/)
      .first()
      .waitFor();
  });

  test('is asked for under Monitor by a key, whatever is in the record, and stays asked for', async () => {
    await open('monitor');
    await page.getByRole('grid', { name: 'Decisions' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('heading', { name: 'Record' }).waitFor();
    await page.keyboard.press('w');
    await panel()
      .getByText(/^Release 1 with policy v1 decides/)
      .waitFor();
    await panel()
      .getByRole('region', { name: 'Rules' })
      .getByText('not reached')
      .or(panel().getByText('✕ no'))
      .first()
      .waitFor();
    await page.reload();
    await panel()
      .getByText(/^Release 1 with policy v1 decides/)
      .waitFor();
    expect(await page.title()).not.toBe('run');
  });

  test('stands under Evaluate below a row that was decided wrongly', async () => {
    const [policy] = (await workbench.call<{ id: string }[]>('GET', `${path}/policies`)).body;
    const options = ['approve', 'deny', 'review'];
    const cells = options.flatMap((right) => options.map((decided) => ({ right, decided })));
    const counts = await Promise.all(
      cells.map(async ({ right, decided }) => {
        const rows = `${path}/policies/${policy?.id}/held-out?expected=${right}&predicted=${decided}`;
        return (await workbench.call<{ total: number }>('GET', rows)).body.total;
      }),
    );
    const wrong = cells.find(({ right, decided }, index) => right !== decided && counts[index] !== 0);
    expect(wrong).toBeDefined();
    evaluate = `evaluate?right=${wrong?.right}&decided=${wrong?.decided}`;
    await open(evaluate);
    await panel().getByRole('button', { name: 'Explain' }).click();
    await panel()
      .getByText(/^The deployed policy v1 decides/)
      .waitFor();
    await flips().waitFor();
  });

  test.each(['light', 'dark'] as const)('has no violation and stays within its pane, %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(
      ([name, value]) => window.localStorage.setItem(`decision-workbench.kept.try.${name}`, value ?? ''),
      [type, JSON.stringify(hostile, null, 2)],
    );
    const [record] = (await workbench.call<{ items: { id: string }[] }>('GET', `${path}/logs`)).body.items;
    const smallest = { width: 1024, height: 700 };
    for (const place of [`monitor?record=${record?.id}`, 'try', evaluate]) {
      await open('deploy');
      await page.getByRole('heading', { name: 'Deploy', level: 1 }).waitFor();
      await open(place);
      await flips().waitFor();
      await expect.poll(() => panel().locator('[aria-busy=true]').count()).toBe(0);
      for (const viewport of [{ width: 2560, height: 1440 }, smallest]) {
        await page.setViewportSize(viewport);
        // Not by Playwright, which wants the part to stay the same element meanwhile.
        await flips().evaluate((part) => part.scrollIntoView({ block: 'nearest' }));
        const name = `explanation-${place.split('?')[0]}-${viewport.width}-${colorScheme}.png`;
        await page.screenshot({ path: join(pictures, name) });
        const isTooWide = await panel().evaluate((part) => part.scrollWidth > part.clientWidth + 1);
        expect([name, isTooWide]).toEqual([name, false]);
      }
      expect([place, await listViolations(page)]).toEqual([place, []]);
    }
  });

  test('nothing went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
