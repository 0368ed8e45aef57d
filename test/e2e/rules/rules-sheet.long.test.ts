/** The sheet of rules in the browser: written by keyboard, pasted from a spreadsheet, taken back. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeWorkbook } from '../../../src/engine/export/write-workbook.ts';
import { readSheets } from '../../../src/engine/import/read-file.ts';
import { isInSight, openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

type Stored = { name: string; condition: string; then: string; reason_code: string | null; priority: number };

const tiers = ['basic', 'plus', 'basic', 'plus', 'basic', 'premium'];
const messages = ['Refund, please', 'Where is my parcel?', 'My lawyer will call', ''];
const examples = Array.from({ length: 120 }, (_, place) => ({
  input: {
    amount: (place * 37) % 1_200,
    customer: { tier: tiers[place % 6] },
    days: place % 90,
    opened: place % 2 === 0,
    bought: `2026-0${1 + (place % 9)}-15`,
    message: messages[place % 4],
  },
  decision: (place * 37) % 1_200 > 600 ? 'review' : tiers[place % 6] === 'plus' || place % 90 > 84 ? 'deny' : 'approve',
}));

describe('the sheet of rules', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let page: Page;
  let path: string;
  const grid = () => page.getByRole('grid', { name: 'Rules' });
  const lines = () =>
    grid()
      .getByRole('row')
      .filter({ has: page.getByRole('gridcell') });
  const textsOf = async (line: number) => (await lines().nth(line).getByRole('gridcell').allInnerTexts()).slice(1, -1);
  const saved = async () => {
    const { body } = await workbench.call<{ active_version: { hard_rules: Stored[] } }>('GET', path);
    return body.active_version.hard_rules.toSorted((a, b) => a.priority - b.priority);
  };
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Types into the cell at the cursor and goes on to the right. */
  const type = async (text: string) => {
    await page.keyboard.type(text);
    await press('Tab');
  };

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', {
      name: 'refunds',
      options: ['approve', 'deny', 'review'],
      reason_codes: ['LIMIT', 'LEGAL'],
    });
    path = `/api/v1/decision-types/${made.body.id}`;
    await workbench.call('POST', `${path}/examples`, { examples });
    opened = await openWindow(workbench, `#/types/${made.body.id}/rules`);
    page = opened.page;
    await grid().waitFor();
    await page.getByRole('columnheader', { name: 'amount' }).waitFor();
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  test('shows five fields and the counts without scrolling to the side [END-2]', async () => {
    const overhang = () => grid().evaluate((table) => table.scrollWidth - (table.parentElement?.clientWidth ?? 0));
    await expect.poll(overhang).toBe(0);
  });

  test('takes ten business sentences as rules by keyboard alone [RSH-4]', async () => {
    const fields = async () => (await grid().getByRole('columnheader').allInnerTexts()).slice(2, -3);
    const first = ['amount', 'customer.tier', 'days', 'opened', 'message'];
    expect(await fields()).toEqual(first);
    await page.getByRole('combobox', { name: 'Add a column for a field' }).click();
    await page.keyboard.type('boug');
    await press('Enter');
    await page.getByRole('columnheader', { name: 'bought' }).waitFor();
    await grid().focus();
    const sentences: [name: string, column: string, cell: string, then: string][] = [
      ['Very large amounts are looked at', 'amount', '> 1000', 'rev'],
      ['Premium customers get small amounts back', 'amount', '<= 50', 'app'],
      ['Middling amounts are fine', 'amount', '50 .. 200', 'approve'],
      ['Lawyers go to the team', 'message', 'mentions lawyer, court', 'rev'],
      ['Not for basic customers', 'customer.tier', 'not basic, plus', 'approve'],
      ['Old purchases are refused', 'days', '> 60 and <= 90', 'deny'],
      ['What was opened is looked at', 'opened', 'yes', 'review'],
      ['Nothing was written', 'message', 'empty', 'deny'],
      ['Bought in spring', 'bought', '01.03.2026 .. 31.05.2026', 'approve'],
      ['Somebody wrote', 'message', 'not empty', 'review'],
    ];
    const heads = (await grid().getByRole('columnheader').allInnerTexts()).slice(1, -1);
    for (const [name, column, cell, then] of sentences) {
      await press('PageDown', 'Home');
      await type(name);
      for (let place = 1; place < heads.indexOf(column); place += 1) await press('ArrowRight');
      await type(cell);
      await press('End');
      await type(then);
      // The columns keep their places from before the first rule.
      expect((await fields()).filter((field) => field !== 'bought')).toEqual(first);
    }
    await expect.poll(() => lines().count()).toBe(12);
    expect(await textsOf(2)).toEqual([
      'Middling amounts are fine',
      '50 .. 200',
      'any',
      'any',
      'any',
      'any',
      'any',
      '',
      'approve',
    ]);
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('Saved. Version 2 is active.').waitFor();
    expect((await saved()).map(({ name, condition, then }) => [name, condition, then])).toEqual([
      ['Very large amounts are looked at', 'ctx.amount > 1000', 'review'],
      ['Premium customers get small amounts back', 'ctx.amount <= 50', 'approve'],
      ['Middling amounts are fine', 'ctx.amount >= 50 && ctx.amount <= 200', 'approve'],
      [
        'Lawyers go to the team',
        'ctx.message.foldCase().contains("lawyer") || ctx.message.foldCase().contains("court")',
        'review',
      ],
      ['Not for basic customers', '!(ctx.customer.tier in ["basic", "plus"])', 'approve'],
      ['Old purchases are refused', 'ctx.days > 60 && ctx.days <= 90', 'deny'],
      ['What was opened is looked at', 'ctx.opened == true', 'review'],
      ['Nothing was written', '!has(ctx.message) || ctx.message in [null, ""]', 'deny'],
      ['Bought in spring', 'ctx.bought >= "2026-03-01" && ctx.bought <= "2026-05-31"', 'approve'],
      ['Somebody wrote', 'has(ctx.message) && !(ctx.message in [null, ""])', 'review'],
    ]);
    await page.screenshot({ path: join(pictures, 'rules-sheet.png') });
  });

  test('refuses what a cell cannot mean, beside the cell, and Escape leaves the rule as it was [RSH-2]', async () => {
    await press('PageUp', 'PageUp', 'Home', 'ArrowRight');
    await page.keyboard.type('> much');
    await press('Enter');
    await page.getByText('“much” is not a number. Write for example > 100').waitFor();
    await press('Escape');
    expect((await textsOf(0))[1]).toBe('> 1000');
  });

  test('offers the values that occur, with how often they do [RSH-4]', async () => {
    await press('ArrowRight', 'Enter');
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['basic\n60', 'plus\n40', 'premium\n20']);
    await page.keyboard.type('pre');
    await press('ArrowDown', 'Enter');
    await page.keyboard.type(', ');
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['basic\n60', 'plus\n40']);
    await page.screenshot({ path: join(pictures, 'rules-sheet-values.png') });
    await press('ArrowDown', 'Enter', 'Enter');
    expect((await textsOf(0)).slice(1, 3)).toEqual(['> 1000', 'premium, basic']);
  });

  test('every change is taken back and done again by keys, also a clearing and a move [RSH-4]', async () => {
    await press('ArrowUp', 'Delete');
    await expect.poll(async () => (await textsOf(0))[2]).toBe('any');
    await press('Alt+ArrowDown');
    await expect.poll(async () => (await textsOf(1))[0]).toBe('Very large amounts are looked at');
    await press('ControlOrMeta+z', 'ControlOrMeta+z');
    await expect.poll(() => textsOf(0)).toContain('premium, basic');
    await press('ControlOrMeta+Shift+z');
    await expect.poll(async () => (await textsOf(0))[2]).toBe('any');
    await press('ControlOrMeta+z', 'ControlOrMeta+z');
    await expect.poll(async () => (await textsOf(0))[2]).toBe('any');
    await press('ControlOrMeta+Delete');
    await expect.poll(async () => (await textsOf(0))[0]).toBe('Premium customers get small amounts back');
    await press('ControlOrMeta+z');
    await expect.poll(async () => (await textsOf(0))[0]).toBe('Very large amounts are looked at');
  });

  test('chooses, copies, pastes, fills and clears cells as a spreadsheet does, each in one step [RSH-16]', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const amounts = () => Promise.all([0, 1, 2].map(async (line) => (await textsOf(line))[1]));
    const before = await amounts();
    expect(before).toEqual(['> 1000', '<= 50', '50 .. 200']);
    const chosen = () => grid().locator('[role=gridcell][aria-selected=true]').allInnerTexts();
    const amountOf = (line: number) => lines().nth(line).getByRole('gridcell').nth(2);
    const give = (text: string) => page.evaluate((given) => navigator.clipboard.writeText(given), text);
    await press('PageUp', 'PageUp', 'Home', 'ArrowRight', 'Shift+ArrowDown', 'Shift+ArrowDown');
    expect(await chosen()).toEqual(before);
    await press('ControlOrMeta+d');
    await expect.poll(amounts).toEqual(['> 1000', '> 1000', '> 1000']);
    await press('ControlOrMeta+z');
    await expect.poll(amounts).toEqual(before);
    await press('Delete');
    await expect.poll(amounts).toEqual(['any', 'any', 'any']);
    await press('ControlOrMeta+z');
    await expect.poll(amounts).toEqual(before);

    // By the pointer: from one cell to another, and with Shift.
    await amountOf(0).hover();
    await page.mouse.down();
    await amountOf(1).hover();
    await page.mouse.up();
    expect(await chosen()).toEqual(before.slice(0, 2));
    await amountOf(2).click({ modifiers: ['Shift'] });
    expect(await chosen()).toEqual(before);

    await press('ControlOrMeta+c', 'ArrowRight', 'ArrowRight', 'ArrowUp', 'ArrowUp', 'ControlOrMeta+v');
    const days = () => Promise.all([0, 1, 2].map(async (line) => (await textsOf(line))[3]));
    await expect.poll(days).toEqual(before);
    await press('ControlOrMeta+z');
    await expect.poll(days).toEqual(['any', 'any', 'any']);

    // A cell that cannot be read is named, and nothing of the block is taken.
    await press('ArrowLeft', 'ArrowLeft');
    await give('> 7\n> much');
    await press('ControlOrMeta+v');
    await page.getByText('Row 2, amount: “much” is not a number. Write for example > 100').waitFor();
    expect(await amounts()).toEqual(before);

    // Below the last rule a block makes rules; with a range as its goal one cell fills all of it.
    const count = await lines().count();
    await press('PageDown', 'PageDown', 'Home');
    await give('Seven\t> 7\nEight\t> 8');
    await press('ControlOrMeta+v');
    await expect.poll(() => lines().count()).toBe(count + 2);
    expect((await textsOf(count - 1)).slice(0, 2)).toEqual(['Eight', '> 8']);
    await press('ArrowRight', 'Shift+ArrowDown');
    await give('> 9');
    await press('ControlOrMeta+v');
    await expect.poll(async () => (await textsOf(count - 2))[1]).toBe('> 9');
    expect((await textsOf(count - 1))[1]).toBe('> 9');
    await press('ControlOrMeta+z', 'ControlOrMeta+z');
    await expect.poll(() => lines().count()).toBe(count);
    await press('PageUp', 'PageUp');
  });

  test('takes lines of a spreadsheet as rules, after saying what of them it does not understand [RSH-6]', async () => {
    const before = await lines().count();
    const pasted = [
      ['Rule', 'Amount', 'customer.tier', 'colour', 'Then', 'Reason'],
      ['Cheap', '< 20,50', 'basic, plus', 'red', 'Approve', ''],
      ['Dear', '> 5.000,00', '', '', 'review', 'LIMIT'],
      ['Costly', '> 900', 'premium', '', 'review', 'limit'],
      ['Unknown', '> 1', '', '', 'refuse', ''],
    ];
    // By the real clipboard: after a click the event comes from the cell, after Tab from the grid or from the page.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const paste = async (text: string) => {
      await page.evaluate((given) => navigator.clipboard.writeText(given), text);
      await press('ControlOrMeta+v');
    };
    const dialog = page.getByRole('dialog', { name: 'Rules from a spreadsheet' });
    await grid().focus();
    await paste('amount\tThen\n7\tdeny');
    await page.getByRole('button', { name: 'Add 1 rule' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await lines().nth(0).getByRole('gridcell').nth(2).click();
    await paste(pasted.map((line) => line.join('\t')).join('\r\n'));
    await expect
      .poll(() => page.getByRole('list', { name: 'Not understood' }).locator('li').allInnerTexts())
      .toEqual([
        'The column “colour” is left out: no field has this name.',
        'Line 3, Amount: Write 5.000,00 without separators of thousands, and decimals with a point: 1250.50.',
        'Line 5, Then: “refuse” is no option. There are: approve, deny, review.',
      ]);
    await page.screenshot({ path: join(pictures, 'rules-paste.png') });
    await page.getByRole('button', { name: 'Add 2 of 4 rules' }).click();
    await expect.poll(() => lines().count()).toBe(before + 2);
    const added = await Promise.all([before - 2, before - 1].map(textsOf));
    expect(added.map((texts) => [texts[0], texts[1], texts[2], ...texts.slice(-2)])).toEqual([
      ['Cheap', '< 20.5', 'basic, plus', '', 'approve'],
      ['Costly', '> 900', 'premium', 'LIMIT', 'review'],
    ]);
    await grid().focus();
    await press('ControlOrMeta+z');
    await expect.poll(() => lines().count()).toBe(before);
    await press('ControlOrMeta+Shift+z');
    await expect.poll(() => lines().count()).toBe(before + 2);
  });

  test('gives the sheet to a spreadsheet in the form in which it takes it [RSH-6]', async () => {
    const copy = () => page.evaluate(() => navigator.clipboard.readText());
    await press('ControlOrMeta+k');
    await page.keyboard.type('copy the rules');
    await press('Enter');
    await page.getByText('copied: paste them into a spreadsheet').waitFor();
    const copied = await copy();
    const [head, ...rows] = copied.split('\n').map((line) => line.split('\t'));
    expect(head).toEqual((await grid().getByRole('columnheader').allInnerTexts()).slice(1, -1));
    expect(rows.at(-1)?.slice(0, 3)).toEqual(['Costly', '> 900', 'premium']);
    // All cells are the same without the line that names the columns.
    await grid().focus();
    await press('ControlOrMeta+a', 'ControlOrMeta+c');
    await expect.poll(copy).toBe(copied.slice(copied.indexOf('\n') + 1));
    await press('PageUp');
  });

  test('saves the sheet as an Excel file that replaces all rules, in one step, or changes nothing [END-1]', async () => {
    const texts = async () =>
      Promise.all(Array.from({ length: (await lines().count()) - 2 }, (_, line) => textsOf(line)));
    const before = await texts();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Excel', exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('refunds rules.xlsx');
    const file = join(await mkdtemp(join(tmpdir(), 'rules-')), 'rules.xlsx');
    await download.saveAs(file);
    const [sheet] = await readSheets(new Uint8Array(await readFile(file)), 1_000_000);
    const cells = sheet?.lines.map((line) => line.cells.map((cell) => String(cell ?? ''))) ?? [];
    const give = async (given: string[][]) => {
      await page.getByRole('button', { name: 'Import…' }).click();
      const buffer = Buffer.from(writeWorkbook('Rules', given));
      await page.getByLabel('Excel file with rules').setInputFiles({ name: 'edited.xlsx', mimeType: '', buffer });
    };
    await give(cells.map((line, index) => (index === 2 ? line.with(1, '> much') : line)));
    await page.getByText('B3: “much” is not a number.').waitFor();
    expect(await page.getByRole('button', { name: `Replace ${before.length} rules` }).isDisabled()).toBe(true);
    await page.screenshot({ path: join(pictures, 'rules-file.png') });
    await press('Escape');
    expect(await texts()).toEqual(before);
    await give(cells.toSpliced(1, 1).map((line, index) => (index === 1 ? line.with(1, '<= 60') : line)));
    await page.getByRole('button', { name: `Replace ${before.length} rules by these ${before.length - 1}` }).click();
    await expect.poll(async () => (await texts())[0]?.slice(0, 2)).toEqual([before[1]?.[0], '<= 60']);
    expect((await texts()).slice(1)).toEqual(before.slice(2));
    await grid().focus();
    await press('ControlOrMeta+z');
    await expect.poll(texts).toEqual(before);
  });

  test('a rule that does not fit a row says so, stays as it is, and is opened as code by Enter [RSH-3]', async () => {
    const condition = 'ctx.amount > 100 || ctx.opened';
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('Saved. Version 3 is active.').waitFor();
    const rules = await saved();
    const hard_rules = [{ name: 'either', condition, then: 'deny', reason_code: null, priority: 1 }, ...rules];
    await workbench.call('PUT', path, { hard_rules });
    await lines().first().getByText(condition).waitFor();
    await press('PageUp', 'PageUp', 'Home', 'ArrowRight');
    await page.keyboard.type('5');
    await page.getByText('does not fit a row of cells. Press Enter').waitFor();
    await press('Enter');
    const code = page.getByRole('textbox', { name: 'Condition of either' });
    await expect.poll(() => code.innerText()).toBe(condition);
    await press('Escape');
    await code.waitFor({ state: 'detached' });
    expect((await saved())[0]?.condition).toBe(condition);
  });

  test('says beside it the rule in words and in code, and what values the field of the cell has by label [RSH-5] [RSH-12]', async () => {
    await grid().focus();
    await press('ArrowDown');
    const beside = page.getByRole('region', { name: 'Very large amounts are looked at' });
    await beside.getByText('If amount is over 1000, then review.').waitFor();
    await beside.getByText('ctx.amount > 1000').waitFor();
    await beside.getByRole('img', { name: /about \d+ match the cell/ }).waitFor();
    await page.screenshot({ path: join(pictures, 'rules-field-by-option.png') });
    await beside.getByText('As a table').click();
    const heads = await beside.locator('figure.chart th').allInnerTexts();
    expect(heads.toSorted()).toEqual(['Examples', 'From', 'approve', 'deny', 'review']);
    const cells = await beside.locator('figure.chart tbody td:nth-child(2)').allInnerTexts();
    expect(cells.reduce((sum, cell) => sum + Number(cell), 0)).toBe(examples.length);
  });

  test('the pane opens below the sheet in a narrow window, and on a new line it shows no other rule [END-2]', async () => {
    await page.setViewportSize({ width: 1024, height: 700 });
    const beside = page.getByRole('region', { name: 'Very large amounts are looked at' });
    await beside.getByText('If amount is over 1000, then review.').waitFor();
    await grid().focus();
    await press('PageDown', 'PageDown', 'PageDown');
    await page.getByRole('region', { name: 'New rule' }).getByText('Type a name, or a condition').waitFor();
    await expect.poll(() => beside.count()).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('region', { name: 'New rule' }).getByText('Type a name, or a condition').waitFor();
  });

  test('a letter typed after a press outside goes into no cell, until somebody is in the sheet again [RSH-2]', async () => {
    const typedIn = () => grid().getByRole('combobox').count();
    for (const leave of [() => page.mouse.click(450, 20), () => press('Escape')]) {
      await grid().focus();
      await press('PageUp', 'Home');
      await leave();
      await expect.poll(() => grid().evaluate((element) => element === document.activeElement)).toBe(true);
      await page.keyboard.type('xyz');
      expect(await typedIn()).toBe(0);
      await press('ArrowDown');
      await page.keyboard.type('7');
      await expect.poll(typedIn).toBe(1);
      await press('Escape');
    }
  });

  test('of 200 rules with 12 fields only those in sight exist, and keys reach each [END-3]', async () => {
    const names = Array.from({ length: 12 }, (_, place) => `part_${place}`);
    const hard_rules = Array.from({ length: 200 }, (_, place) => ({
      name: `limit ${place + 1}`,
      condition: names.map((name, index) => `ctx.${name} > ${place + index}`).join(' && '),
      then: 'deny',
      priority: place + 1,
    }));
    const options = ['approve', 'deny'];
    const type = { name: 'many-rules', options, hard_rules };
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', type);
    expect(made.status).toBe(201);
    await page.goto(`${workbench.url}/app/#/types/${made.body.id}/rules`);
    await lines().first().getByText('limit 1', { exact: true }).waitFor();
    expect(await lines().count()).toBeLessThan(60);
    expect(await grid().getAttribute('aria-rowcount')).toBe('203');
    await grid().focus();
    await press('PageUp', 'Home');
    for (let place = 10; place < 200; place += 10) await press('PageDown');
    const cursor = () => grid().locator('[data-cursor]');
    await expect.poll(async () => [await cursor().innerText(), await isInSight(cursor())]).toEqual(['limit 191', true]);
    await press('ArrowUp', 'End');
    await expect.poll(async () => isInSight(cursor())).toBe(true);
    for (let place = 190; place > 0; place -= 10) await press('PageUp');
    await press('Home');
    await expect.poll(async () => [await cursor().innerText(), await isInSight(cursor())]).toEqual(['limit 1', true]);
    expect(await lines().first().getAttribute('aria-rowindex')).toBe('2');
  });

  test('a list is made in its dialog, named in a cell, saved with the rules, and stays while it is named [RUL-13]', async () => {
    const parcels = { name: 'parcels', options: ['ship', 'check'], fallback_option: 'ship' };
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', parcels);
    const url = `/api/v1/decision-types/${made.body.id}`;
    await workbench.call('POST', `${url}/examples`, {
      examples: ['DE', 'CH', 'FR'].map((country) => ({ input: { country } })),
    });
    await page.goto(`${workbench.url}/app/#/types/${made.body.id}/rules`);
    await page.getByRole('columnheader', { name: 'country' }).waitFor();
    const dialog = page.getByRole('dialog', { name: 'Lists of values' });
    await page.getByRole('button', { name: 'Lists…' }).click();
    await dialog.getByRole('button', { name: 'Add a list' }).click();
    await page.keyboard.type('e-u');
    await dialog.getByText('no digit first').waitFor();
    await press('Backspace', 'Backspace');
    await page.keyboard.type('u');
    await dialog.getByLabel('Values, one a line').fill('1,5');
    const choose = async (kind: string) => {
      await dialog.getByRole('combobox', { name: 'Values are' }).click();
      await page.getByRole('option', { name: kind }).click();
    };
    await choose('numbers');
    await dialog.getByText('Line 1 is no number').waitFor();
    await page.screenshot({ path: join(pictures, 'rules-lists.png') });
    await choose('texts');
    await dialog.getByLabel('Values, one a line').fill('DE\r\nFR\n\nAT\n');
    await dialog.getByRole('button', { name: 'Use these lists' }).click();
    await expect.poll(() => dialog.count()).toBe(0);

    await grid().focus();
    await press('Home');
    for (const text of ['outside', 'not lists.eu']) await type(text);
    await press('End');
    await type('check');
    expect(await textsOf(0)).toEqual(['outside', 'not in lists.eu', '', 'check']);
    await press('ArrowUp', 'ArrowUp');
    await page.getByText('If country is not in the list eu, then check.').waitFor();
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('Saved. Version 2 is active.').waitFor();
    const stored = async () => (await workbench.call<{ active_version: object }>('GET', url)).body.active_version;
    const whole = { lists: { eu: ['DE', 'FR', 'AT'] }, hard_rules: [{ condition: '!(ctx.country in lists.eu)' }] };
    expect(await stored()).toMatchObject(whole);
    const policy = await workbench.call<{ id: string }>('POST', `${url}/policies`, { kind: 'rules_only' });
    await workbench.call('POST', `${url}/policies/${policy.body.id}/deploy`);
    const order = { decision_type: 'parcels', input: { country: 'CH' } };
    expect((await workbench.call('POST', '/api/v1/decide', order)).body).toMatchObject({ decision: 'check' });

    await page.getByRole('button', { name: 'Lists…' }).click();
    expect(await dialog.getByLabel('Values, one a line').inputValue()).toBe('DE\nFR\nAT');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Use these lists' }).click();
    await page.getByText('“outside” cannot be tried yet').waitFor();
    await page.screenshot({ path: join(pictures, 'rules-list-missing.png') });
    expect(await stored()).toMatchObject({ version_number: 2, ...whole });
    await press('ControlOrMeta+z');
    await expect.poll(() => page.getByText('cannot be tried yet').count()).toBe(0);
  });

  test('nothing went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
