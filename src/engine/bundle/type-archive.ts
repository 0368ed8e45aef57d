/** The archive of a decision type: a ZIP that a workbench exports and imports, or a tab saves. */
import { strToU8 } from 'fflate';
import { WorkbenchError } from '../errors.ts';
import { bundleLimits } from './manifest.ts';
import { writeZip, type ZipFile, type ZipLimits } from './zip.ts';

export const archiveFormat = { format: 'decision-workbench-type', format_version: 1 } as const;

/** The entry with the bundle of a policy. */
export const toPolicyEntry = (version: number) => `policies/v${version}.zip`;

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

/** The parts of an archive: the type as JSON, its rows as lines of JSON, and the bundle of each policy. */
export type ArchiveParts = {
  type: string;
  examples: Iterable<string>;
  heldOut: Iterable<string>;
  policies: Iterable<{ version: number; bytes: Uint8Array }>;
};

/** Writes an archive: the same parts give the same bytes. Throws `conflict` where it would be above `maxBytes`. */
export function writeTypeArchive(
  { type, examples, heldOut, policies }: ArchiveParts,
  maxBytes = archiveZipLimits.maxTotalBytes,
): Uint8Array {
  const files: ZipFile[] = [
    { name: 'manifest.json', bytes: strToU8(`${JSON.stringify(archiveFormat)}\n`), stored: false },
    { name: 'type.json', bytes: strToU8(type), stored: false },
    { name: 'examples.jsonl', bytes: writeLines('examples take', examples), stored: false },
    { name: 'held-out.jsonl', bytes: writeLines('held-out rows take', heldOut), stored: false },
    ...Array.from(policies, ({ version, bytes }) => ({ name: toPolicyEntry(version), bytes, stored: true })),
  ];
  const { maxEntryBytes, maxTotalBytes } = archiveZipLimits;
  if (files.some(({ name }) => !Object.hasOwn(maxEntryBytes, name)))
    throw tooLarge(`has a policy above v${maxPolicies}`);
  if (files.reduce((sum, { bytes }) => sum + bytes.length, 0) > maxTotalBytes)
    throw tooLarge(`takes more than ${maxTotalBytes / mebibyte} MiB unpacked`);
  const bytes = writeZip(files);
  if (bytes.length <= maxBytes) return bytes;
  throw tooLarge(`takes more than ${maxBytes / mebibyte} MiB`);
}

const tooLarge = (problem: string) =>
  new WorkbenchError(
    'conflict',
    `The decision type is too large for one file: it ${problem}. Export its examples and its policy as files of their own.`,
  );

function writeLines(what: string, lines: Iterable<string>): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (const line of lines) {
    const bytes = strToU8(`${line}\n`);
    size += bytes.length;
    if (size > maxRowsBytes) throw tooLarge(`holds too much: its ${what} more than ${maxRowsBytes / mebibyte} MiB`);
    parts.push(bytes);
  }
  const written = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    written.set(part, at);
    at += part.length;
  }
  return written;
}
