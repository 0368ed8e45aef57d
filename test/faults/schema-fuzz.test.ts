/**
 * Random input schemas with random inputs: the bounded check says what the unbounded one says, and no check takes long.
 * `FUZZ_CASES` sets the number of cases.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/engine/domain.ts';
import { checkInputSchema, compileInputSchema } from '../../src/engine/schema/input-schema.ts';

const numRuns = Number(process.env.FUZZ_CASES ?? 500);
/** CPU of one check; a quarter of what may keep other calls waiting, because test machines are busy. */
const maxCpuMs = 500;

const names = fc.constantFrom('a', 'b', 'c', 'constructor');
const scalar = fc.constantFrom<JsonObject[string]>(null, true, 0, 1, 2.5, '', 'a', 'aab', '2024-01-31');
const references = fc.constantFrom('#', '#/$defs/x', '#/$defs/y', '#x', '#/properties/a');

/** Keywords of one part; `part` makes the parts inside. */
function arbitraryKeywords(part: fc.Arbitrary<unknown>) {
  const parts = fc.array(part, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(names, part, { maxKeys: 3 });
  return {
    type: fc.constantFrom('object', 'array', 'string', 'number', 'integer', ['object', 'null'], ['array', 'string']),
    enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 4 }),
    const: scalar,
    required: fc.uniqueArray(names, { maxLength: 2 }),
    minLength: fc.nat(3),
    pattern: fc.constantFrom('a', '^b+$', '(a|b)*c'),
    format: fc.constantFrom('date', 'email', 'uri'),
    minimum: fc.nat(3),
    maxItems: fc.nat(4),
    uniqueItems: fc.boolean(),
    minProperties: fc.nat(2),
    properties: map,
    patternProperties: fc.dictionary(fc.constantFrom('a', '[bc]', '^c'), part, { maxKeys: 2 }),
    additionalProperties: part,
    propertyNames: part,
    items: part,
    prefixItems: parts,
    contains: part,
    allOf: parts,
    anyOf: parts,
    oneOf: parts,
    not: part,
    if: part,
    then: part,
    else: part,
    dependentSchemas: map,
    dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), { maxKeys: 2 }),
    unevaluatedProperties: part,
    unevaluatedItems: part,
    $ref: references,
    $charge: fc.constantFrom<unknown>(0, 'x', { steps: -1 }),
  };
}

const { schema } = fc.letrec<{ part: unknown; schema: unknown }>((tie) => {
  const keywords = arbitraryKeywords(tie('part'));
  const own = fc
    .uniqueArray(fc.constantFrom(...(Object.keys(keywords) as (keyof typeof keywords)[])), {
      minLength: 1,
      maxLength: 4,
    })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((keyword) => [keyword, keywords[keyword]]))));
  return {
    part: fc.oneof({ maxDepth: 4, withCrossShrink: true }, fc.boolean(), own, own),
    schema: fc.tuple(own, own, own).map(([root, x, y]) => ({ ...root, $defs: { x: { ...x, $anchor: 'x' }, y } })),
  };
});

const { input } = fc.letrec<{ value: unknown; input: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3 }),
  ),
  input: fc.dictionary(names, tie('value'), { maxKeys: 4 }),
}));

function measure<T>(call: () => T): { result: T; cpuMs: number } {
  const before = process.cpuUsage();
  const result = call();
  const { user, system } = process.cpuUsage(before);
  return { result, cpuMs: (user + system) / 1000 };
}

/**
 * Judges by Ajv alone. Returns null where the code that Ajv writes fails (test/engine/ajv-repairs.test.ts). It takes an
 * inherited name for one that it has looked at, so that it gets another one, which all patterns here take for the same.
 */
function compileUnbounded(source: JsonObject): (value: unknown) => boolean | null {
  const rename = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('"constructor"', '"cxx"'));
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false, ownProperties: true });
  addFormats.default(ajv, { mode: 'fast' });
  const validate = ajv.compile(rename(source));
  return (value) => {
    try {
      return validate(rename(value));
    } catch (error) {
      if (error instanceof TypeError) return null;
      throw error;
    }
  };
}

describe('random schemas and inputs', () => {
  it(`are judged as without bounds, quickly (${numRuns} cases) [TYP-32]`, () => {
    let compared = 0;
    let refused = 0;
    fc.assert(
      fc.property(schema, fc.array(input, { minLength: 1, maxLength: 6 }), (source, inputs) => {
        if (checkInputSchema(source as JsonObject).length > 0) return;
        const bounded = compileInputSchema(source as JsonObject);
        const unbounded = compileUnbounded(source as JsonObject);
        for (const value of inputs) {
          const isFine = unbounded(value);
          const { result, cpuMs } = measure(() => bounded(value as JsonObject));
          expect(cpuMs).toBeLessThan(maxCpuMs);
          if (isFine === null) continue;
          expect(result.length === 0).toBe(isFine);
          compared += 1;
          if (!isFine) refused += 1;
        }
      }),
      { numRuns, seed: 20_240_131 },
    );
    expect(Math.min(compared - refused, refused)).toBeGreaterThan(numRuns / 4);
  }, 3_600_000);

  it('of parts that refer to themselves in several ways end, however deep the input is [TYP-32]', () => {
    const way = fc.constantFrom<JsonObject>(
      { properties: { a: { $ref: '#/$defs/n' } } },
      { properties: { a: { $ref: '#/$defs/n' } }, required: ['b'] },
      { additionalProperties: { $ref: '#/$defs/n' } },
      { patternProperties: { a: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } } },
      { not: { properties: { a: { $ref: '#/$defs/n' } }, required: ['a'] } },
    );
    const group = fc.constantFrom('allOf', 'anyOf', 'oneOf');
    const deep = Array.from({ length: 30 }).reduce<JsonObject>((inner) => ({ a: inner }), {});
    fc.assert(
      fc.property(group, fc.array(way, { minLength: 1, maxLength: 5 }), fc.boolean(), (keyword, ways, isClosed) => {
        const part = { [keyword]: ways, ...(isClosed ? { unevaluatedProperties: false } : {}) };
        const source = { $defs: { n: part }, $ref: '#/$defs/n' };
        expect(checkInputSchema(source)).toEqual([]);
        const check = compileInputSchema(source);
        const { result, cpuMs } = measure(() => check(deep));
        expect(cpuMs).toBeLessThan(maxCpuMs);
        expect(result.map(({ type }) => type)).not.toContain('input_steps');
      }),
      { numRuns: Math.ceil(numRuns / 10), seed: 20_240_131 },
    );
  }, 3_600_000);
});
