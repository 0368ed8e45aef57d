/**
 * `node test/bench/quality/unfamiliar.ts FOLDER [--only NAME]… [--rows N] [--test-rows N] [--draws N] [--encodings FOLDER]`
 *
 * What a policy notices of inputs that are unlike its examples, on the data sets of a folder (`NAME/{train,test}.jsonl`,
 * the first N rows of each option). Of sets with many options a fifth is left out of learning in each draw, and the test
 * rows of these are the near inputs; the far ones are the texts that a training tries. Every candidate is compared where
 * it loses 5% of the test rows of the other options, then the policy as it is, at the limits that it learned.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deflateSync } from 'fflate';
import { compileFeatures } from '../../../src/engine/features/compile.ts';
import type { CheckName } from '../../../src/engine/features/familiarity.ts';
import { inferPlan } from '../../../src/engine/features/infer.ts';
import { type JsonObject, toCanonicalJson } from '../../../src/engine/json.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { buildFeatureRows } from '../../../src/engine/training/data/feature-rows.ts';
import { encodeTexts, type LabelledRow } from '../../../src/engine/training/data/labelled-rows.ts';
import { chooseChecks, noticeProbes } from '../../../src/engine/training/evaluate/choose-checks.ts';
import {
  findUnfamiliarRows,
  type LearnedRows,
  learnFamiliarity,
  learnUnfamiliarity,
  listUsualChecks,
} from '../../../src/engine/training/evaluate/familiarity.ts';
import { listProbeTexts } from '../../../src/engine/training/evaluate/probes.ts';
import { scoreRows } from '../../../src/engine/training/evaluate/score-rows.ts';
import { fitChoice } from '../../../src/engine/training/select/fit-choice.ts';
import { createDefaultSettings } from '../../../src/engine/training/select/linear-heads.ts';
import { learnText } from '../../../src/engine/training/select/text-use.ts';
import { withEncodingCache } from '../../../src/server/runtime/encoder/encoding-cache.ts';
import { openEncoder } from '../../../src/server/runtime/encoder/onnx-session.ts';
import { openTextModel } from '../../../src/server/runtime/encoder/text-model.ts';

type Row = { input: JsonObject; decision: string };

const loss = 0.05;
const minOptionsForDraws = 20;
const shareLeftOut = 0.2;
const print = (line: string) => process.stdout.write(`${line}\n`);
const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
const ignore = () => undefined;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    rows: { type: 'string', default: '40' },
    'test-rows': { type: 'string', default: '15' },
    draws: { type: 'string', default: '5' },
    encodings: { type: 'string' },
  },
});
const folder = positionals[0] ?? '';
const names = existsSync(folder)
  ? readdirSync(folder).filter((name) => flags.only.length === 0 || flags.only.includes(name))
  : [];

const textModel = openTextModel();
const encoder = withEncodingCache(
  await openEncoder(textModel.encoderPath, textModel.encoderSha256),
  flags.encodings ?? mkdtempSync(join(tmpdir(), 'encodings-')),
  Date.now(),
);
const tokenizer = textModel.tokenizer();
const probes = listProbeTexts();
const probeTexts = await encodeTexts(probes, tokenizer, encoder, ignore);

function readRows(name: string, side: 'train' | 'test', perOption: number): Row[] {
  const taken = new Map<string, number>();
  return readFileSync(join(folder, name, `${side}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row)
    .filter(({ decision }) => {
      taken.set(decision, (taken.get(decision) ?? 0) + 1);
      return (taken.get(decision) ?? 0) <= perOption;
    });
}

function label(rows: readonly Row[], options: readonly string[]): LabelledRow[] {
  return rows.map(({ input, decision }, i) => ({
    id: `row-${i}`,
    content: toCanonicalJson(input),
    input,
    decision,
    label: options.indexOf(decision),
    source: 'user',
    reasonCodes: [],
  }));
}

/** Fits the classifier with its settings for small sets. */
async function learn(train: readonly Row[], test: readonly Row[]) {
  const options = [...new Set(train.map(({ decision }) => decision))].sort();
  const inferred = inferPlan(
    train.map(({ input }) => input),
    null,
    [],
  );
  const { joinText } = compileFeatures(inferred);
  const all = inferred.text === null ? [] : [...train, ...test].map(({ input }) => joinText(input).text);
  const texts = new Map([...probeTexts, ...(await encodeTexts(all, tokenizer, encoder, ignore))]);
  const rows = label(train, options);
  const textUse = inferred.text === null ? 'none' : 'both';
  const plan = learnText(inferred, textUse, rows, texts, encoder);
  const model = fitChoice({
    choice: { plan, textUse, linear: { ...createDefaultSettings(plan), weight: 1 }, trees: null },
    rows,
    presentOptions: options.map((_, index) => index),
    optionCount: options.length,
    texts,
    tunedHead: null,
    seed: 1,
    report: ignore,
  });
  const learned: LearnedRows = { plan, rows, built: model.rows, texts };
  return { learned, model, options };
}

