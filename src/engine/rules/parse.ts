/** Reads a condition: cel-js gives syntax and positions, this module turns its tree into ours and says what is wrong. */
import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { countUtf8Bytes } from '../utf8.ts';
import { nearest } from './analysis/suggest.ts';
import { compilePattern } from './calls.ts';
import { ruleFunctions } from './functions.ts';
import { parseSyntax } from './syntax.ts';
import {
  type At,
  type BinaryOperator,
  binaryOperators,
  limits,
  macros,
  measureDepth,
  measureWeight,
  type RuleNode,
} from './tree.ts';

/** One problem of a condition; the range counts UTF-16 units of the source, as editors do. */
export type ConditionProblem = { message: string; suggestion: string | null; range: { start: number; end: number } };
/**
 * `ast` is null if there is any problem. `draft` is the tree as far as it could be read, for further checks only: a
 * part that is wrong stands in it as a variable without a name. `rangeOf` is the place of its nodes in the source.
 */
export type ParsedCondition = {
  ast: RuleNode | null;
  draft: { tree: RuleNode; rangeOf(at: At): { start: number; end: number } } | null;
  problems: ConditionProblem[];
};

const parser = new Environment({ unlistedVariablesAreDyn: true, limits: { maxAstNodes: 4096, maxDepth: 200 } });
const lowestSurrogate = /[\ud800-\udfff]/;

/** Parses and checks a condition; every problem is told. */
export function parseCondition(source: string): ParsedCondition {
  const whole = { start: 0, end: source.length };
  const refuse = (message: string, suggestion: string | null = null, range = whole): ParsedCondition => ({
    ast: null,
    draft: null,
    problems: [{ message, suggestion, range }],
  });
  if (source.trim() === '') return refuse('The condition is empty.', 'Write a comparison such as ctx.amount > 100.');
  if (countUtf8Bytes(source) > limits.sourceBytes)
    return refuse(`The condition is longer than ${limits.sourceBytes} bytes.`, 'Split it into several rules.');
  if (source.includes('\0') || !source.isWellFormed())
    return refuse('The condition holds characters that are not text (NUL or half a surrogate pair).');
  const syntax = parseSyntax(source, parser);
  if (!syntax.ast) return { ast: null, draft: null, problems: syntax.problems };
  const converter = createConverter(syntax.source);
  const ast = converter.convert(syntax.ast, []);
  if (measureWeight(ast) > limits.nodes)
    converter.report(whole, `The condition has more than ${limits.nodes} parts.`, 'Split it into several rules.');
  if (measureDepth(ast) > limits.depth)
    converter.report(
      whole,
      `The condition is nested deeper than ${limits.depth} levels.`,
      'Split it into several rules.',
    );
  const found = converter.problems.map((problem) => ({ ...problem, range: syntax.originalRange(problem.range) }));
  const problems = [...syntax.problems, ...found];
  const rangeOf = (at: At) => syntax.originalRange(utf16Range(syntax.source, at));
  return { ast: problems.length > 0 ? null : ast, draft: { tree: ast, rangeOf }, problems };
}

