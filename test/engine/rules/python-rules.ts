/** The rules evaluator of the Python package, asked in a process of its own. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import type { JsonObject } from '../../../src/engine/json.ts';

const child = `
import json, sys
sys.path.insert(0, sys.argv[1])
from rule_traces import trace_rules
out = []
for line in sys.stdin.buffer.read().split(b"\\n"):
    case = json.loads(line)
    ctx = json.loads(line, parse_int=float)["input"]
    out.append(trace_rules([case["rule"]], ctx)[0])
json.dump(out, sys.stdout)
`;

const tracer = resolve(import.meta.dirname, '../../../edge/tests/rules');

type RuleCase = { rule: Rule & { ast: unknown }; input: JsonObject };

/** The trace of each rule on its input; rules are as `rules.json` has them, with their trees. */
export function traceInPython(python: string, cases: readonly RuleCase[]): unknown[] {
  const ran = spawnSync(python, ['-c', child, tracer], {
    input: cases.map((one) => JSON.stringify(one)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (ran.stderr !== '') throw new Error(ran.stderr);
  return JSON.parse(ran.stdout);
}