/** For rows by several scores, the larger the stranger. */
type Scores = { familiar: number[]; strange: number[] };

/** The share of strange rows that the scores notice together where they lose 5% of the familiar ones, each as many. */
function findNoticed(scores: readonly Scores[]): number {
  const exceeds = (side: 'familiar' | 'strange', share: number) => {
    const limits = scores.map(
      ({ familiar }) => familiar.toSorted((a, b) => b - a)[Math.floor(share * familiar.length)] ?? 0,
    );
    const rows = scores[0]?.[side].length ?? 0;
    const count = Array.from({ length: rows }, (_, i) =>
      scores.some((score, s) => (score[side][i] ?? 0) > (limits[s] ?? 0)),
    ).filter(Boolean).length;
    return count / rows;
  };
  let low = 0;
  let high = 2 * loss;
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2;
    if (exceeds('familiar', middle) > loss) high = middle;
    else low = middle;
  }
  return exceeds('strange', low);
}

/** What each candidate notices in one draw, and the policy's own choice at its own limits. */
async function measureDraw(train: readonly Row[], familiar: readonly Row[], strange: readonly Row[]) {
  const { learned, model, options } = await learn(train, [...familiar, ...strange]);
  const { plan, texts } = learned;
  const started = performance.now();
  const findFar = (file: Parameters<typeof noticeProbes>[2]) => noticeProbes(learned, probes, file);
  const chosen = chooseChecks(learned, findFar, ignore);
  const seconds = (performance.now() - started) / 1_000;
  const tested = label([...familiar, ...strange], options);
  const everyRow = [...learned.rows, ...tested];
  const everyInput = everyRow.map(({ input }) => input);
  const both: LearnedRows = { plan, rows: everyRow, built: buildFeatureRows(plan, everyInput, texts), texts };
  const split = (scores: readonly number[]): Scores => ({
    familiar: scores.slice(0, familiar.length),
    strange: scores.slice(familiar.length),
  });
  const usual = listUsualChecks(plan);
  const byCheck = new Map<CheckName, Scores>();
  for (const check of new Set([...usual, 'nearest' as const])) {
    const measure = learnUnfamiliarity(both, [...learned.rows.keys()], check);
    if (measure !== null) byCheck.set(check, split(tested.map((_, i) => measure(learned.rows.length + i))));
  }
  const builtTest = buildFeatureRows(
    plan,
    tested.map(({ input }) => input),
    texts,
  );
  const logs = scoreRows(model.calibrated, builtTest).map((row) => row.map((p) => Math.log(Math.max(p, 1e-300))));
  const means = logs.map((row) => row.reduce((sum, log) => sum + log, 0) / row.length);
  const listScores = (checks: readonly CheckName[]) => checks.flatMap((check) => byCheck.get(check) ?? []);
  const candidates = new Map<string, number>();
  for (const [check, scores] of byCheck) candidates.set(check, findNoticed([scores]));
  candidates.set('largest logit', findNoticed([split(logs.map((row, i) => (means[i] ?? 0) - Math.max(...row)))]));
  candidates.set('energy', findNoticed([split(means)]));
  candidates.set('confidence', findNoticed([split(logs.map((row) => -Math.max(...row)))]));
  const asTested = { plan, rows: tested, built: builtTest, texts };
  const atLimits = (file: Parameters<typeof findUnfamiliarRows>[0]) => {
    const flagged = findUnfamiliarRows(file, asTested);
    const far = findFar(file);
    const share = (some: readonly boolean[]) => (some.length === 0 ? null : some.filter(Boolean).length / some.length);
    return {
      lost: share(flagged.slice(0, familiar.length)),
      near: share(flagged.slice(familiar.length)),
      far: share(far),
    };
  };
  return {
    checks: chosen.checks.join('+'),
    expected: chosen.near,
    candidates,
    today: findNoticed(listScores(usual)),
    chosen: findNoticed(listScores(chosen.checks)),
    atLimits: { today: atLimits(learnFamiliarity(learned, usual, ignore)), chosen: atLimits(chosen.file) },
    bytes: deflateSync(new TextEncoder().encode(JSON.stringify(chosen.file)), { level: 6 }).length,
    seconds,
  };
}

