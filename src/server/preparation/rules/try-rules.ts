/** Trying rules and settings on held-out rows: what they change of the whole decision. */
import type { Costs } from '../../../engine/costs.ts';
import type { Definition, Readings } from '../../../engine/domain/definition.ts';
import type { SplitWay } from '../../../engine/domain/training.ts';
import { toRowContent } from '../../../engine/drawn-rows.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { type DecidingSettings, type RecordedRow, toMeasuredLabel } from '../../../engine/measure/reapply.ts';
import { measureRulesEffect } from '../../../engine/measure/rules-effect.ts';
import type { RulesEffect } from '../../../engine/measured.ts';
import { compileKnownReadings } from '../../../engine/readings/readings.ts';
import { compileRules } from '../../../engine/rules/compile.ts';
import type { RuleProblem } from '../../../engine/rules/results.ts';
import { groupMeasured } from '../../../engine/units/hold-out.ts';

/** Rules as they are written, with the settings beside them. */
type Side = {
  rules: Pick<Definition, 'hard_rules' | 'options' | 'reason_codes' | 'lists'>;
  settings: Omit<DecidingSettings, 'rules'>;
};
type MeasuredRow = Omit<RecordedRow, 'input'> & {
  exampleId: string;
  inputHash: number | null;
  input: JsonObject | null;
};
/** Held-out rows as they are stored, `input` null where it is not there as it was, with what it takes to read them. */
export type StoredRows = {
  measured: readonly MeasuredRow[];
  identifying: readonly (readonly string[])[];
  /** How they were held out. */
  split: SplitWay;
  piiFields: readonly string[];
  readings: Readings;
};
export type TrialOrder = { saved: Side; tried: Side; rows: StoredRows; costs: Costs };

/** The held-out rows that can be decided again; masked values count as missing. `lost`: labels of the others. */
export function readRecorded({ measured, identifying, split, piiFields, readings }: StoredRows): {
  recorded: (MeasuredRow & RecordedRow)[];
  missing: number;
  lost: string[];
} {
  const readKnown = compileKnownReadings(readings, piiFields);
  const read = measured.flatMap(({ input, ...row }) =>
    input === null ? [] : [{ ...row, ...readKnown(input), content: toRowContent(input, identifying) }],
  );
  const groups = groupMeasured(read, identifying, split);
  const recorded = read.map(({ content: _, ...row }, i) => ({ ...row, ...groups[i] }));
  const lost = measured.flatMap(({ input, inputHash, expected }) =>
    input === null ? [toMeasuredLabel(inputHash, expected)] : [],
  );
  return { recorded, missing: measured.length - recorded.length, lost };
}

/** Returns the effect of rules and settings on held-out rows, or the problems of the rules. */
export function tryRules({ saved, tried, rows, costs }: TrialOrder): RulesEffect | { problems: RuleProblem[] } {
  const before = compileRules(saved.rules.hard_rules, saved.rules);
  if (!before.ok) throw new Error('the saved rules do not compile');
  const after = compileRules(tried.rules.hard_rules, tried.rules);
  if (!after.ok) return { problems: after.problems };
  return measureRulesEffect(
    readRecorded(rows).recorded,
    { ...saved.settings, rules: before.value },
    { ...tried.settings, rules: after.value },
    costs,
  );
}
