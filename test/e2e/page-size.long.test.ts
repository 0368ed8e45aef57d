/** What the page costs to load: its whole script but the editor of conditions, as it is sent. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWindow, type Window } from './tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from './tools/workbench-process.ts';

const maxScriptBytes = 410_000;
/**
 * Every place is loaded ahead, but the import, which is in the first script; the editor of conditions comes with the
 * Rules, workers with a file.
 */
const minLoadedPlaces = 8;

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

  test('is loaded ahead whole, compressed, and within its budget', async () => {
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
    const placeFiles = /^(?:define|rules|examples|train|evaluate|try|deploy|monitor)-/;
    await expect
      .poll(async () => (await scripts()).filter(({ name }) => placeFiles.test(name)).length, { timeout: 20_000 })
      .toBeGreaterThanOrEqual(minLoadedPlaces);
    const loaded = (await scripts()).filter(({ name }) => !name.startsWith('condition-editor'));
    const sent = loaded.reduce((sum, script) => sum + script.sent, 0);
    const whole = loaded.reduce((sum, script) => sum + script.whole, 0);
    expect(sent).toBeLessThanOrEqual(maxScriptBytes);
    expect(sent).toBeLessThan(whole / 2);
  });
});