function createConverter(source: string) {
  const problems: ConditionProblem[] = [];
  const points = codePointOffsets(source);
  const report = (range: { start: number; end: number }, message: string, suggestion: string | null = null) => {
    problems.push({ message, suggestion, range: { start: range.start, end: range.end } });
  };
  const atOf = (node: { start: number; end: number }): At => {
    const { start, end } = balanced(source, node.start, node.end);
    return [points(start), points(end)];
  };

  let depth = 0;
  /** What is far too deep is left out: the check of the depth tells of it. */
  const convert = (node: ASTNode, scope: readonly string[]): RuleNode => {
    if (depth > 2 * limits.depth) return { k: 'var', name: '', at: [0, 0] };
    depth++;
    const converted = convertNode(node, scope);
    depth--;
    return converted;
  };

  const convertNode = (node: ASTNode, scope: readonly string[]): RuleNode => {
    const at = atOf(node);
    const nothing: RuleNode = { k: 'var', name: '', at };
    const below = (child: ASTNode) => convert(child, scope);
    switch (node.op) {
      case 'value':
        return literal(node, node.args, at);
      case 'id':
        if (node.args !== 'ctx' && !scope.includes(node.args))
          report(node, `Unknown name: ${node.args}.`, unknownName(node.args, scope));
        return { k: 'var', name: node.args, at };
      case '.':
        return { k: 'get', of: below(node.args[0]), field: node.args[1], at };
      case '[]':
        return { k: 'index', of: below(node.args[0]), by: below(node.args[1]), at };
      case '!_':
        return { k: 'not', of: below(node.args), at };
      case '-_': {
        const of = below(node.args);
        return of.k === 'lit' && typeof of.v === 'number' ? { k: 'lit', v: -of.v, at } : { k: 'neg', of, at };
      }
      case '&&':
      case '||':
        return { k: node.op === '&&' ? 'and' : 'or', args: chain(node, node.op).map(below), at };
      case '?:': {
        const [test, yes, no] = node.args;
        return { k: 'if', test: below(test), then: below(yes), else: below(no), at };
      }
      case 'list':
        return { k: 'list', items: node.args.map(below), at };
      case 'map':
        return { k: 'map', entries: node.args.map(([key, value]) => [below(key), below(value)]), at };
      case 'call':
        return node.args[0] === 'has'
          ? has(node, node.args[1], at, scope)
          : call(node, node.args[0], null, node.args[1], at, scope);
      case 'rcall': {
        const [name, receiver, args] = node.args;
        return macros.some((macro) => macro === name)
          ? each(node, name, receiver, args, at, scope)
          : call(node, name, receiver, args, at, scope);
      }
      case '.?':
      case '[?]':
        report(node, 'Optional access is not part of the rules language.', 'Test the field with has(ctx.field) first.');
        return nothing;
      default: {
        const op = binaryOperators.find((known): known is BinaryOperator => known === node.op);
        const [left, right] = node.args;
        if (!op) report(node, 'This operator is not part of the rules language.');
        return { k: 'op', op: op ?? '==', left: below(left), right: below(right), at };
      }
    }
  };

  const literal = (node: ASTNode, value: unknown, at: At): RuleNode => {
    if (typeof value === 'bigint' || typeof value === 'number') {
      const number = Number(value);
      if (!Number.isFinite(number)) report(node, 'The number is too large.');
      return { k: 'lit', v: Number.isFinite(number) ? number : 0, at };
    }
    if (typeof value === 'string') {
      if (value.includes('\0') || (lowestSurrogate.test(value) && !value.isWellFormed()))
        report(node, 'A text must not hold NUL or half a surrogate pair.');
      return { k: 'lit', v: value, at };
    }
    if (value === null || typeof value === 'boolean') return { k: 'lit', v: value, at };
    if (value instanceof Uint8Array)
      report(node, 'Byte texts are not part of the rules language.', 'Leave out the b before the quote.');
    else report(node, 'Unsigned numbers are not part of the rules language.', 'Leave out the u behind the number.');
    return { k: 'var', name: '', at };
  };

  const has = (node: ASTNode, args: ASTNode[], at: At, scope: readonly string[]): RuleNode => {
    const [field] = args;
    if (args.length === 1 && field?.op === '.')
      return { k: 'has', of: convert(field.args[0], scope), field: field.args[1], at };
    if (args.length === 1 && field?.op === '[]') {
      const by = convert(field.args[1], scope);
      if (by.k === 'lit' && typeof by.v === 'string')
        return { k: 'has', of: convert(field.args[0], scope), field: by.v, at };
    }
    report(node, 'has takes one field.', 'Write has(ctx.field), or has(ctx["a field"]).');
    return { k: 'var', name: '', at };
  };

  const each = (
    node: ASTNode,
    macro: string,
    receiver: ASTNode,
    args: ASTNode[],
    at: At,
    scope: readonly string[],
  ): RuleNode => {
    const of = convert(receiver, scope);
    const known = macros.find((name) => name === macro) ?? 'all';
    const [variable, second, third] = args;
    const right = macro === 'map' ? args.length === 2 || args.length === 3 : args.length === 2;
    if (!right || variable?.op !== 'id' || !second) {
      report(node, `${macro} takes a name and an expression.`, `Write ctx.list.${macro}(item, …).`);
      return { k: 'var', name: '', at };
    }
    const name = variable.args;
    if (name === 'ctx') report(variable, 'The name ctx is taken by the input.', 'Choose another name, such as item.');
    if (scope.length >= limits.comprehensionDepth) {
      report(node, `${macro} stands inside two others; only one may stand inside another.`);
      return { k: 'var', name: '', at };
    }
    const inner = [...scope, name];
    const one = convert(second, inner);
    const two = third ? convert(third, inner) : null;
    if (name === 'ctx') return { k: 'var', name: '', at };
    if (macro !== 'map') return { k: 'each', macro: known, of, name, test: one, result: null, at };
    return { k: 'each', macro: 'map', of, name, test: two ? one : null, result: two ?? one, at };
  };

  const call = (
    node: ASTNode,
    name: string,
    receiver: ASTNode | null,
    args: ASTNode[],
    at: At,
    scope: readonly string[],
  ): RuleNode => {
    const converted = [...(receiver ? [receiver] : []), ...args].map((arg) => convert(arg, scope));
    const nothing: RuleNode = { k: 'var', name: '', at };
    const found = ruleFunctions.get(name);
    if (!found) {
      const meant = nearest(name, [...ruleFunctions.keys(), ...macros, 'has']);
      report(node, `Unknown function: ${name}.`, meant ? `Did you mean ${meant}?` : null);
      return nothing;
    }
    if (found.style !== 'both' && (found.style === 'method') !== (receiver !== null)) {
      report(node, `${name} is written differently.`, receiver ? `Write ${name}(value).` : `Write value.${name}(…).`);
      return nothing;
    }
    const [least, most] = found.arity;
    if (converted.length < least || converted.length > most) {
      const taken = receiver ? 1 : 0;
      const count = least === most ? `${least - taken}` : `${Math.max(0, least - taken)} to ${most - taken}`;
      report(node, `${name} takes ${count} argument${count === '1' ? '' : 's'} in its brackets, not ${args.length}.`);
      return nothing;
    }
    if (name === 'matches') {
      const pattern = converted[1];
      if (pattern?.k !== 'lit' || typeof pattern.v !== 'string') {
        report(node, 'The pattern of matches must be written as a text.', 'Write ctx.field.matches("pattern").');
        return nothing;
      }
      if (!compilePattern(pattern.v)) {
        report(
          args.at(-1) ?? node,
          'This is not an RE2 pattern, or it is too large.',
          'RE2 knows no lookaround and no back references.',
        );
        return nothing;
      }
    }
    return { k: 'call', fn: name, args: converted, at };
  };

  return { convert, report, problems };
}

