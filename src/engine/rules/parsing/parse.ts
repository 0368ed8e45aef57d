/** Parses a condition: cel-js gives syntax and positions, and what it read becomes a tree of the rules language. */
import { Environment } from '@marcbachmann/cel-js';
import { countUtf8Bytes } from '../../code-points.ts';
import type { NamedLists } from '../../domain/definition.ts';
import { limits } from '../../limits.ts';
import type { PatternBudget } from '../evaluation/calls.ts';
import { ruleLimits } from '../rule-limits.ts';
import { type ConditionProblem, indexCodePoints, type SourceRange, toUtf16Range } from '../source.ts';
import { type At, measureDepth, measureWeight, type RuleNode } from '../tree.ts';
import { convertSyntax } from './convert.ts';
import { parseSyntax } from './syntax.ts';

/** `ast` is null where there are problems; `draft` is for further checks alone, with nameless variables. */
type ParsedCondition = {
  ast: RuleNode | null;
  draft: { tree: RuleNode; toRange(at: At): SourceRange } | null;
  problems: ConditionProblem[];
};

const parser = new Environment({
  unlistedVariablesAreDyn: true,
  limits: { maxAstNodes: 4096, maxDepth: 200, maxListElements: ruleLimits.maxNodes },
});

/**
 * Parses and checks a condition; returns every problem. `patterns` is a budget that all rules share. The names of
 * `lists` are replaced by their values; without `lists` they stay in the tree, whatever they name.
 */
export function parseCondition(
  source: string,
  patterns: PatternBudget = { left: ruleLimits.maxPatternsSize },
  lists: NamedLists | null = null,
): ParsedCondition {
  const unreadable = checkSource(source);
  if (unreadable) return { ast: null, draft: null, problems: [unreadable] };
  const syntax = parseSyntax(source, parser);
  if (!syntax.ast) return { ast: null, draft: null, problems: syntax.problems };
  const toCodePoint = indexCodePoints(source);
  const { tree, problems: found } = convertSyntax(
    syntax.ast,
    syntax.source,
    (offset) => toCodePoint(syntax.toOriginalRange({ start: offset, end: offset }).start),
    patterns,
    lists,
  );
  const problems = [
    ...syntax.problems,
    ...found.map((problem) => ({ ...problem, range: syntax.toOriginalRange(problem.range) })),
    ...checkSize(tree, source),
  ];
  const toRange = (at: At) => toUtf16Range(source, at);
  return { ast: problems.length > 0 ? null : tree, draft: { tree, toRange }, problems };
}

/** Returns the problem that keeps a source from being parsed at all, or null. */
function checkSource(source: string): ConditionProblem | null {
  const range = { start: 0, end: source.length };
  if (source.trim() === '')
    return { message: 'The condition is empty.', suggestion: 'Write a comparison such as ctx.amount > 100.', range };
  if (countUtf8Bytes(source) > limits.maxConditionBytes)
    return {
      message: `The condition is longer than ${limits.maxConditionBytes} bytes.`,
      suggestion: 'Split it into several rules.',
      range,
    };
  if (source.includes('\0') || !source.isWellFormed())
    return { message: 'The condition contains NUL or half a surrogate pair.', suggestion: null, range };
  return null;
}

function checkSize(tree: RuleNode, source: string): ConditionProblem[] {
  const { maxNodes, maxDepth } = ruleLimits;
  const toProblem = (message: string): ConditionProblem => ({
    message,
    suggestion: 'Split it into several rules.',
    range: { start: 0, end: source.length },
  });
  return [
    ...(measureWeight(tree) > maxNodes ? [toProblem(`The condition has more than ${maxNodes} parts.`)] : []),
    ...(measureDepth(tree) > maxDepth ? [toProblem(`The condition is nested deeper than ${maxDepth} levels.`)] : []),
  ];
}
