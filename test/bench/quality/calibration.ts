/**
 * `node test/bench/quality/calibration.ts FOLDER [--only NAME]… [--rows N]… [--seeds N]`
 *
 * What else could be done with the weights that calibrate a classifier on few rows, each beside the weights as they are
 * fitted, on the same draws of the data sets of a folder (`NAME/{train,test}.jsonl`): weights kept only where they lower
 * the log-loss of the out-of-fold rows that they were fitted on; only where nested cross-validation says so, else even
 * ones, or else fitted ones in the same proportions that add up to one; and the logits drawn towards the options'
 * shares, by a strength of the same cross-validation or by n / (n + 2). Prints in how many draws the first keeps all
 * weights, and the mean difference in log-loss on up to 1,000 other rows with its standard error; below 0 is better.
 */
import { parseArgs } from 'node:util';
import { fitPool, type Pool, poolLogits } from '../../../src/engine/classifiers/blend.ts';
import { computeLogLoss } from '../../../src/engine/classifiers/calibration.ts';
import { selectColumns } from '../../../src/engine/classifiers/classifier.ts';
import { computeLogShares, fitHead } from '../../../src/engine/classifiers/heads.ts';
import { boostedTrees } from '../../../src/engine/classifiers/trees.ts';
import { compileFeatures } from '../../../src/engine/features/compile.ts';
import { inferPlan } from '../../../src/engine/features/infer.ts';
import { toCanonicalJson } from '../../../src/engine/json.ts';
import { createRandom, type Random } from '../../../src/engine/random.ts';
import { buildFeatureRows } from '../../../src/engine/training/data/feature-rows.ts';
import { type EncodedText, encodeTexts, type LabelledRow } from '../../../src/engine/training/data/labelled-rows.ts';
import type { TrainPorts } from '../../../src/engine/training/request.ts';
import { chooseClassifier } from '../../../src/engine/training/select/choose-classifier.ts';
import { chooseText } from '../../../src/engine/training/select/choose-text.ts';
import { headNames, listHeads } from '../../../src/engine/training/select/linear-heads.ts';
import { estimateTreeCost, finishTreeSearch, startTreeSearch } from '../../../src/engine/training/select/tune-trees.ts';
import { openPorts, readSet, shuffle } from '../figures/promise-populations.ts';
import type { Row } from './accuracy-training.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: {
      type: 'string',
      multiple: true,
      default: ['german_credit', 'car_evaluation', 'complaint_routing', 'sms_spam'],
    },
    rows: { type: 'string', multiple: true, default: ['50', '80', '100', '200', '500'] },
    seeds: { type: 'string', default: '10' },
  },
});
const folder = positionals[0] ?? new URL('../../fixtures', import.meta.url).pathname;
const maxTestRows = 1_000;
const strengths = [1, 0.975, 0.95, 0.9, 0.85, 0.8, 0.7];
const [folds, rounds] = [5, 4];
const ignore = () => undefined;

/** Logits of the same rows by each head of the linear classifier and, where they were chosen, by the trees. */
type Parts = { heads: Float64Array[]; trees: Float64Array | null; isLinear: boolean };
type Labelled = { parts: Parts; labels: Int32Array; optionCount: number };

const listParts = ({ heads, trees }: Parts) => (trees === null ? heads : [...heads, trees]);
const pool = ({ parts, labels, optionCount }: Labelled, weights: Pool, shares: Float64Array) =>
  computeLogLoss(poolLogits(listParts(parts), shares, weights), labels, optionCount);
const draw = ({ weights, prior }: Pool, strength: number): Pool => ({
  weights: weights.map((weight) => weight * strength),
  prior: prior * strength + 1 - strength,
});

/** The same proportions without a temperature: weights that add up to one, and nothing for the shares. */
function unscale({ weights }: Pool): Pool {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return { weights: weights.map((weight) => weight / total), prior: 0 };
}

function take({ parts, labels, optionCount }: Labelled, rows: readonly number[]): Labelled {
  const select = (logits: Float64Array) =>
    Float64Array.from({ length: rows.length * optionCount }, (_, i) => {
      const row = rows[Math.floor(i / optionCount)] ?? 0;
      return logits[row * optionCount + (i % optionCount)] ?? 0;
    });
  const { heads, trees, isLinear } = parts;
  return {
    parts: { heads: heads.map(select), trees: trees && select(trees), isLinear },
    labels: Int32Array.from(rows, (row) => labels[row] ?? 0),
    optionCount,
  };
}

