/** Held-out rows decided once more, by the rules and thresholds of now, without asking the classifier again. */
import { compileInputValidator } from '../decide/check-bundle.ts';
import { applyThresholds, type Outcome, type Prediction, type ThresholdSettings } from '../decide/thresholds.ts';
import type { JsonObject } from '../domain.ts';
import type { CompiledRules } from '../rules/compile.ts';

/** A held-out row with what the classifier said of it when it was measured. */
export type RecordedRow = {
  input: JsonObject;
  /** The right option. */
  expected: string;
  /** The classifier's option, and its probability. */
  predicted: string;
  confidence: number;
  unfamiliar: boolean;
};

/** What decides now. */
export type DecidingSettings = ThresholdSettings & { rules: CompiledRules; inputSchema: JsonObject | null };

/** A row up to the thresholds: the option of the rule that matches, or null, and the prediction without it. */
export type ReplayedRow = { expected: string; ruled: string | null; prediction: Prediction };

export type Replay = {
  rows: ReplayedRow[];
  /** Rows that the input schema refuses: they are no decisions. */
  refused: number;
};

/**
 * Makes what takes a row through input schema and rules, with null where the schema refuses it; a rule costs as much as
 * in a decision.
 */
export function compileReplay(settings: DecidingSettings): (row: RecordedRow) => ReplayedRow | null {
  const validate = compileInputValidator(settings);
  const minds = settings.escalation_policy.unfamiliar === 'escalate';
  return ({ input, expected, predicted, confidence, unfamiliar }) => {
    if (validate !== null && validate(input).length > 0) return null;
    const ruled = settings.rules.evaluate(input, false).matched?.then ?? null;
    const unfamiliarReason = minds && unfamiliar ? 'as it was measured' : null;
    // Rounding can take a probability of 1 a little beyond it.
    const prediction = { option: predicted, confidence: Math.min(1, confidence), unfamiliarReason };
    return { expected, ruled, prediction };
  };
}

/** Takes rows through input schema and rules. */
export function replayRows(recorded: readonly RecordedRow[], settings: DecidingSettings): Replay {
  const rows = recorded.map(compileReplay(settings)).filter((row) => row !== null);
  return { rows, refused: recorded.length - rows.length };
}

/** What is decided of a row; `stage` says by what. */
export type ReplayedDecision = Pick<Outcome, 'decision' | 'escalate'> & { stage: 'rules' | Outcome['stage'] };

/** Applies the thresholds to a row that no rule decides. */
export function decideRow({ ruled, prediction }: ReplayedRow, settings: ThresholdSettings): ReplayedDecision {
  return ruled === null ? applyThresholds(prediction, settings) : { decision: ruled, escalate: false, stage: 'rules' };
}
