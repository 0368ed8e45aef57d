/**
 * Every dialog, menu and list, open: no violation that axe knows, and a picture for a look; in the dark theme, what
 * colours alone can make another.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listViolations } from '../tools/axe.ts';
import { goToAddress, keepPicture, openWindow, type Window, waitForQuiet } from '../tools/browser-page.ts';
import { startSample } from '../tools/sample.ts';
import type { RunningWorkbench } from '../tools/workbench-process.ts';

let workbench: RunningWorkbench;
let path: string;

beforeAll(async () => {
  ({ workbench, path } = await startSample());
  await workbench.call('POST', '/api/v1/backups');
});
afterAll(() => workbench?.stop());

const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const table = 'examples?view=table&queue=all';

async function writeExample(page: Page): Promise<void> {
  await click(page, 'Add…');
  await page.getByRole('menuitem', { name: 'Write an example' }).click();
}

/** Leaves the field, whose list is open at first and covers the dialog. */
async function openColumns(page: Page): Promise<void> {
  await click(page, 'Columns…');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Tab');
}

async function saveView(page: Page): Promise<void> {
  await click(page, 'Views…');
  await page.getByLabel('Name of the view').fill('<b>all</b>');
  await click(page, 'Save');
  await click(page, 'Views…');
  await page.getByRole('button', { name: 'Delete the view <b>all</b>' }).waitFor();
}

async function pasteRules(page: Page): Promise<void> {
  await click(page, 'Import…');
  await page.getByLabel('Lines copied in a spreadsheet').fill('amount\tThen\n> 900\tdeny\n> 950\tnowhere');
  await page.getByRole('list', { name: 'Not understood' }).waitFor();
  await page.getByRole('button', { name: 'Add 1 of 2 rules' }).waitFor();
}

async function deleteOption(page: Page): Promise<void> {
  await click(page, 'Change an option…');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Delete', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Show what it affects' }).click();
  await dialog.getByRole('list', { name: 'What it affects' }).waitFor();
}

async function undoTwoRows(page: Page): Promise<void> {
  await page.locator('[data-cursor]').first().click();
  for (const key of ['x', 'ArrowDown', 'x']) await page.keyboard.press(key);
  await click(page, 'Delete');
  await page.getByRole('dialog', { name: 'Delete 2 examples?' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.getByText('2 examples deleted').first().waitFor();
  await page.keyboard.press('ControlOrMeta+z');
}

/** Saves a description that another program has changed since the edit began. */
async function saveOverTheirs(page: Page): Promise<void> {
  await page.getByLabel('Description', { exact: true }).fill('Mine.');
  const description = `Theirs at ${Date.now()}.`;
  expect(await workbench.call('PUT', path, { description })).toMatchObject({ status: 200 });
  await waitForQuiet(page);
  await click(page, 'Save changes');
}

const dialogs: [name: string, place: string, open: (page: Page) => Promise<void>][] = [
  ['New decision type', '#/', (page) => click(page, 'New decision type')],
  ['Keyboard shortcuts', table, (page) => page.keyboard.press('?')],
  ['Add example', 'examples?view=card&queue=all', writeExample],
  ['Filter the rows', table, (page) => click(page, 'Filter…')],
  ['Columns', table, openColumns],
  ['Views', table, saveView],
  ['Undo this?', table, undoTwoRows],
  ['Rules from a spreadsheet', 'rules', pasteRules],
  ['Change an option everywhere', 'define', deleteOption],
  ['Restore', '#/settings/data', (page) => page.getByRole('button', { name: /^Restore / }).click()],
  ['Somebody else has changed this meanwhile', 'define', saveOverTheirs],
];

/** Opens the list of a field by a click into it. */
const openList = (name: string | RegExp) => (page: Page) => page.getByRole('combobox', { name }).click();

/** Opens the list of the decision in the first row of the rules. */
async function openCell(page: Page): Promise<void> {
  await page.getByRole('grid', { name: 'Rules' }).getByRole('gridcell', { name: 'review' }).first().dblclick();
}

async function pickRow(page: Page): Promise<void> {
  await page.locator('[data-cursor]').first().click();
  await page.keyboard.press('x');
  await openList(/^Label/)(page);
}

const lists: [name: string, place: string, open: (page: Page) => Promise<void>][] = [
  ['menu of Add…', table, (page) => click(page, 'Add…')],
  ['menu of Save…', 'try', (page) => click(page, 'Save…')],
  ['columns of the table', table, (page) => click(page, 'Columns…')],
  ['reasons', 'examples?view=card&queue=all', openList(/^Reasons/)],
  ['label of picked rows', table, pickRow],
  ['rights of a key', '#/settings/keys', openList('Allowed')],
  ['values of a cell', 'rules', openCell],
  ['fields for a column', 'rules', openList('Add a column for a field')],
];

async function openAt(page: Page, place: string, open: (page: Page) => Promise<void>): Promise<void> {
  await goToAddress(page, place.startsWith('#') ? place : `#/types/${path.split('/').at(-1)}/${place}`);
  await waitForQuiet(page);
  await open(page);
}

/** Keeps a picture, and lists what axe finds. */
async function look(page: Page, name: string, theme: 'light' | 'dark'): Promise<string[]> {
  const file = `${name}-${theme}`.toLowerCase().replace(/[^a-z]+/g, '-');
  await keepPicture(page, file);
  return await listViolations(page, theme === 'light' ? 'every' : 'colours');
}

describe.each(['light', 'dark'] as const)('everything that opens, %s', (theme) => {
  let opened: Window;

  beforeAll(async () => {
    opened = await openWindow(workbench, '#/', { colorScheme: theme, reducedMotion: 'reduce' });
  });
  afterAll(() => opened?.close());

  test.each(dialogs)('%s has no violation', async (name, place, open) => {
    const { page } = opened;
    await openAt(page, place, open);
    const shown = page.getByRole('dialog', { name });
    await shown.waitFor();
    await waitForQuiet(page);
    const violations = await look(page, `dialog ${name}`, theme);
    await shown.getByRole('button', { name: 'Close', exact: true }).click();
    await shown.waitFor({ state: 'detached' });
    expect(violations).toEqual([]);
  });

  test.each(lists)('the open %s has no violation', async (name, place, open) => {
    const { page } = opened;
    await openAt(page, place, open);
    await page.getByRole('option').or(page.getByRole('menuitem')).first().waitFor();
    await waitForQuiet(page);
    const violations = await look(page, `list ${name}`, theme);
    // Leaves the list, and what it was opened in.
    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key);
    expect(violations).toEqual([]);
  });

  test('nothing went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
