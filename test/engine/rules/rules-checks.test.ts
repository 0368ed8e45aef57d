import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { findCompletions, findHover, formatCondition } from '../../../src/engine/rules/analysis/editor.ts';
import { listSchemaFields } from '../../../src/engine/rules/analysis/fields.ts';
import { type ImpactRow, startComparison, startImpact } from '../../../src/engine/rules/analysis/impact.ts';
import { lintRules } from '../../../src/engine/rules/analysis/lint.ts';
import { surveyFields, toKnownFields } from '../../../src/engine/rules/analysis/survey.ts';
import { type TableRow, toCondition, toTable } from '../../../src/engine/rules/analysis/table.ts';
import { compileRules } from '../../../src/engine/rules/compile.ts';
import { parseCondition } from '../../../src/engine/rules/parsing/parse.ts';
import { printTree } from '../../../src/engine/rules/parsing/print.ts';
import { createRandom, randomCondition, randomInput } from './rules-fuzz.ts';

type Short = [condition: string, then?: string, priority?: number];

function rules(...list: Short[]) {
  const given = list.map(
    ([condition, then = 'decline', priority = 10], i): Rule => ({
      name: `r${i}`,
      condition,
      then,
      reason_code: null,
      priority,
    }),
  );
  const result = compileRules(given, { options: ['approve', 'decline'], reason_codes: [] });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

function findings(schema: JsonObject | null, ...list: Short[]) {
  return lintRules(rules(...list).file.rules, schema).map((finding) => [finding.kind, finding.rule, finding.other]);
}

function impactOn(rows: ImpactRow[], ...list: Short[]) {
  const started = startImpact(rules(...list));
  for (const row of rows) started.add(row);
  return started.impact;
}

/** Kind, rule, other, basis and the examples that show it. */
function findingsOn(inputs: JsonObject[], ...list: Short[]) {
  const rows = inputs.map((input, i) => ({ id: `${i}`, input, decision: null }));
  const evidence = { fields: [], impact: impactOn(rows, ...list) };
  return lintRules(rules(...list).file.rules, null, evidence).map(({ kind, rule, other, basis, shown_by }) => [
    kind,
    rule,
    other,
    basis,
    shown_by?.rows ?? null,
  ]);
}

/** Findings about rules on examples, whose fields are known by them. */
function lintOn(inputs: JsonObject[], ...list: Short[]) {
  const survey = surveyFields();
  for (const input of inputs) survey.add(input);
  const rows = inputs.map((input, i) => ({ id: `${i}`, input, decision: null }));
  const evidence = { fields: toKnownFields(survey.fields()), impact: impactOn(rows, ...list) };
  return lintRules(rules(...list).file.rules, null, evidence);
}

const schema: JsonObject = {
  type: 'object',
  properties: {
    amount: { type: 'number', minimum: 0, maximum: 1000, description: 'What is asked for.' },
    state: { type: 'string', enum: ['CA', 'NY'] },
    consumer: { type: 'object', properties: { age: { type: 'integer' }, tags: { type: 'array' } } },
  },
};

describe('checking rules against one another', () => {
  it.each<[string, Short[], unknown[]]>([
    ['a rule behind a wider one is never reached', [['ctx.a > 10'], ['ctx.a > 20']], [['never_reached', 1, 0]]],
    ['the bound itself counts', [['ctx.a > 10'], ['ctx.a >= 10']], []],
    ['values inside a list', [['ctx.s in ["x", "y"]'], ['ctx.s == "x"']], [['never_reached', 1, 0]]],
    [
      'alternatives are covered one by one',
      [['ctx.a > 5 || ctx.b'], ['ctx.a > 6'], ['ctx.b && ctx.c']],
      [
        ['never_reached', 1, 0],
        ['never_reached', 2, 0],
      ],
    ],
    [
      'what is not understood must be the same',
      [['ctx.s.contains(ctx.x)'], ['ctx.s.contains(ctx.x) && ctx.a > 1'], ['ctx.s.contains(ctx.y)']],
      [['never_reached', 1, 0]],
    ],
    ['bounds that leave nothing', [['ctx.a > 10 && ctx.a < 5']], [['never_true', 0, null]]],
    ['two values at once', [['ctx.s == "x" && ctx.s == "y"']], [['never_true', 0, null]]],
    ['a thing and its opposite', [['ctx.s.contains("x") && !ctx.s.contains("x")']], [['never_true', 0, null]]],
    ['constants are worked out', [['1 + 1 == 2 || ctx.a > 1']], [['always_true', 0, null]]],
    [
      'several rules cover one together',
      [['ctx.a > 10'], ['ctx.s == "x"'], ['ctx.a > 20 || ctx.s == "x"']],
      [['never_reached', 2, null]],
    ],
    ['a field that is compared is there', [['has(ctx.a)'], ['ctx.a > 1']], [['never_reached', 1, 0]]],
    ['a field that is compared is not missing', [['!has(ctx.a) && ctx.a > 1']], [['never_true', 0, null]]],
    ['a field with fields below it is no number', [['ctx.a > 1 && ctx.a.b == 2']], [['never_true', 0, null]]],
    ['a choice is its two ways', [['ctx.a > 1'], ['ctx.b ? ctx.a > 2 : ctx.a > 3']], [['never_reached', 1, 0]]],
  ])('%s', (_, list, expected) => {
    expect(findings(null, ...list)).toEqual(expected);
  });

  it('knows from the schema what can never be, and which field was meant', () => {
    expect(findings(schema, ['ctx.amount > 1000'])).toEqual([['never_true', 0, null]]);
    expect(findings(schema, ['ctx.state == "TX"'])).toEqual([['never_true', 0, null]]);
    expect(findings(schema, ['ctx.state == "CA" && ctx.amount >= 1000'])).toEqual([]);
    const [finding] = lintRules(rules(['ctx.consumer.agee > 3']).file.rules, schema);
    expect(finding).toMatchObject({
      kind: 'field',
      message: 'Unknown field: ctx.consumer.agee.',
      suggestion: 'Did you mean ctx.consumer.age?',
      at: [0, 17],
    });
    expect(lintRules(rules(['ctx.amount == "3"']).file.rules, schema)[0]?.message).toBe(
      'A number never equals a string.',
    );
  });

  it('says where a date is compared letter by letter, and how to write it [RSH-11]', () => {
    const told = (condition: string) =>
      lintRules(rules([condition]).file.rules, null).map(({ kind, severity, message, suggestion, at }) => [
        `${kind} ${severity}`,
        message,
        suggestion,
        at,
      ]);
    const told2017 = [
      'field warning',
      '"01.06.2017" is compared letter by letter, not as a date.',
      'Write the year first, as the inputs must, too: "2017-06-01".',
    ];
    expect(told('ctx["Anreise am"] > "01.06.2017"')).toEqual([[...told2017, [20, 32]]]);
    expect(told('ctx.vip && "01.06.2017" <= ctx.am')).toEqual([[...told2017, [11, 23]]]);
    expect(told('ctx.am < "6/1/2017"')[0]?.[2]).toBe('Write the year first, as the inputs must, too: "2026-12-31".');
    expect(told('ctx.am > "2017-06-01" && ctx.am != "01.06.2017" && ctx.version < "1.2.3"')).toEqual([]);
    expect(told('ctx.am > "2024-3-15"')[0]?.[2]).toBe('Write the year first, as the inputs must, too: "2024-03-15".');
    expect(told('ctx.am in ["2024-02-29", "2024-02-30"]')).toEqual([
      ['field warning', '"2024-02-30" is no day of the calendar.', 'Write a day that there is.', [25, 37]],
    ]);
  });

  it.each<[condition: string, kind: string | null, marked?: string, suggestion?: string]>([
    ['ctx.s.lowerAscii() == "Gold"', 'never_true', '"Gold"', 'Write "gold".'],
    ['ctx.s.lowerAscii().contains("Gold")', 'never_true', '"Gold"'],
    ['ctx.s.lowerAscii() in ["gold", "Silver"]', 'never_true', '"Silver"'],
    ['ctx.s.upperAscii().startsWith("de")', 'never_true', '"de"', 'Write "DE".'],
    ['ctx.s.foldCase() == "ÄRGER"', 'never_true', '"ÄRGER"', 'Write "ärger".'],
    ['timestamp(ctx.t).getHours() > 20 && timestamp(ctx.t).getHours() < 6', 'never_true'],
    ['ctx.d > "2024-06-01" && ctx.d < "2024-01-01"', 'never_true'],
    ['ctx.d >= "a" && ctx.d <= "a" && ctx.d != "a"', 'never_true'],
    ['ctx.d > "a" && ctx.d > 3', 'never_true'],
    ['ctx.a != "x" || ctx.a != "y"', 'always_true'],
    ['ctx.s.lowerAscii().contains("ärger")', 'ascii_only', '"ärger"', 'Write ctx.s.foldCase() and "ärger".'],
    ['ctx.a + ctx.b == 0.3', 'loses_digits', 'ctx.a + ctx.b == 0.3', 'Write abs(ctx.a + ctx.b - 0.3) < 0.001.'],
    ['ctx.a * 1.19 != ctx.b', 'loses_digits'],
    ['timestamp("2024-03-15") < timestamp(ctx.t)', 'always_fails', 'timestamp("2024-03-15")'],
    ['ctx.s.lowerAscii().indexOf("Gold") >= 0', 'never_true', '"Gold"'],
    ['ctx.s.lowerAscii().matches("Gold")', 'never_true', '"Gold"'],
    ['ctx.a - ctx.b > 3 && ctx.a - ctx.b < 1', 'never_true'],
    [
      String.raw`ctx.s.matches("\\bÄrger")`,
      'ascii_only',
      String.raw`"\\bÄrger"`,
      String.raw`Write (^|\P{L}) before the word and (\P{L}|$) behind it.`,
    ],
    [String.raw`ctx.s.matches("groß\\b")`, 'ascii_only'],
    [
      'ctx.a * 1.1 in [1.1, 2.2]',
      'loses_digits',
      'ctx.a * 1.1 in [1.1, 2.2]',
      'Write abs(ctx.a * 1.1 - 1.1) < 0.001 || ….',
    ],
    ['abs(ctx.a - 0.1) == 0.3', 'loses_digits'],
    ['round(ctx.x * 100) / 100 == 0.3 && size(ctx.s) / 2 == 2.5', null],
    ['ctx.s.substring(0, 2) == "DE" && ctx.s.charAt(9) == "" && ctx.s.trim().charAt(0) == " "', null],
    ['ctx.s.lowerAscii().matches("(?i)Gold") && type(ctx.a) == string && min(ctx.l) > 5', null],
    ['ctx.s.startsWith("A") && ctx.s.startsWith("Ab") && !ctx.s.startsWith("Abc")', null],
    ['ctx.a - ctx.b > 3 && ctx.a - ctx.b < 7', null],
    [String.raw`ctx.s.matches("\\bgross\\b") || ctx.s.matches("\\\\bÄ")`, null],
    ['ctx.s.lowerAscii() == "gold"', null],
    ['ctx.s.trim().contains(" ") && ctx.s.foldCase().contains("été")', null],
    ['timestamp(ctx.t).getMonth() == 11', null],
    ['timestamp(ctx.t).getHours() >= 23', null],
    ['(timestamp(ctx.t) - timestamp(ctx.u)).getHours() > 48', null],
    ['ctx.d > "2024-01-01" && ctx.d < "2024-06-01"', null],
    ['ctx.a + ctx.b == 3 && ctx.s.indexOf("x") == -1', null],
  ])('knows what a part can give: %s [RUL-16]', (condition, kind, marked, suggestion) => {
    const found = lintRules(rules([condition]).file.rules, null);
    expect(found.map((finding) => finding.kind)).toEqual(kind === null ? [] : [kind]);
    if (marked) expect(condition.slice(...(found[0]?.at ?? [0, 0]))).toBe(marked);
    if (suggestion) expect(found[0]?.suggestion).toBe(suggestion);
  });

  it('compares what functions give, and texts by their order, from rule to rule [RUL-16]', () => {
    expect(findings(null, ['ctx.s.size() > 2'], ['ctx.s.size() > 3'])).toEqual([['never_reached', 1, 0]]);
    expect(findings(null, ['ctx.d >= "2024-01-01"'], ['ctx.d > "2024-05-01"'])).toEqual([['never_reached', 1, 0]]);
    expect(findings(null, ['ctx.d < "2024-01-01"'], ['ctx.d > "2024-05-01"', 'approve'])).toEqual([]);
  });

  it('says how days without a time become timestamps [RUL-16]', () => {
    const inputs = Array.from({ length: 3 }, (_, day) => ({ day: `2024-03-0${day + 1}` }));
    const survey = surveyFields();
    for (const input of inputs) survey.add(input);
    const condition: Short = ['timestamp(ctx.day).getMonth() == 2'];
    const rows = inputs.map((input, i) => ({ id: `${i}`, input, decision: null }));
    const evidence = { fields: toKnownFields(survey.fields()), impact: impactOn(rows, condition) };
    const [finding] = lintRules(rules(condition).file.rules, null, evidence);
    expect(finding?.suggestion).toBe('Its days have no time: write timestamp(ctx.day + "T00:00:00Z").');
  });

  it('points at parts that err whatever the input is', () => {
    const told = (condition: string) =>
      lintRules(rules([condition]).file.rules, null).map(({ kind, message, at }) => [
        kind,
        /: (\w+)\.$/.exec(message)?.[1],
        condition.slice(...(at ?? [0, 0])),
      ]);
    expect(told('ctx.a > 1 / 0 || timestamp("soon") < timestamp(ctx.t)')).toEqual([
      ['always_fails', 'division_by_zero', '1 / 0'],
      ['always_fails', 'bad_value', 'timestamp("soon")'],
    ]);
    expect(told('[1, 2].exists(x, x / 0 == 1)')).toEqual([['always_fails', 'division_by_zero', 'x / 0']]);
    expect(told('ctx.a > 1 && duration("1h30m") > duration("1h")')).toEqual([]);
  });

  it('points at what a part is given where it fails with it on every input [RUL-14]', () => {
    const told = (condition: string) =>
      lintRules(rules([condition]).file.rules, null).map(({ kind, message, at }) => [
        kind,
        /: (\w+)\.$/.exec(message)?.[1],
        condition.slice(...(at ?? [0, 0])),
      ]);
    const failing: [condition: string, error: string, place: string][] = [
      ['timestamp(ctx.t).getHours("Europe/Berlin") >= 9', 'bad_value', '"Europe/Berlin"'],
      ['timestamp(ctx.t).getDayOfWeek("CET") == 0', 'bad_value', '"CET"'],
      ['timestamp(ctx.t).getMinutes("+15:00") == 0', 'bad_value', '"+15:00"'],
      ['ctx.l[-1] == 1', 'index_out_of_range', 'ctx.l[-1]'],
      ['ctx.l[0 - 1] == 1', 'index_out_of_range', 'ctx.l[0 - 1]'],
      ['ctx.l[0.5] == 1', 'bad_value', 'ctx.l[0.5]'],
      ['ctx.s.charAt(-1) == "a"', 'index_out_of_range', '-1'],
      ['ctx.s.substring(3, 1) == "a"', 'index_out_of_range', '1'],
      ['ctx.s.substring(-2) == "a"', 'index_out_of_range', '-2'],
      ['ctx.s.indexOf("a", -1) == 2', 'index_out_of_range', '-1'],
      ['ctx.s.split(",", 1.5) == []', 'bad_value', '1.5'],
      ['ctx.s.replace("a", "b", 0.5) == ""', 'bad_value', '0.5'],
      ['ctx.a / 0 > 1', 'division_by_zero', 'ctx.a / 0'],
      ['ctx.a % 1.5 == 1', 'bad_value', 'ctx.a % 1.5'],
      ['ctx.l.exists(x, x.charAt(-1) == "a")', 'index_out_of_range', '-1'],
    ];
    for (const [condition, error, place] of failing) {
      expect(told(condition)).toEqual([['always_fails', error, place]]);
      const { trace } = rules([condition]).evaluate({ t: '2025-06-01T07:30:00Z', l: ['a'], s: 'a,b', a: 7 }, true);
      expect(trace[0]?.error).toMatch(new RegExp(`^${error}: `));
    }
    for (const condition of [
      'timestamp(ctx.t).getHours("+02:00") == 9',
      'timestamp(ctx.t).getHours("UTC") == 9',
      'timestamp(ctx.t).getHours(ctx.zone) == 9',
      'ctx.l[0] == 1',
      'ctx.m["-1"] == 1',
      'ctx.s.charAt(500) == "a"',
      'ctx.s.substring(1, 3) == "ab"',
      'ctx.s.split(",", -1) == []',
      'ctx.a / 0.5 > 1 && ctx.a % 2 == 1',
    ])
      expect(told(condition)).toEqual([]);
  });

  it('tells of a whole number that loses digits, wherever it stands [RUL-14]', () => {
    const told = (condition: string) =>
      lintRules(rules([condition]).file.rules, null).map(({ kind, message, suggestion, at }) => [
        kind,
        message,
        suggestion,
        condition.slice(...(at ?? [0, 0])),
      ]);
    const lost = [
      'loses_digits',
      '9007199254740993 has more digits than a number keeps: here it is 9007199254740992.',
      'Send ids as texts, and compare with "9007199254740993".',
      '9007199254740993',
    ];
    expect(told('ctx.id == 9007199254740993')).toEqual([lost]);
    expect(told('ctx.id in [1, 9007199254740993]')).toEqual([lost]);
    expect(told('ctx.s == "😀" && ctx.id == 1234567890123456789u')[0]?.[1]).toContain('here it is 1234567890123456768');
    expect(told('ctx.id == -9007199254740993')[0]?.[1]).toContain('here it is -9007199254740992');
    for (const kept of ['9007199254740992', '-9007199254740992', '"9007199254740993"', '0.12345678901234567', '1e300'])
      expect(told(`ctx.id == ${kept}`)).toEqual([]);
  });

  it('knows the values that the schema leaves', () => {
    const of = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
    const whole = of({ n: { type: 'integer', exclusiveMinimum: 2, maximum: 9 } });
    const never = [['never_true', 0, null]];
    expect(findings(whole, ['ctx.n > 3 && ctx.n < 4'])).toEqual(never);
    expect(findings(whole, ['ctx.n == 2'])).toEqual(never);
    expect(findings(whole, ['ctx.n == 9'])).toEqual([]);
    expect(findings(whole, ['!has(ctx.n)'])).toEqual([]);
    expect(findings(of({ n: { type: ['string', 'null'] } }), ['ctx.n > 3'])).toContainEqual(['never_true', 0, null]);
  });

  it('tells by the examples, and says so, what no reasoning finds', () => {
    const inputs = ['a', 'ab', 'abc', 'x'].map((s) => ({ s, n: s.length }));
    expect(findingsOn(inputs, ['ctx.s.startsWith("a")'], ['ctx.s.contains("b")'])).toEqual([
      ['never_reached', 1, 0, 'examples', 2],
    ]);
    expect(findingsOn(inputs, ['ctx.s.size() > 1'], ['ctx.s.contains("b")', 'approve'])).toEqual([
      ['never_reached', 1, 0, 'examples', 2],
      ['overlap', 1, 0, 'examples', 2],
    ]);
    expect(findingsOn(inputs, ['ctx.s.size() > 2'], ['ctx.s.contains("b")', 'approve'])).toEqual([
      ['overlap', 1, 0, 'examples', 1],
    ]);
    expect(findingsOn(inputs, ['ctx.n > 50 || ctx.missing'])).toEqual([['no_example', 0, null, 'examples', 4]]);
  });

  it('tells that a day leaves itself out, or takes itself in, where values have a time', () => {
    const inputs = ['2024-01-30T09:00:00Z', '2024-01-31T15:00:00Z', '2024-02-02T08:00:00Z'].map((at) => ({ at }));
    const tell = (condition: string, rows: JsonObject[] = inputs) =>
      lintOn(rows, [condition]).map(({ message, suggestion }) => [message, suggestion]);
    const left = [
      '2024-01-31 itself is left out: values of ctx.at have a time, and come after the day alone.',
      'Write ctx.at < "2024-02-01".',
    ];
    expect(tell('ctx.at >= "2024-01-01" && ctx.at <= "2024-01-31"')).toEqual([left]);
    expect(tell('"2024-01-31" >= ctx.at')).toEqual([left]);
    expect(tell('ctx.at > "2024-01-31"')[0]?.[1]).toBe('Write ctx.at >= "2024-02-01".');
    expect(tell('ctx.at < "2024-02-01"')).toEqual([]);
    expect(tell('ctx.at <= "2024-01-31"', [{ at: '2024-01-30' }, { at: '2024-02-02' }])).toEqual([]);
    const spaced = inputs.map(({ at }) => ({ at: at.replace('T', ' ').slice(0, 19) }));
    expect(tell('ctx.at <= "2024-01-31"', spaced)).toEqual([left]);
    const stamped = 'timestamp(ctx.at) <= timestamp("2024-01-31T00:00:00Z")';
    expect(tell(stamped)).toEqual([[left[0], 'Write timestamp(ctx.at) < timestamp("2024-02-01T00:00:00Z").']]);
    expect(tell(stamped.replace('00:00:00Z', '12:00:00Z'))).toEqual([]);
  });

  it('tells on how many examples a rule fails that holds on others', () => {
    const inputs = [{ at: '2024-01-30T09:00:00Z' }, { at: '2024-01-31' }, { at: '2024-02-02' }];
    const [found] = lintOn(inputs, ['timestamp(ctx.at) < timestamp("2024-02-01T00:00:00Z")']);
    expect(found).toMatchObject({ kind: 'field', severity: 'info', shown_by: { rows: 2, of: 3 } });
    expect([found?.message, found?.suggestion]).toEqual([
      'It fails on 2 examples, which it does not match.',
      'Its days have no time: write timestamp(ctx.at + "T00:00:00Z").',
    ]);
  });

  it('tells how times without a zone become timestamps, and which texts can be compared alone', () => {
    const tell = (...times: string[]) =>
      lintOn(
        times.map((at) => ({ at })),
        ['timestamp(ctx.at) < timestamp("2024-02-01T00:00:00Z")'],
      ).map(({ suggestion }) => suggestion);
    expect(tell('2024-01-30T09:00:00', '2024-01-31T10:05')).toEqual([
      'Its times have no zone: write timestamp(ctx.at + "Z") for UTC.',
    ]);
    expect(tell('2024-01-30 09:00:00', '2024-01-31 10:05:00')).toEqual([
      'Its times have no zone: compare them as texts, as in ctx.at < "2024-01-30".',
    ]);
  });

  it('says what timestamp() takes where a field has too many values to list', () => {
    const day = (n: number) => new Date(Date.UTC(2024, 0, n)).toISOString().slice(0, 10);
    const inputs = Array.from({ length: 60 }, (_, n) => ({ day: day(n + 1) }));
    const [found] = lintOn(inputs, ['timestamp(ctx.day) < timestamp("2024-03-15T00:00:00Z")']);
    expect(found?.message).toBe('No example matches this rule, and it fails on 60 of them.');
    expect(found?.suggestion).toBe(
      'timestamp(…) takes a day with its time and zone: of days alone write timestamp(ctx.day + "T00:00:00Z"), of times without a zone timestamp(ctx.day + "Z").',
    );
  });

  it('counts the examples that show an exact finding too', () => {
    const inputs = [1, 2, 3, 4].map((n) => ({ n }));
    expect(findingsOn(inputs, ['ctx.n > 1'], ['ctx.n < 4', 'approve'], ['ctx.n > 2'])).toEqual([
      ['overlap', 1, 0, 'examples', 2],
      ['never_reached', 2, 0, 'exact', 2],
    ]);
  });

  it('never calls a rule dead that a random input reaches', () => {
    const random = createRandom(7);
    for (let round = 0; round < 300; round++) {
      const atom = () =>
        `ctx.${random.pick(['a', 'b'])} ${random.pick(['<', '<=', '>', '>=', '==', '!='])} ${random.below(4)}`;
      const part = () =>
        random.chance(0.5)
          ? atom()
          : `(${atom()} ${random.pick(['&&', '||'])} ${random.chance(0.3) ? '!' : ''}(${atom()}))`;
      const set = rules([part()], [part()], [`${part()} && ${part()}`]);
      const dead = lintRules(set.file.rules, null).filter(
        (finding) => finding.kind === 'never_reached' || finding.kind === 'never_true',
      );
      for (let i = 0; i < 30; i++) {
        const input = { a: random.below(9) / 2, b: random.chance(0.2) ? 'x' : random.below(9) / 2 };
        const { matchedIndex } = set.evaluate(input, false);
        expect(
          dead.some((finding) => finding.rule === matchedIndex),
          set.file.rules.map((one) => one.condition).join(' ; '),
        ).toBe(false);
      }
    }
  });
});

describe('the impact of rules on examples', () => {
  const rows = [
    { id: '1', input: { a: 5 }, decision: 'decline' },
    { id: '2', input: { a: 15 }, decision: 'decline' },
    { id: '3', input: { a: 25 }, decision: 'approve' },
    { id: '4', input: {}, decision: null },
  ];

  it('counts first matches, agreement and errors, and lists the rows that disagree', () => {
    const impact = impactOn(rows, ['ctx.a > 20'], ['ctx.a > 10']);
    expect(impact).toMatchObject({ rows: 4, undecided: 2, together: [[], [1]] });
    expect(impact.rules).toEqual([
      {
        name: 'r0',
        holds: 1,
        matched: 1,
        agrees: 0,
        disagrees: 1,
        unlabelled: 0,
        errors: 1,
        disagreeing: [{ id: '3', input: { a: 25 }, expected: 'approve', decided: 'decline' }],
      },
      { name: 'r1', holds: 2, matched: 1, agrees: 1, disagrees: 0, unlabelled: 0, errors: 1, disagreeing: [] },
    ]);
  });

  it('tells which rows another set of rules decides otherwise', () => {
    const compared = startComparison(rules(['ctx.a > 10']), rules(['ctx.a > 20']));
    for (const row of rows) compared.add(row);
    expect(compared.change).toEqual({
      rows: 4,
      changed: 1,
      differing: [{ id: '2', before: { rule: 'r0', then: 'decline' }, after: null }],
    });
  });
});

describe('editing a condition', () => {
  const fields = listSchemaFields(schema);

  it('completes fields, methods that fit, listed values and functions', () => {
    const labels = (source: string) => findCompletions(source, source.length, fields).items.map((item) => item.label);
    expect(labels('ctx.')).toEqual(['amount', 'state', 'consumer']);
    expect(labels('1 > 0 && ctx.consumer.a').slice(0, 2)).toEqual(['age', 'tags']);
    expect(labels('ctx.consumer.tags.')).toEqual(['size', 'join', 'all', 'exists', 'exists_one', 'map', 'filter']);
    expect(labels('ctx.state == ').slice(0, 2)).toEqual(['"CA"', '"NY"']);
    expect(labels('ctx.state == "CA"')).toEqual([]);
    expect(labels('')).toEqual(expect.arrayContaining(['ctx.amount', 'ctx.consumer.age', 'has', 'timestamp']));
    expect(findCompletions('ctx.am > 1', 6, fields)).toMatchObject({ from: 3, to: 6, lead: '.' });
    expect(findCompletions('ctx.a in lists.e', 16, fields, { eu: ['DE', 'FR'] }).items).toEqual([
      { label: 'eu', kind: 'value', insert: '.eu', detail: 'list of 2', help: '"DE", "FR"' },
    ]);
    expect(formatCondition('ctx.a  in lists.eu')).toBe('ctx.a in lists.eu');
  });

  it('completes names that need brackets, and values within quotes up to the closing one', () => {
    const survey = surveyFields();
    survey.add({ 'lead time (days)': 1, kunde: { Straße: 'Am "Markt"', in: 'x' } });
    const known = toKnownFields(survey.fields());
    /** Completes at the bar, by the item of this label. */
    const complete = (marked: string, label: string) => {
      const source = marked.replace('|', '');
      const { from, to, items } = findCompletions(source, marked.indexOf('|'), known);
      const chosen = items.find((item) => item.label === label);
      return chosen && source.slice(0, from) + chosen.insert + source.slice(to);
    };
    expect(complete('ctx.le| > 1', 'lead time (days)')).toBe('ctx["lead time (days)"] > 1');
    expect(complete('ctx["le|"] > 1', 'lead time (days)')).toBe('ctx["lead time (days)"] > 1');
    expect(complete("ctx['kunde'].|", 'in')).toBe(`ctx['kunde']["in"]`);
    expect(complete('ctx.kunde[|', 'Straße')).toBeUndefined();
    expect(complete('ctx.kunde["|', 'Straße')).toBe('ctx.kunde["Straße"]');
    const street = 'ctx.kunde["Straße"] ==';
    expect(complete(`${street} "|" && true`, 'Am "Markt"')).toBe(`${street} "Am \\"Markt\\"" && true`);
    expect(complete(`${street} "Am | && ctx.a == "x"`, 'Am "Markt"')).toBe(
      `${street} "Am \\"Markt\\"" && ctx.a == "x"`,
    );
    expect(findHover(`${street} "x"`, 12, known)?.title).toBe('ctx.kunde["Straße"]: text');
  });

  it('explains fields and functions under the pointer', () => {
    expect(findHover('ctx.amount > 1', 6, fields)).toEqual({
      from: 0,
      to: 10,
      title: 'ctx.amount: number',
      help: 'What is asked for.',
    });
    expect(findHover('ctx.state == "CA"', 5, fields)?.help).toBe('Values: "CA", "NY".');
    expect(findHover('ctx.state.contains("x")', 12, fields)?.title).toBe('contains → bool');
  });

  it('learns fields from inputs', () => {
    const survey = surveyFields();
    survey.add({ a: 1, b: { c: null } });
    survey.add({ a: 'x', b: { c: true } });
    expect(toKnownFields(survey.fields()).map((field) => [field.path.join('.'), field.type])).toEqual([
      ['a', 'any'],
      ['b', 'map'],
      ['b.c', 'bool'],
    ]);
  });

  it('counts the days between two dates that most inputs have, from the earlier one, by label [FEA-10]', () => {
    const survey = surveyFields(['born']);
    const days = [3, 40, 5, 60];
    for (const [at, day] of days.entries()) {
      const reported = new Date(Date.UTC(2024, 0, 1 + day)).toISOString();
      const input = { damaged: '2024-01-01', reported, born: '1980-01-01', paid: at === 0 ? '2024-02-01' : null };
      survey.add(input, day > 14 ? 'expert' : 'pay');
    }
    const [found, ...others] = survey.days();
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      path: ['reported'],
      has_times: true,
      since: { path: ['damaged'], has_times: false },
      values: [3, 40, 5, 60],
    });
    const [likeliest] = [...survey.fields(), ...survey.days()].toSorted((a, b) => b.information - a.information);
    expect(likeliest?.path).toEqual(['reported']);
  });

  it('formats without changing the meaning', () => {
    expect(formatCondition("ctx.a>1&&(ctx.b||  !(ctx.c=='x'))")).toBe('ctx.a > 1 && (ctx.b || !(ctx.c == "x"))');
    expect(formatCondition('ctx.a >')).toBe('ctx.a >');
    const random = createRandom(11);
    const bare = (condition: string) =>
      JSON.stringify(parseCondition(condition).ast, (key, value: unknown) => (key === 'at' ? undefined : value));
    for (let i = 0; i < 500; i++) {
      const condition = randomCondition(random);
      const { ast } = parseCondition(condition);
      if (ast) expect(bare(printTree(ast)), condition).toBe(bare(condition));
    }
    expect(randomInput(random)).toBeTypeOf('object');
  });

  it('takes a slash in a text for no comment, and writes every field name so that it can be read', () => {
    expect(formatCondition('ctx.url=="https://a.b"')).toBe('ctx.url == "https://a.b"');
    expect(formatCondition('ctx.a==1// why')).toBe('ctx.a==1// why');
    expect(formatCondition('(-1).size()>1')).toBe('(-1).size() > 1');
    const random = createRandom(23);
    const names = ['a', 'in', 'true', 'null', 'x y', '__proto__', '//', '"', "it's", '', '😀'];
    const values = ['', '//', 'a"b', '\\', '\u2028', -1.5, 0, 1e300, -(2 ** 63), 5e-324, true, null];
    for (let i = 0; i < 300; i++) {
      const path = Array.from({ length: 1 + random.below(3) }, () => random.pick(names));
      const rows: TableRow[] = [
        { path, test: random.pick(['==', '!=', '<', '>=']), value: random.pick(values) },
        { path, test: random.pick(['present', 'absent']) },
        { path, test: 'in', value: Array.from({ length: random.below(4) }, () => random.pick(values)) },
        { path, test: random.pick(['contains', 'startsWith']), value: [random.pick(names), random.pick(names)] },
        { path, test: 'not in', value: [random.pick(values)] },
        { path, test: random.pick(['empty', 'filled', 'present']) },
      ];
      expect(toTable(toCondition(rows)), toCondition(rows)).toEqual(rows);
      expect(formatCondition(toCondition(rows))).toBe(toCondition(rows));
    }
  });

  it('shows a condition as a table and back', () => {
    const condition = 'ctx.amount >= 10 && ctx["a b"] in ["x", 1, null] && !has(ctx.c.d) && ctx.s.startsWith("q\\"")';
    const rows = toTable(condition);
    expect(rows).toEqual([
      { path: ['amount'], test: '>=', value: 10 },
      { path: ['a b'], test: 'in', value: ['x', 1, null] },
      { path: ['c', 'd'], test: 'absent' },
      { path: ['s'], test: 'startsWith', value: ['q"'] },
    ]);
    expect(toCondition(rows ?? [])).toBe(condition);
    expect(toTable('ctx.a > 1 || ctx.b')).toBeNull();
  });
});
