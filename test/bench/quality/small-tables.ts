/**
 * `node test/bench/quality/small-tables.ts [--data DIR]… [--rows N]… [--draws N] [--python PATH]`: training on small tables:
 * the search of today beside fixed blends of a logistic regression and shallow trees, and beside scikit-learn and
 * CatBoost on the same features. `--data` names folders with train.jsonl and test.jsonl, which are drawn from together;
 * a test has at most 1,500 of the rows that are left. Text is left out. `--python` needs scikit-learn and catboost.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { TreeSettings } from '../../../src/engine/classifiers/trees.ts';
import { inferPlan } from '../../../src/engine/features/infer.ts';
import type { FeaturePlan } from '../../../src/engine/features/plan.ts';
import { argmax, softmaxInPlace } from '../../../src/engine/numeric.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { buildFeatureRows } from '../../../src/engine/training/data/feature-rows.ts';
import { type LabelledRow, prepareRows } from '../../../src/engine/training/data/labelled-rows.ts';
import { scoreRows } from '../../../src/engine/training/evaluate/score-rows.ts';
import { chooseClassifier } from '../../../src/engine/training/select/choose-classifier.ts';
import { chooseText } from '../../../src/engine/training/select/choose-text.ts';
import { type ClassifierChoice, fitChoice } from '../../../src/engine/training/select/fit-choice.ts';
import type { LinearSettings } from '../../../src/engine/training/select/linear-heads.ts';
import { mixedTable, type TableRow } from '../tables.ts';

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string', multiple: true, default: [] },
    rows: { type: 'string', multiple: true, default: ['100', '200', '400', '800'] },
    draws: { type: 'string', default: '10' },
    python: { type: 'string' },
  },
});
const print = (line = '') => process.stdout.write(`${line}\n`);
const root = resolve(import.meta.dirname, '../..');
const maxTestRows = 1_500;
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

const shallow: TreeSettings = {
  rounds: 150,
  learningRate: 0.05,
  maxLeaves: 8,
  minRows: 3,
  l2: 1,
  rowShare: 0.7,
  fieldShare: 0.7,
};

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

/** A linear part with the settings that its folds chose, or with a penalty of its own, and trees of fixed settings. */
type Plain = { linear: LinearSettings; trees: TreeSettings; treeWeight: number };

const toChoice = (plan: FeaturePlan, { linear, trees, treeWeight }: Plain): ClassifierChoice => ({
  plan,
  textUse: 'none',
  linear: treeWeight === 1 ? null : { ...linear, weight: 1 - treeWeight },
  trees: treeWeight === 0 ? null : { settings: trees, weight: treeWeight },
});

/** The classifiers that are compared: today's, by a search and weights from folds, and plain ones without either. */
function listChoices(plan: FeaturePlan, rows: readonly LabelledRow[], optionCount: number, seed: number) {
  const common = { optionCount, seed, tick: ignore, report: ignore };
  const textChoice = chooseText({ ...common, plan, rows, texts: new Map(), dimensions: 0 });
  const config = { tune_hyperparams: true, n_tuning_trials: 20 };
  const { choice: today } = chooseClassifier({ ...common, textChoice, rowCount: rows.length, config });
  const { linear } = textChoice;
  const fixed = (C: number): LinearSettings => ({ C: { tabular: C }, pool: { weights: [1], prior: 0 }, starts: {} });
  const plain = (parts: Partial<Plain>) => toChoice(plan, { linear, trees: shallow, treeWeight: 0.5, ...parts });
  return {
    'search of today': today,
    'logistic regression': plain({ linear: fixed(0.3), treeWeight: 0 }),
    'shallow trees': plain({ treeWeight: 1 }),
    'even blend, C 0.3': plain({ linear: fixed(0.3) }),
    'even blend, C 1': plain({ linear: fixed(1) }),
    'even blend, C by folds': plain({}),
    'even blend, slower trees': plain({ trees: { ...shallow, l2: 5, minRows: 5, rounds: 100 } }),
  };
}

