/**
 * What a log of a million records costs: pages, metrics, export, retention, and the import of 100,000 examples, each
 * through the REST API of the real program. The records are written by the store itself, without deciding.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../../src/engine/json.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../../e2e/tools/workbench-process.ts';
import { fillLog, logDays } from '../../faults/tools/storage/full-log.ts';
import { percentile } from './load.ts';

const root = resolve(import.meta.dirname, '../../..');
const dayMs = 24 * 3_600_000;
const repeats = 20;
const importedExamples = 100_000;
const print = (line: string) => process.stdout.write(`${line}\n`);
const met = (is: boolean) => (is ? 'met' : 'NOT MET');

/** Resident megabytes of one process (Linux). */
function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** Seconds of processor time that one process has taken (Linux, hundredths of a second). */
function processorSeconds(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / 100;
}

/** Fills log and ledger of two types: every 20th record is of the second. */
function fill(dataDir: string, types: { seq: number }[], rows: number): void {
  const lines = readFileSync(join(root, 'test/fixtures/german_credit/train.jsonl'), 'utf8').trimEnd().split('\n');
  fillLog(dataDir, {
    count: Math.floor((rows * 20) / 19),
    typeSeqAt: (index) => types[index % 20 === 19 ? 1 : 0]?.seq ?? Number.NaN,
    inputs: lines.map((line) => (JSON.parse(line) as { input: JsonObject }).input),
    options: ['good risk', 'bad risk'],
  });
}

/** Calls `/health` without a pause until told to stop; answers the longest wait in milliseconds. */
function watch(workbench: RunningWorkbench): { stop(): Promise<number> } {
  let watching = true;
  let longestMs = 0;
  const done = (async () => {
    while (watching) {
      const from = performance.now();
      await (await fetch(`${workbench.url}/health`)).arrayBuffer();
      longestMs = Math.max(longestMs, performance.now() - from);
      await wait(5);
    }
  })();
  return {
    async stop() {
      watching = false;
      await done;
      return longestMs;
    },
  };
}

async function measureReads(workbench: RunningWorkbench, path: string, rows: number): Promise<void> {
  const at = (daysAgo: number) => new Date(Date.now() - daysAgo * dayMs).toISOString();
  const middle = Math.floor(rows / 2 / 20);
  const reads: [string, string][] = [
    ['logs, first page', `${path}/logs`],
    ['logs, page in the middle', `${path}/logs?page=${middle}`],
    ['logs, last page of 100', `${path}/logs?page_size=100&page=${Math.ceil(rows / 100)}`],
    ['logs of one decision, deep', `${path}/logs?decision=bad%20risk&page=${Math.floor(middle / 4)}`],
    ['logs of escalated calls', `${path}/logs?escalated=true`],
    ['logs of ten days', `${path}/logs?start_time=${at(30)}&end_time=${at(20)}`],
    ['logs with confidence 0.6 to 0.85', `${path}/logs?min_confidence=0.6&max_confidence=0.85`],
    ['logs with confidence from 0.8137', `${path}/logs?min_confidence=0.8137`],
    ['the same, page in the middle', `${path}/logs?min_confidence=0.8137&page=${Math.floor(middle / 2)}`],
    [
      'the same of one decision in ten days',
      `${path}/logs?min_confidence=0.8137&decision=bad%20risk&start_time=${at(30)}&end_time=${at(20)}`,
    ],
    [
      'logs with confidence 0.8137 to 0.8138, 100',
      `${path}/logs?min_confidence=0.8137&max_confidence=0.8138&page_size=100`,
    ],
    ['logs to review, first page', `${path}/logs?review=true`],
    ['logs to review, deep', `${path}/logs?review=true&page=${Math.floor(middle / 2)}`],
    ['the same of one decision', `${path}/logs?review=true&decision=bad%20risk&page=${Math.floor(middle / 8)}`],
    ['metrics of the type', `${path}/metrics`],
    ['metrics of the organisation', '/api/v1/metrics'],
    ['statistics of the examples', `${path}/examples/stats`],
    ['credit balance', '/api/v1/credits'],
    ['credit usage of 90 days, deep', `/api/v1/credits/usage?days=90&page=${middle}`],
  ];
  for (const [name, url] of reads) {
    const samples: number[] = [];
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const from = performance.now();
      const { status } = await workbench.call('GET', url);
      if (status !== 200) throw new Error(`GET ${url} answered ${status}`);
      samples.push(performance.now() - from);
    }
    const p50 = percentile(samples, 0.5);
    const p95 = percentile(samples, 0.95);
    print(`| ${name} | p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms | p95 ≤ 100 ms: ${met(p95 <= 100)} |`);
  }
}

