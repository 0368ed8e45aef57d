/** What CEL allows and the rules language leaves out: refused where it stands, with a way out. */
import { describe, expect, it } from 'vitest';
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
