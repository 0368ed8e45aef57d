/** Chooses the checks of familiarity by leaving whole options out, and measures how much they notice. */
import type { CheckName, FamiliarityFile } from '../../features/familiarity.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { computeWilsonInterval } from '../../intervals.ts';
import type { MeasuredShare } from '../../measured.ts';
import { deriveSeed, randomStreams } from '../../random.ts';
import { assignFolds } from '../../units/sides.ts';
import { buildFeatureRows } from '../data/feature-rows.ts';
import {
  familiarityLoss,
  findUnfamiliarRows,
  findUpperQuantile,
  type LearnedRows,
  learnFamiliarity,
  learnUnfamiliarity,
  listUsualChecks,
} from './familiarity.ts';
import { insertProbe } from './probes.ts';

/** The checks that were chosen, what they learned, and what they notice of options that they did not learn from. */
type ChosenChecks = { checks: readonly CheckName[]; file: FamiliarityFile | null; near: MeasuredShare | null };

const maxGroups = 5;
const minOptions = 4;
/** Rows of a large set that are scored. */
const maxRows = 3_000;
/** The part of far texts that a choice must notice of those which the usual checks notice. */
const minFarShare = 0.95;

/** Scores of rows like the examples, and of rows whose option was left out, with that option. */
type Trial = { familiar: Map<CheckName, number[]>; unfamiliar: Map<CheckName, number[]>; unfamiliarLabels: number[] };

/**
 * Compares sets of checks on options that were left out of learning: the usual ones, and with an encoder the options'
 * means without the words, and the nearest example in their place, with and without the words. Others than the usual
 * ones are taken only where the lower end of what they notice lies above what the usual ones notice, and where they
 * notice at least 95% as many far texts; `findFar` says which far texts a file notices. Below four options
 * the usual checks are taken without a comparison, and so they are where the text model was tuned: it has learned from
 * the options left out as well. `tick` is called while it works, and may throw to stop it.
 */
export function chooseChecks(
  learned: LearnedRows,
  findFar: (file: FamiliarityFile | null) => readonly boolean[],
  tick: () => void,
): ChosenChecks {
  const usual = listUsualChecks(learned.plan);
  const file = learnFamiliarity(learned, usual, tick);
  const isTuned = (learned.tunedFolds?.length ?? 0) > 0;
  if (file === null || isTuned || new Set(learned.rows.map(({ label }) => label)).size < minOptions) {
    return { checks: usual, file, near: null };
  }
  const others = listOtherChecks(learned.plan);
  const trial = leaveOptionsOut(learned, [...new Set([...usual, ...others.flat()])], tick);
  const near = countNoticed(trial, usual);
  if (near === null) return { checks: usual, file, near };
  const countFar = (other: FamiliarityFile | null) => findFar(other).filter(Boolean).length;
  const farNoticed = others.length === 0 ? 0 : countFar(file);
  const better = others
    .flatMap((checks) => {
      const noticed = countNoticed(trial, checks);
      return noticed !== null && noticed.low > (near.share ?? 0) ? { checks, near: noticed } : [];
    })
    .sort((a, b) => b.near.count - a.near.count);
  for (const choice of better) {
    const other = learnFamiliarity(learned, choice.checks, tick);
    const means = other?.nearest ?? other?.embedding ?? null;
    if (means !== null && countFar(other) >= minFarShare * farNoticed) return { ...choice, file: other };
  }
  return { checks: usual, file, near };
}

/** For every probe whether its text would be noticed in the input of a row; none for a plan that reads no text. */
export function noticeProbes(
  { plan, rows, texts }: Pick<LearnedRows, 'plan' | 'rows' | 'texts'>,
  probes: readonly string[],
  file: FamiliarityFile | null,
): boolean[] {
  const { text } = plan;
  if (file === null || text === null || rows.length === 0) return [];
  const probed = probes.flatMap((probe, i) => {
    const row = rows[i % rows.length];
    return row === undefined ? [] : { ...row, input: insertProbe(row.input, text.fields, probe) };
  });
  const inputs = probed.map((row) => row.input);
  const built = buildFeatureRows(plan, inputs, texts);
  return findUnfamiliarRows({ ...file, fields: null }, { plan, rows: probed, built, texts });
}

