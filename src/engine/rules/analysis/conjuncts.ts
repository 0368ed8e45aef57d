/** A condition as alternatives of conjunctions, each a set of values for every field that it speaks of. */

import type { RuleNode } from '../tree.ts';
import { toFieldPath } from '../types.ts';
import { absent, anything, canBeMap, type FieldSet, isEmpty, type Literal, meet, within } from './ranges.ts';

/** A conjunction: a set for each field (key: JSON of its path) and what could not be understood, as text with its sign. */
export type Conjunct = { fields: ReadonlyMap<string, FieldSet>; opaque: ReadonlySet<string> };

const maxConjuncts = 32;
const always: Conjunct = { fields: new Map(), opaque: new Set() };

/**
 * The condition as alternatives of conjunctions, true on exactly the inputs on which the condition is true, as far
 * as each part is understood. Null when there are too many alternatives.
 */
export function splitConjuncts(node: RuleNode): Conjunct[] | null {
  return alternatives(node, true);
}

function alternatives(node: RuleNode, wanted: boolean): Conjunct[] | null {
  if (node.k === 'not') return alternatives(node.of, !wanted);
  if (node.k === 'lit' && typeof node.v === 'boolean') return node.v === wanted ? [always] : [];
  if (node.k === 'and' || node.k === 'or') {
    const parts = node.args.map((arg) => alternatives(arg, wanted));
    return (node.k === 'or') === wanted ? union(parts) : product(parts);
  }
  if (node.k === 'if')
    return union([
      product([alternatives(node.test, true), alternatives(node.then, wanted)]),
      product([alternatives(node.test, false), alternatives(node.else, wanted)]),
    ]);
  const atom = atomOf(node, wanted);
  if (atom) return [{ fields: new Map([[atom.key, atom.set]]), opaque: new Set() }];
  return [{ fields: new Map(), opaque: new Set([`${wanted ? '' : '!'}${shapeOf(node)}`]) }];
}

function union(parts: readonly (Conjunct[] | null)[]): Conjunct[] | null {
  const all = parts.flatMap((part) => part ?? []);
  return parts.includes(null) || all.length > maxConjuncts ? null : all;
}

function product(parts: readonly (Conjunct[] | null)[]): Conjunct[] | null {
  let all: Conjunct[] = [always];
  for (const part of parts) {
    if (part === null) return null;
    all = all.flatMap((left) => part.map((right) => both(left, right)));
    if (all.length > maxConjuncts) return null;
  }
  return all;
}

function atomOf(node: RuleNode, wanted: boolean): { key: string; set: FieldSet } | null {
  const plain = keyOf(node);
  if (plain) return { key: plain, set: { ...anything, only: [wanted] } };
  if (node.k === 'has') {
    const above = toFieldPath(node.of);
    return above && { key: JSON.stringify([...above, node.field]), set: wanted ? anything : absent };
  }
  if (node.k !== 'op') return null;
  if (node.op === 'in') {
    const key = keyOf(node.left);
    if (!key || node.right.k !== 'list') return null;
    const known = node.right.items.flatMap((item): Literal[] => (item.k === 'lit' ? [item.v] : []));
    if (known.length < node.right.items.length) return null;
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
  const path = toFieldPath(node);
  return path && path.length > 0 ? JSON.stringify(path) : null;
}

/** The tree without its places, so that equal expressions have equal text. */
function shapeOf(node: RuleNode): string {
  return JSON.stringify(node, (key, value: unknown) => (key === 'at' ? undefined : value));
}

/** Both conjunctions at once. */
export function both(a: Conjunct, b: Conjunct): Conjunct {
  const fields = new Map(a.fields);
  for (const [key, set] of b.fields) {
    const known = fields.get(key);
    fields.set(key, known ? meet(known, set) : set);
  }
  return { fields, opaque: new Set([...a.opaque, ...b.opaque]) };
}

/** True if no input can make the conjunction true. Where nothing of it is opaque, false means that some input does. */
export function isImpossible({ fields, opaque }: Conjunct): boolean {
  for (const part of opaque) if (opaque.has(`!${part}`)) return true;
  for (const [key, set] of fields) {
    if (isEmpty(set)) return true;
    if (canBeMap(set)) continue;
    const start = `${key.slice(0, -1)},`;
    for (const below of fields.keys()) if (below.startsWith(start)) return true;
  }
  return false;
}

/** True if `b` holds whenever `a` does; false also where that is not certain. */
export function implies(a: Conjunct, b: Conjunct): boolean {
  for (const part of b.opaque) if (!a.opaque.has(part)) return false;
  for (const [key, set] of b.fields) {
    const known = a.fields.get(key);
    if (!known || !within(known, set)) return false;
  }
  return true;
}
