/** A deployed policy in use in the browser: tried, recorded, corrected and backed up, and all of it found by words. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToPlace, openWindow, pictures, type Window } from './tools/browser-page.ts';
import { startSample } from './tools/sample.ts';
import type { RunningWorkbench } from './tools/workbench-process.ts';

describe('a deployed policy in the browser', () => {
  let workbench: RunningWorkbench;
  let typePath: string;
  let opened: Window;
  const page = () => opened.page;

  beforeAll(async () => {
    const sample = await startSample();
    ({ workbench, path: typePath } = sample);
    opened = await openWindow(workbench, `#/types/${sample.type}/try`);
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  test('decides under Try while typing, never swaps the field, and shows the way to it', async () => {
    await goToPlace(page(), 'Try');
    const decision = page().getByTestId('decision');
    await decision.waitFor();
    const { body } = await workbench.call<{ items: { expected_decision: string }[] }>(
      'GET',
      `${typePath}/examples?page_size=1`,
    );
    await expect.poll(() => decision.innerText()).toContain(body.items[0]?.expected_decision);
    const message = page().getByLabel('message');
    await message.fill('');
    const sentence =
      'It arrived broken and the box was crushed, please send my money back as soon as you possibly can.';
    await message.pressSequentially(sentence, { delay: 5 });
    expect(await message.inputValue()).toBe(sentence);
    await page().getByLabel('amount').fill('1500');
    await expect.poll(() => decision.innerText()).toContain('review');
    await page()
      .getByText(/^Rule .* matched\.$/)
      .waitFor();
    await page().screenshot({ path: join(pictures, 'try.png') });
  });

  test('leaves no record of what is tried, until it is decided as for a program', async () => {
    const [type] = (await workbench.call<{ items: { id: string }[] }>('GET', '/api/v1/decision-types')).body.items;
    const logs = `/api/v1/decision-types/${type?.id}/logs`;
    const count = async () => (await workbench.call<{ total: number }>('GET', logs)).body.total;
    expect(await count()).toBe(0);
    await page().getByRole('button', { name: 'Save…' }).click();
    await page().getByRole('menuitem', { name: 'Decide and record it, as for a program' }).click();
    await page().getByText('Decided and recorded; Monitor shows it.').waitFor();
    expect(await count()).toBe(1);
  });

  test('compares groups under Evaluate by a field that somebody names, with the option that people hope for', async () => {
    await goToPlace(page(), 'Evaluate');
    const groups = page().getByRole('region', { name: 'Groups' });
    await groups.getByRole('button', { name: 'Compare groups…' }).click();
    await page().getByLabel('By field').fill('category');
    await page().keyboard.press('Enter');
    await page().getByLabel('Favoured option').selectOption('approve');
    await page().getByRole('button', { name: 'Save groups' }).click();
    await groups.getByText(/^By “category” “approve” goes to /).waitFor();
    await groups.getByRole('table', { name: 'approve by category' }).waitFor();
    await groups.scrollIntoViewIfNeeded();
    await page().screenshot({ path: join(pictures, 'groups.png') });
  });

  test('lists the decisions under Monitor, opens one and corrects it by key', async () => {
    await goToPlace(page(), 'Monitor');
    await page().getByRole('grid', { name: 'Decisions' }).getByText('review').first().waitFor();
    await page().keyboard.press('ArrowDown');
    await page().getByRole('heading', { name: 'Record' }).waitFor();
    await page().keyboard.press('1');
    await page().getByText('Corrected. The record is now a reviewed example.').first().waitFor();
  });

  test('makes the log again by one command, and says in a sentence that it is as recorded', async () => {
    await page().keyboard.press('Control+K');
    await page().keyboard.type('Verify the log');
    await page().keyboard.press('Enter');
    await page().getByText('Made again by its release, 1 decision is as recorded.').waitFor();
  });

  test('backs everything up under Settings, and says when that was and how large it is', async () => {
    await page().goto(`${workbench.url}/app/#/settings/data`);
    await page().getByText('There is no backup yet.').waitFor();
    await page().getByRole('button', { name: 'Back up now' }).click();
    await page()
      .getByText(/^The last backup was made .* and takes [\d.,]+ MB\.$/)
      .waitFor();
    type Backups = { name: string; size_bytes: number }[];
    const { body: backups } = await workbench.call<Backups>('GET', '/api/v1/backups');
    expect(backups).toHaveLength(1);
    await page()
      .getByRole('cell', { name: backups[0]?.name ?? 'a backup', exact: true })
      .waitFor();
    await page().goBack();
    await page().getByRole('heading', { name: 'Monitor', level: 1 }).waitFor();
  });

  test('finds types, places and acts by their words in the palette, and rows where nothing else fits', async () => {
    await page().keyboard.press('ControlOrMeta+k');
    const box = page().getByRole('textbox', { name: 'Search commands' });
    await box.fill('moni');
    await page()
      .getByRole('button', { name: /Monitor/ })
      .first()
      .waitFor();
    await page().keyboard.press('Enter');
    await page().getByRole('heading', { name: 'Monitor', level: 1 }).waitFor();
    await box.waitFor({ state: 'detached' });
    await page().keyboard.press('ControlOrMeta+k');
    await box.fill('refund-req');
    await page()
      .getByRole('button', { name: /Types.*refund-requests/ })
      .waitFor();
    const results = () => page().getByRole('dialog', { name: 'Search commands' }).getByRole('button').allInnerTexts();
    await box.fill('export bundle');
    await expect
      .poll(async () => (await results()).map((text) => text.replace(/\s+/g, ' ')))
      .toEqual(['Go Export bundle']);
    await box.fill('dark');
    await expect
      .poll(async () => (await results()).map((text) => text.replace(/\s+/g, ' ')))
      .toEqual(['Look Dark theme']);
    await box.fill('broken');
    await page()
      .getByRole('button', { name: /Examples.*broken/i })
      .first()
      .waitFor();
    await page().keyboard.press('Escape');
  });

  test('nothing went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