function listOtherChecks(plan: FeaturePlan): CheckName[][] {
  if ((plan.text?.encoder ?? null) === null) return [];
  const fields: CheckName[] = plan.tabular_size > 0 ? ['fields'] : [];
  const nearest: CheckName[] = ['nearest', ...fields];
  if ((plan.text?.ngrams ?? null) === null) return [nearest];
  // Each check has its share of the loss, so one that notices little takes from the others. Of equal ones the first wins.
  return [['embedding', ...fields], nearest, ['words', ...nearest]];
}

/** Leaves a group of options and a fold out of learning, in up to five rounds. */
function leaveOptionsOut(learned: LearnedRows, checks: readonly CheckName[], tick: () => void): Trial {
  const { rows } = learned;
  const labels = [...new Set(rows.map(({ label }) => label))].sort((a, b) => a - b);
  const groups = Math.min(maxGroups, labels.length);
  const groupOf = new Map(labels.map((label, index) => [label, index % groups]));
  const step = Math.ceil(rows.length / maxRows);
  const foldOf = assignFolds(rows, groups * step, deriveSeed(randomStreams.familiarityFolds));
  const all = [...rows.keys()];
  const trial: Trial = { familiar: new Map(), unfamiliar: new Map(), unfamiliarLabels: [] };
  for (let group = 0; group < groups; group++) {
    const isLeftOut = (i: number) => groupOf.get(rows[i]?.label ?? -1) === group;
    const learnedFrom = all.filter((i) => foldOf[i] !== group && !isLeftOut(i));
    const familiar = all.filter((i) => foldOf[i] === group && !isLeftOut(i));
    const unfamiliar = all.filter((i) => isLeftOut(i) && i % step === 0);
    for (const i of unfamiliar) trial.unfamiliarLabels.push(rows[i]?.label ?? -1);
    for (const check of checks) {
      const measure = learnUnfamiliarity(learned, learnedFrom, check);
      if (measure === null) continue;
      const scores = (positions: readonly number[]) => positions.map(measure);
      trial.familiar.set(check, [...(trial.familiar.get(check) ?? []), ...scores(familiar)]);
      trial.unfamiliar.set(check, [...(trial.unfamiliar.get(check) ?? []), ...scores(unfamiliar)]);
      tick();
    }
  }
  return trial;
}

/**
 * Counts the unfamiliar rows that the checks notice together, at limits that lose 5% of the others; null where a check
 * learned nothing in some round. Rows of one option are noticed together or not at all, so the interval is Wilson's for
 * the smaller number of rows that would be as uncertain (Kish 1965: the design effect of clusters).
 */
function countNoticed(trial: Trial, checks: readonly CheckName[]): MeasuredShare | null {
  const of = trial.unfamiliarLabels.length;
  const noticed = new Array<boolean>(of).fill(false);
  for (const check of checks) {
    const unfamiliar = trial.unfamiliar.get(check) ?? [];
    if (unfamiliar.length !== of) return null;
    const limit = findUpperQuantile(trial.familiar.get(check) ?? [], familiarityLoss / checks.length);
    unfamiliar.forEach((score, i) => {
      if (score > limit) noticed[i] = true;
    });
  }
  const count = noticed.filter(Boolean).length;
  const share = count / of;
  const byOption = [...Map.groupBy(noticed.keys(), (i) => trial.unfamiliarLabels[i]).values()].map(
    (positions) => positions.filter((i) => noticed[i]).length / positions.length,
  );
  const mean = byOption.reduce((sum, one) => sum + one, 0) / byOption.length;
  const squares = byOption.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const variance = squares / (byOption.length * (byOption.length - 1));
  const independent = Math.min(of, Math.max(byOption.length, variance === 0 ? of : (share * (1 - share)) / variance));
  return { count, of, share, ...computeWilsonInterval(share * independent, independent) };
}
