/** Choosing the linear classifier: which blocks of columns it has a head for, how closely each is fitted, and their weights. */

import { fitPool, type Pool, poolLogits } from '../../classifiers/blend.ts';
import { computeLogLoss } from '../../classifiers/calibration.ts';
import { type FitRequest, type Fitted, selectColumns } from '../../classifiers/classifier.ts';
import { combineHeads, computeLogShares, fitHead, type HeadColumns } from '../../classifiers/heads.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { countOutputs } from '../../numeric.ts';
import { shareAfter } from '../progress.ts';
import { calibratedLoss, type FoldedRows, putBack } from './cross-validate.ts';

export type HeadName = 'tabular' | 'ngrams' | 'encoder';
const headNames: readonly HeadName[] = ['tabular', 'ngrams', 'encoder'];

/** Inverse penalties that are tried first, weak ones first: each fit starts from the one before. */
const firstC: Record<HeadName, readonly number[]> = {
  tabular: [0.03, 0.3, 3],
  ngrams: [10, 60, 300],
  encoder: [4, 20, 100],
};
const limits = { least: 1e-3, most: 3000 };
/** A C is given up when its first fold's loss is this much above that of the head's best one. */
const hopeless = 1.03;
/** Tuning steps are factors of the C; they shrink where neither direction helps. */
const firstStep = 2;
const minStep = 1.2;
/**
 * Multiplications that tuning may take after the first values of C, about a nanosecond each: a budget that is the same on
 * every machine, so that the same request always gives the same model.
 */
const tuningBudget = 2e10;

/** The heads that a plan has columns for, and where these stand. */
export function listHeads(plan: FeaturePlan): { name: HeadName; columns: HeadColumns }[] {
  const tabular = { from: 0, to: plan.tabular_size };
  const columns: Record<HeadName, HeadColumns | null> = {
    tabular: plan.tabular_size > 0 ? tabular : null,
    ngrams: plan.text?.ngrams ? 'sparse' : null,
    encoder: plan.text?.encoder ? { from: tabular.to, to: tabular.to + plan.text.encoder.dimensions } : null,
  };
  return headNames.flatMap((name) => (columns[name] === null ? [] : { name, columns: columns[name] }));
}

/** One head at one C: logits of every row by the fit that had not seen it, and each fold's parameters. */
type HeadTrial = { C: number; logits: Float64Array; firstFoldLoss: number; parameters: Float64Array[] };
/** Heads with their values of C and weights, and the calibrated log-loss of their sum on rows they had not seen. */
export type LinearTrial = {
  heads: Partial<Record<HeadName, HeadTrial>>;
  pool: Pool;
  logits: Float64Array;
  logLoss: number;
};

/** Settings that a fit can be repeated with. `starts` are parameters from which it may start. */
export type LinearSettings = {
  C: Partial<Record<HeadName, number>>;
  pool: Pool;
  starts: Partial<Record<HeadName, Float64Array>>;
};

/** Settings for sets that are too small to be compared on. */
export function settingsWithoutTrial(plan: FeaturePlan): LinearSettings {
  const names = listHeads(plan).map(({ name }) => name);
  const weight = names.length === 1 ? 1 : 0.6;
  return {
    C: { tabular: 0.3, ngrams: 60, encoder: 20 },
    // without any head the shares are all there is
    pool: { weights: names.map(() => weight), prior: 1 - weight * names.length },
    starts: {},
  };
}

export function toSettings({ heads, pool }: LinearTrial): LinearSettings {
  const settings: LinearSettings = { C: {}, pool, starts: {} };
  for (const name of headNames) {
    const head = heads[name];
    if (head === undefined) continue;
    settings.C[name] = head.C;
    const start = head.parameters[0];
    if (start !== undefined) settings.starts[name] = start;
  }
  return settings;
}

type Fitting = {
  plan: FeaturePlan;
  folded: FoldedRows;
  seed: number;
  tick: () => void;
};

function crossValidateHead(
  { plan, folded, seed, tick }: Fitting,
  name: HeadName,
  C: number,
  best: HeadTrial | null,
): HeadTrial | null {
  const columns = listHeads(plan).find((head) => head.name === name)?.columns;
  if (columns === undefined) throw new Error(`the plan has no columns for ${name}`);
  const { optionCount, labels } = folded;
  const all = new Float64Array(labels.length * optionCount);
  const parameters: Float64Array[] = [];
  let firstFoldLoss = Number.POSITIVE_INFINITY;
  for (const [index, fold] of folded.folds.entries()) {
    const start = best?.parameters[index];
    const given = { rows: fold.train, labels: fold.trainLabels, optionCount, seed, precision: 'draft' as const, tick };
    const fitted = fitHead({ ...given, ...(start === undefined ? {} : { start }) }, columns, C);
    parameters.push(fitted.parameters);
    const logits = fitted.logits(selectColumns(fold.held, columns));
    putBack(all, logits, fold, optionCount);
    if (index > 0) continue;
    firstFoldLoss = calibratedLoss(logits, fold.heldLabels, optionCount);
    if (best !== null && firstFoldLoss > best.firstFoldLoss * hopeless) return null;
  }
  return { C, logits: all, firstFoldLoss, parameters };
}

