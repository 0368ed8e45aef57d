/** A condition as alternatives of conjunctions, each a set of values for every field that it names. */
import type { RuleNode } from '../tree.ts';
import { toFieldPath } from '../types.ts';
import { anyValue, canBeMap, type FieldSet, intersect, isEmpty, isSubset, type Literal, missing } from './field-set.ts';

/** A set for each field (key: JSON of its path), and parts not understood, as JSON, after `!` if false. */
export type Conjunct = { fields: ReadonlyMap<string, FieldSet>; opaque: ReadonlySet<string> };

const maxConjuncts = 32;
const always: Conjunct = { fields: new Map(), opaque: new Set() };

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
  const comparison = readComparison(node, wanted);
  if (comparison) return [{ fields: new Map([[comparison.key, comparison.set]]), opaque: new Set() }];
  return [{ fields: new Map(), opaque: new Set([`${wanted ? '' : '!'}${serializeShape(node)}`]) }];
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

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch per form of a comparison reads best in one place
function readComparison(node: RuleNode, wanted: boolean): { key: string; set: FieldSet } | null {
  const plain = findFieldKey(node);
  if (plain) return { key: plain, set: { ...anyValue, only: new Set([wanted]) } };
  if (node.k === 'has') {
    const above = toFieldPath(node.of);
    return above && { key: JSON.stringify([...above, node.field]), set: wanted ? anyValue : missing };
  }
  if (node.k !== 'op') return null;
  if (node.op === 'in') {
    const key = findFieldKey(node.left);
    if (!key || node.right.k !== 'list') return null;
    const known = node.right.items.flatMap((item): Literal[] => (item.k === 'lit' ? [item.v] : []));
    if (known.length < node.right.items.length) return null;
    return { key, set: wanted ? { ...anyValue, only: new Set(known) } : { ...anyValue, not: known } };
  }
  const left = findFieldKey(node.left);
  const right = findFieldKey(node.right);
  const key = left ?? right;
  const literal = left ? node.right : node.left;
  if (!key || literal.k !== 'lit') return null;
  const op = left ? node.op : mirrored[node.op];
  const { v } = literal;
  if (op === '==' || op === '!=')
    return { key, set: (op === '==') === wanted ? { ...anyValue, only: new Set([v]) } : { ...anyValue, not: [v] } };
  if (typeof v !== 'number') return null;
  switch (wanted ? op : opposite[op ?? '']) {
    case '<':
      return { key, set: { ...anyValue, high: { value: v, open: true } } };
    case '<=':
      return { key, set: { ...anyValue, high: { value: v, open: false } } };
    case '>':
      return { key, set: { ...anyValue, low: { value: v, open: true } } };
    case '>=':
      return { key, set: { ...anyValue, low: { value: v, open: false } } };
    default:
      return null;
  }
}

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
  const fields = new Map(a.fields);
  for (const [key, set] of b.fields) {
    const known = fields.get(key);
    fields.set(key, known ? intersect(known, set) : set);
  }
  const opaque = a.opaque.size === 0 ? b.opaque : new Set([...a.opaque, ...b.opaque]);
  return { fields, opaque };
}

/** True if no input can make the conjunction true. Where nothing of it is opaque, false means that some input does. */
export function isImpossible({ fields, opaque }: Conjunct): boolean {
  for (const part of opaque) if (opaque.has(`!${part}`)) return true;
  /** The prefix of the keys of fields below a field that is not a map. */
  const closed = new Set<string>();
  for (const [key, set] of fields) {
    if (isEmpty(set)) return true;
    if (fields.size > 1 && !canBeMap(set)) closed.add(`${key.slice(0, -1)},`);
  }
  for (const key of fields.keys()) {
    for (let at = key.indexOf('",'); at >= 0; at = key.indexOf('",', at + 1)) {
      if (closed.has(key.slice(0, at + 2))) return true;
    }
  }
  return false;
}

/** True if `b` is true whenever `a` is; false also where that is not certain. */
export function implies(a: Conjunct, b: Conjunct): boolean {
  for (const part of b.opaque) if (!a.opaque.has(part)) return false;
  for (const [key, set] of b.fields) {
    const known = a.fields.get(key);
    if (!known || !isSubset(known, set)) return false;
  }
  return true;
}
