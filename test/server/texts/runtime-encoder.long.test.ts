/** The sentence encoder in its own process: what it answers and what happens when it dies. */
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createZeroAdapters, toAdapterFeeds } from '../../../src/engine/text/adapters.ts';
import { padTexts, toEncoderInput } from '../../../src/engine/text/encoder-input.ts';
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import type { EmbedOrder } from '../../../src/server/runtime/encoder/encoder-child.ts';
import { EncoderHost } from '../../../src/server/runtime/encoder/encoder-host.ts';
import {
  openEncoder,
  openTokenWeigher,
  openTuningGraph,
  runModel,
} from '../../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';
import { createAdapters } from '../../engine/features/adapters-fixture.ts';
import { maxComponentDifference } from '../../tolerances.ts';
import { temporaryFolder } from '../workbench.ts';

const text = (...words: number[]) => [101, ...words, 102];
const model = openTextModel();
const shared = JSON.parse(readFileSync(new URL('../../cases/embeddings.json', import.meta.url), 'utf8')) as {
  encoder_sha256: string;
  adapters: { rank: number };
  cases: { text: string; embedding: number[]; tuned: number[] }[];
};
/** Adapters by the rule of the shared cases. */
const sharedAdapters = createAdapters(shared.adapters.rank, 0.1);

const distance = (a: Float32Array, b: Float32Array) =>
  Math.max(...a.map((component, d) => Math.abs(component - (b[d] ?? 9))));

