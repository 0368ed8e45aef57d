/** Fine-tuning of the sentence encoder: the step's gradients, the optimiser, the batches, and the loop over them. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Adapters, BatchTextEncoder, TuningGraph } from '../../../../src/engine/ports.ts';
import { createRandom } from '../../../../src/engine/random.ts';
import { listAdapterMatrices } from '../../../../src/engine/text/adapters.ts';
import { toEncoderInput } from '../../../../src/engine/text/encoder-input.ts';
import { isBetter, isSettled } from '../../../../src/engine/training/tune/compare-encoders.ts';
import { countPaddedTokens, dealBatches, type TuningText } from '../../../../src/engine/training/tune/deal-batches.ts';
import { countFolds, listFolds, planTuning, planTunings } from '../../../../src/engine/training/tune/plan-tuning.ts';
import {
  computeRateShare,
  createAdamW,
  type TuningParams,
  tuneAdapters,
} from '../../../../src/engine/training/tune/tune-adapters.ts';
import {
  countHeadWeights,
  runTuningStep,
  type TunedParameters,
} from '../../../../src/engine/training/tune/tuning-step.ts';
import { openEncoder, openTuningGraph } from '../../../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel } from '../../../../src/server/runtime/encoder/text-model.ts';
import { createAdapters } from '../../features/adapters-fixture.ts';

const model = openTextModel();
const stored = JSON.parse(readFileSync(new URL('../../../cases/tuning-step.json', import.meta.url), 'utf8')) as {
  texts: string[];
  labels: number[];
  head_b: number[];
  rank: number;
  loss: number;
  gradients: Record<string, { norm: number; first: number[] }>;
};
const optionCount = 3;
const dimensions = 384;

const batch: TuningText[] = stored.texts.map((text, at) => ({
  ids: toEncoderInput(model.tokenizer().encode(text), 256).ids,
  label: stored.labels[at] ?? 0,
}));

/** Parameters by the rule of the stored figures. */
function createParameters(): TunedParameters {
  const weights = Float32Array.from({ length: optionCount * dimensions }, (_, i) => {
    return (((i * 40503) % 65536) / 65536 - 0.5) * 0.1;
  });
  const adapters = createAdapters(stored.rank, 0.1).weights;
  return { rank: stored.rank, adapters, head: Float32Array.from([...weights, ...stored.head_b]) };
}

let encoder: BatchTextEncoder;
let session: TuningGraph;
beforeAll(async () => {
  encoder = await openEncoder(model.encoderPath, model.encoderSha256);
  session = await openTuningGraph(model.tuningGraphPath);
});
afterAll(() => session.close());

describe('a step of the tuning', () => {
  it('has the loss and the gradients that ONNX Runtime gives in Python for the same batch', async () => {
    const step = await runTuningStep(session, batch, createParameters(), optionCount, 0);
    expect(step.loss).toBeCloseTo(stored.loss, 5);
    const parts = listAdapterMatrices(stored.rank).map(({ name, dims, from }) => ({
      name,
      gradient: step.adapterGradients.subarray(from, from + dims[0] * dims[1]),
    }));
    const headSize = optionCount * dimensions;
    parts.push({ name: 'head_w', gradient: step.headGradients.subarray(0, headSize) });
    parts.push({ name: 'head_b', gradient: step.headGradients.subarray(headSize) });
    expect(parts.map(({ name }) => name).sort()).toEqual(Object.keys(stored.gradients).sort());
    for (const { name, gradient } of parts) {
      const { norm, first } = stored.gradients[name] ?? { norm: Number.NaN, first: [] };
      expect(Math.abs(Math.hypot(...gradient) / norm - 1), name).toBeLessThan(1e-4);
      for (const [i, value] of first.entries()) {
        expect(Math.abs((gradient[i] ?? Number.NaN) - value), name).toBeLessThan(1e-4 * norm);
      }
    }
  });

  it('has the gradients that central differences of its loss show, in every matrix', async () => {
    const at = createParameters();
    const { adapterGradients, headGradients } = await runTuningStep(session, batch, at, optionCount, 0);
    const random = createRandom(5);
    const lossAlong = async (part: 'adapters' | 'head', direction: Float32Array, by: number) => {
      const moved = at[part].map((weight, i) => weight + by * (direction[i] ?? 0));
      return (await runTuningStep(session, batch, { ...at, [part]: moved }, optionCount, 0)).loss;
    };
    const spans: { part: 'adapters' | 'head'; name: string; from: number; to: number }[] = [
      ...listAdapterMatrices(stored.rank)
        // Queries and values, a and b, of the first, a middle and the last layer.
        .filter(({ name }) => /[035]$/.test(name))
        .map(({ name, dims, from }) => ({ part: 'adapters' as const, name, from, to: from + dims[0] * dims[1] })),
      { part: 'head', name: 'head', from: 0, to: at.head.length },
    ];
    for (const { part, name, from, to } of spans) {
      const gradient = (part === 'head' ? headGradients : adapterGradients).subarray(from, to);
      // Half along the gradient, half by chance: a direction by chance alone hardly changes the loss.
      const length = Math.hypot(...gradient);
      // So far that the loss changes by about 0.004 either way: far above rounding, near enough to be straight.
      const reach = 0.004 / length;
      const direction = new Float32Array(at[part].length);
      for (let i = from; i < to; i++) {
        direction[i] = (gradient[i - from] ?? 0) / length + (random() - 0.5) * (3 / Math.sqrt(to - from));
      }
      const expected = gradient.reduce((sum, slope, i) => sum + slope * (direction[from + i] ?? 0), 0);
      const [up, down] = [await lossAlong(part, direction, reach), await lossAlong(part, direction, -reach)];
      expect(Math.abs((up - down) / (2 * reach) / expected - 1), name).toBeLessThan(0.02);
    }
  });
});

