/**
 * Whether use bends the figures. First the bound of the audit: of 1,000 streams of judgements, in how many it ever
 * leaves the true error out, beside the interval of a fixed time (Clopper and Pearson); and the same of a number drawn
 * of each week. Then the loop of correcting: decide, correct what was wrong, train, twenty times; the reported accuracy
 * beside that on rows that nobody touched, with corrections that only teach (`--source correction`) and with a fifth of
 * them held out, as it was before (`--source user`). Last, a table that is blown up by copies whose numbers are off by
 * one: as they are, and with an identifier each, by which they are not told as repeats.
 * Run: `node test/bench/figures/audit.ts [--streams 1000] [--rounds 20] [--only bound|weeks|loop|repeats]
 * [--set name] [--deals n] [--source correction|user] [--data folder]`. It fails where the bound breaks in more than
 * 5% of the streams, or the mean of a round is off by more than two points.
 */
import { parseArgs } from 'node:util';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { computeCalibrationError } from '../../../src/engine/classifiers/calibration.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import { type TrainingExample, trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import { computeBinomialTail } from '../../../src/engine/intervals.ts';
import { boundRunningError, isMeanRefused, rankDecision } from '../../../src/engine/measure/error-bound.ts';
import { createRandom } from '../../../src/engine/random.ts';
import type { TrainPorts } from '../../../src/engine/training/request.ts';
import { train } from '../../../src/engine/training/train.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { createDefinition, createRequest } from '../../engine/training-request.ts';
import type { Row } from '../quality/accuracy-training.ts';
import { openPorts, readSet, shuffle } from './promise-populations.ts';

const text = { type: 'string' } as const;
const { values: flags } = parseArgs({
  options: { streams: text, rounds: text, only: text, set: text, deals: text, source: text, data: text },
});
const streams = Number(flags.streams ?? 1_000);
const rounds = Number(flags.rounds ?? 20);
const dataFolder = flags.data ?? new URL('../../fixtures', import.meta.url).pathname;
const judgements = 2_000;
const risk = 0.05;
let failed = false;

/** The chance of an error at each place of a stream. */
const truths: Record<string, (place: number) => number> = {
  '0.5%': () => 0.005,
  '5%': () => 0.05,
  '30%': () => 0.3,
  'from 2% to 22%': (place) => 0.02 + (0.2 * place) / judgements,
  '2%, then 20%': (place) => (place < 500 ? 0.02 : 0.2),
};

function tryBound(): void {
  console.log(`\nStreams of ${judgements} judgements in which the range ever leaves the true error out\n`);
  console.log('| error | bound of the audit | interval of a fixed time | range after 100 | after 2,000 |');
  console.log('|---|---|---|---|---|');
  for (const [name, chanceAt] of Object.entries(truths)) {
    const broken = { audit: 0, fixed: 0 };
    const ranges: string[] = [];
    for (let stream = 0; stream < streams; stream += 1) {
      const random = createRandom(7_919 * stream + 1);
      let [wrong, chances] = [0, 0];
      const seen = { audit: false, fixed: false };
      for (let count = 1; count <= judgements; count += 1) {
        const chance = chanceAt(count - 1);
        chances += chance;
        if (random() < chance) wrong += 1;
        const mean = chances / count;
        seen.audit ||= isMeanRefused(mean, wrong, count, 1) || isMeanRefused(mean, wrong, count, -1);
        seen.fixed ||= isOutside(mean, wrong, count);
        if (stream === 0 && (count === 100 || count === judgements)) ranges.push(formatRange(wrong, count));
      }
      if (seen.audit) broken.audit += 1;
      if (seen.fixed) broken.fixed += 1;
    }
    failed ||= broken.audit > risk * streams;
    const share = (count: number) => `${((100 * count) / streams).toFixed(1)}%`;
    console.log(`| ${name} | ${share(broken.audit)} | ${share(broken.fixed)} | ${ranges.join(' | ')} |`);
  }
}

const weeks = 40;
const perWeek = 50;

