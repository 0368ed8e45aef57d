import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import { WorkbenchError } from '../../../src/engine/errors.ts';
import { compileRules } from '../../../src/engine/rules/compile.ts';
import { loadRules } from '../../../src/engine/rules/rules-file.ts';

const definition = { options: ['approve', 'decline', 'review'], reason_codes: ['HIGH_RISK', 'LOW_RISK'] };

function rule(condition: string, more: Partial<Rule> = {}): Rule {
  return { name: condition, condition, then: 'decline', reason_code: null, priority: 100, ...more };
}

function problemsOf(...rules: Rule[]) {
  const result = compileRules(rules, definition);
  return result.ok ? [] : result.problems;
}

function compiled(...rules: Rule[]) {
  const result = compileRules(rules, definition);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

describe('writing rules', () => {
  it('tells every problem of every rule at once, each with its place and a way out', () => {
    const problems = problemsOf(
      rule('ctx.a > 1 && foo(ctx.b) && bar > 2', { name: 'one', then: 'aprove', reason_code: 'HIGHRISK' }),
      rule('ctx.a >', { name: 'one' }),
    );
    expect(problems.map(({ rule: at, message, suggestion }) => [at, message, suggestion])).toEqual([
      [0, '"aprove" is not an option.', 'Did you mean "approve"?'],
      [0, '"HIGHRISK" is not a reason code.', 'Did you mean "HIGH_RISK"?'],
      [0, 'Unknown function: foo.', null],
      [0, 'Unknown name: bar.', 'Did you mean ctx.bar?'],
      [1, 'Another rule is also called "one".', 'Give every rule its own name.'],
      [1, 'The condition ends too early.', 'Add what is missing at the end.'],
    ]);
    expect(problems[2]?.range).toEqual({ start: 13, end: 23 });
  });

  it.each([
    ['ctx.a = 3', 'A single = does not compare.'],
    ['ctx.a and ctx.b', 'and is not an operator here.'],
    ['ctx.name.startWith("a")', 'Unknown function: startWith.'],
    ['"abc', 'A string is not closed.'],
    ['ctx.a + 1', 'The condition is not true or false.'],
    ['1 < "a"', '< cannot take a number and a string.'],
    ['ctx.a.matches("(?=a)")', 'This is not an RE2 pattern, or it is too large.'],
    ['ctx.a.matches(ctx.b)', 'The pattern of matches must be a string literal.'],
    ['ctx.x.abs() > 1', 'abs is not a method.'],
    ['ctx.a == -5u', 'An unsigned number cannot be negative.'],
    ['“a” == ctx.b', 'This quotation mark does not start a string.'],
    ['ctx.a == "\\u0000"', 'A string must not contain NUL or half a surrogate pair.'],
    ['ctx.a == "\ud800"', 'The condition contains NUL or half a surrogate pair.'],
    ['has(ctx)', 'has takes one field.'],
    ['size(ctx.a, 1) > 1', 'size takes 1 argument in parentheses, not 2.'],
    ['ctx.a.exists(x, x.exists(y, y.exists(z, z)))', 'exists is nested in two other comprehensions.'],
  ])('%s is refused: %s', (condition, message) => {
    expect(problemsOf(rule(condition)).map((problem) => problem.message)).toEqual([message]);
  });

  it('goes on behind a mistake whose remedy is clear, with every place in the text as it was written', () => {
    const condition = 'ctx.a = 1 and foo(ctx.b) & ctx.c === 2 or 1 < "x" || ctx.d <> 3 && ctx.e not in [1]';
    const problems = problemsOf(rule(condition));
    expect(problems.map(({ message, range }) => [message, condition.slice(range.start, range.end)])).toEqual([
      ['A single = does not compare.', '='],
      ['and is not an operator here.', 'and'],
      ['Unknown function: foo.', 'foo(ctx.b)'],
      ['A single & is not an operator.', '&'],
      ['=== is not an operator.', '='],
      ['or is not an operator here.', 'or'],
      ['< cannot take a number and a string.', '1 < "x"'],
      ['<> is not an operator.', '>'],
      ['not in is not an operator.', 'not'],
    ]);
  });

  it('helps who writes it in plain words, and goes on behind them [RSH-8]', () => {
    const helped = (condition: string) =>
      problemsOf(rule(condition)).map(({ message, suggestion }) => [message, suggestion]);
    expect(helped('ctx["Vorlauf (Tage)"] between 1 and 3 && ctx.city is "Wien" and ctx.sum > 250,00')).toEqual([
      ['between is not an operator here.', 'Write >= 1 && ctx["Vorlauf (Tage)"] <= 3.'],
      ['is is not an operator here.', 'Write == instead of is.'],
      ['and is not an operator here.', 'Write && instead of and.'],
      ['A comma does not stand before decimals.', 'Write decimals with a point: 250.00.'],
    ]);
    expect(helped('ctx.city is not "Wien"')[0]?.[1]).toBe('Write != instead of is not.');
    expect(helped('if ctx.city == "Wien" then "deny"')).toEqual([
      ['A condition has no if and no then.', 'Write only what must be true, and choose the outcome beside it.'],
    ]);
    expect(helped('ctx.city == "Wien" then deny')[0]?.[0]).toBe('A condition has no if and no then.');
    expect(helped('ctx.sum in [1,2]')).toEqual([]);
  });

  it('offers a way to write a field whose name is no plain word, and never a name of the machine', () => {
    expect(problemsOf(rule('ctx.größe > 1'))[0]?.suggestion).toContain('ctx["name"]');
    expect(problemsOf(rule('ctx.in > 1'))[0]?.suggestion).toContain('ctx["name"]');
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      for (const problem of problemsOf(rule(`${name}(1) && ${name} > 1 && ctx.a.${name}()`)))
        expect(`${problem.message} ${problem.suggestion}`).not.toMatch(/object Object|native code|undefined/);
  });

  it('keeps its limits at the bound and one past it [RUL-10]', () => {
    const long = (bytes: number) => `ctx.a == "${'x'.repeat(bytes - 11)}"`;
    expect(problemsOf(rule(long(4096), { name: 'x' }))).toEqual([]);
    expect(problemsOf(rule(long(4097), { name: 'x' }))[0]?.message).toBe('The condition is longer than 4096 bytes.');
    const deep = (levels: number) => `${'!'.repeat(levels - 2)}ctx.a`;
    expect(problemsOf(rule(deep(24)))).toEqual([]);
    expect(problemsOf(rule(deep(25)))[0]?.message).toBe('The condition is nested deeper than 24 levels.');
    const wide = (nodes: number) => `ctx.a in [${'1,'.repeat(nodes - 4)}]`;
    expect(problemsOf(rule(wide(2000)))).toEqual([]);
    expect(problemsOf(rule(wide(2001)))[0]?.message).toBe('The condition has more than 2000 parts.');
    expect(problemsOf(rule('('.repeat(4000)))).toHaveLength(1);
    expect(problemsOf(rule('!'.repeat(4090)))).toHaveLength(1);
    expect(problemsOf(rule('['.repeat(4090)))).toHaveLength(1);
  });
});

describe('named lists', () => {
  const lists = { eu: ['DE', 'FR'], flags: [1, true, 'x'], many: Array.from({ length: 1000 }, (_, i) => i) };
  const compileWith = (...conditions: string[]) =>
    compileRules(
      conditions.map((condition) => rule(condition)),
      { ...definition, lists },
    );

  it('stand for their values wherever a condition names them, in file and trace too [RUL-13]', () => {
    const named = compileWith('ctx.country in lists.eu');
    if (!named.ok) throw new Error(JSON.stringify(named.problems));
    const at = [15, 23];
    expect(named.value.file.rules[0]?.ast).toMatchObject({
      right: { k: 'list', items: ['DE', 'FR'].map((v) => ({ k: 'lit', v, at })), at },
    });
    expect(loadRules(JSON.parse(JSON.stringify(named.value.file))).evaluate({ country: 'FR' }, true).trace).toEqual([
      {
        name: 'ctx.country in lists.eu',
        outcome: 'matched',
        error: null,
        values: [
          { expression: 'ctx.country in lists.eu', value: true },
          { expression: 'ctx.country', value: 'FR' },
        ],
      },
    ]);
    expect(named.value.evaluate({ country: 'US' }, false).matched).toBeNull();
    const others = compileWith(
      '"😀" == ctx.a && ctx.b in lists.many',
      'lists.flags.exists(x, x == ctx.a)',
      'size(lists.eu + lists.flags) == 5 && ctx.lists.eu == 7',
      '[{"eu": 3}].exists(lists, lists.eu == ctx.c)',
    );
    if (!others.ok) throw new Error(JSON.stringify(others.problems));
    expect(others.value.evaluateEach({ a: '😀', b: 999, c: 3, lists: { eu: 7 } })).toEqual([true, false, true, true]);
  });

  it('are refused at their place where there is none of the name, with those there are [RUL-13]', () => {
    const found = compileWith('ctx.a == 1 && ctx.b in lists.flag', 'ctx.b in lists', 'ctx.b in lists.constructor');
    expect(
      found.ok
        ? []
        : found.problems.map(({ rule: at, message, suggestion, range }) => [at, message, suggestion, range]),
    ).toEqual([
      [
        0,
        'There is no list named flag.',
        'Did you mean lists.flags? There are: eu, flags, many.',
        { start: 23, end: 33 },
      ],
      [1, 'Unknown name: lists.', 'Write ctx.field in lists.name.', { start: 9, end: 14 }],
      [2, 'There is no list named constructor.', 'There are: eu, flags, many.', { start: 9, end: 26 }],
    ]);
    expect(problemsOf(rule('ctx.b in lists.eu'))[0]?.suggestion).toBe('There are no lists.');
    const large = { lists: { large: Array.from({ length: 1000 }, (_, i) => `${'x'.repeat(90)}${i}`) } };
    const many = Array.from({ length: 100 }, (_, i) => rule(`ctx.a == ${i} && ctx.b in lists.large`));
    const together = compileRules(many, { ...definition, ...large });
    expect(together.ok ? null : together.problems[0]?.message).toContain('larger than a bundle can hold');
  });
});

describe('evaluating rules', () => {
  it('runs by priority, then in the order of the list; the first match wins [RUL-6]', () => {
    const rules = compiled(
      rule('ctx.a > 1', { name: 'late', priority: 9 }),
      rule('ctx.a > 0', { name: 'first', priority: 1, then: 'approve', reason_code: 'LOW_RISK' }),
      rule('ctx.a > 5', { name: 'second', priority: 9 }),
    );
    expect(rules.file.rules.map((one) => one.name)).toEqual(['first', 'late', 'second']);
    const outcome = rules.evaluate({ a: 3 }, true);
    expect(outcome.matched).toEqual({
      name: 'first',
      condition: 'ctx.a > 0',
      then: 'approve',
      reason_code: 'LOW_RISK',
      priority: 1,
    });
    expect(outcome.matchedIndex).toBe(0);
    expect(outcome.trace.map((entry) => entry.outcome)).toEqual(['matched', 'not_reached', 'not_reached']);
  });

  it('lets a rule that errs not match and goes on', () => {
    const rules = compiled(rule('ctx.missing > 1', { name: 'errs' }), rule('ctx.a > 1', { name: 'holds' }));
    const outcome = rules.evaluate({ a: 3 }, true);
    expect(outcome.matched?.name).toBe('holds');
    expect(outcome.errors).toEqual([{ name: 'errs', error: 'missing_field' }]);
    expect(rules.evaluate({ a: 3 }, false).errors).toEqual(outcome.errors);
    expect(rules.evaluate({ a: 3, missing: 2 }, false).errors).toEqual([]);
    expect(outcome.trace[0]).toEqual({
      name: 'errs',
      outcome: 'error',
      error: 'missing_field: ctx.missing',
      values: [],
    });
  });

  it('stops a costly rule within a moment', () => {
    const rules = compiled(rule('ctx.a.all(x, ctx.a.all(y, x + y >= 0 && !ctx.t.matches("(a|b)*c")))'));
    const started = process.threadCpuUsage();
    const outcome = rules.evaluate({ a: Array(1000).fill(1), t: 'ab'.repeat(120_000) }, false);
    expect(outcome.errors).toMatchObject([{ error: 'limit' }]);
    expect(process.threadCpuUsage(started).user).toBeLessThan(2_000_000);
  });

  it('writes a file that loads to the same rules, and refuses a file that was changed', () => {
    const rules = compiled(rule('ctx.items.exists(i, i.price > 10) && ctx.name.matches("^a")'));
    const file = JSON.parse(JSON.stringify(rules.file));
    expect(loadRules(file).evaluate({ items: [{ price: 11 }], name: 'ab' }, true)).toEqual(
      rules.evaluate({ items: [{ price: 11 }], name: 'ab' }, true),
    );
    file.rules[0].ast.args[0].name = 'other';
    expect(() => loadRules(file)).toThrow(WorkbenchError);
    expect(() =>
      loadRules({ rules: [{ ...rule('true'), ast: { k: 'call', fn: 'constructor', args: [], at: [0, 1] } }] }),
    ).toThrow('rule 1');
    expect(() => loadRules([])).toThrow(WorkbenchError);
  });
});
