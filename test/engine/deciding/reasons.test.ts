import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Reasons } from '../../../src/engine/bundle/manifest.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import { chooseReasonCodes, isCloseChoice, toHeadProbabilities } from '../../../src/engine/decide/reason-codes.ts';
import { compileFeatures } from '../../../src/engine/features/compile.ts';
import { inferPlan } from '../../../src/engine/features/infer.ts';
import { buildFeatureRows } from '../../../src/engine/training/data/feature-rows.ts';
import { prepareRows } from '../../../src/engine/training/data/labelled-rows.ts';
import { learnReasonHeads } from '../../../src/engine/training/select/reason-heads.ts';
import { bundleOf } from '../bundle-fixture.ts';

type Case = { name: string; option: string; softmax: number[]; codes: string[] };
const shared = JSON.parse(readFileSync(new URL('../../cases/reasons.json', import.meta.url), 'utf8')) as {
  reasons: Reasons;
  cases: Case[];
  only_headed: Omit<Case, 'name'> & { reasons: Reasons };
};

describe('the reason codes of a decision', () => {
  const codesOf = (reasons: Reasons, { option, softmax }: Pick<Case, 'option' | 'softmax'>) =>
    chooseReasonCodes(reasons, option, toHeadProbabilities(reasons, softmax));

  it.each(shared.cases)('$name', (one) => {
    expect(codesOf(shared.reasons, one)).toEqual(one.codes);
  });

  it('are never none where the option has a frequent code', () => {
    const { reasons, codes, ...one } = shared.only_headed;
    expect(codesOf(reasons, one)).toEqual(codes);
  });

  it('come from the bundle, with their probabilities in the trace', () => {
    const head = { code: 'VIP', options: ['approve', 'decline'] };
    // logit of VIP = amount, nothing for the last column
    const model = {
      kind: 'logistic' as const,
      dense: Float32Array.of(1, 0, 0, 0),
      ngram: new Float32Array(0),
      bias: Float32Array.of(0, 0),
      D: 2,
      V: 0,
      K: 2,
    };
    const ports = { encoder: null, tokenizer: null, now: () => 0 };
    const decider = compileDecider(bundleOf({ heads: { heads: [head], model } }), ports);
    const high = decider.decide({ amount: 3 }, { trace: true });
    if (high instanceof Promise || !high.ok) throw new Error('no decision');
    expect(high.decision).toMatchObject({ decision: 'decline', reason_codes: ['VIP', 'AMOUNT'] });
    expect(high.trace?.reasons).toEqual([{ code: 'VIP', probability: expect.closeTo(1 / (1 + Math.exp(-3)), 6) }]);
    expect(decider.decide({ amount: -3 })).toMatchObject({ decision: { decision: 'approve', reason_codes: [] } });
    expect(() => compileDecider(bundleOf({ heads: { heads: [head, head], model } }), ports)).toThrow('reasons.onnx');
  });

  it('are no matter for golden decisions where they hang on the last digits', () => {
    const close = (...probabilities: number[]) =>
      isCloseChoice(
        probabilities.map((probability) => ({ code: 'A', probability })),
        1e-3,
      );
    expect([close(0.5004), close(0.7, 0.7003), close(0.7, 0.2003, 0.2), close()]).toEqual([true, true, false, false]);
  });
});

describe('learning heads', () => {
  const examples = Array.from({ length: 200 }, (_, i) => {
    const amount = (i * 37) % 100;
    const decision = i % 2 === 0 ? 'approve' : 'decline';
    const codes = [amount > 50 ? 'HIGH' : 'LOW', decision === 'approve' ? 'FINE' : 'POOR'];
    if (i < 5) codes.push('RARE');
    return {
      id: `e${i}`,
      input: { amount, known: i % 2 === 0 },
      decision,
      reasonCodes: i % 10 === 9 ? [] : codes,
      source: 'user' as const,
    };
  });
  const { rows } = prepareRows(examples, ['approve', 'decline']);
  const inputs = rows.map((row) => row.input);
  const plan = inferPlan(inputs, null);
  const built = buildFeatureRows(plan, inputs, new Map());
  const codes = ['HIGH', 'LOW', 'FINE', 'POOR', 'RARE', 'UNUSED'];
  const params = { plan, rows, built, texts: new Map(), codes, seed: 1, tick: () => undefined };

  it('keeps those that tell more than the option does, and only those', () => {
    const { heads, model } = learnReasonHeads(params);
    expect(heads.map(({ code }) => code).sort()).toEqual(['HIGH', 'LOW']);
    expect(heads[0]?.options).toEqual(['approve', 'decline']);
    if (model === null) throw new Error('no model');
    expect([model.D, model.V, model.K]).toEqual([compileFeatures(plan).tabularSize, 0, 3]);
  });

  it('learns none where no example carries codes', () => {
    const plain = rows.map((row) => ({ ...row, reasonCodes: [] }));
    expect(learnReasonHeads({ ...params, rows: plain })).toEqual({ heads: [], model: null });
  });
});
