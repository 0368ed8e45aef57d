/** What somebody who never opens the program is given: one page to read on a screen, to print or to keep as a file. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CostFinding } from '../../../src/engine/costs.ts';
import { formatAmount } from '../../../src/engine/measure/costs.ts';
import { listViolations } from '../tools/axe.ts';
import { openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { startSample } from '../tools/sample.ts';
import type { RunningWorkbench } from '../tools/workbench-process.ts';

describe('the report of a policy', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let reader: Page;
  let costs: CostFinding;

  beforeAll(async () => {
    const sample = await startSample();
    ({ workbench } = sample);
    await workbench.call('PUT', sample.path, { costs: { currency: '€', look: 1.5, wrong: 10 } });
    costs = (await workbench.call<CostFinding>('GET', `${sample.path}/policies/${sample.policyId}/costs`)).body;
    opened = await openWindow(workbench, `#/types/${sample.type}/deploy`);
    const [file] = await Promise.all([
      opened.page.waitForEvent('download'),
      opened.page.getByRole('button', { name: 'Report' }).click(),
    ]);
    const path = join(pictures, 'report.html');
    await file.saveAs(path);
    reader = await opened.page.context().newPage();
    await reader.goto(`file://${path}`);
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  test('says what decisions cost now, at best and all by hand, each with a bar of its own [RPT-3]', async () => {
    const section = reader.locator('section', { hasText: 'What it costs' });
    const { now, suggested, by_hand, currency } = costs;
    const lines = [now, suggested, by_hand].flatMap((estimate) => (estimate === null ? [] : [estimate]));
    expect(lines.length).toBe(3);
    const dearest = Math.max(...lines.map(({ high }) => high));
    for (const [place, { per_1000 }] of lines.entries()) {
      const row = section.getByRole('row').nth(place);
      await row.getByText(formatAmount(per_1000, currency), { exact: true }).waitFor();
      const measure = (part: string) => row.locator(part).evaluate((bar) => bar.getBoundingClientRect().width);
      expect((await measure('.value')) / (await measure('.track'))).toBeCloseTo(per_1000 / dearest, 2);
    }
  });

  test.each(['light', 'dark'] as const)('can be read by everybody, %s', async (theme) => {
    await reader.emulateMedia({ colorScheme: theme });
    writeFileSync(join(pictures, `report-${theme}.png`), await reader.screenshot({ fullPage: true }));
    expect(await listViolations(reader)).toEqual([]);
  });

  test('prints on two pages of A4 at most with every section, also from a window in the dark theme [RPT-3] [RPT-4]', async () => {
    const pdf = await reader.pdf({ preferCSSPageSize: true, printBackground: false, outline: true, tagged: true });
    writeFileSync(join(pictures, 'report.pdf'), pdf);
    const text = pdf.toString('latin1');
    expect(text.match(/\/Type \/Page\b/g)?.length).toBeLessThanOrEqual(2);
    for (const heading of await reader.getByRole('heading').allTextContents())
      expect(text).toContain(`/Title (${heading})`);
  });
});
