/** Converts the syntax tree of cel-js into a tree of the rules language, and reports what the language leaves out. */
import type { ASTNode } from '@marcbachmann/cel-js';
import type { NamedLists } from '../../domain/definition.ts';
import { compilePattern, type PatternBudget } from '../evaluation/calls.ts';
import { type FunctionInfo, ruleFunctions } from '../functions.ts';
import { ruleLimits } from '../rule-limits.ts';
import { type ConditionProblem, type SourceRange, widenToParentheses } from '../source.ts';
import { findNearest } from '../suggest.ts';
import { type At, type BinaryOperator, type Macro, macros, type RuleNode } from '../tree.ts';
import { findHyphenatedName, isLibrary, refuseUnknownFunction, suggestLiteral } from './foreign-names.ts';

/** The names that `type(…)` gives. */
const typeNames = [
  'null_type',
  'bool',
  'double',
  'string',
  'list',
  'map',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
];

/** A node of cel-js with the operator `Op`. */
type Syntax<Op extends ASTNode['op']> = Extract<ASTNode, { op: Op }>;
/** The text at one place of a condition, and its replacement. */
type Refusal = { message: string; suggestion: string | null };

/** One conversion under way: the problems so far, and where in the tree it is. */
type Conversion = {
  readonly source: string;
  /** Turns a UTF-16 offset of the source into an offset in code points of the source as it was written. */
  readonly toCodePoint: (offset: number) => number;
  readonly problems: ConditionProblem[];
  readonly patterns: PatternBudget;
  /** The value of `lists.name`; null where the name is kept. */
  readonly lists: NamedLists | null;
  /** Loop variables of the comprehensions around the current node, the outermost first. */
  readonly scope: string[];
  /** The tree's name for a loop variable that is written ctx: its ctx is always the input. */
  readonly shadowName: string;
  depth: number;
};

/** Converts a syntax tree; a wrong part becomes a nameless variable with a problem. Its size is not checked. */
export function convertSyntax(
  root: ASTNode,
  source: string,
  toCodePoint: (offset: number) => number,
  patterns: PatternBudget,
  lists: NamedLists | null,
): { tree: RuleNode; problems: ConditionProblem[] } {
  const problems: ConditionProblem[] = [];
  const shadowName = findUnusedName(source);
  const tree = convert(root, { source, toCodePoint, problems, patterns, lists, scope: [], shadowName, depth: 0 });
  return { tree, problems };
}

function findUnusedName(source: string): string {
  let number = 1;
  while (source.includes(`ctx${number}`)) number++;
  return `ctx${number}`;
}

/** Leaves out what is far too deep, which could exhaust the stack; the check of the depth reports it. */
function convert(node: ASTNode, conversion: Conversion): RuleNode {
  if (conversion.depth > 2 * ruleLimits.maxDepth) return { k: 'var', name: '', at: [0, 0] };
  conversion.depth++;
  const converted = convertNode(node, conversion);
  conversion.depth--;
  return converted;
}

