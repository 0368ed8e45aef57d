/** Texts that were encoded for one training are not encoded again for the next. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { BatchTextEncoder } from '../../../src/engine/ports.ts';
import {
  encodingsFolder,
  pruneEncodings,
  withEncodingCache,
} from '../../../src/server/runtime/encoder/encoding-cache.ts';
import { complaintType, createTrainable, pollUntil, startWorkbench, temporaryFolder, terminal } from '../workbench.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'encodings-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** An encoder that remembers what it was asked; its embedding follows from the ids alone. */
function countingEncoder(sha256 = 'a'.repeat(64)): BatchTextEncoder & { asked: string[] } {
  const asked: string[] = [];
  async function embed(ids: readonly number[]) {
    asked.push(ids.join(' '));
    return Float32Array.from({ length: 6 }, (_, d) => Math.sin(d + ids.reduce((sum, id) => sum * 31 + id, 7)));
  }
  return { sha256, dimensions: 6, asked, embed, embedBatch: (texts) => Promise.all(texts.map(embed)) };
}

const texts = Array.from({ length: 100 }, (_, i) => [101, 2000 + i, 3000 + (i % 7), 102]);

/** One training's encoding: which texts it really encoded. Every embedding must be that of the plain encoder. */
async function encodeAll(wanted: number[][], { createdMs = 1_000, sha256 = 'a'.repeat(64) } = {}) {
  const encoder = countingEncoder(sha256);
  const plain = countingEncoder(sha256);
  const cached = withEncodingCache(encoder, folder, createdMs);
  for (const ids of wanted) expect(await cached.embed(ids)).toEqual(await plain.embed(ids));
  cached.close();
  return encoder.asked;
}

const segments = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

describe('embeddings kept on disk', () => {
  it('serve the next training, which encodes the new texts only', async () => {
    expect(await encodeAll(texts)).toHaveLength(100);
    const added = [101, 9, 102];
    expect(await encodeAll([...texts, added])).toEqual(['101 9 102']);
    expect(await encodeAll([...texts, added])).toEqual([]);
  });

  it('are not shared between encoders', async () => {
    await encodeAll(texts.slice(0, 5));
    expect(await encodeAll(texts.slice(0, 5), { sha256: 'b'.repeat(64) })).toHaveLength(5);
  });

  it('are kept of a batch of which some are known, each in its place', async () => {
    await encodeAll(texts.slice(0, 50));
    const encoder = countingEncoder();
    const cached = withEncodingCache(encoder, folder, 2_000);
    const mixed = [...texts].reverse();
    expect(await cached.embedBatch(mixed)).toEqual(await countingEncoder().embedBatch(mixed));
    cached.close();
    expect(encoder.asked).toHaveLength(50);
    expect(await encodeAll(texts)).toEqual([]);
  });

  it('survive a kill in the middle of a record and encode just that text again', async () => {
    await encodeAll(texts);
    const [file = ''] = segments();
    truncateSync(file, readFileSync(file).length - 10);
    expect(await encodeAll(texts)).toEqual([texts.at(-1)?.join(' ')]);
    expect(await encodeAll(texts)).toEqual([]);
  });

  it('are encoded again where the disk changed a byte, anywhere in a record', async () => {
    await encodeAll(texts.slice(0, 1));
    const [file = ''] = segments();
    const whole = readFileSync(file);
    for (const at of [0, 15, 16, 30, whole.length - 1]) {
      const damaged = Buffer.from(whole);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 4, at);
      for (const other of segments()) rmSync(other);
      writeFileSync(file, damaged);
      expect(await encodeAll(texts.slice(0, 1)), `byte ${at}`).toHaveLength(1);
    }
  });

  it('can be written by two processes at once and are read by both afterwards', async () => {
    const first = countingEncoder();
    const second = countingEncoder();
    const one = withEncodingCache(first, folder, 1);
    const two = withEncodingCache(second, folder, 1);
    for (const [i, ids] of texts.entries()) await (i % 2 === 0 ? one : two).embed(ids);
    one.close();
    two.close();
    expect(await encodeAll(texts)).toEqual([]);
  });

  it('may be taken away during a training without harm', async () => {
    await encodeAll(texts);
    const encoder = countingEncoder();
    const cached = withEncodingCache(encoder, folder, 2);
    for (const file of segments()) rmSync(file);
    for (const ids of texts) expect(await cached.embed(ids)).toEqual(await countingEncoder().embed(ids));
    cached.close();
  });

  it('go after a month, and the oldest first when there are too many', async () => {
    const day = 24 * 3600 * 1000;
    for (const age of [40, 20, 10]) {
      await encodeAll(
        texts.slice(0, age).map((ids) => [...ids, age]),
        { createdMs: 100 * day - age * day },
      );
    }
    expect(pruneEncodings(folder, 100 * day)).toBe(1);
    expect(segments()).toHaveLength(2);
    expect(pruneEncodings(folder, 100 * day, { maxBytes: 1_000, maxDays: 30 })).toBe(1);
    expect(segments()).toHaveLength(1);
    expect(segments()[0]).toContain(String(90 * day));
    expect(pruneEncodings(join(folder, 'new'), 0)).toBe(0);
  });
});

describe('training a second time', () => {
  it('finds every embedding of the first and keeps no word of the texts', async () => {
    const dataDir = temporaryFolder();
    const bench = await startWorkbench(dataDir);
    onTestFinished(() => bench.stop());
    const examples = Array.from({ length: 80 }, (_, i) => ({
      input: { complaint: `my ${i % 2 === 0 ? 'card' : 'mortgage'} payment number ${i} is wrong` },
      decision: i % 2 === 0 ? 'cards' : 'mortgages',
    }));
    const path = await createTrainable(bench, complaintType, examples);
    const sizes = [];
    for (let training = 0; training < 2; training++) {
      const { policy_id } = (await bench.call('POST', `${path}/train`, { tune_hyperparams: false })).body;
      const done = await pollUntil(() => bench.call('GET', `${path}/policies/${policy_id}/progress`), terminal);
      expect(done.body.status).toBe('deployed');
      folder = encodingsFolder(dataDir);
      sizes.push(segments().map((file) => readFileSync(file).length));
    }
    // One file of each text model that was compared.
    expect(sizes[0]).toHaveLength(2);
    expect(sizes[1]).toEqual(sizes[0]);
    const stored = segments()
      .map((file) => readFileSync(file, 'latin1'))
      .join('');
    expect(stored).not.toMatch(/payment|card|mortgage/i);
  });
});
