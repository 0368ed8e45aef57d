/** The syntax tree of a rule as it is kept in `rules.json`, and the check that a tree from outside is one. */

/** Range of the source in code points: start, end. */
export type At = readonly [number, number];

export const binaryOperators = ['+', '-', '*', '/', '%', '<', '<=', '>', '>=', '==', '!=', 'in'] as const;
export type BinaryOperator = (typeof binaryOperators)[number];
export const macros = ['all', 'exists', 'exists_one', 'map', 'filter'] as const;
export type Macro = (typeof macros)[number];

export type RuleNode =
  | { k: 'lit'; v: string | number | boolean | null; at: At }
  | { k: 'var'; name: string; at: At }
  | { k: 'get'; of: RuleNode; field: string; at: At }
  | { k: 'has'; of: RuleNode; field: string; at: At }
  | { k: 'index'; of: RuleNode; by: RuleNode; at: At }
  | { k: 'not' | 'neg'; of: RuleNode; at: At }
  | { k: 'and' | 'or'; args: RuleNode[]; at: At }
  | { k: 'if'; test: RuleNode; then: RuleNode; else: RuleNode; at: At }
  | { k: 'op'; op: BinaryOperator; left: RuleNode; right: RuleNode; at: At }
  | { k: 'list'; items: RuleNode[]; at: At }
  | { k: 'map'; entries: [RuleNode, RuleNode][]; at: At }
  | { k: 'call'; fn: string; args: RuleNode[]; at: At }
  | { k: 'each'; macro: Macro; of: RuleNode; name: string; test: RuleNode | null; result: RuleNode | null; at: At };

export const ruleLimits = {
  sourceBytes: 4096,
  depth: 24,
  nodes: 500,
  comprehensionDepth: 2,
  comprehensionElements: 1000,
  steps: 100_000,
  /** Longest text (code points) and list that `+` may make. */
  textLength: 262_144,
  listLength: 10_000,
  /** Instructions of a compiled pattern. */
  patternSize: 5000,
} as const;

/** The nodes directly below a node, in source order. */
export function listChildren(node: RuleNode): RuleNode[] {
  switch (node.k) {
    case 'lit':
    case 'var':
      return [];
    case 'get':
    case 'has':
    case 'not':
    case 'neg':
      return [node.of];
    case 'index':
      return [node.of, node.by];
    case 'and':
    case 'or':
    case 'call':
      return node.args;
    case 'if':
      return [node.test, node.then, node.else];
    case 'op':
      return [node.left, node.right];
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flat();
    case 'each':
      return [node.of, ...(node.test ? [node.test] : []), ...(node.result ? [node.result] : [])];
  }
}

/** Number of nodes of a tree: also the steps that one round of a comprehension over it takes. */
export function measureWeight(node: RuleNode): number {
  let weight = 1;
  for (const child of listChildren(node)) weight += measureWeight(child);
  return weight;
}

/** Nodes above one another, the root included. */
export function measureDepth(node: RuleNode): number {
  let depth = 0;
  for (const child of listChildren(node)) depth = Math.max(depth, measureDepth(child));
  return depth + 1;
}

type Shape = { [key: string]: unknown };

/**
 * Reads a tree that came from a file. Answers null where anything is not as the compiler makes it:
 * an unknown kind, an unknown function, a loop variable out of its scope, or a limit passed.
 */
export function readTree(value: unknown, isFunction: (name: string, arity: number) => boolean): RuleNode | null {
  let nodes = 0;
  const scope: string[] = ['ctx'];
  const read = (input: unknown, depth: number): RuleNode => {
    if (++nodes > ruleLimits.nodes || depth > ruleLimits.depth) throw new RangeError('limit');
    if (typeof input !== 'object' || input === null || Array.isArray(input)) throw new TypeError('node');
    const node = input as Shape;
    const at = readAt(node.at);
    const below = (child: unknown) => read(child, depth + 1);
    switch (node.k) {
      case 'lit': {
        const v = node.v;
        if (
          v !== null &&
          typeof v !== 'string' &&
          typeof v !== 'boolean' &&
          !(typeof v === 'number' && Number.isFinite(v))
        )
          throw new TypeError('lit');
        return { k: 'lit', v, at };
      }
      case 'var': {
        const name = text(node.name);
        if (!scope.includes(name)) throw new TypeError('var');
        return { k: 'var', name, at };
      }
      case 'get':
      case 'has':
        return { k: node.k, of: below(node.of), field: text(node.field), at };
      case 'index':
        return { k: 'index', of: below(node.of), by: below(node.by), at };
      case 'not':
      case 'neg':
        return { k: node.k, of: below(node.of), at };
      case 'and':
      case 'or':
        return { k: node.k, args: list(node.args).map(below), at };
      case 'if':
        return { k: 'if', test: below(node.test), then: below(node.then), else: below(node.else), at };
      case 'op': {
        const op = binaryOperators.find((known) => known === node.op);
        if (!op) throw new TypeError('op');
        return { k: 'op', op, left: below(node.left), right: below(node.right), at };
      }
      case 'list':
        return { k: 'list', items: list(node.items).map(below), at };
      case 'map':
        return {
          k: 'map',
          entries: list(node.entries).map((entry) => {
            const [key, item, ...rest] = list(entry);
            if (rest.length > 0) throw new TypeError('entry');
            return [below(key), below(item)];
          }),
          at,
        };
      case 'call': {
        const fn = text(node.fn);
        const args = list(node.args).map(below);
        const pattern = args[1];
        if (!isFunction(fn, args.length)) throw new TypeError('call');
        if (fn === 'matches' && !(pattern?.k === 'lit' && typeof pattern.v === 'string'))
          throw new TypeError('matches');
        return { k: 'call', fn, args, at };
      }
      case 'each': {
        const macro = macros.find((known) => known === node.macro);
        const name = text(node.name);
        if (!macro || name === 'ctx' || scope.length > ruleLimits.comprehensionDepth) throw new TypeError('each');
        const of = below(node.of);
        scope.push(name);
        const test = node.test === null ? null : below(node.test);
        const result = node.result === null ? null : below(node.result);
        scope.pop();
        if (macro === 'map' ? !result : !test || result) throw new TypeError('each');
        return { k: 'each', macro, of, name, test, result, at };
      }
      default:
        throw new TypeError('kind');
    }
  };
  try {
    return read(value, 1);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}

function readAt(value: unknown): At {
  const [start, end] = list(value);
  if (!Number.isInteger(start) || !Number.isInteger(end)) throw new TypeError('at');
  return [Number(start), Number(end)];
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('text');
  return value;
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError('list');
  return value;
}