function convertNode(node: ASTNode, conversion: Conversion): RuleNode {
  const at = locate(node, conversion);
  const convertChild = (child: ASTNode) => convert(child, conversion);
  switch (node.op) {
    case 'value':
      return convertLiteral(node, at, conversion);
    case 'id':
      return convertName(node, at, conversion);
    case '.':
      if (isName(node.args[0], 'lists', conversion)) return convertListName(node, at, conversion);
      return { k: 'get', of: convertChild(node.args[0]), field: node.args[1], at };
    case '[]':
      return { k: 'index', of: convertChild(node.args[0]), by: convertChild(node.args[1]), at };
    case '!_':
      return { k: 'not', of: convertChild(node.args), at };
    case '-_':
      if (isUnsigned(node.args))
        report(node, conversion, {
          message: 'An unsigned number cannot be negative.',
          suggestion: 'Leave out the u after the number.',
        });
      return negate(convertChild(node.args), at);
    case '&&':
    case '||':
      return { k: node.op === '&&' ? 'and' : 'or', args: flattenChain(node, node.op).map(convertChild), at };
    case '?:': {
      const [test, whenTrue, whenFalse] = node.args;
      return { k: 'if', test: convertChild(test), then: convertChild(whenTrue), else: convertChild(whenFalse), at };
    }
    case 'list':
      return { k: 'list', items: node.args.map(convertChild), at };
    case 'map':
      return { k: 'map', entries: node.args.map(([key, value]) => [convertChild(key), convertChild(value)]), at };
    case 'call':
      return node.args[0] === 'has' ? convertHas(node, at, conversion) : convertCall(node, at, conversion);
    case 'rcall': {
      const macro = macros.find((name) => name === node.args[0]);
      return macro ? convertComprehension(node, macro, at, conversion) : convertCall(node, at, conversion);
    }
    case '.?':
    case '[?]':
      return refuse(node, at, conversion, {
        message: 'Optional access is not part of the rules language.',
        suggestion: 'Test the field with has(ctx.field) first.',
      });
    default:
      return convertOperator(node, at, conversion);
  }
}

function convertOperator(node: Syntax<BinaryOperator>, at: At, conversion: Conversion): RuleNode {
  const [left, right] = node.args;
  const written = conversion.source.slice(node.start, node.end);
  const name = node.op === '-' ? findHyphenatedName(written, conversion.scope) : null;
  if (name !== null)
    return refuse(node, at, conversion, {
      message: `A hyphen is a minus here: ${written}.`,
      suggestion: `Write ${name} for a field whose name has a hyphen.`,
    });
  const isTypeTest = ['==', '!=', 'in'].includes(node.op) && [left, right].some(isTypeCall);
  const convertOperand = isTypeTest ? convertTypeName : convert;
  return { k: 'op', op: node.op, left: convertOperand(left, conversion), right: convertOperand(right, conversion), at };
}

const isTypeCall = (node: ASTNode) => node.op === 'call' && node.args[0] === 'type';

/** Converts what `type(…)` is compared with: the name of a type, or a list of names, is a text. */
function convertTypeName(node: ASTNode, conversion: Conversion): RuleNode {
  const at = locate(node, conversion);
  if (node.op === 'list') return { k: 'list', items: node.args.map((item) => convertTypeName(item, conversion)), at };
  const name = /^[\w.]+$/.exec(conversion.source.slice(node.start, node.end))?.[0];
  if (name === 'int' || name === 'uint')
    return refuse(node, at, conversion, { message: 'Every number is a double here.', suggestion: 'Write double.' });
  return name !== undefined && typeNames.includes(name) ? { k: 'lit', v: name, at } : convert(node, conversion);
}

function convertLiteral(node: Syntax<'value'>, at: At, conversion: Conversion): RuleNode {
  const value: unknown = node.args;
  if (value === null || typeof value === 'boolean') return { k: 'lit', v: value, at };
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      report(node, conversion, {
        message: 'A string must not contain NUL or half a surrogate pair.',
        suggestion: null,
      });
    return { k: 'lit', v: value, at };
  }
  if (typeof value === 'bigint' || typeof value === 'number') {
    const number = Number(value);
    if (Number.isFinite(number)) return { k: 'lit', v: number, at };
    report(node, conversion, { message: 'The number is too large.', suggestion: null });
    return { k: 'lit', v: 0, at };
  }
  if (value instanceof Uint8Array)
    return refuse(node, at, conversion, {
      message: 'Byte strings are not part of the rules language.',
      suggestion: 'Leave out the b before the quote.',
    });
  // The rest is an unsigned number, which is a double like every other.
  return { k: 'lit', v: Number(value), at };
}

function isUnsigned(node: ASTNode): boolean {
  const value: unknown = node.op === 'value' ? node.args : null;
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}

