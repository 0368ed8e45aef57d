/** What storage-calls.c counts, lets fail and writes down, for the tests of this folder. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Errors that storage gives, by their numbers on Linux. */
export const storageErrors = { EIO: 5, ENOSPC: 28 } as const;

export type StorageControl = {
  /** What the program is started with, so that its calls are seen. */
  env: Record<string, string>;
  /** Lets the n-th call from now on fail, once. */
  failNext(n: number, error: number): void;
  /** Lets no call fail any more; returns how many calls there were and how many of them failed. */
  stop(): { counted: number; failed: number };
  /** Bytes that were written down so far: the moment of an answer among the calls. */
  measureTrace(): number;
  /** What was written down so far; `endsAt` compares with {@link measureTrace}. */
  readTrace(): (StorageCall & { endsAt: number })[];
};

/** A call that changed storage: `file` is the number of the file, which it keeps when it is renamed. */
export type StorageCall =
  | { call: 'open' | 'sync'; path: string; file: number }
  | { call: 'write'; path: string; file: number; offset: number; bytes: Buffer }
  | { call: 'truncate'; path: string; file: number; size: number }
  | { call: 'rename'; path: string; to: string }
  | { call: 'unlink'; path: string };

/** Compiles the library; says in words why not. */
export function compileStorageCalls(): { library: string } | { problem: string } {
  if (process.platform !== 'linux') return { problem: 'calls to storage are only seen on Linux' };
  const library = path.join(mkdtempSync(path.join(tmpdir(), 'workbench-calls-')), 'storage-calls.so');
  const source = path.join(import.meta.dirname, 'storage-calls.c');
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-lpthread']);
  return status === 0 ? { library } : { problem: 'no C compiler is installed' };
}

/** Makes what a program and its test share about the files below `folder`. */
export function controlStorage(library: string, folder: string): StorageControl {
  const shared = mkdtempSync(path.join(tmpdir(), 'workbench-calls-'));
  const control = path.join(shared, 'control');
  const trace = path.join(shared, 'trace');
  writeFileSync(control, new Uint8Array(16));
  writeFileSync(trace, '');
  const read = (): Int32Array => {
    const numbers = new Int32Array(4);
    const file = openSync(control, 'r');
    readSync(file, numbers, 0, 16, 0);
    closeSync(file);
    return numbers;
  };
  /** Writes the number of the failing call, its error, and that none has failed. */
  const write = (failing: number, error: number): void => {
    const file = openSync(control, 'r+');
    writeSync(file, new Int32Array([failing, error, 0]), 0, 12, 4);
    closeSync(file);
  };
  const countCalls = () => read()[0] ?? 0;
  return {
    env: { LD_PRELOAD: library, STORAGE_FOLDER: folder, STORAGE_CONTROL: control, STORAGE_TRACE: trace },
    failNext: (n, error) => write(countCalls() + n, error),
    stop() {
      const [counted = 0, , , failed = 0] = read();
      write(0, 0);
      return { counted, failed };
    },
    measureTrace: () => statSync(trace).size,
    readTrace: () => parseTrace(readFileSync(trace)),
  };
}

const headBytes = 32;

function parseTrace(bytes: Buffer): (StorageCall & { endsAt: number })[] {
  const calls: (StorageCall & { endsAt: number })[] = [];
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const pathEnd = at + headBytes + bytes.readInt32LE(at + 4);
    const end = pathEnd + Number(bytes.readBigInt64LE(at + 24));
    const changed = bytes.toString('utf8', at + headBytes, pathEnd);
    const file = Number(bytes.readBigInt64LE(at + 8));
    const offset = Number(bytes.readBigInt64LE(at + 16));
    const call = toCall(bytes.readInt32LE(at), changed, file, offset, bytes.subarray(pathEnd, end));
    calls.push({ ...call, endsAt: end });
    at = end;
  }
  return calls;
}

function toCall(kind: number, changed: string, file: number, offset: number, bytes: Buffer): StorageCall {
  switch (kind) {
    case 1:
      return { call: 'open', path: changed, file };
    case 2:
      return { call: 'write', path: changed, file, offset, bytes };
    case 3:
      return { call: 'sync', path: changed, file };
    case 4:
      return { call: 'truncate', path: changed, file, size: offset };
    case 5:
      return { call: 'rename', path: changed, to: bytes.toString() };
    default:
      return { call: 'unlink', path: changed };
  }
}
