/** The rules evaluator of the Python package, asked in a process of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import type { JsonObject } from '../../../src/engine/json.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const ownPython = `${root}.venv-edge/bin/python`;
const python = process.env.RULES_PYTHON ?? (existsSync(ownPython) ? ownPython : 'python3');

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

/**
 * The trace of each rule on its input; null for a pattern where this Python has no RE2. Rules are as `rules.json` has
 * them, with their trees.
 */
export function traceInPython(cases: readonly { rule: Rule & { ast: unknown }; input: JsonObject }[]): unknown[] {
  const ran = spawnSync(python, ['-c', child, `${root}edge/src/decision_edge`], {
    input: cases.map((one) => JSON.stringify(one)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (ran.stderr !== '') throw new Error(ran.stderr);
  const { has_re2, traces } = JSON.parse(ran.stdout) as { has_re2: boolean; traces: unknown[] };
  if (python === ownPython && !has_re2) throw new Error('The environment of the Python package has no RE2.');
  return traces;
}
