/** Evaluates the parts of a condition that do not depend on the input. */
import { compileTree, startRun } from '../evaluation/evaluate.ts';
import { type ErrorKind, type Outcome, RuleError } from '../evaluation/values.ts';
import { type At, listChildren, type RuleNode } from '../tree.ts';

/** Steps that one part may take here: rules are checked while they are written, up to 200 at a time. */
const maxSteps = 1_000;

function evaluateConstant(node: RuleNode): Outcome {
  return compileTree(node)({ ...startRun({}), steps: maxSteps });
}

/** Replaces every part that needs no input by its value, where that is a literal and no error. */
export function foldConstants(node: RuleNode): RuleNode {
  // A list or map is no literal, whatever is in it.
  if (node.k === 'lit' || node.k === 'var' || node.k === 'list' || node.k === 'map') return node;
  if (isClosed(node, [])) {
    const value = evaluateConstant(node);
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return { k: 'lit', v: value, at: node.at };
    return node;
  }
  switch (node.k) {
    case 'and':
    case 'or': {
      const decisive = node.k === 'or';
      const args = node.args.map(foldConstants);
      if (args.some((arg) => arg.k === 'lit' && arg.v === decisive)) return { k: 'lit', v: decisive, at: node.at };
      const left = args.filter((arg) => !(arg.k === 'lit' && arg.v === !decisive));
      return { ...node, args: left.length > 0 ? left : args };
    }
    case 'not':
    case 'neg':
      return { ...node, of: foldConstants(node.of) };
    case 'op':
      return { ...node, left: foldConstants(node.left), right: foldConstants(node.right) };
    case 'if': {
      const test = foldConstants(node.test);
      if (test.k === 'lit' && typeof test.v === 'boolean') return foldConstants(test.v ? node.then : node.else);
      return { ...node, test, then: foldConstants(node.then), else: foldConstants(node.else) };
    }
    default:
      return node;
  }
}

/** Finds the smallest parts that need no input and fail when they are evaluated, in source order. */
export function findConstantErrors(node: RuleNode): { at: At; kind: ErrorKind }[] {
  if (node.k === 'lit' || node.k === 'var') return [];
  const findBelow = () => listChildren(node).flatMap(findConstantErrors);
  // A list fails only where something in it does.
  if (node.k === 'list' || !isClosed(node, [])) return findBelow();
  const outcome = evaluateConstant(node);
  if (!(outcome instanceof RuleError)) return [];
  const smaller = findBelow();
  // The limit here is lower than that of a real run, so it says nothing about the value.
  if (outcome.kind === 'limit') return smaller;
  return smaller.length > 0 ? smaller : [{ at: node.at, kind: outcome.kind }];
}

/** True if the node names no variables but those in `bound`. */
function isClosed(node: RuleNode, bound: readonly string[]): boolean {
  if (node.k === 'var') return bound.includes(node.name);
  if (node.k !== 'each') return listChildren(node).every((child) => isClosed(child, bound));
  const inner = [...bound, node.name];
  return isClosed(node.of, bound) && [node.test, node.result].every((part) => part === null || isClosed(part, inner));
}
