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
    // compared pairwise these are 600,000,000 comparisons
    const list = Array.from({ length: 35_000 }, (_, n) => [n]);
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

describe('the written check of a schema', () => {
  it('knows fields and values by whatever name [TYP-32]', () => {
    const names = ['constructor', "quo'te", 'back\\slash', 'line\u2028', '*/', 'i', 'lib'];
    const properties = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}: {"enum": [1]}`).join(',')}}`);
    const validate = compileInputSchema({ properties, additionalProperties: false });
    for (const name of names) {
      const input = (value: number) => JSON.parse(`{${JSON.stringify(name)}: ${value}}`);
      expect([name, validate(input(1)), validate(input(2)).length]).toEqual([name, [], 1]);
    }
    expect(validate({ other: 1 })).toHaveLength(1);
    const same = JSON.parse('{"const": {"__proto__": [1], "a": 2}}');
    const compare = compileInputSchema({ properties: { v: same } });
    expect(compare(JSON.parse('{"v": {"a": 2, "__proto__": [1]}}'))).toEqual([]);
    expect(compare({ v: { a: 2 } })).toHaveLength(1);
  });

  it('judges a long list in which no item fits a reference as fast as one without [TYP-32]', () => {
    const $defs = { x: { minLength: 4, items: { $ref: '#x' }, $anchor: 'x' } };
    const validate = compileInputSchema({ properties: { list: { contains: { $ref: '#x', type: 'string' } } }, $defs });
    expect(validate({ list: Array.from({ length: 20_000 }, () => 'aab') })).toHaveLength(50);
  });
});

/** Milliseconds of CPU that a call takes. */
function measureCpuMs(call: () => void): number {
  const before = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('the check of an input ends whatever schema and input are', () => {
  const node = { $ref: '#/$defs/n' };
  const nest = (levels: number): JsonObject => (levels === 0 ? {} : { a: nest(levels - 1) });
  const listOf = (length: number, item: Json): JsonObject => ({ list: Array.from({ length }, () => item) });
  const tooManySteps = [{ type: 'input_steps', loc: ['body', 'input'], msg: expect.stringContaining('1000000 steps') }];
  const many = (length: number, make: (n: number) => Json) => Array.from({ length }, (_, n) => make(n));

  it.each<[string, JsonObject, number]>([
    [
      'by several ways to the same part of the same value',
      {
        $defs: { n: { properties: { a: node }, allOf: many(3, () => ({ properties: { a: node } })) } },
        $ref: '#/$defs/n',
      },
      0,
    ],
    [
      'by alternatives that each look into the same property',
      { $defs: { n: { required: ['a'], anyOf: many(3, () => ({ properties: { a: node } })) } }, $ref: '#/$defs/n' },
      1,
    ],
    [
      'by items and properties that are not evaluated yet',
      {
        $defs: { n: { anyOf: many(3, () => ({ properties: { a: node } })), unevaluatedProperties: false } },
        $ref: '#/$defs/n',
      },
      0,
    ],
  ])('%s, and gives the right answer [TYP-32]', (_name, schema, problems) => {
    expect(checkInputSchema(schema)).toEqual([]);
    const validate = compileInputSchema(schema);
    let found = -1;
    expect(measureCpuMs(() => (found = Math.min(1, validate(nest(30)).length)))).toBeLessThan(200);
    expect(found).toBe(problems);
  });

  it('with at most 50 problems of a list whose every item fits none of many alternatives [TYP-32]', () => {
    const schema = { properties: { list: { items: { anyOf: many(2_400, (n) => ({ required: [`r${n}`] })) } } } };
    const validate = compileInputSchema(schema);
    const input = listOf(200_000, {});
    const before = process.memoryUsage().heapUsed;
    let problems: unknown[] = [];
    expect(measureCpuMs(() => (problems = validate(input)))).toBeLessThan(1_000);
    expect(problems).toHaveLength(50);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000);
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'many alternatives that nearly all fail',
      { properties: { list: { items: { anyOf: [...many(2_000, (n) => ({ required: [`r${n}`] })), true] } } } },
      listOf(200_000, {}),
    ],
    [
      'alternatives that refuse everything',
      { properties: { list: { contains: { oneOf: [false, false] } } } },
      listOf(80_000, 'x'),
    ],
    [
      'many objects that must differ',
      { properties: { list: { uniqueItems: true } } },
      { list: many(30_000, (n) => ({ a: n, b: 'text' })) },
    ],
    [
      'a long list of allowed values',
      { properties: { list: { items: { enum: many(3_000, (n) => `v${n}`) } } } },
      listOf(100_000, 'v2999'),
    ],
    [
      'a large pattern and a long text',
      { properties: { text: { pattern: '(?i)(x?){50}[^q]{200}y' } } },
      { text: 'x'.repeat(900_000) },
    ],
    [
      'many lengths of a long text',
      { properties: { text: { allOf: many(1_000, (n) => ({ minLength: n })) } } },
      { text: 'x'.repeat(900_000) },
    ],
    [
      'dynamic references to one part on every level',
      {
        $defs: {
          n: {
            $dynamicAnchor: 'n',
            allOf: many(3, () => ({ properties: { a: { $dynamicRef: '#n' } } })),
          },
        },
        $ref: '#/$defs/n',
      },
      nest(30),
    ],
  ])('and says so where it would take too long: %s [TYP-32]', (_name, schema, input) => {
    expect(checkInputSchema(schema)).toEqual([]);
    const validate = compileInputSchema(schema);
    expect(measureCpuMs(() => expect(validate(input)).toEqual(tooManySteps))).toBeLessThan(1_000);
    expect(validate({})).toEqual([]);
  });

  it('but refuses to save a schema with which even an empty input would take too long [TYP-32]', () => {
    const schema = {
      $defs: { values: { enum: [...many(8_000, (n) => n), {}] } },
      allOf: many(1_000, () => ({ $ref: '#/$defs/values' })),
    };
    expect(checkInputSchema(schema)).toEqual([
      { type: 'schema_steps', loc: ['body', 'input_schema'], msg: expect.stringContaining('an empty input') },
    ]);
  });

  it('and a large ordinary input passes [TYP-32]', () => {
    const item = { properties: { a: { type: 'number' }, b: { maxLength: 10 }, c: { type: ['string', 'null'] } } };
    const schema = { properties: { list: { items: { ...item, required: ['a'], additionalProperties: false } } } };
    const validate = compileInputSchema(schema);
    expect(validate(listOf(45_000, { a: 1, b: 'x', c: null }))).toEqual([]);
    expect(validate(listOf(45_000, { a: '1' }))).toHaveLength(50);
  });

  it.each<[string, JsonObject]>([
    [
      'into a value to compare with',
      { properties: { a: { const: { type: 'x' } }, b: { $ref: '#/properties/a/const' } } },
    ],
    ['of many dynamic targets', { $dynamicAnchor: 'n', items: { anyOf: many(51, () => ({ $dynamicRef: '#n' })) } }],
  ])('references are refused %s [TYP-32]', (_name, schema) => {
    expect(checkInputSchema(schema)).toMatchObject([{ type: 'schema_ref' }]);
  });
});