/** Weighs the given heads against each other. */
function pooled(heads: LinearTrial['heads'], { labels, optionCount }: FoldedRows): LinearTrial {
  const parts = headNames.flatMap((name) => heads[name]?.logits ?? []);
  const shares = computeLogShares(labels, optionCount);
  const pool = fitPool(parts, shares, labels);
  const logits = poolLogits(parts, shares, pool);
  return { heads, pool, logits, logLoss: computeLogLoss(logits, labels, optionCount) };
}

/** Finds for every head of the plan the best of the first values of C, each by its own calibrated log-loss. */
export function tryHeads(fitting: Fitting, report: (share: number) => void): LinearTrial['heads'] {
  const { labels, optionCount } = fitting.folded;
  const heads: LinearTrial['heads'] = {};
  const names = listHeads(fitting.plan).map(({ name }) => name);
  const total = names.reduce((sum, name) => sum + firstC[name].length, 0);
  let done = 0;
  for (const name of names) {
    let least = Number.POSITIVE_INFINITY;
    for (const C of firstC[name]) {
      let passes = 0;
      const tick = () => {
        passes += 1;
        fitting.tick();
        report((done + shareAfter(passes)) / total);
      };
      const trial = crossValidateHead({ ...fitting, tick }, name, C, heads[name] ?? null);
      const loss = trial === null ? least : calibratedLoss(trial.logits, labels, optionCount);
      if (trial !== null && loss < least) {
        heads[name] = trial;
        least = loss;
      }
      done += 1;
      report(done / total);
    }
  }
  return heads;
}

/** The sum of those heads that are named. */
export function poolHeads(heads: LinearTrial['heads'], names: readonly HeadName[], folded: FoldedRows): LinearTrial {
  const used = Object.fromEntries(names.map((name) => [name, heads[name]]).filter(([, head]) => head !== undefined));
  return pooled(used as LinearTrial['heads'], folded);
}

/**
 * Improves the values of C, one head at a time, by the log-loss of the sum: up, else down, else with a smaller step, until
 * steps are small, the trials are used up or the budget is spent.
 */
export function tuneHeads(
  fitting: Fitting,
  start: LinearTrial,
  trials: number,
  report: (done: number) => void,
): LinearTrial {
  const names = headNames.filter((name) => start.heads[name] !== undefined);
  const steps = Object.fromEntries(names.map((name) => [name, firstStep])) as Record<HeadName, number>;
  let best = start;
  let spent = 0;
  let done = 0;
  const evaluate = (name: HeadName, C: number): boolean => {
    const now = best.heads[name];
    if (now === undefined || C < limits.least || C > limits.most) return false;
    const cost = passCost(fitting, name);
    let passes = 0;
    const tick = () => {
      spent += cost;
      passes += 1;
      fitting.tick();
      report(done + shareAfter(passes));
    };
    const trial = crossValidateHead({ ...fitting, tick }, name, C, now);
    done += 1;
    report(done);
    if (trial === null) return false;
    const next = pooled({ ...best.heads, [name]: trial }, fitting.folded);
    if (next.logLoss >= best.logLoss) return false;
    best = next;
    return true;
  };
  const affordable = () => done < trials && spent < tuningBudget;
  while (affordable() && names.some((name) => steps[name] >= minStep)) {
    for (const name of names) {
      const step = steps[name];
      if (step < minStep || !affordable()) continue;
      const C = best.heads[name]?.C ?? 1;
      if (evaluate(name, C * step) || (affordable() && evaluate(name, C / step))) continue;
      steps[name] = Math.sqrt(step);
    }
  }
  return best;
}

/** Multiplications of one pass forward and back over a fold's training rows. */
function passCost({ plan, folded }: Fitting, name: HeadName): number {
  const rows = folded.folds[0]?.train;
  if (rows === undefined) return 0;
  const outputs = countOutputs(folded.optionCount);
  const dense = name === 'tabular' ? plan.tabular_size : (plan.text?.encoder?.dimensions ?? 0);
  return 2 * outputs * (name === 'ngrams' ? rows.sparse.values.length : rows.count * dense);
}

/** A fitted linear classifier with the parameters of its heads, from which another fit may start. */
export type FittedLinear = { calibrated: Fitted; uncalibrated: Fitted; starts: LinearSettings['starts'] };

/** Fits the heads of a plan with settings that were found before. Uncalibrated, all heads weigh the same. */
export function fitLinear(
  given: Omit<FitRequest<never>, 'settings' | 'start'>,
  plan: FeaturePlan,
  { C, pool, starts }: LinearSettings,
): FittedLinear {
  const outputs = countOutputs(given.optionCount);
  const heads = listHeads(plan).map(({ name, columns }) => {
    const width = columns === 'sparse' ? given.rows.sparse.width : columns.to - columns.from;
    const start = starts[name];
    const usable = start !== undefined && start.length === (width + 1) * outputs;
    const fitted = fitHead({ ...given, ...(usable ? { start } : {}) }, columns, C[name] ?? 1);
    return { name, columns, fitted };
  });
  const even = { weights: heads.map(() => 1 / heads.length), prior: heads.length === 0 ? 1 : 0 };
  return {
    calibrated: combineHeads(given, heads, pool),
    uncalibrated: combineHeads(given, heads, even),
    starts: Object.fromEntries(heads.map(({ name, fitted }) => [name, fitted.parameters])),
  };
}
