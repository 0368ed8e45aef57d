/** Files as people have them, imported by the page: each is read as it looks, and what may not be learned is asked. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeWorkbook } from '../fixtures/make-workbook.ts';
import { keepPicture, openWindow, type Window, waitForQuiet } from './tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from './tools/workbench-process.ts';

const range = (length: number) => [...Array(length).keys()];
const quote = (cell: string | number) =>
  /[",\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : cell;
const toCsv = (rows: readonly (readonly (string | number)[])[]) =>
  `${rows.map((row) => row.map(quote).join(',')).join('\n')}\n`;
const pad = (value: number) => String(value).padStart(2, '0');

const teams = [
  ['Network', 'VPN drops every ten minutes'],
  ['Hardware', 'The docking station shows no picture'],
  ['Access', 'Please reset my password'],
] as const;
const tickets = toCsv([
  ['Ticket ID', 'Created', 'Closed at', 'Channel', 'Description', 'Assigned team'],
  ...range(300).map((row) => {
    const [team, problem] = teams[(row * 7) % 3] ?? teams[0];
    const day = (at: number) => `${pad(1 + (at % 12))}/${pad(1 + (at % 28))}/2026 ${pad(1 + (at % 11))}:15 PM`;
    const asset = `<ul><li>Site: ${row % 2 ? 'Lyon' : 'Graz'}</li><li>Asset: <b>NB-${(row * 37) % 900}</b></li></ul>`;
    const body = `<p>Hello,</p><p>${problem} &amp; it happens &quot;daily&quot;.</p>${asset}<p>Thanks<br>Anna</p>`;
    return [
      `INC${100_000 + row}`,
      day(row),
      day(row * 5 + 3),
      ['Mail', 'Phone', 'Portal'][((row * 5) % 7) % 3] ?? '',
      body,
      team,
    ];
  }),
]);
const chats = range(80)
  .map((row) =>
    JSON.stringify({
      id: `conv_${row}`,
      messages: [
        { role: 'user', content: `Where is my order ${1_000 + row}?` },
        {
          role: 'assistant',
          content: row % 3 ? `Order ${1_000 + row} arrives tomorrow.` : `I do not know order ${1_000 + row}.`,
        },
      ],
      meta: { lang: row % 2 ? 'en' : 'de' },
      feedback: { by: row % 5 ? 'bo' : 'ann', verdict: row % 3 ? 'helpful' : 'not helpful' },
    }),
  )
  .join('\n');
const report = makeWorkbook({
  Report: [
    ['Sales report Q1 2026'],
    ['Shop', '', 'Orders', '', 'Result'],
    ['Name', 'Country', 'Count', 'Amount', 'Decision'],
    ...range(40).map((row) => [
      `Shop ${row + 1}`,
      ['DE', 'FR', 'AT'][row % 3] ?? '',
      row * 3,
      row * 2.5,
      row % 4 ? 'keep' : 'close',
    ]),
    ['Total', '', 2_340, 1_950, ''],
    ['Source: ERP, exported 3 April 2026'],
  ],
});
const survey = toCsv([
  ['Response ID', 'Score 0 to 10', 'Visits', 'Closed at', 'Segment'],
  ...range(200).map((row) => {
    const score = (row * 7) % 11;
    const segment = score >= 9 ? 'Promoter' : score >= 7 ? 'Passive' : 'Detractor';
    return [`R-${9_000 + row}`, score, (row * 13) % 30, `2026-04-${pad(1 + ((row * 11) % 28))}`, segment];
  }),
]);
/** Shift_JIS of “本文,判定”, then rows of “荷物がまだ届きません” with a number and the label “返金” or “回答”. */
const japanese = (() => {
  const hex = (text: string) => Buffer.from(text, 'hex');
  const [comma, end] = [Buffer.from(','), Buffer.from('\r\n')];
  const sentence = hex('89d795a882aa82dc82be93cd82ab82dc82b982f1');
  const rows = range(40).flatMap((row) => [
    sentence,
    Buffer.from(String(row)),
    comma,
    hex(row % 2 ? '95d48be0' : '89f1939a'),
    end,
  ]);
  const bytes = Buffer.concat([hex('967b95b6'), comma, hex('94bb92e8'), end, ...rows]);
  // The first byte of 届 on line 14.
  const lines = bytes.toString('latin1').split('\r\n').slice(0, 13);
  bytes[lines.join('\r\n').length + 2 + 10] = 0xff;
  return bytes;
})();

