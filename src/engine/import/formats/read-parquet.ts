/** Parquet files: their rows as JSON, with dates and times as text and no digit lost. */
/// <reference path="./decompressors.d.ts" />
import { strFromU8 } from 'fflate';
import { decompress as decompressZstd } from 'fzstd';
import {
  type FileMetaData,
  parquetMetadata,
  parquetReadObjects,
  parquetSchema,
  type SchemaElement,
  type SchemaTree,
} from 'hyparquet';
import { decompressBrotli } from 'hyparquet-compressors/src/brotli.js';
import { gunzip } from 'hyparquet-compressors/src/gzip.js';
import { decompressLz4, decompressLz4Raw } from 'hyparquet-compressors/src/lz4.js';
import { isJsonObject, type Json } from '../../json.ts';
import { parseJsonText } from '../../strict-json/json-faults.ts';
import { type Sheet, UnreadableFile } from '../sheet.ts';
import { readExportedTable, toExportedLines } from '../tables/exported-table.ts';
import { findDurations } from './arrow-durations.ts';
import { readExport } from './labelling-exports.ts';
import { findTimeForm, toHours, toInstant, toIsoDate, toTimeOfDay } from './number-formats.ts';
import { fromRecords } from './objects.ts';

type Decompress = (input: Uint8Array, length: number) => Uint8Array;
/** Snappy is not among them, as the reader has it itself. */
const decompressors: Readonly<Record<string, Decompress>> = {
  GZIP: (input, length) => gunzip(input, new Uint8Array(length)),
  BROTLI: decompressBrotli,
  ZSTD: (input, length) => decompressZstd(input, new Uint8Array(length)),
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
};
const readableCodecs = new Set(['UNCOMPRESSED', 'SNAPPY', ...Object.keys(decompressors)]);

const dayMs = 86_400_000;
/** The years that four digits name. */
const firstMs = Date.parse('0001-01-01T00:00:00Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');
const nanosPerMs = 1_000_000;
const unitsPerMs: Readonly<Record<string, number>> = { MILLIS: 1, MICROS: 1_000, NANOS: nanosPerMs };

type Met = { lostDates: number; roundedDecimals: number; hasLongNumbers: boolean };
type Reader = (value: unknown) => Json;

/** A whole number; one that a double cannot hold is a text. */
function toWhole(value: bigint, met: Met): Json {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  met.hasLongNumbers = true;
  return String(value);
}

/** A decimal by its unscaled bytes or number, as exactly as a double has it. */
function toDecimal(value: unknown, scale: number, met: Met): Json {
  let unscaled = 0n;
  if (value instanceof Uint8Array) {
    for (const byte of value) unscaled = (unscaled << 8n) | BigInt(byte);
    unscaled = BigInt.asIntN(value.length * 8, unscaled);
  } else if (typeof value === 'bigint' || typeof value === 'number') unscaled = BigInt(value);
  if (scale === 0) return toWhole(unscaled, met);
  if (!Number.isSafeInteger(Number(unscaled))) met.roundedDecimals += 1;
  return Number(`${unscaled}e${-scale}`);
}

/** Months, days and milliseconds: hours, or the form of ISO 8601 where months have no length. */
function toInterval(bytes: Uint8Array): Json {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [months = 0, days = 0, ms = 0] = [0, 4, 8].map((place) => view.getUint32(place, true));
  return months === 0 ? toHours(days * dayMs + ms) : `P${months}M${days}DT${ms / 1_000}S`;
}

const toHex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Bytes that are a text, and others as hexadecimal digits. */
function toText(bytes: Uint8Array): string {
  const text = strFromU8(bytes);
  return /[\0\ufffd]/.test(text) ? toHex(bytes) : text;
}

function toPlain(value: unknown, met: Met): Json {
  if (typeof value === 'bigint') return toWhole(value, met);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return value instanceof Uint8Array ? toText(value) : ((value ?? null) as Json);
}

/** How the values of a column without parts become JSON. */
function toLeafReader(
  { type, converted_type: converted, logical_type: logical, scale = 0 }: ReadElement,
  met: Met,
): Reader {
  if (converted === 'DECIMAL') return (value) => toDecimal(value, scale, met);
  if (converted === 'INTERVAL') return (value) => (value instanceof Uint8Array ? toInterval(value) : null);
  // Those that tell instants have a zone, UTC; the others are times of a clock somewhere.
  const isInstant =
    logical?.type === 'TIMESTAMP'
      ? logical.isAdjustedToUTC
      : logical === undefined && converted?.startsWith('TIMESTAMP_') === true;
  if (isInstant) return (value) => (typeof value === 'string' ? toInstant(value) : null);
  const unit =
    logical?.type === 'TIME' ? logical.unit : converted?.startsWith('TIME_') ? converted.slice(5) : undefined;
  if (unit === undefined || type === undefined) return (value) => toPlain(value, met);
  const perMs = unitsPerMs[unit] ?? 1;
  return (value) => toTimeOfDay(Math.floor(Number(value) / perMs), true);
}

