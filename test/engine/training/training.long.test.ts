import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import { runGolden } from '../../../src/engine/decide/golden.ts';
import { metricsSchema } from '../../../src/engine/domain/metrics.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';
import type { TrainPorts } from '../../../src/engine/training/request.ts';
import { train } from '../../../src/engine/training/train.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { openTrainPorts } from '../train-ports.ts';
import { config, createDefinition, createExample, createRequest, messages } from '../training-request.ts';

let ports: TrainPorts;
let reports: { stage: string; fraction: number; message: string }[] = [];

beforeAll(async () => {
  ports = await openTrainPorts({ progress: (report) => reports.push(report) });
});

function creditRows(part: 'train' | 'test'): { input: JsonObject; decision: string }[] {
  return readFileSync(new URL(`../../fixtures/german_credit/${part}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { input: JsonObject; decision: string });
}

const germanCredit = () => creditRows('train').map((row, i) => createExample(`credit-${i}`, row.input, row.decision));

describe('a training run', () => {
  it('on credit applications gives a policy that beats the majority and whose golden decisions repeat', async () => {
    reports = [];
    const outcome = await train(createRequest(germanCredit(), createDefinition(['good risk', 'bad risk'])), ports);
    // Always answering with the majority has accuracy 0.70 and log-loss 0.61.
    expect(outcome.metrics.accuracy).toBeGreaterThan(0.7);
    expect(outcome.metrics.log_loss).toBeLessThan(0.53);
    expect(outcome.metrics.train_size + outcome.metrics.test_size).toBe(800);
    expect(metricsSchema.parse(outcome.metrics)).toBeTruthy();
    expect(outcome.heldOut.length).toBe(outcome.metrics.test_size);
    // A calibration error on fewer than 200 rows would be noise [TRN-17].
    expect([outcome.metrics.test_size < 200, outcome.metrics.ece, outcome.metrics.ece_before]).toEqual([
      true,
      null,
      null,
    ]);
    expect(outcome.metrics.reliability.length).toBeGreaterThan(2);

    const bundle = unpackBundle(outcome.bundle, sha256);
    expect(bundle.manifest.policy_version).toBe('v3');
    expect(bundle.golden.length).toBeGreaterThanOrEqual(50);
    const decider = compileDecider(bundle, { encoder: null, tokenizer: null, now: ports.now });
    expect((await runGolden(bundle, decider)).failures).toEqual([]);
    const unseen = creditRows('test');
    const decisions = await Promise.all(unseen.map((row) => decider.decide(row.input)));
    const right = decisions.filter((decided, i) => decided.ok && decided.decision.decision === unseen[i]?.decision);
    expect(right.length / unseen.length).toBeGreaterThanOrEqual(0.77);

    const fractions = reports.map((report) => report.fraction);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions.at(-1)).toBe(1);
    expect([...new Set(reports.map((report) => report.stage))]).toEqual([
      'generate',
      'prepare',
      'features',
      'text_model',
      'classifier',
      'evaluate',
      'package',
    ]);
  });

  it('on messages learns what they mean, and decides a new wording', async () => {
    const definition = createDefinition(['refund', 'tracking'], { reason_codes: ['USUAL', 'RARE'] });
    const outcome = await train(createRequest(messages, definition), ports);
    expect(outcome.metrics.accuracy).toBeGreaterThanOrEqual(0.9);
    const bundle = unpackBundle(outcome.bundle, sha256);
    expect(bundle.reasons.by_option).toEqual({ refund: ['USUAL'], tracking: ['USUAL'] });
    const decider = compileDecider(bundle, ports);
    const decided = await decider.decide({ message: 'kindly refund my money for the table', amount: 20 });
    expect(decided.ok && decided.decision.decision).toBe('refund');
    expect(reports.some((report) => /^Encoding texts \d+ of \d+$/.test(report.message))).toBe(true);
  });

  it('reads several text fields together, says so, and never stands still while it works', async () => {
    const split = messages.map(({ input, ...rest }, i) => {
      const words = String(input['message']).split(' ');
      return {
        ...rest,
        input: { subject: words.slice(0, 3).join(' '), body: `${words.slice(3).join(' ')} in case ${i}` },
      };
    });
    reports = [];
    const outcome = await train(createRequest(split, createDefinition(['refund', 'tracking'])), ports);
    expect(outcome.metrics.notes).toContain('These fields are read together as one text: body, subject.');
    expect(outcome.metrics.accuracy).toBeGreaterThanOrEqual(0.9);
    const decider = compileDecider(unpackBundle(outcome.bundle, sha256), ports);
    const decided = await decider.decide({ subject: 'please refund me', body: 'the blue chair' });
    expect(decided.ok && decided.decision.decision).toBe('refund');
    const fractions = reports.map((report) => report.fraction);
    expect(fractions).toEqual([...fractions].sort((x, y) => x - y));
  });

  it('gives the same bundle and metrics for the same examples, whatever their order, ids and order of keys [TRN-10]', async () => {
    const definition = createDefinition(['refund', 'tracking']);
    const first = await train(createRequest(messages, definition), ports);
    const second = await train(createRequest([...messages].reverse(), definition), ports);
    expect(second.heldOut).toEqual(first.heldOut);
    const renamed = messages.map((example, i) => ({
      ...example,
      id: `again-${(i * 7919) % 1000}-${i}`,
      input: Object.fromEntries(Object.entries(example.input).reverse()),
    }));
    const third = await train(createRequest(renamed, definition), ports);
    expect([second.metrics.log_loss, third.metrics.log_loss]).toEqual([first.metrics.log_loss, first.metrics.log_loss]);
    expect(unpackBundle(third.bundle, sha256).classifier).toEqual(unpackBundle(first.bundle, sha256).classifier);
    expect(unpackBundle(second.bundle, sha256).classifier).toEqual(unpackBundle(first.bundle, sha256).classifier);
  });

  it('chooses trees where options hang on several fields together, the same ones for the same request', async () => {
    const colours = ['red', 'green', 'blue'];
    const rows = Array.from({ length: 240 }, (_, i) => {
      const colour = colours[i % 3] ?? '';
      const size = ((i * 7) % 10) + i / 1000;
      const parcel = i % 5 === 0 ? null : (i * 3) % 4;
      const wanted = (colour === 'red') !== size >= 5 ? (parcel === null ? 'rare' : 'b') : 'a';
      return createExample(`${i}`, { colour, size, parcel }, wanted);
    });
    const request = createRequest(rows, createDefinition(['a', 'b', 'rare']));
    const outcome = await train(request, ports);
    const bundle = unpackBundle(outcome.bundle, sha256);
    expect(['trees', 'blend']).toContain(bundle.manifest.classifier?.kind);
    expect(outcome.metrics.accuracy).toBeGreaterThan(0.95);
    expect(outcome.metrics.notes.join(' ')).toMatch(/Cross-validated log-loss: logistic regression .* boosted trees/);
    expect(outcome.metrics.notes.join(' ')).toMatch(/unevenly represented: a has \d+ examples and rare only \d+/);
    const again = await train({ ...request, examples: [...rows].reverse() }, ports);
    expect(unpackBundle(again.bundle, sha256).classifier).toEqual(bundle.classifier);
    const decider = compileDecider(bundle, { encoder: null, tokenizer: null, now: ports.now });
    expect((await runGolden(bundle, decider)).failures).toEqual([]);
    const decided = await decider.decide({ colour: 'red', size: 1, parcel: 2 }, { trace: true });
    if (!decided.ok || decided.trace === null) throw new Error('no decision with trace');
    expect(decided.decision.decision).toBe('b');
    const shares = new Map(decided.trace.features.map(({ field, contribution }) => [field, contribution]));
    expect((shares.get('colour') ?? 0) + (shares.get('size') ?? 0)).toBeGreaterThan(shares.get('parcel') ?? 0);
  });

  it('searches settings on a part of many rows, learns from all of them, and says so', async () => {
    const rows = Array.from({ length: 26_000 }, (_, i) => {
      const [x, y] = [(i * 7_919) % 26_003, (i * 104_729) % 7];
      return createExample(`${i}`, { x, y }, x > 13_000 === y > 3 ? 'a' : 'b');
    });
    const changes = { config: { ...config, tune_hyperparams: false, tune_encoder: false } };
    const { metrics } = await train(createRequest(rows, createDefinition(['a', 'b']), changes), ports);
    expect(metrics.train_size).toBeGreaterThan(20_000);
    expect(metrics.accuracy).toBeGreaterThan(0.99);
    const said = metrics.notes.find((note) => note.startsWith('Settings were searched'));
    expect(said).toMatch(/on 10,\d{3} of the examples; all 20,\d{3} were learned from\.$/);
  });

  it('keeps personal values out of the bundle', async () => {
    const definition = createDefinition(['refund', 'tracking']);
    const outcome = await train(
      createRequest(messages, definition, { piiFields: ['customer.email', 'amount'] }),
      ports,
    );
    const bundle = unpackBundle(outcome.bundle, sha256);
    expect(JSON.stringify([bundle.golden, bundle.plan])).not.toContain('example.org');
    expect(bundle.golden.every((line) => (line.input as { [key: string]: Json })['amount'] === null)).toBe(true);
    expect((await runGolden(bundle, compileDecider(bundle, ports))).failures).toEqual([]);
  });

  it('lets the configured escalation threshold win over that of the version [TRN-11]', async () => {
    const request = createRequest(germanCredit().slice(0, 100), createDefinition(['good risk', 'bad risk']), {
      config: { ...config, escalation_threshold: 0.9, tune_hyperparams: false, refit: false },
    });
    const { bundle } = await train(request, ports);
    expect(unpackBundle(bundle, sha256).manifest.confidence_thresholds).toEqual({ auto_decide: 0.9, escalation: 0.9 });
  });

  it('works with two examples, with an option that has none, and with inputs that say nothing', async () => {
    const definition = createDefinition(['a', 'b', 'never']);
    const few = await train(
      createRequest([createExample('1', { x: 1 }, 'a'), createExample('2', { x: 5 }, 'b')], definition),
      ports,
    );
    expect(few.metrics.test_size).toBe(0);
    expect(few.metrics.notes).toContain('Options without examples are never predicted: never.');
    const rows = Array.from({ length: 30 }, (_, i) => createExample(`${i}`, { same: 1 }, i % 3 === 0 ? 'a' : 'b'));
    const blind = await train(createRequest(rows, definition), ports);
    const decider = compileDecider(unpackBundle(blind.bundle, sha256), {
      encoder: null,
      tokenizer: null,
      now: ports.now,
    });
    const decided = await decider.decide({ same: 1 });
    expect(decided.ok && decided.decision.decision).toBe('b');
  });

  it('makes synthetic examples where asked, from the training side only, and never holds them out [TRN-8]', async () => {
    const few = germanCredit().filter((row, i) => row.decision === 'good risk' || i % 20 === 0);
    const request = createRequest(few, createDefinition(['good risk', 'bad risk']), {
      config: { ...config, auto_generate: true, tune_hyperparams: false },
    });
    const plain = await train({ ...request, config: { ...request.config, auto_generate: false } }, ports);
    const outcome = await train(request, ports);
    expect(outcome.metrics.auto_generation.status).toBe('completed');
    expect(outcome.metrics.auto_generation.generated_count).toBeGreaterThan(0);
    expect(outcome.metrics.train_size).toBe(plain.metrics.train_size + outcome.metrics.auto_generation.generated_count);
    expect(outcome.heldOut.map((row) => row.example_id)).toEqual(plain.heldOut.map((row) => row.example_id));
  });

  it('augments the training side to the target size, and says what it could not make', async () => {
    const rows = germanCredit().slice(0, 120);
    const request = createRequest(rows, createDefinition(['good risk', 'bad risk']), {
      config: { ...config, augment: true, augment_target_size: 300, tune_hyperparams: false },
    });
    const plain = await train({ ...request, config: { ...request.config, augment: false } }, ports);
    expect(plain.metrics.augmentation).toMatchObject({ status: 'not_requested', augmented_count: 0, target_size: 0 });
    const { metrics, heldOut } = await train(request, ports);
    const { augmentation } = metrics;
    expect(augmentation).toMatchObject({
      status: 'completed',
      original_count: 120,
      target_size: 300,
      failure_reason: '',
    });
    expect(augmentation.augmented_count).toBeGreaterThan(0);
    expect(Object.values(augmentation.per_class_counts).reduce((a, b) => a + b)).toBe(augmentation.augmented_count);
    expect(metrics.train_size).toBe(plain.metrics.train_size + augmentation.augmented_count);
    expect(heldOut.map((row) => row.example_id)).toEqual(plain.heldOut.map((row) => row.example_id));

    const flags = Array.from({ length: 60 }, (_, i) =>
      createExample(`${i}`, { flag: i % 2 === 0 }, i % 2 === 0 ? 'a' : 'b'),
    );
    const poor = await train({ ...request, examples: flags, definition: createDefinition(['a', 'b']) }, ports);
    expect(poor.metrics.augmentation).toMatchObject({ status: 'partial', augmented_count: 0 });
    expect(poor.metrics.augmentation.failure_reason).toContain('Option "a"');
  });

  it('says in plain words what is missing', async () => {
    const definition = createDefinition(['a', 'b']);
    await expect(train(createRequest([createExample('1', { x: 1 }, null)], definition), ports)).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('no labelled examples'),
    });
    await expect(train(createRequest([createExample('1', { x: 1 }, 'a')], definition), ports)).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('Only one option'),
    });
  });

  it('stops when it is cancelled', async () => {
    let asked = 0;
    const cancelled = () => {
      asked += 1;
      return asked > 4;
    };
    const request = createRequest(messages, createDefinition(['refund', 'tracking']));
    await expect(train(request, { ...ports, cancelled })).rejects.toMatchObject({ code: 'conflict' });
  });
});