describe('a file as people have it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-files-'));
  let workbench: RunningWorkbench;
  let opened: Window;
  const page = () => opened.page;
  const choose = async (name: string, bytes: string | Uint8Array, seen: string) => {
    writeFileSync(join(folder, name), bytes);
    await page().goto(`${workbench.url}/app/#/new`);
    await page().locator('input[type=file]').first().setInputFiles(join(folder, name));
    await page().getByText(`${name} · ${seen}`).waitFor();
  };
  const becomes = (column: string) => page().getByLabel(`Column ${column} becomes`).inputValue();
  const kindOf = (column: string) => page().getByLabel(`Kind of ${column}`).inputValue();
  /** Answers a question of the import, and waits for the plan that follows from it. */
  const answer = async (name: string) => {
    await page().getByRole('radio', { name, exact: true }).click();
    await waitForQuiet(page());
  };
  const account = () => page().getByRole('region', { name: 'Labels and rows' }).innerText();
  const importButton = () => page().getByRole('button', { name: /^Create decision type and import/ });
  const importAll = async () => {
    await importButton().click();
    await page()
      .getByText(/ examples imported from /)
      .first()
      .waitFor();
    await waitForQuiet(page());
  };

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    opened = await openWindow(workbench, '#/new', { viewport: { width: 1024, height: 700 } });
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('as an export of tickets has the text of its HTML, and its date of the end is asked about [FIL-40]', async () => {
    await choose('tickets.csv', tickets, '300 rows');
    await answer('Assigned team');
    expect(await becomes('Ticket ID')).toBe('ignore');
    expect(await kindOf('Created')).toBe('date_month_first');
    await page().getByText('HTML: learned and shown as its text').waitFor();
    expect(await importButton().isDisabled()).toBe(true);
    await page().getByRole('button', { name: 'Leave it out' }).click();
    await expect.poll(() => becomes('Closed at')).toBe('ignore');
    await keepPicture(page(), 'import-tickets');
    await importAll();
    await page().getByText('VPN drops every ten minutes & it happens "daily".').first().waitFor();
    expect(await page().getByText('<p>').count()).toBe(0);
  });

  test('as a log of chats shows turns, and who judged is no input [FIL-32]', async () => {
    await choose('chat-log.jsonl', chats, '80 rows');
    await answer('feedback.verdict');
    expect([await becomes('id'), await becomes('feedback.by')]).toEqual(['ignore', 'ignore']);
    await page().getByText('A conversation: learned and shown as turns').waitFor();
    expect(await account()).toMatch(/helpful\s+53[\s\S]*not helpful\s+27[\s\S]*80 examples are added, 80 with a label/);
    await importAll();
    // In a small window a row opens with Enter.
    await page().locator('[data-cursor]').first().click();
    await page().keyboard.press('Enter');
    await page().getByText('assistant', { exact: true }).first().waitFor();
  });

  test('as a report has titles, two header lines and a total, each of which is named [FIL-24]', async () => {
    await choose('report.xlsx', report, '40 rows · Excel');
    await answer('Result – Decision');
    expect(await page().getByLabel('Header line').inputValue()).toBe('3');
    expect([await kindOf('Orders – Count'), await kindOf('Orders – Amount')]).toEqual(['number', 'number']);
    expect(await account()).toMatch(/40 examples are added, 40 with a label/);
    expect(await account()).toMatch(/No rows: 1 title \(1\).*1 total \(44\), 1 note \(45\)\./);
  });

  test('as a survey leaves out the score that tells the answer [FIL-40]', async () => {
    await choose('survey.csv', survey, '200 rows');
    await answer('Segment');
    expect([await becomes('Response ID'), await becomes('Score 0 to 10')]).toEqual(['ignore', 'ignore']);
    await page().getByText('it tells it in 100% of the rows').waitFor();
    await page().getByRole('alert').getByText('Say whether to learn from Closed at.').waitFor();
    await page().getByRole('button', { name: 'Learn from it' }).click();
    await expect.poll(() => becomes('Closed at')).toBe('input');
    await importAll();
  });

  test('in an old encoding with a damaged byte is read, and the byte is named [FIL-23]', async () => {
    await choose('japanese.csv', japanese, '40 rows · shift_jis');
    expect(await page().getByLabel('Encoding').inputValue()).toBe('shift_jis');
    expect([await becomes('本文'), await becomes('判定')]).toEqual(['input', 'decision']);
    expect(await account()).toContain('1 character cannot be read as shift_jis and became “�”, in line 14.');
    await page().getByLabel('Encoding').selectOption('windows-1252');
    await page().getByText('Windows-1252 (Latin-1)').waitFor();
    await page().getByLabel('Encoding').selectOption('shift_jis');
    await page().getByLabel('Column 判定 becomes').waitFor();
  });

  test('with single quotes is read by the quote that is chosen [FIL-21]', async () => {
    const lines = range(30).map((row) => `'late, ${row} days',${row % 2 ? 'yes' : 'no'}`);
    await choose('quotes.csv', ['text,label', ...lines].join('\n'), '30 rows');
    await page().getByLabel('Quote').selectOption("'");
    await page().getByLabel('Column label becomes').waitFor();
    expect([await page().getByLabel('Delimiter').inputValue(), await becomes('label')]).toEqual([',', 'decision']);
    expect(opened.faults).toEqual([]);
  });
});
