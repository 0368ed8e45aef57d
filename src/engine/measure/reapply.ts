/** Current rules and thresholds reapplied to held-out rows, without asking the classifier again. */
import { compileInputValidator } from '../decide/check-bundle.ts';
import { applyThresholds, type Outcome, type Prediction } from '../decide/thresholds.ts';
import type { JsonObject } from '../json.ts';
import type { CompiledRules } from '../rules/rules-file.ts';
import type { ThresholdSettings } from '../thresholds.ts';

/** The classifier's answer to a held-out row when it was measured. */
export type RecordedAnswer = {
  expected: string;
  /** The classifier's option, and its probability. */
  predicted: string;
  confidence: number;
  unfamiliar: boolean;
  /** Whether options that were set aside were likelier together, or the predicted one is never decided alone. */
  isSetAside?: boolean;
};

/** A held-out row with what the classifier said about it. */
export type RecordedRow = RecordedAnswer & {
  input: JsonObject;
  /** A number that it shares with its copies and near copies among the rows; left out: it stands on its own. */
  group?: number | undefined;
  /** The period that it is of, where rows were held out by their time. */
  period?: number | undefined;
  /** Whether personal values of the input were masked: they are not known, and count as missing. */
  isMasked?: boolean;
  /** The current label, where the expected one was changed after a model's doubt; left out or null: it was not. */
  relabelled?: string | null;
};

/** A held-out input, known by its hash, with the label that it is measured by, in one text. */
export const toMeasuredLabel = (inputHash: number | null, expected: string): string => `${inputHash} ${expected}`;

/** Whether what held-out probabilities leave to options that were set aside is more than the likeliest option has. */
export function isSetAsideLikelier(probabilities: readonly number[]): boolean {
  return 1 - probabilities.reduce((sum, each) => sum + each, 0) > Math.max(...probabilities);
}

export type DecidingSettings = ThresholdSettings & { rules: CompiledRules; inputSchema: JsonObject | null };

/** A row up to the thresholds: the option of the rule that matches, or null, and the prediction without it. */
export type ReappliedRow = Pick<RecordedRow, 'expected' | 'isMasked' | 'relabelled' | 'group' | 'period'> & {
  ruled: string | null;
  prediction: Prediction;
};

export type Reapplied<Row extends RecordedRow = RecordedRow> = {
  /** Each beside its recorded decision. */
  rows: (ReappliedRow & { recorded: Row })[];
  /** Rows that the input schema refuses: they are not decisions. */
  refused: number;
  /** Rows at the end that were left out, because schema and rules had taken all steps. */
  leftOut: number;
};

/** Steps of schema and rules for all rows together, about a second; usual 10,000 rows take a fifth. */
export const maxSteps = 20_000_000;
/** An ordinary row takes about this part, in steps, of the most work that the check of a row can be. */
const workPerStep = 25;

/** Takes a row through schema (null: refused) and rules, and says in how many steps. */
export function compileReapply(
  settings: DecidingSettings,
): (row: RecordedRow) => { row: ReappliedRow | null; steps: number } {
  const validate = compileInputValidator(settings);
  return ({ input, isMasked = false, relabelled = null, group, period, ...answer }) => {
    const ofSchema = validate === null ? 0 : Math.ceil(validate.estimateWork(input) / workPerStep);
    // A masked input passed the schema when it was decided.
    if (validate !== null && !isMasked && validate(input).length > 0) return { row: null, steps: ofSchema };
    const { matched, steps } = settings.rules.evaluate(input, false);
    const row = {
      ...toUnruledRow(answer, settings),
      ruled: matched?.then ?? null,
      isMasked,
      relabelled,
      group,
      period,
    };
    return { row, steps: steps + ofSchema };
  };
}

/** A row up to the thresholds, of which only the classifier's answer is known. */
export function toUnruledRow(
  { expected, predicted, confidence, unfamiliar, isSetAside }: RecordedAnswer,
  { escalation_policy }: Pick<ThresholdSettings, 'escalation_policy'>,
): ReappliedRow {
  const minds = escalation_policy.unfamiliar === 'escalate';
  // Both are handed on, and no threshold can change that.
  const unfamiliarReason = (minds && unfamiliar) || isSetAside === true ? 'as it was measured' : null;
  // Rounding can take a probability of 1 a little beyond it.
  const prediction = { option: predicted, confidence: Math.min(1, confidence), unfamiliarReason };
  return { expected, ruled: null, prediction };
}

/** Lists the positions of rows, those of one group together; any other row is a unit of its own. */
export function listUnits(rows: readonly Pick<ReappliedRow, 'group'>[]): number[][] {
  return [...Map.groupBy(rows.keys(), (row) => rows[row]?.group ?? `row ${row}`).values()];
}

/** Of rows that are copies or near copies of each other one, a wrong one first: as much as they say about others. */
export function takeDistinct<Row extends Pick<ReappliedRow, 'group' | 'expected' | 'prediction'>>(
  rows: readonly Row[],
): Row[] {
  return listUnits(rows).flatMap((unit) => {
    const copies = unit.flatMap((row) => rows[row] ?? []);
    return copies.find(({ prediction, expected }) => prediction.option !== expected) ?? copies.slice(0, 1);
  });
}

/** Takes rows through input schema and rules, as many as a bounded number of steps is enough for. */
export function reapplySettings<Row extends RecordedRow>(
  recorded: readonly Row[],
  settings: DecidingSettings,
): Reapplied<Row> {
  const reapply = compileReapply(settings);
  const rows: Reapplied<Row>['rows'] = [];
  let refused = 0;
  let left = maxSteps;
  for (const each of recorded) {
    if (left <= 0) break;
    const { row, steps } = reapply(each);
    left -= steps;
    if (row === null) refused += 1;
    else rows.push({ ...row, recorded: each });
  }
  return { rows, refused, leftOut: recorded.length - rows.length - refused };
}

/** The decision on a row; `stage` says by what. */
export type ReappliedDecision = Pick<Outcome, 'decision' | 'escalate'> & { stage: 'rules' | Outcome['stage'] };

/** Applies the thresholds to a row that no rule decides. */
export function decideRow({ ruled, prediction }: ReappliedRow, settings: ThresholdSettings): ReappliedDecision {
  return ruled === null ? applyThresholds(prediction, settings) : { decision: ruled, escalate: false, stage: 'rules' };
}
