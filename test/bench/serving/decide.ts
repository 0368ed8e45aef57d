/**
 * Speed of the decide routes and what they cost, each figure beside its limit measured in the same run. Machines are
 * noisy: everything is measured in turns, round by round, and read as the median of the rounds' ratios.
 */
import { availableParallelism } from 'node:os';
import { countAdapterWeights } from '../../../src/engine/text/adapters.ts';
import { groupByLength, toEncoderInput } from '../../../src/engine/text/encoder-input.ts';
import { openEncoder } from '../../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';
import { measureMemory, measureStartMs, openServers, type Row, readRows, type Servers } from './decide-servers.ts';
import { type LoadResult, percentile, runLoad } from './load.ts';

/** Rate of the calls that are to be left alone by the encoder: far below what the server can. */
const steadyPerSecond = 200;
const print = (line = '') => process.stdout.write(`${line}\n`);
const ms = (value: number) => value.toFixed(2);
const median = (values: number[]) => percentile(values, 0.5);
const met = (is: boolean) => (is ? 'met' : 'NOT MET');
const ratio = (part: number, of: number | undefined) => part / (of ?? Number.NaN);

type Case = { name: string; url: string; body: (call: number) => unknown };
type Extent = { seconds: number; rounds: number };

/** Every case, with the limit that it is compared with. */
function listCases({ urls }: Servers, table: Row[], texts: Row[]) {
  const ofTable = (type: string) => (call: number) => ({
    decision_type: type,
    input: table[call % table.length]?.input,
  });
  // A number behind each text, new in every load, keeps the encoder's cache out of the figures.
  let textCalls = 0;
  const ofTexts = (type: string) => () => {
    textCalls += 1;
    return { decision_type: type, input: { text: `${texts[textCalls % texts.length]?.input.text} ${textCalls}` } };
  };
  const limit = { name: 'limit: one row committed, bare Fastify', url: urls.limitFull, body: ofTable('limit') };
  const sameRoute = { name: 'the same route, one row committed', url: urls.limitSameRoute, body: ofTable('limit') };
  const rulesOnly = { name: 'rules only', url: urls.full, body: ofTable('rules') };
  const tabular = { name: 'tabular', url: urls.full, body: ofTable('tabular') };
  const options = [...new Set(table.map(({ decision }) => decision))];
  const toInput = (call: number) => table[call % table.length]?.input;
  const systemone = {
    name: 'tabular by /v1/systemone',
    url: urls.full.replace('/api/v1/decide', '/v1/systemone'),
    body: (call: number) => ({
      model: 'tabular',
      state: toInput(call),
      questions: { risk: { type: 'choice', criteria: Object.fromEntries(options.map((option) => [option, null])) } },
    }),
  };
  const decisions = {
    name: 'tabular by /v1/decisions',
    url: urls.full.replace('/api/v1/decide', '/v1/decisions'),
    body: (call: number) => ({
      model: 'tabular',
      input: JSON.stringify(toInput(call)),
      questions: [{ type: 'choice', instructions: 'Which risk?', choices: options.map((value) => ({ value })) }],
    }),
  };
  const text = { name: 'text', url: urls.full, body: ofTexts('text') };
  const tunedText = { name: 'tuned text', url: urls.full, body: ofTexts('tuned') };
  const limitNormal = { name: 'limit, NORMAL', url: urls.limitNormal, body: ofTable('limit') };
  const tabularNormal = { name: 'tabular, NORMAL', url: urls.normal, body: ofTable('tabular') };
  return { limit, sameRoute, rulesOnly, tabular, systemone, decisions, text, tunedText, limitNormal, tabularNormal };
}
type Cases = ReturnType<typeof listCases>;

/** The results of all rounds by case and number of connections. */
class Results {
  readonly #results = new Map<string, LoadResult[]>();
  list(each: Case, connections: number): LoadResult[] {
    return this.#results.get(`${each.name} ${connections}`) ?? [];
  }
  add(each: Case, connections: number, result: LoadResult): void {
    this.#results.set(`${each.name} ${connections}`, [...this.list(each, connections), result]);
  }
  median(each: Case, connections: number, field: keyof LoadResult): number {
    return median(this.list(each, connections).map((result) => result[field]));
  }
  /** The rate of each round as a share of the rate that `limit` had in it. */
  shares(each: Case, connections: number, limit: Case): number[] {
    const limits = this.list(limit, connections);
    return this.list(each, connections).map(({ requestsPerSecond }, round) =>
      ratio(requestsPerSecond, limits[round]?.requestsPerSecond),
    );
  }
}

