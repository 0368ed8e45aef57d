/** Everything of the page that somebody may look at: each place, and what opens there, by the palette. */
import type { Page } from 'playwright-core';
import { listViolations } from './axe.ts';
import { goToAddress, waitForQuiet } from './browser-page.ts';
import { hostileOptions, toHostileInput } from './hostile-type.ts';
import { findBrokenWords, findCutInk, findCutTexts, findOverlaps } from './legibility.ts';

/** A place, `#` for one that belongs to no type, and what opens it further. */
export type Look = { name: string; place: string; open?: (page: Page) => Promise<unknown> };

/** Runs a command of the palette, as its title there. */
const command = (title: string) => async (page: Page) => {
  await page.keyboard.press('ControlOrMeta+k');
  await page.locator('input[aria-label="Search commands"]:focus').waitFor();
  await page.keyboard.type(title);
  await page.locator('[data-selected]').getByText(title, { exact: true }).waitFor();
  await page.keyboard.press('Enter');
};

const click = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();

async function openRecord(page: Page): Promise<void> {
  await page.getByRole('grid', { name: 'Decisions' }).getByRole('row').nth(1).click();
  await page.getByRole('region', { name: 'Record' }).waitFor();
}

async function verify(page: Page): Promise<void> {
  await click('Verify the log')(page);
  await page
    .getByText(/Made again by|as recorded/)
    .first()
    .waitFor();
}

async function openTeacher(page: Page): Promise<void> {
  await click('Add…')(page);
  await page.getByRole('menuitem', { name: /connected model/ }).click();
}

async function selectRows(page: Page): Promise<void> {
  await page.locator('[data-cursor]').first().click();
  for (const key of ['x', 'ArrowDown', 'x']) await page.keyboard.press(key);
}

async function changeOption(page: Page): Promise<void> {
  await click('Change an option…')(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Delete', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Show what it affects' }).click();
  await dialog.getByRole('list', { name: 'What it affects' }).waitFor();
}

/** Twelve answers, and columns of names and values that strain a desk. */
async function importFile(page: Page): Promise<void> {
  const rows = hostileOptions.flatMap((decision, at) =>
    Array.from({ length: 12 }, (_, row) => ({
      ...toHostileInput(at + row / 12, row),
      decision,
      'decision of': decision.toUpperCase(),
    })),
  );
  const buffer = Buffer.from(JSON.stringify(rows));
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: `${'rows'.repeat(30)}.json`, mimeType: 'application/json', buffer });
  await waitForQuiet(page);
}

const table = 'examples?view=table&queue=all';
const card = 'examples?view=card&queue=all';

const places = [
  ...['define', 'define?beside=input', 'define?beside=versions', 'rules', 'rules?code=open', card, table],
  ...['examples?view=card&queue=useful', 'examples?queue=findings', 'import', 'train', 'evaluate', 'try', 'deploy'],
  ...['monitor', '#/', '#/new', '#/settings/keys', '#/settings/connections', '#/settings/text-models'],
  ...['#/settings/credits', '#/settings/data', '#/settings/look', '#/settings/shortcuts'],
];

/** All places, then what opens in them; a look leaves nothing changed. */
export const looks: readonly Look[] = [
  ...places.map((place) => ({ name: place.replaceAll(/[^a-z]+/g, '-').replaceAll(/^-|-$/g, '') || 'start', place })),
  { name: 'whole-row', place: table, open: (page) => page.keyboard.press('Enter') },
  { name: 'selected', place: table, open: selectRows },
  { name: 'filter', place: table, open: command('Filter the rows') },
  { name: 'columns', place: table, open: command('Choose the columns') },
  { name: 'views', place: table, open: command('Views of the table') },
  { name: 'hint', place: table, open: command('Make a hint') },
  { name: 'export', place: table, open: command('Export examples') },
  { name: 'teacher', place: table, open: openTeacher },
  { name: 'add', place: card, open: command('Add an example') },
  { name: 'explain', place: card, open: click('Explain') },
  { name: 'change-option', place: 'define', open: changeOption },
  { name: 'rules-import', place: 'rules', open: command('Import rules from a spreadsheet') },
  { name: 'rules-test', place: 'rules', open: command('Test the rules on an input') },
  { name: 'lists', place: 'rules', open: command('Lists of values') },
  { name: 'publish', place: 'rules', open: click('Publish…') },
  { name: 'groups', place: 'evaluate', open: click(/^(Change|Compare) groups…/) },
  { name: 'costs', place: 'evaluate', open: click(/costs…$/) },
  { name: 'record', place: 'monitor', open: openRecord },
  { name: 'verified', place: 'monitor', open: verify },
  { name: 'rows-imported', place: 'import', open: importFile },
  { name: 'new-file', place: '#/new', open: importFile },
  { name: 'new-type', place: '#/', open: click('New decision type') },
  { name: 'keys', place: table, open: (page) => page.keyboard.press('?') },
  { name: 'palette', place: 'define', open: (page) => page.keyboard.press('ControlOrMeta+k') },
];

/** Shows a look and waits until it is at rest. */
export async function show(page: Page, typeId: string, { place, open }: Look): Promise<void> {
  for (const key of ['Escape', 'Escape']) await page.keyboard.press(key);
  // Away first, so that what an earlier look has opened is gone.
  await goToAddress(page, '#/settings/look');
  await goToAddress(page, place.startsWith('#') ? place : `#/types/${typeId}/${place}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await waitForQuiet(page);
  await open?.(page);
  if (open) await waitForQuiet(page);
}

/** What is wrong with the page as it is shown: nothing, if all can be read and axe finds no violation. */
export async function listFaults(page: Page): Promise<string[]> {
  const overPx = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  const cut = (await findCutInk(page)).map(({ text, hiddenPx, box }) => `${hiddenPx} px of "${text}" (${box})`);
  return [
    ...(overPx > 0 ? [`wider than the window by ${overPx} px`] : []),
    ...cut.map((text) => `ink: ${text}`),
    ...(await findCutTexts(page)).map((text) => `cut: ${text}`),
    ...(await findBrokenWords(page)).map((text) => `broken: ${text}`),
    ...(await findOverlaps(page)).map((text) => `over another: ${text}`),
    ...(await listViolations(page)).map((text) => `axe: ${text}`),
  ];
}
