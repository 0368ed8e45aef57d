/**
 * Sets of 200 rules that are as heavy as a body allows, and random ones with random schemas: checking them never takes
 * long. FUZZ_CASES sets the number of random sets, FUZZ_SEED which ones.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { checkRules } from '../../../src/server/preparation/rules/rules-findings.ts';
import { createRandom, randomCondition } from '../../engine/rules/rules-fuzz.ts';
import { inLongRun } from '../tools/in-long-run.ts';
import { schema } from '../tools/random-schemas.ts';

const cases = Number(process.env['FUZZ_CASES'] ?? 50);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
/** CPU of one check; four times what was measured, because test machines are busy. */
const maxCpuMs = inLongRun(1_000);

/** Checks rules for two options, and returns the answer with the milliseconds of CPU that it took. */
function measureCheck(rules: Rule[], input_schema: JsonObject | null) {
  const before = process.cpuUsage();
  const answer = checkRules({ rules, options: ['yes', 'no'], reason_codes: [], lists: {}, input_schema });
  const { user, system } = process.cpuUsage(before);
  return { ...answer, cpuMs: (user + system) / 1000 };
}

const join = (length: number, write: (n: number) => string, separator: string) =>
  Array.from({ length }, (_, n) => write(n)).join(separator);

function writeRules(write: (n: number) => string): Rule[] {
  return Array.from({ length: 200 }, (_, n) => ({
    name: `r${n}`,
    priority: n,
    condition: write(n),
    then: n % 2 ? 'yes' : 'no',
    reason_code: null,
  }));
}

const listSchema: JsonObject = { properties: { f: { enum: Array.from({ length: 9_000 }, (_, n) => n) } } };
const wideSchema: JsonObject = {
  properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`field${n}`, { type: 'number' }])),
};

describe('a check of 200 heavy rules ends soon', () => {
  it.each<[string, (n: number) => string, JsonObject | null]>([
    ['patterns of 150 alternatives', (n) => `ctx.s.matches("${join(150, (k) => `w${n}x${k}`, '|')}")`, null],
    ['many repetitions', (n) => join(40, (k) => `ctx.s.matches("(a|b${n}){1,90}c${k}")`, ' || '), null],
    ['patterns of literals', (n) => join(40, (k) => `"aaa".matches("(a|b${n}){1,90}c${k}")`, ' || '), null],
    ['many comparisons with a long list', (n) => join(31, (k) => `ctx.f != ${k + n}`, ' || '), listSchema],
    ['long lists', (n) => `ctx.f in [${join(400, (k) => `${k + n}`, ',')}] || ctx.f == 7`, listSchema],
    ['unknown names', (n) => join(100, (k) => `ctx.fields${k}${n} > 1`, ' && '), wideSchema],
    ['many alternatives', (n) => join(32, (k) => `ctx.f${k} == ${n}`, ' || '), null],
  ])('%s [RUL-1]', (_name, write, inputSchema) => {
    const { ok, problems, cpuMs } = measureCheck(writeRules(write), inputSchema);
    expect(cpuMs).toBeLessThan(maxCpuMs);
    if (!ok) expect(problems[0]).toMatchObject({ field: 'condition', message: expect.stringContaining('patterns') });
  });
});

describe('a check of random rules', () => {
  it(`ends soon, and finds no more than it may tell (${cases} sets) [RUL-1]`, () => {
    const random = createRandom(seed);
    const schemas = fc.sample(schema, { numRuns: cases, seed }) as JsonObject[];
    let sound = 0;
    for (const [n, inputSchema] of schemas.entries()) {
      const count = 1 + random.below(n % 20 === 0 ? 200 : 20);
      const rules = writeRules(() => randomCondition(random)).slice(0, count);
      const { ok, findings, cpuMs } = measureCheck(rules, inputSchema);
      expect(cpuMs, JSON.stringify({ rules, inputSchema })).toBeLessThan(maxCpuMs);
      expect(findings.length).toBeLessThanOrEqual(500);
      if (ok) sound += 1;
    }
    expect(sound).toBeGreaterThan(cases / 10);
  }, 7_200_000);
});