type Load = (each: Case, connections: number, perSecond?: number) => Promise<LoadResult>;

async function measureCases(cases: Cases, load: Load, rounds: number): Promise<Results> {
  const results = new Results();
  for (const each of Object.values(cases)) await load(each, 32);
  for (const connections of [1, 32]) {
    for (let round = 0; round < rounds; round += 1) {
      for (const each of Object.values(cases)) results.add(each, connections, await load(each, connections));
    }
  }
  return results;
}

function printCases(cases: Cases, results: Results, { seconds, rounds }: Extent): void {
  print(`Medians of ${rounds} rounds of ${seconds} s; commits with synchronous=FULL where nothing else is said.\n`);
  print('| case | connections | requests/s | p50 ms | p95 ms | p99 ms | failures | of the limit (each round) |');
  print('|---|---|---|---|---|---|---|---|');
  for (const connections of [1, 32]) {
    for (const each of Object.values(cases)) {
      const isNormal = each === cases.limitNormal || each === cases.tabularNormal;
      const shares = results.shares(each, connections, isNormal ? cases.limitNormal : cases.limit);
      const failures = results.list(each, connections).reduce((sum, result) => sum + result.failures, 0);
      const times = (['p50Ms', 'p95Ms', 'p99Ms'] as const).map((field) => ms(results.median(each, connections, field)));
      const rate = results.median(each, connections, 'requestsPerSecond').toFixed(0);
      const rounded = shares.map((share) => share.toFixed(2)).join(', ');
      print(
        `| ${each.name} | ${connections} | ${rate} | ${times.join(' | ')} | ${failures} | ${median(shares).toFixed(2)} (${rounded}) |`,
      );
    }
  }
}

/** Bare runs of the encoder over texts of the same kind, in this process, nothing else in the way. */
type BareRuns = {
  /** Medians for one text on one thread, plain and with adapters. */
  plainMs: number;
  tunedMs: number;
  /** As many at once as there are callers, on all cores. */
  textsPerSecond: number;
};

async function measureEncoder(texts: Row[]): Promise<BareRuns> {
  const textModel = openTextModel();
  const tokenizer = textModel.tokenizer();
  const read = (at: number) => toEncoderInput(tokenizer.encode(`${texts[at]?.input.text} ${at}`), 256).ids;
  const encoder = await openEncoder(textModel.encoderPath, textModel.encoderSha256);
  const adapters = { rank: 8, weights: new Float32Array(countAdapterWeights(8)).fill(1e-3) };
  const samples: { plain: number[]; tuned: number[] } = { plain: [], tuned: [] };
  for (let at = 0; at < 400; at += 1) {
    const ids = read(at);
    for (const kind of ['plain', 'tuned'] as const) {
      const from = performance.now();
      await encoder.embed(ids, kind === 'plain' ? null : adapters);
      samples[kind].push(performance.now() - from);
    }
  }
  const onAllCores = await openEncoder(textModel.encoderPath, textModel.encoderSha256, availableParallelism());
  const turnsMs: number[] = [];
  for (let turn = 0; turn < 40; turn += 1) {
    const inputs = Array.from({ length: 32 }, (_, place) => read(32 * turn + place));
    const from = performance.now();
    for (const batch of groupByLength(inputs, (ids) => ids.length)) await onAllCores.embedBatch(batch);
    turnsMs.push(performance.now() - from);
  }
  return {
    plainMs: median(samples.plain.slice(50)),
    tunedMs: median(samples.tuned.slice(50)),
    textsPerSecond: 32_000 / median(turnsMs),
  };
}

