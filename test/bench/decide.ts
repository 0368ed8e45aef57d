/**
 * Speed of the decide routes and what they cost, each figure beside its limit measured in the same run. Machines are
 * noisy: everything is measured in turns, round by round, and read as the median of the rounds' ratios.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { serverFlags } from '../../scripts/server-flags.ts';
import { toEncoderInput } from '../../src/engine/text/encoder-input.ts';
import { openEncoder } from '../../src/server/runtime/onnx-session.ts';
import { openTextModel } from '../../src/server/runtime/text-model.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../e2e/workbench-process.ts';
import { type LoadResult, percentile, runLoad } from './load.ts';

const root = resolve(import.meta.dirname, '../..');
type Row = { input: Record<string, unknown>; decision: string };
const rowsOf = (dataSet: string): Row[] =>
  readFileSync(join(root, `test/fixtures/${dataSet}/train.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

/** Rate of the calls that are to be left alone by the encoder: far below what the server can. */
const steadyPerSecond = 200;
const print = (line = '') => process.stdout.write(`${line}\n`);
const ms = (value: number) => value.toFixed(2);
const median = (values: number[]) => percentile(values, 0.5);
const met = (is: boolean) => (is ? 'met' : 'NOT MET');

/** A type with examples, trained and deployed; answers the seconds that the training took. */
async function deployType(workbench: RunningWorkbench, name: string, rows: Row[], rules: unknown[]): Promise<number> {
  const options = [...new Set(rows.map((row) => row.decision))];
  const created = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name, options, rules });
  const type = `/api/v1/decision-types/${created.body.id}`;
  for (let at = 0; at < rows.length; at += 2_000)
    await workbench.call('POST', `${type}/examples`, { examples: rows.slice(at, at + 2_000) });
  const started = performance.now();
  const { body } = await workbench.call<{ policy_id: string }>('POST', `${type}/train`);
  for (;;) {
    const progress = await workbench.call<{ status: string; error: string }>(
      'GET',
      `${type}/policies/${body.policy_id}/progress`,
    );
    if (progress.body.status === 'deployed') return (performance.now() - started) / 1_000;
    if (progress.body.status !== 'training')
      throw new Error(`training of ${name} ended ${progress.body.status}: ${progress.body.error}`);
    await wait(200);
  }
}

