/** Starts the real program as a child process on a fresh data folder and speaks REST to it, as any client would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { serverFlags } from '../../../scripts/server-flags.ts';

const root = resolve(import.meta.dirname, '../../..');
/** As the npm script `workbench` of a tree starts it. */
const entryOf = (tree: string) => [...serverFlags, join(tree, 'scripts/workbench.ts')];

type Answer<T> = { status: number; body: T; headers: Headers };

export type RunningWorkbench = {
  url: string;
  pid: number;
  dataDir: string;
  /** A session token of the local owner. */
  token: string;
  call<T>(method: string, path: string, body?: unknown, token?: string): Promise<Answer<T>>;
  download(path: string): Promise<Buffer>;
  /** Ends the program and keeps its data folder. */
  end(): Promise<void>;
  /** Ends the program and removes its data folder. */
  stop(): Promise<void>;
};

/** Runs the program with `args` to its end and gives what it printed. */
export async function runWorkbench(
  ...args: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [...entryOf(root), ...args], { cwd: root });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code, stdout, stderr };
}

/** Starts `workbench serve` on a free port and waits for its line of JSON. */
export const startWorkbenchProcess = (dataDir = mkdtempSync(join(tmpdir(), 'workbench-')), ...flags: string[]) =>
  startProgramOf(root, dataDir, ...flags);

/** As `startWorkbenchProcess`, the program of another tree of sources. */
export async function startProgramOf(tree: string, dataDir: string, ...flags: string[]): Promise<RunningWorkbench> {
  const args = [...entryOf(tree), 'serve', '--data-dir', dataDir, '--port', '0', ...flags];
  const child: ChildProcess = spawn(process.execPath, args, { cwd: tree });
  let log = '';
  child.stderr?.on('data', (chunk) => (log = (log + chunk).slice(-20_000)));
  const line = await new Promise<string>((ready, fail) => {
    if (child.stdout) createInterface({ input: child.stdout }).once('line', ready);
    child.once('exit', (code) => fail(new Error(`workbench ended with ${code}: ${log}`)));
  });
  const { url, pid } = JSON.parse(line) as { url: string; pid: number };
  const token = (await runWorkbench('token', '--data-dir', dataDir)).stdout.trim();

  const send = (method: string, path: string, body: unknown, bearer: string) =>
    fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  async function end(): Promise<void> {
    const reason = child.exitCode ?? child.signalCode;
    if (reason !== null) throw new Error(`workbench ended by itself with ${reason}: ${log}`);
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await ended;
  }

  return {
    url,
    pid,
    dataDir,
    token,
    async call<T>(method: string, path: string, body?: unknown, bearer = token): Promise<Answer<T>> {
      const response = await send(method, path, body, bearer);
      const text = await response.text();
      return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as T, headers: response.headers };
    },
    async download(path) {
      const response = await send('GET', path, undefined, token);
      if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
      return Buffer.from(await response.arrayBuffer());
    },
    end,
    async stop() {
      await end();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
