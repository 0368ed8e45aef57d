/**
 * Random input schemas with random inputs: what may be saved is judged as Ajv judges it by itself, and no check that is
 * called light takes long. `FUZZ_CASES` sets the number of cases.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { checkInputSchema, compileInputSchema, maxLightWork } from '../../../src/engine/schema/input-schema.ts';
import { inLongRun } from '../tools/in-long-run.ts';
import { input, schema } from '../tools/random-schemas.ts';

const numRuns = Number(process.env.FUZZ_CASES ?? 100);
/** CPU of one check that is called light. */
const maxCpuMs = inLongRun(250);

function measure<T>(call: () => T): { result: T; cpuMs: number } {
  const before = process.cpuUsage();
  const result = call();
  const { user, system } = process.cpuUsage(before);
  return { result, cpuMs: (user + system) / 1000 };
}

/** Judges by Ajv alone, with its own patterns. */
function compileByItself(source: JsonObject): (value: unknown) => boolean {
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false, ownProperties: true });
  addFormats.default(ajv, { mode: 'fast' });
  return ajv.compile(source);
}

/** The judgement of Ajv by itself; null where its own code throws, as for some `patternProperties` beside `oneOf`. */
function ask(judge: (value: unknown) => boolean, value: JsonObject): boolean | null {
  try {
    return judge(value);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** An input with a long list, a long text or many names in it. */
function inflate(value: object, key: string): JsonObject[] {
  const large = [
    'ab'.repeat(50_000),
    Array.from({ length: 30_000 }, () => ({})),
    Array.from({ length: 20_000 }, () => 'aab'),
    Object.fromEntries(Array.from({ length: 1_900 }, (_, n) => [`a${n}`, n])),
  ];
  return large.map((each) => ({ ...value, [key]: each }));
}

describe('random schemas and inputs', () => {
  it(`are judged as by Ajv, quickly (${numRuns} cases) [TYP-32]`, () => {
    let compared = 0;
    let refused = 0;
    let unjudged = 0;
    let slowest = { cpuMs: 0, what: '' };
    fc.assert(
      fc.property(schema, fc.array(input, { minLength: 1, maxLength: 6 }), (drawn, inputs) => {
        const source = JSON.parse(JSON.stringify(drawn)) as JsonObject;
        if (checkInputSchema(source).length > 0) return;
        const validate = compileInputSchema(source);
        const judge = compileByItself(source);
        const check = (value: JsonObject) => {
          const { result, cpuMs } = measure(() => validate(value));
          if (cpuMs > slowest.cpuMs) slowest = { cpuMs, what: JSON.stringify(source) };
          return result.length === 0;
        };
        for (const value of inputs as JsonObject[]) {
          const isFine = ask(judge, value);
          const ours = check(value);
          if (isFine === null) {
            unjudged += 1;
            continue;
          }
          expect(ours).toBe(isFine);
          compared += 1;
          if (!isFine) refused += 1;
        }
        for (const value of inflate(inputs[0] as JsonObject, compared % 2 === 0 ? 'a' : 'b')) {
          if (validate.estimateWork(value) <= maxLightWork) check(value);
        }
      }),
      { numRuns, seed: 20_240_131 },
    );
    process.stdout.write(`${JSON.stringify(slowest)}\n`);
    expect(slowest.cpuMs, slowest.what).toBeLessThan(maxCpuMs);
    expect(Math.min(compared - refused, refused)).toBeGreaterThan(numRuns / 5);
    expect(unjudged).toBeLessThanOrEqual(numRuns / 1_000);
  }, 7_200_000);

  it('that refer to themselves are refused, or end however deep the input is [TYP-32]', () => {
    const way = fc.constantFrom<JsonObject>(
      { properties: { a: { $ref: '#/$defs/n' } } },
      { properties: { a: { $ref: '#/$defs/n' } }, required: ['b'] },
      { additionalProperties: { $ref: '#/$defs/n' } },
      { patternProperties: { a: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } } },
      { not: { properties: { a: { $ref: '#/$defs/n' } }, required: ['a'] } },
    );
    let accepted = 0;
    const group = fc.constantFrom('allOf', 'anyOf', 'oneOf');
    const deep = Array.from({ length: 30 }).reduce<JsonObject>((inner) => ({ a: inner }), {});
    fc.assert(
      fc.property(group, fc.array(way, { minLength: 1, maxLength: 5 }), fc.boolean(), (keyword, ways, isClosed) => {
        const part = { [keyword]: ways, ...(isClosed ? { unevaluatedProperties: false } : {}) };
        const source = { $defs: { n: part }, $ref: '#/$defs/n' };
        const types = checkInputSchema(source).map(({ type }) => type);
        expect(['', 'schema_work', 'schema_keyword']).toContain(types.join());
        if (types.length > 0) return;
        const check = compileInputSchema(source);
        expect(measure(() => check(deep)).cpuMs).toBeLessThan(maxCpuMs);
        accepted += 1;
      }),
      { numRuns: Math.ceil(numRuns / 10), seed: 20_240_131 },
    );
    expect(accepted).toBeGreaterThan(0);
  }, 7_200_000);
});
