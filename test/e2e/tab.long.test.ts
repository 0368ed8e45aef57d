/** The workbench in a tab: from a dropped file to a policy that is tried and kept, without a server or a connection. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildTab } from '../../scripts/bundling/build-tab.ts';
import { readProject } from '../../src/tab/project.ts';
import { trainProject } from '../../src/tab/train-table.ts';
import { buildForAll } from '../edge/built-package.ts';
import { forAll, makeDataDir, removeDataDir, sendForm, startWorkbench } from '../server/workbench.ts';
import { keepPicture, openAddress } from './tools/browser-page.ts';

type Row = { input: Record<string, unknown>; decision: string };

const edge = buildForAll();
const bench = forAll(
  async () => {
    const folder = makeDataDir();
    await buildTab(join(folder, 'tab'), join(edge.folder, 'page.html'));
    return { folder, address: pathToFileURL(join(folder, 'tab/index.html')).href };
  },
  ({ folder }) => removeDataDir(folder),
);

/** Writes rows of a data set as CSV; of those from `labelled` on without their answers. */
function writeCsv(set: string, count: number, labelled = count): string {
  const lines = readFileSync(join(import.meta.dirname, `../fixtures/${set}/train.jsonl`), 'utf8')
    .trim()
    .split('\n');
  const rows = lines.slice(0, count).map((line): Row => JSON.parse(line));
  const names = Object.keys(rows[0]!.input);
  const write = (cells: unknown[]) => cells.map((cell) => `"${String(cell ?? '').replaceAll('"', '""')}"`).join(',');
  const table = rows.map(({ input, decision }, at) => [
    ...names.map((name) => input[name]),
    at < labelled ? decision : '',
  ]);
  const file = join(bench.folder, `${set}-${labelled}.csv`);
  writeFileSync(file, [write([...names, 'decision']), ...table.map(write)].join('\n'));
  return file;
}

async function openTab(file: string) {
  const opened = await openAddress(bench.address);
  onTestFinished(() => opened.close());
  await opened.page.locator('#file').setInputFiles(file);
  return opened;
}

const answer = async (page: Page) => {
  await page.getByRole('button', { name: 'decision', exact: true }).click();
  await page.locator('#result').waitFor({ timeout: 300_000 });
};

async function save(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
  const file = join(bench.folder, download.suggestedFilename());
  await download.saveAs(file);
  return file;
}

async function expectSameBytes(bundle: string, projectFile: string): Promise<void> {
  const project = readProject(readFileSync(projectFile));
  const { id, completedMs } = project.policy!;
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  const made = await trainProject(project, { policyId: id, atMs: completedMs, toolVersion: version }, () => undefined);
  expect(Buffer.from(made.bundle).equals(readFileSync(bundle))).toBe(true);
}

describe('a stranger with a table', () => {
  test('drops it, says its answer, sees the number down to the rows, tries it and keeps it [TAB-1] [TAB-2] [TAB-3]', async () => {
    const { page, reached, faults } = await openTab(writeCsv('german_credit', 500));
    await page.getByRole('heading', { name: 'Which column is the answer?' }).waitFor();
    await keepPicture(page, 'tab-question');
    await answer(page);
    const number = await page.locator('#number').innerText();
    expect(number).toMatch(/^german_credit-500: [\d.]+% correct$/);
    expect(await page.locator('#figures').innerText()).toMatch(
      /Correct on [\d.]+% of \d+ unseen examples .*Always answering/,
    );
    await keepPicture(page, 'tab-number');
    const cell = page.getByRole('button', { name: /rows? of bad risk decided as good risk/ });
    const count = Number(await cell.innerText());
    await cell.click();
    await page.getByRole('heading', { name: `bad risk, decided as good risk: ${count} row` }).waitFor();
    await page.getByLabel('duration_months').fill('24');
    await page.getByLabel('credit_amount').fill('1246');
    await page.getByRole('button', { name: 'Decide', exact: true }).click();
    await page.locator('#answer .decision').waitFor();
    const [decides, bundle, project] = [
      await save(page, 'A page that decides'),
      await save(page, 'The bundle for programs'),
      await save(page, 'The project'),
    ];
    expect([reached, faults]).toEqual([[], []]);
    await expectSameBytes(bundle, project);

    const saved = await openAddress(pathToFileURL(decides).href);
    onTestFinished(() => saved.close());
    await saved.page.getByText('known inputs decided as in the workbench').waitFor();

    const again = await openTab(project);
    await again.page.locator('#result').waitFor();
    expect(await again.page.locator('#number').innerText()).toBe(number);

    const workbench = await startWorkbench(join(bench.folder, 'data'));
    onTestFinished(workbench.stop);
    const { call } = workbench;
    const imported = await sendForm(call, '/decision-types/import', new File([readFileSync(project)], 'credit.zip'));
    expect(imported).toMatchObject({ status: 201, body: { examples: 500, policies: 1, releases: 1 } });
    const there = `/decision-types/${imported.body.decision_type.id}/policies`;
    const [{ id }] = (await call('GET', there)).body;
    const { metrics } = (await call('GET', `${there}/${id}`)).body;
    expect(number).toContain(`${(100 * metrics.whole.accuracy.share).toFixed(1)}%`);
    const decided = await call('POST', '/decide', {
      decision_type: 'german_credit-500',
      input: { duration_months: 24 },
    });
    expect(decided).toMatchObject({ status: 200, body: { stage: 'classifier' } });
  });

  test('learns texts by their words with the same bytes, and can be stopped [TAB-1] [TAB-2]', async () => {
    const { page } = await openTab(writeCsv('sms_spam', 400));
    await page.getByRole('button', { name: 'decision', exact: true }).click();
    await page.locator('#work progress[value]').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('heading', { name: 'Which column is the answer?' }).waitFor();
    await answer(page);
    await expectSameBytes(await save(page, 'The bundle for programs'), await save(page, 'The project'));
  });

  test('labels rows without an answer by keys, and trains with them [TAB-4]', async () => {
    const { page } = await openTab(writeCsv('german_credit', 240, 200));
    await answer(page);
    const learned = async () => Number(/Learned from (\d+) rows/.exec(await page.locator('#figures').innerText())?.[1]);
    const before = await learned();
    await page.getByText('40 rows to go, 0 labels given.').waitFor();
    for (const key of ['1', '2', 'u', 's', ...'12121212121212']) await page.keyboard.press(key);
    await page.getByText('24 rows to go, 15 labels given.').waitFor();
    await keepPicture(page, 'tab-labels');
    await page.getByRole('button', { name: 'Train with these labels' }).click();
    await page.getByText('25 rows to go, 0 labels given.').waitFor({ timeout: 300_000 });
    expect(await learned()).toBeGreaterThan(before);
  });

  test('is told what is wrong with a file, and goes on with another [TAB-1]', async () => {
    const file = join(bench.folder, 'empty.csv');
    writeFileSync(file, 'a,b\n');
    const { page } = await openTab(file);
    await page.getByText('the file holds no examples').waitFor();
    await page.locator('#file').setInputFiles(writeCsv('german_credit', 60));
    await page.getByRole('heading', { name: 'Which column is the answer?' }).waitFor();
  });
});
