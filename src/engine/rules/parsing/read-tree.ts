import { isJsonObject, type JsonObject } from '../../json.ts';
import { isFunctionCall } from '../functions.ts';
import { ruleLimits } from '../rule-limits.ts';
import { type At, binaryOperators, macros, type RuleNode } from '../tree.ts';

/** One tree being read: its nodes so far, and the variables that may be named at this place. */
type TreeContext = { nodes: number; readonly scope: string[] };

/** Reads a tree from a file, or null where the compiler would not make it; patterns are not compiled. */
export function readTree(value: unknown): RuleNode | null {
  try {
    return readNode(value, 1, { nodes: 0, scope: ['ctx'] });
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}

function readNode(node: unknown, depth: number, context: TreeContext): RuleNode {
  if (++context.nodes > ruleLimits.maxNodes || depth > ruleLimits.maxDepth) throw new RangeError('limit');
  if (!isJsonObject(node)) throw new TypeError('node');
  const at = readPlace(node.at);
  const readChild = (child: unknown) => readNode(child, depth + 1, context);
  switch (node.k) {
    case 'lit':
      return { k: 'lit', v: readLiteral(node.v), at };
    case 'var': {
      const name = readString(node.name);
      if (!context.scope.includes(name)) throw new TypeError('var');
      return { k: 'var', name, at };
    }
    case 'get':
    case 'has':
      return { k: node.k, of: readChild(node.of), field: readString(node.field), at };
    case 'index':
      return { k: 'index', of: readChild(node.of), by: readChild(node.by), at };
    case 'not':
    case 'neg':
      return { k: node.k, of: readChild(node.of), at };
    case 'and':
    case 'or':
      return { k: node.k, args: readList(node.args).map(readChild), at };
    case 'if':
      return { k: 'if', test: readChild(node.test), then: readChild(node.then), else: readChild(node.else), at };
    case 'op':
      return {
        k: 'op',
        op: readOneOf(binaryOperators, node.op),
        left: readChild(node.left),
        right: readChild(node.right),
        at,
      };
    case 'list':
      return { k: 'list', items: readList(node.items).map(readChild), at };
    case 'map':
      return { k: 'map', entries: readList(node.entries).map((entry) => readEntry(entry, readChild)), at };
    case 'call':
      return readCall(node, at, readChild);
    case 'each':
      return readComprehension(node, at, readChild, context);
    default:
      throw new TypeError('kind');
  }
}

type ReadChild = (value: unknown) => RuleNode;

function readEntry(value: unknown, readChild: ReadChild): [RuleNode, RuleNode] {
  const [key, member, ...rest] = readList(value);
  if (rest.length > 0) throw new TypeError('entry');
  return [readChild(key), readChild(member)];
}

function readCall(node: JsonObject, at: At, readChild: ReadChild): RuleNode {
  const fn = readString(node.fn);
  const args = readList(node.args).map(readChild);
  if (!isFunctionCall(fn, args.length)) throw new TypeError('call');
  const pattern = args[1];
  if (fn === 'matches' && !(pattern?.k === 'lit' && typeof pattern.v === 'string')) throw new TypeError('matches');
  return { k: 'call', fn, args, at };
}

function readComprehension(node: JsonObject, at: At, readChild: ReadChild, { scope }: TreeContext): RuleNode {
  const macro = readOneOf(macros, node.macro);
  const name = readString(node.name);
  if (name === 'ctx' || scope.length > ruleLimits.maxComprehensionDepth) throw new TypeError('each');
  const of = readChild(node.of);
  scope.push(name);
  const test = node.test === null ? null : readChild(node.test);
  const result = node.result === null ? null : readChild(node.result);
  scope.pop();
  if (macro === 'map' ? !result : !test || result) throw new TypeError('each');
  return { k: 'each', macro, of, name, test, result, at };
}

function readLiteral(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError('lit');
}

function readPlace(value: unknown): At {
  const [start, end] = readList(value);
  if (!Number.isInteger(start) || !Number.isInteger(end)) throw new TypeError('at');
  return [Number(start), Number(end)];
}

function readOneOf<T extends string>(names: readonly T[], value: unknown): T {
  const found = names.find((name) => name === value);
  if (!found) throw new TypeError('name');
  return found;
}

function readString(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('string');
  return value;
}

function readList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new TypeError('list');
  return value;
}
