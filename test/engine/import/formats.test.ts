/** Number formats of spreadsheets and shapes of JSON, one by one. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { findFormat, readSerial } from '../../../src/engine/import/formats/number-formats.ts';
import { readFile, readSheets } from '../../../src/engine/import/read-file.ts';
import { makeWorkbook } from '../../fixtures/make-workbook.ts';

const read = (name: string, bytes: Uint8Array, choice = {}) =>
  readFile({ name, bytes }, choice, { maxBytes: 100_000_000 });
const readText = (name: string, text: string) => read(name, new TextEncoder().encode(text));
const fixture = (name: string) =>
  new Uint8Array(readFileSync(path.join(import.meta.dirname, '../../fixtures/cases', name)));

describe('a number format', () => {
  it('shows a number, a percentage, a date, a time or a duration by its code alone [FIL-30]', () => {
    const codes = {
      number: ['General', '_($* #,##0.00_);_($* (#,##0.00)', '[$€-407] #,##0', '0.00E+00', '@', '"day" 0', '0\\d'],
      date: ['d-mmm', 'mmmm', '[$-F800]dddd\\, mmmm dd', 'DD.MM.YYYY', 'yyyy"年"m"月"', 'm/d/yy h:mm', '[$-411]ge.m.d'],
      percent: ['0%', '0.00%;[Red]-0.00%', '# ##0 %'],
      time: ['h:mm', 'mm:ss.0', 'h:mm AM/PM', '[$-F400]h:mm:ss', 'h "Uhr"', 'ss'],
      duration: ['[h]:mm', '[HH]:MM:SS', '[mm]:ss', '[s]'],
    };
    for (const [meaning, list] of Object.entries(codes))
      for (const code of list) expect([code, findFormat(200, code)]).toEqual([code, meaning]);
    expect([0, 9, 14, 21, 46, 55].map((id) => findFormat(id, undefined))).toEqual(
      ['number', 'percent', 'date', 'time', 'duration', 'time'], // biome-ignore format: one line
    );
  });

  it('makes a day of a number by either calendar, and never one that is none [FIL-30]', () => {
    const days = [1, 59, 60, 61, 45_000.75, 2_958_465];
    expect(days.map((day) => readSerial(day, 'date', false))).toEqual([
      '1900-01-01',
      '1900-02-28',
      '1900-02-29',
      '1900-03-01',
      '2023-03-15T18:00:00',
      '9999-12-31',
    ]);
    expect(readSerial(0, 'date', true)).toBe('1904-01-01');
    expect([-1, 3e6, 1e300].map((day) => readSerial(day, 'date', false))).toEqual([-1, 3e6, 1e300]);
    expect([0, 0.5, 0.25, 1.5, -0.25].map((day) => readSerial(day, 'time', false))).toEqual([
      '00:00',
      '12:00',
      '06:00',
      36,
      -6,
    ]);
    expect([1.5, 0.0034722222222].map((day) => readSerial(day, 'duration', false))).toEqual([36, 0.083333]);
  });
});

describe('a workbook', () => {
  const sheet = (data: string, more = '') =>
    zipSync({
      'xl/workbook.xml': strToU8('<workbook xmlns:r="r"><sheets><sheet name="A" r:id="a"/></sheets></workbook>'),
      'xl\\_rels\\workbook.xml.rels': strToU8(
        '<Relationships><Relationship Id="a" Type="x/worksheet" Target="worksheets/s.xml"/></Relationships>',
      ),
      'xl/worksheets/s.xml': strToU8(`<worksheet>${more}<sheetData>${data}</sheetData></worksheet>`),
    }).slice();
  const row = (...cells: string[]) => `<row>${cells.map((cell) => `<c t="str"><v>${cell}</v></c>`).join('')}</row>`;

  it('whose values lie far apart is refused before it fills the memory [FIL-30]', async () => {
    const diagonal = Array.from({ length: 4_000 }, (_, at) => {
      const letters = [Math.floor(at / 676), Math.floor(at / 26) % 26, at % 26];
      const column = letters.map((letter) => String.fromCharCode(65 + letter)).join('');
      return `<row r="${at + 1}"><c r="${column}${at + 1}"><v>1</v></c></row>`;
    });
    await expect(read('far.xlsx', sheet(diagonal.join('')))).rejects.toThrow(
      'The sheet spreads its values over 4,000 rows × 4,702 columns. Delete those that lie apart from the table.',
    );
  });

  it('keeps the digits of long numbers, and columns that stand apart [FIL-30]', async () => {
    const cells = '<row><c><v>1234567890123456789</v></c><c r="C2"><v>7</v></c><c t="str"><v>a</v></c></row>';
    const book = sheet(`${row('id', '', 'n', 'label')}${cells}`);
    expect((await read('a.xlsx', book)).rows).toEqual([{ line: 2, cells: ['1234567890123456789', 7, 'a'] }]);
    expect((await readSheets(book, 1e6))[0]?.lines[1]?.cells).toEqual(['1234567890123456789', null, 7, 'a']);
  });

  it('says where cells show money of several currencies by their format alone [FIL-30]', async () => {
    const money = (codes: string[]) =>
      zipSync({
        'xl/workbook.xml': strToU8('<workbook xmlns:r="r"><sheets><sheet name="A" r:id="a"/></sheets></workbook>'),
        'xl/_rels/workbook.xml.rels': strToU8(
          '<Relationships><Relationship Id="a" Type="x/worksheet" Target="worksheets/s.xml"/><Relationship Id="b" Type="x/styles" Target="styles.xml"/></Relationships>',
        ),
        'xl/styles.xml': strToU8(
          `<styleSheet><numFmts>${codes.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code}"/>`).join('')}</numFmts><cellXfs><xf/>${codes.map((_, at) => `<xf numFmtId="${200 + at}"/>`).join('')}</cellXfs></styleSheet>`,
        ),
        'xl/worksheets/s.xml': strToU8(
          `<worksheet><sheetData>${row('outcome', 'paid')}${codes.map((_, at) => `<row><c t="str"><v>yes</v></c><c s="${at + 1}"><v>${at + 5}</v></c></row>`).join('')}</sheetData></worksheet>`,
        ),
      }).slice();
    const told =
      '“paid” shows money of several currencies, of which the numbers alone are read: make a column of each, or one that names it';
    for (const [codes, notes] of [
      [['&quot;$&quot;#,##0', '[$€-407] #,##0', '0.00'], [told]],
      [['_($* #,##0.00_)', '\\$0', '[Red]0'], []],
    ] as const) {
      const { rows, notes: found } = await read('money.xlsx', money([...codes]));
      expect(found).toEqual(notes);
      expect(rows.map((each) => ('cells' in each ? each.cells[1] : null))).toEqual([5, 6, 7]);
    }
  });

  it('names the sheets with the same columns, of which nothing is read [FIL-30]', async () => {
    const rows = (count: number) => [
      ['text', 'label'],
      ...Array.from({ length: count }, (_, at) => [`t ${at}`, 'yes']),
    ];
    const book = makeWorkbook({ January: rows(4), February: rows(6), March: rows(5), Notes: [['how it was made']] });
    const told = 'The sheets “March”, “January” with the same columns are not read: import each by itself';
    expect((await read('year.xlsx', book)).notes).toEqual([told]);
    expect((await read('year.xlsx', book, { sheet: 'March' })).notes).toEqual([]);
  });

  it('says nothing of formulas in totals, which are no rows [FIL-30]', async () => {
    const total = '<row><c t="str"><v>Total</v></c><c><f>SUM(B2:B3)</f></c></row>';
    const rows = [1, 2].map((n) => `<row><c t="str"><v>tea ${n}</v></c><c><v>${n}</v></c></row>`).join('');
    const formula = '<row><c t="str"><v>tea 3</v></c><c><f>A1</f></c></row>';
    const notesOf = async (data: string) => (await read('a.xlsx', sheet(`${row('drink', 'cups')}${data}`))).notes;
    expect(await notesOf(rows + total)).toEqual([]);
    expect(await notesOf(rows + formula + total)).toEqual([expect.stringMatching(/^“cups” holds 2 formulas without/)]);
  });

  it('says what other archives are [FIL-30]', async () => {
    const archive = (part: string) => read('a.zip', zipSync({ [part]: strToU8('') }).slice());
    await expect(archive('xl/workbook.bin')).rejects.toThrow('an Excel workbook of the binary kind (.xlsb)');
    await expect(archive('content.xml')).rejects.toThrow('an OpenDocument file (.ods)');
    await expect(archive('a.csv')).rejects.toThrow('This is a ZIP archive. Unpack it, then choose that file.');
  });
});

describe('a text', () => {
  it('that holds U+0000 is refused by its line, and one of many as another kind of file [FIL-2]', async () => {
    const lines = (count: number) => 'hello there,yes\nmany words,no\n'.repeat(count);
    await expect(readText('x.csv', `text,label\n${lines(4_000)}a\0b,yes\n`)).rejects.toMatchObject({
      message: 'The line holds the sign U+0000, which no text has. Take it out, or save the file again.',
      line: 8_002,
    });
    await expect(readText('x.csv', 'text,label\na\0b,yes\nc,no\n')).rejects.toMatchObject({ line: 2 });
    await expect(readText('x.csv', 'ab\0\0\0c\n')).rejects.toThrow('This is a file of an unknown kind.');
  });

  it('names its columns in one line each [FIL-1]', async () => {
    const { columns } = await readText('x.csv', '"cus\ntomer ","a \r\n b",label\nx,y,yes\nz,y,no\n');
    expect(columns).toEqual(['cus tomer', 'a b', 'label']);
  });
});

describe('a Parquet file', () => {
  it('names a way of packing that is not read, with the remedy, and calls no sound file damaged [FIL-31]', async () => {
    const bytes = fixture('parquet-codecs/gzip.parquet');
    // The number of a codec stands in the description of each column: GZIP is 2, LZO 3 (as zigzag varints 4 and 6).
    const footer = bytes.length - 8 - new DataView(bytes.buffer).getUint32(bytes.length - 8, true);
    const lzo = bytes.map((byte, at) => (at > footer && byte === 4 && bytes[at - 1] === 0x15 ? 6 : byte));
    await expect(read('a.parquet', lzo)).rejects.toThrow(
      'The column “n” is compressed with LZO. Save the file with Snappy or Zstandard.',
    );
  });
});

describe('JSON', () => {
  it('is read in each shape in which tools write tables [FIL-32]', async () => {
    const shapes = {
      values: '[[1,"x"],[2,"y"]]',
      named: '[["a","label"],[1,"x"],[2,"y"]]',
      deep: '{"result":{"ok":true,"records":[{"a":1,"label":"x"},{"a":2,"label":"y"}]}}',
      nodes: '{"data":{"edges":[{"node":{"a":1,"label":"x"}},{"node":{"a":2,"label":"y"}}]}}',
      index: '{"r1":{"a":1,"label":"x"},"r2":{"a":2,"label":"y"}}',
      columns: '{"a":{"0":1,"1":2},"label":{"0":"x","1":"y"}}',
    };
    const rows: Record<string, unknown> = {};
    for (const [name, text] of Object.entries(shapes))
      rows[name] = (await readText('x.json', text)).rows.map((read) => ('values' in read ? read.values : null));
    const plain = [
      { a: 1, label: 'x' },
      { a: 2, label: 'y' },
    ];
    expect(rows).toEqual({
      values: [
        { 'column 1': 1, 'column 2': 'x' },
        { 'column 1': 2, 'column 2': 'y' },
      ],
      named: plain,
      deep: plain,
      nodes: plain,
      index: plain.map((record, at) => ({ index: `r${at + 1}`, ...record })),
      columns: plain,
    });
  });

  it('opens objects into their fields, but no whole input, map or object of other names [FIL-32]', async () => {
    const record = (at: number) =>
      JSON.stringify({
        input: { a: 1 },
        user: { age: at, name: { first: 'x' } },
        counts: { [`k${at}`]: 1 },
        'a b': { c: 1 },
        o: { 'p q': 1 },
      });
    const { columns } = await readText('x.jsonl', Array.from({ length: 150 }, (_, at) => record(at)).join('\n'));
    expect(columns).toEqual(['input', 'user.age', 'user.name.first', 'counts', 'a b', 'o']);
  });

  it('keeps ids of many digits apart and makes texts of the shorter ones beside them [FIL-32]', async () => {
    const { rows, notes } = await readText(
      'x.json',
      '[{"id":12345678901234567,"t":"9007199254740993"},{"id":7,"t":"NaN"}]',
    );
    expect(rows).toEqual([
      { line: 1, values: { id: '12345678901234567', t: '9007199254740993' } },
      { line: 2, values: { id: '7', t: 'NaN' } },
    ]);
    expect(notes).toEqual(['One whole number beyond 2^53, where numbers lose digits, is kept as text']);
  });

  it.each([
    ['[{"a":1},{"b":2},]', ' “]”; leave out the comma in front of it'],
    ['[{"a":1, },\n{"b":2}]', ' “}”; leave out the comma in front of it'],
    ["[{'a':1}]", " “'”; texts stand in double quotes"],
    ['[{"a":1}, // the first\n{"a":2}]', ' “/”; JSON has no comments'],
    ['{"a":1}{"a":2}', ' “{”; put each object on a line of its own'],
  ])('says what to do where it is nearly some: %s [FIL-32]', async (text, advice) => {
    await expect(readText('x.json', text)).rejects.toThrow(`The file is not valid JSON: unexpected character${advice}`);
  });

  it('says line and column of a fault, in the page, too [FIL-32]', async () => {
    await expect(readText('x.json', '[{"a":1},\n{"a":}]')).rejects.toMatchObject({
      message: 'The file is not valid JSON: unexpected character',
      line: 2,
      column: 6,
    });
  });
});

describe('Chats with a model', () => {
  const write = (answers: readonly string[], more: object = {}) =>
    answers
      .map((content, n) => {
        const asked = [
          { role: 'system', content: 'Decide about refunds.' },
          { role: 'user', content: `Order ${n} is late` },
        ];
        return JSON.stringify({ messages: [...asked, { role: 'assistant', content }], ...more });
      })
      .join('\n');
  const answers = Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? 'approve' : 'reject'));

  it('whose last turns say one of a few things have these as answers, and not as their input [FIL-32]', async () => {
    const { columns, rows, notes } = await readText('chats.jsonl', write(answers));
    expect(columns).toEqual(['messages', 'answer']);
    expect(rows[0]).toMatchObject({ values: { messages: [{ role: 'system' }, { role: 'user' }], answer: 'approve' } });
    expect(notes).toEqual([
      'The last turns of “messages” say one of 2 things, so they are read as the column “answer”',
    ]);
  });

  it('stay whole where their last turns differ, or an answer stands beside them [FIL-32]', async () => {
    const free = await readText('chats.jsonl', write(answers.map((answer, n) => `${answer}, because of reason ${n}`)));
    const labelled = await readText('chats.jsonl', write(answers, { label: 'good' }));
    expect([free.columns, labelled.columns]).toEqual([['messages'], ['messages', 'label']]);
  });
});
