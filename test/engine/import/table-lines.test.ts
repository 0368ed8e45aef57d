/** Lines of tables that are no rows: titles, second headers, totals and notes, in texts and workbooks alike. */
import { describe, expect, it } from 'vitest';
import { readFile } from '../../../src/engine/import/read-file.ts';
import type { SheetChoice } from '../../../src/engine/import/sheet.ts';
import { splitName } from '../../../src/engine/readings/inputs.ts';
import names from '../../cases/column-names.json' with { type: 'json' };
import { makeWorkbook } from '../../fixtures/make-workbook.ts';

const toBytes = (text: string) => new TextEncoder().encode(text);
const readBytes = (name: string, bytes: Uint8Array, choice: SheetChoice = {}) =>
  readFile({ name, bytes }, choice, { maxBytes: 1e6 });
const readLines = (lines: readonly string[], choice?: SheetChoice) =>
  readBytes('table.csv', toBytes(lines.join('\n')), choice);
/** The same lines in a workbook: cells that look like numbers are numbers there. */
const readSheet = (lines: readonly string[], choice?: SheetChoice) => {
  const cells = lines.map((line) =>
    line.split(',').map((cell) => (cell === '' ? null : /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell)),
  );
  return readBytes('table.xlsx', makeWorkbook({ Data: cells }), choice);
};
const doors = [
  ['a text', readLines],
  ['a workbook', readSheet],
] as const;

describe.each(doors)('a table in %s', (_, read) => {
  it('loses its total and its notes with a word, and no row [FIL-20]', async () => {
    const sheet = await read([
      'region,2023,2024,label',
      'North,10,20,keep',
      'South,30,40,drop',
      'West,50,60,keep',
      'Grand total,90,120,',
      ',,,',
      'Source: the sales team',
    ]);
    expect(sheet.rows.map(({ line }) => line)).toEqual([2, 3, 4]);
    expect(sheet.skipped.filter(({ reason }) => reason !== 'blank')).toEqual([
      { reason: 'total', count: 1, lines: [5] },
      { reason: 'note', count: 1, lines: [7] },
    ]);
    expect(sheet.notes).toEqual([]);
  });

  it('loses a total whose last column is a number where the others have answers', async () => {
    const sheet = await read(['region,nights,answer', 'North,1,yes', 'South,2,no', 'East,6,yes', 'Total,,9']);
    expect(sheet.rows.map(({ line }) => line)).toEqual([2, 3, 4]);
    expect(sheet.skipped).toEqual([{ reason: 'total', count: 1, lines: [5] }]);
  });

  it('keeps last rows that only look like a total or a note', async () => {
    const categories = await read(['kind,label', 'Total loss of signal,keep', 'Total,drop', 'Total,keep']);
    expect(categories.rows).toHaveLength(3);
    const answers = await read(['product,review,label', 'Cup,broken,drop', 'Total,a great shop,keep']);
    expect(answers.rows).toHaveLength(2);
    const unlabelled = await read(['id,text,label', 'A16,hello,keep', 'A17,,']);
    expect(unlabelled.rows).toHaveLength(2);
  });

  it('takes one header of two rows whose upper one groups the columns', async () => {
    const sheet = await read([
      'Bookings of May',
      ',Stay,,Guest,',
      'hotel,nights,price,age,label',
      'City,2,100,33,keep',
      'Resort,3,250,45,drop',
      'City,1,80,29,keep',
    ]);
    expect(sheet.columns).toEqual(['hotel', 'Stay – nights', 'Stay – price', 'Guest – age', 'Guest – label']);
    expect([sheet.header?.line, sheet.rows.length]).toEqual([3, 3]);
    expect(sheet.skipped).toEqual([
      { reason: 'title', count: 1, lines: [1] },
      { reason: 'header', count: 1, lines: [2] },
    ]);
    const equal = await read(['Stay,Stay,Guest', 'nights,price,label', '2,100,keep', '3,250,drop', '1,80,keep']);
    expect(equal.columns).toEqual(['Stay – nights', 'Stay – price', 'Guest – label']);
  });

  it('skips lines that say more about the columns: questions, ids of a survey, the header again', async () => {
    const lines = [
      'StartDate,Progress,Q1,label',
      'Start Date,How far,How old are you?,Answer',
      '{"ImportId":"startDate"},{"ImportId":"progress"},{"ImportId":"QID1"},{"ImportId":"QID2"}',
      '2024-03-01,100,33,keep',
      '2024-03-02,80,45,drop',
      'StartDate,Progress,Q1,label',
      '2024-03-03,100,29,keep',
    ];
    const sheet = await read(lines.map((line) => line.replaceAll('{"ImportId":"', 'ImportId ').replaceAll('"}', '')));
    expect([sheet.columns, sheet.rows.map(({ line }) => line)]).toEqual([
      ['StartDate', 'Progress', 'Q1', 'label'],
      [4, 5, 7],
    ]);
    expect(sheet.skipped).toEqual([{ reason: 'header', count: 3, lines: [2, 3, 6] }]);
  });

  it('skips the second line of a table of the Census Bureau', async () => {
    const sheet = await read([
      'GEO_ID,NAME,B01,label',
      'Geography,Area,Estimate!!Total,Answer',
      'US01,Alabama,49,keep',
      'US02,Alaska,73,drop',
    ]);
    expect([sheet.rows.length, sheet.skipped]).toEqual([2, [{ reason: 'header', count: 1, lines: [2] }]]);
  });

  it('keeps a first row with words among numbers', async () => {
    const sheet = await read(['name,age,label', 'Bo,unknown,keep', 'Al,31,drop', 'Cy,20,keep']);
    expect(sheet.rows).toHaveLength(3);
  });

  it('is read below the line that is stated, and without names where there is none', async () => {
    const lines = ['region,2023,label', 'North,10,keep', 'South,30,drop'];
    const below = await read(lines, { headerLine: 2 });
    expect([below.columns, below.rows.map(({ line }) => line)]).toEqual([['North', '10', 'keep'], [3]]);
    const none = await read(lines, { headerLine: 0 });
    expect([none.columns, none.rows.length]).toEqual([['column 1', 'column 2', 'column 3'], 3]);
  });
});

