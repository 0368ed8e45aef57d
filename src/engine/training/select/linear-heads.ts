/** The linear classifier: one head for each block of columns that a plan has, added up with weights. */
import type { Pool } from '../../classifiers/blend.ts';
import type { FitRequest, Fitted } from '../../classifiers/classifier.ts';
import { combineHeads, fitHead, type HeadColumns } from '../../classifiers/heads.ts';
import { type FeaturePlan, isOfWords, type NgramSpec } from '../../features/plan.ts';
import { moveWeights } from '../../text/word-ngrams.ts';

export type HeadName = 'tabular' | 'ngrams' | 'encoder';
export const headNames: readonly HeadName[] = ['tabular', 'ngrams', 'encoder'];

/** Parameters that a fit may start from, and the vocabulary that those of n-grams are of. */
type HeadStart = { parameters: Float64Array; ngrams: NgramSpec | null };
export type HeadStarts = Partial<Record<HeadName, HeadStart>>;

/** Settings that a fit can be repeated with; `pool` has the heads' weights in the order of {@link headNames}. */
export type LinearSettings = { C: Partial<Record<HeadName, number>>; pool: Pool; starts: HeadStarts };

/** A fitted linear classifier with the parameters of its heads, from which another fit may start. */
type FittedLinear = { calibrated: Fitted; uncalibrated: Fitted; starts: HeadStarts };

/** Settings for sets that are too small to be compared on. */
const defaultC: Record<HeadName, number> = { tabular: 0.3, ngrams: 60, encoder: 20 };
/** Weight of each of several heads; a head that is alone weighs 1. */
const defaultWeight = 0.6;

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

/** Settings for a plan whose rows are too few to be compared on. */
export function createDefaultSettings(plan: FeaturePlan): LinearSettings {
  const names = listHeads(plan).map(({ name }) => name);
  const weight = names.length === 1 ? 1 : defaultWeight;
  return {
    C: defaultC,
    // Without any head the shares of the options are all there is.
    pool: { weights: names.map(() => weight), prior: 1 - weight * names.length },
    starts: {},
  };
}

/** Fits the heads of a plan with known settings, from starts of their shape; without calibration all weigh alike. */
export function fitLinear(
  request: Omit<FitRequest<never>, 'settings' | 'start'>,
  plan: FeaturePlan,
  { C, pool, starts }: LinearSettings,
  tunedHead: Float64Array | null,
): FittedLinear {
  const heads = listHeads(plan).map(({ name, columns }) => {
    const start = placeStart(starts[name], columns, plan);
    const centre = name === 'encoder' ? (tunedHead ?? undefined) : undefined;
    const fitted = fitHead({ ...request, ...(start && { start }) }, columns, C[name] ?? 1, centre);
    return { name, columns, fitted };
  });
  const evenPool = { weights: heads.map(() => 1 / heads.length), prior: heads.length === 0 ? 1 : 0 };
  return {
    calibrated: combineHeads(request, heads, pool),
    uncalibrated: combineHeads(request, heads, evenPool),
    starts: Object.fromEntries(
      heads.map(({ name, fitted: { parameters } }) => [name, { parameters, ngrams: plan.text?.ngrams ?? null }]),
    ),
  };
}

/** A start in the order of a plan's columns: n-grams that both vocabularies have find theirs. */
function placeStart(
  start: HeadStart | undefined,
  columns: HeadColumns,
  { text }: FeaturePlan,
): Float64Array | undefined {
  if (columns !== 'sparse' || start === undefined) return start?.parameters;
  const [from, to] = [start.ngrams, text?.ngrams];
  return from && to && isOfWords(from) && isOfWords(to) ? moveWeights(start.parameters, from, to) : undefined;
}
