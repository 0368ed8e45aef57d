/** What an input schema may cost, whatever the input. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import { checkInputSchema, compileInputSchema, maxLightWork } from '../../../src/engine/schema/input-schema.ts';

const many = (length: number, make: (n: number) => Json) => Array.from({ length }, (_, n) => make(n));

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
    const $defs: Record<string, Json> = { l0: { type: 'string', $anchor: 'l0' } };
    for (let level = 1; level <= levels; level++) {
      const allOf = Array.from({ length: times }, () => refer(level - 1));
      $defs[`l${level}`] = { allOf, $anchor: `l${level}` };
    }
    return { $defs, properties: { name: refer(levels) } };
  };

  it.each<[string, JsonObject, string]>([
    ['by pointers', multiplying(40), 'schema_work'],
    ['by anchors', multiplying(40, 2, (level) => ({ $ref: `#l${level}` })), 'schema_work'],
    ['by escaped pointers', multiplying(40, 2, (level) => ({ $ref: `#/%24defs/l${level}` })), 'schema_work'],
    ['many times at few levels', multiplying(4, 20), 'schema_work'],
    ['in a chain of hundreds', multiplying(500, 1), 'schema_expansion'],
  ])('%s are refused with their place [TYP-32]', (_name, schema, type) => {
    const loc = expect.arrayContaining(['body', 'input_schema', '$defs']);
    expect(checkInputSchema(schema)).toMatchObject([{ type, loc }]);
  });

  it.each<[string, JsonObject]>([
    ['few of them', multiplying(7)],
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
  });

  it('judges a long list in which no item fits a reference as fast as one without [TYP-32]', () => {
    const $defs = { x: { minLength: 4, items: { $ref: '#x' }, $anchor: 'x' } };
    const validate = compileInputSchema({ properties: { list: { contains: { $ref: '#x', type: 'string' } } }, $defs });
    expect(validate({ list: Array.from({ length: 1_000 }, () => 'aab') })).toHaveLength(50);
  });
});

describe('what a schema may say', () => {
  const node = { $ref: '#/$defs/n' };
  const $defs = (n: JsonObject) => ({ $defs: { n }, $ref: '#/$defs/n' });

  it.each<[string, JsonObject, (string | number)[], string]>([
    ['dynamic references', { items: { $dynamicRef: '#n' } }, ['items', '$dynamicRef'], 'refer with "$ref"'],
    ['ids of parts', { properties: { a: { $id: 'a' } } }, ['properties', 'a', '$id'], 'leave it out'],
    ['lists to compare with', { properties: { a: { enum: [[1]] } } }, ['properties', 'a', 'enum'], 'lists or objects'],
    ['objects to compare with', { not: { const: {} } }, ['not', 'const'], 'lists or objects'],
    ['items that are a list', { items: [{ type: 'string' }] }, ['items'], 'prefixItems'],
    ['unique items of no type', { not: { uniqueItems: true } }, ['not', 'uniqueItems'], 'give "items" a "type"'],
    ['slow formats', { anyOf: [{ format: 'url' }] }, ['anyOf', 0, 'format'], 'use "uri"'],
    ['patterns beyond RE2', { not: { pattern: 'a(?=b)' } }, ['not', 'pattern'], 'RE2'],
    ['names beyond RE2', { patternProperties: { '(?=b)': {} } }, ['patternProperties', '(?=b)'], 'RE2'],
    ['references to nothing', { items: { $ref: '#/$defs/a' } }, ['items', '$ref'], 'not in the schema'],
    ['references elsewhere', { not: { $ref: 'https://a.b/c' } }, ['not', '$ref'], 'inside the schema'],
    ['draft 04', { $schema: 'http://json-schema.org/draft-04/schema#' }, ['$schema'], '2020-12'],
    [
      'names that two keywords look at',
      { allOf: [{ patternProperties: { a: {} } }], unevaluatedProperties: false },
      ['unevaluatedProperties'],
      'patternProperties',
    ],
    [
      'items that nobody looked at, beside patterns',
      { allOf: [{ patternProperties: { a: {} } }], unevaluatedItems: false },
      ['unevaluatedItems'],
      'patternProperties',
    ],
    ['more than 100 patterns', { allOf: many(101, () => ({ pattern: 'a' })) }, [], '100 patterns'],
    ['more than 1,000 parts', { allOf: many(1_000, () => ({ minLength: 1 })) }, [], '1000 schemas'],
    ['many alternatives', { items: { anyOf: many(600, (n) => ({ const: n })) } }, ['items'], 'alternatives'],
    ['long lists of values', { items: { enum: many(11_000, (n) => n) } }, ['items'], 'lists'],
    [
      'a part that refers to itself twice by one name',
      $defs({ anyOf: [{ properties: { a: node } }, { properties: { a: node }, required: ['b'] }] }),
      ['$defs', 'n'],
      'references to this part',
    ],
  ])('not %s; the refusal names place and remedy [TYP-32]', (_name, schema, path, remedy) => {
    const [first, ...rest] = checkInputSchema(schema);
    expect([rest, first?.loc, first?.msg]).toEqual([
      [],
      expect.arrayContaining(['body', 'input_schema', ...path]),
      expect.stringContaining(remedy),
    ]);
  });

  it.each<[string, JsonObject]>([
    ['1,500 codes', { properties: { list: { items: { enum: many(1_500, (n) => `code ${n}`) } } } }],
    ['900 fields', { properties: Object.fromEntries(many(900, (n) => [`f${n}`, { type: 'string' }]) as []) }],
    ['ten kinds of message', { oneOf: many(10, (n) => ({ properties: { kind: { const: n } }, required: ['kind'] })) }],
    ['fields that are called like keywords', { properties: { $id: {}, $async: {}, uniqueItems: { type: 'string' } } }],
    ['values that look like keywords', { default: { $id: 1, $ref: 'x' }, examples: [{ $dynamicRef: 1 }] }],
  ])('%s [TYP-18]', (_name, schema) => {
    expect(checkInputSchema(schema)).toEqual([]);
  });
});

/** Milliseconds of CPU that a call takes. */
function measureCpuMs(call: () => void): number {
  const before = process.threadCpuUsage();
  call();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

describe('the work of a check is known before it', () => {
  const listOf = (length: number, item: Json): JsonObject => ({ list: Array.from({ length }, () => item) });
  const ofItems = (items: JsonObject) => ({ properties: { list: { items } } });
  const failing = { anyOf: [...many(40, (n) => ({ required: [`r${n}`] })), true] };

  it.each<[string, JsonObject, (length: number) => JsonObject]>([
    ['alternatives that nearly all fail', ofItems(failing), (n) => listOf(n / 3, {})],
    ['many values', ofItems({ enum: many(3_000, (n) => n) }), (n) => listOf(n / 5, 2_999)],
    ['items that differ', ofItems({ type: 'array' }), (n) => listOf(n / 3, [])],
    ['many lengths', { allOf: [{ properties: { t: { allOf: many(300, (n) => ({ minLength: n })) } } }] }, longText],
    ['a large pattern', { properties: { t: { pattern: '(?i)(x?){50}[^q]{200}y|x' } } }, longText],
    ['a pattern of many states', { properties: { t: { not: { pattern: '1[01]{14}[ab]' } } } }, longText],
    ['a format', { properties: { t: { format: 'uri-template' } } }, longText],
    ['names', { propertyNames: { anyOf: many(30, (n) => ({ minLength: n + 9 })) } }, (n) => ({ ['x'.repeat(n)]: 1 })],
    ['names that are noted', { ...ofItems({ ...failing, unevaluatedProperties: false }) }, (n) => listOf(n / 3, {})],
  ])('and holds up nobody as long as it is called light: %s [TYP-32]', (_name, schema, make) => {
    expect(checkInputSchema(schema)).toEqual([]);
    const validate = compileInputSchema(schema);
    let length = 900_000;
    while (length > 1 && validate.estimateWork(make(length)) > maxLightWork) length = Math.floor(length / 2);
    const input = make(length);
    expect(length).toBeGreaterThan(2_000);
    expect(measureCpuMs(() => validate(input))).toBeLessThan(1_000);
  });

  function longText(length: number): JsonObject {
    return { t: 'x01'.repeat(length / 3) };
  }

  it('grows with input and schema, so that small inputs are light by any schema that may be saved [TYP-32]', () => {
    const validate = compileInputSchema(ofItems({ enum: many(7_000, (n) => n) }));
    expect(validate.estimateWork(listOf(100, 5))).toBeLessThan(maxLightWork);
    expect(validate.estimateWork(listOf(100_000, 5))).toBeGreaterThan(maxLightWork);
  });

  it('has no bound for a schema that was saved when more was accepted [TYP-32]', () => {
    const validate = compileInputSchema({ items: { $dynamicRef: '#n' }, $dynamicAnchor: 'n' });
    expect(validate.estimateWork({})).toBe(Number.POSITIVE_INFINITY);
  });

  it('is ordinary for an ordinary order of 1,000 positions [TYP-32]', () => {
    const fields = Object.fromEntries(many(20, (n) => [`field_${n}`, { type: ['string', 'null'] }]) as []);
    const schema = ofItems({ type: 'object', properties: fields, required: ['field_1'], additionalProperties: false });
    const validate = compileInputSchema(schema);
    const order = listOf(1_000, Object.fromEntries(many(20, (n) => [`field_${n}`, 'value']) as []));
    expect(validate(order)).toEqual([]);
    expect(validate.estimateWork(order)).toBeLessThan(maxLightWork);
  });
});

describe('the problems of an input', () => {
  it('are found beside a part with unevaluatedItems that nothing refers to [TYP-32]', () => {
    const schema = {
      not: { oneOf: [{ properties: { a: false }, if: false, const: null }, true], patternProperties: { a: false } },
      $defs: { x: { unevaluatedItems: false } },
    };
    expect(checkInputSchema(schema)).toEqual([]);
    const validate = compileInputSchema(schema);
    expect([validate({ a: {} }), validate({}).map(({ type }) => type)]).toEqual([[], ['not']]);
  });

  const item = { properties: { a: { type: 'number' } }, required: ['a', 'b'] };
  const validate = compileInputSchema({ properties: { list: { items: item } } });

  it('are listed with their places, at most 50', () => {
    expect(validate({ list: [{ a: 'x' }] }).map(({ type, loc }) => [type, loc.slice(2)])).toEqual([
      ['required', ['list', 0, 'b']],
      ['type', ['list', 0, 'a']],
    ]);
    expect(validate({ list: many(100, () => ({})) })).toHaveLength(50);
  });

  it('are only the first one where it would be much work to find all [TYP-32]', () => {
    const [problem, ...others] = validate({ list: many(200_000, () => ({ c: 1 })) });
    expect([problem?.loc, others]).toEqual([['body', 'input', 'list', 0, 'a'], []]);
  });
});
