/** What CEL allows and the rules language leaves out: refused where it stands, with a way out. */
import { describe, expect, it } from 'vitest';
import { compileRules } from '../../../src/engine/rules/compile.ts';
import { parseCondition } from '../../../src/engine/rules/parsing/parse.ts';

/** Every problem as the part of the condition that it points at, its message and its remedy. */
function listProblems(condition: string) {
  return parseCondition(condition).problems.map(({ range, message, suggestion }) => [
    condition.slice(range.start, range.end),
    message,
    suggestion,
  ]);
}

const hugeInteger = '9'.repeat(400);

describe('a part that the language leaves out is refused with its place and a remedy', () => {
  it.each([
    ['true && CTX.a', 'CTX', 'Unknown name: CTX.', 'The input is called ctx.'],
    ['true && amount > 1', 'amount', 'Unknown name: amount.', 'Did you mean ctx.amount?'],
    ['ctx.a.all(item, itm > 1)', 'itm', 'Unknown name: itm.', 'Did you mean item?'],
    ['1e999 > ctx.a', '1e999', 'This is not a number, or it is too large.', null],
    [`${hugeInteger} > ctx.a`, hugeInteger, 'The number is too large.', null],
    ['ctx.a == -5u', '-5u', 'An unsigned number cannot be negative.', 'Leave out the u after the number.'],
    ['ctx.a == b"x"', 'b"x"', 'Byte strings are not part of the rules language.', 'Leave out the b before the quote.'],
    [
      'ctx.a == "\\ud83d"',
      '\\ud83d',
      'A string contains an escape sequence that does not exist.',
      'Write \\\\ for a backslash.',
    ],
    ['true || has(ctx)', 'has(ctx)', 'has takes one field.', 'Write has(ctx.field), or has(ctx["a field"]).'],
    ['has(ctx[ctx.a])', 'has(ctx[ctx.a])', 'has takes one field.', 'Write has(ctx.field), or has(ctx["a field"]).'],
    ['foo(ctx.a) || true', 'foo(ctx.a)', 'Unknown function: foo.', null],
    ['ctx.a.startWith("x")', 'ctx.a.startWith("x")', 'Unknown function: startWith.', 'Did you mean startsWith?'],
    ['ctx.a.abs() > 1', 'ctx.a.abs()', 'abs is not a method.', 'Write abs(value).'],
    ['contains(ctx.a, "x")', 'contains(ctx.a, "x")', 'contains is a method.', 'Write value.contains(…).'],
    ['ctx.a.contains()', 'ctx.a.contains()', 'contains takes 1 argument in parentheses, not 0.', null],
    ['min() > 1', 'min()', 'min takes 1 to 32 arguments in parentheses, not 0.', null],
    [
      'timestamp(ctx.t).getHours("UTC", 1) > 1',
      'timestamp(ctx.t).getHours("UTC", 1)',
      'getHours takes 0 to 1 arguments in parentheses, not 2.',
      null,
    ],
    [
      'ctx.a.matches(ctx.b)',
      'ctx.a.matches(ctx.b)',
      'The pattern of matches must be a string literal.',
      'Write ctx.field.matches("pattern").',
    ],
    [
      'ctx.a.matches("(?=a)")',
      '"(?=a)"',
      'This is not an RE2 pattern, or it is too large.',
      'RE2 has neither lookaround nor back references.',
    ],
    ['ctx.a.exists(x)', 'ctx.a.exists(x)', 'exists takes a name and an expression.', 'Write ctx.list.exists(item, …).'],
    [
      'ctx.a.exists(x, x.exists(y, y.exists(z, z)))',
      'y.exists(z, z)',
      'exists is nested in two other comprehensions.',
      'Nest at most one comprehension in another.',
    ],
  ])('%s', (condition, place, message, suggestion) => {
    expect(listProblems(condition)).toEqual([[place, message, suggestion]]);
  });

  it('counts places in UTF-16 units, as editors do, and in code points in the tree', () => {
    expect(listProblems('ctx.a == "😀" && foo()')).toEqual([['foo()', 'Unknown function: foo.', null]]);
    expect(parseCondition('ctx.a == "😀"').ast?.at).toEqual([0, 12]);
  });

  it('reports a condition that is too deep once, within its source, after a corrected operator too', () => {
    const condition = `${'!'.repeat(30)}(ctx.a and ctx.b)`;
    expect(parseCondition(condition).problems.map(({ message, range }) => [message, range])).toEqual([
      ['and is not an operator here.', { start: 37, end: 40 }],
      ['The condition is nested deeper than 24 levels.', { start: 0, end: condition.length }],
    ]);
  });
});

