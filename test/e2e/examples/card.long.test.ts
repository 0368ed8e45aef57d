/** The card whole: suggestions in every queue, many options by their letters, what helps with a row, and the end. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Explanation } from '../../../src/server/contract/deciding/decisions.ts';
import { listViolations } from '../tools/axe.ts';
import { openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { startSample } from '../tools/sample.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

type Example = { id: string; input_payload: { text: string }; expected_decision: string | null };
type Suggestions = { items: { suggestion: { decision: string } | null }[] };

const topics = [
  ...['broken cup', 'late parcel', 'wrong invoice', 'lost password', 'new address', 'sick colleague', 'loud neighbour'],
  ...['empty printer', 'slow network', 'cold office', 'missing key', 'stolen bicycle', 'leaking roof', 'old timer'],
];

describe('the card', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let path: string;

  /** A type with labelled and unlabelled examples that the labelling model has read, opened in one window. */
  async function open(options: readonly string[], labelled: readonly string[], texts: readonly string[]) {
    workbench ??= await startWorkbenchProcess();
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', {
      name: `topics ${Date.now()}`,
      options,
    });
    path = `/api/v1/decision-types/${made.body.id}`;
    const examples = [
      ...labelled.map((decision, place) => ({ input: { text: `case ${place} of the ${decision}`, place }, decision })),
      ...texts.map((text, place) => ({ input: { text, place } })),
    ];
    await workbench.call('POST', `${path}/examples`, { examples });
    const { items } = (await workbench.call<{ items: Example[] }>('GET', `${path}/examples?labelled=false`)).body;
    const ids = items.map(({ id }) => id);
    const isRead = async () => {
      const { body } = await workbench.call<Suggestions>('POST', `${path}/examples/suggestions`, { ids });
      return body.items.every(({ suggestion }) => suggestion !== null);
    };
    while (!(await isRead())) await wait(200);
    opened = await openWindow(workbench, `#/types/${made.body.id}/examples?view=card&queue=to-label`);
    return opened.page;
  }
  async function stored(): Promise<Map<string, string | null>> {
    const { body } = await workbench.call<{ items: Example[] }>('GET', `${path}/examples?page_size=100`);
    return new Map(body.items.map(({ input_payload, expected_decision }) => [input_payload.text, expected_decision]));
  }
  const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();

  afterEach(async () => {
    expect(opened.faults).toEqual([]);
    await opened.close();
  });
  afterAll(() => workbench?.stop());

  test('suggests in a plain queue without a policy; its end says what was done, how often agreed, and what is next', async () => {
    const three = topics.slice(0, 3);
    const texts = three.flatMap((topic) => [`another ${topic}`, `again a ${topic}`]);
    const page = await open(three, [...three, ...three, ...three, ...three], texts);
    const expected = new Map<string, string>();
    for (const at of texts.keys()) {
      const text = texts[texts.length - 1 - at] ?? '';
      await expect.poll(() => page.locator('.main-text').innerText()).toBe(text);
      const offer = page.getByText(/Enter take it: .* \(\d+\.\d%\)/);
      await offer.waitFor();
      const suggested = three.find((topic) => text.endsWith(topic)) ?? '';
      expect(await offer.innerText()).toContain(suggested);
      expect(await page.locator('.choice[data-suggested]').innerText()).toMatch(/\d+\.\d%/);
      if (at === 1) await page.getByText('You agreed with 1 of 1 suggestion.').waitFor();
      // One of them is answered otherwise.
      const other = three.findIndex((topic) => topic !== suggested);
      expected.set(text, at === 2 ? (three[other] ?? '') : suggested);
      await page.keyboard.press(at === 2 ? String(other + 1) : 'Enter');
    }
    const done = page.getByRole('region', { name: 'Labelled here' });
    await done.getByRole('heading', { name: 'You labelled 6 examples' }).waitFor();
    await done.getByText('You agreed with 5 of 6 suggestions.').waitFor();
    const counts = Map.groupBy(expected.values(), (label) => label);
    for (const [label, given] of counts) {
      await done.getByRole('listitem').filter({ hasText: label }).getByText(String(given.length)).waitFor();
    }
    await page.screenshot({ path: `${pictures}/queue-end.png` });
    expect(await listViolations(page)).toEqual([]);
    await saved(page);
    const labels = await stored();
    for (const [text, label] of expected) expect([text, labels.get(text)]).toEqual([text, label]);
    await page.keyboard.press('u');
    await expect.poll(() => page.locator('.main-text').innerText()).toBe(texts[0]);
    await page.getByText('You agreed with 4 of 5 suggestions.').waitFor();
  });

  test('of many options the keys are the likeliest ones, and letters find every other', async () => {
    const likely = topics.slice(10, 14);
    const texts = ['a case of the missing key', 'a case of the leaking roof', 'a case of the old timer', 'a last case'];
    const page = await open(topics, [...likely, ...likely, ...likely, ...likely], texts);
    const text = () => page.locator('.main-text').innerText();
    const shown = async () => (await page.locator('.choice .words').allInnerTexts()).map((name) => name.trim());
    await expect.poll(text).toBe('a last case');
    // The first row was shown before anything was known of it: its keys stay what they were.
    const offer = page.getByText(/Enter take it/);
    await offer.waitFor();
    await expect.poll(async () => (await shown()).slice(0, 9)).toEqual(topics.slice(0, 9));
    // What Enter takes is shown behind them.
    expect(await offer.innerText()).toContain((await shown())[9]);
    await page.keyboard.press('2');
    await expect.poll(text).toBe('a case of the old timer');
    await expect.poll(async () => (await shown())[0]).toBe('old timer');
    await page.screenshot({ path: `${pictures}/card-many-options.png` });
    await page.keyboard.press('1');
    await expect.poll(text).toBe('a case of the leaking roof');
    await page.keyboard.press('/');
    await page.keyboard.type('print');
    await expect.poll(shown).toEqual(['empty printer']);
    await page.keyboard.press('Escape');
    await expect.poll(shown).toHaveLength(9);
    await page.keyboard.press('/');
    // Both hold the letters; the second of those shown is taken by its number.
    await page.keyboard.type('CO');
    const found = await shown();
    expect([...found].sort()).toEqual(['cold office', 'sick colleague']);
    await page.keyboard.press('2');
    await expect.poll(text).toBe('a case of the missing key');
    expect(await page.getByRole('textbox', { name: /^Find one of 14 options/ }).inputValue()).toBe('');
    await page.keyboard.press('/');
    await page.keyboard.type('xyz');
    await page.getByText('No option has this name.').waitFor();
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.getByText('You labelled 4 examples').waitFor();
    await saved(page);
    const labels = await stored();
    expect(texts.map((each) => labels.get(each))).toEqual(['missing key', found[1], 'old timer', 'late parcel']);
  });
});

