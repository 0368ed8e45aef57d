import { describe, expect, it } from 'vitest';
import type { GoldenOutput } from '../../../src/engine/bundle/manifest.ts';
import { toGoldenOutput } from '../../../src/engine/bundle/manifest.ts';
import { compileDecider, type DeciderPorts } from '../../../src/engine/decide/decider.ts';
import { type DecisionResult, runGolden } from '../../../src/engine/decide/golden.ts';
import type { Decision } from '../../../src/engine/domain/decision.ts';
import { WorkbenchError } from '../../../src/engine/errors.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { checkInputSchema, compileInputSchema } from '../../../src/engine/schema/input-schema.ts';
import { amountModel, amountPlan, bundleOf, zeros } from '../bundle-fixture.ts';

let clock = 0;
const now = () => ++clock;
const plain: DeciderPorts = { encoder: null, tokenizer: null, now };

/** logit(p)/2: the amount at which the larger option has probability p. */
const amountFor = (p: number) => Math.log(p / (1 - p)) / 2;

function decided(result: DecisionResult | Promise<DecisionResult>): Decision {
  if (result instanceof Promise || !result.ok) throw new Error('expected a decision at once');
  return result.decision;
}
const decide = (overrides: Parameters<typeof bundleOf>[0], input: JsonObject) =>
  decided(compileDecider(bundleOf(overrides), plain).decide(input));

