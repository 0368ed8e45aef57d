/** Names from before they were checked, which turn or hide texts, leave the sentences around them as they are. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToAddress, openWindow, type Window, waitForQuiet } from './tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from './tools/workbench-process.ts';

const turned = 'pay \u202Edneufer';
const hebrew = 'החזר';
const typeName = `שאלה \u202Ex <b>y</b>`;
const input = { message: `a text \u202Etxet that turns`, שדה: 'ערך', amount: 20 };
const places = [
  ...[
    'define',
    'define?beside=input',
    'define?beside=versions',
    'rules',
    'import',
    'train',
    'try',
    'deploy',
    'monitor',
  ],
  ...['examples?view=card&queue=all', 'examples?view=table&queue=all', 'examples?queue=findings'],
];

/** A sign that a name may hold; of the same length in the file. */
const stand = '\uE000';
const standing = (text: string) => text.replaceAll('\u202E', stand);

/** Names that are refused today, in a data folder that was written before: their sign in place of one that may stand. */
function putOldNames(dataDir: string): void {
  const db = new Database(join(dataDir, 'workbench.db'));
  const list = (sql: string) => db.prepare(sql).pluck().all() as string[];
  // Counts are changed as the rows are, not by triggers a second time.
  const triggers = list("SELECT sql FROM sqlite_schema WHERE type = 'trigger'");
  for (const name of list("SELECT name FROM sqlite_schema WHERE type = 'trigger'")) db.exec(`DROP TRIGGER "${name}"`);
  for (const table of list("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")) {
    for (const column of list(`SELECT name FROM pragma_table_info('${table}') WHERE type = 'TEXT'`)) {
      const [held, put] = [`instr("${column}", ?) > 0`, `"${column}" = replace("${column}", ?, ?)`];
      db.prepare(`UPDATE "${table}" SET ${put} WHERE ${held}`).run(stand, '\u202E', stand);
    }
  }
  for (const trigger of triggers) db.exec(trigger);
  db.close();
}

describe('names that mean harm', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let type: string;

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', {
      name: standing(typeName),
      options: [standing(turned), hebrew, 'deny'],
      fallback_option: hebrew,
      reason_codes: [standing('code \u202Eedoc')],
      hard_rules: [
        {
          name: standing('rule \u202Eelur'),
          condition: 'ctx.amount > 10',
          then: standing(turned),
          reason_code: standing('code \u202Eedoc'),
        },
      ],
    });
    type = made.body.id;
    const path = `/api/v1/decision-types/${type}`;
    await workbench.call('POST', `${path}/examples`, {
      examples: [{ input, decision: standing(turned) }, { input: { amount: 3 } }],
    });
    const policy = await workbench.call<{ id: string }>('POST', `${path}/policies`, { kind: 'rules_only' });
    await workbench.call('POST', `${path}/policies/${policy.body.id}/deploy`);
    await workbench.call('POST', '/api/v1/decide', { decision_type: standing(typeName), input });
    await workbench.end();
    putOldNames(workbench.dataDir);
    workbench = await startWorkbenchProcess(workbench.dataDir);
    opened = await openWindow(workbench, '#/', { reducedMotion: 'reduce' });
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  async function show(hash: string): Promise<void> {
    await goToAddress(opened.page, hash);
    await opened.page.getByRole('heading', { level: 1 }).first().waitFor();
    await waitForQuiet(opened.page);
  }

  /** Texts, titles and labels that turn what follows them; a field that is typed into keeps what it holds. */
  function listTurning(): Promise<string[]> {
    return opened.page.evaluate(() => {
      const texts = [document.title];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node instanceof Element) {
          for (const { name, value } of node.attributes)
            if (/^(?:title|aria-|placeholder|alt)/.test(name)) texts.push(value);
        } else if (!node.parentElement?.closest('textarea, script, style, .cm-editor'))
          texts.push(node.textContent ?? '');
      }
      const count = (text: string, sign: string) => text.split(sign).length - 1;
      return texts.filter(
        (text) => /[\u202a-\u202e\u2066\u2067]/.test(text) || count(text, '\u2068') !== count(text, '\u2069'),
      );
    });
  }

  test.each(['#/', ...places])('%s', async (place) => {
    await show(place.startsWith('#') ? place : `#/types/${type}/${place}`);
    await expect.poll(() => opened.page.getByText(/U\+202E/).count()).toBeGreaterThan(0);
    expect(await listTurning()).toEqual([]);
  });

  test('what stands behind a name that is written from right to left stays behind it', async () => {
    const { page } = opened;
    await show(`#/types/${type}/train`);
    const sentence = page.getByText('What no rule decides goes to').first();
    const [nameEnd, full] = await sentence.evaluate((element, name) => {
      const node = [...element.childNodes].find(({ textContent }) => textContent?.includes(name));
      const text = node?.textContent ?? '';
      const rightOf = (from: number, to: number) => {
        const range = document.createRange();
        if (node) range.setStart(node, from);
        if (node) range.setEnd(node, to);
        return range.getBoundingClientRect().right;
      };
      const start = text.indexOf(name);
      return [rightOf(start, start + name.length), rightOf(text.length - 1, text.length)];
    }, hebrew);
    expect(full).toBeGreaterThan(nameEnd ?? Number.NaN);
  });

  test('a toast, the palette and the title of the window hold names as they are', async () => {
    const { page } = opened;
    await show(`#/types/${type}/examples?view=card&queue=all`);
    await page.keyboard.press('1');
    await page.keyboard.press('Delete');
    await page.getByText('The example was deleted.').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search commands' }).fill('dneufer');
    await page.getByText('Label: pay [U+202E]dneufer').waitFor();
    expect(await listTurning()).toEqual([]);
    expect(await page.title()).toContain('\u2068שאלה [U+202E]x <b>y</b>\u2069');
  });

  test('what is copied for a program says the same, with nothing hidden in it', async () => {
    // The palette may still be open.
    await opened.page.keyboard.press('Escape');
    await show(`#/types/${type}/deploy`);
    const snippets: string[] = [];
    for (const label of await opened.page.getByRole('radiogroup', { name: 'Program' }).locator('label').all()) {
      await label.click();
      snippets.push((await opened.page.locator('pre.snippet').textContent()) ?? '');
    }
    expect(snippets).toHaveLength(3);
    for (const snippet of snippets) expect(snippet).not.toMatch(/[\u202a-\u202e]/);
    const [curl = ''] = snippets;
    const body = JSON.parse(curl.slice(curl.indexOf("-d '") + 4, -1)) as { decision_type: string };
    expect(body.decision_type).toBe(typeName);
  });

  test('nothing went wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
