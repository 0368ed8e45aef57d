/**
 * `npm run bench [-- --seconds N]`: a table of speed and memory, each figure beside its limit measured in the same run.
 * Machines are noisy: read ratios, not absolutes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { encoderInput } from '../../src/engine/text/encoder-input.ts';
import { openEncoder } from '../../src/server/runtime/onnx-session.ts';
import { openTextModel } from '../../src/server/runtime/text-model.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../e2e/workbench-process.ts';
import { type LoadResult, percentile, runLoad } from './load.ts';

const root = resolve(import.meta.dirname, '../..');
const flag = process.argv.indexOf('--seconds');
const seconds = flag > 0 ? Number(process.argv[flag + 1]) : 5;
type Row = { input: Record<string, unknown>; decision: string };
const rowsOf = (dataSet: string): Row[] =>
  readFileSync(join(root, `test/fixtures/${dataSet}/train.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

const print = (line = '') => process.stdout.write(`${line}\n`);
const ms = (value: number) => value.toFixed(2).padStart(8);

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
  const { mkdtempSync, rmSync } = await import('node:fs');
  const dataDir = mkdtempSync('/tmp/start-');
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=4', join(root, 'scripts/workbench.ts'), 'serve', '--data-dir', dataDir, '--port', '0'],
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

const starts: number[] = [];
for (let run = 0; run < 5; run += 1) starts.push(await millisecondsToHealth());

const workbench = await startWorkbenchProcess();
const limitServer = spawn(process.execPath, [join(root, 'test/bench/limit-server.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const limitUrl = `http://127.0.0.1:${await firstLine(limitServer)}/api/v1/decide`;
try {
  const table = rowsOf('german_credit');
  const texts = rowsOf('sms_spam');
  const always = [{ name: 'always', condition: 'ctx.age > 0', then: 'good risk', priority: 1 }];
  const trainings = {
    'rules only (german_credit + one rule)': await deployType(workbench, 'rules', table, always),
    'tabular (german_credit, 800 rows)': await deployType(workbench, 'tabular', table, []),
    'text (sms_spam, 4,127 rows)': await deployType(workbench, 'text', texts, []),
  };
  const key = await workbench.call<{ key: string }>('POST', '/api/v1/api-keys', {
    name: 'bench',
    rate_limit_per_minute: 1_000_000,
  });
  const token = key.body.key;

  // The encoder's bare run over the same kind of texts, in this process, nothing else in the way.
  const textModel = openTextModel();
  const tokenizer = textModel.tokenizer();
  const encoder = await openEncoder(textModel.encoderPath, textModel.encoderSha256);
  const bare: number[] = [];
  for (let at = 0; at < 400; at += 1) {
    const ids = encoderInput(tokenizer.encode(`${texts[at]?.input.text} ${at}`), 256).ids;
    const from = performance.now();
    await encoder.embed(ids);
    bare.push(performance.now() - from);
  }
  const encoderP50Ms = percentile(bare.slice(50), 0.5);

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
  const decide = `${workbench.url}/api/v1/decide`;
  const cases = [
    { name: 'limit: one row committed', url: limitUrl, body: tableBody('limit') },
    { name: 'rules only', url: decide, body: tableBody('rules') },
    { name: 'tabular', url: decide, body: tableBody('tabular') },
    { name: 'text', url: decide, body: textBody },
  ];
  print('| case | connections | requests/s | p50 ms | p95 ms | p99 ms | failures | of the limit |');
  print('|---|---|---|---|---|---|---|---|');
  const results = new Map<string, LoadResult>();
  for (const connections of [1, 32]) {
    for (const each of cases) {
      await runLoad({ url: each.url, token, connections, seconds: Math.min(2, seconds), body: each.body });
      const result = await runLoad({ url: each.url, token, connections, seconds, body: each.body });
      results.set(`${each.name} ${connections}`, result);
      const limit = results.get(`limit: one row committed ${connections}`) as LoadResult;
      const share = (result.requestsPerSecond / limit.requestsPerSecond).toFixed(2);
      print(
        `| ${each.name} | ${connections} | ${result.requestsPerSecond.toFixed(0)} | ${ms(result.p50Ms)} | ${ms(result.p95Ms)} | ${ms(result.p99Ms)} | ${result.failures} | ${share} |`,
      );
    }
  }
  const one = (name: string) => results.get(`${name} 1`)?.p50Ms ?? Number.NaN;
  const limitP50 = one('limit: one row committed');
  const memory = memoryOf(workbench.pid);
  print();
  print('| figure | measured | aim |');
  print('|---|---|---|');
  print(
    `| tabular p50, 1 connection | ${one('tabular').toFixed(2)} ms | ≤ limit + 0.5 = ${(limitP50 + 0.5).toFixed(2)} ms |`,
  );
  print(
    `| text p50, 1 connection | ${one('text').toFixed(2)} ms | ≤ limit + encoder's bare run (${encoderP50Ms.toFixed(2)}) + 1 = ${(limitP50 + encoderP50Ms + 1).toFixed(2)} ms |`,
  );
  const throughput =
    (results.get('tabular 32')?.requestsPerSecond ?? 0) /
    (results.get('limit: one row committed 32')?.requestsPerSecond ?? 1);
  print(`| tabular throughput, 32 connections | ${throughput.toFixed(2)} × limit | ≥ 0.6 × limit |`);
  print(`| start to /health, median of ${starts.length} | ${percentile(starts, 0.5).toFixed(0)} ms | ≤ 700 ms |`);
  print(
    `| memory of server and encoder host | ${memory.nowMb.toFixed(0)} MB now, ${memory.peakMb.toFixed(0)} MB at the peak | ≤ 350 MB |`,
  );
  for (const [name, took] of Object.entries(trainings)) print(`| training seconds: ${name} | ${took.toFixed(1)} s | |`);
} finally {
  limitServer.kill();
  await workbench.stop();
}
process.exit(0);
