/** Files as people have them, by somebody who never saw them: asked for the answer, dates right, nothing hangs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeWorkbook } from '../../fixtures/make-workbook.ts';
import { goToPlace, isInSight, type Window as Opened, openWindow, pictures } from '../tools/browser-page.ts';
import { readActs, startCounting } from '../tools/count-acts.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

const hotels = ['City Hotel', 'Resort Hotel'];
const deposits = ['Keine', 'Keine', 'Keine', 'Nicht erstattbar', 'Erstattbar'];
const firstDay = Date.UTC(2015, 6, 1);
const dayMs = 86_400_000;
const header =
  'Buchungs-Nr.;Hotel;Vorlauf (Tage);Anreise am;Anzahlung;Stammgast?;Preis;Bemerkung;Zustand danach;Ergebnis'.split(
    ';',
  );

/** One booking; its values are those of a German spreadsheet. */
function makeBooking(index: number) {
  const arrival = new Date(firstDay + ((index * 37) % 790) * dayMs);
  const isCancelled = (index * 7919) % 100 < 28;
  const answer = isCancelled ? 'storniert' : 'behalten';
  return {
    nr: `B-${100_000 + index}`,
    hotel: hotels[(index * 3) % 2 === 0 ? 0 : 1] ?? '',
    lead: (index * 13) % 629,
    arrival,
    deposit: deposits[index % 5] ?? '',
    isRegular: index % 23 === 0,
    price: ((index * 97) % 50_800) / 100,
    note: index % 9 === 0 ? 'k.A.' : `Wunsch ${index % 311}: ruhiges Zimmer zum Hof`,
    after: isCancelled ? 'Canceled' : 'Check-Out',
    answer: index % 600 === 5 ? '' : index % 900 === 7 ? 'stornirt' : answer,
  };
}
type Booking = ReturnType<typeof makeBooking>;

const pad = (value: number) => String(value).padStart(2, '0');
const toGermanDate = (date: Date) =>
  `${pad(date.getUTCDate())}.${pad(date.getUTCMonth() + 1)}.${date.getUTCFullYear()}`;
const toGermanRow = (booking: Booking) => [
  booking.nr,
  booking.hotel,
  String(booking.lead),
  toGermanDate(booking.arrival),
  booking.deposit,
  booking.isRegular ? 'ja' : 'nein',
  `${booking.price.toFixed(2).replace('.', ',')} €`,
  booking.note,
  booking.after,
  booking.answer,
];
const makeCsv = (rows: number) =>
  [header, ...Array.from({ length: rows }, (_, index) => toGermanRow(makeBooking(index)))]
    .map((cells) => cells.join(';'))
    .join('\r\n');

/** Letters and digits that packing hardly shortens, as long remarks of many people are. */
const toNoise = (index: number) =>
  Array.from({ length: 16 }, (_, part) => (Math.imul(index * 16 + part + 1, 2_654_435_761) >>> 0).toString(36)).join(
    ' ',
  );

/** A cover, the bookings below a title, and a legend. */
function makeBook(rows: number): Uint8Array {
  const bookings = Array.from({ length: rows }, (_, index) => {
    const { nr, hotel, lead, arrival, deposit, isRegular, price, note, after, answer } = makeBooking(index);
    const remark = `${note} ${toNoise(index)}`;
    return [nr, hotel, lead, arrival, deposit, isRegular ? 'ja' : 'nein', price, remark, after, answer];
  });
  return makeWorkbook({
    Deckblatt: [['Buchungen 2015 bis 2017'], ['erstellt am', '01.09.2017']],
    Daten: [['Buchungen, Stand September'], [], header, ...bookings],
    Legende: [
      ['Spalte', 'Bedeutung'],
      ['Vorlauf (Tage)', 'Tage zwischen Buchung und Anreise'],
    ],
  });
}