/** Fitted weights, or even ones where these have no higher log-loss on the same rows. */
const keepWhereLower: typeof fitPool = (parts, shares, labels) => {
  const fitted = fitPool(parts, shares, labels);
  const even = { weights: parts.map(() => 1 / parts.length), prior: 0 };
  const loss = (weights: Pool) => computeLogLoss(poolLogits(parts, shares, weights), labels, shares.length);
  return loss(fitted) < loss(even) ? fitted : even;
};

/** The weights of all parts at once, fitted as in a training. */
function weigh({ parts: { heads, trees, isLinear }, labels, optionCount }: Labelled, findPool = fitPool): Pool {
  const shares = computeLogShares(labels, optionCount);
  const none = heads.map(() => 0);
  const withoutShares = (logits: Float64Array[]) => findPool(logits, new Float64Array(optionCount), labels).weights;
  if (trees !== null && !isLinear) return { weights: [...none, ...withoutShares([trees])], prior: 0 };
  const own = findPool(heads, shares, labels);
  if (trees === null) return own;
  const [linear = 0, ofTrees = 0] = withoutShares([poolLogits(heads, shares, own), trees]);
  return { weights: [...own.weights.map((weight) => weight * linear), ofTrees], prior: own.prior * linear };
}

function weighEvenly({ heads, trees, isLinear }: Parts): Pool {
  const linear = isLinear ? (trees === null ? 1 : 0.5) : 0;
  const weights = heads.map(() => linear / heads.length);
  return { weights: trees === null ? weights : [...weights, 1 - linear], prior: 0 };
}

/** The loss of fitted, of unscaled and of even weights at each strength, on rows that the weights were not fitted on. */
function crossValidate(rows: Labelled, random: Random): { fitted: number[]; unscaled: number[]; even: number[] } {
  const losses = { fitted: strengths.map(() => 0), unscaled: strengths.map(() => 0), even: strengths.map(() => 0) };
  const even = weighEvenly(rows.parts);
  for (let round = 0; round < rounds; round++) {
    const order = shuffle([...rows.labels.keys()], random);
    for (let fold = 0; fold < folds; fold++) {
      const learned = take(
        rows,
        order.filter((_, i) => i % folds !== fold),
      );
      const held = take(
        rows,
        order.filter((_, i) => i % folds === fold),
      );
      const shares = computeLogShares(learned.labels, rows.optionCount);
      const fitted = weigh(learned);
      strengths.forEach((strength, s) => {
        const add = (sums: number[], weights: Pool) => {
          sums[s] = (sums[s] ?? 0) + held.labels.length * pool(held, draw(weights, strength), shares);
        };
        add(losses.fitted, fitted);
        add(losses.unscaled, unscale(fitted));
        add(losses.even, even);
      });
    }
  }
  return losses;
}

/** Encodes what is not among `texts` yet. */
async function encodeNew(ports: TrainPorts, read: readonly string[], texts: Map<string, EncodedText>): Promise<void> {
  const unknown = read.filter((text) => !texts.has(text));
  for (const [text, encoded] of await encodeTexts(unknown, ports.tokenizer, ports.encoder, ignore))
    texts.set(text, encoded);
}

type Draw = { train: readonly Row[]; others: readonly Row[]; seed: number };

