/** Compiles a decision type's rules. */
import { countUtf8Bytes } from '../code-points.ts';
import type { NamedLists, Rule } from '../domain/definition.ts';
import type { Result } from '../errors.ts';
import type { PatternBudget } from './evaluation/calls.ts';
import { parseCondition } from './parsing/parse.ts';
import type { RuleProblem } from './results.ts';
import { ruleLimits } from './rule-limits.ts';
import { type CompiledRule, type CompiledRules, createEvaluator, type RulesFile } from './rules-file.ts';
import type { ConditionProblem, SourceRange } from './source.ts';
import { findNearest } from './suggest.ts';
import type { RuleNode } from './tree.ts';
import { inferType } from './types.ts';

/** The names that rules may refer to: options, reason codes and named lists of their decision type. */
type Vocabulary = { options: readonly string[]; reason_codes: readonly string[]; lists?: NamedLists };

/** Checks rules and compiles those that decide, by priority, then list order; returns every problem. */
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

/** Compiles the hints that have no problem: rules that teach and never decide. */
export function compileHints(rules: readonly Rule[], vocabulary: Vocabulary): CompiledRules {
  return createEvaluator(checkRules(rules, vocabulary).hints);
}

type CheckedRules = { problems: RuleProblem[]; file: RulesFile; hints: RulesFile };

/** Returns every problem, and rules and hints without one in the order in which they are evaluated. */
function checkRules(rules: readonly Rule[], vocabulary: Vocabulary): CheckedRules {
  const problems: RuleProblem[] = [];
  const names = new Set<string>();
  const [compiled, hints]: [CompiledRule[], CompiledRule[]] = [[], []];
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
    const { hint, ...decides } = rule;
    if (ast && own.length === 0) (hint === true ? hints : compiled).push({ ...decides, ast });
  });
  const toFile = (some: readonly CompiledRule[]) => ({ rules: some.toSorted((a, b) => a.priority - b.priority) });
  return { problems, file: toFile(compiled), hints: toFile(hints) };
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
    const message = rule.then === '' ? 'Choose what it answers.' : `"${rule.then}" is not an option.`;
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
