/** ZIP files: written so that their bytes repeat, read without trusting them. */
import { inflateSync, strFromU8, type ZippableFile, zipSync } from 'fflate';
import { WorkbenchError } from '../errors.ts';

export const maxEntries = 32;

const localSignature = 0x04034b50;
const centralSignature = 0x02014b50;
const endSignature = 0x06054b50;
/** Bits of an entry's flags that mean nothing to a reader: the level of compression, and UTF-8 names. */
const allowedFlags = 0x0806;
/** The kind of file in the Unix part of an entry's attributes. */
const fileTypeMask = 0xf000;
const plainFile = 0x8000;
const remedy = 'Export the bundle again, or copy it again.';

/** The error of a bundle that cannot be used: `place` and `problem` make a sentence, `hint` is the remedy. */
export function toBundleError(place: string, problem: string, hint = remedy): WorkbenchError {
  return new WorkbenchError('validation_error', `Bundle ${place} ${problem}. ${hint}`, [
    { type: 'bundle', loc: ['bundle', place], msg: problem },
  ]);
}

const crcTable = Uint32Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.length; at++) crc = (crcTable[(crc ^ (bytes[at] ?? 0)) & 255] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** One file for {@link writeZip}; `stored` leaves it uncompressed. */
export type ZipFile = { name: string; bytes: Uint8Array; stored: boolean };

/** Writes a ZIP that follows from the arguments; its entries have no date of their own. */
export function writeZip(files: readonly ZipFile[]): Uint8Array {
  const entries = files.map(({ name, bytes, stored }): [string, ZippableFile] => [
    name,
    [bytes, { level: stored ? 0 : 6 }],
  ]);
  return zipSync(Object.fromEntries(entries), { mtime: new Date(1980, 0, 1) });
}

/** Limits of a ZIP: unpacked bytes by entry name, and of all entries together. */
export type ZipLimits = {
  maxEntryBytes: Readonly<Record<string, number>>;
  maxTotalBytes: number;
  /** The one entry that does not count towards the total. */
  uncounted: readonly string[];
  /** By default as many as a bundle may have. */
  maxEntries?: number;
};

type Listed = { method: number; crc: number; packedBytes: number; sizeBytes: number; offset: number };

type Central = Listed & { name: string; next: number };

/** Reads one line of the table of contents, which ends at `end`. */
function readCentral(bytes: Uint8Array, view: DataView, at: number, end: number): Central {
  const damaged = () => toBundleError('file', 'has a damaged table of contents');
  if (at + 46 > end || view.getUint32(at, true) !== centralSignature) throw damaged();
  const nameLength = view.getUint16(at + 28, true);
  const next = at + 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  if (next > end) throw damaged();
  const name = strFromU8(bytes.subarray(at + 46, at + 46 + nameLength));
  const shown = JSON.stringify(name.slice(0, 100));
  const flags = view.getUint16(at + 8, true);
  const method = view.getUint16(at + 10, true);
  const fileType = (view.getUint32(at + 38, true) >>> 16) & fileTypeMask;
  if (fileType !== 0 && fileType !== plainFile) throw toBundleError(`entry ${shown}`, 'is not a plain file');
  if ((flags & 1) !== 0) throw toBundleError(`entry ${shown}`, 'is encrypted');
  if ((flags & ~allowedFlags) !== 0) throw toBundleError(`entry ${shown}`, 'is packed in an unknown way');
  if (method !== 0 && method !== 8) throw toBundleError(`entry ${shown}`, `uses compression method ${method}`);
  return {
    name,
    method,
    crc: view.getUint32(at + 16, true),
    packedBytes: view.getUint32(at + 20, true),
    sizeBytes: view.getUint32(at + 24, true),
    offset: view.getUint32(at + 42, true),
    next,
  };
}

function listEntries(bytes: Uint8Array, view: DataView, limits: ZipLimits): Map<string, Listed> {
  const end = view.byteLength - 22;
  if (view.getUint32(end, true) !== endSignature || view.getUint16(end + 20, true) !== 0) {
    throw toBundleError('file', 'is not a complete ZIP file, or something follows it');
  }
  const count = view.getUint16(end + 10, true);
  const centralSize = view.getUint32(end + 12, true);
  let at = view.getUint32(end + 16, true);
  if (view.getUint16(end + 8, true) !== count || at + centralSize !== end) {
    throw toBundleError('file', 'has a damaged table of contents');
  }
  const most = limits.maxEntries ?? maxEntries;
  if (count > most) throw toBundleError('file', `has ${count} entries; at most ${most} are allowed`);
  const listed = new Map<string, Listed>();
  let total = 0;
  for (let index = 0; index < count; index++) {
    const { name, next, ...entry } = readCentral(bytes, view, at, end);
    const shown = JSON.stringify(name.slice(0, 100));
    if (!Object.hasOwn(limits.maxEntryBytes, name)) {
      throw toBundleError(
        `entry ${shown}`,
        'is not part of a bundle',
        'Use a bundle exported by this product, unchanged.',
      );
    }
    if (listed.has(name)) throw toBundleError(`entry ${shown}`, 'occurs twice');
    const maxBytes = limits.maxEntryBytes[name] ?? 0;
    if (entry.sizeBytes > maxBytes) throw toBundleError(`entry ${shown}`, `has over ${maxBytes} bytes unpacked`);
    if (!limits.uncounted.includes(name)) total += entry.sizeBytes;
    if (total > limits.maxTotalBytes) {
      throw toBundleError(`entry ${shown}`, `takes the bundle over ${limits.maxTotalBytes} bytes unpacked`);
    }
    listed.set(name, entry);
    at = next;
  }
  if (at !== end) throw toBundleError('file', 'has a damaged table of contents');
  return listed;
}

/** Where the packed bytes of an entry begin; its own header must say what the table of contents says. */
function findData(bytes: Uint8Array, view: DataView, name: string, entry: Listed): number {
  const start = entry.offset;
  const misplaced = () => toBundleError(`entry ${name}`, 'is not where the table of contents says');
  if (start + 30 > bytes.length || view.getUint32(start, true) !== localSignature) throw misplaced();
  const nameEnd = start + 30 + view.getUint16(start + 26, true);
  const dataStart = nameEnd + view.getUint16(start + 28, true);
  const isSame =
    view.getUint16(start + 8, true) === entry.method &&
    view.getUint32(start + 14, true) === entry.crc &&
    view.getUint32(start + 18, true) === entry.packedBytes &&
    view.getUint32(start + 22, true) === entry.sizeBytes &&
    strFromU8(bytes.subarray(start + 30, nameEnd)) === name;
  if (!isSame || dataStart + entry.packedBytes > bytes.length) throw misplaced();
  return dataStart;
}

/** Refuses bytes that belong to no entry: before, between and behind them, where another reader might look. */
function checkLayout(bytes: Uint8Array, view: DataView, listed: ReadonlyMap<string, Listed>): void {
  let at = 0;
  for (const [name, entry] of [...listed].sort((a, b) => a[1].offset - b[1].offset)) {
    if (entry.offset !== at) throw toBundleError(`entry ${name}`, 'does not follow the entry before it');
    at = findData(bytes, view, name, entry) + entry.packedBytes;
  }
  if (at !== view.getUint32(view.byteLength - 6, true)) {
    throw toBundleError('file', 'has something between its entries and its table of contents');
  }
}

function readEntry(bytes: Uint8Array, view: DataView, name: string, entry: Listed): Uint8Array {
  const dataStart = findData(bytes, view, name, entry);
  const packed = bytes.subarray(dataStart, dataStart + entry.packedBytes);
  let content: Uint8Array;
  if (entry.method === 0) {
    content = packed;
  } else {
    try {
      // One byte more than declared: the inflater stops growing there, and a longer entry shows by its length.
      content = inflateSync(packed, { out: new Uint8Array(entry.sizeBytes + 1) });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw toBundleError(`entry ${name}`, `cannot be decompressed (${error.message})`);
    }
  }
  if (content.length !== entry.sizeBytes) throw toBundleError(`entry ${name}`, 'does not have the size it declares');
  if (crc32(content) !== entry.crc) throw toBundleError(`entry ${name}`, 'is damaged (checksum)');
  return content;
}

/**
 * Opens a ZIP that may come from anywhere: only the names in `limits`, each once. An entry is inflated when asked for.
 * Both throw WorkbenchError 'validation_error' naming the entry.
 */
export function openZip(
  bytes: Uint8Array,
  limits: ZipLimits,
): { names: readonly string[]; read(name: string): Uint8Array | undefined } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 22) throw toBundleError('file', 'is not a complete ZIP file');
  const listed = listEntries(bytes, view, limits);
  checkLayout(bytes, view, listed);
  return {
    names: [...listed.keys()],
    read(name) {
      const entry = listed.get(name);
      return entry === undefined ? undefined : readEntry(bytes, view, name, entry);
    },
  };
}
