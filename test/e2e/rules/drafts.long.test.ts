/** A rule that is worse, in real Chromium: kept as a draft, seen by others, published with a reason, taken back. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listViolations } from '../tools/axe.ts';
import { goToPlace, openWindow, pictures, type Window, waitForQuiet } from '../tools/browser-page.ts';
import { startSample } from '../tools/sample.ts';
import type { RunningWorkbench } from '../tools/workbench-process.ts';

const input = { message: 'The parcel never came, please pay me back.', amount: 40 };

describe('a draft in the browser', () => {
  let workbench: RunningWorkbench;
  let path: string;
  let opened: Window;
  let other: Window;
  const page = () => opened.page;
  const decide = async () => {
    const call = { decision_type: 'refund-requests', input };
    return (await workbench.call<Record<string, unknown>>('POST', '/api/v1/decide', call)).body;
  };
  const draft = (window: Window) => window.page.getByRole('region', { name: 'Draft', exact: true });

  beforeAll(async () => {
    const sample = await startSample();
    ({ workbench, path } = sample);
    await workbench.call('PUT', path, { costs: { look: 3, wrong: 40, currency: '€' } });
    await decide();
    opened = await openWindow(workbench, `#/types/${sample.type}/rules?rule=0&code=open`);
    other = await openWindow(workbench, `#/types/${sample.type}/deploy`, { viewport: { width: 1024, height: 700 } });
  });
  afterAll(async () => {
    await opened?.close();
    await other?.close();
    await workbench?.stop();
  });

  test('is kept by Mod+S and decides nothing; another window sees it [DRA-6]', async () => {
    const before = await decide();
    const code = page().locator('.cm-content');
    await code.click();
    await page().keyboard.press('ControlOrMeta+a');
    await page().keyboard.insertText('ctx.amount > 0');
    await page().getByText('Unpublished changes').waitFor();
    await page().keyboard.press('ControlOrMeta+s');
    await page().getByText('Kept in the draft.').first().waitFor();
    for (const window of [opened, other]) {
      await draft(window).getByText('Draft: 1 change').waitFor();
      await draft(window)
        .getByText(/^Rule “.*” was: /)
        .waitFor();
    }
    await page().getByText('When published').waitFor();
    await waitForQuiet(page());
    await page().screenshot({ path: join(pictures, 'draft-rules.png') });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page().emulateMedia({ colorScheme });
      expect(await listViolations(page(), 'colours')).toEqual([]);
    }
    expect(await decide()).toMatchObject({ release: before['release'], digest: before['digest'] });
    await other.page.screenshot({ path: join(pictures, 'draft-deploy-1024.png') });
  });

  test('that is worse is published with a reason alone, and taken back in one click [DRA-6]', async () => {
    const before = await decide();
    await draft(opened).getByRole('button', { name: 'Publish…' }).click();
    const dialog = page().getByRole('dialog', { name: 'Publish the draft?' });
    await dialog.getByText(/^Worse by [\d.]+ points on unseen examples$/).waitFor();
    await dialog.getByText(/^Of the newest \d+ logged decisions, /).waitFor();
    await dialog.getByText(/^Decisions cost more: /).waitFor();
    await page().screenshot({ path: join(pictures, 'draft-publish.png') });
    expect(await listViolations(page())).toEqual([]);
    const publish = dialog.getByRole('button', { name: 'Publish' });
    expect(await publish.isDisabled()).toBe(true);
    await dialog.getByLabel('Reason').fill('The warehouse is closed');
    await page().keyboard.press('Enter');
    const notice = page().getByText('Release 2 decides now.');
    await notice.first().waitFor();
    expect(await decide()).toMatchObject({ release: 2, stage: 'rules' });
    await expect.poll(() => draft(other).count()).toBe(0);
    await other.page.getByText('The warehouse is closed').waitFor();
    await page().getByRole('alert').filter({ has: notice }).getByRole('button', { name: 'Undo' }).click();
    await page().getByText('Undone: Published release 2').first().waitFor();
    expect(await decide()).toMatchObject({ release: 3, digest: before['digest'] });
  });

  test('of thresholds shows all figures as they would be, and can be discarded and brought back [DRA-6]', async () => {
    await goToPlace(page(), 'Evaluate');
    const handle = page().getByRole('slider', { name: 'Decide directly from' });
    for (let step = 0; step < 5; step += 1) await handle.press('ArrowRight');
    await page().getByRole('button', { name: 'Keep as draft' }).click();
    await draft(opened)
      .getByText(/^Confidence to decide alone: /)
      .waitFor();
    await page().getByText('In the draft', { exact: true }).waitFor();
    await waitForQuiet(page());
    await page().screenshot({ path: join(pictures, 'draft-evaluate.png') });
    await draft(opened).getByRole('button', { name: 'Discard draft' }).click();
    const notice = page().getByText('The draft is discarded.');
    await notice.first().waitFor();
    await expect.poll(() => draft(opened).count()).toBe(0);
    await page().getByRole('alert').filter({ has: notice }).getByRole('button', { name: 'Undo' }).click();
    await draft(opened).waitFor();
    expect([...opened.faults, ...other.faults]).toEqual([]);
  });
});
