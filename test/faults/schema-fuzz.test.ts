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
import { input, schema } from './random-schemas.ts';

const numRuns = Number(process.env.FUZZ_CASES ?? 500);
/** CPU of one check; a quarter of what may keep other calls waiting, because test machines are busy. */
const maxCpuMs = 500;

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
  }, 7_200_000);

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
  }, 7_200_000);
});
