/** Writing rules as code in the browser: the editor's help, findings and the rows behind them. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

describe('the Rules page', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let page: Page;
  const lines = () => page.locator('.cm-content');
  const shown = () => lines().innerText();
  const grid = () => page.getByRole('grid', { name: 'Rules' });
  const textsOf = async (line: number) =>
    (await grid().locator('.lines [role=row]').nth(line).getByRole('gridcell').allInnerTexts()).slice(1, -1);
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
    opened = await openWindow(workbench, `#/types/${made.body.id}/rules?code=open`, {
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
    const large = page.getByLabel('Effect of each rule', { exact: true }).getByRole('row', { name: /^large/ });
    await large.getByRole('button', { name: 'Disagreeing examples: 1' }).focus();
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
    await expect.poll(async () => (await cells('Effect of each rule')).slice(0, 3)).toEqual(['home', '2', '0 (0.0%)']);
    await page.getByRole('button', { name: 'Test…' }).click();
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
    const suggestion = page.locator('.cm-tooltip-autocomplete li').filter({ hasText: 'country' });
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
    await expect.poll(() => page.locator('.cm-lintRange-error').count()).toBeGreaterThan(1);
  });

  test('explains the field under the pointer', async () => {
    await clear();
    await page.keyboard.type('ctx.amount>100&&(ctx.country=="DE")');
    const hover = page.locator('.cm-help').filter({ hasText: 'ctx.amount: number' });
    await lines().getByText('amount').first().hover();
    await hover.waitFor();
    expect(await hover.innerText()).toContain('Seen in examples');
    await page.screenshot({ path: join(pictures, 'rules-hover.png') });
  });

  test('formats the condition, and the page takes it back and again', async () => {
    await page.getByRole('button', { name: 'Format' }).click();
    const formatted = 'ctx.amount > 100 && ctx.country == "DE"';
    await expect.poll(shown).toBe(formatted);
    await page.getByRole('main').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(shown).not.toBe(formatted);
    await page.getByRole('main').getByRole('button', { name: 'Redo' }).click();
    await expect.poll(shown).toBe(formatted);
  });

  test('Escape leads back to the sheet, where outcome and reason are typed', async () => {
    await clear();
    await page.keyboard.type('ctx.amount > 300 && ctx.country == "DE"');
    // The first one may close a completion.
    const leave = async () => {
      if (await lines().isVisible()) await page.keyboard.press('Escape');
      return lines().isVisible();
    };
    await expect.poll(leave).toBe(false);
    for (const key of ['End', 'ArrowLeft']) await page.keyboard.press(key);
    await page.keyboard.type('limit');
    await page.keyboard.press('Tab');
    await page.keyboard.type('app');
    await page.keyboard.press('Tab');
    await expect.poll(() => textsOf(0)).toEqual(['large', '> 300', 'DE', 'LIMIT', 'approve']);
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

  test('moves the rule whose code is open by keyboard, and its code stays open', async () => {
    await page.keyboard.press('Escape');
    await grid().focus();
    await page.keyboard.press('Alt+Enter');
    await lines().waitFor();
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(async () => (await textsOf(0))[0]).toBe('home');
    expect(await shown()).toBe('ctx.amount > 300 && ctx.country == "DE"');
    await page.getByRole('button', { name: 'Move the rule up' }).click();
    await expect.poll(async () => (await textsOf(0))[0]).toBe('large');
    await page.getByRole('textbox', { name: 'Priority' }).fill('90');
    await expect.poll(async () => (await textsOf(1))[0]).toBe('large');
  });

  test('a rule that is named below the sheet is opened there, and another one closes the code', async () => {
    const effect = page.getByLabel('Effect of each rule', { exact: true });
    await effect.getByRole('button', { name: 'home' }).click();
    await lines().waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'home' }).waitFor();
    await page.keyboard.press('Alt+Enter');
    await expect.poll(shown).toBe('ctx.country.startsWith("D")');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('region', { name: 'large' }).waitFor();
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
    const window = await openWindow(workbench, `#/types/${body.id}/rules`);
    const { page } = window;
    const editor = page.locator('.cm-content');
    const offered = page.locator('.cm-tooltip-autocomplete li');
    const choose = async (name: string) => {
      await expect.poll(() => offered.locator('.cm-completionLabel').first().innerText()).toBe(name);
      await page.keyboard.press('Enter');
      await offered.first().waitFor({ state: 'hidden' });
    };
    await page.getByRole('button', { name: 'Write it as code' }).click();
    await page.getByText('Pick a field to start').waitFor();
    expect(await page.getByText(/ends too early|is empty/).count()).toBe(0);
    expect(await page.getByRole('grid', { name: 'Rules' }).getByText('check').count()).toBe(0);
    await page.keyboard.type('ctx["');
    await offered.first().waitFor();
    await page.keyboard.type('Vorlauf (T');
    await choose('Vorlauf (Tage)');
    await page.keyboard.type(' > 3 && ctx.');
    await expect.poll(() => offered.locator('.cm-completionLabel').allInnerTexts()).toContain('Vorlauf (Tage)');
    await page.keyboard.type('kunde.Str');
    await choose('Straße');
    await page.keyboard.type(' == "');
    await expect.poll(() => offered.locator('.cm-completionLabel').allInnerTexts()).toEqual(['Weg 0', 'Weg 1']);
    await page.keyboard.type('Weg 1');
    await choose('Weg 1');
    await page.keyboard.type(' && ctx.deposit in ["No');
    await expect
      .poll(async () => (await offered.locator('.cm-completionLabel').allInnerTexts()).sort())
      .toEqual(['No refund', 'None']);
    await page.keyboard.type(' ');
    await choose('No refund');
    const rule = 'ctx["Vorlauf (Tage)"] > 3 && ctx.kunde["Straße"] == "Weg 1" && ctx.deposit in ["No refund"]';
    await expect.poll(() => editor.innerText()).toBe(rule);
    await page.getByText('Pick a field to start').waitFor({ state: 'detached' });
    expect(window.faults).toEqual([]);
    await window.close();
  });

  test('a new rule waits for its name, from the button and from the palette', async () => {
    const name = page.getByRole('combobox', { name: 'Rule of a new rule' });
    await page.getByRole('button', { name: 'New rule' }).click();
    await name.waitFor();
    await page.keyboard.type('Langer Vorlauf, nun gut');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await textsOf(2))[0]).toBe('Langer Vorlauf, nun gut');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('textbox', { name: 'Search commands' }).fill('New rule');
    await page
      .getByRole('button', { name: /New rule/ })
      .last()
      .waitFor();
    await page.keyboard.press('Enter');
    await name.waitFor();
    await page.keyboard.type('second');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await textsOf(3))[0]).toBe('second');
  });

  test('nothing went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
