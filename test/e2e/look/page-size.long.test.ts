/** What the page costs to load, as it is sent: its whole script, and the editor that comes with the first edit of code. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToAddress, openWindow, type Window, waitForQuiet } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

const maxScriptBytes = 410_000;
const maxEditorBytes = 120_000;
/**
 * Every place is loaded ahead; the editor of conditions comes when a condition is first changed as code, workers with a
 * file.
 */
const minLoadedPlaces = 9;

describe('the script of the page', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    opened = await openWindow(workbench, '#/');
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  const scripts = () =>
    opened.page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter((entry) => entry.name.endsWith('.js'))
        .map((entry) => {
          const { name, encodedBodySize, decodedBodySize } = entry as PerformanceResourceTiming;
          return { name: name.split('/').at(-1) ?? '', sent: encodedBodySize, whole: decodedBodySize };
        }),
    );
  const sumSent = (some: { sent: number }[]) => some.reduce((sum, { sent }) => sum + sent, 0);

  test('is loaded ahead whole, compressed, and within its budget', async () => {
    const placeFiles = /^(?:define|rules|examples|import-desk|train|evaluate|try|deploy|monitor)-/;
    await expect
      .poll(async () => (await scripts()).filter(({ name }) => placeFiles.test(name)).length)
      .toBeGreaterThanOrEqual(minLoadedPlaces);
    const loaded = await scripts();
    expect(sumSent(loaded)).toBeLessThanOrEqual(maxScriptBytes);
    expect(sumSent(loaded)).toBeLessThan(loaded.reduce((sum, { whole }) => sum + whole, 0) / 2);
  });

  test('brings the code editor with the first edit of code, within a budget of its own', async () => {
    const { body } = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', {
      name: 'claims',
      options: ['approve', 'deny'],
      hard_rules: [{ name: 'large', condition: 'ctx.amount > 100', then: 'deny', reason_code: null, priority: 1 }],
    });
    const { page } = opened;
    await goToAddress(page, `#/types/${body.id}/rules`);
    await page.getByRole('button', { name: 'Edit code' }).waitFor();
    await page.getByText('What the rules would do').waitFor();
    await waitForQuiet(page);
    const before = await scripts();
    await page.getByRole('button', { name: 'Edit code' }).click();
    await page.getByRole('textbox', { name: 'Condition of large' }).waitFor();
    const known = new Set(before.map(({ name }) => name));
    const added = (await scripts()).filter(({ name }) => !known.has(name));
    expect(added.map(({ name }) => name.replace(/-.{8}\.js$/, ''))).toContain('condition-editor');
    expect(sumSent(added)).toBeLessThanOrEqual(maxEditorBytes);
  });
});