function convertName(node: Syntax<'id'>, at: At, conversion: Conversion): RuleNode {
  const name = node.args;
  if (name === 'ctx') return { k: 'var', name: conversion.scope.includes(name) ? conversion.shadowName : name, at };
  if (!conversion.scope.includes(name))
    report(node, conversion, { message: `Unknown name: ${name}.`, suggestion: suggestName(name, conversion.scope) });
  return { k: 'var', name, at };
}

const isName = (node: ASTNode, name: string, { scope }: Conversion) =>
  node.op === 'id' && node.args === name && !scope.includes(name);

function convertListName(node: Syntax<'.'>, at: At, conversion: Conversion): RuleNode {
  const { lists } = conversion;
  const name = node.args[1];
  if (lists === null) return { k: 'get', of: { k: 'var', name: 'lists', at }, field: name, at };
  if (Object.hasOwn(lists, name))
    return { k: 'list', items: (lists[name] ?? []).map((v) => ({ k: 'lit', v, at })), at };
  const known = Object.keys(lists);
  const nearest = findNearest(name, known);
  const shown = known.length > 8 ? `${known.slice(0, 8).join(', ')}, …` : known.join(', ');
  return refuse(node, at, conversion, {
    message: `There is no list named ${name}.`,
    suggestion: `${nearest ? `Did you mean lists.${nearest}? ` : ''}${known.length > 0 ? `There are: ${shown}.` : 'There are no lists.'}`,
  });
}

/** A negative number is one literal; anything else is negated when it is evaluated. */
function negate(of: RuleNode, at: At): RuleNode {
  return of.k === 'lit' && typeof of.v === 'number' ? { k: 'lit', v: -of.v, at } : { k: 'neg', of, at };
}

/** Returns the operands of `a && b && c`, which the parser nests to the left. */
function flattenChain(node: ASTNode, op: '&&' | '||'): ASTNode[] {
  const operands: ASTNode[] = [];
  let left = node;
  while (left.op === op) {
    operands.unshift(left.args[1]);
    left = left.args[0];
  }
  return [left, ...operands];
}

function convertHas(node: Syntax<'call'>, at: At, conversion: Conversion): RuleNode {
  const [, args] = node.args;
  const [field] = args;
  if (args.length === 1 && field?.op === '.')
    return { k: 'has', of: convert(field.args[0], conversion), field: field.args[1], at };
  if (args.length === 1 && field?.op === '[]') {
    const by = convert(field.args[1], conversion);
    if (by.k === 'lit' && typeof by.v === 'string')
      return { k: 'has', of: convert(field.args[0], conversion), field: by.v, at };
  }
  return refuse(node, at, conversion, {
    message: 'has takes one field.',
    suggestion: 'Write has(ctx.field), or has(ctx["a field"]).',
  });
}

function convertComprehension(node: Syntax<'rcall'>, macro: Macro, at: At, conversion: Conversion): RuleNode {
  const [, receiver, args] = node.args;
  const of = convert(receiver, conversion);
  const [variable, first, second] = args;
  const hasArguments = args.length === 2 || (macro === 'map' && args.length === 3);
  if (!hasArguments || variable?.op !== 'id' || !first)
    return refuse(node, at, conversion, {
      message: `${macro} takes a name and an expression.`,
      suggestion:
        args.length === 3
          ? `Write ctx.map.${macro}(key, …) with ctx.map[key] for the value.`
          : `Write ctx.list.${macro}(item, …).`,
    });
  if (conversion.scope.length >= ruleLimits.maxComprehensionDepth)
    return refuse(node, at, conversion, {
      message: `${macro} is nested in two other comprehensions.`,
      suggestion: 'Nest at most one comprehension in another.',
    });
  conversion.scope.push(variable.args);
  const expression = convert(first, conversion);
  const mapped = second ? convert(second, conversion) : null;
  conversion.scope.pop();
  const name = variable.args === 'ctx' ? conversion.shadowName : variable.args;
  if (macro !== 'map') return { k: 'each', macro, of, name, test: expression, result: null, at };
  return { k: 'each', macro, of, name, test: mapped ? expression : null, result: mapped ?? expression, at };
}

