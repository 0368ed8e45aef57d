/** Compiles a decision type's rules, and loads compiled ones from a bundle. */
import { z } from 'zod';
import { countUtf8Bytes } from '../code-points.ts';
import type { RuleTrace } from '../domain/decision.ts';
import { type NamedLists, type Rule, ruleSchema } from '../domain/definition.ts';
import { type Result, WorkbenchError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { limits } from '../limits.ts';
import { compilePattern, type PatternBudget } from './evaluation/calls.ts';
import { compileTree, countStepsLeft, startRun } from './evaluation/evaluate.ts';
import { compileTracer, type Tracer } from './evaluation/trace.ts';
import { type ErrorKind, type Outcome, RuleError, typeMismatch } from './evaluation/values.ts';
import { parseCondition } from './parsing/parse.ts';
import { readTree } from './parsing/read-tree.ts';
import type { RuleProblem } from './results.ts';
import { ruleLimits } from './rule-limits.ts';
import type { ConditionProblem, SourceRange } from './source.ts';
import { findNearest } from './suggest.ts';
import { listChildren, type RuleNode } from './tree.ts';
import { inferType } from './types.ts';

type CompiledRule = Rule & { ast: RuleNode };
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
/** Rules that are ready to be evaluated, and the file that they are saved as. */
export type CompiledRules = {
  file: RulesFile;
  evaluate(input: JsonObject, trace: boolean): RulesOutcome;
  /** Evaluates every rule, those after the first match too. */
  evaluateEach(input: JsonObject): (boolean | 'error')[];
  /** Evaluates the rule at a place of the file by itself. */
  evaluateOne(place: number, input: JsonObject): boolean | 'error';
};
/** The names that rules may refer to: options, reason codes and named lists of their decision type. */
type Vocabulary = { options: readonly string[]; reason_codes: readonly string[]; lists?: NamedLists };

/** Checks and compiles rules; returns every problem by its index. They run by priority, then list order. */
export function compileRules(rules: readonly Rule[], vocabulary: Vocabulary): Result<CompiledRules, RuleProblem> {
  const { problems, file } = checkRules(rules, vocabulary);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: createEvaluator(file) };
}

/** Compiles the rules that have no problem, as if the others were not there, and returns the problems of those. */
export function compileSoundRules(
  rules: readonly Rule[],
  vocabulary: Vocabulary,
): { problems: RuleProblem[]; sound: CompiledRules } {
  const { problems, file } = checkRules(rules, vocabulary);
  return { problems, sound: createEvaluator(file) };
}

/** Returns every problem, and the rules without one in the order in which they are evaluated. */
function checkRules(rules: readonly Rule[], vocabulary: Vocabulary): { problems: RuleProblem[]; file: RulesFile } {
  const problems: RuleProblem[] = [];
  const names = new Set<string>();
  const compiled: CompiledRule[] = [];
  const patterns: PatternBudget = { left: ruleLimits.maxPatternsSize };
  let bytesLeft: number = ruleLimits.maxTreesBytes;
  rules.forEach((rule, index) => {
    const { ast, problems: found } = checkCondition(rule.condition, patterns, vocabulary.lists ?? {});
    if (ast) bytesLeft -= countUtf8Bytes(JSON.stringify(ast));
    const own = [
      ...checkName(rule, names),
      ...checkReferences(rule, vocabulary),
      ...found.map((problem) => ({ ...problem, field: 'condition' as const })),
      ...(bytesLeft < 0 ? [tooLargeTogether] : []),
    ];
    names.add(rule.name);
    for (const { field, message, suggestion, range } of own)
      problems.push({ rule: index, name: rule.name, field, message, suggestion, range });
    if (ast && own.length === 0) compiled.push({ ...rule, ast });
  });
  return { problems, file: { rules: compiled.toSorted((a, b) => a.priority - b.priority) } };
}

type FieldProblem = ConditionProblem & Pick<RuleProblem, 'field'>;

const nowhere: SourceRange = { start: 0, end: 0 };
const tooLargeTogether: FieldProblem = {
  field: 'condition',
  message: 'The rules up to this one are larger than a bundle can hold: a list counts wherever it is named.',
  suggestion: 'Name large lists in fewer rules.',
  range: nowhere,
};

function checkName({ name }: Rule, earlierNames: ReadonlySet<string>): FieldProblem[] {
  if (!earlierNames.has(name)) return [];
  const message = `Another rule is also called "${name}".`;
  return [{ field: 'name', message, suggestion: 'Give every rule its own name.', range: nowhere }];
}

function checkReferences(rule: Rule, { options, reason_codes }: Vocabulary): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!options.includes(rule.then)) {
    const message = `"${rule.then}" is not an option.`;
    problems.push({ field: 'then', message, suggestion: suggestName(rule.then, options), range: nowhere });
  }
  const code = rule.reason_code;
  if (code !== null && !reason_codes.includes(code)) {
    const message = `"${code}" is not a reason code.`;
    problems.push({ field: 'reason_code', message, suggestion: suggestName(code, reason_codes), range: nowhere });
  }
  return problems;
}

function suggestName(word: string, candidates: readonly string[]): string | null {
  const nearest = findNearest(word, candidates);
  if (nearest !== null) return `Did you mean "${nearest}"?`;
  return candidates.length > 0 && candidates.length <= 8 ? `Known: ${candidates.join(', ')}.` : null;
}

/** Parses a condition and checks its types; its problems are in source order. */
function checkCondition(
  condition: string,
  patterns: PatternBudget,
  lists: NamedLists,
): { ast: RuleNode | null; problems: ConditionProblem[] } {
  const { ast, draft, problems } = parseCondition(condition, patterns, lists);
  const checked = draft && inferType(draft.tree);
  for (const { at, message, suggestion } of checked?.problems ?? [])
    problems.push({ message, suggestion, range: draft?.toRange(at) ?? nowhere });
  if (checked && checked.type !== 'bool' && checked.type !== 'any')
    problems.push({
      message: 'The condition is not true or false.',
      suggestion: 'Compare it with something.',
      range: { start: 0, end: condition.length },
    });
  return { ast, problems: problems.toSorted((a, b) => a.range.start - b.range.start) };
}

const fileSchema = z.strictObject({ rules: z.array(ruleSchema.extend({ ast: z.unknown() })).max(limits.maxRules) });

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

function createEvaluator(file: RulesFile): CompiledRules {
  const steps = file.rules.map((rule) => compileTree(rule.ast));
  const rules = file.rules.map(({ ast: _, ...rule }): Rule => rule);
  // Most callers never ask for a trace, so its closures are compiled for the first one that does.
  let tracers: Tracer[] | null = null;

  const evaluateFast = (input: JsonObject): RulesOutcome => {
    let errors: RuleFailure[] | null = null;
    let left: number = ruleLimits.maxStepsTogether;
    for (let i = 0; i < steps.length; i++) {
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
    evaluate: (input, trace) => (trace ? evaluateTraced(input) : evaluateFast(input)),
    evaluateEach,
    evaluateOne,
  };
}
