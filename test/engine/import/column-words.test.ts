/** What an import says about columns whose cells hold more than words: lists, months, and who somebody is. */
import { expect, it } from 'vitest';
import { proposeImport } from '../../../src/engine/import/plan-import.ts';
import { readFile } from '../../../src/engine/import/read-file.ts';
import { surveyColumns } from '../../../src/engine/import/survey.ts';

const marks = ['Bestandskunde', 'Onlineantrag', 'Eigenkapital', 'Mieter'];
const people = ['Anna Schmidt', 'Peter Müller', 'Eva Klein', 'Jan O. Wolf'];
const at = <Value>(values: readonly Value[], row: number) => values[row % values.length] as Value;

async function survey(columns: Record<string, (row: number) => string>, rows = 60) {
  const names = Object.keys(columns);
  const lines = Array.from({ length: rows }, (_, row) => names.map((name) => columns[name]?.(row)).join('|'));
  const bytes = new TextEncoder().encode([names.join('|'), ...lines].join('\n'));
  const sheet = await readFile({ name: 'rows.csv', bytes }, {}, { maxBytes: 1_000_000 });
  const surveys = surveyColumns(sheet, 2026);
  const { asked, personal } = proposeImport({ sheet, surveys }, [], 'answer');
  const kinds = Object.fromEntries(surveys.map(({ name, kind }) => [name, kind]));
  return { kinds, reasons: Object.fromEntries(surveys.map(({ name, reason }) => [name, reason])), asked, personal };
}
const answer = (row: number) => at(['yes', 'no'], row);

it('reads cells that list some of a few things as lists, and no texts of fixed parts [FIL-1]', async () => {
  const list = (row: number) => at(marks, row) + (row % 3 === 0 ? '' : `; ${at(marks, row + 1 + (row % 2))}`);
  const columns = {
    marks: list,
    tags: (row: number) => list(row).replaceAll('; ', ', '),
    sentence: (row: number) => `Thing ${row} came late; I want it back; case ${row * 7}`,
    name: (row: number) =>
      `${at(['Smith', 'Weber', 'Rossi', 'Blanc', 'Kim'], row)}, ${at(['Ann', 'Bo', 'Cy', 'Di'], row)}`,
    sizes: (row: number) => (row % 3 === 0 ? `${row % 7}` : `${row % 7},${row % 5},1`),
    answer,
  };
  const { kinds, reasons } = await survey(columns);
  expect(reasons['marks']).toBe('Each cell lists some of 4 things');
  expect(kinds).toMatchObject({
    marks: 'list_semicolon',
    tags: 'list_comma',
    sentence: 'text',
    name: 'text',
    sizes: 'text',
  });
});

it('reads months as dates, and does not take them for names [FIL-1] [FIL-40]', async () => {
  const month = (row: number) => `${String((row % 12) + 1).padStart(2, '0')}/${1970 + row}`;
  const code = (row: number) => `P-00${row + 100}/1970`;
  const named = (row: number) => `${at(['Jan', 'Feb.', 'März', 'Mai'], row)} ${1970 + row}`;
  // Numbers with decimals have this form as well.
  const number = (row: number) => `${row + 1}.2024`;
  const { reasons, kinds, asked } = await survey({ since: month, until: named, number, policy: code, answer });
  expect(reasons['since']).toBe('Months, each as its first day');
  expect(kinds).toMatchObject({ since: 'date_month_only', until: 'date_month_only', number: 'number', policy: 'text' });
  expect(asked).not.toContain('since');
});

it('says which columns tell who somebody is, and not the names of things [FIL-1]', async () => {
  const { reasons } = await survey({
    Name: (row) => at(people, row),
    Geburtsdatum: (row) => `${(row % 28) + 1}.10.1980`,
    address: (row) => `Mill Lane ${row % 9}`,
    answer,
  });
  const who = /it tells who somebody is$/i;
  for (const name of ['Name', 'Geburtsdatum', 'address']) expect(reasons[name]).toMatch(who);
  const kept = await survey({
    Versicherungsnehmer: (row) => at(people, row),
    reach: (row) => `agent${row}@example.org`,
    paid: (row) => `DE89 3704 0044 0532 01${10 + (row % 90)} 00`,
    car: (row) => `KA-AB ${row}`,
    answer,
  });
  for (const name of ['Versicherungsnehmer', 'reach', 'paid', 'car']) expect(kept.reasons[name]).toMatch(who);
  expect(kept.personal).toEqual([]);
  const mixed = await survey({ Name: (row) => at(people, row), amount: (row) => `${row}`, answer });
  expect(mixed.personal).toEqual(['Name']);
  const things = await survey({ name: (row) => at(['espresso', 'Filter coffee', 'tea', 'Mocha'], row), answer });
  expect(things.reasons['name']).toBe('');
  const foreign = [
    'prénom',
    'Apellidos',
    'cognome',
    'nazwisko',
    'фамилия',
    '氏名',
    '手机号码',
    '주소',
    'ชื่อ',
    'العنوان',
  ];
  const languages = await survey({
    ...Object.fromEntries(foreign.map((name) => [name, (row: number) => `${at(['Ada', 'Bo'], row)} ${row % 9}`])),
    ort: (row) => `${at(['Lindenstraße', 'Mühlweg', 'Am Platz'], row)} ${(row % 80) + 1}`,
    where: (row) => `${row + 1} Old Mill Road, Leeds`,
    answer,
  });
  for (const name of [...foreign, 'where']) expect(languages.reasons[name]).toMatch(who);
  const letters = await survey({
    email: (row) => `Dear all, parcel ${row} did not arrive, and nobody answers my calls. `.repeat(3),
    answer,
  });
  expect(letters.reasons['email']).toBe('');
});
