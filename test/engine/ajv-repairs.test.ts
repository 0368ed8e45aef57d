/** Schemas and inputs on which Ajv alone fails or errs, and what they mean. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/engine/domain.ts';
import { checkInputSchema, compileInputSchema } from '../../src/engine/schema/input-schema.ts';

type Case = { name: string; schema: JsonObject; fits: JsonObject[]; fails: JsonObject[] };

const cases: Case[] = [
  {
    name: 'patterns of names after an alternative that closes the object',
    schema: {
      anyOf: [{ additionalProperties: false }, { required: ['a'] }],
      patternProperties: { '^a': { type: 'number' } },
    },
    fits: [{}, { a: 1 }, { a: 1, b: 'x' }],
    fails: [{ a: 'x' }, { b: 1 }, { ab: 1 }],
  },
  {
    name: 'patterns of names after a condition that evaluates nothing or everything',
    schema: {
      if: { required: ['q'] },
      then: { additionalProperties: true },
      patternProperties: { '^a': { type: 'number' } },
      unevaluatedProperties: false,
    },
    fits: [{}, { a: 1 }, { q: 1, a: 1, b: 1 }],
    fails: [{ b: 1 }, { a: 1, b: 1 }, { q: 1, a: 'x', b: 1 }],
  },
  {
    name: 'a name that every object inherits is not evaluated',
    schema: { anyOf: [{ properties: { b: true } }, true], unevaluatedProperties: false },
    fits: [{ b: 1 }],
    fails: [{ constructor: 1 }, { valueOf: 1 }],
  },
  {
    name: 'values with a property that is called valueOf',
    schema: { properties: { a: { enum: [{ b: 1 }, [2]] }, c: { const: { valueOf: 1 } } } },
    fits: [{ a: { b: 1 } }, { a: [2] }, { c: { valueOf: 1 } }],
    fails: [{ a: { valueOf: 1 } }, { a: { toString: 1 } }, { c: { valueOf: 2 } }, { a: { constructor: 1 } }],
  },
];

describe('where Ajv fails or errs', () => {
  it.each(cases)('$name [TYP-32]', ({ schema, fits, fails }) => {
    expect(checkInputSchema(schema)).toEqual([]);
    const check = compileInputSchema(schema);
    for (const input of fits) expect(check(input)).toEqual([]);
    for (const input of fails) expect(check(input)).not.toEqual([]);
  });

  it.each(cases)('$name: the repair is still needed', ({ schema, fits, fails }) => {
    const validate = new Ajv2020({ allErrors: true, strict: false, ownProperties: true }).compile(schema);
    const judge = (input: JsonObject): boolean | null => {
      try {
        return validate(input);
      } catch {
        return null;
      }
    };
    expect([...fits.map(judge), ...fails.map(judge)]).not.toEqual([...fits.map(() => true), ...fails.map(() => false)]);
  });

  it('values with many parts are compared within the steps [TYP-32]', () => {
    const check = compileInputSchema({
      properties: { a: { anyOf: Array.from({ length: 500 }, (_, n) => ({ enum: [[n]] })) } },
    });
    const { user, system } = process.cpuUsage();
    const long = { a: Array.from({ length: 200_000 }, () => 0) };
    expect(check(long).map(({ type }) => type)).toEqual(['input_steps']);
    const after = process.cpuUsage();
    expect((after.user + after.system - user - system) / 1000).toBeLessThan(2_000);
  });
});
