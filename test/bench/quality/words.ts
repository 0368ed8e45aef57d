/**
 * `node test/bench/quality/words.ts FOLDER [--only NAME]… [--texts N] [--rows N]`
 *
 * Which words of a text weighed: how long it takes to tell, beside a plain decision of the same text, and how far the
 * weights agree with leaving every word out (Spearman's rank correlation), on the longest texts of the test side and on
 * usual ones. Mean times of the processor (both processes; from Linux alone) and wall times: the former hold on a busy
 * machine, too. Data sets as for the accuracy bench; the policies learn up to `--rows` rows of twelve options.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { type WeighedWords, weighWords } from '../../../src/engine/counterfactuals/weigh-words.ts';
import { WhatIf } from '../../../src/engine/counterfactuals/what-if.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import type { Decider } from '../../../src/engine/decide/golden.ts';
import { trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { computePercentile } from '../../../src/engine/numeric.ts';
import { train } from '../../../src/engine/training/train.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import { EncoderHost } from '../../../src/server/runtime/encoder/encoder-host.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';
import { openTrainPorts } from '../../engine/train-ports.ts';
import { createDefinition, createExample, createRequest, ignoring } from '../../engine/training-request.ts';
import { correlateRanks } from '../../rank-correlation.ts';

type Row = { input: JsonObject; decision: string };
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    texts: { type: 'string', default: '12' },
    rows: { type: 'string', default: '500' },
  },
});
const print = (line = '') => process.stdout.write(`${line}\n`);
const [folder] = positionals;
if (folder === undefined) {
  print('Give a folder with data sets: FOLDER/NAME/{train,test}.jsonl');
  process.exit(2);
}
const aimMs = 150;
const maxOptions = 12;
const model = openTextModel();
const tokenizer = model.tokenizer();
const now = () => performance.now();
const ports = { now, pause: async () => undefined };
const host = new EncoderHost({ spawn: spawnChild, model });
await host.start();

const readRows = (name: string, side: 'train' | 'test'): Row[] =>
  readFileSync(join(folder, name, `${side}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row);

async function learn(rows: readonly Row[], options: string[]): Promise<Decider> {
  const outcome = await train(
    createRequest(
      rows.map(({ input, decision }, i) => createExample(`row-${i}`, input, decision)),
      createDefinition(options, {
        confidence_thresholds: { auto_decide: 0, escalation: 0 },
        escalation_policy: { ...ignoring, between: 'accept' },
      }),
      { config: trainingConfigSchema.parse({ tune_hyperparams: false, tune_encoder: false }) },
    ),
    await openTrainPorts(),
  );
  return compileDecider(unpackBundle(outcome.bundle, sha256), { encoder: host.encoder, tokenizer, now });
}

const clockTickMs = 10;

/** Processor time so far of this process and the encoder's. */
function readProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  const [, ofChild = ''] = readFileSync(`/proc/${host.pid()}/stat`, 'utf8').split(') ');
  const [userTicks, systemTicks] = ofChild.split(' ').slice(11, 13).map(Number);
  return (user + system) / 1_000 + clockTickMs * ((userTicks ?? 0) + (systemTicks ?? 0));
}

type Times = { wall: number[]; processor: number };

async function timed<T>(times: Times, act: () => T | Promise<T>): Promise<T> {
  const [startedMs, processorMs] = [now(), readProcessorMs()];
  const result = await act();
  times.wall.push(now() - startedMs);
  times.processor += readProcessorMs() - processorMs;
  return result;
}

/** The weights of the same words with every one left out. */
async function leaveAllOut(decider: Decider, input: JsonObject, words: readonly WeighedWords[]): Promise<number[]> {
  const base = await decider.decide(input);
  if (!base.ok) throw new Error('The input was refused.');
  const { decision, class_probabilities: before } = base.decision;
  const weights: number[] = [];
  for (const { path, start, end } of words) {
    const changed = structuredClone(input);
    const holder = path.slice(0, -1).reduce((at, key) => at[key] as JsonObject, changed);
    const key = path.at(-1) ?? '';
    const text = String(holder[key]);
    holder[key] = text.slice(0, start) + text.slice(end);
    const without = await decider.decide(changed);
    weights.push((before[decision] ?? 0) - (without.ok ? (without.decision.class_probabilities[decision] ?? 0) : 0));
  }
  return weights;
}

async function measure(decider: Decider, inputs: readonly JsonObject[]): Promise<string> {
  const plain: Times = { wall: [], processor: 0 };
  const weighing: Times = { wall: [], processor: 0 };
  const agreements: number[] = [];
  let estimated = 0;
  let words = 0;
  for (const input of inputs) {
    const base = await timed(plain, () => decider.decide(input));
    if (!base.ok) throw new Error('The input was refused.');
    const whatIf = new WhatIf(decider, base.decision, ports, { maxDecisions: 80, maxMs: 2_000 });
    const weighed = await timed(weighing, () => weighWords(whatIf, input, () => false));
    words += weighed.length;
    estimated += weighed.filter((each) => each.estimated).length;
    const leftOut = await leaveAllOut(decider, input, weighed);
    const agreement = correlateRanks(
      weighed.map(({ weight }) => weight),
      leftOut,
    );
    if (!Number.isNaN(agreement)) agreements.push(agreement);
  }
  const cell = (value: number, digits: number) => value.toFixed(digits).padStart(9);
  const [plainMs, weighingMs] = [plain.processor / inputs.length, weighing.processor / inputs.length];
  return [
    ...[cell(words / inputs.length, 0), cell((100 * estimated) / words, 0), cell(plainMs, 0), cell(weighingMs, 0)],
    ...[cell(computePercentile(plain.wall, 0.5), 0), cell(computePercentile(weighing.wall, 0.5), 0)],
    ...[cell(computePercentile(agreements, 0.5), 3), cell(Math.min(...agreements), 3)],
    weighingMs <= aimMs ? `  within ${aimMs} ms` : `  not within ${aimMs} ms`,
  ].join('');
}

print('                                           processor ms         wall ms    rank correlation');
print('                              words   est. %    plain    weigh    plain    weigh   median    least');
for (const name of readdirSync(folder).filter((each) => flags.only.length === 0 || flags.only.includes(each))) {
  const all = readRows(name, 'train');
  const options = [...new Set(all.map((row) => row.decision))].sort().slice(0, maxOptions);
  const isKnown = (row: Row) => options.includes(row.decision);
  const decider = await learn(all.filter(isKnown).slice(0, Number(flags.rows)), options);
  const count = Number(flags.texts);
  const tokensOf = ({ input }: Row) => tokenizer.encode(JSON.stringify(input)).length;
  const test = readRows(name, 'test')
    .filter(isKnown)
    .slice(0, 400)
    .sort((a, b) => tokensOf(b) - tokensOf(a));
  await decider.estimateWithout(test[0]?.input ?? {}, options[0] ?? '', []);
  for (const [kind, rows] of [
    ['longest', test.slice(0, count)],
    ['usual', test.slice(test.length >> 1, (test.length >> 1) + count)],
  ] as const) {
    print(
      `${name.padEnd(18)}${kind.padEnd(8)}${await measure(
        decider,
        rows.map(({ input }) => input),
      )}`,
    );
  }
}
await host.close();