/** The normalised product of the parts' probabilities, each to the power of its weight. */
function mix(parts: readonly (readonly number[][])[], weights: readonly number[]): number[][] {
  return (parts[0] ?? []).map((row, i) => {
    const logs = row.map((_, k) =>
      parts.reduce((sum, part, p) => sum + (weights[p] ?? 0) * Math.log(Math.max(1e-15, part[i]?.[k] ?? 0)), 0),
    );
    return [...softmaxInPlace(Float64Array.from(logs))];
  });
}

/** Fits ours on `train`, and gives the features of both parts for the peers. */
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
  const score = (choice: ClassifierChoice, fitSeed = seed) => {
    const common = { rows, presentOptions, optionCount, texts, relearn: false, tunedHead: null, report: ignore };
    return scoreRows(fitChoice({ ...common, choice, seed: fitSeed }).calibrated, built);
  };
  const choices = listChoices(plan, rows, optionCount, seed);
  const scored = Object.fromEntries(Object.entries(choices).map(([name, choice]) => [name, score(choice)]));
  const of = (name: keyof typeof choices) => scored[name] ?? [];
  const even = of('even blend, C by folds');
  const bags = [11, 12].map((fitSeed) => score(choices['shallow trees'], fitSeed));
  const all = {
    ...scored,
    // The even blend holds half of one bag of trees; a third of that stays, and the others come to it.
    'even blend, three bags of trees': mix([even, of('shallow trees'), ...bags], [1, -1 / 3, 1 / 6, 1 / 6]),
    'today and even blend': mix([of('search of today'), even], [0.5, 0.5]),
  };
  const peers = {
    width: built.denseWidth,
    train: [...buildFeatureRows(plan, inputs, texts).dense],
    test: [...built.dense],
    train_labels: rows.map(({ decision }) => options.indexOf(decision)),
    test_labels: measured.map(({ decision }) => options.indexOf(decision)),
  };
  const figures = Object.entries(all).map(([name, each]) => [name, measure(each, measured, options)] as const);
  return { figures: Object.fromEntries(figures), peers };
}

/** Fits the peers on every draw, in one run, because loading them takes longer than most fits. */
function comparePeers(python: string, facts: readonly object[]): Record<string, Figures>[] {
  const folder = mkdtempSync(join(tmpdir(), 'small-tables-'));
  try {
    writeFileSync(join(folder, 'tables.json'), JSON.stringify(facts));
    const script = join(root, 'test/bench/quality/small_tables_peers.py');
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
      const shuffled = shuffle(rows, i + 1);
      return compareOurs(shuffled.slice(0, count), shuffled.slice(count, count + maxTestRows), i + 1);
    });
    const ofPeers =
      flags.python === undefined
        ? []
        : comparePeers(
            flags.python,
            draws.map(({ peers }) => peers),
          );
    const all = new Map<string, Figures[]>();
    draws.forEach(({ figures }, i) => {
      for (const [learner, each] of Object.entries({ ...figures, ...ofPeers[i] })) {
        all.set(learner, [...(all.get(learner) ?? []), each]);
      }
    });
    print(
      `\n${name}, ${count} rows, ${flags.draws} draws\n\n| classifier | log-loss | accuracy | better than today |\n|---|---|---|---|`,
    );
    const today = all.get('search of today') ?? [];
    for (const [learner, each] of all) {
      const mean = (of: (one: Figures) => number) => each.reduce((sum, one) => sum + of(one), 0) / each.length;
      const wins = each.filter(({ logLoss }, i) => logLoss < (today[i]?.logLoss ?? 0)).length;
      print(
        `| ${learner} | ${mean((one) => one.logLoss).toFixed(4)} | ${mean((one) => one.accuracy).toFixed(4)} | ${wins} |`,
      );
    }
  }
}