describe('the optimiser', () => {
  it('takes the first step at its rate, whatever the gradient, and shrinks weights by their decay alone', () => {
    const parameters = Float32Array.of(1, 1, 1);
    createAdamW(3)(parameters, Float32Array.of(1e-3, -50, 0), 0.1);
    for (const [i, expected] of [0.999 - 0.1, 0.999 + 0.1, 0.999].entries()) {
      expect(parameters[i]).toBeCloseTo(expected, 4);
    }
  });

  it('finds the bottom of a quadratic whose directions differ a hundredfold', () => {
    const parameters = Float32Array.of(4, -3);
    const move = createAdamW(2);
    for (let step = 1; step <= 600; step++) {
      const gradients = Float32Array.of(100 * ((parameters[0] ?? 0) - 1), (parameters[1] ?? 0) - 2);
      move(parameters, gradients, 0.1 * computeRateShare(step, 600));
    }
    // The decay draws both a little towards zero.
    expect(Math.abs((parameters[0] ?? 0) - 1)).toBeLessThan(0.05);
    expect(Math.abs((parameters[1] ?? 0) - 2)).toBeLessThan(0.05);
  });

  it('rises to its highest rate in a tenth of the steps and ends near zero', () => {
    const shares = Array.from({ length: 200 }, (_, step) => computeRateShare(step + 1, 200));
    expect(shares.indexOf(Math.max(...shares))).toBe(19);
    expect(Math.max(...shares)).toBe(1);
    expect(shares.at(-1)).toBeCloseTo(0, 5);
    expect(shares.every((share) => share >= 0)).toBe(true);
  });
});

