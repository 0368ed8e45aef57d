/** Personal data is found wherever a dot path may mean it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import { isPiiField, redactPii } from '../../../src/engine/pii.ts';

type Case = { name: string; paths: string[]; input: JsonObject; masked: JsonObject };
const file = path.resolve(import.meta.dirname, '../../cases/personal-fields.json');
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: Case[] };
const hidden = (input: JsonObject, ...personal: string[]) => redactPii(input, personal, () => '#');

describe('the personal values of an input [TYP-30]', () => {
  it.each(cases)('are found: $name', ({ paths, input, masked }) => {
    const before = structuredClone(input);
    expect(hidden(input, ...paths)).toEqual(masked);
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
