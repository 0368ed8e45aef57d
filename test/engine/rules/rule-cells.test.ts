/** The cells of the sheet of rules: what is typed, the condition it stands for, and what that decides. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/engine/json.ts';
import { type CellField, putCell, readCell, toCells, writeCell } from '../../../src/engine/rules/analysis/cells.ts';
import { toCondition } from '../../../src/engine/rules/analysis/table.ts';
import { describeCondition } from '../../../src/engine/rules/analysis/words.ts';
import { compileRules } from '../../../src/engine/rules/compile.ts';
import { isSameSubject, nameSubject, type Subject } from '../../../src/engine/rules/days.ts';
import { createRandom, type Random } from './rules-fuzz.ts';

const amount: CellField = { path: ['amount'], type: 'number' };
const tier: CellField = { path: ['customer', 'tier'], type: 'text' };
const opened: CellField = { path: ['opened'], type: 'bool' };
const mixed: CellField = { path: ['a b'], type: 'any' };

function conditionOf(text: string, field: CellField): string {
  const put = putCell('', field, text);
  if ('problem' in put) throw new Error(`${text}: ${put.problem}`);
  return put.condition;
}
const problemOf = (text: string, field: CellField) => {
  const read = readCell(text, field);
  return 'problem' in read ? read.problem : null;
};

function decides(condition: string, value: Json | undefined): boolean {
  const rule = { name: 'r', condition, then: 'yes', reason_code: null, priority: 1 };
  const compiled = compileRules([rule], { options: ['yes', 'no'], reason_codes: [] });
  if (!compiled.ok) throw new Error(`${condition}: ${compiled.problems[0]?.message}`);
  return compiled.value.evaluate(value === undefined ? {} : { field: value }, false).matched !== null;
}

/** A cell by chance, with what it should be true of: written down here once more, without the rules language. */
type Sample = { text: string; type: CellField['type']; holds(value: Json | undefined): boolean };

const texts = [
  'basic',
  'pro',
  'a, b',
  'not basic',
  'empty',
  'any',
  '> 5',
  '7',
  'x "y"',
  'mentions z',
  ' s ',
  'yes',
  '1,5',
  'ß',
  'Ärger',
  'is a\u0308',
];
const numbers = [-3, 0, 0.5, 7, 7.25, 50, 1e6, 1e21];
const quote = (text: string) => JSON.stringify(text);
const isNothing = (value: Json | undefined) => value === undefined || value === null || value === '';

function sampleNumber(random: Random): Sample {
  const [a, b] = [random.pick(numbers), random.pick(numbers)].sort((x, y) => x - y) as [number, number];
  const isNumber = (value: Json | undefined): value is number => typeof value === 'number';
  return random.pick<Sample>([
    { text: `> ${a}`, type: 'number', holds: (value) => isNumber(value) && value > a },
    { text: `<=${a}`, type: 'any', holds: (value) => isNumber(value) && value <= a },
    { text: `≥ ${a}`, type: 'number', holds: (value) => isNumber(value) && value >= a },
    { text: `${a} .. ${b}`, type: 'number', holds: (value) => isNumber(value) && value >= a && value <= b },
    { text: `between ${a} and ${b}`, type: 'any', holds: (value) => isNumber(value) && value >= a && value <= b },
    { text: `> ${a} and < ${b}`, type: 'number', holds: (value) => isNumber(value) && value > a && value < b },
    { text: `${a}, ${b}`, type: 'number', holds: (value) => value === a || value === b },
    { text: `not ${a}`, type: 'number', holds: (value) => value !== undefined && value !== a },
  ]);
}

