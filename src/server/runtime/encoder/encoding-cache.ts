/**
 * Sentence embeddings on disk, so that training again after a few new labels does not encode every text again. Only
 * embeddings are kept, under a digest of the token ids: no text.
 *
 * Every process appends to a file of its own and reads those of the others, so nothing is locked. A record carries a
 * check: a record left half-written by a kill or a bad disk is encoded again, never used.
 */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Adapters, BatchTextEncoder } from '../../../engine/ports.ts';

const keyBytes = 16;
const checkBytes = 8;
/** Records written at once; as many are lost at most when the process is killed. */
const recordsPerWrite = 32;
const readBatchSize = 512;
const fileNamePattern = /^(\d+)-[0-9a-f]{12}\.enc$/;
const dayMs = 24 * 3600 * 1000;

type EncodingLimits = { maxBytes: number; maxDays: number };
/** About 340,000 texts; a month after it was written an embedding is removed, even if still in use. */
const encodingLimits: EncodingLimits = { maxBytes: 512 * 2 ** 20, maxDays: 30 };

/** The folder of the encodings that trainings and analyses share. */
export const encodingsFolder = (dataDir: string) => join(dataDir, 'encodings');

type Place = { file: string; offset: number };
/** `bare` encodes every text again. */
export type CachedEncoder = BatchTextEncoder & { bare: BatchTextEncoder; close(): void };

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

function listSegments(folder: string): { file: string; createdMs: number; bytes: number }[] {
  return readdirSync(folder).flatMap((name) => {
    const created = fileNamePattern.exec(name)?.[1];
    if (created === undefined) return [];
    const file = join(folder, name);
    const bytes = statSync(file, { throwIfNoEntry: false })?.size;
    return bytes === undefined ? [] : [{ file, createdMs: Number(created), bytes }];
  });
}

/** Which texts a folder has, by key. Embeddings are read, and checked, when they are asked for. */
function readIndex(folder: string, recordBytes: number): Map<string, Place> {
  const index = new Map<string, Place>();
  const chunk = Buffer.alloc(recordBytes * readBatchSize);
  for (const { file } of listSegments(folder)) {
    const opened = openSync(file, 'r');
    try {
      for (let from = 0; ; from += chunk.length) {
        const read = readSync(opened, chunk, 0, chunk.length, from);
        for (let at = 0; at + recordBytes <= read; at += recordBytes) {
          index.set(chunk.toString('latin1', at, at + keyBytes), { file, offset: from + at });
        }
        if (read < chunk.length) break;
      }
    } finally {
      closeSync(opened);
    }
  }
  return index;
}

const toKey = (ids: readonly number[]) => digest(Buffer.from(Int32Array.from(ids).buffer)).subarray(0, keyBytes);

/** Opens the embeddings of one encoder; damaged records count as absent, on a full disk no more are kept. */
function openRecords(folder: string, dimensions: number, nowMs: number) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const vectorBytes = dimensions * 4;
  const recordBytes = keyBytes + vectorBytes + checkBytes;
  const index = readIndex(folder, recordBytes);
  const readers = new Map<string, number>();
  const ownFile = join(folder, `${nowMs}-${randomBytes(6).toString('hex')}.enc`);
  let writer: number | null = null;
  let isWritable = true;
  let unwritten: Buffer[] = [];

  const toCheck = (record: Buffer) => digest(record.subarray(0, keyBytes + vectorBytes)).subarray(0, checkBytes);

  function readAt(place: Place): Buffer | null {
    const record = Buffer.alloc(recordBytes);
    try {
      const reader = readers.get(place.file) ?? openSync(place.file, 'r');
      readers.set(place.file, reader);
      if (readSync(reader, record, 0, recordBytes, place.offset) < recordBytes) return null;
    } catch {
      return null; // Housekeeping took the file away: the text is encoded again.
    }
    return toCheck(record).equals(record.subarray(keyBytes + vectorBytes)) ? record : null;
  }

  function flush(): void {
    if (unwritten.length === 0 || !isWritable) return;
    const bytes = Buffer.concat(unwritten);
    unwritten = [];
    try {
      writer ??= openSync(ownFile, 'a', 0o600);
      for (let written = 0; written < bytes.length; ) written += writeSync(writer, bytes, written);
    } catch {
      isWritable = false; // A full disk costs time at the next training, not this one's result.
    }
  }

  return {
    find(ids: readonly number[]): Float32Array | null {
      const place = index.get(toKey(ids).toString('latin1'));
      const known = place === undefined ? null : readAt(place);
      if (known === null) return null;
      return Float32Array.from({ length: dimensions }, (_, d) => known.readFloatLE(keyBytes + d * 4));
    },
    keep(ids: readonly number[], embedding: Float32Array): void {
      const record = Buffer.alloc(recordBytes);
      toKey(ids).copy(record);
      embedding.forEach((component, d) => {
        record.writeFloatLE(component, keyBytes + d * 4);
      });
      toCheck(record).copy(record, keyBytes + vectorBytes);
      unwritten.push(record);
      if (unwritten.length >= recordsPerWrite) flush();
    },
    close(): void {
      flush();
      for (const reader of readers.values()) closeSync(reader);
      readers.clear();
      if (writer !== null) closeSync(writer);
      writer = null;
    },
  };
}

/** An encoder that looks into `folder` first and keeps what it encodes, but nothing made with adapters. */
export function withEncodingCache(encoder: BatchTextEncoder, folder: string, nowMs: number): CachedEncoder {
  const records = openRecords(join(folder, encoder.sha256.slice(0, 32)), encoder.dimensions, nowMs);

  async function embedBatch(
    texts: readonly (readonly number[])[],
    adapters: Adapters | null = null,
  ): Promise<Float32Array[]> {
    if (adapters !== null) return encoder.embedBatch(texts, adapters);
    const known = texts.map(records.find);
    const missing = texts.filter((_, at) => known[at] === null);
    const fresh = missing.length === 0 ? [] : await encoder.embedBatch(missing);
    for (const [at, embedding] of fresh.entries()) records.keep(missing[at] ?? [], embedding);
    let next = 0;
    return known.map((embedding) => embedding ?? (fresh[next++] as Float32Array));
  }

  return {
    sha256: encoder.sha256,
    dimensions: encoder.dimensions,
    frame: encoder.frame,
    bare: encoder,
    embedBatch,
    embed: async (ids, adapters) => (await embedBatch([ids], adapters))[0] as Float32Array,
    close: records.close,
  };
}

/** Deletes embeddings that are too old or too many, the oldest first; returns how many files. */
export function pruneEncodings(folder: string, nowMs: number, limits: EncodingLimits = encodingLimits): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const machines = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const newestFirst = machines
    .flatMap((entry) => listSegments(join(folder, entry.name)))
    .sort((a, b) => b.createdMs - a.createdMs);
  let bytes = 0;
  let removed = 0;
  for (const segment of newestFirst) {
    bytes += segment.bytes;
    if (bytes <= limits.maxBytes && nowMs - segment.createdMs <= limits.maxDays * dayMs) continue;
    rmSync(segment.file, { force: true });
    removed += 1;
  }
  return removed;
}
