/** Compiles a decision type's rules, and loads compiled ones from a bundle. */
import { z } from 'zod';
import { type JsonObject, type Rule, type RuleTrace, ruleSchema } from '../domain.ts';
import { type Result, WorkbenchError } from '../errors.ts';
import { compilePattern } from './calls.ts';
import { compileTree, startRun } from './evaluate.ts';
import { isFunction } from './functions.ts';
import { parseCondition } from './parse.ts';
import { findNearest } from './suggest.ts';
import { compileTracer, type Tracer } from './trace.ts';
import { listChildren, type RuleNode, readTree } from './tree.ts';
import { inferType } from './types.ts';
import { type ErrorKind, type Outcome, RuleError, typeMismatch } from './values.ts';

/** What is wrong with a rule, and in which of its fields. `range` counts UTF-16 units of the condition (else 0–0). */
export type RuleProblem = {
  rule: number;
  name: string;
  field: 'name' | 'condition' | 'then' | 'reason_code';
  message: string;
  suggestion: string | null;
  range: { start: number; end: number };
};
/** `rules.json`: rules in the order in which they are evaluated. */
export type RulesFile = { rules: (Rule & { ast: RuleNode })[] };
/** A rule that erred on an input, and how; it never holds anything of the input. */
export type RuleFailure = { name: string; error: ErrorKind };
export type RulesOutcome = {
  matched: Rule | null;
  matchedIndex: number;
  errors: readonly RuleFailure[];
  trace: RuleTrace[];
};
export type CompiledRules = {
  file: RulesFile;
  evaluate(input: JsonObject, trace: boolean): RulesOutcome;
  /** How every rule fares on its own, those behind the first match too. */
  evaluateEach(input: JsonObject): (boolean | 'error')[];
};

/**
 * Checks and compiles rules against the options and reason codes of their decision type. Answers every
 * problem of every rule, `rule` being the place in the given list. Evaluation order: priority, then list order.
 */
export function compileRules(
  rules: readonly Rule[],
  definition: { options: readonly string[]; reason_codes: readonly string[] },
): Result<CompiledRules, RuleProblem> {
  const problems: RuleProblem[] = [];
  const names = new Set<string>();
  const compiled: (Rule & { ast: RuleNode })[] = [];
  rules.forEach((rule, index) => {
    const report = (
      field: RuleProblem['field'],
      message: string,
      suggestion: string | null,
      range = { start: 0, end: 0 },
    ) => {
      problems.push({ rule: index, name: rule.name, field, message, suggestion, range });
    };
    if (names.has(rule.name))
      report('name', `Another rule is also called "${rule.name}".`, 'Give every rule its own name.');
    names.add(rule.name);
    if (!definition.options.includes(rule.then))
      report('then', `"${rule.then}" is not an option.`, suggestName(rule.then, definition.options));
    if (rule.reason_code !== null && !definition.reason_codes.includes(rule.reason_code))
      report(
        'reason_code',
        `"${rule.reason_code}" is not a reason code.`,
        suggestName(rule.reason_code, definition.reason_codes),
      );
    const { ast, draft, problems: found } = parseCondition(rule.condition);
    const checked = draft && inferType(draft.tree);
    for (const { at, message, suggestion } of checked?.problems ?? [])
      found.push({ message, suggestion, range: draft?.rangeOf(at) ?? { start: 0, end: 0 } });
    if (checked && checked.type !== 'bool' && checked.type !== 'any')
      found.push({
        message: 'The condition is not true or false.',
        suggestion: 'Compare it with something.',
        range: { start: 0, end: rule.condition.length },
      });
    for (const problem of found.toSorted((a, b) => a.range.start - b.range.start))
      report('condition', problem.message, problem.suggestion, problem.range);
    if (ast) compiled.push({ ...rule, ast });
  });
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: createEvaluator({ rules: compiled.toSorted((a, b) => a.priority - b.priority) }) };
}

const fileSchema = z.strictObject({ rules: z.array(ruleSchema.extend({ ast: z.unknown() })).max(200) });

/** Loads `rules.json` of a bundle. Throws WorkbenchError 'validation_error' naming the rule whose tree is not sound. */
export function loadRules(file: unknown): CompiledRules {
  const parsed = fileSchema.safeParse(file);
  if (!parsed.success) throw new WorkbenchError('validation_error', 'rules.json is not a list of compiled rules');
  const rules = parsed.data.rules.map((rule, index) => {
    const ast = readTree(rule.ast, isFunction);
    if (!ast || !arePatternsValid(ast)) {
      throw new WorkbenchError('validation_error', `rules.json: the tree of rule ${index + 1} is not sound`);
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

const noErrors: readonly RuleFailure[] = [];

function toFailure(rule: Rule | undefined, outcome: Outcome | undefined): RuleFailure {
  return { name: rule?.name ?? '', error: outcome instanceof RuleError ? outcome.kind : typeMismatch.kind };
}

function createEvaluator(file: RulesFile): CompiledRules {
  const steps = file.rules.map((rule) => compileTree(rule.ast));
  const plain = file.rules.map(({ ast: _, ...rule }): Rule => rule);
  let tracers: Tracer[] | null = null;

  const evaluateFast = (input: JsonObject): RulesOutcome => {
    let errors: RuleFailure[] | null = null;
    for (let i = 0; i < steps.length; i++) {
      const outcome = steps[i]?.(startRun(input));
      if (outcome === true)
        return { matched: plain[i] ?? null, matchedIndex: i, errors: errors ?? noErrors, trace: [] };
      if (outcome === false) continue;
      errors ??= [];
      errors.push(toFailure(plain[i], outcome));
    }
    return { matched: null, matchedIndex: -1, errors: errors ?? noErrors, trace: [] };
  };

  const evaluateTraced = (input: JsonObject): RulesOutcome => {
    tracers ??= file.rules.map((rule) => compileTracer(rule.ast, rule.condition));
    const errors: RuleFailure[] = [];
    let matchedIndex = -1;
    const trace = tracers.map((tracer, i): RuleTrace => {
      const name = plain[i]?.name ?? '';
      if (matchedIndex >= 0) return { name, outcome: 'not_reached', error: null, values: [] };
      const result = tracer(input);
      if (result.outcome === true) matchedIndex = i;
      if (result.outcome instanceof RuleError) errors.push(toFailure(plain[i], result.outcome));
      return { name, ...result.trace };
    });
    return { matched: plain[matchedIndex] ?? null, matchedIndex, errors, trace };
  };

  const evaluateEach = (input: JsonObject) =>
    steps.map((step) => {
      const outcome = step(startRun(input));
      return typeof outcome === 'boolean' ? outcome : 'error';
    });

  return { file, evaluate: (input, trace) => (trace ? evaluateTraced(input) : evaluateFast(input)), evaluateEach };
}

function suggestName(word: string, candidates: readonly string[]): string | null {
  const meant = findNearest(word, candidates);
  if (meant !== null) return `Did you mean "${meant}"?`;
  return candidates.length > 0 && candidates.length <= 8 ? `Known: ${candidates.join(', ')}.` : null;
}
