/** The archive of a decision type: a ZIP of its rows and of its policies' bundles, packed from the data folder. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { bundleLimits } from '../../../engine/bundle/manifest.ts';
import { writeZip, type ZipFile, type ZipLimits } from '../../../engine/bundle/zip.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { archiveFormat, toPolicyEntry } from '../../../engine/export/type-archive.ts';
import { sha256 } from '../../process/clock.ts';
import { type ArchivedType, readTypeRows } from '../../store/upkeep/type-archives.ts';

/** Policies that one archive holds. */
const maxPolicies = 1_000;

const mebibyte = 1024 * 1024;
/** A whole archive is held in memory, where it is written and where it is read. */
const maxRowsBytes = 96 * mebibyte;
export const archiveZipLimits: ZipLimits = {
  maxEntryBytes: {
    'manifest.json': mebibyte,
    'type.json': 32 * mebibyte,
    'examples.jsonl': maxRowsBytes,
    'held-out.jsonl': maxRowsBytes,
    ...Object.fromEntries(
      Array.from({ length: maxPolicies }, (_, at) => [toPolicyEntry(at + 1), bundleLimits.maxPlainBytes]),
    ),
  },
  maxTotalBytes: 192 * mebibyte,
  uncounted: [],
  maxEntries: maxPolicies + 4,
};

/** Packs a type as it is at one moment: the same state gives the same bytes. Throws `conflict` or `unavailable`. */
export function packTypeArchive(order: {
  databaseFile: string;
  artifactsDir: string;
  typeId: string;
  maxBytes: number;
}): Uint8Array {
  const db = new Database(order.databaseFile, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    const files = db.transaction(() => listFiles(db, order))();
    const bytes = writeZip(files);
    if (bytes.length <= order.maxBytes) return bytes;
    throw tooLarge(`takes more than ${order.maxBytes / mebibyte} MiB`);
  } finally {
    db.close();
  }
}

function listFiles(
  db: Database.Database,
  { typeId, artifactsDir }: { typeId: string; artifactsDir: string },
): ZipFile[] {
  const rows = readTypeRows(db, typeId);
  if (rows === undefined) throw new WorkbenchError('conflict', 'The decision type was removed meanwhile.');
  const { policies } = JSON.parse(rows.json) as Pick<ArchivedType, 'policies'>;
  const files: ZipFile[] = [
    { name: 'manifest.json', bytes: Buffer.from(`${JSON.stringify(archiveFormat)}\n`), stored: false },
    { name: 'type.json', bytes: Buffer.from(rows.json), stored: false },
    { name: 'examples.jsonl', bytes: writeLines('examples take', rows.examples()), stored: false },
    { name: 'held-out.jsonl', bytes: writeLines('held-out rows take', rows.answers()), stored: false },
    ...policies.map(({ id, version, bundle_sha256 }) => ({
      name: toPolicyEntry(version),
      bytes: readArtifact(path.join(artifactsDir, `${id}.zip`), version, bundle_sha256),
      stored: true,
    })),
  ];
  const { maxEntryBytes, maxTotalBytes } = archiveZipLimits;
  if (files.some(({ name }) => !Object.hasOwn(maxEntryBytes, name)))
    throw tooLarge(`has a policy above v${maxPolicies}`);
  if (files.reduce((sum, { bytes }) => sum + bytes.length, 0) > maxTotalBytes)
    throw tooLarge(`takes more than ${maxTotalBytes / mebibyte} MiB unpacked`);
  return files;
}

const tooLarge = (problem: string) =>
  new WorkbenchError(
    'conflict',
    `The decision type is too large for one file: it ${problem}. Export its examples and its policy as files of their own.`,
  );

function writeLines(what: string, lines: Iterable<string>): Uint8Array {
  const parts: Buffer[] = [];
  let size = 0;
  for (const line of lines) {
    const bytes = Buffer.from(`${line}\n`);
    size += bytes.length;
    if (size > maxRowsBytes) throw tooLarge(`holds too much: its ${what} more than ${maxRowsBytes / mebibyte} MiB`);
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

function readArtifact(file: string, version: number, digest: string): Uint8Array {
  const refuse = (cause?: unknown) =>
    new WorkbenchError(
      'unavailable',
      `The file of policy v${version} is missing or damaged. Put a backup of it in its place, then export again.`,
      undefined,
      { cause },
    );
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw refuse(cause);
  }
  if (sha256(bytes) !== digest) throw refuse();
  return bytes;
}