function convertCall(node: Syntax<'call'> | Syntax<'rcall'>, at: At, conversion: Conversion): RuleNode {
  const [name] = node.args;
  const receiver = node.op === 'rcall' ? node.args[1] : null;
  const written = node.op === 'rcall' ? node.args[2] : node.args[1];
  const library = receiver?.op === 'id' && isLibrary(receiver.args) && !conversion.scope.includes(receiver.args);
  const args = (receiver && !library ? [receiver, ...written] : written).map((arg) => convert(arg, conversion));
  const info = ruleFunctions.get(name);
  if (!info || library) {
    const [own = null, ...texts] = [receiver, ...written].map(
      (part) => part && conversion.source.slice(part.start, part.end),
    );
    const call = { name, library: library ? own : null, receiver: library ? null : own, args: texts.map(String) };
    return refuse(node, at, conversion, refuseUnknownFunction(call));
  }
  const refusal = checkCallForm(info, receiver !== null, written.length);
  if (refusal) return refuse(node, at, conversion, refusal);
  if (name === 'matches') {
    const pattern = args[1];
    if (pattern?.k !== 'lit' || typeof pattern.v !== 'string')
      return refuse(node, at, conversion, {
        message: 'The pattern of matches must be a string literal.',
        suggestion: 'Write ctx.field.matches("pattern").',
      });
    if (conversion.patterns.left <= 0)
      return refuse(written.at(-1) ?? node, at, conversion, {
        message: 'The patterns before this one are already as large as all patterns of the rules may be together.',
        suggestion: 'Use shorter patterns, fewer repetitions, or contains and startsWith.',
      });
    if (!compilePattern(pattern.v, conversion.patterns))
      return refuse(written.at(-1) ?? node, at, conversion, {
        message: 'This is not an RE2 pattern, or it is too large.',
        suggestion: 'RE2 has neither lookaround nor back references.',
      });
  }
  return { k: 'call', fn: name, args, at };
}

/** Checks that a function is called in its style, with as many arguments in parentheses as it takes. */
function checkCallForm({ name, style, arity }: FunctionInfo, isMethod: boolean, count: number): Refusal | null {
  if (style !== 'either' && (style === 'method') !== isMethod)
    return {
      message: `${name} is ${isMethod ? 'not ' : ''}a method.`,
      suggestion: isMethod ? `Write ${name}(value).` : `Write value.${name}(…).`,
    };
  const receivers = isMethod ? 1 : 0;
  const [min, max] = [Math.max(0, arity[0] - receivers), arity[1] - receivers];
  if (count >= min && count <= max) return null;
  const expected = min === max ? `${min}` : `${min} to ${max}`;
  return {
    message: `${name} takes ${expected} argument${expected === '1' ? '' : 's'} in parentheses, not ${count}.`,
    suggestion: null,
  };
}

function suggestName(name: string, scope: readonly string[]): string {
  if (name.toLowerCase() === 'ctx' || name === 'input' || name === 'context') return 'The input is called ctx.';
  if (name === 'lists') return 'Write ctx.field in lists.name.';
  const literal = suggestLiteral(name);
  if (literal !== null) return literal;
  const nearest = findNearest(name, scope);
  return nearest ? `Did you mean ${nearest}?` : `Did you mean ctx.${name}?`;
}

function report({ start, end }: SourceRange, { problems }: Conversion, { message, suggestion }: Refusal): void {
  problems.push({ message, suggestion, range: { start, end } });
}

/** Reports a node, and returns the variable without a name that takes its place. */
function refuse(node: ASTNode, at: At, conversion: Conversion, refusal: Refusal): RuleNode {
  report(node, conversion, refusal);
  return { k: 'var', name: '', at };
}

function locate(node: ASTNode, { source, toCodePoint }: Conversion): At {
  const { start, end } = widenToParentheses(source, node);
  return [toCodePoint(start), toCodePoint(end)];
}
