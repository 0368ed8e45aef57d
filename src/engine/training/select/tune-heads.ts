/** Choosing how closely each head of the linear classifier is fitted, and how much it weighs, by cross-validation. */
import { fitPool, type Pool, poolLogits } from '../../classifiers/blend.ts';
import { computeLogLoss } from '../../classifiers/calibration.ts';
import { selectColumns } from '../../classifiers/classifier.ts';
import { computeLogShares, fitHead } from '../../classifiers/heads.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { countOutputs } from '../../numeric.ts';
import { estimateShare } from '../progress.ts';
import { computeCalibratedLoss, type FoldedRows, placeFoldLogits } from './fold-rows.ts';
import { type HeadName, headNames, type LinearSettings, listHeads } from './linear-heads.ts';

/** Values of C that are tried first, small ones first: each fit starts from the one before. */
const firstC: Record<HeadName, readonly number[]> = {
  tabular: [0.03, 0.3, 3],
  ngrams: [10, 60, 300],
  encoder: [4, 20, 100],
};
const minC = 1e-3;
const maxC = 3000;
/** A C is given up when its first fold's loss is more than this many times that of the head's best one. */
const maxFirstFoldRatio = 1.03;
/** Tuning steps are factors of the C; they shrink where neither direction helps. */
const firstStep = 2;
const minStep = 1.2;
/** Multiplications of tuning, about a nanosecond each: a budget that is the same on every machine. */
const tuningBudget = 8e9;

/** One head at one C: logits of every row by the fit that had not seen it, and each fold's parameters. */
type HeadTrial = {
  C: number;
  logits: Float64Array;
  /** The log-loss of the head alone, after the best temperature. */
  loss: number;
  firstFoldLoss: number;
  parameters: Float64Array[];
};
export type HeadTrials = Partial<Record<HeadName, HeadTrial>>;
/** Heads with their values of C and weights, and the log-loss of their sum on rows they had not seen. */
export type LinearTrial = { heads: HeadTrials; pool: Pool; logits: Float64Array; logLoss: number };

/** The data that heads are compared on. `tick` is called in every iteration of a fit and may throw to stop it. */
export type HeadComparison = { plan: FeaturePlan; folded: FoldedRows; seed: number; tick: () => void };

/** The settings that repeat a trial on folds; each head starts from the parameters of the first one. */
export function toLinearSettings({ heads, pool }: LinearTrial, folded: FoldedRows | null): LinearSettings {
  const first = folded?.folds[0];
  const settings: LinearSettings = { C: {}, pool, starts: {} };
  for (const name of headNames) {
    const head = heads[name];
    if (head === undefined) continue;
    settings.C[name] = head.C;
    const [parameters] = head.parameters;
    if (parameters && first) settings.starts[name] = { parameters, ngrams: first.plan.text?.ngrams ?? null };
  }
  return settings;
}

/** Null where the first fold shows that the C is worse than that of `best`, from which the fits start. */
function crossValidateHead(
  { folded, seed, tick }: HeadComparison,
  name: HeadName,
  C: number,
  best: HeadTrial | null,
): HeadTrial | null {
  const { optionCount, labels } = folded;
  const outOfFold = new Float64Array(labels.length * optionCount);
  const parameters: Float64Array[] = [];
  let firstFoldLoss = Number.POSITIVE_INFINITY;
  for (const [index, fold] of folded.folds.entries()) {
    const columns = listHeads(fold.plan).find((head) => head.name === name)?.columns;
    if (columns === undefined) throw new Error(`The plan has no columns for the head "${name}".`);
    const start = best?.parameters[index];
    const request = {
      rows: fold.train,
      labels: fold.trainLabels,
      weights: fold.trainWeights,
      optionCount,
      seed,
      precision: 'draft',
      tick,
    } as const;
    const centre = name === 'encoder' ? fold.tunedHead : undefined;
    const fitted = fitHead({ ...request, ...(start === undefined ? {} : { start }) }, columns, C, centre);
    parameters.push(fitted.parameters);
    const logits = fitted.logits(selectColumns(fold.held, columns));
    placeFoldLogits(outOfFold, logits, fold, optionCount);
    if (index > 0) continue;
    firstFoldLoss = computeCalibratedLoss(logits, fold.heldLabels, optionCount);
    if (best !== null && firstFoldLoss > best.firstFoldLoss * maxFirstFoldRatio) return null;
  }
  const loss = computeCalibratedLoss(outOfFold, labels, optionCount);
  return { C, logits: outOfFold, loss, firstFoldLoss, parameters };
}

/**
 * Results that a trial builds on: `known` heads stay as they are, `rivals` of the same folds read in another way are
 * what it starts from and must be better than, and `C` are values beside which no other is tried.
 */
