/** What an input schema may cost, whatever the input. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/engine/domain.ts';
import { checkInputSchema, compileInputSchema } from '../../src/engine/schema/input-schema.ts';

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

describe('references that never end', () => {
  it.each<[string, JsonObject, (string | number)[]]>([
    ['of a schema to itself', { $ref: '#' }, []],
    [
      'of two parts to each other',
      {
        $defs: { a: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } },
        properties: { a: { $ref: '#/$defs/a' } },
      },
      ['$defs', 'a'],
    ],
    [
      'through a condition',
      { properties: { a: { if: { type: 'object' }, else: { $ref: '#/properties/a' } } } },
      ['properties', 'a'],
    ],
    [
      'through a property that depends on another',
      { $anchor: 'top', dependentSchemas: { a: { allOf: [{ $ref: '#top' }] } } },
      [],
    ],
  ])('%s are refused with their place [TYP-32]', (_name, schema, path) => {
    expect(checkInputSchema(schema)).toEqual([
      {
        type: 'schema_loop',
        loc: ['body', 'input_schema', ...path],
        msg: expect.stringContaining('must not refer to itself for the same value'),
      },
    ]);
  });
});

describe('references that multiply', () => {
  /** Each level refers to the one below `times` times, so that the last one means `times ** levels` parts. */
  const multiplying = (
    levels: number,
    times = 2,
    refer = (level: number): JsonObject => ({ $ref: `#/$defs/l${level}` }),
  ) => {
    const $defs: Record<string, Json> = { l0: { type: 'string', $anchor: 'l0', $dynamicAnchor: 'd0' } };
    for (let level = 1; level <= levels; level++) {
      const allOf = Array.from({ length: times }, () => refer(level - 1));
      $defs[`l${level}`] = { allOf, $anchor: `l${level}`, $dynamicAnchor: `d${level}` };
    }
    return { $defs, properties: { name: refer(levels) } };
  };

  it.each<[string, JsonObject]>([
    ['by pointers', multiplying(40)],
    ['by anchors', multiplying(40, 2, (level) => ({ $ref: `#l${level}` }))],
    ['by dynamic references', multiplying(40, 2, (level) => ({ $dynamicRef: `#d${level}` }))],
    ['by escaped pointers', multiplying(40, 2, (level) => ({ $ref: `#/%24defs/l${level}` }))],
    ['in a part with an id of its own', { properties: { a: { $id: 'urn:own', ...multiplying(40) } } }],
    ['many times at few levels', multiplying(4, 20)],
    ['in a chain of hundreds', multiplying(500, 1)],
  ])('%s are refused with their place [TYP-32]', (_name, schema) => {
    expect(checkInputSchema(schema)).toEqual([
      {
        type: 'schema_expansion',
        loc: expect.arrayContaining(['body', 'input_schema', '$defs']),
        msg: expect.stringContaining('must not have more than 10000 parts'),
      },
    ]);
  });

  it('name the innermost part that is too large [TYP-32]', () => {
    const [problem] = checkInputSchema(multiplying(40));
    expect(problem?.loc).toEqual(['body', 'input_schema', '$defs', 'l11', 'allOf']);
  });

  it.each<[string, JsonObject]>([
    ['few of them', multiplying(8)],
    [
      'a part that is referred to from many fields',
      {
        $defs: { money: { properties: { amount: { type: 'number' }, currency: { enum: ['EUR', 'USD'] } } } },
        properties: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, { $ref: '#/$defs/money' }])),
      },
    ],
    [
      'a part that refers to itself',
      {
        $defs: { node: { properties: { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' } } } },
        $ref: '#/$defs/node',
      },
    ],
    [
      'parts that refer to each other',
      {
        properties: {
          a: { items: { $ref: '#/properties/b' } },
          b: { anyOf: [{ $ref: '#' }, { $ref: '#/properties/a' }] },
        },
      },
    ],
    [
      'a part that refers to itself from below',
      { allOf: [{ properties: { next: { $ref: '#' } } }, { items: { oneOf: [{ $ref: '#' }, { type: 'null' }] } }] },
    ],
    ['fields that are called like keywords', { properties: { $ref: { type: 'string' }, $anchor: { type: 'number' } } }],
  ])('are fine where they are %s', (_name, schema) => {
    expect(checkInputSchema(schema)).toEqual([]);
  });
});
