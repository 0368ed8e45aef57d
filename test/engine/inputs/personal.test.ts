/** Personal data is found wherever a dot path may mean it. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import { isPiiField, redactPii } from '../../../src/engine/pii.ts';

const hidden = (input: JsonObject, ...personal: string[]) => redactPii(input, personal, () => '#');

describe('the personal values of an input [TYP-30]', () => {
  it.each<[string, string[], JsonObject, JsonObject]>([
    ['of a field', ['ssn'], { ssn: 12, n: 1 }, { ssn: '#', n: 1 }],
    ['of a nested field', ['a.b'], { a: { b: 'x', c: 1 } }, { a: { b: '#', c: 1 } }],
    ['of a whole object', ['a'], { a: { b: 'x' } }, { a: '#' }],
    ['of each element of a list', ['c.mail'], { c: [{ mail: 'x' }, { n: 1 }] }, { c: [{ mail: '#' }, { n: 1 }] }],
    ['of lists in lists', ['c.mail'], { c: [[{ mail: 'x' }]] }, { c: [[{ mail: '#' }]] }],
    ['of one element', ['c.1.mail'], { c: [{ mail: 'x' }, { mail: 'y' }] }, { c: [{ mail: 'x' }, { mail: '#' }] }],
    ['of an element that is a value', ['c.0'], { c: ['x', 'y'] }, { c: ['#', 'y'] }],
    ['of a key that holds dots', ['a.b'], { 'a.b': 'x' }, { 'a.b': '#' }],
    ['of both readings of a path', ['a.b'], { 'a.b': 'x', a: { b: 'y' } }, { 'a.b': '#', a: { b: '#' } }],
    ['of two paths of which one holds the other', ['a.b', 'a'], { a: { b: 'x' } }, { a: '#' }],
    ['of two paths in the other order', ['a', 'a.b'], { a: { b: 'x' } }, { a: '#' }],
    ['that are null, which stay so', ['a', 'b.c'], { a: null, b: { c: null } }, { a: null, b: { c: null } }],
    ['that are not there', ['x', 'a.b.c', 'toString'], { a: { b: 1 } }, { a: { b: 1 } }],
  ])('%s', (_name, personal, input, expected) => {
    const before = structuredClone(input);
    expect(hidden(input, ...personal)).toEqual(expected);
    expect(input).toEqual(before);
  });

  it('are found once, however many ways lead through lists in lists', () => {
    const nested = (innermost: Json) => {
      let list = innermost;
      for (let level = 0; level < 30; level++) list = [list];
      return list;
    };
    const path = `c${'.0'.repeat(31)}.mail`;
    expect(hidden({ c: nested({ mail: 'x' }) }, path)).toEqual({ c: nested({ mail: 'x' }) });
    expect(hidden({ c: nested({ 0: { mail: 'x' } }) }, path)).toEqual({ c: nested({ 0: { mail: '#' } }) });
  });

  it('are those of the fields at a path and below it', () => {
    const personal = ['person', 'a.b'];
    const fields = [
      ['person'],
      ['person', 'city'],
      ['persons'],
      ['a'],
      ['a', 'b'],
      ['a.b'],
      ['a', 'b', 'c'],
      ['a', 'bc'],
    ];
    expect(fields.map((path) => isPiiField(path, personal))).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
      true,
      false,
    ]);
  });
});