type ReadElement = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type' | 'scale'>;
/** Types that are read here, as their reader rounds decimals and knows no intervals. */
const ownTypes = new Set<string | undefined>(['DECIMAL', 'INTERVAL']);

/** How the values of a column become JSON, with those of its parts. */
function toReader({ element, children }: SchemaTree, own: ReadonlyMap<SchemaElement, ReadElement>, met: Met): Reader {
  const [first] = children;
  let read: Reader;
  if (first === undefined) read = toLeafReader(own.get(element) ?? element, met);
  else if (element.converted_type === 'LIST') {
    const [only, ...others] = first.children;
    const inner = toReader(only !== undefined && others.length === 0 ? only : first, own, met);
    read = (value) => (Array.isArray(value) ? value.map(inner) : inner(value));
  } else if (element.converted_type === 'MAP') {
    const inner = toReader(first.children[1] ?? first, own, met);
    read = (value) => mapValues(value, () => inner);
  } else {
    const parts = new Map(children.map((child) => [child.element.name, toReader(child, own, met)]));
    read = (value) => mapValues(value, (name) => parts.get(name));
  }
  // A field that is repeated without a group around it is a list as well.
  return (value) =>
    value === null || value === undefined
      ? null
      : Array.isArray(value) && element.converted_type !== 'LIST'
        ? value.map(read)
        : read(value);
}

function mapValues(value: unknown, find: (name: string) => Reader | undefined): Json {
  if (!isJsonObject(value)) return null;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, find(name)?.(inner) ?? null]));
}

/** Dates and times as text; one that no calendar of four digits has is null, and counted. */
function createParsers(met: Met) {
  const toDate = (ms: number) => {
    if (ms >= firstMs && ms <= lastMs) return toIsoDate(ms);
    met.lostDates += 1;
    return null;
  };
  const toTime = (perMs: number) => (value: bigint) => toDate(Math.floor(Number(value) / perMs));
  return {
    timestampFromMilliseconds: toTime(1),
    timestampFromMicroseconds: toTime(unitsPerMs['MICROS'] ?? 1),
    timestampFromNanoseconds: toTime(nanosPerMs),
    dateFromDays: (days: number) => toDate(days * dayMs),
  };
}

/** Refuses what is compressed in a way that is not read, or too much once it is unpacked. Throws UnreadableFile. */
function checkChunks(metadata: FileMetaData, refuseSize: (bytes: number) => void): void {
  let bytes = 0;
  for (const { columns } of metadata.row_groups)
    for (const { meta_data: chunk } of columns) {
      if (chunk === undefined) continue;
      bytes += Number(chunk.total_uncompressed_size);
      if (readableCodecs.has(chunk.codec)) continue;
      const name = chunk.path_in_schema.join('.');
      throw new UnreadableFile(
        `The column “${name}” is compressed with ${chunk.codec}. Save the file with Snappy or Zstandard.`,
      );
    }
  refuseSize(bytes);
}

function readClasses({ key_value_metadata: entries = [] }: FileMetaData) {
  return readClassNames(entries.find(({ key }) => key === 'huggingface')?.value ?? '');
}

/** The columns of durations, with how many of their units make a millisecond. */
function readDurations({ key_value_metadata: entries = [] }: FileMetaData): Map<string, number> {
  const arrow = entries.find(({ key }) => key === 'ARROW:schema')?.value;
  return arrow === undefined ? new Map() : findDurations(arrow);
}

const toClassName = (names: readonly unknown[], value: Json): Json => {
  const name = typeof value === 'number' ? names[value] : undefined;
  return typeof name === 'string' ? name : value;
};

