/**
 * Prints the median of a decision in Node, and the seconds in which a saved page decides a file of bookings in
 * Chromium. `--rows 2000` is a small run; 20,000 otherwise.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { buildEdge } from '../../../scripts/bundling/build-edge.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { fillPage } from '../../../src/engine/report/fill-page.ts';
import { openAddress } from '../../e2e/tools/browser-page.ts';
import { makeBookings, rules, trainBundle } from './bundles.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '20000' } } });
const maxMedianMs = 1;
const maxPageSeconds = 5;

const folder = mkdtempSync(join(tmpdir(), 'edge-bench-'));
try {
  await buildEdge(folder);
  const bundle = await trainBundle('bookings', makeBookings(3_000, 1), rules);
  const inputs = makeBookings(Number(values.rows), 2).map(({ input }) => input);
  await timeNode(bundle, inputs);
  await timePage(bundle, inputs);
} finally {
  rmSync(folder, { recursive: true });
}
// The browser that its windows share ends with the process.
process.exit();

async function timeNode(bundle: Uint8Array, inputs: readonly JsonObject[]): Promise<void> {
  const entry = pathToFileURL(join(folder, 'node.js')).href;
  const { loadBundle }: typeof import('../../../src/edge/node.ts') = await import(entry);
  const startMs = performance.now();
  const predictor = await loadBundle(bundle);
  console.log(`Node: loaded in ${(performance.now() - startMs).toFixed(0)} ms`);
  const times: number[] = [];
  for (const input of inputs) {
    const beforeMs = performance.now();
    await predictor.decide(input);
    times.push(performance.now() - beforeMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(3);
  console.log(`Node: a decision p50 ${at(0.5)} ms (limit ${maxMedianMs}), p99 ${at(0.99)} ms`);
}

async function timePage(bundle: Uint8Array, inputs: readonly JsonObject[]): Promise<void> {
  const shell = readFileSync(join(folder, 'page.html'), 'utf8');
  const html = fillPage(shell, { name: 'bookings', bundle, hasSchema: false });
  writeFileSync(join(folder, 'bookings.html'), html);
  console.log(`Page: ${(html.length / 1e6).toFixed(2)} MB`);
  const { page, close } = await openAddress(pathToFileURL(join(folder, 'bookings.html')).href);
  await page.getByText('decided as in the workbench').waitFor();
  const records = inputs.map(flatten);
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const lines = [columns, ...records.map((record) => columns.map((name) => record[name] ?? ''))];
  const buffer = Buffer.from(lines.map((cells) => `${cells.join(',')}\n`).join(''));
  const startMs = performance.now();
  await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'bookings.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Save the file with its decisions' }).waitFor();
  const readMs = performance.now();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the file with its decisions' }).click(),
  ]);
  await download.path();
  const [decided, all] = [readMs, performance.now()].map((endMs) => ((endMs - startMs) / 1000).toFixed(2));
  console.log(`Page: ${inputs.length} rows decided in ${decided} s, saved after ${all} s (limit ${maxPageSeconds})`);
  await close();
}

function flatten(input: JsonObject): Record<string, string> {
  const cells: Record<string, string> = {};
  const walk = (values: JsonObject, above: string) => {
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) walk(value, `${above}${name}.`);
      else cells[above + name] = String(value);
    }
  };
  walk(input, '');
  return cells;
}