/** Weeks of 60 to 600 decisions with 2 to 22% wrong, of each of which those that stand first are judged. */
function tryWeeks(): void {
  const broken = { audit: 0, fixed: 0 };
  for (let stream = 0; stream < streams; stream += 1) {
    const random = createRandom(7_919 * stream + 3);
    let [record, count, wrong, errors] = [0, 0, 0, 0];
    const seen = { audit: false, fixed: false };
    for (let week = 0; week < weeks; week += 1) {
      const volume = 60 + Math.floor(541 * random());
      const error = 0.02 + 0.2 * random();
      const decisions = Array.from({ length: volume }, () => {
        record += 1;
        return { rank: rankDecision(`stream-${stream}`, record), isWrong: random() < error };
      });
      errors += decisions.filter(({ isWrong }) => isWrong).length / volume;
      const drawn = decisions.sort((a, b) => a.rank - b.rank).slice(0, perWeek);
      count += drawn.length;
      wrong += drawn.filter(({ isWrong }) => isWrong).length;
      // What a week of 500 decides counts as much as what one of 60 does.
      const mean = errors / (week + 1);
      seen.audit ||= isMeanRefused(mean, wrong, count, 1) || isMeanRefused(mean, wrong, count, -1);
      seen.fixed ||= isOutside(mean, wrong, count);
    }
    if (seen.audit) broken.audit += 1;
    if (seen.fixed) broken.fixed += 1;
  }
  failed ||= broken.audit > risk * streams;
  const share = (part: number) => `${((100 * part) / streams).toFixed(1)}%`;
  console.log(`\n${perWeek} of each of ${weeks} weeks: the mean error of the weeks so far is ever left out`);
  console.log(
    `by the audit's bound in ${share(broken.audit)}, by the interval of a fixed time in ${share(broken.fixed)}`,
  );
}

/** Whether Clopper and Pearson's interval of 95% leaves a mean out. */
const isOutside = (mean: number, wrong: number, count: number) =>
  computeBinomialTail(wrong, count, mean) < risk / 2 ||
  (wrong > 0 && 1 - computeBinomialTail(wrong - 1, count, mean) < risk / 2);

function formatRange(wrong: number, count: number): string {
  const { low, high } = boundRunningError(wrong, count);
  return `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}%`;
}

/** A set: rows to begin with, decisions in a round, rows that nobody touches, and how often it is dealt. */
const loops = [
  { name: 'sms_spam', start: 1_000, perRound: 60, deals: 2 },
  { name: 'german_credit', start: 500, perRound: 10, deals: 12 },
];

type Round = { reported: number; untouched: number };

async function runLoop(
  ports: TrainPorts,
  rows: readonly Row[],
  { start, perRound }: (typeof loops)[number],
  source: 'correction' | 'user',
): Promise<Round[]> {
  const toExample = ({ input, decision }: Row, id: string, from: TrainingExample['source']): TrainingExample => ({
    id,
    input,
    decision,
    reasonCodes: [],
    source: from,
  });
  const examples = rows.slice(0, start).map((row, i) => toExample(row, `row ${i}`, 'user'));
  const untouched = rows.slice(start + rounds * perRound);
  const options = [...new Set(rows.map(({ decision }) => decision))].sort();
  const results: Round[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const { metrics, decide } = await trainOnce(ports, examples, options);
    let right = 0;
    for (const row of untouched) if ((await decide(row)).decision === row.decision) right += 1;
    results.push({ reported: metrics.accuracy, untouched: right / untouched.length });
    for (let i = 0; i < perRound; i += 1) {
      const row = rows[start + round * perRound + i];
      if (row === undefined || round === rounds) break;
      if ((await decide(row)).decision !== row.decision) examples.push(toExample(row, `round ${round} ${i}`, source));
    }
  }
  return results;
}

async function trainOnce(ports: TrainPorts, examples: TrainingExample[], options: string[]) {
  const outcome = await train(
    createRequest(
      examples,
      createDefinition(options, { confidence_thresholds: { auto_decide: 1, escalation: 0 } }),
      // The policy that decides is the one that was measured.
      { config: trainingConfigSchema.parse({ tune_hyperparams: false, refit: false }) },
    ),
    ports,
  );
  const decider = compileDecider(unpackBundle(outcome.bundle, sha256), ports);
  return {
    metrics: outcome.metrics,
    decide: async ({ input }: Row) => {
      const decided = await decider.decide(input);
      if (!decided.ok) throw new Error('The schema refuses an input.');
      return decided.decision;
    },
  };
}

const copies = 4;
const jittered = ['age', 'duration_months', 'credit_amount'];