/** A range of code points as a range of UTF-16 units, which editors count in. */
export function utf16Range(source: string, at: At): { start: number; end: number } {
  const characters = Array.from(source);
  const start = characters.slice(0, at[0]).join('').length;
  return { start, end: start + characters.slice(at[0], at[1]).join('').length };
}

function chain(node: ASTNode, op: '&&' | '||'): ASTNode[] {
  const args: ASTNode[] = [];
  let left = node;
  while (left.op === op) {
    args.unshift(left.args[1]);
    left = left.args[0];
  }
  return [left, ...args];
}

function unknownName(name: string, scope: readonly string[]): string {
  if (name.toLowerCase() === 'ctx' || name === 'input' || name === 'context') return 'The input is called ctx.';
  const meant = nearest(name, scope);
  return meant ? `Did you mean ${meant}?` : `Did you mean ctx.${name}?`;
}

/** UTF-16 offset → code-point offset. */
function codePointOffsets(source: string): (offset: number) => number {
  if (!lowestSurrogate.test(source)) return (offset) => offset;
  const points: number[] = [];
  let count = 0;
  for (const character of source) {
    for (let i = 0; i < character.length; i++) points.push(count);
    count++;
  }
  return (offset) => points[offset] ?? count;
}

/** Widens a range over the brackets that belong to it but that the parser leaves out. */
function balanced(source: string, from: number, to: number): { start: number; end: number } {
  const range = { start: from, end: to };
  let open = 0;
  let unopened = 0;
  for (let i = from; i < to; i++) {
    const character = source[i];
    if (character === '"' || character === "'") i = endOfText(source, i);
    else if (character === '(') open++;
    else if (character === ')' && open > 0) open--;
    else if (character === ')') unopened++;
  }
  for (; open > 0; open--) {
    const next = source.indexOf(')', range.end);
    if (next < 0) break;
    range.end = next + 1;
  }
  for (; unopened > 0; unopened--) {
    const previous = source.lastIndexOf('(', range.start - 1);
    if (previous < 0) break;
    range.start = previous;
  }
  return range;
}

/** True if a comment stands in the source, which a tree does not keep. */
export function hasComment(source: string): boolean {
  for (let i = 0; i < source.length; i++) {
    if (source[i] === '"' || source[i] === "'") i = endOfText(source, i);
    else if (source.startsWith('//', i)) return true;
  }
  return false;
}

function endOfText(source: string, from: number): number {
  const quote = source[from] ?? '"';
  const raw = /[rR]/.test(source[from - 1] ?? '') && !/[A-Za-z0-9_]/.test(source[from - 2] ?? '');
  const closing = source.startsWith(quote.repeat(3), from) ? quote.repeat(3) : quote;
  for (let i = from + closing.length; i < source.length; i++) {
    if (source[i] === '\\' && !raw) i++;
    else if (source.startsWith(closing, i)) return i + closing.length - 1;
  }
  return source.length;
}