describe('what helps with a row', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let type: string;
  let path: string;
  afterEach(async () => {
    expect(opened.faults).toEqual([]);
    await opened.close();
  });
  afterAll(() => workbench?.stop());

  test('nearest labelled rows and the guideline stand beside it; W marks the words that weighed, row by row', async () => {
    ({ workbench, type, path } = await startSample());
    const description = '## When to pay\nPay within **30 days**:\n- what broke\n- what never came';
    await workbench.call('PUT', path, { description });
    type Request = { id: string; input_payload: { message: string; amount: number } };
    const { items } = (await workbench.call<{ items: Request[] }>('GET', `${path}/examples?labelled=false`)).body;
    const similar = `${path}/examples/${items[0]?.id}/similar?labelled=true`;
    // The rows are read in the background: an answer before its end names fewer.
    while ((await workbench.call<{ items: object[] }>('GET', similar)).body.items.length < 3) await wait(300);
    opened = await openWindow(workbench, `#/types/${type}/examples?view=card&queue=to-label`);
    const { page } = opened;
    const guideline = page.getByRole('region', { name: 'Guideline' });
    await guideline.getByRole('heading', { name: 'When to pay' }).waitFor();
    expect(await guideline.getByRole('listitem').allInnerTexts()).toEqual(['what broke', 'what never came']);
    expect(await guideline.locator('strong').innerText()).toBe('30 days');
    const near = page.getByRole('region', { name: 'Labelled examples most like it' });
    await expect.poll(() => near.getByRole('listitem').count()).toBe(3);
    await page.getByText(/Enter take it: .* \(\d/).waitFor();
    // A number says where it stands among those of the examples.
    const all = await Promise.all(
      Array.from({ length: 7 }, (_, at) =>
        workbench.call<{ items: { input_payload: { amount: number } }[] }>(
          'GET',
          `${path}/examples?page_size=100&page=${at + 1}`,
        ),
      ),
    );
    const amounts = all.flatMap(({ body }) => body.items.map(({ input_payload }) => input_payload.amount));
    const amount = items[0]?.input_payload.amount ?? 0;
    const share = (100 * amounts.filter((each) => each < amount).length) / amounts.length;
    const said = await page.getByRole('row', { name: /^amount/ }).innerText();
    expect(Math.abs(Number(/higher than (\d+)%/.exec(said)?.[1]) - share)).toBeLessThan(2);
    /** What the page was told: in the time that an explanation may take, a busy machine leaves out other words. */
    const explained = new Map<string, Promise<Explanation>>();
    page.on('response', (response) => {
      const id = /examples\/([^/]+)\/explain$/.exec(response.url())?.[1];
      if (id !== undefined) explained.set(id, response.json());
    });
    /** The words of a row that weigh more than a little, in their order. */
    const readHeavy = async ({ id, input_payload: { message } }: (typeof items)[number]) => {
      await expect.poll(() => explained.has(id)).toBe(true);
      const { words } = (await explained.get(id)) ?? expect.fail(id);
      const least = Math.max(0.0005, ...words.map(({ weight }) => Math.abs(weight) * 0.15));
      const heavy = words.filter(({ weight }) => Math.abs(weight) >= least).sort((a, b) => a.start - b.start);
      return heavy.map(({ start, end }) => message.slice(start, end));
    };
    const marked = page.locator('.main-text mark');
    const [firstRow, ...otherRows] = items.slice(0, 3);
    await page.keyboard.press('w');
    const first = await readHeavy(firstRow ?? expect.fail('no row'));
    expect(first).not.toEqual([]);
    await expect.poll(() => marked.allInnerTexts()).toEqual(first);
    for (const [width, height] of [
      [1440, 900],
      [1024, 700],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await expect.poll(() => marked.allInnerTexts()).toEqual(first);
        await page.screenshot({ path: `${pictures}/card-${colorScheme}-${width}.png` });
        expect(await listViolations(page)).toEqual([]);
      }
    }
    // Asked for once, each row is explained that somebody rests on.
    for (const row of otherRows) {
      await page.keyboard.press('j');
      const heavy = await readHeavy(row);
      await expect.poll(() => marked.allInnerTexts()).toEqual(heavy);
    }
  });
});
