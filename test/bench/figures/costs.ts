/**
 * `node test/bench/figures/costs.ts FOLDER [--only NAME]… [--seeds N] [--refit]`
 *
 * What the thresholds of least cost cost on rows that nothing was learned from, beside a grid of 101 thresholds: the best
 * by the same held-out rows, and the best by the untouched rows themselves, which nobody can know (oracle). Two thirds
 * of each set are learned from, for each seed another two thirds. Data sets as for the accuracy bench; costs are
 * multiples of a look. It fails where the chosen thresholds cost over 3% more than the best of the grid by the held-out
 * rows.
 */
import { parseArgs } from 'node:util';
import { type Costs, costsSchema } from '../../../src/engine/costs.ts';
import {
  type ConfidenceThresholds,
  defaultThresholds,
  escalationPolicySchema,
} from '../../../src/engine/domain/definition.ts';
import { measureCosts } from '../../../src/engine/measure/costs.ts';
import type { ReappliedRow } from '../../../src/engine/measure/reapply.ts';
import { createRandom } from '../../../src/engine/random.ts';
import type { ThresholdSettings } from '../../../src/engine/thresholds.ts';
import { readThresholdsOf } from '../../../src/engine/thresholds.ts';
import { openPorts, readSet, shuffle, type Trained, trainAndDecide } from './promise-populations.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: ['german_credit', 'car_evaluation'] },
    seeds: { type: 'string', default: '5' },
    refit: { type: 'boolean', default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.log('Give a folder with data sets: FOLDER/NAME/{train,test}.jsonl');
  process.exit(2);
}
const seeds = Number(flags.seeds);
const allowedExcess = 0.03;

/** Costs of an error in looks; of credit the one that comes with the data: a bad risk taken for a good one, 5 to 1. */
const scenarios: { name: string; costs: Costs }[] = [
  ...[2, 5, 20].map((wrong) => ({ name: `wrong ${wrong}`, costs: costsSchema.parse({ look: 1, wrong }) })),
  {
    name: 'one pair 5 times as dear',
    costs: costsSchema.parse({
      look: 1,
      wrong: 2,
      pairs: [
        { right: 'bad risk', decided: 'good risk', cost: 10 },
        { right: 'unacc', decided: 'acc', cost: 10 },
      ],
    }),
  },
];

function settingsAt(auto_decide: number): ThresholdSettings {
  return {
    confidence_thresholds: { auto_decide, escalation: 0 },
    escalation_policy: escalationPolicySchema.parse({}),
    fallback_option: null,
  };
}

const weigh = (rows: ReappliedRow[], costs: Costs, threshold: number) =>
  measureCosts({ rows, refused: 0 }, 0, {
    costs,
    options: [...new Set(rows.flatMap(({ expected, prediction }) => [expected, prediction.option]))].sort(),
    settings: settingsAt(threshold),
    ownEscalation: null,
    refusal: null,
    isRefitted: false,
  });

/** The cost per 1,000 of rows decided alone from thresholds on. */
function costAt(rows: readonly ReappliedRow[], costs: Costs, thresholds: ConfidenceThresholds): number {
  const { look = 0, wrong = 0, pairs } = costs;
  const sum = rows.reduce((total, { expected, prediction: { option, confidence } }) => {
    if (confidence < readThresholdsOf(option, thresholds).auto_decide) return total + (look ?? 0);
    if (option === expected) return total;
    return total + (pairs.find((pair) => pair.right === expected && pair.decided === option)?.cost ?? wrong ?? 0);
  }, 0);
  return (1_000 * sum) / rows.length;
}

const grid = Array.from({ length: 101 }, (_, step) => ({ auto_decide: step / 100, escalation: 0 }));
/** The threshold of the grid that costs least on rows. */
const bestOfGrid = (rows: readonly ReappliedRow[], costs: Costs) =>
  grid.reduce(
    (best, each) => (costAt(rows, costs, each) < costAt(rows, costs, best) ? each : best),
    settingsAt(1).confidence_thresholds,
  );

const columns = ['chosen', 'said', 'held', 'grid', 'oracle', '0.85', 'by hand'] as const;
type Line = Record<(typeof columns)[number], number>;

/** One training's figures, all but `said` and `held` on untouched rows; `held`: whether the interval holds the truth. */
function tryCosts({ heldOut, decided }: Trained, costs: Costs): Line {
  const { suggested } = weigh(heldOut, costs, 1);
  if (suggested === null) throw new Error('Too few rows were held out.');
  const chosen = costAt(decided, costs, suggested.thresholds);
  return {
    chosen,
    said: suggested.per_1000,
    held: suggested.low <= chosen && chosen <= suggested.high ? 1 : 0,
    grid: costAt(decided, costs, bestOfGrid(heldOut, costs)),
    oracle: costAt(decided, costs, bestOfGrid(decided, costs)),
    '0.85': costAt(decided, costs, defaultThresholds),
    'by hand': 1_000 * (costs.look ?? 0),
  };
}

const ports = await openPorts();
let worst = 0;
for (const name of flags.only) {
  const rows = readSet(folder, name);
  const trained: Trained[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const shuffled = shuffle(rows, createRandom(seed));
    const cut = Math.round((2 / 3) * shuffled.length);
    trained.push(await trainAndDecide(ports, shuffled.slice(0, cut), shuffled.slice(cut), flags.refit));
  }
  const [first] = trained;
  console.log(
    `\n${name}: ${seeds} trainings, ${first?.heldOut.length} rows held out, ${first?.decided.length} untouched`,
  );
  console.log(`${''.padEnd(26)}${columns.map((column) => column.padStart(9)).join('')}  over grid  over oracle`);
  for (const { name: scenario, costs } of scenarios) {
    const lines = trained.map((each) => tryCosts(each, costs));
    const mean = (column: keyof Line) => lines.reduce((sum, line) => sum + line[column], 0) / lines.length;
    const over = (column: keyof Line) => mean('chosen') / mean(column) - 1;
    worst = Math.max(worst, over('grid'));
    const excess = (['grid', 'oracle'] as const).map((column) => `${(100 * over(column)).toFixed(1)}%`.padStart(10));
    const cells = columns.map((column) =>
      mean(column)
        .toFixed(column === 'held' ? 2 : 0)
        .padStart(9),
    );
    console.log(`${scenario.padEnd(26)}${cells.join('')}${excess.join('  ')}`);
  }
}
console.log(
  `\nChosen thresholds cost at most ${(100 * worst).toFixed(1)}% more than the best of the grid by the held-out rows (allowed: 3%).`,
);
process.exit(worst > allowedExcess ? 1 : 0);
