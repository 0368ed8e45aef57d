/** What a power cut leaves of files, from what a program did to them: which writes and names had reached the disk. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../../../../src/engine/random.ts';
import type { StorageCall } from './storage-calls.ts';

/** The files below a folder at one moment: their contents by their numbers, and which name means which. */
export type Files = { names: Map<string, number>; contents: Map<number, Content> };
/** A file of `size` bytes, in a buffer that may be longer. */
type Content = { bytes: Buffer; size: number };

type Change = Extract<StorageCall, { call: 'write' } | { call: 'truncate' }>;
type Naming = Exclude<StorageCall, Change | { call: 'sync' }>;

/** A disk writes sectors whole or not at all. */
const sectorBytes = 512;

/** Reads all files below a folder. */
export function readFiles(folder: string): Files {
  const files: Files = { names: new Map(), contents: new Map() };
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const name = path.join(entry.parentPath, entry.name);
    const { ino } = statSync(name);
    files.names.set(name, ino);
    const bytes = readFileSync(name);
    files.contents.set(ino, { bytes, size: bytes.length });
  }
  return files;
}

/**
 * Makes the files that a power cut after `calls` leaves. What was synced is there; of what was written since, each
 * sector may be there or not (`keep` is the share that is), and of the changes of names the first ones. A file that is
 * synced has its name; a name in a folder is sure when the folder is synced.
 */
export function cutPower(start: Files, calls: readonly StorageCall[], keep: number, random: Random): Files {
  const names = new Map(start.names);
  const contents = new Map(
    [...start.contents].map(([file, { bytes, size }]) => [file, { bytes: Buffer.from(bytes), size }]),
  );
  const changes = new Map<number, Change[]>();
  let namings: Naming[] = [];
  const settle = (isSure: (naming: Naming) => boolean) => {
    const last = namings.findLastIndex(isSure);
    for (const naming of namings.slice(0, last + 1)) applyNaming(names, contents, naming);
    namings = namings.slice(last + 1);
  };
  for (const call of calls) {
    if (call.call === 'write' || call.call === 'truncate') {
      const earlier = changes.get(call.file);
      if (earlier) earlier.push(call);
      else changes.set(call.file, [call]);
    } else if (call.call === 'sync') {
      for (const change of changes.get(call.file) ?? []) applyChange(contents, change, () => true);
      changes.delete(call.file);
      settle((naming) => naming.path === call.path || path.dirname(naming.path) === call.path);
    } else {
      namings.push(call);
    }
  }
  const kept = Math.round(namings.length * (keep < 1 ? random() : 1));
  for (const naming of namings.slice(0, keep === 0 ? 0 : kept)) applyNaming(names, contents, naming);
  for (const change of [...changes.values()].flat()) applyChange(contents, change, () => random() < keep);
  return { names, contents };
}

function applyNaming(names: Map<string, number>, contents: Files['contents'], naming: Naming): void {
  if (naming.call === 'open') {
    names.set(naming.path, naming.file);
    if (!contents.has(naming.file)) contents.set(naming.file, { bytes: Buffer.alloc(0), size: 0 });
    return;
  }
  const file = names.get(naming.path);
  names.delete(naming.path);
  if (naming.call === 'rename' && file !== undefined) names.set(naming.to, file);
}

function applyChange(contents: Files['contents'], change: Change, isKept: () => boolean): void {
  const before = contents.get(change.file) ?? { bytes: Buffer.alloc(0), size: 0 };
  const isCut = change.call === 'truncate';
  if (isCut && !isKept()) return;
  const end = isCut ? change.size : Math.max(before.size, change.offset + change.bytes.length);
  const content = resize(before, end);
  contents.set(change.file, content);
  if (isCut) return;
  for (let at = change.offset; at < change.offset + change.bytes.length; ) {
    const next = (Math.floor(at / sectorBytes) + 1) * sectorBytes;
    if (isKept()) change.bytes.copy(content.bytes, at, at - change.offset, next - change.offset);
    at = next;
  }
}

/** Makes a file longer, with zeros, or shorter. */
function resize({ bytes, size }: Content, wanted: number): Content {
  if (wanted <= bytes.length) {
    bytes.fill(0, Math.min(size, wanted));
    return { bytes, size: wanted };
  }
  const longer = Buffer.alloc(wanted * 2);
  bytes.copy(longer, 0, 0, size);
  return { bytes: longer, size: wanted };
}

/** Writes the files that lay below `from` below `to`, without what processes shared in memory. */
export function writeFiles({ names, contents }: Files, from: string, to: string): void {
  for (const [name, file] of names) {
    if (name.endsWith('-shm')) continue;
    const target = path.join(to, path.relative(from, name));
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    const { bytes, size } = contents.get(file) ?? { bytes: Buffer.alloc(0), size: 0 };
    writeFileSync(target, bytes.subarray(0, size), { mode: 0o600 });
  }
}