/** Resident megabytes of a process and its children, now and at their peak (Linux). */
function memoryOf(pid: number): { nowMb: number; peakMb: number } {
  const children = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && parentOf(entry) === pid);
  const sum = { nowMb: 0, peakMb: 0 };
  for (const each of [pid, ...children.map(Number)]) {
    const status = readFileSync(`/proc/${each}/status`, 'utf8');
    sum.nowMb += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    sum.peakMb += Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }
  return sum;
}
function parentOf(entry: string): number {
  try {
    return Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${entry}/status`, 'utf8'))?.[1]);
  } catch {
    return 0; // it ended while we looked
  }
}

async function millisecondsToHealth(): Promise<number> {
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
  const line = await firstLine(child);
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
const firstLine = (child: ChildProcess) =>
  new Promise<string>((ready, fail) => {
    if (child.stdout) createInterface({ input: child.stdout }).once('line', ready);
    child.once('exit', (code) => fail(new Error(`ended with ${code}`)));
  });

const startLimitServer = (...args: string[]) =>
  spawn(process.execPath, [...serverFlags, join(root, 'test/bench/limit-server.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

type Case = { name: string; url: string; body: (call: number) => unknown };

/** Prints the tables; each load runs `seconds` in each of `rounds`. */
export async function measureDecide({ seconds, rounds }: { seconds: number; rounds: number }): Promise<void> {
  const starts: number[] = [];
  for (let run = 0; run < 5; run += 1) starts.push(await millisecondsToHealth());

  const first = await startWorkbenchProcess();
  const table = rowsOf('german_credit');
  const texts = rowsOf('sms_spam');
  const always = [{ name: 'always', condition: 'ctx.age > 0', then: 'good risk', priority: 1 }];
  const trainings = {
    'rules only (german_credit + one rule)': await deployType(first, 'rules', table, always),
    'tabular (german_credit, 800 rows)': await deployType(first, 'tabular', table, []),
    'text (sms_spam, 4,127 rows)': await deployType(first, 'text', texts, []),
  };
  const key = await first.call<{ key: string }>('POST', '/api/v1/api-keys', {
    name: 'bench',
    rate_limit_per_minute: 1_000_000,
  });
  const token = key.body.key;
  // the same folder three times: once with each durability, once for the limit behind the same door
  await first.end();
  const copyOfFolder = (name: string) => {
    const copy = mkdtempSync(join(tmpdir(), `workbench-${name}-`));
    cpSync(first.dataDir, copy, { recursive: true });
    return copy;
  };
  const normalDir = copyOfFolder('normal');
  const full = await startWorkbenchProcess(first.dataDir);
  const normal = await startWorkbenchProcess(normalDir, '--synchronous', 'NORMAL');
  const limits = {
    FULL: startLimitServer('FULL'),
    NORMAL: startLimitServer('NORMAL'),
    door: startLimitServer('FULL', copyOfFolder('door')),
  };
  const urls = {
    FULL: `${full.url}/api/v1/decide`,
    NORMAL: `${normal.url}/api/v1/decide`,
    limitFULL: `http://127.0.0.1:${await firstLine(limits.FULL)}/api/v1/decide`,
    limitNORMAL: `http://127.0.0.1:${await firstLine(limits.NORMAL)}/api/v1/decide`,
    limitDoor: `http://127.0.0.1:${await firstLine(limits.door)}/limit`,
  };

  const tableBody = (type: string) => (call: number) => ({
    decision_type: type,
    input: table[call % table.length]?.input,
  });
  // A number behind each text, new in every load, keeps the encoder's cache out of the figures.
  let textCalls = 0;
  const textBody = () => {
    textCalls += 1;
    return { decision_type: 'text', input: { text: `${texts[textCalls % texts.length]?.input.text} ${textCalls}` } };
  };
  const load = (each: Case, connections: number, perSecond?: number) =>
    runLoad({ url: each.url, token, connections, seconds, body: each.body, ...(perSecond ? { perSecond } : {}) });

  try {
    const limit = { name: 'limit: one row committed, bare Fastify', url: urls.limitFULL, body: tableBody('limit') };
    const sameRoute = { name: 'the same route, one row committed', url: urls.limitDoor, body: tableBody('limit') };
    const rulesOnly = { name: 'rules only', url: urls.FULL, body: tableBody('rules') };
    const tabular = { name: 'tabular', url: urls.FULL, body: tableBody('tabular') };
    const text = { name: 'text', url: urls.FULL, body: textBody };
    const limitNormal = { name: 'limit, NORMAL', url: urls.limitNORMAL, body: tableBody('limit') };
    const tabularNormal = { name: 'tabular, NORMAL', url: urls.NORMAL, body: tableBody('tabular') };
    const limitOf = new Map<Case, Case>([
      [limitNormal, limitNormal],
      [tabularNormal, limitNormal],
    ]);
    const cases: Case[] = [limit, sameRoute, rulesOnly, tabular, text, limitNormal, tabularNormal];
    const results = new Map<string, LoadResult[]>();
    const of = (each: Case, connections: number) => results.get(`${each.name} ${connections}`) ?? [];
    for (const each of cases) await load(each, 32);
    for (const connections of [1, 32]) {
      for (let round = 0; round < rounds; round += 1) {
        for (const each of cases) {
          results.set(`${each.name} ${connections}`, [...of(each, connections), await load(each, connections)]);
        }
      }
    }
    const shares = (each: Case, connections: number) =>
      of(each, connections).map(
        (result, round) =>
          result.requestsPerSecond /
          (of(limitOf.get(each) ?? limit, connections)[round]?.requestsPerSecond ?? Number.NaN),
      );
    const mid = (each: Case, connections: number, field: keyof LoadResult) =>
      median(of(each, connections).map((result) => result[field]));
    print(`Medians of ${rounds} rounds of ${seconds} s; commits with synchronous=FULL where nothing else is said.\n`);
    print('| case | connections | requests/s | p50 ms | p95 ms | p99 ms | failures | of the limit (each round) |');
    print('|---|---|---|---|---|---|---|---|');
    for (const connections of [1, 32]) {
      for (const each of cases) {
        const all = shares(each, connections);
        const failures = of(each, connections).reduce((sum, result) => sum + result.failures, 0);
        print(
          `| ${each.name} | ${connections} | ${mid(each, connections, 'requestsPerSecond').toFixed(0)} | ${ms(mid(each, connections, 'p50Ms'))} | ${ms(mid(each, connections, 'p95Ms'))} | ${ms(mid(each, connections, 'p99Ms'))} | ${failures} | ${median(all).toFixed(2)} (${all.map((share) => share.toFixed(2)).join(', ')}) |`,
        );
      }
    }

    // The encoder's bare run over the same kind of texts, in this process, nothing else in the way.
    const textModel = openTextModel();
    const tokenizer = textModel.tokenizer();
    const encoder = await openEncoder(textModel.encoderPath, textModel.encoderSha256);
    const bare: number[] = [];
    for (let at = 0; at < 400; at += 1) {
      const ids = toEncoderInput(tokenizer.encode(`${texts[at]?.input.text} ${at}`), 256).ids;
      const from = performance.now();
      await encoder.embed(ids);
      bare.push(performance.now() - from);
    }
    const encoderP50Ms = percentile(bare.slice(50), 0.5);
    const limitP50 = mid(limit, 1, 'p50Ms');
    const memory = memoryOf(full.pid);
    const throughput = median(shares(tabular, 32));
    const ofSameRoute = median(
      of(tabular, 32).map(
        (result, round) => result.requestsPerSecond / (of(sameRoute, 32)[round]?.requestsPerSecond ?? Number.NaN),
      ),
    );
    const tabularP50 = mid(tabular, 1, 'p50Ms');
    const textP50 = mid(text, 1, 'p50Ms');
    const startMs = percentile(starts, 0.5);
    print('\n| figure | measured | aim |');
    print('|---|---|---|');
    print(
      `| tabular throughput, 32 connections | ${throughput.toFixed(2)} × bare Fastify | ≥ 0.6: ${met(throughput >= 0.6)} |`,
    );
    print(
      `| tabular throughput, 32 connections | ${ofSameRoute.toFixed(2)} × the same route | ≥ 0.6: ${met(ofSameRoute >= 0.6)} |`,
    );
    print(
      `| tabular p50, 1 connection | ${ms(tabularP50)} ms | ≤ limit + 0.5 = ${ms(limitP50 + 0.5)} ms: ${met(tabularP50 <= limitP50 + 0.5)} |`,
    );
    print(
      `| text p50, 1 connection | ${ms(textP50)} ms | ≤ limit + encoder's bare run (${ms(encoderP50Ms)}) + 1 = ${ms(limitP50 + encoderP50Ms + 1)} ms: ${met(textP50 <= limitP50 + encoderP50Ms + 1)} |`,
    );

    // Calls without text at a steady rate, first alone, then while text calls keep the encoder busy without a pause.
    for (const each of [rulesOnly, tabular]) {
      const alone: number[] = [];
      const beside: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        alone.push((await load(each, 4, steadyPerSecond)).p99Ms);
        const [quick] = await Promise.all([load(each, 4, steadyPerSecond), load(text, 8)]);
        beside.push(quick.p99Ms);
      }
      const ratio = median(beside.map((p99, round) => p99 / (alone[round] ?? Number.NaN)));
      print(
        `| ${each.name} at ${steadyPerSecond}/s, p99 alone and beside text calls at full load | ${ms(median(alone))} and ${ms(median(beside))} ms, ${ratio.toFixed(2)} × | ≤ 2 ×: ${met(ratio <= 2)} |`,
      );
    }
    print(
      `| start to /health, median of ${starts.length} | ${startMs.toFixed(0)} ms | ≤ 700 ms: ${met(startMs <= 700)} |`,
    );
    print(
      `| memory of server and encoder host | ${memory.nowMb.toFixed(0)} MB now, ${memory.peakMb.toFixed(0)} MB at the peak | ≤ 350 MB: ${met(memory.peakMb <= 350)} |`,
    );
    for (const [name, took] of Object.entries(trainings))
      print(`| training seconds: ${name} | ${took.toFixed(1)} s | |`);
  } finally {
    limits.FULL.kill();
    limits.NORMAL.kill();
    limits.door.kill();
    await Promise.all([full.stop(), normal.stop()]);
  }
}
