/** Dialogs of the page, and options renamed and deleted in the sample project. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToPlace, openWindow, type Window } from './tools/browser-page.ts';
import { startSample } from './tools/sample.ts';
import type { RunningWorkbench } from './tools/workbench-process.ts';

describe('options in the browser', () => {
  let workbench: RunningWorkbench;
  let typePath: string;
  let opened: Window;
  const page = () => opened.page;

  beforeAll(async () => {
    const sample = await startSample();
    ({ workbench, path: typePath } = sample);
    opened = await openWindow(workbench, `#/types/${sample.type}/examples`);
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  test('a dialog begins at its first field, and a space typed there does not close it', async () => {
    const click = (button: string) => page().getByRole('button', { name: button }).click();
    const addExample = async () => {
      await click('Add…');
      await page().getByRole('menuitem', { name: 'Write an example' }).click();
    };
    const dialogs: [name: string, place: string, open: () => Promise<void>][] = [
      ['New decision type', 'Examples', () => click('New decision type')],
      ['Add example', 'Examples', addExample],
      ['Change an option everywhere', 'Define', () => click('Change an option')],
    ];
    for (const [name, place, open] of dialogs) {
      await goToPlace(page(), place);
      await open();
      const dialog = page().getByRole('dialog', { name });
      await dialog.waitFor();
      await expect.poll(() => dialog.locator('input:focus, textarea:focus, select:focus').count()).toBe(1);
      await page().keyboard.press('a');
      await page().keyboard.press('Space');
      expect(await dialog.isVisible(), name).toBe(true);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
  });

  test('renames an option everywhere after showing what that touches [TYP-27]', async () => {
    await goToPlace(page(), 'Define');
    await page().getByRole('button', { name: 'Change an option' }).click();
    const dialog = page().getByRole('dialog', { name: 'Change an option everywhere' });
    await dialog.getByLabel('Option', { exact: true }).selectOption('deny');
    await dialog.getByLabel('New name').fill('refuse');
    await page().keyboard.press('Enter');
    await expect
      .poll(() => dialog.getByRole('list', { name: 'What it affects' }).textContent())
      .toMatch(/\d\d examples with this label.*Rules: /);
    await dialog.getByRole('button', { name: 'Rename everywhere' }).click();
    await page().getByText('Renamed deny to refuse. Version 2 is active.').first().waitFor();
    await expect.poll(() => page().getByLabel('Option 2').inputValue()).toBe('refuse');
  });

  test('deletes an option with its rules and labels, leaves none of them behind, and Ctrl+Z brings all back [OPT-3]', async () => {
    const labels = async () =>
      (await workbench.call<{ by_option: object }>('GET', `${typePath}/examples/stats`)).body.by_option;
    const before = await labels();
    await page().getByRole('button', { name: 'Change an option' }).click();
    const dialog = page().getByRole('dialog', { name: 'Change an option everywhere' });
    await dialog.getByText('Delete', { exact: true }).click();
    await dialog.getByLabel('Option', { exact: true }).selectOption('review');
    await dialog.getByRole('button', { name: 'Show what it affects' }).click();
    await dialog.getByText(/Rules that go with it: /).waitFor();
    await dialog.getByRole('button', { name: 'Delete everywhere' }).click();
    await page().getByText('Deleted review. Version 3 is active.').first().waitFor();
    expect(Object.keys(await labels())).toEqual(['approve', 'refuse']);
    await expect.poll(() => page().getByLabel('Option 3').count()).toBe(0);
    await page().keyboard.press('Control+z');
    await expect.poll(() => page().getByLabel('Option 3').inputValue()).toBe('review');
    expect(await labels()).toEqual(before);
  });

  test('nothing went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
