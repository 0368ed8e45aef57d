import { ruleFunctions } from '../functions.ts';
import type { RuleNode } from '../tree.ts';

/** How tightly an operator binds; 0 is the top of a tree, 1 an argument, 8 an operand of a sign, 9 a receiver. */
const precedence: Record<string, number> = {
  or: 2,
  and: 3,
  '==': 4,
  '!=': 4,
  '<': 5,
  '<=': 5,
  '>': 5,
  '>=': 5,
  in: 5,
  '+': 6,
  '-': 6,
  '*': 7,
  '/': 7,
  '%': 7,
};
const identifier = /^(?!(?:in|true|false|null)$)[A-Za-z_][A-Za-z0-9_]*$/;

/** Prints a tree: one space around operators, parentheses only where they are needed, double quotes. */
export function printTree(node: RuleNode): string {
  return print(node, 0);
}

/** Prints a node in parentheses if it binds less tightly than `outer`. */
function print(node: RuleNode, outer: number): string {
  const wrap = (level: number, text: string) => (level < outer ? `(${text})` : text);
  const printList = (nodes: readonly RuleNode[]) => nodes.map((one) => print(one, 1)).join(', ');
  switch (node.k) {
    case 'lit':
      return typeof node.v === 'number' && node.v < 0 ? wrap(8, printLiteral(node.v)) : printLiteral(node.v);
    case 'var':
      return node.name;
    case 'get':
      return `${print(node.of, 9)}${printField(node.field)}`;
    case 'has':
      return `has(${print(node.of, 9)}${printField(node.field)})`;
    case 'index':
      return `${print(node.of, 9)}[${print(node.by, 0)}]`;
    case 'not':
      return wrap(8, `!${print(node.of, 8)}`);
    case 'neg':
      return wrap(8, `-${print(node.of, 9)}`);
    case 'and':
    case 'or': {
      const level = precedence[node.k] ?? 0;
      return wrap(level, node.args.map((arg) => print(arg, level + 1)).join(node.k === 'and' ? ' && ' : ' || '));
    }
    case 'if':
      return wrap(1, `${print(node.test, 2)} ? ${print(node.then, 1)} : ${print(node.else, 1)}`);
    case 'op': {
      const level = precedence[node.op] ?? 0;
      return wrap(level, `${print(node.left, level)} ${node.op} ${print(node.right, level + 1)}`);
    }
    case 'list':
      return `[${printList(node.items)}]`;
    case 'map':
      return `{${node.entries.map(([key, value]) => `${print(key, 1)}: ${print(value, 1)}`).join(', ')}}`;
    case 'call': {
      const [first, ...rest] = node.args;
      const isMethod = ruleFunctions.get(node.fn)?.style !== 'global' && first !== undefined;
      return isMethod ? `${print(first, 9)}.${node.fn}(${printList(rest)})` : `${node.fn}(${printList(node.args)})`;
    }
    case 'each': {
      const parts = [node.name, ...[node.test, node.result].flatMap((part) => (part ? [print(part, 1)] : []))];
      return `${print(node.of, 9)}.${node.macro}(${parts.join(', ')})`;
    }
  }
}

/** A constant as source that parses to the same value. */
export function printLiteral(value: string | number | boolean | null): string {
  if (typeof value === 'string') return JSON.stringify(value);
  // Whole numbers past 2^63 are no CEL integers; an exponent makes them doubles.
  return typeof value === 'number' && Math.abs(value) >= 2 ** 63 ? value.toExponential() : String(value);
}

/** Prints a field path as source: `ctx.a.b`, or `ctx["a b"]` where a name is not an identifier. */
export function printPath(path: readonly string[]): string {
  return `ctx${path.map(printField).join('')}`;
}

function printField(field: string): string {
  return identifier.test(field) ? `.${field}` : `[${JSON.stringify(field)}]`;
}
