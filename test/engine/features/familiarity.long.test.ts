import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import type { DecisionResult } from '../../../src/engine/decide/golden.ts';
import { type TrainingExample, trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import { compileFeatures } from '../../../src/engine/features/compile.ts';
import { compileFamiliarity, type FamiliarityFile } from '../../../src/engine/features/familiarity.ts';
import type { FeaturePlan } from '../../../src/engine/features/plan.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import type { TrainPorts, TrainRequest } from '../../../src/engine/training/request.ts';
import { train } from '../../../src/engine/training/train.ts';
import { bundleOf, sha256 } from '../bundle-fixture.ts';
import { openTrainPorts } from '../train-ports.ts';
import { createDefinition, createRequest, ignoring } from '../training-request.ts';

type Shared = {
  plan: FeaturePlan;
  familiarity: FamiliarityFile;
  cases: { name: string; dense: number[]; ids: number[]; failed: string[] }[];
};
const shared = JSON.parse(readFileSync(new URL('../../cases/familiarity.json', import.meta.url), 'utf8')) as Shared;

describe('the checks of a policy', () => {
  const check = compileFamiliarity(shared.familiarity, shared.plan, compileFeatures(shared.plan).slots);
  it.each(shared.cases)('$name', ({ dense, ids, failed }) => {
    const checks = check(Float32Array.from(dense), ids);
    expect(checks.filter(({ familiar }) => !familiar).map((one) => one.check)).toEqual(failed);
  });
});

function now(result: DecisionResult | Promise<DecisionResult>) {
  if (result instanceof Promise || !result.ok) throw new Error('expected a decision at once');
  return result;
}

describe('an unfamiliar input [THR-6]', () => {
  const familiarity: FamiliarityFile = {
    words: null,
    embedding: null,
    fields: { low: [-5, 0], high: [5, 0], most: 0 },
  };
  const ports = { encoder: null, tokenizer: null, now: () => 0 };
  const decide = (overrides: Parameters<typeof bundleOf>[0], input: JsonObject) =>
    now(compileDecider(bundleOf({ familiarity, ...overrides }), ports).decide(input, { trace: true }));

  it('counts as below escalation however sure the classifier is, and says what is strange', () => {
    const { decision, trace } = decide({ fallbackOption: 'approve' }, { amount: 7 });
    expect(decision).toMatchObject({
      decision: 'approve',
      stage: 'fallback',
      unfamiliar: true,
      escalate: true,
      fallback_used: true,
    });
    expect(decision.confidence).toBeLessThan(0.01);
    expect(decision.classifier_probability).toBeGreaterThan(0.99);
    expect(decision.explanation).toBe(
      'Sent to the fallback «approve» (confidence 0.00): the input is unlike the examples (the values of «amount»). The classifier thought «decline», 1.00.',
    );
    expect(trace?.familiarity).toEqual([{ check: 'fields', score: 1, limit: 0, familiar: false, outside: ['amount'] }]);
  });

  it('goes to a person where there is no fallback, also where decisions between the thresholds are accepted', () => {
    expect(decide({ policy: { between: 'accept' } }, { amount: 7 }).decision).toMatchObject({
      decision: 'decline',
      stage: 'classifier',
      unfamiliar: true,
      escalate: true,
    });
  });

  it('is decided like any other where the type says so, where a rule matches, and where it is within the range', () => {
    const usual = { unfamiliar: false, escalate: false };
    expect(decide({ policy: { unfamiliar: 'ignore' } }, { amount: 7 }).decision).toMatchObject(usual);
    expect(decide({ rules: [{ name: 'all' }] }, { amount: 7 }).decision).toMatchObject({ ...usual, stage: 'rules' });
    expect(decide({}, { amount: 4 }).decision).toMatchObject(usual);
  });

  it('is not looked for with a file that does not fit the feature plan', () => {
    const fields = { low: [0], high: [1], most: 0 };
    expect(() => bundleOf({ familiarity: { ...familiarity, fields } })).toThrow('familiarity.json');
  });
});

describe('a trained policy', () => {
  let ports: TrainPorts;
  beforeAll(async () => {
    ports = await openTrainPorts();
  });

  function requestOf(fixture: string, options: string[], count: number): TrainRequest {
    const lines = readFileSync(new URL(`../../fixtures/${fixture}/train.jsonl`, import.meta.url), 'utf8').trim();
    const examples = lines
      .split('\n')
      .slice(0, count)
      .map((line, i): TrainingExample => {
        const row = JSON.parse(line) as { input: JsonObject; decision: string };
        return { id: `row-${i}`, input: row.input, decision: row.decision, reasonCodes: [], source: 'user' };
      });
    return createRequest(
      examples,
      createDefinition(options, { escalation_policy: { ...ignoring, unfamiliar: 'escalate' } }),
      { config: trainingConfigSchema.parse({ tune_hyperparams: false, n_tuning_trials: 1 }) },
    );
  }

  it('on tables notices values that no example has, and few of the examples', async () => {
    const request = requestOf('german_credit', ['good risk', 'bad risk'], 800);
    const { bundle, metrics } = await train(request, ports);
    const effect = metrics.familiarity;
    expect(effect).toMatchObject({ checks: ['fields'], target_loss: 0.05, probes_tried: 0 });
    expect(effect?.flagged).toBeLessThanOrEqual(0.1);
    const decider = compileDecider(unpackBundle(bundle, sha256), ports);
    const [first] = request.examples;
    if (first === undefined) throw new Error('no example');
    expect(now(decider.decide(first.input)).decision.unfamiliar).toBe(false);
    const strange = { ...first.input, purpose: 'space travel', age: 900, job: 'astronaut' };
    expect(now(decider.decide(strange)).decision.unfamiliar).toBe(true);
  });

  it('on texts notices nonsense that the classifier would be asked to decide', async () => {
    const request = requestOf('sms_spam', ['not spam', 'spam'], 500);
    const { bundle, metrics } = await train(request, ports);
    const effect = metrics.familiarity;
    if (effect === null) throw new Error('no familiarity');
    expect(effect.flagged).toBeLessThanOrEqual(0.12);
    expect(effect.probes_tried).toBe(40);
    expect(effect.probes_noticed).toBeGreaterThanOrEqual(20);
    expect(effect.sentence).toContain(`${effect.probes_noticed} would be noticed`);
    const decider = compileDecider(unpackBundle(bundle, sha256), ports);
    const decided = await decider.decide({ text: 'xqzv wplk jjhtr zzq vvbnm qqwx' });
    expect(decided).toMatchObject({ ok: true, decision: { unfamiliar: true, escalate: true } });
  });
});
