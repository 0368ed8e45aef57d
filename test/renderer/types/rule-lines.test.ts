/** The sheet of rules as a file: what is saved comes back to the letter, and what cannot be read changes nothing. */
import { describe, expect, test } from 'vitest';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import { writeWorkbook } from '../../../src/engine/export/write-workbook.ts';
import { readSheets } from '../../../src/engine/import/read-file.ts';
import { replaceRules } from '../../../src/renderer/features/rules/order-rules.ts';
import { namesColumns, readPasted, readWhole } from '../../../src/renderer/features/rules/sheet/read-lines.ts';
import {
  listColumns,
  listSheetFields,
  type SheetField,
  toField,
  toSheetRow,
} from '../../../src/renderer/features/rules/sheet/sheet.ts';
import { writeCells } from '../../../src/renderer/features/rules/sheet/sheet-block.ts';
import { toLines } from '../../../src/renderer/features/rules/sheet/sheet-lines.ts';
import { layLines } from '../../../src/renderer/parts/grid/cells.ts';

const field = (type: SheetField['type'], ...path: string[]): SheetField => ({
  path,
  type,
  values: null,
  information: 0,
});
const fields = [
  field('number', 'amount'),
  field('text', 'customer', 'tier'),
  field('text', 'customer.tier'),
  field('bool', 'opened'),
  field('text', 'Reason'),
  field('text', 'bought'),
];
const draft = { options: ['approve', 'deny', 'review'], reason_codes: ['LIMIT'] };
const conditions = [
  'ctx.amount > 1000',
  'has(ctx.amount) && ctx.amount >= 50 && ctx.amount <= 200',
  'ctx.customer.tier in ["basic", "plus"] && ctx["customer.tier"] == "1000"',
  'ctx.opened == true && ctx.Reason.lowerAscii().contains("law & <order>")',
  'ctx.amount > 10 ||\n  ctx.opened // either',
  'ctx.unknown == "=1+1"',
  'ctx.bought >= "2026-03-01" && ctx.amount < 5',
];
const rules: Rule[] = conditions.map((condition, place) => ({
  name: `rule "${place}" — ä\u202e`,
  condition,
  then: draft.options[place % 3] ?? '',
  reason_code: place % 2 ? 'LIMIT' : null,
  priority: 3 + 7 * place,
}));
const toSheet = (of: readonly Rule[]) => {
  const rows = of.map((rule, place) => toSheetRow(rule, place, toField(fields)));
  return { rows, columns: listColumns(rows, fields, []) };
};
const readBack = async (lines: string[][], of: readonly Rule[] = rules) => {
  const [sheet] = await readSheets(writeWorkbook('Rules', lines), 1_000_000);
  const given = (sheet?.lines ?? []).map(({ line, cells }) => ({ line, cells: cells.map((one) => String(one ?? '')) }));
  return readWhole(given, toSheet(of), { fields, draft });
};
const linesOf = (of: readonly Rule[]) => {
  const { rows, columns } = toSheet(of);
  return toLines(rows, columns);
};

test('the columns of an empty sheet, those that decide first, keep their places with its first rule [RSH-1]', () => {
  const named = fields.map((each) => ({ ...each, help: '' }));
  const seen = { types: [], values: [], counts: [], has_times: false, distribution: null, by_option: [] };
  const opened = { fields: fields.map(({ path }, information) => ({ ...seen, path, information })), days: [] };
  const likely = listSheetFields(named, [], opened);
  const idsOf = (some: ReturnType<typeof listColumns>) =>
    some.flatMap(({ kind, id }) => (kind === 'field' ? [id] : []));
  const first = idsOf(listColumns([], likely, []));
  expect(first[0]).toBe('ctx.bought');
  const rows = rules.slice(0, 1).map((rule) => toSheetRow(rule, 0, toField(likely)));
  expect(idsOf(listColumns(rows, likely, first)).slice(0, first.length)).toEqual(first);
});

describe('rules as an Excel file', () => {
  test('come back to the letter, code, names of columns and priorities included [END-1]', async () => {
    expect(linesOf(rules)[0]).toEqual([
      'Rule',
      'amount',
      'ctx.customer.tier',
      'ctx["customer.tier"]',
      'opened',
      'ctx.Reason',
      'bought',
      'unknown',
      'Reason',
      'Then',
      'Code',
    ]);
    const read = await readBack(linesOf(rules));
    expect(read.problems).toEqual([]);
    expect(replaceRules(rules, read.rules)).toEqual(rules);
  });

  test('decide the same where they are new: only tests that change nothing are gone [END-1]', async () => {
    const { rules: read, problems } = await readBack(linesOf(rules), [...rules.slice(5, 6)]);
    expect(problems).toEqual([]);
    expect(read.map(({ condition }) => condition)).toEqual([
      conditions[0],
      'ctx.amount >= 50 && ctx.amount <= 200',
      conditions[2],
      // The sheet says `mentions`, which ignores case in every language.
      'ctx.opened == true && ctx.Reason.foldCase().contains("law & <order>")',
      conditions[4],
      conditions[5],
      'ctx.amount < 5 && ctx.bought >= "2026-03-01"',
    ]);
    expect(replaceRules([], read).map(({ priority }) => priority)).toEqual([10, 20, 30, 40, 50, 60, 70]);
  });

  test('are refused by the names of their cells [END-1]', async () => {
    const lines = linesOf(rules.slice(0, 5));
    const change = (line: number, column: string, text: string) => {
      const cells = lines[line - 1];
      const at = lines[0]?.indexOf(column) ?? -1;
      if (cells && at >= 0) cells[at] = text;
    };
    change(2, 'amount', '> much');
    change(3, 'Rule', rules[0]?.name ?? '');
    change(4, 'Then', 'refuse');
    change(6, 'amount', '7');
    const { problems } = await readBack(lines);
    expect(problems.map((problem) => problem.slice(0, 45))).toEqual([
      'B2: “much” is not a number. Write for example',
      'H4: “refuse” is no option. There are: approve',
      'I6: This line has cells and code. Keep one of',
    ]);
    change(2, 'amount', '> 5');
    expect((await readBack(lines)).problems[0]).toMatch(/^A3: Another rule is named/);
  });
});

