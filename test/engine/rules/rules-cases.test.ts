import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/engine/json.ts';
import { compileRules } from '../../../src/engine/rules/compile.ts';
import { parseCondition } from '../../../src/engine/rules/parsing/parse.ts';
import { loadRules } from '../../../src/engine/rules/rules-file.ts';

/** Language-neutral cases; `edge/tests/rules/test_rules.py` reads the same file. `UPDATE_CASES=1` rewrites the trees. */
type Case = {
  name: string;
  condition: string;
  input: JsonObject;
  outcome: 'matched' | 'not_matched' | 'error';
  error: string | null;
  values?: { expression: string; value: unknown }[];
  ast?: unknown;
};

const file = new URL('../../cases/rules.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: Case[] };

if (process.env.UPDATE_CASES) {
  const lines = cases.map((one) => `    ${JSON.stringify({ ...one, ast: parseCondition(one.condition).ast })}`);
  writeFileSync(file, `{\n  "cases": [\n${lines.join(',\n')}\n  ]\n}\n`);
}

describe('a rule gives the value, the error and the trace that the cases say [RUL-2] [RUL-10] [RUL-11]', () => {
  it.each(cases)('$name', (one) => {
    const { ast, problems } = parseCondition(one.condition);
    expect(problems).toEqual([]);
    if (!process.env.UPDATE_CASES) expect(JSON.parse(JSON.stringify(ast))).toEqual(one.ast);
    const rule = { name: one.name, condition: one.condition, then: 'yes', reason_code: null, priority: 1 };
    const rules = loadRules({ rules: [{ ...rule, ast }] });
    const traced = rules.evaluate(one.input, true);
    expect(traced.trace[0]).toMatchObject({ name: one.name, outcome: one.outcome, error: one.error });
    if (one.values) expect(traced.trace[0]?.values).toEqual(one.values);
    const fast = rules.evaluate(one.input, false);
    expect(fast).toEqual({ ...traced, trace: [] });
    expect(fast.matched !== null).toBe(one.outcome === 'matched');
  });

  it('compiles the same conditions as rules of a decision type', () => {
    const compiled = compileRules(
      cases
        .slice(0, 20)
        .map((one) => ({ name: one.name, condition: one.condition, then: 'yes', reason_code: null, priority: 1 })),
      { options: ['yes', 'no'], reason_codes: [] },
    );
    expect(compiled.ok).toBe(true);
  });
});
