/** The ways in which a policy may read text, and what a plan needs for each. */
import { compileFeatures } from '../../features/compile.ts';
import { refitPlan } from '../../features/infer.ts';
import { type EncoderSpec, type FeaturePlan, isOfWords, type WordNgramSpec } from '../../features/plan.ts';
import { limits } from '../../limits.ts';
import type { EncoderShape } from '../../ports.ts';
import { fitWordNgrams } from '../../text/word-ngrams.ts';
import type { EncodedTexts, LabelledRow } from '../data/labelled-rows.ts';
import type { HeadName } from './linear-heads.ts';

export type TextUse = 'none' | 'ngrams' | 'encoder' | 'both';

/** The cheapest use first. */
const textUses: readonly TextUse[] = ['none', 'ngrams', 'encoder', 'both'];

export const headsByTextUse: Record<TextUse, readonly HeadName[]> = {
  none: ['tabular'],
  ngrams: ['tabular', 'ngrams'],
  encoder: ['tabular', 'encoder'],
  both: ['tabular', 'ngrams', 'encoder'],
};

/** In a plan whose use of text is open: no words may be learned, because a policy keeps them. */
export const noNgrams: WordNgramSpec = { words: [], pairs: [], letters: [], texts: 0, df: [], unknown: true, scale: 1 };

const mayLearnWords = ({ text }: FeaturePlan) => text?.ngrams !== noNgrams;

/** The uses of text that are possible under a plan with an encoder or without one, the cheapest first. */
export function listTextUses(plan: FeaturePlan, hasEncoder: boolean): TextUse[] {
  return textUses.filter((use) => {
    if (use === 'none') return plan.tabular_size > 0;
    if (plan.text === null || (use !== 'ngrams' && !hasEncoder)) return false;
    return use === 'encoder' || mayLearnWords(plan);
  });
}

/** The use of everything that a text has under a plan. */
export function findFullUse(plan: FeaturePlan, hasEncoder: boolean): TextUse {
  if (plan.text === null) return 'none';
  if (hasEncoder) return 'both';
  return mayLearnWords(plan) ? 'ngrams' : 'none';
}

/**
 * The plan with what a use of text needs, learned from the rows; without an encoder nothing is kept for one. No n-grams
 * are learned under a plan that has {@link noNgrams}. `unknown` says whether n-grams that are not learned count.
 */
export function learnText(
  plan: FeaturePlan,
  textUse: TextUse,
  rows: readonly LabelledRow[],
  texts: EncodedTexts,
  encoder: EncoderShape | null,
  unknown = true,
): FeaturePlan {
  if (plan.text === null || textUse === 'none') return { ...plan, text: null };
  const learnNgrams = () => (mayLearnWords(plan) ? learnWords(plan, rows, texts, unknown) : noNgrams);
  return {
    ...plan,
    text: {
      ...plan.text,
      ngrams: textUse === 'encoder' ? null : learnNgrams(),
      encoder: textUse === 'ngrams' || encoder === null ? null : describeEncoder(encoder),
    },
  };
}

function learnWords(plan: FeaturePlan, rows: readonly LabelledRow[], texts: EncodedTexts, unknown: boolean) {
  const features = compileFeatures(plan);
  const words = rows.map((row) => texts.get(features.joinText(row.input).text)?.words ?? []);
  return fitWordNgrams(words, unknown);
}

/** The plan with all that it learned from rows learned again from others; what it reads, and how, stays. */
export function relearnPlan(plan: FeaturePlan, rows: readonly LabelledRow[], texts: EncodedTexts): FeaturePlan {
  const refitted = refitPlan(
    plan,
    rows.map((row) => row.input),
  );
  const ngrams = plan.text?.ngrams ?? null;
  if (refitted.text === null || ngrams === null || !isOfWords(ngrams) || !mayLearnWords(plan)) return refitted;
  return { ...refitted, text: { ...refitted.text, ngrams: learnWords(plan, rows, texts, ngrams.unknown) } };
}

/** Describes an encoder as a plan does. */
export const describeEncoder = ({ dimensions, frame }: EncoderShape): EncoderSpec => ({
  dimensions,
  max_tokens: limits.maxEncoderTokens,
  scale: 1,
  ...(frame !== undefined && { frame: [...frame] }),
});

/** The plan with only that part of its text which a use needs; nothing is learned again. */
export function restrictText(plan: FeaturePlan, textUse: TextUse): FeaturePlan {
  if (plan.text === null || textUse === 'none') return { ...plan, text: null };
  const { ngrams, encoder } = plan.text;
  return {
    ...plan,
    text: {
      ...plan.text,
      ngrams: textUse === 'encoder' ? null : ngrams,
      encoder: textUse === 'ngrams' ? null : encoder,
    },
  };
}

/** The plan with nothing but the n-grams of its text. */
export const takeNgramsAlone = ({ text, ...plan }: FeaturePlan): FeaturePlan => ({
  ...plan,
  fields: [],
  tabular_size: 0,
  text: text && { ...text, encoder: null },
});
