/** A condition as alternatives of conjunctions, each a set of values for every field that it names. */
import type { RuleNode } from '../tree.ts';
import { toFieldPath } from '../types.ts';
import {
  anyValue,
  canBeMap,
  type FieldSet,
  intersect,
  isEmpty,
  isSubset,
  type Literal,
  missing,
  withBound,
} from './field-set.ts';

/**
 * A set for each field (key: JSON of its path) and each other part that is compared (key: its JSON), and parts not
 * understood, as JSON, after `!` if false.
 */
export type Conjunct = { values: ReadonlyMap<string, FieldSet>; opaque: ReadonlySet<string> };

const maxConjuncts = 32;
/** The conjunction of nothing, which every input makes true. */
export const always: Conjunct = { values: new Map(), opaque: new Set() };

/** Converts a condition into equivalent alternatives of conjunctions; null for more than 32. */
export function toDisjunctiveForm(node: RuleNode): Conjunct[] | null {
  return expand(node, true);
}

/** Converts the cases in which a node has the value `wanted`. */
function expand(node: RuleNode, wanted: boolean): Conjunct[] | null {
  if (node.k === 'not') return expand(node.of, !wanted);
  if (node.k === 'lit' && typeof node.v === 'boolean') return node.v === wanted ? [always] : [];
  if (node.k === 'and' || node.k === 'or') {
    const parts = node.args.map((arg) => expand(arg, wanted));
    return (node.k === 'or') === wanted ? union(parts) : product(parts);
  }
  if (node.k === 'if')
    return union([
      product([expand(node.test, true), expand(node.then, wanted)]),
      product([expand(node.test, false), expand(node.else, wanted)]),
    ]);
  const set = readSet(node, wanted);
  return set ?? [{ ...always, opaque: new Set([`${wanted ? '' : '!'}${serializeShape(node)}`]) }];
}

/** Converts a test of one field or of another part; null where it is no comparison with literals. */
function readSet(node: RuleNode, wanted: boolean): Conjunct[] | null {
  if (node.k === 'has') {
    const above = toFieldPath(node.of);
    const key = above && JSON.stringify([...above, node.field]);
    return key === null ? null : [{ ...always, values: new Map([[key, wanted ? anyValue : missing]]) }];
  }
  const comparison = readComparison(node, wanted);
  if (!comparison) return null;
  const { of, set } = comparison;
  return [{ ...always, values: new Map([[findFieldKey(of) ?? serializeShape(of), set]]) }];
}

function union(parts: readonly (Conjunct[] | null)[]): Conjunct[] | null {
  const all = parts.flatMap((part) => part ?? []);
  return parts.includes(null) || all.length > maxConjuncts ? null : all;
}

function product(parts: readonly (Conjunct[] | null)[]): Conjunct[] | null {
  return parts.some((part) => part?.length === 0) ? [] : multiply(parts);
}

/** Multiplies by halves: one part after the other would copy the fields of all before it for each. */
function multiply(parts: readonly (Conjunct[] | null)[]): Conjunct[] | null {
  if (parts.length <= 1) return parts.length === 0 ? [always] : (parts[0] ?? null);
  const middle = parts.length >> 1;
  const left = multiply(parts.slice(0, middle));
  const right = multiply(parts.slice(middle));
  if (left === null || right === null || left.length * right.length > maxConjuncts) return null;
  return left.flatMap((one) => right.map((other) => intersectConjuncts(one, other)));
}

/** Reads a comparison with literals: what is compared, and the values of it for which the comparison is as wanted. */
function readComparison(node: RuleNode, wanted: boolean): { of: RuleNode; set: FieldSet } | null {
  if (findFieldKey(node)) return { of: node, set: { ...anyValue, only: new Set([wanted]) } };
  if (node.k !== 'op') return null;
  if (node.op === 'in') {
    if (node.right.k !== 'list') return null;
    const known = node.right.items.flatMap((item): Literal[] => (item.k === 'lit' ? [item.v] : []));
    if (known.length < node.right.items.length) return null;
    return { of: node.left, set: toSet(known, wanted) };
  }
  const isMirrored = node.left.k === 'lit';
  const [of, literal] = isMirrored ? [node.right, node.left] : [node.left, node.right];
  if (literal.k !== 'lit' || of.k === 'lit') return null;
  const { v } = literal;
  const op = isMirrored ? mirrored[node.op] : node.op;
  if (op === '==' || op === '!=') return { of, set: toSet([v], (op === '==') === wanted) };
  if (typeof v !== 'number' && typeof v !== 'string') return null;
  const order = wanted ? op : opposite[op ?? ''];
  if (order === '<' || order === '<=') return { of, set: withBound('high', { value: v, open: order === '<' }) };
  if (order === '>' || order === '>=') return { of, set: withBound('low', { value: v, open: order === '>' }) };
  return null;
}

const toSet = (values: readonly Literal[], areMeant: boolean): FieldSet =>
  areMeant ? { ...anyValue, only: new Set(values) } : { ...anyValue, not: values };

const mirrored: Record<string, string> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==', '!=': '!=' };
const opposite: Record<string, string> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' };

function findFieldKey(node: RuleNode): string | null {
  const path = toFieldPath(node);
  return path && path.length > 0 ? JSON.stringify(path) : null;
}

/** Writes the tree without its places, so that equal expressions are equal strings. */
function serializeShape(node: RuleNode): string {
  return JSON.stringify(node, (key, value: unknown) => (key === 'at' ? undefined : value));
}

/** The conjunction of two conjuncts: for each field the values that both allow. */
export function intersectConjuncts(a: Conjunct, b: Conjunct): Conjunct {
  const opaque = a.opaque.size === 0 ? b.opaque : new Set([...a.opaque, ...b.opaque]);
  return { values: intersectAll(a.values, b.values), opaque };
}

function intersectAll(a: Conjunct['values'], b: Conjunct['values']): Conjunct['values'] {
  const all = new Map(a);
  for (const [key, set] of b) {
    const known = all.get(key);
    all.set(key, known ? intersect(known, set) : set);
  }
  return all;
}

/** True if no input can make the conjunction true. Where it is of fields alone, false means that some input does. */
export function isImpossible({ values, opaque }: Conjunct): boolean {
  for (const part of opaque) if (opaque.has(`!${part}`)) return true;
  /** The prefix of the keys of fields below a field that is not a map. */
  const closed = new Set<string>();
  for (const [key, set] of values) {
    if (isEmpty(set)) return true;
    if (values.size > 1 && !canBeMap(set)) closed.add(`${key.slice(0, -1)},`);
  }
  for (const key of values.keys()) {
    for (let at = key.indexOf('",'); at >= 0; at = key.indexOf('",', at + 1)) {
      if (closed.has(key.slice(0, at + 2))) return true;
    }
  }
  return false;
}

/** True if `b` is true whenever `a` is; false also where that is not certain. */
export function implies(a: Conjunct, b: Conjunct): boolean {
  for (const part of b.opaque) if (!a.opaque.has(part)) return false;
  for (const [key, set] of b.values) {
    const known = a.values.get(key);
    if (!known || !isSubset(known, set)) return false;
  }
  return true;
}
