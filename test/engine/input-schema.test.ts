/** What an input schema may cost, whatever the input. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/engine/domain.ts';
import { checkInputSchema, compileInputSchema } from '../../src/engine/input-schema.ts';

const unique = compileInputSchema({ properties: { list: { type: 'array', uniqueItems: true } } });

describe('lists whose items must differ', () => {
  it.each<[string, Json[], boolean]>([
    ['numbers', [1, 2, 3], true],
    ['a number twice', [1, 2, 1.0], false],
    ['a number and its text', [1, '1'], true],
    ['zero and false, null and empty', [0, false, null, '', [], {}], true],
    [
      'objects with their keys in another order',
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      false,
    ],
    ['objects that differ deep inside', [{ a: { b: [1, 2] } }, { a: { b: [2, 1] } }], true],
    ['nothing', [], true],
  ])('%s', (_name, list, isFine) => {
    const problems = unique({ list });
    expect(problems).toEqual(
      isFine ? [] : [{ type: 'uniqueItems', loc: ['body', 'input', 'list'], msg: 'must NOT have duplicate items' }],
    );
  });

  it('are compared in time that grows with their length, not with its square', () => {
    // compared pairwise these are 5,000,000,000 comparisons
    const list = Array.from({ length: 100_000 }, (_, n) => [n]);
    expect(unique({ list })).toEqual([]);
    expect(unique({ list: [...list, [0]] })).toHaveLength(1);
  });

  it('may also be allowed to be equal, and the keyword still takes a boolean only', () => {
    expect(compileInputSchema({ properties: { list: { uniqueItems: false } } })({ list: [1, 1] })).toEqual([]);
    expect(checkInputSchema({ uniqueItems: 'yes' })).not.toEqual([]);
    expect(checkInputSchema({ required: ['a', 'a'] })).not.toEqual([]);
  });
});