function sampleText(random: Random): Sample {
  const [a, b] = [random.pick(texts), random.pick(texts)];
  const isText = (value: Json | undefined): value is string => typeof value === 'string';
  const lowered = (value: string) => value.normalize('NFC').toLowerCase().replaceAll('ß', 'ss');
  return random.pick<Sample>([
    { text: quote(a), type: random.pick(['text', 'any']), holds: (value) => value === a },
    { text: `${quote(a)}, ${quote(b)}`, type: 'text', holds: (value) => value === a || value === b },
    {
      text: `not ${quote(a)}, ${quote(b)}`,
      type: 'text',
      holds: (value) => value !== undefined && value !== a && value !== b,
    },
    {
      text: `mentions ${quote(a)}, ${quote(b)}`,
      type: 'text',
      holds: (value) => isText(value) && [a, b].some((one) => lowered(value).includes(lowered(one))),
    },
    {
      text: `is ${quote(a)}, ${quote(b)}`,
      type: 'any',
      holds: (value) => isText(value) && [a, b].some((one) => lowered(value) === lowered(one)),
    },
    { text: `contains ${quote(a)}`, type: 'any', holds: (value) => isText(value) && value.includes(a) },
    { text: `starts with ${quote(a)}`, type: 'text', holds: (value) => isText(value) && value.startsWith(a) },
    { text: `ends with ${quote(a)}`, type: 'text', holds: (value) => isText(value) && value.endsWith(a) },
    { text: 'empty', type: 'text', holds: isNothing },
    { text: 'not empty', type: 'number', holds: (value) => !isNothing(value) },
    { text: 'given', type: 'bool', holds: (value) => value !== undefined },
    { text: 'not given', type: 'text', holds: (value) => value === undefined },
    { text: 'yes', type: 'bool', holds: (value) => value === true },
    { text: 'not yes', type: 'bool', holds: (value) => value !== undefined && value !== true },
  ]);
}

describe('a cell of the sheet of rules', () => {
  it('becomes a condition that decides as it says, and is written again so that it is read as the same [RSH-1]', () => {
    const random = createRandom(7);
    const values: (Json | undefined)[] = [
      ...texts,
      ...numbers,
      ...texts.map((text) => `A ${text.toUpperCase()}.`),
      true,
      false,
      null,
      '',
      undefined,
    ];
    for (let i = 0; i < 300; i++) {
      const { text, type, holds } = random.chance(0.5) ? sampleNumber(random) : sampleText(random);
      const field: CellField = { path: ['field'], type };
      const condition = conditionOf(text, field);
      for (const value of values) expect([text, value, decides(condition, value)]).toEqual([text, value, holds(value)]);
      const [cell, ...others] = toCells(condition, () => field) ?? [];
      expect(others).toEqual([]);
      expect(cell, condition).toBeDefined();
      expect(conditionOf(cell?.text ?? '', field), cell?.text).toBe(condition);
    }
  });

  it('is typed as people write numbers, values, words and dates [RSH-1]', () => {
    expect(conditionOf('> 250,50', amount)).toBe('ctx.amount > 250.5');
    expect(conditionOf('50..200', amount)).toBe('ctx.amount >= 50 && ctx.amount <= 200');
    expect(conditionOf('1, 2', amount)).toBe('ctx.amount in [1, 2]');
    expect(conditionOf('basic, pro', tier)).toBe('ctx.customer.tier in ["basic", "pro"]');
    expect(conditionOf('not basic', tier)).toBe('ctx.customer.tier != "basic"');
    expect(conditionOf('7', tier)).toBe('ctx.customer.tier == "7"');
    expect(conditionOf('Mentions Refund, money back', tier)).toBe(
      'ctx.customer.tier.foldCase().contains("refund") || ctx.customer.tier.foldCase().contains("money back")',
    );
    expect(conditionOf('is Gold', tier)).toBe('ctx.customer.tier.foldCase() == "gold"');
    expect(conditionOf('is Gold, Été', tier)).toBe('ctx.customer.tier.foldCase() in ["gold", "été"]');
    expect(conditionOf('no', opened)).toBe('ctx.opened == false');
    expect(conditionOf('7', mixed)).toBe('ctx["a b"] == 7');
    expect(conditionOf('> 01.06.2017', tier)).toBe('ctx.customer.tier > "2017-06-01"');
    expect(conditionOf('2017-06-01 .. 30.06.2017', tier)).toBe(
      'ctx.customer.tier >= "2017-06-01" && ctx.customer.tier <= "2017-06-30"',
    );
    expect(conditionOf(' any ', tier)).toBe('');
  });

  it('that cannot be meant is refused with what to write instead [RSH-2]', () => {
    expect(problemOf('matches("^a")', amount)).toContain('the rule as code: ctx.amount.matches("^a")');
    expect(problemOf('> abc', amount)).toContain('“abc” is not a number. Write for example > 100');
    expect(problemOf('> 1.250,50', amount)).toContain('without separators of thousands');
    for (const cell of ['> 1,000', '> 1.000', '2.500'])
      expect(problemOf(cell, amount)).toContain('without separators of thousands');
    expect(problemOf('200 .. 50', amount)).toContain('write the smaller one first');
    expect(problemOf('maybe', opened)).toContain('Use yes or no instead of');
    expect(problemOf('> 31.02.2017', tier)).toContain('dates such as 2026-01-31');
    expect(problemOf('mentions x', amount)).toContain('no word can stand');
    expect(problemOf('31.01.2026', tier)).toContain('Write 2026-01-31, or "31.01.2026" for the text itself.');
    expect(conditionOf('"31.01.2026"', tier)).toBe('ctx.customer.tier == "31.01.2026"');
    expect(problemOf('not', { path: ['tags'], type: 'list' })).toContain('or the rule as code');
    expect(problemOf(',', tier)).toContain('A value is missing');
  });
});