describe('the encoder host', () => {
  let host: EncoderHost;
  beforeAll(async () => {
    host = new EncoderHost({ spawn: spawnChild, model, cachedTexts: 2 });
    expect(host.state()).toBe('idle');
    await host.start();
  });
  afterAll(() => host.close());

  it('embeds a text as 384 numbers of length one', async () => {
    const embedding = await host.encoder.embed(text(7592, 2088));
    expect(embedding).toHaveLength(384);
    expect(Math.hypot(...embedding)).toBeCloseTo(1, 5);
    expect(host.state()).toBe('ready');
  });

  it('lets its process go once nothing has asked it between two looks, and starts another for the next text', async () => {
    await host.encoder.embed(text(2088, 7592));
    host.releaseUnused();
    expect(host.state()).toBe('ready');
    const held = host.pid();
    host.releaseUnused();
    expect([host.state(), host.pid()]).toEqual(['idle', null]);
    expect(await host.encoder.embed(text(7592, 7592, 2088))).toHaveLength(384);
    expect(host.pid()).not.toBe(held);
  });

  it('gives the same numbers for the same text, whatever else is asked at the same time', async () => {
    const alone = await host.encoder.embed(text(2054, 2003, 2026, 5703));
    const others = Array.from({ length: 20 }, (_, i) => host.encoder.embed(text(3000 + i, 2026, 5703)));
    const again = await host.encoder.embed(text(2054, 2003, 2026, 5703));
    const embedded = await Promise.all(others);
    expect(distance(again, alone)).toBe(0);
    // the cache of two has long pushed it out: this one is computed again, among longer and shorter texts
    const neighbours = [3, 4, 4, 5, 6, 9, 200].map((length) => host.encoder.embed(text(...Array(length).fill(7592))));
    const among = await host.encoder.embed(text(2054, 2003, 2026, 5703));
    await Promise.all(neighbours);
    expect(distance(among, alone)).toBeLessThan(1e-6);
    expect(new Set(embedded.map((e) => e.join())).size).toBe(20);
  });

  it('gives the shared embeddings, alone and in a batch', async () => {
    expect(model.encoderSha256).toBe(shared.encoder_sha256);
    const encoder = await openEncoder(model.encoderPath, model.encoderSha256, 2);
    const inputs = shared.cases.map(({ text }) => toEncoderInput(model.tokenizer().encode(text), 256).ids);
    const batch = await encoder.embedBatch(inputs);
    const tuned = await encoder.embedBatch(inputs, sharedAdapters);
    for (const [at, { embedding, tuned: expectedTuned }] of shared.cases.entries()) {
      expect(distance(tuned[at] ?? new Float32Array(), Float32Array.from(expectedTuned))).toBeLessThan(
        maxComponentDifference,
      );
      const expected = Float32Array.from(embedding);
      expect(distance(await host.encoder.embed(inputs[at] ?? []), expected)).toBeLessThan(maxComponentDifference);
      expect(distance(batch[at] ?? new Float32Array(), expected)).toBeLessThan(maxComponentDifference);
    }
  });

  it('gives the shared embeddings of the multilingual text model, alone, in a batch and in its process [BUN-8]', async () => {
    const multilingual = openTextModel(undefined, 'fast');
    const { encoder_sha256, cases } = JSON.parse(
      readFileSync(new URL('../../cases/embeddings-multilingual.json', import.meta.url), 'utf8'),
    ) as typeof shared;
    expect(multilingual.encoderSha256).toBe(encoder_sha256);
    const hosted = new EncoderHost({ spawn: spawnChild, model: multilingual });
    const encoder = await openEncoder(multilingual.encoderPath, multilingual.encoderSha256, 2);
    const { encode } = multilingual.tokenizer();
    const inputs = cases.map(({ text }) => toEncoderInput(encode(text), 256, encoder.frame).ids);
    const batch = await encoder.embedBatch(inputs);
    for (const [at, { embedding }] of cases.entries()) {
      const expected = Float32Array.from(embedding);
      expect(distance(await hosted.encoder.embed(inputs[at] ?? []), expected)).toBeLessThan(maxComponentDifference);
      expect(distance(batch[at] ?? new Float32Array(), expected)).toBeLessThan(maxComponentDifference);
    }
    await expect(encoder.embed([1, 2], sharedAdapters)).rejects.toThrow('takes no adapters');
    await hosted.close();
  });

  it('packs texts of any lengths to what the file computes of them side by side', async () => {
    const encoder = await openEncoder(model.encoderPath, model.encoderSha256);
    const file = readFileSync(model.encoderPath);
    for (const lengths of [[1], [3, 3, 3], [2, 250, 17], [64, 5, 5, 31, 128, 2, 90]]) {
      const texts = lengths.map((length, row) => text(...Array.from({ length }, (_, at) => 2000 + 97 * row + at)));
      const { dims, ids, mask } = padTexts(texts);
      for (const adapters of [createZeroAdapters(), sharedAdapters]) {
        const { sentence_embedding: expected = new Float32Array() } = await runModel(file, [
          { name: 'input_ids', dims, data: ids },
          { name: 'attention_mask', dims, data: mask },
          ...toAdapterFeeds(adapters),
        ]);
        for (const [row, embedding] of (await encoder.embedBatch(texts, adapters)).entries()) {
          expect(distance(embedding, expected.subarray(row * 384, (row + 1) * 384))).toBeLessThan(1e-6);
        }
      }
    }
  });

  it('feeds the one encoder with the adapters of any policy, also after its death [BUN-8]', async () => {
    const input = toEncoderInput(model.tokenizer().encode(shared.cases[1]?.text ?? ''), 256).ids;
    const policies = Array.from({ length: 70 }, (_, i) => createAdapters(1, 0.1 + i / 100));
    const embedAll = () =>
      Promise.all([null, sharedAdapters, ...policies].map((adapters) => host.encoder.embed(input, adapters)));
    const before = await embedAll();
    expect(distance(before[0] as Float32Array, Float32Array.from(shared.cases[1]?.embedding ?? []))).toBeLessThan(1e-6);
    expect(distance(before[1] as Float32Array, Float32Array.from(shared.cases[1]?.tuned ?? []))).toBeLessThan(1e-6);
    expect(new Set(before.map((embedding) => embedding.join())).size).toBe(72);
    const pid = host.pid();
    if (pid === null) throw new Error('the encoder has no process');
    process.kill(pid, 'SIGKILL');
    // More policies than a child keeps: the first ones are sent to it again.
    for (const [at, embedding] of (await embedAll()).entries()) {
      expect(distance(embedding, before[at] as Float32Array)).toBeLessThan(1e-6);
    }
    expect(host.pid()).not.toBe(pid);
  });

  it('weighs the tokens of a text beside the texts that it embeds, as the graph does here [XPL-3]', async () => {
    const ids = toEncoderInput(model.tokenizer().encode('The parcel came broken and nobody answers.'), 256).ids;
    const direction = (await host.encoder.embed(text(2439))).slice();
    const weigh = await openTokenWeigher(model.tuningGraphPath);
    for (const adapters of [null, sharedAdapters]) {
      const embedded = [3, 4, 5].map((length) => host.encoder.embed(text(...Array(length).fill(7592)), adapters));
      const weights = (await host.encoder.weighTokens?.(ids, direction, adapters)) ?? new Float32Array();
      expect(weights).toHaveLength(ids.length);
      expect(distance(weights, await weigh(ids, direction, adapters))).toBeLessThan(1e-6);
      // All gates opened alike change neither attention nor mean, so what the tokens add is a matter between them.
      expect(Math.abs(weights.reduce((sum, weight) => sum + weight, 0))).toBeLessThan(1e-5);
      expect(Math.max(...weights)).toBeGreaterThan(0.01);
      await Promise.all(embedded);
    }
    const without = new EncoderHost({ spawn: spawnChild, model: { ...model, tuningGraphPath: '/nowhere.onnx' } });
    expect(without.encoder.weighTokens).toBeUndefined();
    await without.close();
  });

  it('asks what waits once more of the next child, when the child is killed [AVL-3]', async () => {
    const waiting = Array.from({ length: 5 }, (_, i) =>
      host.encoder.embed(Array.from({ length: 256 }, () => 4000 + i)),
    );
    const pid = host.pid();
    if (pid === null) throw new Error('the encoder has no process');
    process.kill(pid, 'SIGKILL');
    for (const embedding of await Promise.all(waiting)) expect(embedding).toHaveLength(384);
    expect(await host.encoder.embed(text(9999))).toHaveLength(384);
    expect(host.pid()).not.toBe(pid);
  });
});

