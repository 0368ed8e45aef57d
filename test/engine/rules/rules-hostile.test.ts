import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../src/engine/errors.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import { formatCondition } from '../../../src/engine/rules/analysis/editor.ts';
import { lintRules } from '../../../src/engine/rules/analysis/lint.ts';
import { toTable } from '../../../src/engine/rules/analysis/table.ts';
import { compileRules } from '../../../src/engine/rules/compile.ts';
import { parseCondition } from '../../../src/engine/rules/parsing/parse.ts';
import { loadRules } from '../../../src/engine/rules/rules-file.ts';

/**
 * Rules and inputs that are meant to break the language; `edge/tests/rules/test_rules.py` reads the same file. Long and
 * deep values are written short: {"$repeat": [text, n]}, {"$copies": [value, n]}, {"$join": [texts]}, {"$keys": n},
 * {"$lists": [n, value]} and {"$nested": [field, n, value, beside]}. `UPDATE_CASES=1` rewrites outcomes and trees.
 */
type Evaluated = {
  name: string;
  condition: Json;
  input: Json;
  kind: string | null;
  outcome?: string;
  error?: string | null;
  ast?: unknown;
};
type Hostile = {
  refused: { name: string; condition: Json }[];
  evaluated: Evaluated[];
  trees: { name: string; ast: Json }[];
};

const file = new URL('../../cases/rules-hostile.json', import.meta.url);
const hostile = JSON.parse(readFileSync(file, 'utf8')) as Hostile;

function expand(value: Json): Json {
  if (Array.isArray(value)) return value.map(expand);
  if (typeof value !== 'object' || value === null) return value;
  const list = (name: string) => (Object.hasOwn(value, name) ? (value[name] as Json[]) : null);
  const repeat = list('$repeat');
  if (repeat) return String(repeat[0]).repeat(Number(repeat[1]));
  const copies = list('$copies');
  if (copies) return Array.from({ length: Number(copies[1]) }, () => expand(copies[0] ?? null));
  const join = list('$join');
  if (join) return join.map(expand).join('');
  if (Object.hasOwn(value, '$keys'))
    return Object.fromEntries(Array.from({ length: Number(value.$keys) }, (_, i) => [`k${i}`, i]));
  const lists = list('$lists');
  if (lists) {
    let inner = expand(lists[1] ?? null);
    for (let i = 0; i < Number(lists[0]); i++) inner = [inner];
    return inner;
  }
  const nested = list('$nested');
  if (nested) {
    let inner = expand(nested[2] ?? null);
    for (let i = 0; i < Number(nested[1]); i++)
      inner = { ...((nested[3] ?? {}) as JsonObject), [String(nested[0])]: inner };
    return inner;
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(member)]));
}

const ruleOf = (condition: string) => ({ name: 'r', condition, then: 'yes', reason_code: null, priority: 1 });

if (process.env.UPDATE_CASES) {
  const evaluated = hostile.evaluated.map(({ name, condition, input, kind }): Evaluated => {
    const { ast } = parseCondition(String(expand(condition)));
    const [entry] = loadRules({ rules: [{ ...ruleOf(String(expand(condition))), ast }] }).evaluate(
      expand(input) as JsonObject,
      true,
    ).trace;
    return { name, condition, input, kind, outcome: entry?.outcome ?? '', error: entry?.error ?? null, ast };
  });
  const ascii = (value: unknown) =>
    JSON.stringify(value).replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  const lines = (list: unknown[]) => list.map((one) => `    ${ascii(one)}`).join(',\n');
  writeFileSync(
    file,
    `{\n  "refused": [\n${lines(hostile.refused)}\n  ],\n  "evaluated": [\n${lines(evaluated)}\n  ],\n  "trees": [\n${lines(hostile.trees)}\n  ]\n}\n`,
  );
}

describe('hostile conditions are refused with a place', () => {
  it.each(hostile.refused)('$name', ({ condition }) => {
    const source = String(expand(condition));
    const result = compileRules([ruleOf(source)], { options: ['yes'], reason_codes: [] });
    expect(result.ok).toBe(false);
    const problems = result.ok ? [] : result.problems;
    expect(problems.length).toBeGreaterThan(0);
    for (const { message, suggestion, range } of problems) {
      expect(`${message} ${suggestion}`).not.toMatch(/object Object|native code|undefined/);
      expect(range.start).toBeLessThanOrEqual(range.end);
      expect(range.end).toBeLessThanOrEqual(source.length);
    }
    formatCondition(source);
    toTable(source);
  });
});

describe('hostile rules and inputs end within their steps and tell nothing of the input', () => {
  it.each(hostile.evaluated)('$name', (one) => {
    const source = String(expand(one.condition));
    const { ast, problems } = parseCondition(source);
    expect(problems).toEqual([]);
    if (!process.env.UPDATE_CASES) expect(JSON.parse(JSON.stringify(ast))).toEqual(one.ast);
    const rules = loadRules({ rules: [{ ...ruleOf(source), ast }] });
    const input = expand(one.input) as JsonObject;
    const traced = rules.evaluate(input, true);
    const [entry] = traced.trace;
    const kind = entry?.error?.split(': ')[0] ?? null;
    expect(kind).toBe(one.kind);
    if (!process.env.UPDATE_CASES) expect(entry).toMatchObject({ outcome: one.outcome, error: one.error });
    // The kind, and a piece of the rule as it was written: no place is left for a value.
    if (entry?.error) expect(source).toContain(entry.error.slice(`${kind}: `.length));
    expect(entry?.error ?? '').not.toMatch(/s3cret|4711/);
    expect(rules.evaluate(input, false)).toEqual({ ...traced, trace: [] });
    lintRules(rules.file.rules, null);
  });
});

describe('hostile trees are refused by name of the rule', () => {
  it.each(hostile.trees)('$name', ({ ast }) => {
    const load = () => loadRules({ rules: [{ ...ruleOf('true'), ast: expand(ast) }] });
    expect(load).toThrow(WorkbenchError);
    expect(load).toThrow('rule 1');
  });
});
