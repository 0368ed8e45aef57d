/** Files as people have them, over REST: what is found, what is asked, and what a mapping says instead. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSource } from '../../../src/server/command-line/example-file.ts';
import { importFile } from '../../../src/server/command-line/import.ts';
import { makeWorkbook } from '../../fixtures/make-workbook.ts';
import { clientOf, openForTest, sendForm } from '../workbench.ts';

type Complaint = {
  input: {
    narrative: string;
    consumer: { older_american: boolean; servicemember: boolean };
    date_received: string;
  };
  decision: string;
};

const pad = (value: number) => String(value).padStart(2, '0');
const answers = ['behalten', 'storniert'];
const header = ['Buchung', 'Anreise', 'Preis', 'Stammgast', 'Hotel', 'Ergebnis'];
const rows = Array.from({ length: 40 }, (_, i) => [
  `B-${i}`,
  `${pad(1 + (i % 28))}.03.2024`,
  `${i},50 €`,
  i % 3 === 0 ? 'ja' : 'nein',
  i % 4 === 0 ? 'City' : 'Resort',
  i === 7 ? 'n/a' : (answers[i % 2] ?? ''),
]);
const csv = [header, ...rows].map((cells) => cells.join(';')).join('\n');
const secondInput = { Anreise: '2024-03-02', Preis: 1.5, Stammgast: false, Hotel: 'Resort' };

const rolesOf = ({ columns }: { columns: { role: string }[] }) => columns.map(({ role }) => role);

async function openBookings() {
  const { call, deps } = await openForTest();
  const type = await call('POST', '/api/v1/decision-types', { name: 'buchungen', options: answers });
  const url = `/api/v1/decision-types/${type.body.id}/examples`;
  return { call, deps, url, importAs: (body: object) => call('POST', `${url}/import`, body) };
}

describe('a file that nobody prepared, over REST', () => {
  it('is read with the kinds of its columns and the reasons, and written so [FIL-1] [FIL-4] [FIL-6]', async () => {
    const { importAs } = await openBookings();
    const preview = await importAs({ content: csv });
    expect(rolesOf(preview.body)).toEqual(['ignore', 'input', 'input', 'input', 'input', 'decision']);
    const told = preview.body.columns.map((column: Record<string, unknown>) => [
      column['name'],
      column['kind'],
      column['read_as'],
      column['reason'],
    ]);
    expect(told).toEqual([
      ['Buchung', 'string', 'text', ''],
      ['Anreise', 'string', 'date_day_first', 'Day first, as “13.03.2024” shows'],
      ['Preis', 'number', 'number_decimal_comma', 'Decimal comma, in €'],
      ['Stammgast', 'boolean', 'yes_no', 'Only “ja” and “nein”'],
      ['Hotel', 'string', 'text', ''],
      ['Ergebnis', 'string', 'text', '“n/a” counts as empty (1)'],
    ]);
    expect(preview.body.columns[0].left_out).toBe('Looks like an ID, so left out: 40 different values in 40 rows.');
    expect(preview.body).toMatchObject({ examples: 40, labelled: 39, new_options: [] });
    expect(preview.body.first_examples[1].input_payload).toEqual(secondInput);
    expect((await importAs({ content: csv, commit: true })).body.committed).toBe(true);
  });

  it('is read as a mapping says, column by column [FIL-6]', async () => {
    const { importAs } = await openBookings();
    const read_as = { Anreise: 'as_is', Stammgast: 'text' };
    const mapping = { decision: 'Hotel', input: ['Buchung', 'Anreise', 'Stammgast', 'Preis'], read_as };
    const { body } = await importAs({ content: csv, mapping });
    expect(body.first_examples[1].input_payload).toEqual({
      Buchung: 'B-1',
      Anreise: '02.03.2024',
      Stammgast: 'nein',
      Preis: 1.5,
    });
    const wrong = { decision: null, read_as: { Hotel: 'number' } };
    const refused = await importAs({ content: csv, mapping: wrong, commit: true });
    expect(refused.body.error.details[0]).toEqual({
      type: 'unreadable',
      loc: ['body', 'content', 2, 'Hotel'],
      msg: 'line 2: “City” is not a number, nor are 39 more',
    });
    const unknown = await importAs({ content: csv, mapping: { decision: null, read_as: { Ort: 'text' } } });
    expect(unknown.body.error.details[0].loc).toEqual(['body', 'mapping', 'read_as', 'Ort']);
  });

  it('is not written before an unclear date is settled [FIL-2] [FIL-6]', async () => {
    const { importAs, call, url } = await openBookings();
    const content = 'am,label\n03.04.2024,behalten\n05.06.2024,storniert\n';
    const { columns, questions } = (await importAs({ content })).body;
    expect(columns[0]).toMatchObject({ read_as: 'text', choices: ['date_day_first', 'date_month_first'] });
    expect(questions).toEqual([
      { about: 'kind', column: 'am', sentence: expect.stringMatching('3 April 2024 or 4 March') },
    ]);
    const refused = await importAs({ content, commit: true });
    expect([refused.status, refused.body.error.details[0].loc]).toEqual([422, ['body', 'mapping', 'read_as', 'am']]);
    expect(refused.body.error.details[0].msg).toBe(
      'Is “03.04.2024” 3 April 2024 or 4 March 2024? No value of the column tells. Choose date_day_first or date_month_first',
    );
    expect((await call('GET', url)).body.total).toBe(0);
    const mapping = { decision: 'label', read_as: { am: 'date_month_first' } };
    const done = await importAs({ content, mapping, commit: true });
    expect(done.body.first_examples[0].input_payload).toEqual({ am: '2024-03-04' });
  });

  it('is not written before it is clear which of two columns is the answer [FIL-3] [FIL-6]', async () => {
    const { importAs, call, url } = await openBookings();
    const content = `vorher,nachher\n${Array.from({ length: 20 }, (_, i) => `${answers[i % 2]},${answers[(i + 1) % 2]}`).join('\n')}\n`;
    const values = { behalten: 10, storniert: 10 };
    expect((await importAs({ content })).body.answer_candidates).toEqual([
      { column: 'nachher', why: 'holds the options, last column, 2 different values', values },
      { column: 'vorher', why: 'holds the options, 2 different values', values },
    ]);
    const refused = await importAs({ content, commit: true });
    expect(refused.body.error.details[0].msg).toBe(
      'which column holds the labels: nachher, vorher? Name it in mapping.decision',
    );
    expect((await call('GET', url)).body.total).toBe(0);
    expect((await importAs({ content, mapping: { decision: 'vorher' }, commit: true })).body.labelled).toBe(20);
  });

  it('names the other columns of answers, of which a second import makes a type [FIL-43] [FIL-6]', async () => {
    const { importAs } = await openBookings();
    const content = `text,label_ausgang,label_ton,price\n${Array.from({ length: 20 }, (_, i) => `t ${i},${answers[i % 2]},${'xyz'[i % 3]},${i % 4}`).join('\n')}\n`;
    const { body } = await importAs({ content });
    expect([rolesOf(body), body.other_answers]).toEqual([['input', 'decision', 'ignore', 'input'], ['label_ton']]);
  });

  it('is not written before it is clear whether a column that tells the answer is known before [FIL-40] [FIL-6]', async () => {
    const { importAs, call, url } = await openBookings();
    // Each value of the note has 25 rows, of which one is labelled otherwise: 98.5% of all.
    const decisionOf = (i: number) => answers[i % 130 === 7 ? 0 : i % 2];
    const lines = Array.from({ length: 400 }, (_, i) => `${i % 16},${'abcde'[i % 5]},${decisionOf(i)}`);
    const content = `Note,Hotel,Ergebnis\n${lines.join('\n')}\n`;
    const named = { decision: 'Ergebnis', reason_codes: null, read_as: {} };
    const { columns } = (await importAs({ content, mapping: named })).body;
    expect(columns[0]).toMatchObject({ name: 'Note', explains: 0.99, left_out: null });
    expect(columns[0].doubt).toBe('It alone tells the answer in 99% of the rows. Is it known before the decision?');
    expect([columns[1].explains, columns[1].doubt, columns[1].role]).toEqual([null, null, 'input']);
    const asked = content.replace('Ergebnis', 'label');
    const refused = await importAs({ content: asked, commit: true });
    expect([refused.status, refused.body.error.details]).toEqual([
      422,
      [
        {
          type: 'ambiguous',
          loc: ['body', 'mapping', 'input', 'Note'],
          msg: `“Note”: ${columns[0].doubt} Name the columns of the input`,
        },
      ],
    ]);
    expect((await call('GET', url)).body.total).toBe(0);
    const kept = { ...named, decision: 'label', input: ['Note', 'Hotel'] };
    expect((await importAs({ content: asked, mapping: kept, commit: true })).body.examples).toBe(400);
  });

  it('is said on stderr by a command, which learns from the rest [FIL-40]', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'leaks-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, 'tickets.csv');
    const decisionOf = (i: number) => answers[i % 130 === 7 ? 0 : i % 2];
    const lines = Array.from(
      { length: 400 },
      (_, i) => `${i % 16},${answers[i % 2]?.slice(0, 2)},${'abcde'[i % 5]},${decisionOf(i)}`,
    );
    writeFileSync(file, `Note,closed_at,Hotel,label\n${lines.join('\n')}\n`);
    const { app, call, token } = await openForTest();
    const said: string[] = [];
    const around = { say: (text: string) => said.push(text), signal: new AbortController().signal };
    const bring = async (flags: object) =>
      importFile(clientOf(app, token), await openSource(file, flags), 'tickets', around);
    await expect(bring({ 'leave-out': ['closed'] })).rejects.toMatchObject({
      details: [
        {
          msg: 'there is no column "closed"; there are Note, closed_at, Hotel, label (--leave-out, --learn-from or --second-reader COLUMN)',
        },
      ],
    });
    expect((await call('GET', '/api/v1/decision-types')).body.items).toEqual([]);
    const { type, rows } = await bring({ 'leave-out': ['closed_at'] });
    const { items } = (await call('GET', `/api/v1/decision-types/${type.id}/examples?page_size=1`)).body;
    expect([rows, Object.keys(items[0].input_payload)]).toEqual([400, ['Note', 'Hotel']]);
    expect(said).toContain(
      'Column “Note” is learned from: It alone tells the answer in 99% of the rows. Is it known before the decision? If not, add --leave-out "Note".',
    );
  });

  it('adds nothing unasked and leaves nothing out by a command, which names the flag that answers [FIL-45]', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'asked-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { app, call, token } = await openForTest();
    const around = { say: () => undefined, signal: new AbortController().signal };
    const bring = async (text: string, flags: object = {}) => {
      const file = path.join(folder, 'rooms.csv');
      writeFileSync(file, text);
      return importFile(clientOf(app, token), await openSource(file, flags), 'rooms', around);
    };
    const count = async () => {
      const { items } = (await call('GET', '/api/v1/decision-types')).body;
      const [type] = items;
      if (type === undefined) return null;
      const { total } = (await call('GET', `/api/v1/decision-types/${type.id}/examples/stats`)).body;
      return { total, options: type.active_version.options };
    };
    const whole = `beds,label\n${Array.from({ length: 30 }, (_, n) => `${n % 7},${n % 2 ? 'free' : 'taken'}`).join('\n')}`;
    const asked = (msg: string) => ({
      status: 422,
      details: expect.arrayContaining([expect.objectContaining({ msg })]),
    });
    const near = `${whole}\n3,takn\n`;
    await expect(bring(near)).rejects.toMatchObject(asked('is “takn” the same as “taken”? (--means LABEL=OPTION)'));
    expect(await count()).toBeNull();
    expect((await bring(near, { means: ['takn=taken'] })).isNewType).toBe(true);
    const made = { total: 31, options: ['taken', 'free'] };
    expect(await count()).toEqual(made);
    await expect(bring('beds,label\n1,free\n2,closed\n3,closed\n')).rejects.toMatchObject(
      asked('line 3: "closed" is not an option (2 rows)'),
    );
    await expect(bring('beds,label\n1,free\n2,taken,x\n')).rejects.toMatchObject(
      asked('line 3: 3 cells instead of 2; quote cells that hold a separator'),
    );
    await expect(bring('beds,label\n1,free\nmany,taken\n', { 'read-as': ['beds=number'] })).rejects.toMatchObject(
      asked('line 3: “many” is not a number'),
    );
    await expect(bring('beds,label\n1,free\n', { 'read-as': ['bed=number'] })).rejects.toMatchObject(
      asked('there is no column "bed"; there are beds, label (--read-as COLUMN=KIND)'),
    );
    await expect(bring('beds,label\n1,free\n', { 'read-as': ['beds=size'] })).rejects.toThrow('not "beds=size". Kinds');
    expect(await count()).toEqual(made);
    await bring('beds,label\n1,free\n2,closed\n', { means: ['closed=closed'] });
    expect(await count()).toEqual({ total: 33, options: ['taken', 'free', 'closed'] });
  });

  it.each([
    [{ 'header-line': 'abc' }, '--header-line: must be the number of a line, or 0 where none names the columns.'],
    [{ quote: 'x' }, '--quote: must be ", \' or none.'],
    [{ delimiter: 'x'.repeat(11) }, '--delimiter: takes at most 10 characters. See --help.'],
    [{}, 'There is no file bookings.csv. Name one that is there.'],
    [{ encoding: 'utf-9' }, '--encoding: is no encoding that is known; name one such as windows-1252'],
  ])('is refused by a command for a flag that says nothing of it, in words: %o [FIL-21]', async (flags, words) => {
    await expect(openSource('bookings.csv', flags)).rejects.toThrow(words);
  });

  it('comes as a form, too, of any format, with what is chosen beside it [FIL-5] [FIL-6]', async () => {
    const { call, url } = await openBookings();
    const latin1 = new File(
      [Buffer.from(csv.replaceAll('B-', 'Bü-').replaceAll('€', 'EUR'), 'latin1')],
      'buchungen.csv',
    );
    const table = await sendForm(call, `${url}/import`, latin1, { commit: 'true' });
    expect([table.status, table.body.examples, table.body.first_examples[1].input_payload]).toEqual([
      200,
      40,
      secondInput,
    ]);

    const cover = [['Bericht'], ['Stand', 'März']];
    const book = makeWorkbook({ Deckblatt: cover, Daten: [['Buchungen 2024'], header, ...rows] });
    const excel = await sendForm(call, `${url}/import`, new File([book], 'buchungen.xlsx'));
    expect(excel.body).toMatchObject({
      file: { workbook: { sheets: ['Daten', 'Deckblatt'] }, header: { line: 2 } },
      examples: 40,
    });
    expect(excel.body.first_examples[1]).toMatchObject({ line: 4, input_payload: secondInput });
    const chosen = await sendForm(call, `${url}/import`, new File([book], 'buchungen.xlsx'), {
      sheet: 'Deckblatt',
      header_line: '2',
    });
    expect(chosen.body.error.details[0].msg).toBe('the file holds no examples');

    const parquet = readFileSync(path.join(import.meta.dirname, '../../fixtures/bookings.parquet'));
    const mapping = JSON.stringify({ decision: 'ergebnis', read_as: { anreise: 'date_day_first' } });
    const typed = await sendForm(call, `${url}/import`, new File([parquet], 'bookings.parquet'), { mapping });
    expect(typed.body.first_examples[1].input_payload).toEqual({
      am: '2024-03-02',
      anreise: '2024-03-02',
      naechte: 1,
      preis: 1.5,
      stammgast: false,
    });
  });

  it('says how many of its rows are here already, and which have another label there [FIL-44]', async () => {
    const { call } = await openForTest();
    const type = await call('POST', '/api/v1/decision-types', { name: 'refunds', options: ['grant', 'deny'] });
    const send = async (name: string, commit: boolean) => {
      const file = new File([readFileSync(path.join(import.meta.dirname, `../../fixtures/cases/${name}`))], name);
      const url = `/api/v1/decision-types/${type.body.id}/examples/import`;
      return (await sendForm(call, url, file, { commit: String(commit) })).body.known;
    };
    const remedy = 'Findings lists equal inputs, where copies are deleted';
    expect(await send('the-same-file-twice/rows.csv', true)).toBeNull();
    expect(await send('the-same-file-twice/rows.csv', false)).toBe(`4 of 4 rows are here already; ${remedy}`);
    expect(await send('the-same-file-twice/conflict.csv', true)).toBe(
      `1 of 2 rows are here already, 1 with another label (line 2); ${remedy}`,
    );
  });

  it('is refused where another one has given the type other readings meanwhile [FIL-6]', async () => {
    const { call, url, importAs } = await openBookings();
    const fileOf = (price: string) => `Preis;Ort;Ergebnis\n${`"${price}";Ulm;behalten\n`.repeat(600)}`;
    const files = ['1.234,5', '1,234.5'].map((price) => ({ content: fileOf(price), commit: true }));
    const both = await Promise.all(files.map(importAs));
    const { readings } = (await call('GET', url.replace('/examples', ''))).body.active_version;
    expect(readings.Preis).toMatchObject({ kind: 'number' });
    // One that began once the other was written lacked no readings, and read its numbers by those.
    for (const { status, body } of both) {
      if (status !== 200) expect([status, body.error.code]).toEqual([409, 'conflict']);
      else expect(readings).toMatchObject(body.readings);
    }
    expect(both.some(({ status }) => status === 200)).toBe(true);
    for (const file of files) expect((await importAs(file)).body).toMatchObject({ committed: true, readings: {} });
  });

  it('in a form is refused by its field, and by every operation without files [FIL-6] [ERR-5]', async () => {
    const { call, url } = await openBookings();
    const file = new File([csv], 'buchungen.csv');
    const wrong = await sendForm(call, `${url}/import`, file, { mapping: '{' });
    expect([wrong.status, wrong.body.error.details[0].loc]).toEqual([422, ['body', 'mapping']]);
    const unknown = await sendForm(call, `${url}/import`, file, { sheets: '1' });
    expect(unknown.body.error.details[0]).toMatchObject({ type: 'unrecognized_keys', loc: ['body', 'sheets'] });
    const broken = Buffer.from('no form at all');
    const form = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await call('POST', `${url}/import`, broken, form)).body.error.details[0].loc).toEqual(['body', 'file']);
    const picture = new File([Buffer.from('\x89PNG\r\n', 'latin1')], 'buchungen.csv');
    expect((await sendForm(call, `${url}/import`, picture)).body.error.details[0].msg).toContain('a PNG picture');
    expect((await sendForm(call, url, file)).status).toBe(415);
  });

  it('of real complaints, as a German spreadsheet writes them, becomes what its ISO dates say [FIL-7]', async () => {
    const fixture = path.join(import.meta.dirname, '../../fixtures/complaint_routing/test.jsonl');
    const complaints = readFileSync(fixture, 'utf8')
      .trim()
      .split('\n')
      .slice(0, 200)
      .map((line) => JSON.parse(line) as Complaint);
    const { call } = await openForTest();
    const options = [...new Set(complaints.map(({ decision }) => decision))];
    const type = await call('POST', '/api/v1/decision-types', { name: 'beschwerden', options });
    const toGerman = (date: string) => date.split('-').reverse().join('.');
    const toWord = (is: boolean) => (is ? 'ja' : 'nein');
    const lines = complaints.map(({ input: { narrative, consumer, date_received }, decision }) =>
      [
        `"${narrative.replaceAll('"', '""')}"`,
        toWord(consumer.older_american),
        toWord(consumer.servicemember),
        toGerman(date_received),
        decision,
      ].join(';'),
    );
    const names = 'narrative;consumer.older_american;consumer.servicemember;date_received;label';
    const content = [names, ...lines].join('\n');
    const url = `/api/v1/decision-types/${type.body.id}/examples`;
    const { examples, first_examples: first } = (await call('POST', `${url}/import`, { content, commit: true })).body;
    expect(examples).toBe(200);
    expect(first.map(({ input_payload }: { input_payload: object }) => input_payload)).toEqual(
      complaints.slice(0, first.length).map(({ input: { narrative, consumer, date_received } }) => {
        const { older_american, servicemember } = consumer;
        return { narrative, consumer: { older_american, servicemember }, date_received };
      }),
    );
  });
});
