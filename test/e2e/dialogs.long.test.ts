/** Every dialog in both themes, with something in it: no violation that axe knows, and a picture for a look. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listViolations } from './tools/axe.ts';
import { openWindow, pictures, type Window, waitForQuiet } from './tools/browser-page.ts';
import { toPalettePng } from './tools/palette-png.ts';
import { startSample } from './tools/sample.ts';
import type { RunningWorkbench } from './tools/workbench-process.ts';

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

/** Leaves the field, whose list is open at first: the list of a widget is not the dialog's. */
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
  await page.getByRole('button', { name: 'Add 1 rule' }).waitFor();
}

async function deleteOption(page: Page): Promise<void> {
  await click(page, 'Rename, merge or delete an option…');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Delete', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Show what it affects' }).click();
  await dialog.getByRole('list', { name: 'What it affects' }).waitFor();
}

async function undoTwoRows(page: Page): Promise<void> {
  await page.locator('[data-cursor]').first().click();
  for (const key of ['x', 'ArrowDown', 'x']) await page.keyboard.press(key);
  await click(page, 'Delete');
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

describe.each(['light', 'dark'] as const)('every dialog, %s', (theme) => {
  let opened: Window;

  beforeAll(async () => {
    opened = await openWindow(workbench, '#/', { colorScheme: theme, reducedMotion: 'reduce' });
  });
  afterAll(() => opened?.close());

  test.each(dialogs)('%s has no violation', async (name, place, open) => {
    const { page } = opened;
    await page.evaluate(
      (hash) => {
        window.location.hash = hash;
      },
      place.startsWith('#') ? place : `#/types/${path.split('/').at(-1)}/${place}`,
    );
    await waitForQuiet(page);
    await open(page);
    const shown = page.getByRole('dialog', { name });
    await shown.waitFor();
    await waitForQuiet(page);
    const file = name
      .toLowerCase()
      .replace(/[^a-z]+/g, '-')
      .replace(/-$/, '');
    writeFileSync(join(pictures, `dialog-${file}-${theme}.png`), toPalettePng(await page.screenshot()));
    const violations = await listViolations(page);
    await shown.getByRole('button', { name: 'Close', exact: true }).click();
    await shown.waitFor({ state: 'detached' });
    expect(violations).toEqual([]);
  });

  test('nothing went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