/** Reads a Parquet file whole. Throws UnreadableFile. */
export async function readParquet(bytes: Uint8Array, refuseSize: (bytes: number) => void): Promise<Sheet> {
  const met: Met = { lostDates: 0, roundedDecimals: 0, hasLongNumbers: false };
  const { metadata, own: ownElements, records } = await readRecords(bytes, refuseSize, met);
  const durations = readDurations(metadata);
  const classes = readClasses(metadata);
  const readers = parquetSchema(metadata).children.map((column): [string, Reader] => {
    const { name } = column.element;
    const perMs = durations.get(name);
    const names = classes.get(name);
    const read = toReader(column, ownElements, met);
    if (names !== undefined) return [name, (value) => toClassName(names, read(value))];
    if (perMs === undefined) return [name, read];
    return [name, (value) => (typeof value === 'bigint' ? toHours(Number(value) / perMs) : null)];
  });
  const binary: string[] = [];
  const columns = readers.map(([name, read]) => {
    const values = records.map((record) => read(record[name]));
    const toBytes = (value: unknown) => (value instanceof Uint8Array ? toHex(value) : null);
    // Where some bytes of a column are no text, none are.
    if (records.some((record, index) => values[index] !== null && values[index] === toBytes(record[name]))) {
      binary.push(name);
      return [name, records.map((record): Json => toBytes(record[name]))] as const;
    }
    const form = findTimeForm(values);
    return [name, form === null ? values : values.map(form)] as const;
  });
  const rows = records.map((_, index) => ({
    line: index + 1,
    values: Object.fromEntries(columns.map(([name, values]) => [name, values[index] ?? null])),
  }));
  const exported = toExportedLines(rows);
  const own = exported && readExportedTable(exported, ['Parquet'], false);
  if (own) return own;
  const notes = [...durations.keys()].map((name) => `“${name}” holds durations, read as hours`);
  for (const name of binary) notes.push(`“${name}” holds bytes that are no text, read as hexadecimal digits`);
  for (const name of classes.keys())
    notes.push(`“${name}” holds numbers of classes, read as the names that the file gives`);
  if (met.hasLongNumbers) notes.push('Whole numbers beyond 2^53, where numbers lose digits, are kept as texts');
  const tell = (count: number, what: string) => {
    if (count > 0) notes.push(`${what}: ${count.toLocaleString('en')}`);
  };
  tell(met.roundedDecimals, 'Decimals with more digits than a number holds, rounded');
  tell(met.lostDates, 'Dates outside the years 1 to 9999, read as empty');
  const found = { list: rows.map(({ values }) => values), detected: ['Parquet'], notes };
  const read = readExport(found) ?? found;
  const readRows = read.list.flatMap((values, index) => (isJsonObject(values) ? [{ line: index + 1, values }] : []));
  return fromRecords(readRows, read, { hasLongNumbers: met.hasLongNumbers });
}

/** The records of a file with its schema, and the types that are read here. Throws UnreadableFile. */
async function readRecords(bytes: Uint8Array, refuseSize: (bytes: number) => void, met: Met) {
  const file = new Uint8Array(bytes).buffer;
  try {
    const metadata = parquetMetadata(file);
    checkChunks(metadata, refuseSize);
    const own = takeOwnTypes(metadata);
    const compressors = Object.fromEntries(
      Object.entries(decompressors).map(([codec, decompress]): [string, Decompress] => [
        codec,
        (input, length) => {
          refuseSize(length);
          // A page without a value is packed as nothing, which some of them do not take.
          return length === 0 ? new Uint8Array(0) : decompress(input, length);
        },
      ]),
    );
    const records = await parquetReadObjects({ file, metadata, compressors, parsers: createParsers(met), utf8: false });
    return { metadata, own, records };
  } catch (cause) {
    if (cause instanceof UnreadableFile) throw cause;
    const isWhole = strFromU8(bytes.subarray(-4), true) === 'PAR1';
    const message = isWhole
      ? 'The Parquet file is damaged, or holds something that is not read here. Save it again with pandas or Polars, or as CSV.'
      : 'The Parquet file is damaged or incomplete. Save or download it again.';
    throw new UnreadableFile(message, { cause });
  }
}

/** Takes from a schema the types that are read here, so that its reader leaves their values as they are. */
function takeOwnTypes({ schema }: FileMetaData): Map<SchemaElement, ReadElement> {
  const own = new Map<SchemaElement, ReadElement>();
  for (const element of schema) {
    if (element.type === 'BYTE_ARRAY' || !ownTypes.has(element.converted_type)) continue;
    own.set(element, { ...element });
    delete element.converted_type;
    delete element.logical_type;
  }
  return own;
}

/** Reads the names by the column that holds their numbers; none where the text says nothing of classes. */
function readClassNames(text: string): Map<string, readonly unknown[]> {
  const parsed = parseJsonText(text);
  const info = parsed.ok && isJsonObject(parsed.value) ? parsed.value['info'] : null;
  const features = isJsonObject(info) ? info['features'] : null;
  const entries = isJsonObject(features) ? Object.entries(features) : [];
  return new Map(
    entries.flatMap(([column, feature]): [string, readonly unknown[]][] => {
      const names = isJsonObject(feature) && feature['_type'] === 'ClassLabel' ? feature['names'] : null;
      return Array.isArray(names) ? [[column, names]] : [];
    }),
  );
}
