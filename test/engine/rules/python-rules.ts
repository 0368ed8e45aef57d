/** The rules evaluator of the Python package, asked in a process of its own. */
import { spawnSync } from 'node:child_process';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import type { JsonObject } from '../../../src/engine/json.ts';

const child = `
import json, sys
from decision_edge import _rules as rules
out = []
for line in sys.stdin.buffer.read().split(b"\\n"):
    case = json.loads(line)
    ctx = json.loads(line, parse_int=float)["input"]
    out.append(rules.load_rules({"rules": [case["rule"]]}).trace(ctx)[0])
json.dump(out, sys.stdout)
`;

type RuleCase = { rule: Rule & { ast: unknown }; input: JsonObject };

/** The trace of each rule on its input; rules are as `rules.json` has them, with their trees. */
export function traceInPython(python: string, cases: readonly RuleCase[]): unknown[] {
  const ran = spawnSync(python, ['-c', child], {
    input: cases.map((one) => JSON.stringify(one)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (ran.stderr !== '') throw new Error(ran.stderr);
  return JSON.parse(ran.stdout);
}
