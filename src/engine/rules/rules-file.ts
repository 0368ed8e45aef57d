/** The rules of a bundle: loaded from their trees, which needs no parser, and evaluated. */
import { z } from 'zod';
import type { RuleTrace } from '../domain/decision.ts';
import { type Rule, ruleSchema } from '../domain/definition.ts';
import { WorkbenchError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { compilePattern } from './evaluation/calls.ts';
import { compileTree, countStepsLeft, startRun } from './evaluation/evaluate.ts';
import { compileTracer, type Tracer } from './evaluation/trace.ts';
import { type ErrorKind, type Outcome, RuleError, typeMismatch } from './evaluation/values.ts';
import { readTree } from './parsing/read-tree.ts';
import { ruleLimits } from './rule-limits.ts';
import { listChildren, type RuleNode } from './tree.ts';

export type CompiledRule = Rule & { ast: RuleNode };
/** The content of `rules.json`: rules in the order in which they are evaluated. */
export type RulesFile = { rules: CompiledRule[] };
/** A rule that failed on an input, and how; it contains nothing of the input. */
export type RuleFailure = { name: string; error: ErrorKind };
/** The first rule that matched (`matched` null and `matchedIndex` −1: none did), and those that failed before it. */
export type RulesOutcome = {
  matched: Rule | null;
  matchedIndex: number;
  errors: readonly RuleFailure[];
  trace: RuleTrace[];
  /** Steps that the evaluation took; see `ruleLimits`. */
  steps: number;
};
/** Rules that are ready to be evaluated, and the file that they are saved as: hints are no part of it. */
export type CompiledRules = {
  file: RulesFile;
  evaluate(input: JsonObject, trace: boolean): RulesOutcome;
  /** Evaluates the rules from a place of the file on, as if there were none before it. */
  evaluateFrom(place: number, input: JsonObject): RulesOutcome;
  /** Evaluates every rule, those after the first match too. */
  evaluateEach(input: JsonObject): (boolean | 'error')[];
  evaluateOne(place: number, input: JsonObject): boolean | 'error';
};
const fileSchema = z.strictObject({
  rules: z.array(ruleSchema.omit({ hint: true }).extend({ ast: z.unknown() })).max(limits.maxRules),
});

/** Loads `rules.json` of a bundle. Throws WorkbenchError 'validation_error' naming the rule whose tree is not valid. */
export function loadRules(file: unknown): CompiledRules {
  const parsed = fileSchema.safeParse(file);
  if (!parsed.success)
    throw new WorkbenchError('validation_error', 'The entry rules.json is not a list of compiled rules.');
  const rules = parsed.data.rules.map((rule, index) => {
    const ast = readTree(rule.ast);
    if (!ast || !arePatternsValid(ast)) {
      throw new WorkbenchError('validation_error', `The syntax tree of rule ${index + 1} in rules.json is not valid.`);
    }
    return { ...rule, ast };
  });
  return createEvaluator({ rules });
}

function arePatternsValid(node: RuleNode): boolean {
  if (node.k === 'call' && node.fn === 'matches') {
    const pattern = node.args[1];
    if (pattern?.k !== 'lit' || typeof pattern.v !== 'string' || !compilePattern(pattern.v)) return false;
  }
  return listChildren(node).every(arePatternsValid);
}

const noFailures: readonly RuleFailure[] = [];

function toFailure(rule: Rule | undefined, outcome: Outcome | undefined): RuleFailure {
  return { name: rule?.name ?? '', error: outcome instanceof RuleError ? outcome.kind : typeMismatch.kind };
}

const countTaken = (left: number) => ruleLimits.maxStepsTogether - left;

/** Makes the evaluator of compiled rules, which run in their order. */
export function createEvaluator(file: RulesFile): CompiledRules {
  const steps = file.rules.map((rule) => compileTree(rule.ast));
  const rules = file.rules.map(({ ast: _, ...rule }): Rule => rule);
  // Most callers never ask for a trace, so its closures are compiled for the first one that does.
  let tracers: Tracer[] | null = null;

  const evaluateFrom = (place: number, input: JsonObject): RulesOutcome => {
    let errors: RuleFailure[] | null = null;
    let left: number = ruleLimits.maxStepsTogether;
    for (let i = place; i < steps.length; i++) {
      const run = startRun(input, left);
      const outcome = steps[i]?.(run);
      left = countStepsLeft(run, left);
      if (outcome === true)
        return {
          matched: rules[i] ?? null,
          matchedIndex: i,
          errors: errors ?? noFailures,
          trace: [],
          steps: countTaken(left),
        };
      if (outcome === false) continue;
      errors ??= [];
      errors.push(toFailure(rules[i], outcome));
    }
    return { matched: null, matchedIndex: -1, errors: errors ?? noFailures, trace: [], steps: countTaken(left) };
  };

  const evaluateTraced = (input: JsonObject): RulesOutcome => {
    tracers ??= file.rules.map((rule) => compileTracer(rule.ast, rule.condition));
    const errors: RuleFailure[] = [];
    let matchedIndex = -1;
    let left: number = ruleLimits.maxStepsTogether;
    const trace = tracers.map((tracer, i): RuleTrace => {
      const name = rules[i]?.name ?? '';
      if (matchedIndex >= 0) return { name, outcome: 'not_reached', error: null, values: [] };
      const result = tracer(input, left);
      left = result.left;
      if (result.outcome === true) matchedIndex = i;
      if (result.outcome instanceof RuleError) errors.push(toFailure(rules[i], result.outcome));
      return { name, ...result.trace };
    });
    return { matched: rules[matchedIndex] ?? null, matchedIndex, errors, trace, steps: countTaken(left) };
  };

  const evaluateOne = (place: number, input: JsonObject) => {
    const outcome = steps[place]?.(startRun(input));
    return typeof outcome === 'boolean' ? outcome : 'error';
  };

  const evaluateEach = (input: JsonObject) => {
    let left: number = ruleLimits.maxStepsTogether;
    return steps.map((step) => {
      const run = startRun(input, left);
      const outcome = step(run);
      left = countStepsLeft(run, left);
      return typeof outcome === 'boolean' ? outcome : 'error';
    });
  };

  return {
    file,
    evaluate: (input, trace) => (trace ? evaluateTraced(input) : evaluateFrom(0, input)),
    evaluateFrom,
    evaluateEach,
    evaluateOne,
  };
}
