/**
 * Processor time of a decision at 32 callers, as a multiple of what a bare Fastify that commits one row takes in the same
 * turns: what else the machine does falls on both. By hand, beside earlier states of the program:
 * `node test/bench/serving/call-cost.ts [--before DIR]... [--rounds 40]`, each DIR a checkout with its packages installed
 * and its server built. All of them decide with the policy that the first one has trained.
 */
import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { startProgramOf } from '../../e2e/tools/workbench-process.ts';
import { deployType, readFirstLine, readRows, startLimitServer } from './decide-servers.ts';

/** A server that decides, without waiting for the disk: that time is nobody's. */
type CostServer = { url: string; pid: number; key: string; bodies: readonly string[] };

const callers = 32;
/** Short, so that some turns have the processor to themselves. */
const callsPerTurn = 1_000;
const warmUpRounds = 8;

/** Milliseconds that the threads of a process have computed (Linux). */
function readComputedMs(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const read = (thread: string) => Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  return readdirSync(folder).reduce((sum, thread) => sum + read(thread), 0);
}

async function runTurn({ url, pid, key, bodies }: CostServer): Promise<number> {
  const before = readComputedMs(pid);
  const result = await autocannon({
    url,
    connections: callers,
    amount: callsPerTurn,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    requests: bodies.map((body) => ({ body })),
  });
  if (result['2xx'] !== callsPerTurn) throw new Error(`${result['2xx']} of ${callsPerTurn} calls were answered`);
  return ((readComputedMs(pid) - before) * 1_000) / callsPerTurn;
}

/**
 * Microseconds of processor time that a call takes each server: the least of `rounds` in turns, as what comes between
 * only adds to it.
 */
export async function measureCallCosts(servers: readonly CostServer[], rounds: number): Promise<number[]> {
  const least = servers.map(() => Number.POSITIVE_INFINITY);
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const [at, server] of servers.entries()) {
      const cost = await runTurn(server);
      if (round >= 0) least[at] = Math.min(least[at] ?? cost, cost);
    }
  }
  return least;
}

/** Starts the bare Fastify that a call is compared with. */
export async function startBare(bodies: readonly string[]): Promise<CostServer & { child: ChildProcess }> {
  const child = startLimitServer('NORMAL');
  const port = await readFirstLine(child);
  return { url: `http://127.0.0.1:${port}/api/v1/decide`, pid: child.pid ?? 0, key: '', bodies, child };
}

/** Starts a state of the program on a folder with a deployed policy. */
export async function startDeciding(tree: string, dataDir: string, key: string, bodies: readonly string[]) {
  const { url, pid, end } = await startProgramOf(tree, dataDir, '--synchronous', 'NORMAL');
  return { url: `${url}/api/v1/decide`, pid, key, bodies, end };
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { before: { ...text, multiple: true }, rounds: text } });
  const trees = [...(values.before ?? []).map((dir) => resolve(dir)), resolve(import.meta.dirname, '../../..')];
  const rows = readRows('german_credit');
  const bodies = rows.map(({ input }) => JSON.stringify({ decision_type: 'tabular', input }));
  const newFolder = () => mkdtempSync(join(tmpdir(), 'call-cost-'));
  const first = await startProgramOf(trees[0] ?? '', newFolder());
  await deployType(first, 'tabular', rows, []);
  const asked = { name: 'bench', rate_limit_per_minute: 1_000_000 };
  const { body } = await first.call<{ key: string }>('POST', '/api/v1/api-keys', asked);
  await first.end();
  const states = [];
  for (const tree of trees) {
    const folder = newFolder();
    cpSync(first.dataDir, folder, { recursive: true });
    states.push(await startDeciding(tree, folder, body.key, bodies));
  }
  const bare = await startBare(bodies);
  const [ofBare = Number.NaN, ...costs] = await measureCallCosts([bare, ...states], Number(values.rounds ?? 40));
  process.stdout.write(
    `| state | µs a call | × bare Fastify |\n|---|---|---|\n| bare Fastify | ${ofBare.toFixed(1)} | 1 |\n`,
  );
  for (const [at, cost] of costs.entries()) {
    process.stdout.write(`| ${trees[at]} | ${cost.toFixed(1)} | ${(cost / ofBare).toFixed(2)} |\n`);
  }
  bare.child.kill();
  for (const state of states) await state.end();
  process.exit(0);
}

if (import.meta.main) await main();
