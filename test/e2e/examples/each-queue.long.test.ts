/** A morning's work in every queue that the page has: 120 rows by keys alone, and which row got which label. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openWindow, type Window } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

type Example = {
  id: string;
  input_payload: Record<string, unknown>;
  expected_decision: string | null;
  reviewed: boolean;
};
type Page<T> = { items: T[]; pages: number };
const options = ['red', 'green', 'blue'];
const rowCount = 120;
/** What an input says, whichever of its fields is shown large. */
const tell = (values: readonly unknown[]) => values.map(String).sort().join(' | ');
const tellRow = ({ input_payload }: Example) => tell(Object.values(input_payload));

describe('120 rows by keyboard', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let path: string;

  async function call<T = unknown>(method: 'GET' | 'POST' | 'PUT', address: string, body?: unknown) {
    const answer = await workbench.call<T>(method, address, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer;
  }

  async function makeType(): Promise<{ id: string; name: string }> {
    workbench ??= await startWorkbenchProcess();
    const name = `colours ${Date.now()}`;
    const { body } = await call<{ id: string }>('POST', '/api/v1/decision-types', { name, options });
    path = `/api/v1/decision-types/${body.id}`;
    return { id: body.id, name };
  }
  async function listAll<T>(address: string, filter = ''): Promise<T[]> {
    const found: T[] = [];
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { body } = await call<Page<T>>('GET', `${address}?page=${page}&page_size=100${filter}`);
      found.push(...body.items);
      pages = body.pages;
    }
    return found;
  }
  const addExamples = (count: number, labelOf: (index: number) => string | null) =>
    call('POST', `${path}/examples`, {
      examples: Array.from({ length: count }, (_, place) => ({
        input: { text: `example number ${place}`, hue: options[place % 3], place },
        decision: labelOf(place),
      })),
    });
  const colourOf = (index: number) => options[index % 3] ?? null;

  /** Live decisions of a policy of rules, each of an input of its own. */
  async function decideAll(name: string): Promise<void> {
    const rules = [{ name: 'far', condition: 'ctx.place > 40', then: 'red', reason_code: null, priority: 1 }];
    await call('PUT', path, { fallback_option: 'green', audit: { share: 1 }, hard_rules: rules });
    const policy = (await call<{ id: string }>('POST', `${path}/policies`, { kind: 'rules_only' })).body;
    await call('POST', `${path}/policies/${policy.id}/deploy`, {});
    const decisions = Array.from({ length: 130 }, (_, place) => ({
      decision_type: name,
      input: { text: `decided number ${place}`, place },
    }));
    for (let from = 0; from < decisions.length; from += 50)
      await call('POST', '/api/v1/decide/batch', { decisions: decisions.slice(from, from + 50) });
  }

  const unlabelled = () => addExamples(130, () => null);
  const labelled = () => addExamples(130, colourOf);
  const queues: Record<string, (name: string) => Promise<unknown>> = {
    'to-label': unlabelled,
    useful: unlabelled,
    unreviewed: labelled,
    all: labelled,
    'option:red': () => addExamples(130, () => 'red'),
    flagged: async () => {
      await unlabelled();
      await call('POST', `${path}/examples/bulk`, { filter: {}, action: 'set_status', status: 'flagged' });
    },
    synthetic: async () => {
      await labelled();
      for (const count of [50, 50, 30]) await call('POST', `${path}/examples/generate`, { count });
    },
    suspect: mislabel,
    corrections: async (name) => {
      await decideAll(name);
      for (const { id } of await listAll<{ id: string }>(`${path}/logs`))
        await call('PUT', `${path}/logs/${id}/correction`, { decision: 'blue' });
    },
    audit: decideAll,
  };

  /** Every fourth label is wrong; the search for suspect labels in the background finds them. */
  async function mislabel(): Promise<void> {
    await addExamples(600, (index) => colourOf(index % 4 === 0 ? index + 1 : index));
    const suspects = async () =>
      (await call<{ by_queue: { suspect: number } }>('GET', `${path}/examples/stats`)).body.by_queue.suspect;
    await expect.poll(suspects, { timeout: 600_000 }).toBeGreaterThanOrEqual(rowCount);
  }

  afterEach(async () => {
    expect(opened.faults).toEqual([]);
    await opened.close();
  });
  afterAll(() => workbench?.stop());

  test.each(Object.keys(queues))('%s: each row got the label of the key that was pressed on it', async (queue) => {
    const { id, name } = await makeType();
    await queues[queue]?.(name);
    const before = new Map((await listAll<Example>(`${path}/examples`)).map((row) => [row.id, row.expected_decision]));
    opened = await openWindow(workbench, `#/types/${id}/examples?view=card&queue=${queue}`);
    const { page } = opened;
    const row = '.card .main-text, .card .fields td bdi';
    const readRow = () => page.locator(row).allTextContents();
    await page.locator(row).first().waitFor();
    const pressed = new Map<string, string>();
    for (let at = 0; at < rowCount; at += 1) {
      const texts = await readRow();
      expect(pressed.has(tell(texts)), `${texts} came twice`).toBe(false);
      pressed.set(tell(texts), options[at % 3] ?? '');
      await page.keyboard.press(String((at % 3) + 1));
      // On a busy machine a moment may pass without a card; which field is large may change with the same row.
      await page.waitForFunction(
        ([where, last]) => {
          const shown = [...document.querySelectorAll(where)].map((each) => each.textContent ?? '');
          return shown.length > 0 && shown.sort().join(' | ') !== last;
        },
        [row, tell(texts)] as const,
      );
    }
    await page.getByText('Saved', { exact: true }).waitFor();
    const rows = await listAll<Example>(`${path}/examples`);
    const got = rows.filter((row) => pressed.has(tellRow(row)));
    const labels = (each: (row: Example) => unknown) => got.map((row) => [tellRow(row), each(row)]);
    expect(got).toHaveLength(rowCount);
    expect(labels((row) => row.expected_decision)).toEqual(labels((row) => pressed.get(tellRow(row))));
    expect(got.every(({ reviewed }) => reviewed)).toBe(true);
    const others = rows.filter((row) => !got.includes(row));
    expect(others.filter((row) => (before.get(row.id) ?? null) !== row.expected_decision)).toEqual([]);
  });

  test('findings: L takes the likelier label of each and V keeps its own, over several pages', async () => {
    const { id } = await makeType();
    await mislabel();
    type Finding = { example: Example; suggested_decision: string };
    // A busy machine answers what it knows before the search among the findings has ended.
    const readState = async () => (await call<{ state: string }>('GET', `${path}/data-findings`)).body.state;
    await expect.poll(readState).toBe('ready');
    const found = await listAll<Finding>(`${path}/data-findings`, '&kind=suspect_label');
    opened = await openWindow(workbench, `#/types/${id}/examples?queue=findings`);
    const { page } = opened;
    const atCursor = page.getByRole('grid', { name: 'Findings' }).locator('[data-cursor]');
    const readText = async () => /example number \d+/.exec((await atCursor.textContent()) ?? '')?.[0] ?? '';
    const pressed = new Map<string, string>();
    for (let at = 0; at < rowCount; at += 1) {
      const text = await readText();
      expect(pressed.has(text), `${text} came twice`).toBe(false);
      pressed.set(text, at % 3 === 2 ? 'v' : 'l');
      await page.keyboard.press(pressed.get(text) ?? '');
      // Between two pages no row has the cursor.
      await expect.poll(readText, { interval: 5 }).not.toBeOneOf([text, '']);
    }
    const done = found.filter(({ example }) => pressed.has(String(example.input_payload.text)));
    expect(done).toHaveLength(rowCount);
    const expected = done.map(({ example: { id: row, expected_decision, input_payload }, suggested_decision }) => [
      row,
      pressed.get(String(input_payload.text)) === 'l' ? suggested_decision : expected_decision,
    ]);
    const readLabels = async () => {
      const rows = new Map((await listAll<Example>(`${path}/examples`)).map((row) => [row.id, row]));
      return done.map(({ example }) => [example.id, rows.get(example.id)?.expected_decision]);
    };
    await expect.poll(readLabels).toEqual(expected);
  });
});
