/**
 * Trainings and decide calls of two states of the program, in turns on the same machine:
 * `node test/bench/serving/before.ts --before DIR [--rounds 5] [--seconds 5] [--only rules|tabular|text|tuned]`. DIR is a
 * checkout of the earlier state with its packages installed. Ratios are of the same round, so what else the machine does
 * falls on both.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type RunningWorkbench, startProgramOf } from '../../e2e/tools/workbench-process.ts';
import { deployType, type Row, readRows, takeOfEach } from './decide-servers.ts';
import { percentile, runLoad } from './load.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { before: text, rounds: text, seconds: text, only: text } });
if (values.before === undefined) throw new Error('--before DIR is missing');
const trees = { before: resolve(values.before), now: resolve(import.meta.dirname, '../../..') };
type State = keyof typeof trees;
const rounds = Number(values.rounds ?? 5);
const seconds = Number(values.seconds ?? 5);
const print = (line: string) => process.stdout.write(`${line}\n`);

const table = readRows('german_credit');
const messages = readRows('sms_spam');
const always = [{ name: 'always', condition: 'ctx.age > 0', then: 'good risk', priority: 1 }];
const allTypes: Record<string, { rows: Row[]; rules: unknown[]; isTuned?: true }> = {
  rules: { rows: table, rules: always },
  tabular: { rows: table, rules: [] },
  text: { rows: takeOfEach(messages, 300), rules: [] },
  tuned: { rows: takeOfEach(messages, 60), rules: [], isTuned: true },
};

const types = Object.fromEntries(Object.entries(allTypes).filter(([name]) => [name, undefined].includes(values.only)));

/** Measures both states in each round, each first in every other one, and prints the medians with each round's ratio. */
async function compare(name: string, measure: (state: State, round: number) => Promise<number>): Promise<void> {
  const found: Record<State, number[]> = { before: [], now: [] };
  for (let round = 0; round < rounds; round += 1) {
    const order: State[] = round % 2 === 0 ? ['before', 'now'] : ['now', 'before'];
    for (const state of order) found[state].push(await measure(state, round));
  }
  const ratios = found.now.map((value, round) => value / (found.before[round] ?? Number.NaN));
  const [before, now, ratio] = [found.before, found.now, ratios].map((all) => percentile(all, 0.5).toFixed(2));
  print(`| ${name} | ${before} | ${now} | ${ratio} (${ratios.map((each) => each.toFixed(2)).join(', ')}) |`);
}

async function start(state: State): Promise<RunningWorkbench & { key: string }> {
  const workbench = await startProgramOf(trees[state], mkdtempSync(join(tmpdir(), `workbench-${state}-`)));
  const key = { name: 'bench', rate_limit_per_minute: 1_000_000 };
  const { body } = await workbench.call<{ key: string }>('POST', '/api/v1/api-keys', key);
  return { ...workbench, key: body.key };
}

const programs = { before: await start('before'), now: await start('now') };
try {
  print('| figure | before | now | now / before (each round) |\n|---|---|---|---|');
  for (const [name, { rows, rules, isTuned }] of Object.entries(types)) {
    await compare(`training seconds: ${name}`, (state, round) =>
      deployType(programs[state], `${name}-${round}`, rows, rules, isTuned ? { tune_encoder: true } : {}),
    );
  }
  // A number behind each text, new in every call, keeps the encoder's cache out of the figures.
  let calls = 0;
  const write = (name: string) => () => {
    calls += 1;
    const rows = types[name]?.rows ?? [];
    const input = rows[calls % rows.length]?.input ?? {};
    const changed = 'text' in input ? { text: `${input.text} ${calls}` } : input;
    return { decision_type: `${name}-0`, input: changed };
  };
  for (const name of Object.keys(types)) {
    const load = (state: State, connections: number) => {
      const { url, key } = programs[state];
      return runLoad({ url: `${url}/api/v1/decide`, token: key, connections, seconds, body: write(name) });
    };
    for (const state of ['before', 'now'] as const) await load(state, 32);
    await compare(`p50 ms, 1 connection: ${name}`, async (state) => (await load(state, 1)).p50Ms);
    await compare(`requests/s, 32 connections: ${name}`, async (state) => (await load(state, 32)).requestsPerSecond);
  }
} finally {
  await Promise.all(Object.values(programs).map((program) => program.stop()));
}
