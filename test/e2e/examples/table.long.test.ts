/** The table of examples by keyboard: filters that stand in the address, words as they are typed, columns and views. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listViolations } from '../tools/axe.ts';
import { keepPicture, openWindow, type Window } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

const plans = ['basic', 'pro', 'team'];
const rows = Array.from({ length: 300 }, (_, at) => ({
  input: {
    message: `The ${at % 2 === 0 ? 'cup' : 'plate'} number ${at} arrived in pieces, and nobody answers the phone`,
    amount: at,
    ...(at % 10 === 0 ? {} : { customer: { plan: plans[at % 3] } }),
  },
}));

describe('the table of examples', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let path: string;
  let id: string;

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
  });
  beforeEach(async () => {
    await opened?.close();
    const name = `plans ${Date.now()}`;
    ({ id } = (
      await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name, options: ['yes', 'no'] })
    ).body);
    path = `/api/v1/decision-types/${id}/examples`;
    await workbench.call('POST', path, { examples: rows });
    opened = await openWindow(workbench, `#/types/${id}/examples?view=table&queue=all`);
    await opened.page.getByText('300 rows').waitFor();
    await opened.page.getByRole('button', { name: 'Filter by amount' }).waitFor();
  });
  afterAll(async () => {
    expect(opened.faults).toEqual([]);
    await opened.close();
    await workbench.stop();
  });

  const address = () => new URLSearchParams(opened.page.url().split('?')[1]);
  const runCommand = async (words: string) => {
    const { page } = opened;
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('textbox', { name: 'Search commands' }).fill(words);
    await page.getByRole('button', { name: words }).first().waitFor();
    await page.keyboard.press('Enter');
  };
  /** A dialog of Mantine and the list of a field stand beside the landmarks of the page. */
  const listInDialog = async () =>
    (await listViolations(opened.page)).filter((found) => !/^(?:landmark|region)/.test(found));
  /** Opens the filter of a field by key; the focus is on the field. */
  const openFilter = async (field: string) => {
    const { page } = opened;
    await page.locator('.grid').focus();
    await page.keyboard.press('/');
    const select = page.getByRole('dialog', { name: 'Filter the rows' }).getByLabel('Field');
    await expect.poll(() => select.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type(field);
    await expect.poll(() => select.inputValue()).toBe(field);
  };

  test('is filtered by numbers and by values with their counts, and what is selected are the rows that pass [GRD-2]', async () => {
    const { page } = opened;
    await openFilter('amount');
    await page.keyboard.press('Tab');
    await page.keyboard.type('250');
    await page.keyboard.press('Enter');
    await page.getByText('50 rows').waitFor();
    await page.getByRole('button', { name: 'amount: at least 250', exact: true }).waitFor();
    await openFilter('customer.plan');
    await page.keyboard.press('Tab');
    await page.getByRole('option', { name: 'basic · 90' }).waitFor();
    await page.keyboard.type('pro');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await listInDialog()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Show these rows' }).press('Enter');
    const fits = ({ input: { amount, customer } }: (typeof rows)[number]) => amount >= 250 && customer?.plan === 'pro';
    const expected = rows.filter(fits).map(({ input }) => input.amount);
    await page.getByText(`${expected.length} rows`).waitFor();
    expect(JSON.parse(address().get('fields') ?? '')).toEqual([
      { field: 'amount', min: 250 },
      { field: 'customer.plan', one_of: ['pro'] },
    ]);
    expect(await listViolations(page)).toEqual([]);
    await page.reload();
    await page.getByText(`${expected.length} rows`).waitFor();
    // So narrow that the filters take two lines.
    await page.setViewportSize({ width: 640, height: 700 });
    const findTop = () => page.locator('.grid').evaluate((grid) => grid.getBoundingClientRect().top);
    const top = await findTop();
    await page.locator('.grid').focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.getByText(`${expected.length} selected`).waitFor();
    expect(await findTop(), 'the rows stay where they are').toBe(top);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Mark as reviewed' }).press('Enter');
    await page.getByText(`${expected.length} examples reviewed.`).first().waitFor();
    const reviewed = await workbench.call<{ items: (typeof rows)[number][]; total: number }>(
      'GET',
      `${path}?reviewed=true&page_size=100&sort=input.amount`,
    );
    expect(reviewed.body.items).toMatchObject(expected.map((amount) => ({ input_payload: { amount } })));
    await page.getByRole('button', { name: 'Remove the filter amount: at least 250' }).press('Enter');
    await page.getByText('90 rows').waitFor();
    await openFilter('customer.plan');
    await page.getByRole('button', { name: 'Any value' }).press('Enter');
    await page.getByText('300 rows').waitFor();
    expect(address().get('fields')).toBe(null);
  });

  test('is filtered by what a text contains, by what is missing, and from the heading of a column [GRD-2]', async () => {
    const { page } = opened;
    await page.getByRole('button', { name: 'Filter by message' }).click();
    await page.getByLabel('Contains', { exact: true }).fill('plate');
    await page.keyboard.press('Enter');
    await page.getByText('150 rows').waitFor();
    await page.getByRole('button', { name: 'message: contains “plate”', exact: true }).press('Enter');
    await page.getByLabel('Contains', { exact: true }).fill('saucer');
    await page.keyboard.press('Enter');
    await page.getByText('No example fits').waitFor();
    await page.getByRole('button', { name: 'Show all examples' }).press('Enter');
    await page.getByText('300 rows').waitFor();
    await openFilter('customer.plan');
    await page.getByLabel('Empty', { exact: true }).selectOption('Only empty');
    await page.getByRole('button', { name: 'Show these rows' }).press('Enter');
    await page.getByText('30 rows').waitFor();
    for (const [theme, width, height] of [
      ['light', 1440, 900],
      ['dark', 1024, 700],
    ] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height });
      await keepPicture(page, `examples-table-filtered-${theme}`);
      expect(await listViolations(page)).toEqual([]);
    }
  });

  test('finds words while they are typed, and typing goes on [GRD-3]', async () => {
    const { page } = opened;
    const box = page.getByLabel('Search in the inputs');
    await box.focus();
    await page.keyboard.type('number 29');
    await page.getByText('11 rows').waitFor();
    await page.keyboard.type('9');
    await page.getByText('1 row', { exact: true }).waitFor();
    expect(await box.inputValue()).toBe('number 299');
    expect(await box.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.getByText('Card', { exact: true }).click();
    await page.locator('.main-text').getByText('number 299').waitFor();
    await box.focus();
    await box.fill('number 12');
    await page.locator('.main-text').getByText('number 129').waitFor();
    await page.keyboard.type('0');
    await page.locator('.main-text').getByText('number 120').waitFor();
    expect(await box.inputValue()).toBe('number 120');
  });

  test('shows the columns that were chosen, and views by their names, after a reload, too [GRD-4]', async () => {
    const { page } = opened;
    const heads = async () => (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim());
    await runCommand('Choose the columns');
    await page.getByRole('combobox', { name: 'Columns, in their order' }).press('Backspace');
    await page.keyboard.press('Backspace');
    expect(await listInDialog()).toEqual([]);
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    await expect.poll(heads).toEqual(['Label', 'message', 'amount', 'customer.plan', 'Added']);
    await openFilter('amount');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('9');
    await page.keyboard.press('Enter');
    await page.getByText('10 rows').waitFor();
    await runCommand('Views of the table');
    await page.getByLabel('Name of the view').fill('Small amounts');
    expect(await listInDialog()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove the filter amount: at most 9' }).press('Enter');
    await page.getByText('300 rows').waitFor();
    await page.reload();
    await page.getByText('300 rows').waitFor();
    expect(await heads()).toEqual(['Label', 'message', 'amount', 'customer.plan', 'Added']);
    await page.getByRole('button', { name: 'Views…' }).press('Enter');
    await page.getByRole('button', { name: 'Small amounts', exact: true }).press('Enter');
    await page.getByText('10 rows').waitFor();
    await runCommand('Choose the columns');
    await page.getByRole('button', { name: 'As at first' }).press('Enter');
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    await expect.poll(heads).toEqual(['Label', 'message', 'amount', 'customer.plan', 'Added', 'Reviewed', 'Source']);
    await page.getByRole('button', { name: 'Views…' }).press('Enter');
    await page.getByRole('button', { name: 'Delete the view Small amounts' }).press('Enter');
    await expect.poll(() => page.getByRole('button', { name: 'Small amounts', exact: true }).count()).toBe(0);
  });
});
