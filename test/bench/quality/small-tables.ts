/**
 * `node test/bench/quality/small-tables.ts --python PATH [--data DIR]… [--rows N]… [--draws N] [--first N]`: training on small tables
 * beside scikit-learn and CatBoost on the same features. `--data` names folders with train.jsonl and test.jsonl, which are
 * drawn from together; a test has at most 600 of the rows that are left. Text is left out. `--python` needs
 * scikit-learn and catboost.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { inferPlan } from '../../../src/engine/features/infer.ts';
import { argmax } from '../../../src/engine/numeric.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { buildFeatureRows } from '../../../src/engine/training/data/feature-rows.ts';
import { prepareRows } from '../../../src/engine/training/data/labelled-rows.ts';
import { scoreRows } from '../../../src/engine/training/evaluate/score-rows.ts';
import { chooseClassifier } from '../../../src/engine/training/select/choose-classifier.ts';
import { chooseText } from '../../../src/engine/training/select/choose-text.ts';
import { fitChoice } from '../../../src/engine/training/select/fit-choice.ts';
import { mixedTable, type TableRow } from '../tables.ts';

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string', multiple: true, default: [] },
    rows: { type: 'string', multiple: true, default: ['100', '200', '400', '800'] },
    draws: { type: 'string', default: '10' },
    first: { type: 'string', default: '1' },
    python: { type: 'string', default: 'python3' },
  },
});
const print = (line = '') => process.stdout.write(`${line}\n`);
const maxTestRows = 600;
const ignore = () => undefined;

type Figures = { logLoss: number; accuracy: number };

const readTable = (folder: string): TableRow[] =>
  ['train', 'test'].flatMap((part) =>
    readFileSync(join(folder, `${part}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as TableRow),
  );

function shuffle<Row>(rows: readonly Row[], seed: number): Row[] {
  const random = createRandom(seed);
  return rows
    .map((row) => ({ row, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ row }) => row);
}

/** Measures probabilities against the options of the rows. */
function measure(probabilities: readonly number[][], rows: readonly TableRow[], options: readonly string[]): Figures {
  let logLoss = 0;
  let hits = 0;
  rows.forEach(({ decision }, i) => {
    const row = probabilities[i] ?? [];
    logLoss -= Math.log(Math.max(1e-15, row[options.indexOf(decision)] ?? 0)) / rows.length;
    if (options[argmax(row)] === decision) hits += 1;
  });
  return { logLoss, accuracy: hits / rows.length };
}

function summarise(values: readonly number[]): { mean: number; error: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: Math.sqrt(square / (values.length - 1) / values.length) };
}

/** Trains on `train` as the program does, and gives the features of both parts for the peers. */
function compareOurs(train: readonly TableRow[], test: readonly TableRow[], seed: number) {
  const examples = train.map((row, i) => ({ id: `${i}`, ...row, reasonCodes: [], source: 'user' as const }));
  const options = [...new Set(train.map(({ decision }) => decision))].sort();
  const { rows, presentOptions } = prepareRows(examples, options);
  const inputs = rows.map(({ input }) => input);
  const plan = { ...inferPlan(inputs, null), text: null };
  const optionCount = options.length;
  const texts = new Map();
  const measured = test.filter(({ decision }) => options.includes(decision));
  const testInputs = measured.map(({ input }) => input);
  const built = buildFeatureRows(plan, testInputs, texts);
  const common = { optionCount, seed, tick: ignore, report: ignore };
  const textChoice = chooseText({ ...common, plan, rows, texts, encoder: null });
  const config = { tune_hyperparams: true, n_tuning_trials: 20 };
  const { choice } = chooseClassifier({ ...common, textChoice, rows, rowCount: rows.length, config });
  const fit = { rows, presentOptions, optionCount, texts, tunedHead: null, seed, report: ignore };
  const ours = measure(scoreRows(fitChoice({ ...fit, choice }).calibrated, built), measured, options);
  const facts = {
    width: built.denseWidth,
    train: [...buildFeatureRows(plan, inputs, texts).dense],
    test: [...built.dense],
    train_labels: rows.map(({ decision }) => options.indexOf(decision)),
    test_labels: measured.map(({ decision }) => options.indexOf(decision)),
  };
  return { ours, facts };
}

/** Fits the peers on every draw, in one run, because loading them takes longer than most fits. */
function comparePeers(python: string, facts: readonly object[]): Record<string, Figures>[] {
  const folder = mkdtempSync(join(tmpdir(), 'small-tables-'));
  try {
    writeFileSync(join(folder, 'tables.json'), JSON.stringify(facts));
    const script = join(import.meta.dirname, 'small_tables_peers.py');
    const env = { ...process.env, OMP_NUM_THREADS: '1' };
    const { stdout, stderr } = spawnSync(python, [script, join(folder, 'tables.json')], { encoding: 'utf8', env });
    if (!stdout) throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, Figures>[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tables =
  flags.data.length > 0
    ? flags.data.map((folder) => ({ name: basename(folder), rows: readTable(folder) }))
    : [{ name: 'mixed table', rows: mixedTable(4_000, 1) }];
for (const { name, rows } of tables) {
  for (const count of flags.rows.map(Number)) {
    if (count + 100 > rows.length) continue;
    const draws = Array.from({ length: Number(flags.draws) }, (_, i) => {
      const seed = Number(flags.first) + i;
      const shuffled = shuffle(rows, seed);
      return compareOurs(shuffled.slice(0, count), shuffled.slice(count, count + maxTestRows), seed);
    });
    const ofPeers = comparePeers(
      flags.python,
      draws.map(({ facts }) => facts),
    );
    print(
      `\n${name}, ${count} rows, ${flags.draws} draws from ${flags.first} on\n\n| classifier | log-loss | accuracy | ours minus it, ± standard error |\n|---|---|---|---|`,
    );
    const ours = draws.map((draw) => draw.ours);
    for (const learner of ['the program', ...Object.keys(ofPeers[0] ?? {})]) {
      const each = ours.map((own, i) => ofPeers[i]?.[learner] ?? own);
      const difference = summarise(each.map(({ logLoss }, i) => (ours[i]?.logLoss ?? 0) - logLoss));
      print(
        `| ${learner} | ${summarise(each.map(({ logLoss }) => logLoss)).mean.toFixed(4)} | ${summarise(each.map(({ accuracy }) => accuracy)).mean.toFixed(4)} | ${difference.mean.toFixed(4)} ± ${difference.error.toFixed(4)} |`,
      );
    }
  }
}
