/** Evaluates the parts of a condition that do not depend on the input, and finds those that fail whatever it is. */
import { readOffsetMinutes } from '../evaluation/calls.ts';
import { compileTree, startRun } from '../evaluation/evaluate.ts';
import { type ErrorKind, type Outcome, RuleError } from '../evaluation/values.ts';
import { ruleFunctions } from '../functions.ts';
import { type At, listChildren, type RuleNode } from '../tree.ts';
import { addTime } from './date-texts.ts';

/** Steps that one part may take here: rules are checked while they are written, up to 200 at a time. */
const maxSteps = 1_000;

function evaluateConstant(node: RuleNode): Outcome {
  return compileTree(node)({ ...startRun({}), steps: maxSteps });
}

/** Replaces every part that needs no input by its value, where that is a literal and no error. */
export function foldConstants(node: RuleNode): RuleNode {
  // A list or map is not a literal, whatever is in it.
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

/** A part that fails on every input, and what to write where that can be said. */
type ConstantError = { at: At; kind: ErrorKind; suggestion: string | null };

/** Finds the smallest parts that fail on every input, in source order: by themselves, or by what they are given. */
export function findConstantErrors(node: RuleNode): ConstantError[] {
  if (node.k === 'lit' || node.k === 'var') return [];
  const findBelow = () => listChildren(node).flatMap(findConstantErrors);
  if (!isClosed(node, [])) return [...findBelow(), ...findFailingArguments(node)];
  // A list fails only where something in it does.
  if (node.k === 'list') return findBelow();
  const outcome = evaluateConstant(node);
  if (!(outcome instanceof RuleError)) return [];
  const smaller = findBelow();
  // The limit here is lower than that of a real run, so it says nothing about the value.
  if (outcome.kind === 'limit') return smaller;
  if (smaller.length > 0) return smaller;
  const [given] = node.k === 'call' && node.fn === 'timestamp' ? node.args : [];
  const time = given?.k === 'lit' && typeof given.v === 'string' ? addTime(given.v) : null;
  return [{ at: node.at, kind: outcome.kind, suggestion: time && `Write its time, too: timestamp("${time}").` }];
}

const wholeNumber = 'Write a whole number.';
const fromZero = 'Places are counted from 0.';

/** The outcome of a part given a value, whatever the rest of the part is; null where it may work. */
type ArgumentCheck = (value: number, before: number | null) => Pick<ConstantError, 'kind' | 'suggestion'> | null;

const checkWhole: ArgumentCheck = (value) =>
  Number.isInteger(value) ? null : { kind: 'bad_value', suggestion: wholeNumber };
const checkPlace: ArgumentCheck = (value, before) => {
  if (value < 0) return { kind: 'index_out_of_range', suggestion: fromZero };
  if (before !== null && value < before)
    return { kind: 'index_out_of_range', suggestion: 'The end must not be before the start.' };
  return checkWhole(value, before);
};
const checkMember: ArgumentCheck = (value) =>
  value < 0
    ? { kind: 'index_out_of_range', suggestion: 'Places are counted from 0; the last one is size(list) - 1.' }
    : checkWhole(value, null);
const checkDivisor: ArgumentCheck = (value) =>
  value === 0 ? { kind: 'division_by_zero', suggestion: 'Write another divisor.' } : null;

/** The numbers that functions take, by the place of the argument. */
const argumentChecks: Readonly<Record<string, readonly (ArgumentCheck | null)[]>> = {
  charAt: [null, checkPlace],
  substring: [null, checkPlace, checkPlace],
  indexOf: [null, null, checkPlace],
  lastIndexOf: [null, null, checkPlace],
  split: [null, null, checkWhole],
  replace: [null, null, null, checkWhole],
  '[]': [null, checkMember],
  '/': [null, checkDivisor],
  '%': [null, (value, before) => checkDivisor(value, before) ?? checkWhole(value, before)],
};

/** Finds the given values with which a part fails whatever the input is: a negative place, the name of a time zone. */
function findFailingArguments(node: RuleNode): ConstantError[] {
  const [name, args] = listArguments(node);
  const checks = Object.hasOwn(argumentChecks, name) ? argumentChecks[name] : undefined;
  let before: number | null = null;
  for (const [i, arg] of args.entries()) {
    if (i === 0 || !isClosed(arg, [])) continue;
    const value = evaluateConstant(arg);
    if (typeof value === 'string' && node.k === 'call' && zonedFunctions.has(name) && readOffsetMinutes(value) === null)
      return [
        {
          at: arg.at,
          kind: 'bad_value',
          suggestion: 'Write "UTC" or a fixed offset such as "+02:00"; names of time zones are not known.',
        },
      ];
    const found = typeof value === 'number' ? checks?.[i]?.(value, before) : null;
    if (found) return [{ at: node.k === 'call' ? arg.at : node.at, ...found }];
    before = typeof value === 'number' ? value : null;
  }
  return [];
}

/** The functions that take a zone behind a timestamp. */
const zonedFunctions: ReadonlySet<string> = new Set(
  [...ruleFunctions.values()].flatMap(({ name, args }) => (args[0]?.includes('timestamp') && args[1] ? [name] : [])),
);

function listArguments(node: RuleNode): [name: string, args: readonly RuleNode[]] {
  if (node.k === 'call') return [node.fn, node.args];
  if (node.k === 'index') return ['[]', [node.of, node.by]];
  return node.k === 'op' ? [node.op, [node.left, node.right]] : ['', []];
}

/** True if the node names no variables but those in `bound`. */
function isClosed(node: RuleNode, bound: readonly string[]): boolean {
  if (node.k === 'var') return bound.includes(node.name);
  if (node.k !== 'each') return listChildren(node).every((child) => isClosed(child, bound));
  const inner = [...bound, node.name];
  return isClosed(node.of, bound) && [node.test, node.result].every((part) => part === null || isClosed(part, inner));
}
