/** Golden decisions: recorded with a bundle, and decided again wherever it is to be used. */
import type { Bundle } from '../bundle/bundle.ts';
import { type Golden, type GoldenOutput, toGoldenOutput } from '../bundle/manifest.ts';
import type { Decision, DecisionTrace } from '../domain/decision.ts';
import type { ConfidenceThresholds, EscalationPolicy } from '../domain/definition.ts';
import type { ErrorDetail } from '../errors.ts';
import { type JsonObject, toCanonicalJson } from '../json.ts';
import { redactToPlaceholder } from '../pii.ts';
import type { RuleFailure } from '../rules/rules-file.ts';
import { readClassifierChoice } from './compose-decision.ts';
import { isCloseChoice } from './reason-codes.ts';
import type { Estimates, Stretch } from './weigh-text.ts';

const maxLines = 60;
/** Clear decisions of which these are chosen. */
const maxChosenFrom = 90;
/** Of all inputs together, as JSON: readers refuse a larger golden.jsonl. */
const maxCharacters = 8_000_000;
/** How far a golden decision stays from where it would turn. */
const probabilityMargin = 1e-3;
const familiarityMargin = 0.01;
const reasonMargin = 2e-3;
/** Largest difference between a golden probability and one computed elsewhere. */
export const goldenTolerance = 1e-5;

/** Whether a decision would be the same if its probabilities were a little different. */
function isClear(confidence: number, probabilities: Record<string, number>, thresholds: ConfidenceThresholds): boolean {
  const [first, second] = Object.values(probabilities).sort((a, b) => b - a);
  return (
    Math.abs(confidence - thresholds.auto_decide) >= probabilityMargin &&
    Math.abs(confidence - thresholds.escalation) >= probabilityMargin &&
    (first ?? 1) - (second ?? 0) >= probabilityMargin
  );
}

/** Whether a check might turn out differently where the encoder's arithmetic differs a little. */
function isCloseCheck({ check, score, limit }: DecisionTrace['familiarity'][number]): boolean {
  return check !== 'fields' && Math.abs(score - limit) < familiarityMargin;
}

/** Called before each golden decision: many rules make it milliseconds, and others may wait. */
type Pause = () => Promise<void>;
const neverPause: Pause = () => Promise.resolve();

/** Keeps 60 of the first 90 clear decisions, one of each outcome first; values of `piiFields` are redacted. */
export async function recordGoldenLines(
  decider: Decider,
  inputs: readonly JsonObject[],
  piiFields: readonly string[],
  pause = neverPause,
): Promise<Golden[]> {
  const found: { line: Golden; rank: number }[] = [];
  const ranks = new Map<string, number>();
  let characters = 0;
  for (const original of inputs) {
    if (found.length >= maxChosenFrom) break;
    await pause();
    const input = redactToPlaceholder(original, piiFields);
    const length = JSON.stringify(input).length;
    if (characters + length > maxCharacters) continue;
    const result = await decider.decide(input, { trace: true });
    if (!result.ok) continue;
    const choice = readClassifierChoice(result.decision);
    const thresholds = result.trace?.thresholds ?? null;
    // Where no thresholds were compared, no classifier was asked.
    const { class_probabilities } = result.decision;
    if (thresholds !== null && !isClear(choice?.confidence ?? 0, class_probabilities, thresholds)) continue;
    if (result.trace?.familiarity.some(isCloseCheck) === true) continue;
    if (isCloseChoice(result.trace?.reasons ?? [], reasonMargin)) continue;
    characters += length;
    const { decision, stage, rules_triggered, escalate, unfamiliar } = result.decision;
    const outcome = JSON.stringify([decision, stage, rules_triggered, escalate, unfamiliar]);
    const rank = ranks.get(outcome) ?? 0;
    ranks.set(outcome, rank + 1);
    found.push({ line: { input, output: toGoldenOutput(result.decision) }, rank });
  }
  return found
    .sort((a, b) => a.rank - b.rank)
    .slice(0, maxLines)
    .map(({ line }) => line);
}

