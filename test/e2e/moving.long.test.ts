/** A decision type moves by the page: exported as a file, made from it, and decided for by a bundle. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToPlace, openWindow, pictures, type Window } from './tools/browser-page.ts';
import { startSample } from './tools/sample.ts';
import type { RunningWorkbench } from './tools/workbench-process.ts';

describe('a decision type on the page', () => {
  let workbench: RunningWorkbench;
  let opened: Window;

  beforeAll(async () => {
    const sample = await startSample();
    ({ workbench } = sample);
    opened = await openWindow(workbench, `#/types/${sample.type}/deploy`);
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  const save = async (name: string) => {
    const { page } = opened;
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    return { name: file.suggestedFilename(), buffer: readFileSync(await file.path()), mimeType: 'application/zip' };
  };

  test('is exported, and made again under another name [MOV-6]', async () => {
    const { page } = opened;
    const archive = await save('Export the decision type');
    await page.getByRole('link', { name: 'New from a file…' }).click();
    await page.getByLabel('File', { exact: true }).setInputFiles(archive);
    await page.getByRole('button', { name: 'Make the decision type' }).click();
    await page.getByText(/^The decision type "[^"]+" exists already/).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('refunds 2');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${pictures}/moving-${colorScheme}.png` });
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Make the decision type' }).click();
    await page.getByText(/refunds 2.? is here: 663 examples, 1 policy\./).waitFor();
    await page.getByText(/v1 decides, /).waitFor();
    const { body } = await workbench.call<{ decision: string }>('POST', '/api/v1/decide', {
      decision_type: 'refunds 2',
      input: { message: 'The jacket came torn.', amount: 5_000 },
    });
    expect(body.decision).toBe('review');
  });

  test('goes on with a bundle, which can be taken back [MOV-6]', async () => {
    const { page } = opened;
    await page.getByRole('checkbox', { name: 'Leave the text model out' }).check();
    const bundle = await save('Export bundle');
    await goToPlace(page, 'Examples');
    await page.getByRole('button', { name: 'Import…' }).click();
    await page.getByLabel('File', { exact: true }).setInputFiles(bundle);
    await page.getByRole('textbox', { name: 'Reason' }).fill('Week 12');
    await page.screenshot({ path: `${pictures}/moving-bundle.png` });
    await page.getByRole('button', { name: 'Let it decide' }).click();
    await page.getByText('v2 of the bundle decides, as release 2.').waitFor();
    await page.getByText('Week 12').waitFor();
    await page.screenshot({ path: `${pictures}/moving-deploy.png`, fullPage: true });
    await goToPlace(page, 'Evaluate');
    await page.screenshot({ path: `${pictures}/moving-evaluate.png` });
    await goToPlace(page, 'Train');
    await page.screenshot({ path: `${pictures}/moving-train.png` });
    expect(opened.faults.filter((fault) => !fault.includes('409'))).toEqual([]);
  });
});
