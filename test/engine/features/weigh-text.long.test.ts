/** Which words of a long text weighed: an estimate from one run of the encoder, held against leaving every word out. */
import { beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { weighWords } from '../../../src/engine/counterfactuals/weigh-words.ts';
import { WhatIf } from '../../../src/engine/counterfactuals/what-if.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import type { Decider } from '../../../src/engine/decide/golden.ts';
import { WorkbenchError } from '../../../src/engine/errors.ts';
import type { TextEncoder } from '../../../src/engine/ports.ts';
import { train } from '../../../src/engine/training/train.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { openEncoder, openTokenWeigher } from '../../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';
import { correlateRanks } from '../../rank-correlation.ts';
import { openTrainPorts } from '../train-ports.ts';
import { remarks } from '../training/tune/tuning-request.ts';
import { config, createDefinition, createRequest } from '../training-request.ts';

const model = openTextModel();
const tokenizer = model.tokenizer();
const now = () => performance.now();
/** Nothing is excluded, and nothing hurries. */
const budget = { maxDecisions: 1_000, maxMs: 600_000 };
const ports = { now, pause: async () => undefined };

let bundle: Uint8Array;
let encoder: TextEncoder;
beforeAll(async () => {
  const plain = await openEncoder(model.encoderPath, model.encoderSha256);
  const outcome = await train(
    createRequest(remarks, createDefinition(['praise', 'complaint']), {
      config: { ...config, tune_hyperparams: false, tune_encoder: false },
    }),
    await openTrainPorts({ encoder: plain }),
  );
  bundle = outcome.bundle;
  encoder = { ...plain, weighTokens: await openTokenWeigher(model.tuningGraphPath) };
});

const compile = (port: TextEncoder): Decider =>
  compileDecider(unpackBundle(bundle, sha256), { encoder: port, tokenizer, now });
async function open(decider: Decider, remark: string): Promise<WhatIf> {
  const base = await decider.decide({ remark });
  if (!base.ok) throw new Error('The input was refused.');
  return new WhatIf(decider, base.decision, ports, budget);
}

const remark = `We came on a Tuesday, as we do every year, and the children ran ahead to see the sea. The room looked over
  the harbour; it was filthy, the carpet stale, and a waiter was rude to my mother at breakfast. Later we walked along
  the beach to the museum, bought two novels and a lamp, and took the bus back before the rain began again. My sister
  found the concert quite dull, my father slept, and nobody at the desk could tell us when the printer works.`;

describe('the words of a long text', () => {
  it('are estimated at once, and stand much as they do when each is left out [XPL-3]', async () => {
    const decider = compile(encoder);
    const weighed = await weighWords(await open(decider, remark), { remark }, () => false);
    expect(weighed.length).toBe(remark.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length);
    expect(weighed.filter(({ estimated }) => estimated).length).toBeGreaterThan(weighed.length / 2);
    const before = (await open(decider, remark)).base;
    const leftOut: number[] = [];
    for (const { start, end } of weighed) {
      const { base } = await open(decider, remark.slice(0, start) + remark.slice(end));
      const probability = (of: typeof base) => of.class_probabilities[before.decision] ?? 0;
      leftOut.push(probability(before) - probability(base));
    }
    expect(
      correlateRanks(
        weighed.map(({ weight }) => weight),
        leftOut,
      ),
    ).toBeGreaterThan(0.6);
    const heaviest = weighed.slice(0, 5).map(({ start, end }) => remark.slice(start, end));
    expect(heaviest).toContain('filthy');
  });

  it('change nothing where no token weighs and no n-gram goes', async () => {
    const decider = compile({ ...encoder, weighTokens: async (ids) => new Float32Array(ids.length) });
    const whole = (await open(decider, remark)).base;
    const stretch = { path: ['remark'], start: 0, end: 0 };
    const same = (await decider.estimateWithout({ remark }, whole.decision, [stretch]))?.(0);
    expect(same).toBeCloseTo(whole.class_probabilities[whole.decision] ?? 0, 6);
    const elsewhere = { path: ['other'], start: 0, end: 4 };
    expect((await decider.estimateWithout({ remark, other: 'text' }, whole.decision, [elsewhere]))?.(0)).toBe(same);
  });

  it('are left out, of long texts several at a time, where the encoder has no gradients or cannot be asked for them [XPL-3]', async () => {
    const unavailable = () => Promise.reject(new WorkbenchError('unavailable', 'The text encoder stopped. Try again.'));
    const { weighTokens: _, ...plain } = encoder;
    const beginning = remark.slice(0, 160);
    for (const [port, text] of [
      [{ ...encoder, weighTokens: unavailable }, remark],
      [plain, beginning],
    ] as const) {
      const weighed = await weighWords(await open(compile(port), text), { remark: text }, () => false);
      expect(weighed.length).toBeGreaterThan(20);
      expect(weighed.length).toBeLessThanOrEqual(60);
      expect(weighed.every(({ estimated }) => !estimated)).toBe(true);
    }
  });
});
