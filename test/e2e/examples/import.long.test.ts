/** The ten-minute path: from a spreadsheet that nobody prepared to a deployed decision type and its bundle. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goToPlace, type Window as Opened, openWindow } from '../tools/browser-page.ts';
import { readActs, startCounting } from '../tools/count-acts.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

const kinds = [
  { label: 'Rückgabe', text: 'Ich möchte die Ware zurückgeben, sie gefällt mir nicht' },
  { label: 'Lieferung', text: 'Das Paket ist nicht angekommen, wo bleibt meine Bestellung' },
  { label: 'Rechnung', text: 'Auf der Rechnung steht ein falscher Betrag, bitte prüfen' },
];
const people = ['Müller', 'Özdemir', 'Groß', 'Jäger', 'Weiß', 'König', 'Schäfer', 'Vögel'];

/** 150 rows with semicolons, decimal commas, one slip of the hand, two duplicates and a broken line. */
function makeCsv(): string {
  const rows = Array.from({ length: 150 }, (_, index) => {
    const kind = kinds[index % 3] ?? kinds[0];
    const label = index === 40 ? 'Lieferug' : kind?.label;
    return `"${kind?.text}, ${people[index % 8]}; Nr. ${index}";${(index * 1.75).toFixed(2).replace('.', ',')};${label}`;
  });
  return ['Anliegen;Betrag;Thema', ...rows, rows[3], rows[4], 'ohne;1,00;Rechnung;Thema'].join('\r\n');
}
const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('a spreadsheet that nobody prepared', () => {
  let workbench: RunningWorkbench;
  let opened: Opened;
  const page = () => opened.page;
  /** When the file was given to the page; choosing it is not counted. */
  let startedMs = Number.NaN;
  const columns = () => page().getByLabel(/^Column .* becomes$/);

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    opened = await openWindow(workbench, '#/');
    await startCounting(page());
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
  });

  test('is understood when it is chosen: encoding, separator, decimal comma, labels, slips and duplicates', async () => {
    startedMs = Date.now();
    await page()
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: 'Kundenanliegen Mai.csv',
        mimeType: 'text/csv',
        buffer: latin1(makeCsv()),
      });
    await page()
      .getByText(/152 rows · Windows-1252 \(Latin-1\), separated by semicolons/)
      .waitFor();
    expect(await page().getByLabel('Kind of Betrag').inputValue()).toBe('number_decimal_comma');
    expect(await columns().evaluateAll((fields) => fields.map((field) => (field as HTMLSelectElement).value))).toEqual([
      'input',
      'input',
      'decision',
    ]);
    await page().getByText('Is “Lieferug” the same as “Lieferung”?').waitFor();
    await page().keyboard.press('y');
    await expect.poll(() => page().getByLabel('Label Lieferug means').inputValue()).toBe('Lieferung');
    await page().getByText('2 duplicate rows left out: lines 152 (as 5); 153 (as 6).').waitFor();
    await page()
      .getByText('1 line cannot be read: lines 154, 4 cells instead of 3; quote cells that hold a separator.')
      .waitFor();
    expect(await page().getByLabel('Name', { exact: true }).inputValue()).toBe('kundenanliegen-mai');
  });

  test('becomes a decision type with its examples in one act', async () => {
    await page().getByRole('button', { name: 'Create decision type and import 150 rows' }).click();
    await page().getByText('150 examples imported from Kundenanliegen Mai.csv.').first().waitFor();
    await page().getByRole('grid', { name: 'Examples' }).waitFor();
    const types = await workbench.call<{ items: { id: string; active_version: { options: string[] } }[] }>(
      'GET',
      '/api/v1/decision-types',
    );
    expect(types.body.items[0]?.active_version.options.sort()).toEqual(['Lieferung', 'Rechnung', 'Rückgabe']);
    const path = `/api/v1/decision-types/${types.body.items[0]?.id}`;
    const stats = await workbench.call<{ by_option: object }>('GET', `${path}/examples/stats`);
    expect(stats.body.by_option).toEqual({ Lieferung: 50, Rechnung: 50, Rückgabe: 50 });
    const newest = await workbench.call<{ items: { input_payload: object }[] }>('GET', `${path}/examples?page_size=1`);
    expect(newest.body.items[0]?.input_payload).toEqual({
      Anliegen: 'Auf der Rechnung steht ein falscher Betrag, bitte prüfen, Schäfer; Nr. 149'.replace(
        'Schäfer',
        people[149 % 8] ?? '',
      ),
      Betrag: 260.75,
    });
  });

  test('is trained, deployed, tried and exported', async () => {
    await goToPlace(page(), 'Train');
    await page().getByRole('button', { name: 'Start training' }).click();
    await page().getByText('Trained and live').first().waitFor({ timeout: 600_000 });
    await page().getByTestId('main').getByRole('button', { name: 'Try it' }).click();
    await page().getByLabel('Anliegen', { exact: true }).fill('');
    await page().getByLabel('Anliegen', { exact: true }).pressSequentially('Mein Paket ist noch nicht angekommen');
    await expect.poll(() => page().getByTestId('decision').innerText()).toContain('Lieferung');
    await goToPlace(page(), 'Deploy');
    const download = page().waitForEvent('download');
    await page().getByRole('button', { name: 'Export bundle' }).click();
    expect((await download).suggestedFilename()).toMatch(/^kundenanliegen-mai.*\.zip$/);
  });

  test('takes six clicks, a key that says what a misspelt label means, and those of what is tried', async () => {
    const { clicks, keys } = await readActs(page());
    const seconds = (Date.now() - startedMs) / 1_000;
    process.stdout.write(`from the file to its bundle: ${clicks} clicks, ${keys} keys, ${seconds.toFixed(0)} s\n`);
    expect(clicks).toBeLessThanOrEqual(6);
    // The sentence, one key that empties its field, and one that answers.
    expect(keys).toBeLessThanOrEqual('Mein Paket ist noch nicht angekommen'.length + 2);
    expect(seconds).toBeLessThan(600);
  });

  test('more rows come into the same type; unknown labels become options, and undo takes the rows back', async () => {
    await goToPlace(page(), 'Examples');
    await page().getByRole('button', { name: 'Import…' }).click();
    const more =
      'Anliegen,Betrag,E-Mail,whatever\nWo ist mein Paket,1,a@b.example,lieferung\nBitte kündigen Sie meinen Vertrag,2,c@d.example,Kündigung\n';
    await page()
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'more.csv', mimeType: 'text/csv', buffer: Buffer.from(more) });
    await page().getByLabel('Column whatever becomes').selectOption('decision');
    expect(await page().getByLabel('Label lieferung means').inputValue()).toBe('Lieferung');
    await page().getByText('New options: Kündigung.').waitFor();
    await page()
      .getByText(/^Set .*E-Mail.* as personal\?$/)
      .waitFor();
    await page()
      .getByRole('button', { name: /^Set as personal/ })
      .click();
    await page().getByText('Personal fields: E-Mail.').waitFor();
    await page().getByRole('button', { name: 'Import 2 rows' }).click();
    await page().getByText('152 rows').waitFor();
    const types = await workbench.call<{ items: { pii_fields: string[] }[] }>('GET', '/api/v1/decision-types');
    expect(types.body.items[0]?.pii_fields).toEqual(['E-Mail']);
    await page().keyboard.press('ControlOrMeta+z');
    await page().getByText('2 examples imported from more.csv', { exact: true }).waitFor();
    await page().getByRole('button', { name: 'Undo it' }).click();
    await page().getByText('150 rows').waitFor();
  });

  test('a file that cannot be read says why', async () => {
    await page().getByRole('button', { name: 'Import…' }).click();
    await page()
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from('{"a": [') });
    await page()
      .getByText(/broken\.json: The file is not valid JSON/)
      .waitFor();
  });

  test('nothing went wrong behind the page', () => {
    // Chromium notes that the file was refused.
    expect(opened.faults.filter((fault) => !/status of 422 .*\/api\/v1\/imports\)$/.test(fault))).toEqual([]);
  });
});