describe('words in any language [RSH-14]', () => {
  it.each([
    ['mentions Ärger', ['großer A\u0308rger', 'nur ärger damit', 'ÄRGER!'], ['alles gut']],
    ['mentions A\u0308rger', ['großer Ärger'], ['Arger']],
    ['mentions ÉTÉ, Refund', ['cet été', 'Été 2024', 'REFUND'], ['hiver']],
    ['mentions Возврат', ['возврат денег', 'ВОЗВРАТ', 'Возврат'], ['обмен']],
    ['mentions straße', ['STRASSE', 'Straße'], ['Strasze']],
    ['mentions iade', ['İADE', 'IADE', 'iade'], ['ade']],
    ['is οδός', ['ΟΔΌΣ', 'Οδός'], ['οδός 1']],
  ])('%s finds them whatever their case and however accents are stored', (typed, found, others) => {
    const field: CellField = { path: ['field'], type: 'text' };
    const condition = conditionOf(typed, field);
    expect(found.map((text) => [text, decides(condition, text)])).toEqual(found.map((text) => [text, true]));
    expect(others.map((text) => [text, decides(condition, text)])).toEqual(others.map((text) => [text, false]));
  });
});

describe('what people bring from other tables [RSH-13]', () => {
  it.each<[string, CellField['type'], string]>([
    ['not("a","b")', 'text', '!(ctx.f in ["a", "b"])'],
    ['not(a, b)', 'text', '!(ctx.f in ["a", "b"])'],
    ['not(1)', 'number', 'ctx.f != 1'],
    ['["a", "b"]', 'text', 'ctx.f in ["a", "b"]'],
    ['in (a, b)', 'text', 'ctx.f in ["a", "b"]'],
    ['[2025-01-01..2025-12-31]', 'text', 'ctx.f >= "2025-01-01" && ctx.f <= "2025-12-31"'],
    ['[date("2025-01-01")..date("2025-12-31")[', 'text', 'ctx.f >= "2025-01-01" && ctx.f < "2025-12-31"'],
    ['< date("2025-01-01")', 'text', 'ctx.f < "2025-01-01"'],
    [']1..5]', 'number', 'ctx.f > 1 && ctx.f <= 5'],
    ['(1..5)', 'any', 'ctx.f > 1 && ctx.f < 5'],
    ['contains(?, "x")', 'text', 'ctx.f.contains("x")'],
    ['? >= 3', 'number', 'ctx.f >= 3'],
    ['“basic”', 'text', 'ctx.f == "basic"'],
    ['„a, b“, «c»', 'text', 'ctx.f in ["a, b", "c"]'],
    ["'basic'", 'text', 'ctx.f == "basic"'],
    ['null', 'text', '!has(ctx.f) || ctx.f in [null, ""]'],
    ['not(null)', 'number', 'has(ctx.f) && !(ctx.f in [null, ""])'],
    ['ja', 'bool', 'ctx.f == true'],
    ['leer', 'text', '!has(ctx.f) || ctx.f in [null, ""]'],
    ['Nicht leer', 'text', 'has(ctx.f) && !(ctx.f in [null, ""])'],
    ['"leer"', 'text', 'ctx.f == "leer"'],
    ['Nein', 'bool', 'ctx.f == false'],
    ['non', 'bool', 'ctx.f == false'],
    ['200-400', 'number', 'ctx.f >= 200 && ctx.f <= 400'],
    ['200 – 400', 'number', 'ctx.f >= 200 && ctx.f <= 400'],
    ['200 bis 400,5', 'number', 'ctx.f >= 200 && ctx.f <= 400.5'],
    ['zwischen 10 und 20', 'number', 'ctx.f >= 10 && ctx.f <= 20'],
    ['zwischen 01.06.2017 und 30.06.2017', 'text', 'ctx.f >= "2017-06-01" && ctx.f <= "2017-06-30"'],
    // What looks alike and is a value stays one.
    ['200-400', 'text', 'ctx.f == "200-400"'],
    ['"-"', 'text', 'ctx.f == "-"'],
    ['"null"', 'text', 'ctx.f == "null"'],
    ['"“basic”"', 'text', 'ctx.f == "“basic”"'],
    ['in stock', 'text', 'ctx.f == "in stock"'],
    ["it's", 'text', 'ctx.f == "it\'s"'],
    ['-5', 'number', 'ctx.f == -5'],
  ])('%s in a column of %s', (typed, type, condition) => {
    const field: CellField = { path: ['f'], type };
    expect(conditionOf(typed, field)).toBe(condition);
    const [cell] = toCells(condition, () => field) ?? [];
    expect(conditionOf(cell?.text ?? '', field)).toBe(condition);
  });

  it.each<[string, CellField['type'], string]>([
    ['-', 'text', 'Write any, or clear the cell, for any value; for the text itself write "-".'],
    ['–', 'number', 'Write any, or clear the cell'],
    ['not [1..5]', 'text', 'write < 10 here, and > 20 in a rule of its own'],
    ['not > 5', 'number', 'write < 10 here, and > 20 in a rule of its own'],
    ['"a" or "b"', 'text', 'with commas between them: "a", "b"'],
    ['[a..c]', 'text', 'only numbers and dates such as 2026-01-31 have a size'],
    ['ja', 'number', 'Write for example > 100'],
    ['vielleicht', 'bool', 'Use yes or no instead of'],
  ])('%s in a column of %s is refused with what to write', (typed, type, problem) => {
    expect(problemOf(typed, { path: ['f'], type })).toContain(problem);
  });
});

