/** The syntax tree of a rule, as `rules.json` keeps it. */

/** A range of the source in code points: start and end, the end exclusive. */
export type At = readonly [number, number];

export const binaryOperators = ['+', '-', '*', '/', '%', '<', '<=', '>', '>=', '==', '!=', 'in'] as const;
export type BinaryOperator = (typeof binaryOperators)[number];
/** The comprehensions of CEL, written `list.all(x, test)`. */
export const macros = ['all', 'exists', 'exists_one', 'map', 'filter'] as const;
export type Macro = (typeof macros)[number];

/** A node: `k` is its kind and `at` its place in the source. */
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

/** Lists the nodes directly below a node, in source order. */
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

/** Counts the nodes of a tree, which are also the steps that one round of a comprehension over it takes. */
export function measureWeight(node: RuleNode): number {
  let weight = 1;
  for (const child of listChildren(node)) weight += measureWeight(child);
  return weight;
}

/** Counts the nodes above one another, the root included. */
export function measureDepth(node: RuleNode): number {
  let depth = 0;
  for (const child of listChildren(node)) depth = Math.max(depth, measureDepth(child));
  return depth + 1;
}
