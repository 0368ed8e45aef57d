/** Sets of values that a field may have for a condition to hold: the arithmetic behind the rule checks. */
import type { RuleNode } from './tree.ts';
import { pathOf } from './types.ts';

export type Literal = string | number | boolean | null;
/** What one field may be. `only` null: anything but `not`; bounds hold for numbers and then exclude other types. */
export type FieldSet = {
  only: readonly Literal[] | null;
  not: readonly Literal[];
  low: Bound | null;
  high: Bound | null;
};
type Bound = { value: number; open: boolean };
/** A conjunction: a set for each field (key: JSON of its path) and what could not be understood, as text with its sign. */
export type Conjunct = { fields: ReadonlyMap<string, FieldSet>; opaque: ReadonlySet<string> };

const anything: FieldSet = { only: null, not: [], low: null, high: null };
const mostConjuncts = 32;

/**
 * The condition as alternatives of conjunctions, true on exactly the inputs on which the condition is true, as far
 * as each part is understood. Null when there are too many alternatives.
 */
export function conjunctsOf(node: RuleNode): Conjunct[] | null {
  return alternatives(node, true);
}

function alternatives(node: RuleNode, wanted: boolean): Conjunct[] | null {
  if (node.k === 'not') return alternatives(node.of, !wanted);
  if (node.k === 'lit' && typeof node.v === 'boolean')
    return node.v === wanted ? [{ fields: new Map(), opaque: new Set() }] : [];
  if (node.k === 'and' || node.k === 'or') {
    const parts = node.args.map((arg) => alternatives(arg, wanted));
    if ((node.k === 'or') === wanted) {
      const union = parts.flatMap((part) => part ?? []);
      return parts.includes(null) || union.length > mostConjuncts ? null : union;
    }
    let product: Conjunct[] = [{ fields: new Map(), opaque: new Set() }];
    for (const part of parts) {
      if (part === null) return null;
      product = product.flatMap((left) => part.map((right) => both(left, right)));
      if (product.length > mostConjuncts) return null;
    }
    return product;
  }
  const atom = atomOf(node, wanted);
  if (atom) return [{ fields: new Map([[atom.key, atom.set]]), opaque: new Set() }];
  return [{ fields: new Map(), opaque: new Set([`${wanted ? '' : '!'}${shapeOf(node)}`]) }];
}

function atomOf(node: RuleNode, wanted: boolean): { key: string; set: FieldSet } | null {
  const path = pathOf(node);
  if (path && path.length > 0) return { key: JSON.stringify(path), set: { ...anything, only: [wanted] } };
  if (node.k !== 'op') return null;
  if (node.op === 'in') {
    const key = keyOf(node.left);
    if (!key || node.right.k !== 'list') return null;
    const values = node.right.items.map((item) => (item.k === 'lit' ? item.v : undefined));
    if (values.includes(undefined)) return null;
    const known = values.filter((value): value is Literal => value !== undefined);
    return { key, set: wanted ? { ...anything, only: known } : { ...anything, not: known } };
  }
  const left = keyOf(node.left);
  const right = keyOf(node.right);
  const key = left ?? right;
  const literal = left ? node.right : node.left;
  if (!key || literal.k !== 'lit') return null;
  const op = left ? node.op : mirrored[node.op];
  const { v } = literal;
  if (op === '==' || op === '!=')
    return { key, set: (op === '==') === wanted ? { ...anything, only: [v] } : { ...anything, not: [v] } };
  if (typeof v !== 'number') return null;
  switch (wanted ? op : opposite[op ?? '']) {
    case '<':
      return { key, set: { ...anything, high: { value: v, open: true } } };
    case '<=':
      return { key, set: { ...anything, high: { value: v, open: false } } };
    case '>':
      return { key, set: { ...anything, low: { value: v, open: true } } };
    case '>=':
      return { key, set: { ...anything, low: { value: v, open: false } } };
    default:
      return null;
  }
}

const mirrored: Record<string, string> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '==': '==', '!=': '!=' };
const opposite: Record<string, string> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' };

function keyOf(node: RuleNode): string | null {
  const path = pathOf(node);
  return path && path.length > 0 ? JSON.stringify(path) : null;
}

/** The tree without its places, so that equal expressions have equal text. */
function shapeOf(node: RuleNode): string {
  return JSON.stringify(node, (key, value: unknown) => (key === 'at' ? undefined : value));
}

/** Both conjunctions at once. */
export function both(a: Conjunct, b: Conjunct): Conjunct {
  const fields = new Map(a.fields);
  for (const [key, set] of b.fields) fields.set(key, meet(fields.get(key) ?? anything, set));
  return { fields, opaque: new Set([...a.opaque, ...b.opaque]) };
}

/** Values that are in both sets. */
export function meet(a: FieldSet, b: FieldSet): FieldSet {
  const set: FieldSet = {
    only: a.only && b.only ? a.only.filter((value) => b.only?.includes(value)) : (a.only ?? b.only),
    not: [...new Set([...a.not, ...b.not])],
    low: tighter(a.low, b.low, 1),
    high: tighter(a.high, b.high, -1),
  };
  return set.only ? { ...set, only: set.only.filter((value) => holds({ ...set, only: null }, value)) } : set;
}

function tighter(a: Bound | null, b: Bound | null, sign: 1 | -1): Bound | null {
  if (!a || !b) return a ?? b;
  if (a.value === b.value) return { value: a.value, open: a.open || b.open };
  return (a.value - b.value) * sign > 0 ? a : b;
}

/** True if the value is in the set. */
export function holds(set: FieldSet, value: Literal): boolean {
  if (set.only && !set.only.includes(value)) return false;
  if (set.not.includes(value)) return false;
  const { low, high } = set;
  if (!low && !high) return true;
  if (typeof value !== 'number') return false;
  if (low && (low.open ? value <= low.value : value < low.value)) return false;
  return !(high && (high.open ? value >= high.value : value > high.value));
}

/** True if no value is in the set. */
export function isEmpty(set: FieldSet): boolean {
  if (set.only) return !set.only.some((value) => holds(set, value));
  const { low, high } = set;
  if (!low || !high) return false;
  if (low.value > high.value) return true;
  return low.value === high.value && (low.open || high.open || set.not.includes(low.value));
}

/** True if nothing can make the conjunction true. */
export function isImpossible(conjunct: Conjunct): boolean {
  for (const part of conjunct.opaque) if (conjunct.opaque.has(`!${part}`)) return true;
  return [...conjunct.fields.values()].some(isEmpty);
}

/** True if `b` holds whenever `a` does. */
export function implies(a: Conjunct, b: Conjunct): boolean {
  for (const part of b.opaque) if (!a.opaque.has(part)) return false;
  for (const [key, set] of b.fields) {
    const known = a.fields.get(key);
    if (!known || !within(known, set)) return false;
  }
  return true;
}

function within(a: FieldSet, b: FieldSet): boolean {
  if (a.only) return a.only.every((value) => !holds(a, value) || holds(b, value));
  if (b.only) return false;
  if (b.low && !(a.low && (a.low.value > b.low.value || (a.low.value === b.low.value && (a.low.open || !b.low.open)))))
    return false;
  if (
    b.high &&
    !(a.high && (a.high.value < b.high.value || (a.high.value === b.high.value && (a.high.open || !b.high.open))))
  )
    return false;
  return b.not.every((value) => !holds(a, value));
}