describe('a rule as a row of cells', () => {
  const fields = [amount, tier, opened, mixed];
  const toField = (subject: Subject) =>
    fields.find((field) => isSameSubject(field, subject)) ?? { ...subject, type: 'any' as const };
  const row = (condition: string) =>
    toCells(condition, toField)?.map(({ field, text }) => `${nameSubject(field)}: ${text}`) ?? null;

  it('shows each field once, whatever the order of its tests, and nothing that only guards against gaps [RSH-1]', () => {
    expect(
      row('ctx.amount >= 50 && ctx.customer.tier in ["basic", "a, b"] && !ctx.opened && ctx.amount <= 200'),
    ).toEqual(['amount: 50 .. 200', 'customer.tier: basic, "a, b"', 'opened: no']);
    expect(
      row(
        'has(ctx.customer) && has(ctx.customer.tier) && ctx.customer.tier != null && ctx.customer.tier.lowerAscii().contains("x")',
      ),
    ).toEqual(['customer.tier: mentions x']);
    expect(row('has(ctx.amount) && !(ctx.amount in [null, ""])')).toEqual(['amount: not empty']);
    expect(row('["a", "b"].exists(word, ctx.customer.tier.lowerAscii().contains(word))')).toEqual([
      'customer.tier: mentions a, b',
    ]);
    expect(row('["a", "b"].exists(word, ctx.customer.tier.contains(ctx.x))')).toBeNull();
    // These letters it looks for in vain: it is no mention.
    expect(row('ctx.customer.tier.lowerAscii().contains("Ärger")')).toBeNull();
    expect(row('')).toEqual([]);
  });

  it('does not fit where it is more than tests of single fields [RSH-3]', () => {
    const others = [
      'ctx.amount > 1 || ctx.opened',
      'ctx.amount > ctx.limit',
      'ctx.amount > 1 // why',
      'ctx.amount == "x" && ctx.amount > 1',
      'ctx.tags.exists(t, t == "x")',
      'ctx.customer.tier > "m"',
      'true',
    ];
    expect(others.map(row)).toEqual(others.map(() => null));
    expect(putCell('ctx.amount > 1 || ctx.opened', amount, '> 2')).toHaveProperty('problem');
  });

  it('keeps everything else in its place when a cell changes [RSH-1]', () => {
    const condition = 'has(ctx.customer) && ctx.amount > 50 && ctx.opened';
    expect(putCell(condition, amount, '1 .. 2')).toEqual({
      condition: 'has(ctx.customer) && ctx.amount >= 1 && ctx.amount <= 2 && ctx.opened == true',
    });
    expect(putCell(condition, amount, '')).toEqual({ condition: 'has(ctx.customer) && ctx.opened == true' });
    expect(putCell(condition, tier, 'mentions a, b')).toEqual({
      condition:
        'has(ctx.customer) && ctx.amount > 50 && ctx.opened == true && (ctx.customer.tier.foldCase().contains("a") || ctx.customer.tier.foldCase().contains("b"))',
    });
  });

  it('has a cell for the days between two dates, which decides at every door as any condition does [FEA-10]', () => {
    const [until, since] = [
      { path: ['Gemeldet am'], hasTime: true },
      { path: ['Schadentag'], hasTime: false },
    ];
    const late: CellField = { path: until.path, days: { until, since }, type: 'number' };
    const condition = conditionOf('> 14', late);
    expect(condition).toBe(
      'timestamp(ctx["Gemeldet am"]) - timestamp(ctx.Schadentag + "T00:00:00Z") > duration("336h")',
    );
    expect(row(`ctx.amount > 5 && ${condition}`)).toEqual(['amount: > 5', 'Gemeldet am − Schadentag, days: > 14']);
    expect(row(conditionOf('0 .. 7', late))).toEqual(['Gemeldet am − Schadentag, days: 0 .. 7']);
    expect(describeCondition(condition)).toBe('Gemeldet am − Schadentag, days is over 14');
    const rule = { name: 'late', condition, then: 'yes', reason_code: null, priority: 1 };
    const compiled = compileRules([rule], { options: ['yes', 'no'], reason_codes: [] });
    if (!compiled.ok) throw new Error('The condition does not compile.');
    const reported = ['2024-03-15T00:00:00Z', '2024-03-15T00:01:00Z'].map((at) => ({
      'Gemeldet am': at,
      Schadentag: '2024-03-01',
    }));
    expect(reported.map((input) => compiled.value.evaluate(input, false).matched?.name)).toEqual([undefined, 'late']);
    for (const text of ['14', 'empty', '> 1.5', 'mentions x'])
      expect(problemOf(text, late)).toBe('Write whole days, such as > 14 or 0 .. 7.');
  });

  it('is said in words [RSH-5]', () => {
    expect(describeCondition('ctx.amount > 5 && !ctx.opened && !(ctx.customer.tier in ["a", "b"])')).toBe(
      'amount is over 5 and opened is false and customer.tier is none of "a", "b"',
    );
    expect(describeCondition('ctx.tier.foldCase() in ["gold", "été"]')).toBe('tier is (ignoring case) "gold" or "été"');
    expect(describeCondition('ctx.a || ctx.b')).toBeNull();
  });

  it('names a list of the type, in code and in words, and a text that only looks so is quoted [RUL-13]', () => {
    for (const typed of ['in lists.eu', 'lists.eu', ' In lists.eu '])
      expect(conditionOf(typed, tier)).toBe('ctx.customer.tier in lists.eu');
    expect(conditionOf('not lists.eu', amount)).toBe('!(ctx.amount in lists.eu)');
    const condition = 'ctx.customer.tier in lists.eu && !(ctx.amount in lists.odd)';
    expect(row(condition)).toEqual(['customer.tier: in lists.eu', 'amount: not in lists.odd']);
    expect(describeCondition(condition)).toBe('customer.tier is in the list eu and amount is not in the list odd');
    expect(row('ctx.customer.tier == "lists.eu"')).toEqual(['customer.tier: "lists.eu"']);
  });

  it('has no text for tests that no cell is read as', () => {
    expect(writeCell([{ path: ['x'], test: '==', value: null }], mixed)).toBeNull();
    expect(toCondition([])).toBe('');
  });
});