describe('a file of somebody who never saw the workbench', () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-files-'));
  let workbench: RunningWorkbench;
  let opened: Opened;
  const page = () => opened.page;
  const choose = async (name: string, bytes: string | Uint8Array) => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    await page().locator('input[type=file]').first().setInputFiles(path);
  };
  const role = (column: string) => page().getByLabel(`Column ${column} becomes`).inputValue();
  const kind = (column: string) => page().getByLabel(`Kind of ${column}`).inputValue();
  const create = () => page().getByRole('button', { name: /^Create decision type and import/ });
  /** Answers what the import asks about two nearly equal labels; nothing is imported before. */
  const joinNearLabels = () =>
    page()
      .getByRole('region', { name: 'Is “stornirt” the same as “storniert”?' })
      .getByRole('button', { name: /^Yes, merge/ })
      .click();
  const readExamples = async () => {
    const types = await workbench.call<{ items: { id: string; name: string }[] }>('GET', '/api/v1/decision-types');
    const [type] = types.body.items;
    const path = `/api/v1/decision-types/${type?.id}/examples`;
    const list = await workbench.call<{ items: { input_payload: object }[] }>('GET', `${path}?page_size=1`);
    const { body } = await workbench.call<{ by_option: object }>('GET', `${path}/stats`);
    return { name: type?.name, newest: list.body.items[0]?.input_payload, options: Object.keys(body.by_option) };
  };

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    opened = await openWindow(workbench, '#/new');
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('as a German CSV: the answer is asked, and every kind is right with its reason [FIL-1] [FIL-3] [FIL-4]', async () => {
    await choose('Buchungen März.csv', makeCsv(5_000));
    await page().getByRole('radiogroup', { name: 'Which column is the answer?' }).waitFor();
    expect(await create().isDisabled()).toBe(true);
    expect(await page().getByRole('radio').first().innerText()).toMatch(
      /^Ergebnis\s+behalten \([\d,]+\) · storniert \([\d,]+\) · stornirt \(\d+\)\s+last column, named like a result, 3 different values$/,
    );
    await page().screenshot({ path: join(pictures, 'import-question.png') });
    await page().getByRole('radio').first().click();
    await expect
      .poll(() => Promise.all(['Vorlauf (Tage)', 'Anreise am', 'Anzahlung', 'Stammgast?', 'Preis'].map(kind)))
      .toEqual(['number', 'date_day_first', 'text', 'yes_no', 'number_decimal_comma']);
    await expect.poll(() => Promise.all(['Buchungs-Nr.', 'Zustand danach'].map(role))).toEqual(['ignore', 'ignore']);
    await page().getByText('Looks like an ID, so left out: 5,000 different values in 5,000 rows.').waitFor();
    await page().getByText('It is probably written after the answer: it tells it in 99.8% of the rows.').waitFor();
    await page().getByText('Day first, as “13.').waitFor();
    await joinNearLabels();
    expect(await page().getByLabel('Label stornirt means').inputValue()).toBe('storniert');
    await page().screenshot({ path: join(pictures, 'import-mapping.png') });
    // The first rows stand below; in a small window their cells scroll by themselves, and the answer stays in sight.
    await page().setViewportSize({ width: 1_024, height: 700 });
    const cells = page().getByRole('region', { name: 'Cells of the file' });
    expect(await cells.getByRole('row').nth(1).getByRole('cell').allTextContents()).toEqual([
      '2',
      ...toGermanRow(makeBooking(0)),
    ]);
    const pane = page().locator('main .body').first();
    expect(await pane.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(1);
    for (const column of ['Hotel', 'Bemerkung', 'Hotel']) {
      await page().getByLabel(`Column ${column} becomes`).scrollIntoViewIfNeeded();
      await expect.poll(() => isInSight(page().getByLabel('Column Ergebnis becomes'))).toBe(true);
    }
    await page().setViewportSize({ width: 1_440, height: 900 });
    await create().click();
    await page()
      .getByText(/5,000 examples imported from .*Buchungen/)
      .first()
      .waitFor();
    const { name, newest, options } = await readExamples();
    const last = makeBooking(4_999);
    expect([name, options.sort()]).toEqual(['buchungen-maerz', ['behalten', 'storniert']]);
    expect(newest).toEqual({
      Hotel: last.hotel,
      'Vorlauf (Tage)': last.lead,
      'Anreise am': last.arrival.toISOString().slice(0, 10),
      Anzahlung: last.deposit,
      'Stammgast?': last.isRegular,
      Preis: last.price,
      Bemerkung: last.note,
    });
  });

  test('as a workbook of three sheets and 8 MB: the table is found below its title, and imported [FIL-5]', async () => {
    await page().goto(`${workbench.url}/app/#/new`);
    const book = makeBook(60_000);
    expect(book.length).toBeGreaterThan(8_000_000);
    const startedMs = performance.now();
    await choose('Buchungen.xlsx', book);
    await page().getByRole('radiogroup', { name: 'Which column is the answer?' }).waitFor();
    process.stdout.write(`read in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s\n`);
    expect(await page().getByLabel('Sheet (3)').inputValue()).toBe('Daten');
    expect(await page().getByLabel('Header line').inputValue()).toBe('3');
    expect(await Promise.all(['Anreise am', 'Stammgast?', 'Preis'].map(kind))).toEqual([
      'date_year_first',
      'yes_no',
      'number',
    ]);
    await page().screenshot({ path: join(pictures, 'import-workbook.png') });
    await page().getByLabel('Sheet (3)').selectOption('Legende');
    await page().getByText('Buchungen.xlsx · 1 row').waitFor();
    await page().getByLabel('Sheet (3)').selectOption('Daten');
    await page().getByText('Buchungen.xlsx · 60,000 rows').waitFor();
    await page().getByRole('radio').first().click();
    await joinNearLabels();
    await page().getByLabel('Name', { exact: true }).fill('aus-excel');
    await create().click();
    await page()
      .getByText(/^60,000 examples imported from/)
      .first()
      .waitFor();
    const { name, newest } = await readExamples();
    const last = makeBooking(59_999);
    expect([name, newest]).toEqual([
      'aus-excel',
      expect.objectContaining({ 'Anreise am': last.arrival.toISOString().slice(0, 10), Preis: last.price }),
    ]);
    await page().goto(`${workbench.url}/app/#/new`);
  });

  test('with dates that no value settles, nothing is imported before they are [FIL-2]', async () => {
    const dates = Array.from(
      { length: 40 },
      (_, i) => `${pad(1 + (i % 12))}/${pad(1 + ((i * 5) % 12))}/2024,${'ab'[i % 2]}`,
    );
    await choose('orders.csv', ['ordered,answer', ...dates].join('\n'));
    await page()
      .getByText(/^Choose the kind of .*ordered.* under Columns\.$/)
      .waitFor();
    await page().getByText('Is “02/06/2024” 2 June 2024 or 6 February 2024? No value of the column tells').waitFor();
    expect(await create().isDisabled()).toBe(true);
    await page().getByLabel('Kind of ordered').selectOption('date_month_first');
    expect(await create().isDisabled()).toBe(false);
  });

  test('becomes a deployed decision in five clicks, of which two answer what the answer is and what a misspelt label means', async () => {
    await page().goto(`${workbench.url}/app/#/new`);
    await startCounting(page());
    await choose('Stornierungen.csv', makeCsv(1_000));
    const waits: number[] = [];
    const startedMs = performance.now();
    /** What the page takes until something is there; the rest of the time is one's own. */
    const awaitPage = async (shown: Promise<void>) => {
      const fromMs = performance.now();
      await shown;
      waits.push((performance.now() - fromMs) / 1_000);
    };
    await awaitPage(page().getByRole('radiogroup', { name: 'Which column is the answer?' }).waitFor());
    await page().getByRole('radio').first().click();
    await joinNearLabels();
    await create().click();
    await awaitPage(
      page()
        .getByText(/examples imported from .*Stornierungen/)
        .first()
        .waitFor(),
    );
    await goToPlace(page(), 'Train');
    await page().getByRole('button', { name: 'Start training' }).click();
    await awaitPage(page().getByText('Trained and live').first().waitFor({ timeout: 600_000 }));
    const seconds = (performance.now() - startedMs) / 1_000;
    const waited = waits.reduce((sum, each) => sum + each, 0);
    const { clicks, keys } = await readActs(page());
    process.stdout.write(
      `from the file to a deployed decision: ${clicks} clicks, ${keys} keys, ${seconds.toFixed(0)} s, of which the page worked ${waited.toFixed(0)}\n`,
    );
    expect([clicks <= 5, keys]).toEqual([true, 0]);
    const input = { Hotel: 'City Hotel', 'Vorlauf (Tage)': 10, Anzahlung: 'Keine' };
    const decided = await workbench.call<{ decision: string }>('POST', '/api/v1/decide', {
      decision_type: 'stornierungen',
      input,
    });
    expect([decided.status, ['behalten', 'storniert']]).toEqual([200, expect.arrayContaining([decided.body.decision])]);
  });

  test('and nothing goes wrong behind the page', () => {
    expect(opened.faults).toEqual([]);
  });
});