/** What a training on some rows says of them out of fold, and its final fit of others. */
async function learn(ports: TrainPorts, texts: Map<string, EncodedText>, { train, others, seed }: Draw) {
  const options = [...new Set(train.map(({ decision }) => decision))].sort();
  const test = others.filter(({ decision }) => options.includes(decision));
  const optionCount = options.length;
  const inferred = inferPlan(
    train.map(({ input }) => input),
    null,
    [],
  );
  const { joinText } = compileFeatures(inferred);
  const read = inferred.text === null ? [] : [...train, ...test].map(({ input }) => joinText(input).text);
  await encodeNew(ports, read, texts);
  const labelled = train.map(
    ({ input, decision }, i): LabelledRow => ({
      ...{ id: `${i}`, content: toCanonicalJson(input), input, decision },
      ...{ label: options.indexOf(decision), source: 'user', reasonCodes: [] },
    }),
  );
  const common = { optionCount, seed, tick: ignore, report: ignore };
  const { encoder } = ports;
  const textChoice = chooseText({ ...common, plan: inferred, rows: labelled, texts, encoder });
  const config = { tune_hyperparams: false, n_tuning_trials: 0 };
  const { choice } = chooseClassifier({ ...common, textChoice, rows: labelled, rowCount: train.length, config });
  const { comparison, linear } = textChoice;
  if (comparison === null) throw new Error('There are too few rows to compare on.');
  const { plan } = choice;
  const { labels } = comparison.folded;
  const cost = estimateTreeCost(plan, optionCount, train.length);
  const isLinear = choice.linear !== null;
  // As the training had them: confirmed on other folds than those of the search.
  const searchTrees = () =>
    finishTreeSearch(startTreeSearch({ ...common, plan, rows: comparison.rows, hinted: [], cost }), cost, 0, ignore);
  const found: Labelled = {
    parts: {
      heads: headNames.flatMap((name) => comparison.trial.heads[name]?.logits ?? []),
      trees: choice.trees && searchTrees().result.logits,
      isLinear,
    },
    labels,
    optionCount,
  };
  const build = (rows: readonly Row[]) =>
    buildFeatureRows(
      textChoice.plan,
      rows.map(({ input }) => input),
      texts,
    );
  const [built, builtTest] = [build(train), build(test)];
  const request = { ...common, rows: built, labels, precision: 'final' } as const;
  const final: Labelled = {
    parts: {
      heads: listHeads(textChoice.plan).map(({ name, columns }) =>
        fitHead(request, columns, linear.C[name] ?? 1).logits(selectColumns(builtTest, columns)),
      ),
      trees: choice.trees && boostedTrees.fit({ ...request, settings: choice.trees.settings }).logits(builtTest),
      isLinear,
    },
    labels: Int32Array.from(test, ({ decision }) => options.indexOf(decision)),
    optionCount,
  };
  return { found, final, shares: computeLogShares(labels, optionCount) };
}

const pick = (losses: readonly number[]) => strengths[losses.indexOf(Math.min(...losses))] ?? 1;

function describe(differences: readonly number[]): string {
  const mean = differences.reduce((sum, each) => sum + each, 0) / differences.length;
  const square = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  const error = Math.sqrt(square / (differences.length - 1) / differences.length);
  return `${mean < 0 ? '−' : '+'}${Math.abs(mean).toFixed(4)} ± ${error.toFixed(4)}`;
}

const ports = await openPorts();
for (const name of flags.only) {
  const all = readSet(folder, name);
  const texts = new Map<string, EncodedText>();
  for (const rowCount of flags.rows.map(Number)) {
    const differences = new Map<string, number[]>();
    let fullyKept = 0;
    for (let seed = 1; seed <= Number(flags.seeds); seed++) {
      const rows = shuffle(all, createRandom(100 * rowCount + seed));
      const others = rows.slice(rowCount, rowCount + maxTestRows);
      const { found, final, shares } = await learn(ports, texts, { train: rows.slice(0, rowCount), others, seed });
      const fitted = weigh(found);
      const even = weighEvenly(found.parts);
      const losses = crossValidate(found, createRandom(7_000 + seed));
      const kept = weigh(found, keepWhereLower);
      if (kept.weights.every((weight, part) => weight === fitted.weights[part])) fullyKept += 1;
      const isEven = (losses.even[0] ?? 0) <= (losses.fitted[0] ?? 0);
      const chosen = isEven ? even : fitted;
      const before = pool(final, fitted, shares);
      for (const [title, weights] of Object.entries({
        even,
        kept,
        unscaled: unscale(fitted),
        'scaled where lower': (losses.fitted[0] ?? 0) < (losses.unscaled[0] ?? 0) ? fitted : unscale(fitted),
        chosen,
        'chosen and drawn': draw(chosen, pick(isEven ? losses.even : losses.fitted)),
        drawn: draw(fitted, pick(losses.fitted)),
        'n / (n + 2)': draw(fitted, rowCount / (rowCount + 2)),
      })) {
        const list = differences.get(title) ?? [];
        differences.set(title, [...list, pool(final, weights, shares) - before]);
      }
    }
    const columns = [...differences].map(([title, list]) => `${title} ${describe(list)}`);
    const keeps = `weights are kept in ${fullyKept} of ${flags.seeds}`;
    console.log(`${name.padEnd(18)} ${String(rowCount).padStart(4)} rows: ${keeps}; ${columns.join('   ')}`);
  }
}
process.exit(0);
