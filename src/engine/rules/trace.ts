/** Evaluates one rule and keeps the values that settled it. */
import type { RuleTrace } from '../domain.ts';
import { compileTree, type Step, startRun } from './evaluate.ts';
import { listChildren, type RuleNode } from './tree.ts';
import {
  Duration,
  formatDuration,
  formatTimestamp,
  isList,
  isMap,
  type Outcome,
  RuleError,
  sortedKeys,
  Timestamp,
  typeMismatch,
  type Value,
} from './values.ts';

/** Members that a list or map may have, nested ones counted, and still be shown whole. */
const shownMembers = 50;
const shownCharacters = 200;

/** Evaluates with a trace: the outcome and, in source order, the values of the sub-expressions that were reached. */
export type Tracer = (input: Value) => { outcome: Outcome; trace: Omit<RuleTrace, 'name'> };

/** Compiles the tracing form of a rule. Values inside comprehensions, literals and parts of a longer path are left out. */
export function compileTracer(root: RuleNode, source: string): Tracer {
  const characters = Array.from(source);
  const textOf = (node: RuleNode) => characters.slice(node.at[0], node.at[1]).join('');
  const recorded = listRecordedNodes(root)
    .map((node) => ({ node, text: textOf(node) }))
    .sort((a, b) => a.node.at[0] - b.node.at[0] || b.node.at[1] - a.node.at[1]);
  const wanted = new Set(recorded.map((entry) => entry.node));
  let seen = new Map<RuleNode, Value>();
  const step: Step = compileTree(root, (node, inner, depth) => {
    const keep = depth === 0 && wanted.has(node);
    return (run) => {
      const outcome = inner(run);
      if (outcome instanceof RuleError) {
        return outcome.expression === null ? new RuleError(outcome.kind, textOf(node)) : outcome;
      }
      if (keep) seen.set(node, outcome);
      return outcome;
    };
  });
  return (input) => {
    seen = new Map();
    const answer = step(startRun(input));
    const outcome =
      typeof answer === 'boolean' || answer instanceof RuleError
        ? answer
        : new RuleError(typeMismatch.kind, textOf(root));
    const values: RuleTrace['values'] = [];
    for (const { node, text } of recorded) {
      const value = seen.get(node);
      if (value === undefined || values.some((entry) => entry.expression === text)) continue;
      values.push({ expression: text, value: toTraceValue(value) });
    }
    return {
      outcome,
      trace: {
        outcome: outcome instanceof RuleError ? 'error' : outcome ? 'matched' : 'not_matched',
        error: outcome instanceof RuleError ? `${outcome.kind}: ${outcome.expression}` : null,
        values,
      },
    };
  };
}

function listRecordedNodes(root: RuleNode): RuleNode[] {
  const found: RuleNode[] = [];
  const walk = (node: RuleNode, partOfPath: boolean): boolean => {
    const below = node.k === 'each' ? [node.of] : listChildren(node);
    let reads = node.k === 'var';
    for (const child of below) {
      const inPath = (node.k === 'get' || node.k === 'index' || node.k === 'has') && child === node.of;
      if (walk(child, inPath)) reads = true;
    }
    const path = node.k === 'get' || node.k === 'index';
    const other = node.k === 'has' || node.k === 'op' || node.k === 'call' || node.k === 'each';
    if (reads && ((path && !partOfPath) || other)) found.push(node);
    return reads;
  };
  walk(root, false);
  return found;
}

/** A value as the trace shows it: JSON, long texts cut, large lists and maps only counted. */
function toTraceValue(value: Value): unknown {
  if (typeof value === 'string') {
    if (value.length <= shownCharacters) return value;
    const characters = Array.from(value);
    return characters.length <= shownCharacters ? value : `${characters.slice(0, shownCharacters).join('')}…`;
  }
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (isList(value)) return isSmall(value) ? value.map(toTraceValue) : `list of ${value.length}`;
  if (isMap(value)) {
    const keys = sortedKeys(value);
    if (!isSmall(value)) return `map of ${keys.length}`;
    return Object.fromEntries(keys.map((key) => [key, toTraceValue(value[key] as Value)]));
  }
  return value;
}

function isSmall(value: Value): boolean {
  let left = shownMembers;
  const walk = (inner: Value): boolean => {
    if (!isList(inner) && !isMap(inner)) return true;
    const members: readonly Value[] = isList(inner) ? inner : Object.values(inner);
    left -= members.length;
    return left >= 0 && members.every(walk);
  };
  return walk(value);
}
