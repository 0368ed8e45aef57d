/** Large calls to a real server, with small calls and a look at its memory beside them. */
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';

export type SentAnswer = { status: number; headers: Record<string, unknown>; text: string; tookMs: number };

/** One call over a connection of its own, with a body that is ready to be sent. */
export function send(
  { port, key }: { port: number; key: string },
  method: string,
  path: string,
  body?: Buffer,
): Promise<SentAnswer> {
  const started = performance.now();
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
  };
  return new Promise((resolve, reject) => {
    const call = request({ port, host: '127.0.0.1', agent: false, method, path, headers }, async (response) => {
      const chunks: Buffer[] = await response.toArray();
      const text = Buffer.concat(chunks).toString();
      const tookMs = performance.now() - started;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text, tookMs });
    });
    call.once('error', reject);
    call.end(body);
  });
}

/** The ids of a process and all that it started; none where there is no /proc to say them. */
function listProcesses(pid: number): string[] {
  if (process.platform !== 'linux') return [];
  const findParent = (id: string) => (readOf(id, 'stat').split(') ')[1] ?? '').split(' ')[1] ?? '';
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(all.map((id) => [id, findParent(id)]));
  const found = new Set([String(pid)]);
  // A process can have a lower number than its parent, once the numbers have begun again.
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const [id, parent] of parents) if (found.has(parent)) found.add(id);
  }
  return [...found];
}

/** A file of a process under /proc; empty when the process has ended meanwhile. */
function readOf(id: string, file: 'stat' | 'status' | `task/${string}/schedstat`): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Megabytes that a process and all that it started have resident; the files they share, above all Node, count once. */
export function measureResidentMb(pid: number): number {
  const statuses = listProcesses(pid).map((id) => readOf(id, 'status'));
  const read = (name: string) =>
    statuses.map((status) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024);
  const own = [...read('RssAnon'), ...read('RssShmem')].reduce((sum, mb) => sum + mb, 0);
  return own + Math.max(0, ...read('RssFile'));
}

/** Milliseconds of processor time that a process and its children have taken, in steps of ten. */
export function measureProcessorMs(pid: number): number {
  return listProcesses(pid).reduce((sum, id) => {
    const [user = '0', system = '0'] = (readOf(id, 'stat').split(') ')[1] ?? '').split(' ').slice(11, 13);
    return sum + (Number(user) + Number(system)) * 10;
  }, 0);
}

/**
 * Milliseconds for which a process's main thread has computed: what it holds up others by, whatever else the machine
 * does. The current time where there is no /proc to say it.
 */
export const measureMainThreadMs = (pid: number): number =>
  process.platform === 'linux' ? readMainThreadMs(String(pid)) : performance.now();

const readMainThreadMs = (id: string) => Number(readOf(id, `task/${id}/schedstat`).split(' ')[0]) / 1e6;

/** As `measureMainThreadMs`, of a process and all that it started together. */
export const measureMainThreadsMs = (pid: number): number =>
  process.platform === 'linux'
    ? listProcesses(pid).reduce((sum, id) => sum + readMainThreadMs(id), 0)
    : performance.now();

/**
 * Runs `work` and, beside it, small calls one after another: how long they took by the clock given, the fastest first,
 * and the most memory that the server and its children had together.
 */
export async function runBeside<Value>(
  work: Promise<Value>,
  smallCall: () => Promise<unknown>,
  pid: number,
  readMs: () => number = () => performance.now(),
): Promise<{ value: Value; smallCallMs: number[]; maxResidentMb: number }> {
  let isDone = false;
  const smallCallMs: number[] = [];
  let maxResidentMb = 0;
  const watch = async () => {
    while (!isDone) {
      const started = readMs();
      await smallCall();
      smallCallMs.push(readMs() - started);
      if (smallCallMs.length % 10 === 0) maxResidentMb = Math.max(maxResidentMb, measureResidentMb(pid));
    }
  };
  const watching = watch();
  const value = await work.finally(() => {
    isDone = true;
  });
  await watching;
  return { value, smallCallMs: smallCallMs.sort((a, b) => a - b), maxResidentMb };
}
