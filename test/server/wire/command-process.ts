/** The commands as processes of their own, as a person or a pipeline runs them. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { startWorkbench } from '../../../src/server/start.ts';
import { temporaryFolder } from '../workbench.ts';

const entry = path.join(import.meta.dirname, '../../../src/server/serve.ts');

export type Ended = { code: number | null; lines: Record<string, unknown>[]; told: string };

type Given = { input?: string; scratch?: string };

/** Starts a command; its home and its temporary files lie in `scratch`. `ended` is all it said. */
export function startCommand(args: readonly string[], { input = '', scratch = temporaryFolder() }: Given = {}) {
  return follow(spawn(process.execPath, [entry, ...args], { env: toEnvironment(scratch) }), input);
}

/** Runs a line of a shell in a folder to its end; its home and its temporary files lie there. */
export function runStep(line: string, folder: string): Promise<Ended> {
  return follow(spawn(line, { shell: true, cwd: folder, env: toEnvironment(folder) }), '').ended;
}

function toEnvironment(scratch: string): NodeJS.ProcessEnv {
  const { WORKBENCH_DATA_DIR: _folder, ...env } = process.env;
  return { ...env, HOME: scratch, TMPDIR: scratch };
}

function follow(child: ChildProcessWithoutNullStreams, input: string) {
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end(input);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([output, told, [code]]): Ended => ({
      code: code as number | null,
      lines: output
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
      told,
    }),
  );
  return { child, ended };
}

/** Runs a command to its end. */
export const runCommand = (args: readonly string[], given: Given = {}): Promise<Ended> =>
  startCommand(args, given).ended;

/** Starts a workbench on a folder, for the test; gives its REST calls as the owner. */
export async function serveFolder(dataDir: string) {
  const bench = await startWorkbench({ dataDir, port: 0, rendererDir: null, logLevel: 'silent' });
  onTestFinished(() => bench.close());
  const authorization = `Bearer ${await bench.issueSession()}`;
  return async <T>(method: string, address: string, body?: unknown): Promise<T> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const answer = await fetch(`${bench.url}${address}`, init);
    if (!answer.ok) throw new Error(`${method} ${address}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
}

type Fixture = { input: Record<string, string | number | boolean | null>; decision: string };

/** Writes rows of German credit as a CSV whose answers stand in the column `result`. */
export function writeCreditTable(folder: string, part: 'train' | 'test'): { file: string; rows: Fixture[] } {
  const source = path.join(import.meta.dirname, `../../fixtures/german_credit/${part}.jsonl`);
  const rows = readFileSync(source, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Fixture);
  const names = Object.keys(rows[0]?.input ?? {});
  const toLine = ({ input, decision }: Fixture) =>
    [...names.map((name) => input[name] ?? ''), decision].map((cell) => `"${cell}"`).join(',');
  const file = path.join(folder, `credit-${part}.csv`);
  writeFileSync(file, [[...names, 'result'].join(','), ...rows.map(toLine)].join('\n'));
  return { file, rows };
}
