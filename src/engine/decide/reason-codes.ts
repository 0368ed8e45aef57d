/** Reason codes of the classifier's decisions: chosen by heads where those were learned, else by the decided option. */
import type { Reasons } from '../bundle/manifest.ts';
import type { DecisionTrace } from '../domain/decision.ts';

const maxCodes = 3;
/** A head's code goes with the decision from this probability on. */
const headThreshold = 0.5;

type HeadProbabilities = DecisionTrace['reasons'];

/** Turns the heads' softmax, whose last entry stands for none, into each code's own probability. */
export function toHeadProbabilities(reasons: Reasons, softmax: ArrayLike<number> | null): HeadProbabilities {
  if (softmax === null) return [];
  const none = softmax[reasons.heads.length] ?? 0;
  return reasons.heads.map(({ code }, index) => {
    const own = softmax[index] ?? 0;
    return { code, probability: own + none === 0 ? 0 : own / (own + none) };
  });
}

/** At most three codes: the option's heads (0.5 or more), then frequent ones without a head; else the commonest. */
export function chooseReasonCodes(reasons: Reasons, option: string, heads: HeadProbabilities): string[] {
  const usual = Object.hasOwn(reasons.by_option, option) ? (reasons.by_option[option] ?? []) : [];
  const learned = reasons.heads
    .map((head, index) => ({ ...head, probability: heads[index]?.probability ?? 0 }))
    .filter(({ options, probability }) => probability >= headThreshold && options.includes(option))
    .sort((a, b) => b.probability - a.probability)
    .map(({ code }) => code);
  const withHead = new Set(reasons.heads.map(({ code }) => code));
  const codes = [...learned, ...usual.filter((code) => !withHead.has(code))].slice(0, maxCodes);
  return codes.length > 0 ? codes : usual.slice(0, 1);
}

/** Whether another implementation, whose last digits differ, might choose other codes. */
export function isCloseChoice(heads: HeadProbabilities, margin: number): boolean {
  const sorted = heads.map(({ probability }) => probability).sort((a, b) => b - a);
  return sorted.some(
    (probability, i) =>
      Math.abs(probability - headThreshold) < margin ||
      (probability > headThreshold && i > 0 && (sorted[i - 1] ?? 1) - probability < margin),
  );
}
