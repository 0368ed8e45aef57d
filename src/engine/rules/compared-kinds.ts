/** Kinds of fields by what rules compare them with, where nothing else says more of a field. */
import { ruleFunctions } from './functions.ts';
import { listChildren, type RuleNode } from './tree.ts';
import { toFieldPath } from './types.ts';

type ComparedKind = 'number' | 'boolean' | 'category';
const kindsByType = { number: 'number', boolean: 'boolean', string: 'category' } as const;
const kindsByName = new Map<string, ComparedKind>([
  ['number', 'number'],
  ['text', 'category'],
  ['bool', 'boolean'],
]);

/** The kinds of the paths that rules compare with values of one kind alone, by the JSON of each path. */
export function findComparedKinds(trees: readonly RuleNode[]): ReadonlyMap<string, ComparedKind> {
  const found = new Map<string, Set<ComparedKind>>();
  const note = (node: RuleNode, kind: ComparedKind | null) => {
    const path = toFieldPath(node);
    if (path === null || path.length === 0 || kind === null) return;
    const key = JSON.stringify(path);
    found.set(key, (found.get(key) ?? new Set()).add(kind));
  };
  const walk = (node: RuleNode): void => {
    for (const [child, kind] of listCompared(node)) note(child, kind);
    for (const child of listChildren(node)) walk(child);
  };
  for (const tree of trees) {
    note(tree, 'boolean');
    walk(tree);
  }
  return new Map(
    [...found].flatMap(([key, kinds]) => [...kinds].slice(0, kinds.size === 1 ? 1 : 0).map((kind) => [key, kind])),
  );
}

/** The nodes below a node with the kind that it compares each with, null where it does not tell. */
function listCompared(node: RuleNode): [RuleNode, ComparedKind | null][] {
  switch (node.k) {
    case 'not':
      return [[node.of, 'boolean']];
    case 'neg':
      return [[node.of, 'number']];
    case 'and':
    case 'or':
      return node.args.map((arg) => [arg, 'boolean']);
    case 'if':
      return [[node.test, 'boolean']];
    case 'call':
      return node.args.map((arg, at) => {
        const [type, other] = ruleFunctions.get(node.fn)?.args[at] ?? [];
        return [arg, other === undefined ? (kindsByName.get(type ?? '') ?? null) : null];
      });
    case 'op':
      if (node.op === 'in') return node.right.k === 'list' ? [[node.left, findKind(node.right.items)]] : [];
      return [
        [node.left, findKind([node.right])],
        [node.right, findKind([node.left])],
      ];
    default:
      return [];
  }
}

/** The kind of literals that are all of one kind; null of others. */
function findKind(nodes: readonly RuleNode[]): ComparedKind | null {
  const kinds = new Set(nodes.map(findKindOfOne));
  const [kind = null] = kinds;
  return kinds.size === 1 ? kind : null;
}

function findKindOfOne(node: RuleNode): ComparedKind | null {
  if (node.k === 'neg') return 'number';
  if (node.k !== 'lit' || node.v === null) return null;
  return kindsByType[typeof node.v as keyof typeof kindsByType];
}