describe('the lines of a text', () => {
  it('are all accounted for: rows, refused lines and skipped ones are the lines of the file [FIL-20]', async () => {
    const lines = ['Report', '', 'a;b;label', '1;2;keep', '1;2;3;keep', ';;', '5;6', '7;8;drop', '', 'Total;15;'];
    const { rows, refused, skipped } = await readLines(lines);
    const skippedLines = skipped.reduce((sum, { count }) => sum + count, 0);
    expect(rows.length + refused.length + skippedLines + 1).toBe(lines.length);
    expect(refused.map(({ line }) => line)).toEqual([5]);
  });

  it('that break in the middle of a row are refused together with the remedy', async () => {
    const { refused } = await readLines(['a,b,c,label', '1,2,3,keep', '4,hello', 'you,5,drop', '7,8,9,keep']);
    expect(refused).toEqual([
      {
        line: 3,
        column: 3,
        message: '2 cells instead of 4, and the rest of them in the next line; quote cells that hold a line break',
      },
      { line: 4, column: 1, message: 'the rest of line 3' },
    ]);
  });

  it('end as they do, and quotes that nothing closes are signs like others [FIL-21]', async () => {
    const mixed = await readLines(['a,b\r\n1,"x\ny"\r2,5" wide\n3,"said ""yes"""\r\n4,"he said \\"no, no\\" twice"']);
    expect(mixed.rows).toEqual([
      { line: 2, cells: ['1', 'x\ny'] },
      { line: 4, cells: ['2', '5" wide'] },
      { line: 5, cells: ['3', 'said "yes"'] },
      { line: 6, cells: ['4', 'he said "no, no" twice'] },
    ]);
    const open = await readLines(['text,label', '"open,keep', 'plain,drop', '"to the end,keep']);
    expect(open.rows.map((row) => 'cells' in row && row.cells[0])).toEqual(['"open', 'plain', '"to the end']);
    const none = await readLines(['text,label', '"a",keep'], { quote: '' });
    expect(none.rows[0]).toMatchObject({ cells: ['"a"', 'keep'] });
    const single = await readLines(['text,label', "'a, b',keep"], { quote: "'" });
    expect(single.rows[0]).toMatchObject({ cells: ['a, b', 'keep'] });
    const kept = await readLines(['code,label', '="00123",keep', '"=""007""",drop']);
    expect(kept.rows).toMatchObject([{ cells: ['00123', 'keep'] }, { cells: ['007', 'drop'] }]);
  });

  it('are cut by what separates most of them [FIL-21]', async () => {
    const cut = async (text: string, choice?: SheetChoice) => (await readLines([text], choice)).columns.length;
    expect(await cut('a^b^label\n1^2^keep\n3^4^drop')).toBe(3);
    expect(await cut('a~b~label\n1~2~keep\n3~4~drop')).toBe(3);
    expect(await cut('a\u0001b\u0001label\n1\u00012\u0001keep')).toBe(3);
    expect(await cut('1::1193::5::978300760\n1::661::3::978302109')).toBe(4);
    expect(await cut('a||b||label\n1||2||keep\n3||4||drop')).toBe(3);
    expect(await cut('  n   size  label\n  1   2.5   keep\n 20   13    drop')).toBe(3);
    expect(await cut('1,5;2,5;keep\n2,5;3,5;drop')).toBe(3);
    expect(await cut('sep=;\na;b,c;label\n1;2,3;keep')).toBe(3);
    expect(await cut('text\nHello, you\nGood morning, dear all\nBye, you')).toBe(1);
    expect(await cut('text\nI like this film\nI hate that film')).toBe(1);
    expect(await cut('a#b#label\n1#2#keep', { delimiter: '#' })).toBe(3);
  });

  it('are cut in a time that grows with their number, whatever quotes stand in them', async () => {
    const time = async (text: string) => {
      const from = process.cpuUsage();
      await readBytes('x.csv', toBytes(text)).catch(() => null);
      return process.cpuUsage(from).user / 1_000;
    };
    for (const piece of ['"', '""', '"a""\n', '"""\n', '"\\"x,', '" ', '","']) {
      const text = `a,b\n${piece.repeat(300_000 / piece.length)}`;
      expect([piece, (await time(text)) < 2_000]).toEqual([piece, true]);
    }
  });
});

describe('the name of a column', () => {
  it.each(names.cases)('nests only where its parts are called like fields: $name [FIL-22]', ({ name, path }) => {
    expect(splitName(name)).toEqual(path);
  });
});
