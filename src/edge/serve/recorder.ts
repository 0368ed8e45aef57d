/** The log of decisions: a line of JSON for each, in a file that one process of a service writes. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { chainLine, type LineLink, readChain } from '../../door/line-chain.ts';
import type { ServiceLog } from './served-bundles.ts';

/** Takes lines; resolves before they are answered, whether or not they could be written. */
export type Recorder = { add(lines: readonly string[]): Promise<void> };

/** When lines are synced to the disk. */
export const logSyncs = ['always', 'second', 'never'] as const;
export type LogSettings = { path: string; sync: (typeof logSyncs)[number]; maxBytes: number; files: number };

type Waiting = { lines: readonly string[]; resolve(): void };

const tailBytes = 64 * 1024;
const lineEnd = 10;
/** Two digests with their names, and the line's end. */
const linkBytes = 160;

/**
 * A file of decisions, each in a line; beyond its size FILE becomes FILE.1, that FILE.2, and the last one goes. Lines
 * that come while others are written share the next write and its sync; half a line that a killed process has left is
 * removed before the next.
 */
export class LogFile implements Recorder {
  readonly #settings: LogSettings;
  readonly #log: ServiceLog;
  #descriptor: number | null = null;
  /** Where this process ended the file; another size is the work of others. */
  #end = -1;
  /** The end of the last line; null until it was read. */
  #link: LineLink | null = null;
  #isFailing = false;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;
  #syncTimer: NodeJS.Timeout | null = null;
  readonly counts = { written: 0, unwritten: 0 };

  /** Opens the file. Throws where it cannot be written. */
  constructor(settings: LogSettings, log: ServiceLog) {
    this.#settings = settings;
    this.#log = log;
    try {
      this.#open();
    } catch (cause) {
      throw new Error(`The log ${settings.path} cannot be written: ${describe(cause)}.`, { cause });
    }
  }

  add(lines: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ lines, resolve });
      this.#writing ??= this.#writeWaiting();
    });
  }

  /** Ends when all lines are written, and lets the file go. */
  async close(): Promise<void> {
    await this.#writing;
    if (this.#syncTimer !== null) clearTimeout(this.#syncTimer);
    if (this.#descriptor !== null && this.#settings.sync !== 'never') fsyncSync(this.#descriptor);
    this.#release();
  }

  async #writeWaiting(): Promise<void> {
    // Lines of one turn of the event loop are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const lines = group.flatMap((each) => each.lines);
      try {
        this.#append(lines);
        if (this.#settings.sync === 'always') await this.#sync();
        this.#noteWritten(lines.length);
      } catch (error) {
        this.#noteFailure(lines.length, error);
      }
      for (const { resolve } of group) resolve();
    }
    this.#writing = null;
    if (this.#settings.sync === 'second') this.#syncSoon();
  }

  #noteWritten(lines: number): void {
    this.counts.written += lines;
    if (this.#isFailing) this.#log.info(`The log ${this.#settings.path} is written again.`);
    this.#isFailing = false;
  }

  #noteFailure(lines: number, error: unknown): void {
    this.counts.unwritten += lines;
    const ends = 'They are answered all the same; /metrics counts those without a line.';
    if (!this.#isFailing)
      this.#log.error(`Decisions cannot be written to the log ${this.#settings.path}: ${describe(error)}. ${ends}`);
    this.#isFailing = true;
  }

  #append(lines: readonly string[]): void {
    let descriptor = this.#open();
    let { size } = fstatSync(descriptor);
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + linkBytes, 0);
    if (size > 0 && size + bytes > this.#settings.maxBytes) {
      this.#turnOver(descriptor);
      descriptor = this.#open();
      size = fstatSync(descriptor).size;
    }
    const isOurs = size === this.#end;
    const start = isOurs ? size : findLineEnd(descriptor, size);
    if (start < size) ftruncateSync(descriptor, start);
    let link = isOurs && this.#link !== null ? this.#link : this.#findLink(descriptor, start);
    const chained = lines.map((line) => {
      const next = chainLine(line, link, digestText);
      link = next.link;
      return `${next.line}\n`;
    });
    const data = Buffer.from(chained.join(''));
    try {
      for (let written = 0; written < data.length; ) written += writeSync(descriptor, data, written);
    } catch (error) {
      ftruncateSync(descriptor, start);
      throw error;
    }
    this.#end = start + data.length;
    this.#link = link;
  }

  /** Finds what the next line follows: the last line of the file or, in a new one, of this process or FILE.1. */
  #findLink(descriptor: number, end: number): LineLink {
    if (end > 0) return { chain: readLastChain(descriptor, end), isSaid: true };
    if (this.#link !== null) return { chain: this.#link.chain, isSaid: true };
    const older = `${this.#settings.path}.1`;
    if (statSync(older, { throwIfNoEntry: false })?.isFile() !== true) return { chain: '', isSaid: true };
    const opened = openSync(older, constants.O_RDONLY);
    try {
      const olderEnd = findLineEnd(opened, fstatSync(opened).size);
      return { chain: olderEnd === 0 ? '' : readLastChain(opened, olderEnd), isSaid: true };
    } finally {
      closeSync(opened);
    }
  }

  /** The file under its name, which others may have moved since. */
  #open(): number {
    const { path, sync } = this.#settings;
    const there = statSync(path, { throwIfNoEntry: false });
    if (this.#descriptor !== null) {
      const { ino, dev } = fstatSync(this.#descriptor);
      if (there?.ino === ino && there.dev === dev) return this.#descriptor;
      this.#release();
    }
    // A pipe without a reader would wait for one.
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
    const descriptor = openSync(path, flags, 0o600);
    if (!fstatSync(descriptor).isFile()) {
      closeSync(descriptor);
      throw new Error('it is no regular file');
    }
    if (there === undefined && sync !== 'never' && process.platform !== 'win32') syncFolder(path);
    this.#descriptor = descriptor;
    this.#end = -1;
    return descriptor;
  }

  #turnOver(descriptor: number): void {
    const { path, files, sync } = this.#settings;
    if (sync === 'second') fsyncSync(descriptor);
    // Windows moves no open file.
    this.#release();
    for (let number = files - 1; number > 0; number -= 1) {
      const from = number === 1 ? path : `${path}.${number - 1}`;
      if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, `${path}.${number}`);
    }
  }

  #release(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#descriptor === null) return resolve();
      fdatasync(this.#descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  #syncSoon(): void {
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = null;
      const { path } = this.#settings;
      this.#sync().catch((error: unknown) =>
        this.#log.error(`The log ${path} cannot be synced to the disk: ${describe(error)}.`),
      );
    }, 1_000);
  }
}

const digestText = (text: string) => createHash('sha256').update(text).digest('hex');

/** The digest that the last line of a file ends with, whose end is known; '' where it has none. */
function readLastChain(descriptor: number, end: number): string {
  const begin = findLineEnd(descriptor, end - 1);
  const line = Buffer.alloc(end - 1 - begin);
  readSync(descriptor, line, 0, line.length, begin);
  return readChain(line.toString()) ?? '';
}

const describe = (error: unknown) => (error instanceof Error ? error.message : String(error));

function syncFolder(path: string): void {
  const folder = openSync(dirname(resolve(path)), constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Where the last whole line of a file ends. */
function findLineEnd(descriptor: number, size: number): number {
  const tail = Buffer.alloc(tailBytes);
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - tailBytes);
    const read = readSync(descriptor, tail, 0, end - begin, begin);
    const found = tail.subarray(0, read).lastIndexOf(lineEnd);
    if (found >= 0) return begin + found + 1;
    end = begin;
  }
  return 0;
}
