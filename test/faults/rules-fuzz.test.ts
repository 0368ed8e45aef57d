/** Sets of 200 rules that are as heavy as a body allows: checking them never keeps other calls waiting. */
import { describe, expect, it } from 'vitest';
import type { JsonObject, Rule } from '../../src/engine/domain.ts';
import { checkRules } from '../../src/server/preparation/rules-findings.ts';

/** CPU of one check; four times what was measured, because test machines are busy. */
const maxCpuMs = 2_000;

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
  ])('%s [RUL-1]', (_name, write, schema) => {
    const before = process.cpuUsage();
    const { ok, problems } = checkRules({
      rules: writeRules(write),
      options: ['yes', 'no'],
      reason_codes: [],
      input_schema: schema,
    });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(maxCpuMs);
    if (!ok) expect(problems[0]).toMatchObject({ field: 'condition', message: expect.stringContaining('patterns') });
  });
});
