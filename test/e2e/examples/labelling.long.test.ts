/** Labelling at speed: which row got which label, in every queue and order, and all of it taken back. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { goToPlace, openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

type Example = { id: string; input_payload: { text: string }; expected_decision: string | null; reviewed: boolean };
const options = ['red', 'green', 'blue'];
const keyMs = 60;
/** Labels rest when there was none for so long. */
const countDelayMs = 1_500;

describe('labelling by keyboard', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let path: string;

  /** A type with numbered examples, the newest with the highest number, opened in one window. */
  async function open(count: number, hash: string, labelOf: (index: number) => string | null = () => null) {
    workbench ??= await startWorkbenchProcess();
    const name = `colours ${Date.now()}`;
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name, options });
    path = `/api/v1/decision-types/${made.body.id}`;
    const examples = Array.from({ length: count }, (_, index) => ({
      input: { text: `example number ${index}`, place: index },
      decision: labelOf(index),
    }));
    await workbench.call('POST', `${path}/examples`, { examples });
    opened = await openWindow(workbench, `#/types/${made.body.id}/examples?${hash}`);
  }
  /** The stored labels by the numbers in the texts, newest example first. */
  async function stored(): Promise<Map<string, string | null>> {
    const found = new Map<string, string | null>();
    for (let page = 1; ; page += 1) {
      const { body } = await workbench.call<{ items: Example[]; pages: number }>(
        'GET',
        `${path}/examples?page=${page}&page_size=100`,
      );
      for (const { input_payload, expected_decision } of body.items) found.set(input_payload.text, expected_decision);
      if (page >= body.pages) return found;
    }
  }
  const saved = () => opened.page.getByText('Saved', { exact: true }).waitFor();

  afterEach(async () => {
    expect(opened.faults).toEqual([]);
    await opened.close();
  });
  afterAll(() => workbench?.stop());

  test('200 rows at 60 ms a key: each got the label of the key pressed while it was shown, and undo takes all back, elsewhere and after a reload', async () => {
    await open(230, 'view=card&queue=to-label');
    const { page } = opened;
    const shown = page.locator('.main-text');
    await shown.waitFor();
    const expected = new Map<string, string>();
    const asked: string[] = [];
    // A row that rests in sight, as on a slow machine, asks for its help.
    const isHelp = (url: string) => /examples\/(suggestions|[0-9a-f-]{36}\/\w+)/.test(url);
    page.on('request', (request) => {
      if (request.url().includes('/api/') && !isHelp(request.url())) asked.push(request.method());
    });
    let rests = 0;
    for (let at = 0; at < 200; at += 1) {
      const option = at % 3;
      const shownMs = performance.now();
      const text = await shown.innerText();
      expected.set(text, options[option] ?? '');
      const next = wait(keyMs);
      await page.keyboard.press(String(option + 1));
      await next;
      // A busy machine may not have drawn the next row yet.
      await page.waitForFunction((last) => document.querySelector('.main-text')?.textContent !== last, text);
      if (performance.now() - shownMs > countDelayMs) rests += 1;
    }
    await saved();
    // One call a label, besides the next pages of the queue and the counts, which are read again when the labels rest.
    expect(asked.filter((method) => method === 'PATCH')).toHaveLength(200);
    expect(asked.length).toBeLessThan(210 + 5 * rests);
    const labels = await stored();
    expect(expected.size).toBe(200);
    for (const [text, label] of expected) expect([text, labels.get(text)]).toEqual([text, label]);
    expect([...labels.values()].filter((label) => label !== null)).toHaveLength(200);
    // None was skipped: the newest 200 are the labelled ones.
    expect([...labels].slice(200).every(([, label]) => label === null)).toBe(true);

    for (let at = 0; at < 100; at += 1) await page.keyboard.press('u');
    await expect.poll(() => shown.innerText()).toBe('example number 129');
    await goToPlace(page, 'Define');
    await page.reload();
    await page.getByRole('button', { name: /^Undo: Labelled/ }).waitFor();
    for (let at = 0; at < 100; at += 1) await page.keyboard.press('ControlOrMeta+z');
    await saved();
    await expect.poll(async () => [...(await stored()).values()].every((label) => label === null)).toBe(true);
  });

  test.each([
    ['view=table&queue=to-label', () => null, 60],
    ['view=table&queue=all', (index: number) => options[index % 3] ?? null, 60],
    ['view=table&queue=unreviewed', (index: number) => options[index % 3] ?? null, 60],
    ['view=table&queue=option:red', () => 'red', 60],
    ['view=table&queue=to-label', () => null, 700],
  ])('%s: no row is skipped and none is hit twice', async (hash, labelOf, ms) => {
    const keys = ms > 100 ? 8 : 40;
    await open(140, hash, labelOf as (index: number) => string | null);
    const { page } = opened;
    await page.locator('[data-cursor]').first().waitFor();
    for (let at = 0; at < keys; at += 1) {
      const next = wait(ms);
      await page.keyboard.press(at % 2 === 0 ? '2' : '3');
      await next;
    }
    await saved();
    const newest = [...(await stored())].slice(0, keys);
    expect(newest).toEqual(
      newest.map(([, _label], at) => [`example number ${139 - at}`, at % 2 === 0 ? 'green' : 'blue']),
    );
  });

  test('keys pressed faster than the page is drawn still each reach a row of their own', async () => {
    await open(120, 'view=card&queue=to-label');
    const { page } = opened;
    await page.locator('.main-text').waitFor();
    await Promise.all(Array.from({ length: 90 }, () => page.keyboard.press('1')));
    await saved();
    const labels = [...(await stored()).values()];
    expect(labels.slice(0, 90).every((label) => label === 'red')).toBe(true);
    expect(labels.slice(90).every((label) => label === null)).toBe(true);
  });

  test('rows beyond the first page come in order, with labels put on the ones before', async () => {
    await open(250, 'view=card&queue=to-label');
    const { page } = opened;
    const shown = page.locator('.main-text');
    await shown.waitFor();
    const seen: string[] = [];
    for (let at = 0; at < 250; at += 1) {
      // What is drawn follows the key within a frame or two.
      await expect.poll(() => shown.innerText(), { interval: 5 }).toBe(`example number ${249 - at}`);
      seen.push(await shown.innerText());
      await page.keyboard.press(at % 7 === 3 ? 's' : '1');
    }
    expect(new Set(seen).size).toBe(250);
  });

  test('a heading sorts the table, and the cursor stays on its example, pages away [EXA-18] [EXA-19]', async () => {
    await open(250, 'view=table&queue=all');
    const { page } = opened;
    const atCursor = () => page.locator('.grid .lines [data-cursor]').innerText();
    const places = async () => {
      const rows = await page.locator('.grid .lines [role="row"]').allInnerTexts();
      return rows.map((row) => Number(/example number (\d+)/.exec(row)?.[1])).filter(Number.isFinite);
    };
    await expect.poll(atCursor).toContain('example number 249');
    const heading = page.getByRole('columnheader', { name: 'place' });
    const sort = heading.getByRole('button', { name: 'place', exact: true });
    await sort.press('Enter');
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe('ascending');
    await expect.poll(atCursor).toContain('example number 249');
    await page.keyboard.press('1');
    await saved();
    const labels = await stored();
    expect([labels.get('example number 249'), labels.get('example number 0')]).toEqual(['red', null]);
    await page.locator('.grid').focus();
    await page.keyboard.press('Home');
    await expect.poll(atCursor).toContain('example number 0');
    await expect.poll(async () => (await places()).slice(0, 3)).toEqual([0, 1, 2]);
    await sort.click();
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe('descending');
    await expect.poll(atCursor).toContain('example number 0');
    await expect.poll(() => new URLSearchParams(page.url().split('?')[1]).get('sort')).toBe('-input.place');
    await page.reload();
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe('descending');
    await sort.click();
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe(null);
    expect(page.url()).not.toContain('sort=');
  });

  test('a hundred rows are selected, labelled and deleted at once, and both are taken back', async () => {
    await open(150, 'view=table&queue=all');
    const { page } = opened;
    await page.locator('[data-cursor]').first().waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.getByText('150 selected').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog', { name: 'Delete 150 examples?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No examples yet').waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByRole('button', { name: 'Undo it' }).click();
    await page.getByText('150 rows').waitFor();
    expect((await stored()).size).toBe(150);
  });

  test('U takes back row by row and asks before an import; a redo brings it back by key, notice and palette', async () => {
    await open(3, 'view=card&queue=to-label');
    const { page } = opened;
    const total = async () => (await stored()).size;
    const question = page.getByRole('dialog', { name: 'Undo this?' });
    const asksAboutImport = () => question.getByText('900 examples imported from more.csv', { exact: true }).waitFor();
    const runCommand = async (words: string) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('textbox', { name: 'Search commands' }).fill(words);
      await page
        .getByRole('button', { name: new RegExp(words) })
        .first()
        .waitFor();
      await page.keyboard.press('Enter');
    };
    await page.getByRole('button', { name: 'Import…' }).click();
    const rows = Array.from({ length: 900 }, (_, at) => `imported ${at},${at}`);
    const file = { name: 'more.csv', mimeType: 'text/csv', buffer: Buffer.from(['text,place', ...rows].join('\n')) };
    await page.locator('input[type=file]').first().setInputFiles(file);
    await page.getByRole('button', { name: 'Import 900 rows' }).click();
    await page.locator('.main-text').waitFor();
    for (const key of ['1', '2']) await page.keyboard.press(key);
    for (let at = 0; at < 5; at += 1) await page.keyboard.press('u');
    await asksAboutImport();
    await page.screenshot({ path: `${pictures}/undo-question.png` });
    await saved();
    expect([...(await stored()).values()].filter((label) => label !== null)).toEqual([]);
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+z');
    await asksAboutImport();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await runCommand('Undo the last act');
    await asksAboutImport();
    expect(await total()).toBe(903);
    await question.getByRole('button', { name: 'Undo it' }).click();
    await expect.poll(total).toBe(3);
    await page.keyboard.press('ControlOrMeta+Shift+z');
    await expect.poll(total).toBe(903);
    const notice = (words: string) => page.getByRole('alert').filter({ hasText: `${words}: 900 examples` });
    await notice('Done again').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(total).toBe(3);
    await notice('Undone').last().getByRole('button', { name: 'Redo' }).click();
    await expect.poll(total).toBe(903);
    await page.keyboard.press('ControlOrMeta+z');
    await question.getByRole('button', { name: 'Undo it' }).click();
    await expect.poll(total).toBe(3);
    await runCommand('Redo');
    await expect.poll(total).toBe(903);
  });

  test('letters typed where nothing waits for them do nothing, in the card and elsewhere', async () => {
    await open(5, 'view=card&queue=to-label');
    const { page } = opened;
    const here = () => page.evaluate(() => window.location.hash.split('?')[0]);
    await page.locator('.main-text').waitFor();
    const before = await here();
    await page.keyboard.type('tim');
    expect([await here(), await page.locator('.main-text').count()]).toEqual([before, 1]);
    await page.keyboard.press('1');
    await saved();
    await goToPlace(page, 'Rules');
    const rules = await here();
    // Without a "ge", which goes to Examples from wherever nobody writes.
    await page.keyboard.type('Kurzer Vorlauf, nun 123');
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    await page.keyboard.type('Kurzer Vorlauf, nun 123');
    expect([await here(), await page.getByRole('combobox', { name: /^Rule of / }).count()]).toEqual([rules, 0]);
    expect([...(await stored()).values()]).toEqual(['red', null, null, null, null]);
  });

  test('keys go to the row in sight after a place is opened, a dialog or the palette is closed, and a click beside it', async () => {
    await open(12, 'view=card&queue=to-label');
    const { page } = opened;
    await page.locator('.main-text').waitFor();
    const ways: (() => Promise<void>)[] = [
      async () => {
        await goToPlace(page, 'Define');
        await goToPlace(page, 'Examples');
      },
      async () => {
        await page.keyboard.press('?');
        await page
          .getByRole('dialog', { name: 'Keyboard shortcuts' })
          .getByRole('button', { name: 'Close', exact: true })
          .click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      },
      async () => {
        await page.getByRole('button', { name: 'Add…' }).click();
        await page.getByRole('menuitem', { name: 'Write an example' }).click();
        await page.getByLabel('Input (JSON)').press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      },
      async () => {
        await page.getByRole('button', { name: /^Search or run a command/ }).click();
        await page.getByRole('textbox', { name: 'Search commands' }).press('Escape');
        await page.getByRole('textbox', { name: 'Search commands' }).waitFor({ state: 'detached' });
      },
      () => page.getByRole('banner').click({ position: { x: 420, y: 20 } }),
      async () => {
        await goToPlace(page, 'Define');
        await page.keyboard.press('ControlOrMeta+k');
        await page.getByRole('textbox', { name: 'Search commands' }).fill('Examples');
        await page.getByRole('button', { name: /Go Examples/ }).waitFor();
        await page.keyboard.press('Enter');
        await page.locator('.card .main-text').waitFor();
      },
      async () => {
        // The table begins at the row in the address, which follows the cursor once keys rest.
        await page.waitForURL(/row=/);
        await page.getByText('Table', { exact: true }).click();
        await page.locator('[data-cursor]').waitFor();
      },
    ];
    for (const [at, way] of ways.entries()) {
      await way();
      const isThere = () => page.evaluate(() => document.activeElement?.matches('[data-takes-keys]'));
      await expect.poll(isThere, { message: `way ${at}` }).toBe(true);
      await page.keyboard.press('2');
      await saved();
      expect([...(await stored()).values()].filter((label) => label === 'green')).toHaveLength(at + 1);
    }
  });

  test('a row is read from its beginning, however far the last one was; a place without rows scrolls by the first key', async () => {
    await open(3, 'view=card&queue=to-label');
    const { page } = opened;
    await page.setViewportSize({ width: 1024, height: 320 });
    const shown = page.locator('.main-text');
    const pane = page.locator('section:has(> header > h1) > .body');
    const readPlace = () => pane.evaluate(({ scrollTop }) => scrollTop);
    await expect.poll(() => shown.innerText()).toBe('example number 2');
    // Not by a key, whose scroll would still move when the next row comes.
    await pane.evaluate((body) => body.scrollTo({ top: 40, behavior: 'instant' }));
    expect(await readPlace()).toBeGreaterThan(0);
    await page.keyboard.press('1');
    await expect.poll(() => shown.innerText()).toBe('example number 1');
    expect(await readPlace()).toBe(0);
    await saved();
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.getByLabel('Keep log records for (days)').waitFor();
    await page.keyboard.press('PageDown');
    await expect.poll(readPlace).toBeGreaterThan(0);
  });

  test('behind the last row of a queue no key finds one; what was skipped comes again, and N opens the next queue', async () => {
    await open(3, 'view=card&queue=to-label');
    const { page } = opened;
    const shown = page.locator('.main-text');
    await shown.waitFor();
    for (const key of ['1', 's', '2']) await page.keyboard.press(key);
    await page.getByText('That was the last one').waitFor();
    for (const key of ['1', '2', '3', '0', 'f', 'Delete', 'Enter']) await page.keyboard.press(key);
    await saved();
    expect([...(await stored()).values()]).toEqual(['red', null, 'green']);
    await page.screenshot({ path: `${pictures}/queue-end.png` });
    await page.getByRole('button', { name: 'Begin again' }).click();
    await expect.poll(() => shown.innerText()).toBe('example number 1');
    await page.keyboard.press('3');
    await page.getByText('Done: nothing left in this queue').waitFor();
    await page.keyboard.press('3');
    await page.keyboard.press('u');
    await expect.poll(() => shown.innerText()).toBe('example number 1');
    for (const key of ['3', 'f', 'k']) await page.keyboard.press(key);
    await page.keyboard.press('f');
    await page.getByText('Done: nothing left in this queue').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'Flagged', level: 1 }).waitFor();
    await page.locator('[data-takes-keys]:focus .main-text').waitFor();
    await page.keyboard.press('1');
    await saved();
    expect([...(await stored()).values()]).toEqual(['red', 'red', 'green']);
  });
});
