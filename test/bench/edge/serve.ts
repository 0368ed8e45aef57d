/**
 * `node test/bench/edge/serve.ts [--bundle FILE --rows FILE] [--seconds 5]`: what `decision-edge serve` answers in a
 * second, one input and 50 a request, with one and two workers, beside plain loops of the package over the same rows.
 * Without a bundle, trees that decide bookings are trained. The load runs on the same machine and takes part of it.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { JsonObject } from '../../../src/engine/json.ts';
import { Service } from '../../edge/served.ts';
import { runLoad } from '../serving/load.ts';
import { makeBookings, trainBundle } from './bundles.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { bundle: text, rows: text, seconds: { ...text, default: '5' } } });
const root = resolve(import.meta.dirname, '../../..');
const python = process.env['WORKBENCH_PYTHON'] ?? join(root, '.venv-edge/bin/python');
const env = { ...process.env, PYTHONPATH: join(root, 'edge/src'), OMP_NUM_THREADS: '1' };
const scratch = mkdtempSync(join(tmpdir(), 'edge-serve-bench-'));
const seconds = Number(values.seconds);

const loops = `
import json, sys, time
from decision_edge import EdgePredictor
predictor = EdgePredictor.from_bundle(sys.argv[1])
inputs = [json.loads(line)["input"] for line in open(sys.argv[2], encoding="utf-8")]
facts = {"decision_type": predictor.info["decision_type"]}
def one_by_one(rows):
    for row in rows: predictor.predict(row)
for name, decide in (("predict", one_by_one), ("predict_many", predictor.predict_many)):
    decide(inputs[:50])
    began, decided = time.process_time(), 0
    while time.process_time() - began < 3:
        decide(inputs[:500]); decided += min(500, len(inputs))
    facts[name] = decided / (time.process_time() - began)
json.dump(facts, sys.stdout)
`;

/** Processor seconds that a process and its children have taken so far. */
function readProcessorSeconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? [];
  const ofChildren = children.reduce((sum, child) => sum + readProcessorSeconds(Number(child)), 0);
  return (Number(user) + Number(system)) / 100 + ofChildren;
}

async function measure(bundle: string, type: string, inputs: readonly JsonObject[], workers: number): Promise<void> {
  const { address, child: service } = await Service.start([bundle, '--workers', String(workers)]);
  const at = (call: number) => ({ decision_type: type, input: inputs[call % inputs.length] });
  for (const size of [1, 50]) {
    const path = size === 1 ? '/decide' : '/decide/batch';
    const body = (call: number) =>
      size === 1 ? at(call) : Array.from({ length: size }, (_, i) => at(call * size + i));
    const load = { url: address + path, token: '', body };
    await runLoad({ ...load, connections: 2, seconds: 1 });
    for (const connections of [1, 8]) {
      const before = readProcessorSeconds(service.pid ?? 0);
      const { requestsPerSecond, p50Ms, p99Ms, calls, failures } = await runLoad({ ...load, connections, seconds });
      const spent = readProcessorSeconds(service.pid ?? 0) - before;
      const figures = [requestsPerSecond * size, p50Ms, p99Ms, (calls * size) / spent].map((n) => n.toPrecision(4));
      process.stdout.write(`| ${[workers, size, connections, ...figures, failures].join(' | ')} |\n`);
    }
  }
  service.kill();
  await once(service, 'exit');
}

try {
  const rows = values.rows ?? join(scratch, 'rows.jsonl');
  if (values.rows === undefined)
    writeFileSync(
      rows,
      makeBookings(2_000, 2)
        .map((row) => JSON.stringify(row))
        .join('\n'),
    );
  const bundle = values.bundle ?? join(scratch, 'bundle.zip');
  if (values.bundle === undefined) writeFileSync(bundle, await trainBundle('hotel', makeBookings(3_000, 1)));
  const { stdout, stderr, status } = spawnSync(python, ['-c', loops, bundle, rows], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const { decision_type, predict, predict_many } = JSON.parse(stdout);
  process.stdout.write(
    `Rows a processor second: predict ${Math.round(predict)}, predict_many ${Math.round(predict_many)}\n\n`,
  );
  process.stdout.write(
    '| workers | inputs a request | connections | rows/s | p50 ms | p99 ms | rows/processor s | failures |\n',
  );
  process.stdout.write(`|${'---|'.repeat(8)}\n`);
  const lines = readFileSync(rows, 'utf8').trim().split('\n');
  const inputs = lines.map((line) => (JSON.parse(line) as { input: JsonObject }).input);
  for (const workers of [1, 2]) await measure(bundle, decision_type, inputs, workers);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(0);