describe('the batches', () => {
  it('hold every text once, within their bounds, in an order that follows from the seed', () => {
    const random = createRandom(3);
    for (let round = 0; round < 50; round++) {
      const texts: TuningText[] = Array.from({ length: 1 + Math.floor(random() * 700) }, (_, label) => ({
        ids: new Array<number>(2 + Math.floor(random() ** 3 * 126)).fill(7),
        label,
      }));
      const batches = dealBatches(texts, createRandom(round));
      expect(new Set(batches.flat())).toEqual(new Set(texts));
      expect(batches.flat()).toHaveLength(texts.length);
      for (const one of batches) {
        expect(one.length).toBeLessThanOrEqual(32);
        expect(countPaddedTokens([one])).toBeLessThanOrEqual(1_024);
      }
      expect(dealBatches(texts, createRandom(round))).toEqual(batches);
    }
  });

  it('stay within the budget of tokens, with a stratified part of the rows where it is short', () => {
    const row = { id: '', input: {}, decision: '', reasonCodes: [], source: 'user' as const };
    const rows = Array.from({ length: 600 }, (_, i) => ({
      row: { ...row, label: i % 3, content: `${i}` },
      text: { ids: new Array<number>(10 + (i % 9)).fill(7), label: i % 3 },
    }));
    const all = countPaddedTokens(
      dealBatches(
        rows.map(({ text }) => text),
        createRandom(1),
      ),
    );
    const planned = (budget: number) => planTuning(rows, budget) ?? { texts: [], epochs: 0 };
    expect(planned(100 * all)).toMatchObject({ epochs: 3 });
    for (const budget of [5.5, 2, 0.7, 0.2]) {
      const { texts, epochs } = planned(budget * all);
      expect(epochs * countPaddedTokens(dealBatches(texts, createRandom(2)))).toBeLessThan(1.1 * budget * all);
      const counts = [0, 1, 2].map((label) => texts.filter((text) => text.label === label).length);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(5);
    }
    expect(planTuning(rows, 0.02 * all)).toBeNull();
  });

  it('leave out every row once, equal inputs together, and every option from each fold', () => {
    const row = { id: '', input: {}, decision: '', reasonCodes: [], source: 'user' as const };
    const rows = Array.from({ length: 200 }, (_, i) => ({ ...row, label: i % 4, content: `${i % 160}` }));
    const all = listFolds(rows);
    expect(all.flatMap(({ held }) => held)).toHaveLength(200);
    for (const { learned, held } of all) {
      expect(learned).toHaveLength(200 - held.length);
      const known = new Set(learned.map(({ content }) => content));
      expect(held.some(({ content }) => known.has(content))).toBe(false);
      expect(new Set(held.map(({ label }) => label)).size).toBe(4);
    }
  });

  it('come from as many folds as it takes to tell, and as the budget pays', () => {
    // Rows held out of each fold, tokens of a tuning, tokens to spend.
    expect(countFolds(12, 1_000, 400_000)).toBe(5);
    expect(countFolds(12, 1_000, 3_500)).toBe(3);
    expect(countFolds(3, 1_000, 400_000)).toBe(5);
    expect(countFolds(3, 1_000, 2_900)).toBe(0);
    expect(countFolds(2, 1_000, 400_000)).toBe(5);
    expect(countFolds(1, 1_000, 400_000)).toBe(0);
    expect(countFolds(90, 1_000, 400_000)).toBe(3);
    expect(countFolds(400, 390_000, 400_000)).toBe(1);
  });
});

