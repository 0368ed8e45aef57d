/** Golden decisions for the bundle, and how long deciding takes. */
import { type Golden, toGoldenOutput } from '../bundle/manifest.ts';
import type { ConfidenceThresholds, DecisionTrace, JsonObject } from '../domain.ts';
import { redactPii } from '../pii.ts';
import type { MonotonicClock } from '../ports.ts';
import type { Decider } from './decider.ts';
import { isCloseChoice } from './reason-codes.ts';

const wantedLines = 60;
const margin = 1e-3;
const familiarityMargin = 0.01;
const reasonMargin = 2e-3;
const removed = '[removed]';

/** The input with personal values taken out: texts become "[removed]", anything else null. */
export function redactToPlaceholder(input: JsonObject, personal: readonly string[]): JsonObject {
  return redactPii(input, personal, (value) => (typeof value === 'string' ? removed : null));
}

/** Whether a decision would be the same if its probabilities were a little different. */
function isClear(confidence: number, probabilities: Record<string, number>, thresholds: ConfidenceThresholds): boolean {
  const [first, second] = Object.values(probabilities).sort((a, b) => b - a);
  return (
    Math.abs(confidence - thresholds.auto_decide) >= margin &&
    Math.abs(confidence - thresholds.escalation) >= margin &&
    (first ?? 1) - (second ?? 0) >= margin
  );
}

/** Whether a check might turn out differently where the encoder's arithmetic differs a little. */
const isClose = ({ check, score, limit }: DecisionTrace['familiarity'][number]) =>
  check !== 'fields' && Math.abs(score - limit) < familiarityMargin;

/**
 * Decides inputs in turn until 60 clear decisions are found. Inputs that fail the input schema or whose decision hangs on
 * the last digits are passed over.
 */
export async function recordGoldenLines(
  decider: Decider,
  inputs: readonly JsonObject[],
  personal: readonly string[],
  thresholds: ConfidenceThresholds,
): Promise<Golden[]> {
  const lines: Golden[] = [];
  for (const original of inputs) {
    if (lines.length >= wantedLines) break;
    const input = redactToPlaceholder(original, personal);
    const decided = await decider.decide(input, { trace: true });
    if (!decided.ok) continue;
    const { stage, confidence, class_probabilities } = decided.decision;
    if (stage !== 'rules' && !isClear(confidence, class_probabilities, thresholds)) continue;
    if (decided.trace?.familiarity.some(isClose) === true) continue;
    if (isCloseChoice(decided.trace?.reasons ?? [], reasonMargin)) continue;
    lines.push({ input, output: toGoldenOutput(decided.decision) });
  }
  return lines;
}

/** Milliseconds that each of up to 100 decisions takes. */
export async function measureLatency(
  decider: Decider,
  inputs: readonly JsonObject[],
  now: MonotonicClock,
): Promise<number[]> {
  const times: number[] = [];
  for (const input of inputs.slice(0, 100)) {
    const started = now();
    await decider.decide(input);
    times.push(now() - started);
  }
  return times;
}
