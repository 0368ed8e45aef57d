import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { foldCase } from '../../../src/engine/code-points.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { parseCondition } from '../../../src/engine/rules/parsing/parse.ts';
import { loadRules } from '../../../src/engine/rules/rules-file.ts';
import { findEdgePython } from '../../edge-python.ts';
import { traceInPython } from './python-rules.ts';
import { createRandom, randomCondition, randomInput } from './rules-fuzz.ts';

/**
 * Both evaluators over the same random rules and inputs. RULES_FUZZ_CASES (default 2,000) and
 * RULES_FUZZ_SEED (default fresh) may be set; the seed is printed with any difference, and what differed is saved in
 * test/cases/rules-differences.json, whose cases are tried first from then on.
 */
const python = await findEdgePython();
const count = Number(process.env.RULES_FUZZ_CASES ?? 2000);
const seed = Number(process.env.RULES_FUZZ_SEED ?? Date.now() % 2 ** 32);

type Saved = { condition: string; input: JsonObject };
const savedPath = new URL('../../cases/rules-differences.json', import.meta.url);
const saved = JSON.parse(readFileSync(savedPath, 'utf8')) as Saved[];

it.skipIf(python === null)(
  `${count} random rules give the same outcome, error and trace in both languages (seed ${seed})`,
  {
    timeout: 600_000,
  },
  () => {
    const random = createRandom(seed);
    const cases = [];
    for (let i = 0; cases.length < count; i++) {
      const { condition, input } = saved[i] ?? { condition: randomCondition(random), input: randomInput(random) };
      const { ast } = parseCondition(condition);
      if (!ast) continue;
      cases.push({ rule: { name: 'r', condition, then: 'x', reason_code: null, priority: 1, ast }, input });
    }
    const theirs = traceInPython(python ?? '', cases);
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
      const other = theirs[i];
      if (!isDeepStrictEqual(other, ours)) differing.push({ condition: one.rule.condition, input });
    });
    if (differing.length > 0) writeFileSync(savedPath, `${JSON.stringify([...saved, ...differing], null, 2)}\n`);
    expect(differing, `seed ${seed}`).toEqual([]);
    // Guards against a generator that only makes errors.
    for (const outcome of ['matched', 'not_matched', 'error'] as const)
      expect(outcomes[outcome]).toBeGreaterThan(count / 20);
  },
);

/** Letters that Unicode has had only since 14, which the tables of older Pythons do not know. */
const newLetters =
  /[\u1c89\u1c8a\u2c2f\u2c5f\ua7c0\ua7c1\ua7cb-\ua7dc\u{10570}-\u{105bc}\u{10d50}-\u{10d85}\u{16ea0}-\u{16ed3}]/u;

it.skipIf(python === null)(
  'foldCase folds every letter alike in both languages, alone and before an accent [RSH-14]',
  () => {
    const condition = 'ctx.texts.all(text, text.foldCase() == ctx.folded[int(text.split(" ")[1])])';
    const { ast } = parseCondition(condition);
    const rule = { name: 'r', condition, then: 'x', reason_code: null, priority: 1, ast };
    const letters: string[] = [];
    for (let code = 0; code < 0x1f000; code++) {
      const letter = String.fromCodePoint(code);
      if (/[\p{L}\p{M}]/u.test(letter) && foldCase(letter) !== letter && !newLetters.test(letter)) letters.push(letter);
    }
    expect(letters.length).toBeGreaterThan(1_500);
    const cases = [];
    for (let from = 0; from < letters.length; from += 200) {
      const texts = letters.slice(from, from + 200).map((letter, i) => `${letter}${letter}\u0308 ${i}`);
      cases.push({ rule, input: { texts, folded: texts.map(foldCase) } });
    }
    for (const traced of traceInPython(python ?? '', cases))
      expect(traced).toMatchObject({ outcome: 'matched', error: null });
  },
);
