import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/engine/domain.ts';
import { loadRules } from '../../src/engine/rules/compile.ts';
import { parseCondition } from '../../src/engine/rules/parse.ts';
import { createRandom, randomCondition, randomInput } from './rules-fuzz.ts';

/**
 * Both evaluators over the same random rules and inputs. RULES_FUZZ_CASES (default 2,000) and
 * RULES_FUZZ_SEED (default fresh) may be set; the seed is printed with any difference, and what differed is saved in
 * test/cases/rules-differences.json, whose cases are tried first from then on.
 */
const count = Number(process.env.RULES_FUZZ_CASES ?? 2000);
const seed = Number(process.env.RULES_FUZZ_SEED ?? Date.now() % 2 ** 32);

const root = fileURLToPath(new URL('../..', import.meta.url));
const ownPython = `${root}.venv-edge/bin/python`;
const python = process.env.RULES_PYTHON ?? (existsSync(ownPython) ? ownPython : 'python3');

type Saved = { condition: string; input: JsonObject };
const savedPath = `${root}test/cases/rules-differences.json`;
const saved = JSON.parse(readFileSync(savedPath, 'utf8')) as Saved[];

// Loads the rules without the package's own __init__, so that a Python without the package's dependencies will do.
const child = `
import json, sys, types
package = sys.modules["decision_edge"] = types.ModuleType("decision_edge")
package.__path__ = [sys.argv[1]]
from decision_edge import _rules as rules
try:
    import re2
    has_re2 = True
except ImportError:
    has_re2 = False
out = []
for line in sys.stdin.buffer.read().split(b"\\n"):
    if not line:
        continue
    case = json.loads(line)
    if "matches(" in case["rule"]["condition"] and not has_re2:
        out.append(None)
        continue
    ctx = json.loads(line, parse_int=float)["input"]
    out.append(rules.load_rules({"rules": [case["rule"]]}).trace(ctx)[0])
json.dump({"has_re2": has_re2, "traces": out}, sys.stdout)
`;

it(`${count} random rules give the same outcome, error and trace in both languages (seed ${seed})`, {
  timeout: 300_000,
}, () => {
  const random = createRandom(seed);
  const cases = [];
  for (let i = 0; cases.length < count; i++) {
    const { condition, input } = saved[i] ?? { condition: randomCondition(random), input: randomInput(random) };
    const { ast } = parseCondition(condition);
    if (!ast) continue;
    cases.push({ rule: { name: 'r', condition, then: 'x', reason_code: null, priority: 1, ast }, input });
  }
  const batch = cases.map((one) => JSON.stringify(one)).join('\n');
  const ran = spawnSync(python, ['-c', child, `${root}edge/src/decision_edge`], {
    input: batch,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  expect(ran.stderr).toBe('');
  const theirs = JSON.parse(ran.stdout) as { has_re2: boolean; traces: unknown[] };
  if (python === ownPython) expect(theirs.has_re2).toBe(true);
  const differing: Saved[] = [];
  const outcomes = { matched: 0, not_matched: 0, error: 0, not_reached: 0 };
  cases.forEach((one, i) => {
    const rules = loadRules({ rules: [JSON.parse(JSON.stringify(one.rule))] });
    const input = JSON.parse(JSON.stringify(one.input));
    const ours = JSON.parse(JSON.stringify(rules.evaluate(input, true).trace[0]));
    outcomes[ours.outcome as keyof typeof outcomes]++;
    const fast = rules.evaluate(input, false);
    expect(fast.matched !== null, one.rule.condition).toBe(ours.outcome === 'matched');
    expect(fast.errors.length, one.rule.condition).toBe(ours.outcome === 'error' ? 1 : 0);
    const other = theirs.traces[i];
    if (other !== null && !isDeepStrictEqual(other, ours)) differing.push({ condition: one.rule.condition, input });
  });
  if (differing.length > 0) writeFileSync(savedPath, `${JSON.stringify([...saved, ...differing], null, 2)}\n`);
  expect(differing, `seed ${seed}`).toEqual([]);
  // Guards against a generator that only makes errors.
  for (const outcome of ['matched', 'not_matched', 'error'] as const)
    expect(outcomes[outcome]).toBeGreaterThan(count / 20);
});