describe('what other languages have leads to what does it here [RUL-15]', () => {
  const told = (condition: string) => {
    const compiled = compileRules([{ name: 'r', condition, then: 'yes', reason_code: null, priority: 1 }], {
      options: ['yes', 'no'],
      reason_codes: [],
    });
    return compiled.ok ? [] : compiled.problems.map(({ message, suggestion }) => `${message} ${suggestion}`);
  };

  it.each([
    ['ctx.a > 1,000', 'Write 1000, or 1.000 for the fraction.'],
    ['ctx.a > 1,000,000', 'Write 1000000.'],
    ['ctx.a > 1.000,50', 'Write 1000.50.'],
    ['ctx.a > 1,000.50', 'Write 1000.50.'],
    ['ctx.a > 1 000 && ctx.b', 'Write 1000.'],
    ['ctx.a > 1\u00a0000', 'Write 1000.'],
    ['ctx.a > 250,5', 'Write decimals with a point: 250.5.'],
    ['ctx.a == True', 'Write true.'],
    ['ctx.a != FALSE', 'Write false.'],
    ['ctx.a != NULL', 'Write null.'],
    ['ctx.a == None', 'Write null, or !has(ctx.field)'],
    ['math.greatest(ctx.a, 1) > 3', 'Write max(ctx.a, 1).'],
    ['math.least(ctx.a, 1) > 3', 'Write min(ctx.a, 1).'],
    ['Math.max(ctx.a, 1) > 3', 'Write max(ctx.a, 1).'],
    ['math.ceil(ctx.a) > 3', 'Write ceil(ctx.a).'],
    ['sets.contains(ctx.a, [1])', 'Write list.all(item, item in other).'],
    ['ctx.order-id == "x"', 'Write ctx["order-id"] for a field whose name has a hyphen.'],
    ['ctx.the.order-line-id == 1', 'Write ctx.the["order-line-id"]'],
    ['ctx.a in ("x", "y")', 'Write ["x", "y"].'],
    ['ctx.a in ("x")', 'A list stands in square brackets'],
    ['ctx.a\u00a0== "x"', 'a no-break space (U+00A0)'],
    ['ctx.a == 1\u200b', 'a zero-width space (U+200B)'],
    ['len(ctx.s) > 3', 'Write size(ctx.s).'],
    ['ctx.s.length() > 3', 'Write size(ctx.s).'],
    ['ctx.s.toLowerCase() == "x"', 'Write ctx.s.foldCase().'],
    ['ctx.s contains "x"', 'Write ctx.s.contains("x").'],
    ['ctx.s like "x"', 'Write ctx.s.contains("x").'],
    ['ctx.s =~ "x"', '.matches("pattern")'],
    ['ctx.a => 3', 'Write >= to compare.'],
    ['ctx.a =< 3', 'Write <= to compare.'],
    ['ctx.a ≥ 3', 'Write >=.'],
    ['ctx.a ≠ 3', 'Write !=.'],
    ['ctx.spec.?host.orValue(true)', 'Write has(ctx.spec.host) ? ctx.spec.host : true.'],
    ['ctx.m[?"a"].hasValue()', 'Write has(ctx.m["a"]) ? ctx.m["a"] : fallback.'],
    ['ctx.m.all(k, v, v > 1)', 'Write ctx.map.all(key, …) with ctx.map[key] for the value.'],
    ['ctx.m.get("k") == 1', 'Write has(ctx.field) ? ctx.field : fallback.'],
    ['exists(ctx.a)', 'Write has(ctx.a), or list.exists(item, …).'],
    ['quantity(ctx.a) > 3', 'Send the value as a number'],
    ['now() > timestamp(ctx.t)', 'Put the time into the input'],
    ['dyn(ctx.a) == 1', 'Leave out dyn: write ctx.a.'],
    ['type(ctx.a) == int', 'Every number is a double here. Write double.'],
  ])('%s', (condition, remedy) => {
    const [first = '', ...others] = told(condition);
    expect(first).toContain(remedy);
    expect(others).toEqual([]);
  });

  it('leaves alone what is a difference or a name', () => {
    for (const condition of [
      'ctx.a-ctx.b > 1',
      'ctx.a-1 > 1',
      'ctx.l.all(x, ctx.a-x > 1)',
      'ctx.string == type(ctx.a)',
    ])
      expect(told(condition)).toEqual([]);
  });
});
