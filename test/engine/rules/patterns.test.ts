import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import { compileLinearPattern, weighPattern } from '../../../src/engine/patterns.ts';
import { parseCondition } from '../../../src/engine/rules/parsing/parse.ts';
import { loadRules } from '../../../src/engine/rules/rules-file.ts';

/**
 * Weights of patterns, and what becomes of rules that share the steps of one decision;
 * `edge/tests/rules/test_patterns.py` reads the same file. Inputs are written short: {"$repeat": [text, n]},
 * {"$copies": [value, n]}. `UPDATE_CASES=1` rewrites weights, trees and outcomes.
 */
type Decision = {
  name: string;
  /** Conditions, each with how many rules have it. */
  rules: [string, number][];
  input: JsonObject;
  outcomes: string[];
  /** The syntax tree of each condition. */
  trees?: unknown[];
};
type Cases = { weights: [string, number][]; decisions: Decision[] };

const file = new URL('../../cases/patterns.json', import.meta.url);
const cases = JSON.parse(readFileSync(file, 'utf8')) as Cases;

function expand(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (Array.isArray(value.$repeat)) return String(value.$repeat[0]).repeat(Number(value.$repeat[1]));
  const copies = value.$copies;
  if (Array.isArray(copies)) return Array.from({ length: Number(copies[1]) }, () => copies[0] ?? null);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(member)]));
}

const ruleOf = (condition: string, n: number): Rule => ({
  name: `r${n}`,
  condition,
  then: 'yes',
  reason_code: null,
  priority: n + 1,
});

/** Loads rules as a stored bundle holds them, which may have been saved before there were limits on patterns. */
function load(conditions: readonly string[]) {
  return loadRules({
    rules: conditions.map((condition, n) => ({ ...ruleOf(condition, n), ast: parseCondition(condition).ast })),
  });
}

function decide({ rules: written, input }: Decision): string[] {
  const rules = load(written.flatMap(([condition, copies]) => Array.from({ length: copies }, () => condition)));
  const traced = rules.evaluate(expand(input) as JsonObject, true);
  const fast = rules.evaluate(expand(input) as JsonObject, false);
  expect(fast).toEqual({ ...traced, trace: [] });
  return traced.trace.map(({ outcome, error }) => error?.split(':')[0] ?? outcome);
}

if (process.env.UPDATE_CASES) {
  const weights = cases.weights.map(([pattern]) => [pattern, weighPattern(pattern)]);
  const decisions = cases.decisions.map((one) => ({
    ...one,
    outcomes: decide(one),
    trees: one.rules.map(([condition]) => parseCondition(condition).ast),
  }));
  const lines = (list: unknown[]) => list.map((one) => `    ${JSON.stringify(one)}`).join(',\n');
  writeFileSync(file, `{\n  "weights": [\n${lines(weights)}\n  ],\n  "decisions": [\n${lines(decisions)}\n  ]\n}\n`);
}

describe('the weight of a pattern', () => {
  it.each(cases.weights)('%j is %d', (pattern, weight) => {
    expect(weighPattern(pattern)).toBe(weight);
  });

  it('is never much less than the instructions of the compiled pattern', () => {
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(
          'a',
          'Z',
          '.',
          '[a-z]',
          '[^x]',
          '\\d',
          '\\pL',
          '\\p{Greek}',
          '\\x{1F600}',
          '(?i)ab',
          '\\b',
          'é',
        ),
        fc.tuple(tie('pattern'), tie('pattern')).map((both) => both.join('')),
        fc.tuple(tie('pattern'), tie('pattern')).map((both) => `(${both.join('|')})`),
        fc
          .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '*?', '{3}', '{2,}', '{1,9}', '{0,4}?'))
          .map(([inner, often]) => `(?:${inner})${often}`),
      ),
    }));
    fc.assert(
      fc.property(pattern, (source) => {
        const { size, weight } = compileLinearPattern(source);
        expect(weight * 2).toBeGreaterThanOrEqual(size);
      }),
      { numRuns: 2_000, seed: 20_240_131 },
    );
  });
});

describe('the rules of one decision share their steps [RUL-10]', () => {
  it.each(cases.decisions)('$name', (one) => {
    expect(decide(one)).toEqual(one.outcomes);
    expect(one.outcomes).toContain('limit');
  });
});
