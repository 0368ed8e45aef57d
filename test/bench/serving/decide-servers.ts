/** What the decide figures are measured on: servers on one prepared data folder, and the limits beside them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { serverFlags } from '../../../scripts/server-flags.ts';
import type { Metrics } from '../../../src/engine/domain/metrics.ts';
import { isInProgress, type PolicyStatus, type TrainingConfig } from '../../../src/engine/domain/training.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../../e2e/tools/workbench-process.ts';

const root = resolve(import.meta.dirname, '../../..');
export type Row = { input: Record<string, unknown>; decision: string };
export const readRows = (dataSet: string): Row[] =>
  readFileSync(join(root, `test/fixtures/${dataSet}/train.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

/** Makes a type with examples, trained and deployed; answers the seconds that the training took. */
export async function deployType(
  workbench: RunningWorkbench,
  name: string,
  rows: Row[],
  rules: unknown[],
  config: Partial<TrainingConfig> = {},
): Promise<number> {
  const options = [...new Set(rows.map((row) => row.decision))];
  const created = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name, options, rules });
  const type = `/api/v1/decision-types/${created.body.id}`;
  for (let at = 0; at < rows.length; at += 2_000)
    await workbench.call('POST', `${type}/examples`, { examples: rows.slice(at, at + 2_000) });
  const started = performance.now();
  const { body } = await workbench.call<{ policy_id: string }>('POST', `${type}/train`, config);
  for (;;) {
    const progress = await workbench.call<{ status: PolicyStatus; error: string }>(
      'GET',
      `${type}/policies/${body.policy_id}/progress`,
    );
    if (progress.body.status === 'deployed') break;
    if (!isInProgress(progress.body.status))
      throw new Error(`training of ${name} ended ${progress.body.status}: ${progress.body.error}`);
    await wait(200);
  }
  const seconds = (performance.now() - started) / 1_000;
  const policy = await workbench.call<{ metrics: Pick<Metrics, 'text_tuning'> | null }>(
    'GET',
    `${type}/policies/${body.policy_id}`,
  );
  const isTuned = policy.body.metrics?.text_tuning?.chosen === 'tuned';
  if (isTuned !== (config.tune_encoder ?? false)) throw new Error(`the text model of ${name} is not as it should be`);
  return seconds;
}

/** The first `count` rows of every option. */
export const takeOfEach = (rows: Row[], count: number): Row[] =>
  Object.values(Object.groupBy(rows, (row) => row.decision)).flatMap((part) => part?.slice(0, count) ?? []);

/** Resident megabytes of a process and its children, now and at their peak (Linux). */
export function measureMemory(pid: number): { nowMb: number; peakMb: number } {
  const children = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && readParent(entry) === pid);
  const sum = { nowMb: 0, peakMb: 0 };
  for (const each of [pid, ...children.map(Number)]) {
    const status = readFileSync(`/proc/${each}/status`, 'utf8');
    sum.nowMb += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    sum.peakMb += Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }
  return sum;
}
function readParent(entry: string): number {
  try {
    return Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${entry}/status`, 'utf8'))?.[1]);
  } catch {
    // It ended meanwhile.
    return 0;
  }
}

/** Milliseconds from the start of the program to its first answer. */
export async function measureStartMs(): Promise<number> {
  const started = performance.now();
  const workbench = await startWorkbenchProcessUntilHealth();
  const took = performance.now() - started;
  await workbench.stop();
  return took;
}
async function startWorkbenchProcessUntilHealth(): Promise<{ stop(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'start-'));
  const child = spawn(
    process.execPath,
    [...serverFlags, join(root, 'scripts/workbench.ts'), 'serve', '--data-dir', dataDir, '--port', '0'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const line = await readFirstLine(child);
  const answer = await fetch(`${(JSON.parse(line) as { url: string }).url}/health`);
  if (answer.status !== 200) throw new Error(`/health answered ${answer.status}`);
  return {
    stop: () =>
      new Promise((done) => {
        child.once('exit', () => {
          rmSync(dataDir, { recursive: true, force: true });
          done();
        });
        child.kill('SIGTERM');
      }),
  };
}
/** The first line that a process prints; rejects where it ends before. */
export const readFirstLine = (child: ChildProcess) =>
  new Promise<string>((ready, fail) => {
    if (child.stdout) createInterface({ input: child.stdout }).once('line', ready);
    child.once('exit', (code) => fail(new Error(`ended with ${code}`)));
  });

/** Starts a limit (limit-server.ts), which prints its port. */
export const startLimitServer = (...args: string[]) =>
  spawn(process.execPath, [...serverFlags, join(root, 'test/bench/serving/limit-server.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

export type Servers = {
  full: RunningWorkbench;
  token: string;
  /** Seconds that the training of each type took. */
  trainings: Record<string, number>;
  urls: Record<'full' | 'normal' | 'limitFull' | 'limitNormal' | 'limitSameRoute', string>;
  close(): Promise<void>;
};

/**
 * Prepares one data folder with four deployed types and opens it three times: once with each durability, once for the
 * limit behind the same request guard. Two bare limits stand beside them.
 */
export async function openServers(table: Row[], texts: Row[]): Promise<Servers> {
  const first = await startWorkbenchProcess();
  const always = [{ name: 'always', condition: 'ctx.age > 0', then: 'good risk', priority: 1 }];
  const trainings = {
    'rules only (german_credit + one rule)': await deployType(first, 'rules', table, always),
    'tabular (german_credit, 800 rows)': await deployType(first, 'tabular', table, []),
    'text (sms_spam, 4,127 rows)': await deployType(first, 'text', texts, []),
    'tuned text (sms_spam, 60 rows an option)': await deployType(first, 'tuned', takeOfEach(texts, 60), [], {
      tune_encoder: true,
    }),
  };
  const key = { name: 'bench', rate_limit_per_minute: 1_000_000 };
  const { body } = await first.call<{ key: string }>('POST', '/api/v1/api-keys', key);
  await first.end();
  const copyOfFolder = (name: string) => {
    const copy = mkdtempSync(join(tmpdir(), `workbench-${name}-`));
    cpSync(first.dataDir, copy, { recursive: true });
    return copy;
  };
  const normalDir = copyOfFolder('normal');
  const full = await startWorkbenchProcess(first.dataDir);
  const normal = await startWorkbenchProcess(normalDir, '--synchronous', 'NORMAL');
  const limits = [
    startLimitServer('FULL'),
    startLimitServer('NORMAL'),
    startLimitServer('FULL', copyOfFolder('same-route')),
  ] as const;
  const [fullPort, normalPort, sameRoutePort] = await Promise.all(limits.map(readFirstLine));
  return {
    full,
    token: body.key,
    trainings,
    urls: {
      full: `${full.url}/api/v1/decide`,
      normal: `${normal.url}/api/v1/decide`,
      limitFull: `http://127.0.0.1:${fullPort}/api/v1/decide`,
      limitNormal: `http://127.0.0.1:${normalPort}/api/v1/decide`,
      limitSameRoute: `http://127.0.0.1:${sameRoutePort}/limit`,
    },
    async close() {
      for (const limit of limits) limit.kill();
      await Promise.all([full.stop(), normal.stop()]);
    },
  };
}