async function tryRepeats(ports: TrainPorts): Promise<void> {
  const rows = readSet(dataFolder, 'german_credit');
  const [some, untouched] = [rows.slice(0, 800), rows.slice(800)];
  const options = ['bad risk', 'good risk'];
  const copy = (row: Row, copied: number, random: () => number): Row => {
    if (copied === 0) return row;
    const moved = jittered.map((field) => [field, Number(row.input[field]) + Math.round(2 * random() - 1)]);
    return { ...row, input: { ...row.input, ...Object.fromEntries(moved) } };
  };
  console.log(`\ngerman_credit, 800 rows ${copies} times with numbers off by one, and 200 rows nobody touched\n`);
  console.log('| copies | held out | log-loss | of untouched rows | calibration error | of untouched rows |');
  console.log('|---|---|---|---|---|---|');
  for (const hasIds of [false, true]) {
    const random = createRandom(1);
    const examples = some
      .flatMap((row) => Array.from({ length: copies }, (_, copied) => copy(row, copied, random)))
      .map(({ input, decision }, i): TrainingExample => {
        const id = String(i).padStart(6, '0');
        const known = hasIds ? { ...input, reference: `row-${id}` } : input;
        return { id, input: known, decision, reasonCodes: [], source: 'user' };
      });
    const { metrics, decide } = await trainOnce(ports, examples, options);
    let loss = 0;
    const confidences: number[] = [];
    const isRight: boolean[] = [];
    for (const row of untouched) {
      const { class_probabilities, confidence, decision } = await decide(row);
      loss -= Math.log(Math.max(1e-15, class_probabilities[row.decision] ?? 0)) / untouched.length;
      confidences.push(confidence);
      isRight.push(decision === row.decision);
    }
    const errors = [metrics.log_loss, loss, metrics.ece ?? Number.NaN, computeCalibrationError(confidences, isRight)];
    const kind = hasIds ? 'on both sides, as before' : 'with what they repeat';
    console.log(`| ${kind} | ${metrics.test_size} | ${errors.map((error) => error.toFixed(3)).join(' | ')} |`);
  }
}

async function tryLoop(ports: TrainPorts): Promise<void> {
  for (const each of loops.filter(({ name }) => (flags.set ?? name) === name)) {
    const loop = { ...each, deals: Number(flags.deals ?? each.deals) };
    const rows = readSet(dataFolder, loop.name);
    const sources = (['correction', 'user'] as const).filter((source) => (flags.source ?? source) === source);
    for (const source of sources) {
      const deals: Round[][] = [];
      for (let deal = 0; deal < loop.deals; deal += 1) {
        deals.push(await runLoop(ports, shuffle(rows, createRandom(deal + 1)), loop, source));
      }
      printRounds(
        `${loop.name}, ${source === 'user' ? 'a fifth of corrections held out' : 'corrections teach'}`,
        deals,
      );
      if (source === 'correction') failed ||= findMeans(deals).some(({ off }) => Math.abs(off) > 0.02);
    }
  }
}

/** Means over the deals of each round, with the standard error of how far the report is off. */
function findMeans(deals: Round[][]) {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return Array.from({ length: rounds + 1 }, (_, round) => {
    const each = deals.flatMap((results) => results[round] ?? []);
    const offs = each.map(({ reported, untouched }) => reported - untouched);
    const off = mean(offs);
    const variance = offs.reduce((sum, value) => sum + (value - off) ** 2, 0) / Math.max(1, offs.length - 1);
    return {
      reported: mean(each.map(({ reported }) => reported)),
      untouched: mean(each.map(({ untouched }) => untouched)),
      off,
      standardError: Math.sqrt(variance / offs.length),
    };
  });
}

function printRounds(title: string, deals: Round[][]): void {
  console.log(`\n${title}: means of ${deals.length} deals, accuracy in percent; each round trains on what was wrong\n`);
  console.log('| round | reported | untouched rows | off by | standard error |');
  console.log('|---|---|---|---|---|');
  findMeans(deals).forEach(({ reported, untouched, off, standardError }, round) => {
    const cells = [reported, untouched, off, standardError].map((share) => (100 * share).toFixed(1));
    console.log(`| ${round} | ${cells.join(' | ')} |`);
  });
}

const isWanted = (name: string) => (flags.only ?? name) === name;
if (isWanted('bound')) tryBound();
if (isWanted('weeks')) tryWeeks();
if (isWanted('loop')) await tryLoop(await openPorts());
if (isWanted('repeats')) await tryRepeats(await openPorts());
process.exit(failed ? 1 : 0);
