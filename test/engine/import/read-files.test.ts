/** Files nobody prepared, of every format: what is read of them, and what is refused. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { readFile } from '../../../src/engine/import/read-file.ts';
import { UnreadableFile } from '../../../src/engine/import/sheet.ts';
import { surveyColumns } from '../../../src/engine/import/survey.ts';
import { findSeparator } from '../../../src/engine/import/tables/find-separator.ts';
import { makeWorkbook } from '../../fixtures/make-workbook.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from([...text].map((character) => character.charCodeAt(0)));
const read = (name: string, bytes: Uint8Array, choice = {}) =>
  readFile({ name, bytes }, choice, { maxBytes: 100_000_000 });

describe('a text file', () => {
  it('is cut by the separator that its lines share', () => {
    expect(findSeparator('a,b\n1,2')).toBe(',');
    expect(findSeparator('a;b\n"1;5, and 2";2\n1,5;3')).toBe(';');
    expect(findSeparator('a\tb\n1\t2')).toBe('\t');
    expect(findSeparator('text\nHello, you')).toBeNull();
  });

  it('with semicolons, Latin-1 and decimal commas gives texts, numbers and what was found out', async () => {
    const sheet = await read('fälle.csv', latin1('betrag;ort;nr\n1.234,50;Köln;007\n3,5;Münster;012\n'));
    expect(sheet.rows).toEqual([
      { line: 2, cells: ['1.234,50', 'Köln', '007'] },
      { line: 3, cells: ['3,5', 'Münster', '012'] },
    ]);
    expect(sheet.detected).toEqual(['Windows-1252 (Latin-1)', 'separated by semicolons']);
    expect(surveyColumns(sheet, 2026).map(({ kind, reason }) => [kind, reason])).toEqual([
      ['number_decimal_comma', 'Decimal comma'],
      ['text', ''],
      ['text', ''],
    ]);
  });

  it('refuses lines of more cells by their numbers, keeps the others and names what they lack', async () => {
    const sheet = await read('x.csv', utf8('a,b\n1,2\n3\n"4\n5",6\n7,8,9\n'));
    expect(sheet.rows.map(({ line }) => line)).toEqual([2, 3, 4]);
    expect(sheet.refused).toEqual([
      { line: 6, column: 3, message: '3 cells instead of 2; quote cells that hold a separator' },
    ]);
    expect(sheet.notes).toEqual(['Line with fewer cells than the others, whose rest is empty: 3']);
  });

  it('as JSON or JSON Lines gives objects; a broken line is named', async () => {
    const list = await read('x.json', utf8('{"examples":[{"a":1},{"b":2},3]}'));
    expect([list.columns, list.rows.length, list.refused]).toEqual([
      ['a', 'b'],
      2,
      [{ line: 3, column: 1, message: 'element 3 is not an object' }],
    ]);
    const lines = await read('x.txt', utf8('{"a":1}\n{"a":\n{"a":2}\n'));
    expect(lines.rows.map(({ line }) => line)).toEqual([1, 3]);
    expect(lines.refused).toMatchObject([{ line: 2 }]);
  });

  it('without content says so', async () => {
    await expect(read('x.csv', utf8(' \n'))).rejects.toThrow(UnreadableFile);
    await expect(read('x.json', utf8('{"a":1}'))).rejects.toThrow(/no list of examples/);
  });
});

describe('the first bytes of a file', () => {
  const of = (bytes: string) => read('table.csv', latin1(bytes));

  it('refuse what holds no table, by its name, and say what to do', async () => {
    const archive = zipSync({ 'word/document.xml': utf8('<w:document/>') });
    await expect(read('letter.xlsx', archive.slice())).rejects.toThrow(
      'This is a Word document. Save its table as CSV, TSV, Excel (.xlsx), Parquet, JSON or JSON Lines, then choose that file.',
    );
    await expect(of('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')).rejects.toThrow('an Excel file of the old kind (.xls)');
    await expect(of('\x7fELF\x02\x01\x01\0')).rejects.toThrow('This is a file of an unknown kind.');
    await expect(of('PAR1\x15 and no more')).rejects.toThrow('The Parquet file is damaged or incomplete');
  });

  it.each([
    ['ARROW1\0\0', 'a file of Arrow (Feather)'],
    ['FEA1\0', 'a file of Arrow (Feather)'],
    ['$FL2@(#) SPSS DATA FILE', 'a file of SPSS (.sav)'],
    ['<stata_dta><header>', 'a file of Stata (.dta)'],
    ['r\x02\x01\0', 'a file of Stata (.dta)'],
    [`${'\0'.repeat(12)}\xc2\xea\x81\x60`, 'a file of SAS'],
    ['HEADER RECORD*******LIBRARY HEADER RECORD', 'a file of SAS'],
    ['Obj\x01\x04', 'an Avro file'],
    ['ORC\x0a\x01', 'an ORC file'],
    ['\x80\x04\x95', 'a pickle of Python'],
    ['\x93NUMPY\x01', 'a file of arrays (NumPy, HDF5)'],
    ['\x89HDF\r\n', 'a file of arrays (NumPy, HDF5)'],
    ['SQLite format 3\0', 'a database (SQLite, Access)'],
    ['\0\x01\0\0Standard Jet DB', 'a database (SQLite, Access)'],
    ['%PDF-1.7', 'a PDF document'],
    ['\x1f\x8b\x08', 'a gzip archive. Unpack it, then choose that file.'],
    ['BZh91AY&SY', 'a packed file (.zst, .bz2, .xz, .7z, .rar). Unpack it, then choose that file.'],
    ['\x28\xb5\x2f\xfd', 'a packed file'],
    ['PARE\x15\x04', 'a Parquet file with a key'],
  ])('say what is not read by its own name: %j', async (bytes, what) => {
    await expect(of(bytes)).rejects.toThrow(`This is ${what}`);
  });

  it('know a file of R by its name, as it is packed as others are', async () => {
    await expect(read('frame.rds', latin1('\x1f\x8b\x08'))).rejects.toThrow('This is a file of R (.rds, .RData). Save');
  });

  it('show a packed file, whose sheets are measured before they are unpacked', async () => {
    const packed = zipSync({ 'xl/worksheets/sheet1.xml': utf8('<worksheet/>') }).slice();
    const view = new DataView(packed.buffer);
    // The list of the parts at the end, found by the end's own record, states the size of each.
    view.setUint32(view.getUint32(packed.length - 6, true) + 24, 120_000_000, true);
    await expect(read('bomb.xlsx', packed)).rejects.toThrow(
      'The file holds 120 MB; at most 100 MB are read. Import it in several parts.',
    );
  });

  it('are no reason to refuse a table that begins with letters of a format', async () => {
    expect((await of('PK,label\n1,a\n2,b\n')).columns).toEqual(['PK', 'label']);
  });
});

describe('a file with types of its own', () => {
  it('keeps them, and dates in it that would be read as texts are pointed out [FIL-1]', async () => {
    const bytes = readFileSync(join(import.meta.dirname, '../../fixtures/bookings.parquet'));
    const sheet = await read('bookings.parquet', bytes);
    expect(sheet.rows[7]).toMatchObject({ values: { am: '2024-03-08', naechte: 7, stammgast: false, ergebnis: null } });
    const surveys = surveyColumns(sheet, 2026);
    expect(surveys.map(({ name, type, filled }) => [name, type, filled])).toEqual([
      ['am', 'string', 40],
      ['anreise', 'string', 40],
      ['naechte', 'number', 40],
      ['preis', 'number', 40],
      ['stammgast', 'boolean', 40],
      ['ergebnis', 'string', 39],
    ]);
    expect(surveys.map(({ reason }) => reason)).toEqual([
      '',
      'Written like dates, day first, as “13.03.2024” shows: choose that kind to learn from them as dates',
      '',
      '',
      '',
      '',
    ]);
  });
});

describe('a workbook', () => {
  const bookings = [
    ['Buchungen März 2024', null, null, null],
    [null, null, null, null],
    ['Stand', '01.04.2024', null, null],
    ['Anreise', null, 'Preis', 'Ergebnis'],
    ...Array.from({ length: 30 }, (_, index) => [
      new Date(Date.UTC(2024, 2, 1 + index)),
      null,
      index * 1.5,
      index % 3 === 0 ? 'storniert' : 'behalten',
    ]),
  ];
  const book = makeWorkbook({ Deckblatt: [['Bericht'], ['von Anna']], Daten: bookings, Leer: [] });

  it('is read by its fullest sheet, below the titles, without empty columns [FIL-5]', async () => {
    const sheet = await read('März.xlsx', book);
    expect(sheet.workbook).toEqual({
      sheets: ['Daten', 'Deckblatt', 'Leer'],
      hidden: [],
      sheet: 'Daten',
    });
    expect(sheet.columns).toEqual(['Anreise', 'Preis', 'Ergebnis']);
    expect(sheet.header?.line).toBe(4);
    expect(sheet.rows[1]).toEqual({ line: 6, cells: ['2024-03-02', 1.5, 'behalten'] });
    expect(surveyColumns(sheet, 2026).map(({ kind }) => kind)).toEqual(['date_year_first', 'number', 'text']);
  });

  it('is read by another sheet or header where one is chosen, and says which there are [FIL-5]', async () => {
    expect((await read('März.xlsx', book, { sheet: 'Deckblatt' })).columns).toEqual(['Bericht']);
    const other = await read('März.xlsx', book, { headerLine: 3 });
    expect(other.columns).toEqual(['Stand', '01.04.2024', 'column 3', 'column 4']);
    await expect(read('März.xlsx', book, { sheet: 'Sales' })).rejects.toThrow(
      'There is no sheet “Sales”. The sheets are: Daten, Deckblatt, Leer.',
    );
    await expect(read('März.xlsx', book, { headerLine: 2 })).rejects.toThrow('There is no line 2.');
  });

  it('of numbers between words is read by what most of it is [FIL-1]', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => [index === 4 ? 'k.A.' : index * 2.5, index % 2 === 0]);
    const sheet = await read('x.xlsx', makeWorkbook({ A: [['Preis', 'Stammgast'], ...rows] }));
    expect(surveyColumns(sheet, 2026)).toMatchObject([
      { kind: 'number', reason: '“k.A.” counts as empty (1)', filled: 29 },
      { kind: 'yes_no', filled: 30 },
    ]);
  });
});