type Before = { known?: HeadTrials; rivals?: HeadTrials; C?: LinearSettings['C'] };

/** Finds every head's best of the first values of C by its calibrated log-loss. */
export function tryHeads(
  comparison: HeadComparison,
  report: (share: number) => void,
  { known = {}, rivals = {}, C: given = {} }: Before,
): HeadTrials {
  const heads: HeadTrials = { ...known };
  const listC = (name: HeadName) => (given[name] === undefined ? firstC[name] : [given[name]]);
  const names = listHeads(comparison.plan)
    .map(({ name }) => name)
    .filter((name) => known[name] === undefined);
  const total = names.reduce((sum, name) => sum + listC(name).length, 0);
  let done = 0;
  for (const name of names) {
    for (const C of listC(name)) {
      let passes = 0;
      const tick = () => {
        passes += 1;
        comparison.tick();
        report((done + estimateShare(passes)) / total);
      };
      const best = heads[name] ?? rivals[name] ?? null;
      const trial = crossValidateHead({ ...comparison, tick }, name, C, best);
      if (trial !== null && trial.loss < (best?.loss ?? Number.POSITIVE_INFINITY)) heads[name] = trial;
      done += 1;
      report(done / total);
    }
  }
  return heads;
}

/** Weighs the named heads against each other and adds them up; a name without a trial counts for nothing. */
export function poolHeads(heads: HeadTrials, names: readonly HeadName[], folded: FoldedRows): LinearTrial {
  const { labels, optionCount } = folded;
  const pooled: HeadTrials = {};
  for (const name of names) {
    const head = heads[name];
    if (head !== undefined) pooled[name] = head;
  }
  const parts = headNames.flatMap((name) => pooled[name]?.logits ?? []);
  const shares = computeLogShares(labels, optionCount);
  const pool = fitPool(parts, shares, labels);
  const logits = poolLogits(parts, shares, pool);
  return { heads: pooled, pool, logits, logLoss: computeLogLoss(logits, labels, optionCount) };
}

/** Where tuning stands: the best heads so far, and the multiplications and trials that were used. */
type Tuning = { best: LinearTrial; spent: number; done: number };

/** Improves the values of C, one head at a time, up, else down, else in smaller steps, until a budget is spent. */
export function tuneHeads(
  comparison: HeadComparison,
  start: LinearTrial,
  trials: number,
  report: (done: number) => void,
): LinearTrial {
  const tuning: Tuning = { best: start, spent: 0, done: 0 };
  const searches = headNames
    .filter((name) => start.heads[name] !== undefined)
    .map((name) => ({ name, step: firstStep }));
  const isAffordable = () => tuning.done < trials && tuning.spent < tuningBudget;
  const improves = (name: HeadName, C: number) => isAffordable() && tryC(comparison, tuning, name, C, report);
  while (isAffordable() && searches.some(({ step }) => step >= minStep)) {
    for (const search of searches) {
      const { name, step } = search;
      if (step < minStep || !isAffordable()) continue;
      const C = tuning.best.heads[name]?.C ?? 1;
      if (improves(name, C * step) || improves(name, C / step)) continue;
      search.step = Math.sqrt(step);
    }
  }
  return tuning.best;
}

/** Tries one C of one head beside the others as they are; true when it became part of the best heads. */
function tryC(
  comparison: HeadComparison,
  tuning: Tuning,
  name: HeadName,
  C: number,
  report: (done: number) => void,
): boolean {
  const { folded } = comparison;
  const current = tuning.best.heads[name];
  if (current === undefined || C < minC || C > maxC) return false;
  const cost = estimatePassCost(comparison, name);
  let passes = 0;
  const tick = () => {
    tuning.spent += cost;
    passes += 1;
    comparison.tick();
    report(tuning.done + estimateShare(passes));
  };
  const trial = crossValidateHead({ ...comparison, tick }, name, C, current);
  tuning.done += 1;
  report(tuning.done);
  if (trial === null) return false;
  const next = poolHeads({ ...tuning.best.heads, [name]: trial }, headNames, folded);
  if (next.logLoss >= tuning.best.logLoss) return false;
  tuning.best = next;
  return true;
}

function estimatePassCost({ plan, folded }: HeadComparison, name: HeadName): number {
  const rows = folded.folds[0]?.train;
  if (rows === undefined) return 0;
  const outputs = countOutputs(folded.optionCount);
  const dense = name === 'tabular' ? plan.tabular_size : (plan.text?.encoder?.dimensions ?? 0);
  return 2 * outputs * (name === 'ngrams' ? rows.sparse.values.length : rows.count * dense);
}