describe('lines pasted from a spreadsheet', () => {
  const paste = (...lines: string[][]) =>
    readPasted(
      lines.map((cells, at) => ({ line: at + 1, cells })),
      { fields, draft },
    );

  test('name the columns in their first line, or are a block of cells [RSH-6]', () => {
    const toGiven = (lines: string[][]) => lines.map((cells, at) => ({ line: at + 1, cells }));
    const [head = [], ...block] = linesOf(rules);
    expect(namesColumns(toGiven([head, ...block]), { fields, draft })).toBe(true);
    expect(
      namesColumns(
        toGiven([
          ['amount', 'resultado'],
          ['7', 'deny'],
        ]),
        { fields, draft },
      ),
    ).toBe(true);
    expect(namesColumns(toGiven(block), { fields, draft })).toBe(false);
    expect(namesColumns(toGiven([head]), { fields, draft })).toBe(false);
    expect(paste(['> 5', 'ja', 'deny']).problems[0]).toContain('The first line must name the columns');
  });

  test('are told apart: how many make rules, how many do not and why [RSH-6]', () => {
    const read = paste(
      ['amount', 'opened', 'Then'],
      ['> 5', 'ja', 'deny'],
      ['> much', '', 'deny'],
      ['', '', ''],
      ['7', '', 'no'],
    );
    expect(read.rules.map(({ condition }) => condition)).toEqual(['ctx.amount > 5 && ctx.opened == true']);
    expect([read.skipped, read.problems.map((problem) => problem.slice(0, 14))]).toEqual([
      2,
      ['Line 3, amount', 'Line 5, Then: '],
    ]);
  });

  test('name the outcome as people call it, or by its options [RSH-6]', () => {
    for (const name of ['Ergebnis', 'Dann', 'Outcome', 'resultado'])
      expect(paste(['amount', name], ['200-400', 'Deny'])).toMatchObject({
        rules: [{ condition: 'ctx.amount >= 200 && ctx.amount <= 400', then: 'deny' }],
        problems: [],
      });
    const unclear = paste(['amount', 'a', 'b'], ['7', 'deny', 'approve']);
    expect([unclear.rules, unclear.skipped, unclear.problems[0]]).toEqual([[], 1, expect.stringContaining('“Then”')]);
  });
});

describe('a block of cells', () => {
  const plain = ['one', 'two', 'three'].map((name, place) => ({
    name,
    condition: `ctx.amount > ${place}`,
    then: 'deny',
    reason_code: null,
    priority: place,
  }));
  const write = (top: number, left: number, lines: string[][], bottom = top) => {
    const given = lines.map((cells, at) => ({ line: at + 1, cells }));
    return writeCells(layLines(given, { top, bottom, left, right: left }), toSheet(plain), plain, draft);
  };
  const changed = (written: ReturnType<typeof write>) =>
    'rules' in written ? written.rules.map(({ name, condition, then }) => [name, condition, then]) : written.problem;

  test('is written as if it were typed cell by cell, also where names change places [RSH-16]', () => {
    expect(
      changed(
        write(0, 0, [
          ['two', '<= 5'],
          ['one', ''],
        ]),
      ),
    ).toEqual([
      ['two', 'ctx.amount <= 5', 'deny'],
      ['one', '', 'deny'],
      ['three', 'ctx.amount > 2', 'deny'],
    ]);
    expect(changed(write(0, 1, [['7']], 2))).toEqual(plain.map(({ name }) => [name, 'ctx.amount == 7', 'deny']));
    expect(
      changed(
        write(2, 0, [
          ['three', '7'],
          ['', '8'],
        ]),
      ),
    ).toEqual([
      ...plain.slice(0, 2).map(({ name, condition }) => [name, condition, 'deny']),
      ['three', 'ctx.amount == 7', 'deny'],
      // A new rule waits for its answer: nobody chose one.
      ['rule 4', 'ctx.amount == 8', ''],
    ]);
  });

  test('is refused by the place of a cell that cannot be read, whole [RSH-16]', () => {
    expect(
      changed(
        write(1, 0, [
          ['new', '5'],
          ['one', '6'],
        ]),
      ),
    ).toMatch(/^Row 3, Rule: Another rule is named “one”\./);
    expect(changed(write(0, 1, [['5'], ['> much']]))).toMatch(
      /^Row 2, amount: “much” is not a number.* Nothing was changed\.$/,
    );
    expect(changed(write(0, 3, [['deny', 'more']]))).toMatch(
      /^Row 1, to the right of the sheet: There is no such column\./,
    );
  });
});
