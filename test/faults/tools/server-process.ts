/** The real program as a process of its own, with a standard error, Node options and raw connections of the test's choice. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { serverFlags } from '../../../scripts/server-flags.ts';

const root = path.resolve(import.meta.dirname, '../../..');

export type ServerProcess = {
  child: ChildProcess;
  port: number;
  /** Sends the signal and resolves with how the program ended and after how many milliseconds. */
  end(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: string | null; tookMs: number }>;
};

type ProcessOptions = { stderr?: 'ignore' | 'pipe' | number; nodeFlags?: string[]; env?: Record<string, string> };

/** Starts `serve` on a data folder and a free port; `nodeFlags` come before the program, `env` beside the test's own. */
export async function startServerProcess(
  dataDir: string,
  { stderr = 'ignore', nodeFlags = [], env = {} }: ProcessOptions = {},
): Promise<ServerProcess> {
  const entry = [...nodeFlags, ...serverFlags, path.join(root, 'scripts/workbench.ts')];
  const stdio: StdioOptions = ['ignore', 'pipe', stderr];
  const child = spawn(process.execPath, [...entry, 'serve', '--data-dir', dataDir, '--port', '0'], {
    cwd: root,
    stdio,
    env: { ...process.env, ...env },
  });
  const line = await new Promise<string>((ready, fail) => {
    if (child.stdout) createInterface({ input: child.stdout }).once('line', ready);
    child.once('exit', (code) => fail(new Error(`the program ended with ${code} before it served`)));
  });
  const { url } = JSON.parse(line) as { url: string };
  return {
    child,
    port: Number(new URL(url).port),
    async end(signal = 'SIGTERM') {
      const started = performance.now();
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill(signal);
        await ended;
      }
      return { code: child.exitCode, signal: child.signalCode, tookMs: performance.now() - started };
    },
  };
}

/** A connection that never ends its own side, whatever the server does, unless the test destroys it. */
export async function openStubborn(port: number, text: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.write(text);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many operations, asserted by each test
export type RawAnswer = { status: number; headers: Record<string, unknown>; body: any };

/** One call over a connection of its own. */
export function callAlone(
  port: number,
  method: string,
  url: string,
  authorization: string,
  body?: unknown,
): Promise<RawAnswer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const type =
    text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const call = request(
      { port, host: '127.0.0.1', agent: false, method, path: url, headers: { authorization, ...type } },
      async (response) => {
        const chunks: Buffer[] = await response.toArray();
        const answer = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: answer === '' ? null : JSON.parse(answer),
        });
      },
    );
    call.once('error', reject);
    call.end(text);
  });
}
