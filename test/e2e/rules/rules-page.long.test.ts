/** Writing rules in the browser: the editor's help, findings and the rows behind them. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

describe('the Rules page', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let page: Page;
  const lines = () => page.locator('.monaco-editor .view-lines');
  /** What the editor shows; Monaco draws spaces as no-break spaces. */
  const shown = async () => ((await lines().innerText()) ?? '').replaceAll('\u00a0', ' ').replaceAll('\n', '');
  const clear = async () => {
    await lines().click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
  };
  const cells = async (table: string) => page.getByLabel(table, { exact: true }).locator('tbody td').allInnerTexts();

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', {
      name: 'claims',
      options: ['approve', 'deny'],
      reason_codes: ['LIMIT'],
      hard_rules: [
        { name: 'large', condition: 'ctx.amount > 100', then: 'deny', reason_code: null, priority: 10 },
        { name: 'home', condition: 'ctx.country.startsWith("D")', then: 'approve', reason_code: null, priority: 20 },
      ],
    });
    const amounts = [50, 150, 200, 250];
    const added = await workbench.call('POST', `/api/v1/decision-types/${made.body.id}/examples`, {
      examples: amounts.map((amount) => ({
        input: { amount, country: amount < 200 ? 'DE' : 'AT' },
        decision: amount === 250 ? 'approve' : 'deny',
      })),
    });
    expect(added.status).toBe(201);
    opened = await openWindow(workbench, `#/types/${made.body.id}/rules?view=list`, {
      viewport: { width: 1440, height: 1100 },
    });
    page = opened.page;
    await lines().waitFor();
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  test('tells on what basis each finding stands', async () => {
    await page.getByText('1 remark on the rules').click();
    const findings = page.getByRole('list', { name: 'Remarks' });
    await findings.getByText('1 of 4 examples').waitFor();
    expect(await findings.innerText()).toContain('Some examples also match "large", which decides deny first.');
  });

  test('lists by keyboard the examples that disagree with a rule', async () => {
    const summary = page.getByText('1 example disagrees with large');
    await summary.focus();
    await page.keyboard.press('Enter');
    const rows = () => cells('Examples that disagree with large');
    await expect.poll(rows).toEqual(['amount: 250 · country: AT', 'approve', 'deny']);
  });

  test('lists the examples that no rule decides, each with the way to it in the table [RSH-10]', async () => {
    await page.getByText('No rule decides', { exact: false }).waitFor({ state: 'detached' });
    await clear();
    await page.keyboard.type('ctx.amount > 220');
    await page.getByText('No rule decides 1 example').click();
    const link = page.getByRole('link', { name: 'amount: 200 · country: AT' });
    await link.click();
    const row = page.getByRole('grid', { name: 'Examples' }).locator('[data-cursor]');
    await row.getByText('200').waitFor();
    await page.goBack();
    await lines().waitFor();
  });

  test('a rule with a problem hides nothing of the others, and is named [RSH-9]', async () => {
    await clear();
    await page.keyboard.type('ctx.amount >');
    await page.getByText('“large” cannot be tried yet: everything below is without it.').waitFor();
    await expect.poll(async () => (await cells('Effect of each rule')).slice(0, 3)).toEqual(['home', '2', '0 (0.0 %)']);
    await page.getByLabel('Input (JSON)').fill('{"amount": 150, "country": "DE"}');
    await page.getByText('Decides approve').waitFor();
    await page.screenshot({ path: join(pictures, 'rules-left-out.png'), fullPage: true });
  });

  test('keeps every character of fast typing, with the cursor where it was', async () => {
    await clear();
    const typed = 'ctx.amount > 1000 && ctx.amount < 2000 || ctx.amount == 5000 && ctx.amount != 7000';
    await page.keyboard.type(typed);
    await expect.poll(shown).toBe(typed);
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.type('!ctx.blocked && ');
    await expect.poll(shown).toBe(`!ctx.blocked && ${typed}`);
  });

  test('completes a field that the examples have', async () => {
    await clear();
    await page.keyboard.type('ctx.cou');
    const suggestion = page.locator('.suggest-widget .monaco-list-row').filter({ hasText: 'country' });
    await suggestion.waitFor();
    await page.screenshot({ path: join(pictures, 'rules-completion.png') });
    await page.keyboard.press('Enter');
    await expect.poll(shown).toBe('ctx.country');
  });

  test('marks every mistake while typing, and says what was meant', async () => {
    await clear();
    await page.keyboard.type('ctx.amout > 1 && ctx.country.startWith("D") && foo > 2');
    await page.getByText('Did you mean startsWith?').waitFor();
    await page.getByText('Did you mean ctx.foo?').waitFor();
    await expect.poll(() => page.locator('.squiggly-error').count()).toBeGreaterThan(1);
  });

  test('explains the field under the pointer', async () => {
    await clear();
    await page.keyboard.type('ctx.amount>100&&(ctx.country=="DE")');
    await page.keyboard.press('Escape');
    const hover = page.locator('.monaco-hover').filter({ hasText: 'ctx.amount: number' }).first();
    // The line is drawn again while its colours are worked out: what was under the pointer may have gone.
    const point = async () => {
      if (await hover.isVisible()) return true;
      await page.mouse.move(5, 5);
      await lines().getByText('amount').first().hover();
      return false;
    };
    await expect.poll(point, { timeout: 20_000, interval: 1000 }).toBe(true);
    expect(await hover.innerText()).toContain('Seen in examples');
    await page.screenshot({ path: join(pictures, 'rules-hover.png') });
  });

  test('formats the condition, and the page takes it back and again', async () => {
    await page.getByRole('button', { name: 'Format' }).click();
    const formatted = 'ctx.amount > 100 && ctx.country == "DE"';
    await expect.poll(shown).toBe(formatted);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(shown).not.toBe(formatted);
    await page.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(shown).toBe(formatted);
  });

  test('writes another value and outcome back', async () => {
    await clear();
    await page.keyboard.type('ctx.amount > 300 && ctx.country == "DE"');
    await page.keyboard.press('Escape');
    await page.getByLabel('Then').selectOption('approve');
    await page.getByLabel('Reason code').selectOption('LIMIT');
    expect(await page.getByLabel('Then').inputValue()).toBe('approve');
    expect(await page.getByLabel('Reason code').inputValue()).toBe('LIMIT');
  });

  test('lists what the change would decide otherwise', async () => {
    // The analysis follows typing with a delay: an earlier one must not be taken for the last.
    const summary = page.getByText('Saving these rules changes the rule or outcome of 3 of 4 examples.');
    await summary.click();
    await page.getByLabel('Changed examples').waitFor();
    await page.screenshot({ path: join(pictures, 'rules-page.png'), fullPage: true });
    expect(await cells('Changed examples')).toHaveLength(9);
  });

  test('tries the rules as they are typed on an input beside them', async () => {
    const input = page.getByLabel('Input (JSON)');
    await input.fill('{"amount": 350, "country": "DE"}');
    await page.getByText('Decides approve').waitFor();
    await page.getByText('ctx.amount = 350').first().waitFor();
    await input.fill('{"amount": 1, "country": "AT"}');
    await page.getByText('No rule matches: the classifier decides.').waitFor();
  });

  test('moves the open rule by keyboard, and the first in the list is asked first', async () => {
    const first = page.getByRole('list', { name: 'Rules' }).getByRole('button').first();
    expect(await first.innerText()).toContain('large');
    await page.getByLabel('Rule name').focus();
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => first.innerText()).toContain('home');
  });

  test('rules are dragged by pointer and by keyboard, and the order saved is the order shown', async () => {
    const { body } = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', {
      name: 'order',
      options: ['approve', 'deny'],
      hard_rules: ['first', 'second', 'third', 'fourth'].map((name, place) => ({
        name,
        condition: `ctx.amount > ${place}`,
        then: 'deny',
        reason_code: null,
        priority: place + 1,
      })),
    });
    const window = await openWindow(workbench, `#/types/${body.id}/rules?view=list`);
    const list = window.page.getByRole('list', { name: 'Rules' });
    const handle = (name: string) => list.getByRole('button', { name: `Move ${name}` });
    const names = () => list.locator('li.sortable .strong').allInnerTexts();
    const centreOf = async (name: string) => {
      const box = await handle(name).boundingBox();
      if (box === null) throw new Error(`The handle of ${name} is not shown.`);
      return [box.x + box.width / 2, box.y + box.height / 2] as const;
    };
    const take = async (name: string, rank: number) => {
      await handle(name).focus();
      await window.page.keyboard.press('Space');
      await window.page.getByText(`${name} is at ${rank} of 4.`).waitFor({ state: 'attached' });
      // The library listens to the keys that move it from the next task on, which no key of a hand comes before.
      await window.page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    };
    await expect.poll(names).toEqual(['first', 'second', 'third', 'fourth']);
    await window.page.mouse.move(...(await centreOf('fourth')));
    await window.page.mouse.down();
    await window.page.mouse.move(...(await centreOf('second')), { steps: 8 });
    await window.page.mouse.up();
    await expect.poll(names).toEqual(['first', 'fourth', 'second', 'third']);
    await take('first', 1);
    await window.page.keyboard.press('ArrowDown');
    await window.page.getByText('first is at 2 of 4.').waitFor({ state: 'attached' });
    await window.page.keyboard.press('Space');
    const shown = ['fourth', 'first', 'second', 'third'];
    await expect.poll(names).toEqual(shown);
    await take('third', 4);
    await window.page.keyboard.press('ArrowUp');
    await window.page.getByText('third is at 3 of 4.').waitFor({ state: 'attached' });
    await window.page.keyboard.press('Escape');
    await window.page.getByText('third stays where it was.').waitFor({ state: 'attached' });
    expect(await names()).toEqual(shown);
    await window.page.keyboard.press('ControlOrMeta+z');
    await expect.poll(names).toEqual(['first', 'fourth', 'second', 'third']);
    await window.page.keyboard.press('ControlOrMeta+Shift+z');
    await expect.poll(names).toEqual(shown);
    await window.page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => {
        const saved = await workbench.call<{ active_version: { hard_rules: { name: string; priority: number }[] } }>(
          'GET',
          `/api/v1/decision-types/${body.id}`,
        );
        const rules = saved.body.active_version.hard_rules;
        return rules.sort((a, b) => a.priority - b.priority).map(({ name }) => name);
      })
      .toEqual(shown);
    expect(window.faults).toEqual([]);
    await window.close();
  });

  test('a new rule says how to begin, and completion offers every field and the values that occur', async () => {
    const { body } = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', {
      name: 'bookings',
      options: ['kept', 'cancelled'],
    });
    const deposits = ['None', 'No refund', 'Refundable'];
    const added = await workbench.call('POST', `/api/v1/decision-types/${body.id}/examples`, {
      examples: Array.from({ length: 12 }, (_, place) => ({
        input: {
          'Vorlauf (Tage)': place,
          kunde: { Straße: place % 3 === 0 ? 'Weg 1' : 'Weg 0' },
          deposit: deposits[place % 3],
        },
        decision: place % 2 === 0 ? 'kept' : 'cancelled',
      })),
    });
    expect(added.status).toBe(201);
    const window = await openWindow(workbench, `#/types/${body.id}/rules?view=list`);
    const { page } = window;
    const editor = page.locator('.monaco-editor .view-lines');
    const text = async () => (await editor.innerText()).replaceAll('\u00a0', ' ').replaceAll('\n', '');
    const offered = page.locator('.suggest-widget.visible .monaco-list-row');
    const choose = async (name: string) => {
      await expect.poll(() => offered.locator('.label-name').first().innerText()).toBe(name);
      await page.keyboard.press('Enter');
      await offered.first().waitFor({ state: 'hidden' });
    };
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByText('Pick a field to start').waitFor();
    expect(await page.getByText(/ends too early|is empty/).count()).toBe(0);
    expect(await page.getByRole('list', { name: 'Rules' }).getByText('check').count()).toBe(0);
    await editor.click();
    await page.keyboard.type('ctx["');
    await offered.first().waitFor();
    await page.keyboard.type('Vorlauf (T');
    await choose('Vorlauf (Tage)');
    await page.keyboard.type(' > 3 && ctx.');
    await expect.poll(() => offered.locator('.label-name').allInnerTexts()).toContain('Vorlauf (Tage)');
    await page.keyboard.type('kunde.Str');
    await choose('Straße');
    await page.keyboard.type(' == "');
    await expect.poll(() => offered.locator('.label-name').allInnerTexts()).toEqual(['Weg 0', 'Weg 1']);
    await page.keyboard.type('Weg 1');
    await choose('Weg 1');
    await page.keyboard.type(' && ctx.deposit in ["No');
    await expect
      .poll(async () => (await offered.locator('.label-name').allInnerTexts()).sort())
      .toEqual(['No refund', 'None']);
    await page.keyboard.type(' ');
    await choose('No refund');
    const rule = 'ctx["Vorlauf (Tage)"] > 3 && ctx.kunde["Straße"] == "Weg 1" && ctx.deposit in ["No refund"]';
    await expect.poll(text).toBe(rule);
    await page.getByText('Pick a field to start').waitFor({ state: 'detached' });
    expect(window.faults).toEqual([]);
    await window.close();
  });

  test('a new rule waits for its name, from the button and from the palette', async () => {
    const name = page.getByLabel('Rule name');
    await page.getByRole('button', { name: 'New rule' }).click();
    await expect.poll(() => name.inputValue()).toMatch(/^rule \d$/);
    await page.keyboard.type('Langer Vorlauf, nun gut');
    await expect.poll(() => name.inputValue()).toBe('Langer Vorlauf, nun gut');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('textbox', { name: 'Search commands' }).fill('New rule');
    await page
      .getByRole('button', { name: /New rule/ })
      .last()
      .waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => name.inputValue()).toMatch(/^rule \d$/);
    await page.keyboard.type('second');
    await expect.poll(() => name.inputValue()).toBe('second');
  });

  test('nothing went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