function printAims(cases: Cases, results: Results, bare: BareRuns): void {
  const { limit, sameRoute, tabular, text, tunedText } = cases;
  const ofBare = median(results.shares(tabular, 32, limit));
  const ofSameRoute = median(results.shares(tabular, 32, sameRoute));
  const p50Of = (each: Case) => results.median(each, 1, 'p50Ms');
  const [limitMs, tabularMs, textMs, tunedMs] = [p50Of(limit), p50Of(tabular), p50Of(text), p50Of(tunedText)];
  const tabularAimMs = limitMs + 0.5;
  const textAimMs = limitMs + bare.plainMs + 1;
  const tunedAimMs = limitMs + bare.tunedMs + 1;
  print('\n| figure | measured | aim |');
  print('|---|---|---|');
  print(`| tabular throughput, 32 connections | ${ofBare.toFixed(2)} × bare Fastify | ≥ 0.6: ${met(ofBare >= 0.6)} |`);
  print(
    `| tabular throughput, 32 connections | ${ofSameRoute.toFixed(2)} × the same route | ≥ 0.6: ${met(ofSameRoute >= 0.6)} |`,
  );
  for (const format of [cases.systemone, cases.decisions]) {
    const share = median(results.shares(format, 32, tabular));
    print(`| ${format.name}, 32 connections | ${share.toFixed(2)} × /api/v1/decide | ≥ 0.9: ${met(share >= 0.9)} |`);
  }
  print(
    `| tabular p50, 1 connection | ${ms(tabularMs)} ms | ≤ limit + 0.5 = ${ms(tabularAimMs)} ms: ${met(tabularMs <= tabularAimMs)} |`,
  );
  print(
    `| text p50, 1 connection | ${ms(textMs)} ms | ≤ limit + encoder's bare run (${ms(bare.plainMs)}) + 1 = ${ms(textAimMs)} ms: ${met(textMs <= textAimMs)} |`,
  );
  const textRate = results.median(text, 32, 'requestsPerSecond');
  print(
    `| text throughput, 32 connections | ${textRate.toFixed(0)}/s, ${ratio(textRate, bare.textsPerSecond).toFixed(2)} × bare turns of 32 texts (${bare.textsPerSecond.toFixed(0)}/s) | |`,
  );
  print(
    `| tuned text p50, 1 connection | ${ms(tunedMs)} ms, ${ratio(tunedMs, textMs).toFixed(2)} × the plain one | ≤ limit + encoder's bare run with adapters (${ms(bare.tunedMs)}) + 1 = ${ms(tunedAimMs)} ms: ${met(tunedMs <= tunedAimMs)}; ≤ 1.15 ×: ${met(tunedMs <= 1.15 * textMs)} |`,
  );
}

/** Calls without text at a steady rate, first alone, then while text calls keep the encoder busy without a pause. */
async function measureBesideText({ rulesOnly, tabular, text }: Cases, load: Load, rounds: number): Promise<void> {
  for (const each of [rulesOnly, tabular]) {
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      alone.push((await load(each, 4, steadyPerSecond)).p99Ms);
      const [quick] = await Promise.all([load(each, 4, steadyPerSecond), load(text, 8)]);
      beside.push(quick.p99Ms);
    }
    const times = median(beside.map((p99, round) => ratio(p99, alone[round])));
    print(
      `| ${each.name} at ${steadyPerSecond}/s, p99 alone and beside text calls at full load | ${ms(median(alone))} and ${ms(median(beside))} ms, ${times.toFixed(2)} × | ≤ 2 ×: ${met(times <= 2)} |`,
    );
  }
}

/** Prints the tables; each load runs `seconds` in each of `rounds`. */
export async function measureDecide({ seconds, rounds }: Extent): Promise<void> {
  const starts: number[] = [];
  for (let run = 0; run < 5; run += 1) starts.push(await measureStartMs());
  const table = readRows('german_credit');
  const texts = readRows('sms_spam');
  const servers = await openServers(table, texts);
  try {
    const cases = listCases(servers, table, texts);
    const load: Load = ({ url, body }, connections, perSecond) =>
      runLoad({ url, body, token: servers.token, connections, seconds, ...(perSecond ? { perSecond } : {}) });
    const results = await measureCases(cases, load, rounds);
    printCases(cases, results, { seconds, rounds });
    const bare = await measureEncoder(texts);
    const memory = measureMemory(servers.full.pid);
    printAims(cases, results, bare);
    await measureBesideText(cases, load, rounds);
    const startMs = median(starts);
    print(
      `| start to /health, median of ${starts.length} | ${startMs.toFixed(0)} ms | ≤ 700 ms: ${met(startMs <= 700)} |`,
    );
    print(
      `| memory of server and encoder host | ${memory.nowMb.toFixed(0)} MB now, ${memory.peakMb.toFixed(0)} MB at the peak | ≤ 350 MB: ${met(memory.peakMb <= 350)} |`,
    );
    for (const [name, took] of Object.entries(servers.trainings)) {
      print(`| training seconds: ${name} | ${took.toFixed(1)} s | |`);
    }
  } finally {
    await servers.close();
  }
}
