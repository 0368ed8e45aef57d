/** Evaluates one rule and keeps the values that led to its outcome. */
import type { RuleTrace } from '../../domain/decision.ts';
import { listChildren, type RuleNode } from '../tree.ts';
import { compileTree, countStepsLeft, type Step, startRun } from './evaluate.ts';
import {
  Duration,
  formatDuration,
  formatTimestamp,
  isList,
  isMap,
  listKeys,
  type Outcome,
  RuleError,
  Timestamp,
  typeMismatch,
  type Value,
} from './values.ts';

/** Members that a list or map may have, nested ones counted, and still be shown whole. */
const maxMembers = 50;
/** Code points of a string that are shown. */
const maxCharacters = 200;

/** Evaluates within `left` steps, noting reached sub-expressions in source order; returns what is left. */
export type Tracer = (input: Value, left: number) => { outcome: Outcome; trace: Omit<RuleTrace, 'name'>; left: number };

/** Compiles a rule for tracing. Values inside comprehensions, literals and parts of a longer path are left out. */
export function compileTracer(root: RuleNode, source: string): Tracer {
  const characters = Array.from(source);
  const quote = (node: RuleNode) => characters.slice(node.at[0], node.at[1]).join('');
  const recorded = listRecordedNodes(root)
    .map((node) => ({ node, expression: quote(node) }))
    .sort((a, b) => a.node.at[0] - b.node.at[0] || b.node.at[1] - a.node.at[1]);
  const kept = new Set(recorded.map((entry) => entry.node));
  let seen = new Map<RuleNode, Value>();
  const step: Step = compileTree(root, (node, inner, depth) => {
    const isKept = depth === 0 && kept.has(node);
    return (run) => {
      const outcome = inner(run);
      if (outcome instanceof RuleError) {
        return outcome.expression === null ? new RuleError(outcome.kind, quote(node)) : outcome;
      }
      if (isKept) seen.set(node, outcome);
      return outcome;
    };
  });
  return (input, left) => {
    seen = new Map();
    const run = startRun(input, left);
    const result = step(run);
    const outcome =
      typeof result === 'boolean' || result instanceof RuleError
        ? result
        : new RuleError(typeMismatch.kind, quote(root));
    const values: RuleTrace['values'] = [];
    for (const { node, expression } of recorded) {
      const value = seen.get(node);
      if (value === undefined || values.some((entry) => entry.expression === expression)) continue;
      values.push({ expression, value: toTraceValue(value) });
    }
    return {
      outcome,
      trace: {
        outcome: outcome instanceof RuleError ? 'error' : outcome ? 'matched' : 'not_matched',
        error: outcome instanceof RuleError ? `${outcome.kind}: ${outcome.expression}` : null,
        values,
      },
      left: countStepsLeft(run, left),
    };
  };
}

/** Lists the nodes whose values the trace keeps: those that read a variable, save parts of a longer path. */
function listRecordedNodes(root: RuleNode): RuleNode[] {
  const found: RuleNode[] = [];
  const walk = (node: RuleNode, isInPath: boolean): boolean => {
    const isPath = node.k === 'get' || node.k === 'index';
    let readsVariable = node.k === 'var';
    for (const child of node.k === 'each' ? [node.of] : listChildren(node)) {
      if (walk(child, (isPath || node.k === 'has') && child === node.of)) readsVariable = true;
    }
    const isTraced = node.k === 'has' || node.k === 'op' || node.k === 'call' || node.k === 'each';
    if (readsVariable && (isTraced || (isPath && !isInPath))) found.push(node);
    return readsVariable;
  };
  walk(root, false);
  return found;
}

/** Converts a value for the trace into JSON: long strings are cut, large lists and maps only counted. */
function toTraceValue(value: Value): unknown {
  if (typeof value === 'string') {
    if (value.length <= maxCharacters) return value;
    const characters = Array.from(value);
    return characters.length <= maxCharacters ? value : `${characters.slice(0, maxCharacters).join('')}…`;
  }
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (isList(value)) return isSmall(value) ? value.map(toTraceValue) : `list of ${value.length}`;
  if (isMap(value)) {
    const keys = listKeys(value);
    if (!isSmall(value)) return `map of ${keys.length}`;
    return Object.fromEntries(keys.map((key) => [key, toTraceValue(value[key] as Value)]));
  }
  return value;
}

function isSmall(value: Value): boolean {
  let remaining = maxMembers;
  const walk = (inner: Value): boolean => {
    if (!isList(inner) && !isMap(inner)) return true;
    const members: readonly Value[] = isList(inner) ? inner : Object.values(inner);
    remaining -= members.length;
    return remaining >= 0 && members.every(walk);
  };
  return walk(value);
}
