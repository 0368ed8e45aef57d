/** The queues that the server orders, flags and findings: which row got which label, and all of it taken back. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

type Example = {
  id: string;
  input_payload: { text: string };
  expected_decision: string | null;
  status: string;
};
const options = ['red', 'green', 'blue'];

describe('queues beside the filters', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let path: string;

  /** A type with examples, opened in one window. */
  async function open(texts: readonly { text: string; decision: string | null; place?: number }[], hash: string) {
    workbench ??= await startWorkbenchProcess();
    const name = `colours ${Date.now()}`;
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name, options });
    path = `/api/v1/decision-types/${made.body.id}`;
    const examples = texts.map(({ text, decision, place }, at) => ({ input: { text, place: place ?? at }, decision }));
    await workbench.call('POST', `${path}/examples`, { examples });
    opened = await openWindow(workbench, `#/types/${made.body.id}/examples?${hash}`);
  }
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ text: `example number ${index}`, decision: null }));
  async function stored(): Promise<Map<string, Example>> {
    const found = new Map<string, Example>();
    for (let page = 1; ; page += 1) {
      const { body } = await workbench.call<{ items: Example[]; pages: number }>(
        'GET',
        `${path}/examples?page=${page}&page_size=100`,
      );
      for (const item of body.items) found.set(item.input_payload.text, item);
      if (page >= body.pages) return found;
    }
  }
  const saved = () => opened.page.getByText('Saved', { exact: true }).waitFor();
  const shown = () => opened.page.locator('.main-text');

  afterEach(async () => {
    expect(opened.faults).toEqual([]);
    await opened.close();
  });
  afterAll(() => workbench?.stop());

  test('the most useful rows come once each over several answers, and each gets the label pressed on it', async () => {
    await open(numbered(70), 'queue=useful');
    const { page } = opened;
    await shown().waitFor();
    const expected = new Map<string, string>();
    for (let at = 0; at < 70; at += 1) {
      await expect.poll(async () => expected.has(await shown().innerText()), { interval: 5 }).toBe(false);
      const option = at % 3;
      expected.set(await shown().innerText(), options[option] ?? '');
      await page.keyboard.press(String(option + 1));
    }
    await saved();
    const rows = await stored();
    expect(expected.size).toBe(70);
    for (const [text, label] of expected) expect([text, rows.get(text)?.expected_decision]).toEqual([text, label]);
    for (let at = 0; at < 70; at += 1) await page.keyboard.press('u');
    await saved();
    expect([...(await stored()).values()].every((row) => row.expected_decision === null)).toBe(true);
  });

  test('Enter takes the suggestion that is shown with its probability', async () => {
    const labelled = options.flatMap((option) =>
      Array.from({ length: 8 }, (_, index) => ({ text: `a very ${option} thing ${index}`, decision: option })),
    );
    await open([...labelled, ...numbered(30)], 'queue=all&view=card');
    const { page } = opened;
    const next = () =>
      workbench.call<{ items: { suggestion: unknown }[] }>('GET', `${path}/examples/next?restart=true`);
    // The labelling model reads the examples in the background.
    await expect.poll(async () => (await next()).body.items[0]?.suggestion ?? null).not.toBeNull();
    await workbench.call('GET', `${path}/examples/next?restart=true&queue=flagged`);
    await page.getByTestId('side').getByRole('button', { name: 'Most useful next' }).click();
    const offer = page.getByText(/Enter take it: (red|green|blue) \(\d/);
    await offer.waitFor();
    const text = await shown().innerText();
    const suggested = /take it: (\w+) \(/.exec((await offer.textContent()) ?? '')?.[1];
    await page.screenshot({ path: `${pictures}/labelling-suggestion.png` });
    await page.keyboard.press('Enter');
    await saved();
    const labels = [...(await stored()).values()].filter(({ input_payload }) =>
      input_payload.text.startsWith('example'),
    );
    expect(labels.filter((row) => row.expected_decision !== null).map((row) => row.input_payload.text)).toEqual([text]);
    expect(labels.find((row) => row.input_payload.text === text)?.expected_decision).toBe(suggested);
  });

  test('near copies of the row labelled last are shown, get its answer by C, and lose it by one undo', async () => {
    const same = [
      'Please turn the lamp in the kitchen on',
      'Please turn the lamp in the kitchen on!',
      'please turn the lamp in the kitchen on',
    ];
    const others = ['What is the weather in Paris?', 'Play some music by Bach', 'The invoice is far too high'];
    await open(
      [...others, ...same].map((text) => ({ text, decision: null, place: 1 })),
      'view=card&queue=to-label',
    );
    const { page } = opened;
    await shown().waitFor();
    const next = () =>
      workbench.call<{ labelling_model: { examples_read: number } }>(
        'GET',
        `${path}/examples/next?restart=true&count=1`,
      );
    await expect.poll(async () => (await next()).body.labelling_model.examples_read).toBe(6);
    const labels = async () => {
      const rows = await stored();
      return same.map((text) => rows.get(text)?.expected_decision);
    };
    await page.keyboard.press('2');
    const offer = page.getByRole('region', { name: 'Near copies' });
    await offer.getByText('Give its 2 near copies the same answer').waitFor();
    expect(await offer.getByRole('listitem').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining(same[0] ?? '')]),
    );
    await page.screenshot({ path: `${pictures}/near-copies.png` });
    await page.keyboard.press('c');
    await expect.poll(labels).toEqual(['green', 'green', 'green']);
    expect(await offer.count()).toBe(0);
    await page.getByText('Labelled 2 near copies.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect.poll(labels).toEqual([null, null, 'green']);
  });

  test('under Corrections Enter confirms what the person said, not what the model says', async () => {
    await open(numbered(1), 'queue=all&view=card');
    const { page } = opened;
    const call = <T = unknown>(method: 'POST' | 'PUT', address: string, body: unknown) =>
      workbench.call<T>(method, address, body);
    const rules = [{ name: 'far', condition: 'ctx.place > 40', then: 'red', reason_code: null, priority: 1 }];
    await call('PUT', path, { fallback_option: 'green', hard_rules: rules });
    const policy = (await call<{ id: string }>('POST', `${path}/policies`, { kind: 'rules_only' })).body;
    await call('POST', `${path}/policies/${policy.id}/deploy`, {});
    const { body: type } = await workbench.call<{ name: string }>('GET', path);
    await call('POST', '/api/v1/decide', { decision_type: type.name, input: { text: 'a far thing', place: 50 } });
    const { body: logs } = await workbench.call<{ items: { id: string }[] }>('GET', `${path}/logs`);
    await call('PUT', `${path}/logs/${logs.items[0]?.id}/correction`, { decision: 'blue' });
    type Next = { items: { suggestion: { decision: string } | null }[] };
    const suggested = async () =>
      (await workbench.call<Next>('GET', `${path}/examples/next?restart=true&queue=corrections`)).body.items[0]
        ?.suggestion?.decision;
    expect(await suggested()).toBe('red');
    await workbench.call('GET', `${path}/examples/next?restart=true&queue=flagged`);
    await page.getByTestId('side').getByRole('button', { name: 'Corrections' }).click();
    await expect.poll(() => shown().innerText()).toBe('a far thing');
    await page.getByText(/Enter confirm it: blue/).waitFor();
    await page.screenshot({ path: `${pictures}/correction.png` });
    await page.locator('[data-takes-keys]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('That was the last one').waitFor();
    await saved();
    expect((await stored()).get('a far thing')?.expected_decision).toBe('blue');
  });

  test('F flags and goes on; the queue of flagged rows keeps their places, a label settles the flag, undo brings it back', async () => {
    await open(numbered(12), 'view=card&queue=to-label');
    const { page } = opened;
    await shown().waitFor();
    for (let at = 0; at < 4; at += 1) await page.keyboard.press('f');
    await saved();
    const flagged = () =>
      stored().then((rows) => [...rows].filter(([, row]) => row.status === 'flagged').map(([text]) => text));
    expect(await flagged()).toEqual([11, 10, 9, 8].map((at) => `example number ${at}`));
    await page
      .getByTestId('side')
      .getByRole('button', { name: /^Flagged/ })
      .click();
    await expect.poll(() => shown().innerText()).toBe('example number 11');
    for (const key of ['1', '2', '3']) await page.keyboard.press(key);
    await saved();
    const rows = await stored();
    expect([11, 10, 9].map((at) => rows.get(`example number ${at}`)?.expected_decision)).toEqual(options);
    expect(await flagged()).toEqual(['example number 8']);
    for (let at = 0; at < 3; at += 1) await page.keyboard.press('u');
    await saved();
    expect(await flagged()).toEqual([11, 10, 9, 8].map((at) => `example number ${at}`));
    for (let at = 0; at < 4; at += 1) await page.keyboard.press('u');
    await saved();
    expect(await flagged()).toEqual([]);
  });

  test('a finding opens its rows, its likelier label is taken with one click and taken back', async () => {
    const same = (decision: string) => ({ text: 'the very same colour', decision });
    await open(numbered(3), 'queue=findings');
    const examples = [same('red'), same('red'), same('blue')].map(({ text, decision }) => ({
      input: { text },
      decision,
    }));
    await workbench.call('POST', `${path}/examples`, { examples });
    const { page } = opened;
    await page.reload();
    await page.getByRole('grid', { name: 'Findings' }).getByText('contradiction').click();
    const take = page.getByRole('button', { name: 'Label red', exact: true });
    await take.waitFor();
    await page.screenshot({ path: `${pictures}/findings.png` });
    const blue = async () => {
      const { body } = await workbench.call<{ items: Example[] }>('GET', `${path}/examples?page_size=100`);
      return body.items.filter((row) => row.expected_decision === 'blue').length;
    };
    expect(await blue()).toBe(1);
    await take.click();
    await saved();
    expect(await blue()).toBe(0);
    await page.keyboard.press('u');
    await saved();
    expect(await blue()).toBe(1);
  });
});