describe('a budget of tokens', () => {
  const row = { id: '', input: {}, decision: '', reasonCodes: [], source: 'user' as const };
  const rows = Array.from({ length: 300 }, (_, i) => ({ ...row, label: i % 3, content: `${i}` }));
  const plan = (budget: number, of = rows) =>
    planTunings(of, budget, (part) =>
      part.map((one) => ({ row: one, text: { ids: new Array<number>(20).fill(7), label: one.label } })),
    );
  /** Tokens that all rows take once. */
  const once = 300 * 20;

  it('pays for a tuning on all rows behind those on folds, as often, where it goes so far [TRN-18]', () => {
    for (const times of [60, 10, 9]) {
      const { folds = [], whole = null } = plan(times * once) ?? {};
      expect(whole?.texts).toHaveLength(300);
      const all = [...folds.map((fold) => fold.plan), ...(whole === null ? [] : [whole])];
      expect(all.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(times * once);
      expect(new Set(all.map(({ epochs }) => epochs)).size).toBe(1);
      expect(folds[0]?.plan.texts).toHaveLength(240);
    }
    expect(plan(60 * once)?.folds).toHaveLength(4);
  });

  it('goes to the folds alone where all rows would be seen too seldom, or fewer be judged [TRN-18]', () => {
    expect(plan(4 * once)).toMatchObject({ folds: [{ plan: { epochs: 3 } }], whole: null });
    expect(plan(7.4 * once)).toMatchObject({ folds: [{}, {}, {}], whole: null });
    expect(plan(0.1 * once)).toBeNull();
  });

  it('goes to what is left of eight examples an option once a fifth or a quarter is held out [TRN-18]', () => {
    // Of 24 examples 6 are held out, and the first fold holds 4 of the other 18.
    expect(plan(60 * once, rows.slice(0, 18))).toMatchObject({ folds: [{}, {}, {}, {}, {}], whole: {} });
    expect(plan(60 * once, rows.slice(0, 12))).toBeNull();
  });
});

describe('the comparison of encoders', () => {
  const present = { losses: Array.from({ length: 90 }, (_, i) => 1 + (i % 3) / 10) };
  /** The first `rows` losses, lower by `gain` on average, which scatters by `spread`. */
  const candidate = (rows: number, gain: number, spread: number) => ({
    losses: present.losses.slice(0, rows).map((loss, i) => loss - gain + (i % 2 === 0 ? spread : -spread)),
  });

  it('is settled before its last fold where nothing is gained, or surely something [TRN-18]', () => {
    expect(isSettled(candidate(60, -0.01, 0.3), present)).toBe(true);
    expect(isSettled(candidate(60, 0.3, 0.3), present)).toBe(true);
    // A standard error of 0.039: more than one, not two.
    expect(isSettled(candidate(60, 0.06, 0.3), present)).toBe(false);
    expect(isBetter(candidate(60, 0.06, 0.3), present)).toBe(true);
    expect(isBetter(candidate(60, 0.01, 0.3), present)).toBe(false);
    expect(isSettled(candidate(28, 0.3, 0.3), present)).toBe(false);
    expect(isSettled(candidate(28, -0.3, 0.3), present)).toBe(false);
  });
});

describe('tuning', () => {
  const learned = batch.concat(batch);
  const tune = async (
    seed: number,
    report: TuningParams['report'] = () => undefined,
    changes: Partial<TuningParams> = {},
  ) => {
    const graph = await openTuningGraph(model.tuningGraphPath);
    const head = new Float32Array(countHeadWeights(optionCount));
    try {
      return await tuneAdapters({
        session: graph,
        encoder,
        learned,
        held: batch,
        optionCount,
        head,
        epochs: 4,
        seed,
        report,
        ...changes,
      });
    } finally {
      await graph.close();
    }
  };

  /** The encoder, and the adapters that it was asked with one after the other. */
  const watchEncoder = () => {
    const tried: Adapters[] = [];
    const watched: BatchTextEncoder = {
      ...encoder,
      embedBatch: (texts, adapters) => {
        if (adapters && tried.at(-1) !== adapters) tried.push(adapters);
        return encoder.embedBatch(texts, adapters);
      },
    };
    return { tried, watched };
  };

  it('gives the same adapters for the same seed, dropout included, and others for another [TRN-18]', async () => {
    const reported: string[] = [];
    const first = await tune(1, (done, steps) => reported.push(`${done}/${steps}`));
    const second = await tune(1);
    expect(second).toEqual(first);
    expect((await tune(2)).adapters.weights).not.toEqual(first.adapters.weights);
    expect(first.steps).toBe(4);
    expect(new Set(reported)).toEqual(new Set(['0/4', '1/4', '2/4', '3/4', '4/4']));
    expect(first.curve).toHaveLength(4);
    // What was learned is what is held here, so its loss falls.
    const losses = first.curve.map((point) => point.held_loss);
    expect(losses).toEqual([...losses].sort((a, b) => b - a));
    expect(losses.at(-1)).toBeLessThan(0.95 * (losses[0] ?? 0));
  });

  it('learns about as much in a few large steps as in many small ones [TRN-18]', async () => {
    const lossAfter = async (epochs: number) => {
      const losses = (await tune(1, () => undefined, { epochs })).curve.map((point) => point.held_loss);
      return (losses.at(-1) ?? Number.NaN) / (losses[0] ?? Number.NaN);
    };
    const [few, many] = [await lossAfter(12), await lossAfter(54)];
    expect(few).toBeLessThan(1.2 * many);
  });

  it('moves the same whether or not a held-out loss is watched [TRN-18]', async () => {
    const { tried, watched } = watchEncoder();
    const watching = await tune(1, () => undefined, { encoder: watched });
    // The encoder was asked once an epoch, with the adapters of then.
    expect(tried).toHaveLength(watching.curve.length);
    expect(watching.adapters.weights).toEqual(tried.at(-1)?.weights);
    expect(await tune(1, () => undefined, { held: [] })).toEqual({ ...watching, curve: [] });
  });

  it('stops before the next step when it is cancelled [TRN-18]', async () => {
    const stop = new Error('stopped');
    const seen: number[] = [];
    const tuning = tune(1, (done) => {
      seen.push(done);
      if (done === 2) throw stop;
    });
    await expect(tuning).rejects.toBe(stop);
    expect(seen.at(-1)).toBe(2);
  });
});