describe('deciding', () => {
  it('lets a matching rule decide before the classifier [DEC-7]', () => {
    const rules = [
      { name: 'late', condition: 'ctx.amount > 0.0', priority: 200 },
      { name: 'high amount', condition: 'ctx.amount > 100.0', reason_code: 'AMOUNT', priority: 1 },
    ];
    expect(decide({ rules }, { amount: 1000 })).toEqual({
      decision: 'decline',
      confidence: 1,
      classifier_choice: null,
      classifier_probability: null,
      reason_codes: ['AMOUNT'],
      escalate: false,
      fallback_used: false,
      rules_triggered: ['high amount'],
      policy_version: 'v3',
      class_probabilities: { approve: 0, decline: 1 },
      explanation: 'Rule «high amount» matched.',
      stage: 'rules',
      unfamiliar: false,
    });
  });

  it('goes on past a rule that errs on the input [RUL-9]', () => {
    expect(decide({ rules: [{ condition: 'ctx.missing > 1.0' }] }, { amount: -3 }).decision).toBe('approve');
  });

  it('decides by the classifier at or above the automatic threshold [THR-1]', () => {
    const decision = decide({}, { amount: amountFor(0.93) });
    expect(decision).toMatchObject({
      decision: 'decline',
      stage: 'classifier',
      escalate: false,
      reason_codes: ['AMOUNT'],
    });
    expect(decision.confidence).toBeCloseTo(0.93, 5);
    expect(decision.explanation).toBe(
      'The classifier chose «decline» with confidence 0.93, at or above the automatic threshold 0.85.',
    );
    expect(Object.isFrozen(decision) && Object.isFrozen(decision.class_probabilities)).toBe(true);
  });

  it('takes a tie as the first option', () => {
    expect(decide({ fallbackOption: null }, { amount: 0 }).decision).toBe('approve');
  });

  it.each([
    ['accept', 'decline', 'decline', 'classifier', false, false],
    ['flag', 'approve', 'decline', 'classifier', true, false],
    ['fallback', 'approve', 'approve', 'fallback', true, true],
    ['escalate', 'approve', 'approve', 'fallback', true, true],
    ['fallback', null, 'decline', 'classifier', true, false],
    ['escalate', null, 'decline', 'classifier', true, false],
  ] as const)(
    'between the thresholds: %s with fallback %s [THR-2] [SVC-3]',
    (between, fallbackOption, decision, stage, escalate, used) => {
      const answer = decide({ policy: { between }, fallbackOption }, { amount: amountFor(0.7) });
      expect(answer).toMatchObject({ decision, stage, escalate, fallback_used: used });
      expect(answer.confidence).toBeCloseTo(decision === 'decline' ? 0.7 : 0.3, 5);
      expect(answer.class_probabilities.decline).toBeCloseTo(0.7, 5);
      if (used) expect(answer.reason_codes).toEqual([]);
    },
  );

  it('below escalation: the fallback where there is one, otherwise the classifier with a flag [THR-3] [THR-4]', () => {
    const answer = decide({ fallbackOption: 'approve', policy: { between: 'accept' } }, { amount: amountFor(0.55) });
    expect(answer.confidence).toBe(answer.class_probabilities.approve);
    expect(answer.classifier_choice).toBe('decline');
    expect(answer.classifier_probability).toBeCloseTo(0.55, 5);
    expect(answer.class_probabilities.decline).toBeCloseTo(0.55, 5);
    expect(answer).toMatchObject({
      decision: 'approve',
      stage: 'fallback',
      fallback_used: true,
      escalate: true,
      explanation:
        'Sent to the fallback «approve» (confidence 0.45): the classifier thought «decline», 0.55, below the escalation threshold 0.6.',
    });
    expect(decide({}, { amount: amountFor(0.55) })).toMatchObject({
      decision: 'decline',
      stage: 'classifier',
      escalate: true,
    });
  });

  it('never explains a confidence as being on the wrong side of a threshold', () => {
    expect(decide({}, { amount: amountFor(0.8496) }).explanation).toContain('confidence 0.8496'.slice(0, 16));
    expect(decide({}, { amount: amountFor(0.8499) }).explanation).not.toContain('confidence 0.85,');
  });

  it('tells where an input does not fit the schema [TYP-19]', () => {
    const inputSchema = { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } };
    const decider = compileDecider(bundleOf({ inputSchema }), plain);
    expect(decider.decide({ amount: 'x' })).toEqual({
      ok: false,
      problems: [{ type: 'type', loc: ['body', 'input', 'amount'], msg: 'must be number' }],
    });
    expect(decider.decide({})).toMatchObject({ ok: false, problems: [{ loc: ['body', 'input', 'amount'] }] });
  });

  it('traces rules, contributions and stages on request only', () => {
    const decider = compileDecider(bundleOf({ rules: [{ name: 'big', condition: 'ctx.amount > 100.0' }] }), plain);
    const amount = amountFor(0.93);
    const result = decider.decide({ amount }, { trace: true });
    if (result instanceof Promise || !result.ok || result.trace === null) throw new Error('no trace');
    expect(result.trace.rules).toMatchObject([{ name: 'big', outcome: 'not_matched' }]);
    expect(result.trace.features).toEqual([
      { field: 'amount', kind: 'number', value: amount, contribution: Math.fround(amount) },
    ]);
    expect(Object.keys(result.trace.stage_ms)).toEqual(['rules', 'features', 'classifier']);
    expect(result.trace.thresholds).toEqual({ auto_decide: 0.85, escalation: 0.6 });
    expect(decider.decide({ amount })).toMatchObject({ ok: true, trace: null });
  });

  it('takes the settings of today over those of the bundle', () => {
    const bundle = bundleOf({});
    const other = bundleOf({ rules: [{ name: 'all', condition: 'true' }] });
    const rules = compileDecider(other, plain);
    expect(decided(rules.decide({ amount: -5 })).stage).toBe('rules');
    expect(decided(compileDecider(bundle, plain).decide({ amount: -5 })).stage).toBe('classifier');
  });
});