/** A golden input that is decided otherwise; `actual` holds the problems of an input that the schema refuses. */
type GoldenFailure = { index: number; expected: GoldenOutput; actual: GoldenOutput | { problems: ErrorDetail[] } };

/** Decides every golden input again; probabilities may differ by 1e-5, nothing else. */
export async function runGolden(
  bundle: Bundle,
  decider: Decider,
  pause = neverPause,
): Promise<{ checked: number; failures: GoldenFailure[] }> {
  const failures: GoldenFailure[] = [];
  for (const [index, { input, output }] of bundle.golden.entries()) {
    await pause();
    const result = await decider.decide(input);
    if (!result.ok) {
      failures.push({ index, expected: output, actual: { problems: result.problems } });
      continue;
    }
    const actual = toGoldenOutput(result.decision);
    if (!isSameOutput(output, actual)) failures.push({ index, expected: output, actual });
  }
  return { checked: bundle.golden.length, failures };
}

/** Whether two answers are the same: probabilities may differ by 1e-5, nothing else. */
export function isSameOutput(expected: GoldenOutput, actual: GoldenOutput): boolean {
  const { confidence, class_probabilities: probabilities, ...settled } = expected;
  const isNear = (a: number, b: number | undefined) => b !== undefined && Math.abs(a - b) <= goldenTolerance;
  const actualOf = new Map(Object.entries(actual.class_probabilities));
  return (
    toCanonicalJson({ ...actual, confidence, class_probabilities: {} }) ===
      toCanonicalJson({ ...settled, confidence, class_probabilities: {} }) &&
    isNear(confidence, actual.confidence) &&
    Object.keys(probabilities).length === actualOf.size &&
    Object.entries(probabilities).every(([option, value]) => isNear(value, actualOf.get(option)))
  );
}

/** A decision, with its trace where the options want one. */
export type DecisionMade = {
  ok: true;
  decision: Decision;
  trace: DecisionTrace | null;
  /** Set where a connected model may be asked instead, and by which policy; the decision stands if none answers. */
  escalation: EscalationPolicy | null;
  /** The rules that failed on the input before one matched. */
  ruleErrors: readonly RuleFailure[];
  /** For each text that is not of its field's kind, the form that it must have, if any. */
  misread?: readonly string[];
};
/** A decision, or why the input does not fit the input schema. */
export type DecisionResult = DecisionMade | { ok: false; problems: ErrorDetail[] };

/** `callerId`: whose work it is, where an input is checked in a process that callers share. */
type DecideOptions = { trace?: boolean; callerId?: string };

export type Decider = {
  /** The version of the decision type whose input schema, rules and thresholds decide. */
  version: number;
  /** The options that were not learned: the classifier never answers them. */
  setAside: readonly string[];
  /** The middle value of each number, and of the days between two dates, that it learned from, by field. */
  medians: ReadonlyMap<string, number>;
  /** Decides one input, at once unless encoder or schema take time. Rejects with 'unavailable' without a fallback. */
  decide(input: JsonObject, options?: DecideOptions): DecisionResult | Promise<DecisionResult>;
  /**
   * Asks the encoder for the texts of all inputs that no rule decides, in batches; resolves with these inputs. Failures
   * show when they are decided.
   */
  embedAhead(inputs: readonly JsonObject[]): Promise<readonly JsonObject[]>;
  /** Estimates the classifier's answer without words of the texts, from one run of the encoder. */
  estimateWithout(input: JsonObject, option: string, stretches: readonly Stretch[]): Promise<Estimates | null>;
  /** Explains why the policy does not read parts of an input; null where the policy is not at hand. */
  findUnread(input: JsonObject): string[] | null;
  /** The input as it is decided: texts of fields that have a reading are numbers, dates, true or false. */
  read(input: JsonObject): JsonObject;
};