type Draw = Awaited<ReturnType<typeof measureDraw>>;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function describeLimits(draws: readonly Draw[], which: 'today' | 'chosen'): string {
  const of = (part: 'lost' | 'near' | 'far') => {
    const shares = draws.flatMap(({ atLimits }) => atLimits[which][part] ?? []);
    return shares.length === 0 ? 'none' : percent(mean(shares));
  };
  return `loses ${of('lost')}, notices ${of('near')} of near and ${of('far')} of far texts`;
}

function printDraws(set: string, draws: readonly Draw[]): void {
  print(`\n${set}: at a loss of 5%, mean of ${draws.length} draws (each draw)`);
  const line = (title: string, values: readonly number[]) =>
    print(`  ${title.padEnd(30)} ${percent(mean(values)).padStart(7)}  (${values.map(percent).join(', ')})`);
  for (const candidate of draws[0]?.candidates.keys() ?? []) {
    line(
      candidate,
      draws.map(({ candidates }) => candidates.get(candidate) ?? 0),
    );
  }
  line(
    'the usual checks together',
    draws.map(({ today }) => today),
  );
  line(
    `chosen: ${[...new Set(draws.map(({ checks }) => checks))].join(' or ')}`,
    draws.map(({ chosen }) => chosen),
  );
  const candidateNames = [...(draws[0]?.candidates.keys() ?? [])];
  const best = Math.max(
    ...candidateNames.map((name) => mean(draws.map(({ candidates }) => candidates.get(name) ?? 0))),
  );
  const reached = mean(draws.map(({ chosen }) => chosen));
  print(`  aim: at least the best single candidate, ${percent(best)}: ${reached >= best ? 'met' : 'not met'}`);
  const expected = draws.map(({ expected: near }) => `${percent(near?.low ?? 0)}–${percent(near?.high ?? 0)}`);
  print(`  what the report says of near inputs: ${expected.join(', ')}`);
}

for (const name of names) {
  const train = readRows(name, 'train', Number(flags.rows));
  const test = readRows(name, 'test', Number(flags['test-rows']));
  const options = [...new Set(train.map(({ decision }) => decision))].sort();
  const random = createRandom(1);
  const draws: Draw[] = [];
  const drawCount = options.length >= minOptionsForDraws ? Number(flags.draws) : 1;
  for (let draw = 0; draw < drawCount; draw++) {
    const shuffled = options.map((option) => ({ option, at: random() })).sort((a, b) => a.at - b.at);
    const size = options.length >= minOptionsForDraws ? Math.round(shareLeftOut * options.length) : 0;
    const leftOut = new Set(shuffled.slice(0, size).map(({ option }) => option));
    const isIn = ({ decision }: Row) => !leftOut.has(decision);
    draws.push(
      await measureDraw(
        train.filter(isIn),
        test.filter(isIn),
        test.filter((row) => !isIn(row)),
      ),
    );
  }
  const [first] = draws;
  if (first === undefined) continue;
  if (first.atLimits.chosen.near !== null) printDraws(name, draws);
  else print(`\n${name}: ${options.length} options, chosen ${first.checks}`);
  print(`  at its own limits, the usual checks: ${describeLimits(draws, 'today')}`);
  print(`  at its own limits, as chosen: ${describeLimits(draws, 'chosen')}`);
  print(
    `  familiarity.json ${(mean(draws.map(({ bytes }) => bytes)) / 1_000).toFixed(0)} kB packed; choosing took ${mean(draws.map(({ seconds }) => seconds)).toFixed(1)} s`,
  );
}
encoder.close();
