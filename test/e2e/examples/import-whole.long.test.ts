/** An import in the page is whole or not there: its tab closed, cancelled, or its last answer lost. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWindow } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

const rowsOfFile = 60_000;
const makeCsv = () =>
  [
    'text,label',
    ...Array.from(
      { length: rowsOfFile },
      (_, index) => `case ${index} ${'of many words '.repeat(10)},${index % 3 === 0 ? 'reject' : 'approve'}`,
    ),
  ].join('\n');

describe('an import of a large file in the page', () => {
  let workbench: RunningWorkbench;
  const count = async () => {
    const { items } = (await workbench.call<{ items: { id: string }[] }>('GET', '/api/v1/decision-types')).body;
    const stats = items.map(({ id }) =>
      workbench.call<{ total: number }>('GET', `/api/v1/decision-types/${id}/examples/stats`),
    );
    return (await Promise.all(stats)).map(({ body }) => body.total);
  };
  const button = (page: Page) => page.getByRole('button', { name: 'Create decision type and import 60,000 rows' });

  const openWithFile = async () => {
    const opened = await openWindow(workbench, '#/new');
    const file = { name: 'cases.csv', mimeType: 'text/csv', buffer: Buffer.from(makeCsv()) };
    await opened.page.locator('input[type=file]').first().setInputFiles(file);
    return opened;
  };

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
  });
  afterAll(async () => workbench?.stop());

  test('P5: leaves nothing where its tab is closed in the middle [FIL-9]', async () => {
    const { page, close } = await openWithFile();
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    await page.close();
    await close();
    expect(await count()).toEqual([]);
  });

  test('shows how far it is, is cancelled by a button, and can be begun again [FIL-9]', async () => {
    const { page, close, faults } = await openWithFile();
    await button(page).click();
    const bar = page.getByRole('progressbar', { name: 'Progress of the import' });
    await expect.poll(async () => Number(await bar.getAttribute('value'))).toBeGreaterThan(0.3);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await bar.waitFor({ state: 'detached' });
    expect(await count()).toEqual([]);
    await button(page).click();
    await page.getByText('60,000 examples imported from cases.csv.').first().waitFor();
    expect(await count()).toEqual([rowsOfFile]);
    // Chromium notes that the commit was refused, and that the import had ended.
    expect(faults.filter((fault) => !fault.includes('/api/v1/imports/'))).toEqual([]);
    await close();
  });

  test('counts once where the answer to its commit is lost [FIL-10]', async () => {
    const { page, close } = await openWindow(workbench, '#/new');
    let lost = 0;
    await page.route('**/api/v1/imports/*/commit', async (route) => {
      if (lost > 0) return route.fallback();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    const buffer = Buffer.from('text,label\nlate,a\nearly,b\n');
    await page.locator('input[type=file]').first().setInputFiles({ name: 'two.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Create decision type and import 2 rows' }).click();
    await page.getByText('2 examples imported from two.csv.').first().waitFor();
    expect([lost, await count()]).toEqual([1, [2, rowsOfFile]]);
    await close();
  });
});
