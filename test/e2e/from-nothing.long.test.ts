/** Ten minutes with 300 texts that nobody has labelled, by keyboard alone from the first row on, kept as pictures. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToAddress, goToPlace, keepPicture, openWindow, type Window, waitForQuiet } from './tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from './tools/workbench-process.ts';

/** Words of messages that are none for a picture. */
const unfit =
  /sex|porn|hardcore|naughty|slag|dating|singles|girl|lesb|gay|pussy|tits|\bhell\b|bloody|drunk|dirt|adult|babe|xxx|horn|luv|love|shit|fuck|damn|\bass\b|bitch|crap|\bcum\b|piss|naked|nude|fantas|flirt|kiss|dick|suck|virgin|slut|\bbed\b|\bhot\b|feel you/i;
const rows = readFileSync(new URL('../fixtures/sms_spam/train.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { input: { text: string }; decision: string })
  .filter(({ input }) => !unfit.test(input.text))
  .slice(0, 300);
const toPlain = (text: string) => text.replace(/\s+/g, ' ').trim();
const answerOf = new Map(rows.map(({ input, decision }) => [toPlain(input.text), decision]));
const file = ['text', ...rows.map(({ input }) => `"${input.text.replaceAll('"', '""')}"`)].join('\n');
const options = ['not spam', 'spam'];
const labels = 100;

describe('ten minutes from texts without a label', () => {
  let workbench: RunningWorkbench;
  let opened: Window;
  let path: string;
  const page = () => opened.page;
  type Next = { labelling_model: { examples_read: number } };
  const askNext = async () =>
    (await workbench.call<Next>('GET', `${path}/examples/next?count=1&session=reader&restart=true`)).body
      .labelling_model;
  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    opened = await openWindow(workbench, '#/new', { reducedMotion: 'reduce' });
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  const card = () => page().getByLabel('The example to label');
  const readCard = async () => toPlain(await card().innerText());
  const findAnswer = (shown: string) => [...answerOf].find(([text]) => shown.includes(text))?.[1] ?? '';

  test('begin with a file: its answers are typed, and its rows wait in the useful queue', async () => {
    const given = { name: 'Messages.csv', mimeType: 'text/csv', buffer: Buffer.from(file) };
    await page().locator('input[type=file]').first().setInputFiles(given);
    await page().getByRole('combobox', { name: 'Which answers are possible?' }).click();
    for (const option of options) {
      await page().keyboard.type(option);
      await page().keyboard.press('Enter');
    }
    await waitForQuiet(page());
    await keepPicture(page(), 'nothing-file');
    await page()
      .getByRole('button', { name: /^Create decision type and import/ })
      .click();
    await page()
      .getByText(/examples imported from/)
      .first()
      .waitFor();
    const { body } = await workbench.call<{ items: { id: string }[] }>('GET', '/api/v1/decision-types');
    path = `/api/v1/decision-types/${body.items[0]?.id}`;
  });

  test('begin to teach by a hint: a search and one key', async () => {
    await goToAddress(page(), `#/types/${path.split('/').at(-1)}/examples?queue=all&view=table&search=mobile`);
    await waitForQuiet(page());
    await page().keyboard.press('h');
    const dialog = page().getByRole('dialog');
    await dialog.getByText(/^\d+ rows without a label/).waitFor();
    await dialog.getByLabel('are probably').click();
    await page().getByRole('option', { name: 'spam', exact: true }).click();
    await dialog.getByRole('button', { name: 'Make the hint' }).click();
    await page()
      .getByText(/^The next training takes \d+ rows without a label for spam\./)
      .waitFor();
    await waitForQuiet(page());
    await keepPicture(page(), 'nothing-hint');
    // The button had the focus as the dialog went: the keys act in the table again.
    await page().keyboard.press('ArrowDown');
    await page().locator('.grid:focus').waitFor();
  });

  test('get a hundred labels by two keys, in the order of their use', async () => {
    // A person needs seconds for a row: by then the labelling model has read the others.
    await expect.poll(async () => (await askNext()).examples_read).toBe(rows.length);
    await workbench.call('GET', `${path}/examples/next?count=1&session=reader&restart=true&queue=flagged`);
    await goToAddress(page(), `#/types/${path.split('/').at(-1)}/examples?queue=useful&view=card`);
    await card().waitFor();
    for (let done = 0; done < labels; done += 1) {
      const shown = await readCard();
      if (done === labels / 2) await keepPicture(page(), 'nothing-labels');
      await page().keyboard.press(String(1 + options.indexOf(findAnswer(shown))));
      await expect.poll(readCard).not.toBe(shown);
    }
  });

  test('become a policy that decides, with a figure of the rows drawn at random', async () => {
    await page()
      .getByRole('button', { name: /^Train now/ })
      .waitFor();
    await page().keyboard.press('t');
    await goToPlace(page(), 'Train');
    await page().getByText('Trained and live').first().waitFor({ timeout: 600_000 });
    // The text model may be tuned in the background by now: the page is not at rest, and need not be.
    await page()
      .getByText(/^Hints taught/)
      .waitFor();
    await keepPicture(page(), 'nothing-live');
    const input = { text: 'You have won a new mobile! Call now to claim your prize.' };
    const call = { decision_type: 'messages', input };
    const { status, body } = await workbench.call<{ decision: string }>('POST', '/api/v1/decide', call);
    expect([status, body.decision]).toEqual([200, 'spam']);
  });

  test('and nothing goes wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
