/** The types of a decider and of its decisions. */
import type { Decision, DecisionTrace } from '../domain/decision.ts';
import type { EscalationPolicy } from '../domain/definition.ts';
import type { ErrorDetail } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { RuleFailure } from '../rules/rules-file.ts';
import type { Estimates, Stretch } from './weigh-text.ts';

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