describe('deciding with text', () => {
  const words = new Map([
    ['late', 10],
    ['fee', 11],
  ]);
  const tokenizer = {
    encode: (text: string) =>
      text
        .split(/\s+/)
        .filter(Boolean)
        .map((word) => words.get(word) ?? 99),
  };
  const text = { encoder_sha256: zeros, tokenizer_sha256: zeros, slim: true };
  const ngrams = { unigrams: [10], bigrams: [10, 11], idf: [1, 1], scale: 1 };
  const ngramModel = { ...amountModel, ngram: Float32Array.of(0, 3, 0, 3), V: 2 };
  const ngramPlan = { ...amountPlan, text: { fields: [['note']], ngrams, encoder: null } };

  it('decides at once by word pieces alone', () => {
    const decider = compileDecider(bundleOf({ plan: ngramPlan, model: ngramModel, text }), { ...plain, tokenizer });
    expect(decided(decider.decide({ amount: 0, note: 'late fee' })).confidence).toBeCloseTo(
      1 / (1 + Math.exp(-3 * Math.SQRT2)),
      5,
    );
  });

  const encoderPlan = {
    ...amountPlan,
    text: { fields: [['note'], ['reply']], ngrams: null, encoder: { dimensions: 2, max_tokens: 6, scale: 0.5 } },
  };
  const encoderModel = { ...amountModel, dense: Float32Array.of(-1, 1, 0, 0, 0, 8, 0, 0), D: 4 };
  const seen: number[][] = [];
  const encoder = {
    sha256: zeros,
    dimensions: 2,
    embed: async (ids: readonly number[]) => {
      seen.push([...ids]);
      return Float32Array.of(1, 0);
    },
  };
  const bundle = (fallbackOption: string | null) =>
    bundleOf({
      plan: encoderPlan,
      model: encoderModel,
      text,
      fallbackOption,
      rules: [{ condition: 'ctx.amount > 100.0' }],
    });

  it('asks the encoder only where no rule matched [SVC-1]', async () => {
    const decider = compileDecider(bundle(null), { encoder, tokenizer, now });
    expect(decider.decide({ amount: 101, note: 'late' })).not.toBeInstanceOf(Promise);
    expect(seen).toEqual([]);
    const result = await decider.decide({ amount: 0, note: 'late', reply: 'fee' }, { trace: true });
    expect(seen).toEqual([[101, 10, 11, 102]]);
    expect(result).toMatchObject({ ok: true, decision: { decision: 'decline', stage: 'classifier' } });
    if (!result.ok) throw new Error('no decision');
    expect(result.decision.confidence).toBeCloseTo(1 / (1 + Math.exp(-4)), 5);
    expect(result.trace?.features.at(-1)).toMatchObject({ kind: 'text_embedding', contribution: 4 });
    expect(result.trace?.truncated).toEqual([]);
  });

  it('asks ahead for the texts of many inputs at once, but for those that a rule decides', async () => {
    seen.length = 0;
    const decider = compileDecider(bundle(null), { encoder, tokenizer, now });
    await decider.embedAhead([{ amount: 101, note: 'late' }, { note: 'late' }, { note: 'late', reply: 'fee' }]);
    expect(seen).toEqual([
      [101, 10, 102],
      [101, 10, 11, 102],
    ]);
  });

  it('names the text fields of which the encoder does not see everything', async () => {
    const decider = compileDecider(bundle(null), { encoder, tokenizer, now });
    const result = await decider.decide({ amount: 0, note: 'a b c', reply: 'd e f' }, { trace: true });
    expect(result.ok && result.trace?.truncated).toEqual(['reply']);
  });

  it('falls back when the encoder is down, and says so where there is no fallback', async () => {
    const down = { ...encoder, embed: () => Promise.reject(new WorkbenchError('unavailable', 'restarting')) };
    const withFallback = await compileDecider(bundle('approve'), { encoder: down, tokenizer, now }).decide({
      note: 'x',
    });
    expect(withFallback).toMatchObject({
      ok: true,
      decision: {
        decision: 'approve',
        stage: 'fallback',
        fallback_used: true,
        escalate: true,
        confidence: 0,
        class_probabilities: { approve: 0.5, decline: 0.5 },
      },
    });
    const without = compileDecider(bundle(null), { encoder: down, tokenizer, now });
    await expect(without.decide({ note: 'x' })).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('refuses another encoder than the policy was trained with', () => {
    const other = { ...encoder, sha256: '1'.repeat(64) };
    expect(() => compileDecider(bundle(null), { encoder: other, tokenizer, now })).toThrow('another text encoder');
    expect(() => compileDecider(bundle(null), { encoder: null, tokenizer, now })).toThrow('encoder is not available');
  });
});

describe('golden decisions', () => {
  it('pass on the decider that made them and name what differs otherwise', async () => {
    const first = compileDecider(bundleOf({}), plain);
    const lines = [-2, 0.3, 4].map((amount) => ({
      input: { amount },
      output: toGoldenOutput(decided(first.decide({ amount }))),
    }));
    const bundle = bundleOf({ golden: lines });
    expect(await runGolden(bundle, compileDecider(bundle, plain))).toEqual({ checked: 3, failures: [] });
    const wrong: GoldenOutput = { ...lines[1]!.output, decision: 'approve' };
    const changed = bundleOf({ golden: [lines[0]!, { ...lines[1]!, output: wrong }] });
    const { failures } = await runGolden(changed, compileDecider(changed, plain));
    expect(failures).toMatchObject([{ index: 1, expected: { decision: 'approve' }, actual: { decision: 'decline' } }]);
  });
});

describe('input schemas', () => {
  it('are accepted in the 2020-12 dialect with references inside [TYP-18]', () => {
    const schema = {
      $defs: { n: { type: 'number' } },
      properties: { a: { $ref: '#/$defs/n' }, d: { format: 'date' } },
    };
    expect(checkInputSchema(schema)).toEqual([]);
    expect(compileInputSchema(schema)({ a: 'x', d: 'y' })).toMatchObject([
      { loc: ['body', 'input', 'a'], type: 'type' },
      { loc: ['body', 'input', 'd'], type: 'format' },
    ]);
  });

  it.each<[string, JsonObject, string]>([
    ['a reference outside', { $ref: 'https://example.com/s.json' }, 'schema_ref'],
    ['an unknown type', { type: 'strng' }, 'enum'],
    ['another dialect', { $schema: 'http://json-schema.org/draft-04/schema#' }, 'schema_dialect'],
    ['a dangling reference', { $ref: '#/$defs/none' }, 'schema_ref'],
    ['more than 64 KiB', { description: 'x'.repeat(70_000) }, 'schema_size'],
  ])('are refused with %s', (_name, schema, type) => {
    expect(checkInputSchema(schema)).toEqual(expect.arrayContaining([expect.objectContaining({ type })]));
  });

  it('are refused when nested too deep [TYP-18]', () => {
    let schema: JsonObject = {};
    for (let level = 0; level < 20; level++) schema = { properties: { a: schema } };
    expect(checkInputSchema(schema)).toMatchObject([{ type: 'schema_depth' }]);
  });

  it('keep several patterns apart and refuse those that need backtracking', () => {
    const pattern = (source: string) => ({ type: 'string', pattern: source });
    const check = compileInputSchema({ properties: { a: pattern('^a'), b: pattern('^b') } });
    expect(check({ a: 'ax', b: 'bx' })).toEqual([]);
    expect(check({ a: 'bx', b: 'bx' })).toMatchObject([{ loc: ['body', 'input', 'a'] }]);
    expect(checkInputSchema({ properties: { a: pattern('(?=x)') } })).not.toEqual([]);
  });

  it('match patterns in linear time', () => {
    const check = compileInputSchema({ properties: { s: { type: 'string', pattern: '^(a+)+$' } } });
    const started = process.threadCpuUsage();
    expect(check({ s: `${'a'.repeat(5000)}b` })).toHaveLength(1);
    expect(process.threadCpuUsage(started).user).toBeLessThan(1_000_000);
  });
});