describe('graphs of the text model beside facts of another', () => {
  /** Both graphs in a folder of their own, with what `change` makes of the facts beside them. */
  const copyModel = (change: (facts: string) => string) => {
    const folder = temporaryFolder();
    for (const name of ['encoder', 'encoder-training-step']) {
      symlinkSync(join(dirname(model.encoderPath), `${name}.onnx`), join(folder, `${name}.onnx`));
      const facts = readFileSync(join(dirname(model.encoderPath), `${name}.json`), 'utf8');
      writeFileSync(join(folder, `${name}.json`), change(facts));
    }
    const [encoderPath, tuningGraphPath] = [join(folder, 'encoder.onnx'), join(folder, 'encoder-training-step.onnx')];
    return { ...model, encoderPath, tuningGraphPath };
  };

  it('are refused with the tensor that they lack, by the graph that embeds and the one that weighs', async () => {
    const renamed = copyModel((facts) => facts.replace('l5_', 'l11_'));
    const host = new EncoderHost({ spawn: spawnChild, model: renamed });
    const refusal = 'The graph of the text model has no tensor "l11_out", which the description beside it names.';
    await expect(host.start()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(refusal),
    });
    await host.close();
    await expect(openTokenWeigher(renamed.tuningGraphPath)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no tensor "l11_x2"'),
    });
  });

  it.each([
    ['that are no facts', '{}'],
    ['that are cut off', '{"heads": 12'],
  ])('are refused with the file of facts %s', async (_what, facts) => {
    const broken = copyModel(() => facts);
    await expect(openEncoder(broken.encoderPath, '')).rejects.toThrow(
      'The file encoder.json of the text model cannot be read.',
    );
    await expect(openTuningGraph(broken.tuningGraphPath)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('limits of the encoder host', () => {
  it('refuses the call beyond the queue', async () => {
    const host = new EncoderHost({ spawn: spawnChild, model, maxQueueLength: 2 });
    const first = host.encoder.embed(text(1));
    const second = host.encoder.embed(text(2));
    await expect(host.encoder.embed(text(3))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(Promise.all([first, second])).resolves.toHaveLength(2);
    await host.close();
    await expect(host.encoder.embed(text(4))).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('gives up the text that it dies of, alone', async () => {
    const host = new EncoderHost({
      model,
      spawn(name, options) {
        const child = spawnChild(name, options);
        const sendOn = child.send.bind(child);
        // What a text that crashes the native code would do: the child is gone while it works on it.
        child.send = ((request: { name: string; input: EmbedOrder }, ...rest: never[]) => {
          const texts = request.name === 'embed' ? request.input.texts : [];
          return texts.some((ids) => ids.includes(666)) ? child.kill('SIGKILL') : sendOn(request, ...rest);
        }) as typeof child.send;
        return child;
      },
    });
    await host.start();
    const poison = host.encoder.embed(text(666));
    const others = [1, 2, 3].map((id) => host.encoder.embed(text(id)));
    await expect(poison).rejects.toMatchObject({ code: 'unavailable' });
    for (const embedding of await Promise.all(others)) expect(embedding).toHaveLength(384);
    expect(host.findFailure()).toBeNull();
    await host.close();
  });

  it('refuses a text that the model cannot read and answers those that came with it', async () => {
    const host = new EncoderHost({ spawn: spawnChild, model });
    await host.start();
    const outcomes = [text(1), text(99_999_999), text(2)].map((ids) => host.encoder.embed(ids));
    await expect(outcomes[1]).rejects.toMatchObject({ code: 'unavailable' });
    expect(await outcomes[0]).toHaveLength(384);
    expect(await outcomes[2]).toHaveLength(384);
    await host.close();
  });

  it('tells its caller when the model cannot be loaded', async () => {
    const host = new EncoderHost({ spawn: spawnChild, model: { ...model, encoderPath: '/nowhere.onnx' } });
    await expect(host.start()).rejects.toMatchObject({ code: 'unavailable' });
    await host.close();
  });
});