async function measureExport(workbench: RunningWorkbench, path: string, rows: number, when: string): Promise<void> {
  const before = residentMb(workbench.pid);
  const processorBefore = processorSeconds(workbench.pid);
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, residentMb(workbench.pid));
  }, 100);
  const watched = watch(workbench);
  const from = performance.now();
  const response = await fetch(`${workbench.url}${path}/logs/export?format=csv`, {
    headers: { authorization: `Bearer ${workbench.token}` },
  });
  let lines = 0;
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines += 1;
  }
  const seconds = (performance.now() - from) / 1_000;
  const processor = processorSeconds(workbench.pid) - processorBefore;
  const longestMs = await watched.stop();
  clearInterval(sampler);
  if (lines - 1 !== rows) throw new Error(`the export has ${lines - 1} rows instead of ${rows}`);
  const rate = rows / seconds;
  const growth = peak - before;
  print(
    `| CSV export ${when}, ${(bytes / 2 ** 20).toFixed(0)} MB | ${rate.toFixed(0)} rows/s, ${(rows / processor).toFixed(0)} per second of processor time | ≥ 20,000 rows/s: ${met(rate >= 20_000)} |`,
  );
  print(`| CSV export ${when}, growth of memory | ${growth.toFixed(0)} MB | < 50 MB: ${met(growth < 50)} |`);
  print(`| CSV export ${when}, longest other call meanwhile | ${longestMs.toFixed(0)} ms | |`);
}

async function measureImport(workbench: RunningWorkbench, path: string): Promise<void> {
  const random = createRandom(11);
  const lines = Array.from({ length: importedExamples }, (_, index) => {
    const good = random() < 0.7;
    return `${Math.round(random() * 800)},${Math.round(random() * 9_000)},purpose ${index % 9},${good},${good ? 'good risk' : 'bad risk'}`;
  });
  const content = `score,amount,purpose,employed,decision\n${lines.join('\n')}\n`;
  const before = residentMb(workbench.pid);
  const watched = watch(workbench);
  const from = performance.now();
  const { status, body } = await workbench.call<{ examples: number }>('POST', `${path}/examples/import`, {
    format: 'csv',
    content,
    commit: true,
  });
  const seconds = (performance.now() - from) / 1_000;
  const longestMs = await watched.stop();
  if (status !== 200 || body.examples !== importedExamples) throw new Error(`the import answered ${status}`);
  print(`| import of 100,000 examples (CSV) | ${seconds.toFixed(1)} s | ≤ 30 s: ${met(seconds <= 30)} |`);
  print(
    `| import, longest other call meanwhile | ${longestMs.toFixed(0)} ms | memory ${before.toFixed(0)} → ${residentMb(workbench.pid).toFixed(0)} MB |`,
  );
}

/** Half of the log goes at the first daily round after the start. */
async function measureRetention(workbench: RunningWorkbench, path: string, rows: number): Promise<void> {
  const total = async () => (await workbench.call<{ total: number }>('GET', `${path}/logs?page_size=1`)).body.total;
  while ((await total()) === rows) await wait(100);
  const watched = watch(workbench);
  const from = performance.now();
  let last = rows;
  for (let seen = await total(); seen !== last; seen = await total()) {
    last = seen;
    await wait(500);
  }
  const seconds = (performance.now() - from) / 1_000;
  const longestMs = await watched.stop();
  const rate = ((rows - last) / seconds).toFixed(0);
  print(`| retention, ${rows - last} records | ${rate} rows/s | longest other call ${longestMs.toFixed(0)} ms |`);
}

/** Prints the table; `rows` are the records of the larger of two types. */
export async function measureLongLog(rows: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'long-log-'));
  let workbench = await startWorkbenchProcess(dataDir);
  const types: { id: string; seq: number }[] = [];
  for (const name of ['large', 'small']) {
    const options = ['good risk', 'bad risk'];
    const { body } = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name, options });
    types.push({ id: body.id, seq: types.length + 1 });
  }
  const path = `/api/v1/decision-types/${types[0]?.id}`;
  await workbench.end();
  const filling = performance.now();
  fill(dataDir, types, rows);
  print(
    `\n${rows} records of one type, ${Math.floor(rows / 19)} of another (written in ${((performance.now() - filling) / 1_000).toFixed(0)} s)\n`,
  );
  const starting = performance.now();
  workbench = await startWorkbenchProcess(dataDir);
  print('| figure | measured | aim |\n|---|---|---|');
  print(`| start on it, with a session token | ${(performance.now() - starting).toFixed(0)} ms | |`);
  try {
    await measureImport(workbench, path);
    await measureExport(workbench, path, rows, 'after the import');
    // An import leaves a large heap, so that what an export takes shows only in a fresh program.
    await workbench.end();
    workbench = await startWorkbenchProcess(dataDir);
    await measureReads(workbench, path, rows);
    await measureExport(workbench, path, rows, 'after the reads');
    await workbench.call('PUT', path, { retention_days: logDays / 2 });
    await workbench.end();
    workbench = await startWorkbenchProcess(dataDir);
    await measureRetention(workbench, path, rows);
  } finally {
    await workbench.stop();
  }
}
