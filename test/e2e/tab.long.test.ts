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
import { findFirefox, openInFirefox } from './tools/firefox.ts';

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

const readLines = (set: string): Row[] =>
  readFileSync(join(import.meta.dirname, `../fixtures/${set}/train.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
/** Writes rows of a data set as CSV; of those from `labelled` on without their answers. */
function writeCsv(set: string, count: number, labelled = count): string {
  const rows = readLines(set).slice(0, count);
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

const learned = (page: Page) => page.locator('#figures').innerText();

async function save(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
  const file = join(bench.folder, download.suggestedFilename());
  await download.saveAs(file);
  return file;
}

async function expectSameBytes(bundle: Uint8Array, projectFile: Uint8Array): Promise<void> {
  const project = readProject(projectFile);
  const { id, completedMs } = project.policy!;
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  const made = await trainProject(project, { policyId: id, atMs: completedMs, toolVersion: version }, () => undefined);
  expect(Buffer.from(made.bundle).equals(bundle)).toBe(true);
}

const expectSameAsNode = async (page: Page) =>
  expectSameBytes(
    readFileSync(await save(page, 'The bundle for programs')),
    readFileSync(await save(page, 'The project')),
  );

/** Runs in the page: answers the question, waits for the policy of all rows, and gives bundle and project as base64. */
async function replay(): Promise<string> {
  const until = <Found>(find: () => Found | null | undefined) =>
    new Promise<Found>((resolve) => {
      const look = () => {
        const found = find();
        if (found == null) return;
        observer.disconnect();
        resolve(found);
      };
      const observer = new MutationObserver(look);
      observer.observe(document, { subtree: true, childList: true, attributes: true });
      look();
    });
  const answers = () => [...document.querySelectorAll<HTMLElement>('#candidates button')];
  (await until(() => answers().find(({ textContent }) => textContent === 'decision'))).click();
  await until(() => document.querySelector('#result:not([hidden]) #keep:not([hidden])'));
  const create = URL.createObjectURL;
  const save = async (as: string) => {
    const file = new Promise<Blob>((resolve) => {
      URL.createObjectURL = (made: Blob) => {
        resolve(made);
        return create.call(URL, made);
      };
    });
    document.querySelector<HTMLElement>(`#save-${as}`)?.click();
    const signs = Array.from(new Uint8Array(await (await file).arrayBuffer()), (byte) => String.fromCharCode(byte));
    return btoa(signs.join(''));
  };
  return JSON.stringify([await save('bundle'), await save('project')]);
}

const readSample = (): Row[] => {
  const file = join(import.meta.dirname, '../../resources/samples/refund-requests.json');
  return JSON.parse(readFileSync(file, 'utf8')).examples;
};

describe('four trainings', () => {
  const replayed = [
    { name: 'a table', read: () => readLines('german_credit').slice(0, 300) },
    { name: 'messages', read: () => readLines('sms_spam').slice(0, 300) },
    { name: 'letters with fields', read: () => readLines('complaint_routing').slice(0, 100) },
    {
      name: 'the sample',
      read: () =>
        readSample()
          .filter(({ decision }) => decision !== null)
          .slice(0, 300),
    },
  ];
  const firefox = findFirefox();
  const browsers = {
    async Chromium(file: string) {
      const { page } = await openTab(file);
      return page.evaluate(replay);
    },
    async Firefox(file: string) {
      const tab = await openInFirefox(firefox!, bench.address);
      onTestFinished(() => tab.close());
      await tab.choose('#file', file);
      return tab.run(`(${replay})()`);
    },
  };

  describe.each(['Chromium', 'Firefox'] as const)('in %s', (browser) => {
    test.skipIf(browser === 'Firefox' && firefox === null).each(replayed)(
      'of $name give the bytes of Node [TAB-2]',
      async ({ name, read }) => {
        const file = join(bench.folder, `${name}.jsonl`);
        const rows = read().map(({ input, decision }) => JSON.stringify({ ...input, decision }));
        writeFileSync(file, rows.join('\n'));
        const [bundle, project] = JSON.parse(await browsers[browser](file));
        await expectSameBytes(Buffer.from(bundle, 'base64'), Buffer.from(project, 'base64'));
      },
    );
  });
});

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
    await expectSameBytes(readFileSync(bundle), readFileSync(project));

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
    await expectSameAsNode(page);
  });

  test('sees a first number of many texts, and types while all of them are learned [TAB-5] [TAB-2]', async () => {
    const { page } = await openTab(writeCsv('sms_spam', 1_300));
    await answer(page);
    await page.getByText('A first number, of some of the 1,300 rows.').waitFor();
    expect(await page.getByRole('button', { name: 'The project' }).isVisible()).toBe(false);
    const rows = async () => Number(/Learned from ([\d,]+) rows/.exec(await learned(page))?.[1]?.replace(',', ''));
    expect(await rows()).toBeLessThan(600);
    const text = page.locator('#form textarea');
    await text.fill('You have won a prize');
    await page.locator('#keep').waitFor({ timeout: 300_000 });
    expect(await rows()).toBeGreaterThan(1_000);
    expect(await text.inputValue()).toBe('You have won a prize');
    await page.getByRole('button', { name: 'Decide', exact: true }).click();
    await page.locator('#answer .decision').waitFor();
    await expectSameAsNode(page);
  });

  test('labels rows without an answer by keys, and trains with them [TAB-4]', async () => {
    const { page } = await openTab(writeCsv('german_credit', 240, 200));
    await answer(page);
    const rows = async () => Number(/Learned from (\d+) rows/.exec(await learned(page))?.[1]);
    const before = await rows();
    await page.getByText('40 rows to go, 0 labels given.').waitFor();
    for (const key of ['1', '2', 'u', 's', ...'12121212121212']) await page.keyboard.press(key);
    await page.getByText('24 rows to go, 15 labels given.').waitFor();
    await keepPicture(page, 'tab-labels');
    await page.getByRole('button', { name: 'Train with these labels' }).click();
    await page.getByText('25 rows to go, 0 labels given.').waitFor({ timeout: 300_000 });
    expect(await rows()).toBeGreaterThan(before);
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
