/** The table view of a condition: rows of field, comparison and value that must all be true. */
import { parseCondition } from '../parse.ts';
import { printLiteral, printPath } from '../print.ts';
import { hasComment } from '../source.ts';
import type { RuleNode } from '../tree.ts';
import { toFieldPath } from '../types.ts';

type Literal = string | number | boolean | null;
/** The tests of a row that are operators with one literal. */
export const comparisons = ['==', '!=', '<', '<=', '>', '>='] as const;
/** One row: a field, a test of it, and the value it is tested with. */
export type TableRow =
  | { path: string[]; test: (typeof comparisons)[number]; value: Literal }
  | { path: string[]; test: 'in'; value: Literal[] }
  | { path: string[]; test: 'contains' | 'startsWith' | 'endsWith'; value: string }
  | { path: string[]; test: 'present' }
  | { path: string[]; test: 'absent' };

/** Converts a condition into rows; null where it is more than comparisons joined by `&&`. */
export function toTable(condition: string): TableRow[] | null {
  const { ast } = parseCondition(condition);
  if (!ast || hasComment(condition)) return null;
  const rows = (ast.k === 'and' ? ast.args : [ast]).map(readRow);
  return rows.every((row) => row !== null) ? rows : null;
}

/** Converts rows into the condition that they stand for; '' without rows. */
export function toCondition(rows: readonly TableRow[]): string {
  return rows.map(printRow).join(' && ');
}

function printRow(row: TableRow): string {
  const path = printPath(row.path);
  if (row.test === 'present') return `has(${path})`;
  if (row.test === 'absent') return `!has(${path})`;
  if (row.test === 'in') return `${path} in [${row.value.map(printLiteral).join(', ')}]`;
  if (row.test === 'contains' || row.test === 'startsWith' || row.test === 'endsWith')
    return `${path}.${row.test}(${printLiteral(row.value)})`;
  return `${path} ${row.test} ${printLiteral(row.value)}`;
}

function readRow(node: RuleNode): TableRow | null {
  if (node.k === 'has') return readPresence(node, 'present');
  if (node.k === 'not') return node.of.k === 'has' ? readPresence(node.of, 'absent') : null;
  if (node.k === 'call') {
    const [of, part] = node.args;
    const path = of && toFieldPath(of);
    const test = (['contains', 'startsWith', 'endsWith'] as const).find((name) => name === node.fn);
    return path?.length && test && part?.k === 'lit' && typeof part.v === 'string'
      ? { path, test, value: part.v }
      : null;
  }
  if (node.k !== 'op') return null;
  const path = toFieldPath(node.left);
  if (!path?.length) return null;
  if (node.op === 'in') {
    if (node.right.k !== 'list') return null;
    const value = node.right.items.flatMap((item) => (item.k === 'lit' ? [item.v] : []));
    return value.length === node.right.items.length ? { path, test: 'in', value } : null;
  }
  const test = comparisons.find((known) => known === node.op);
  return test && node.right.k === 'lit' ? { path, test, value: node.right.v } : null;
}

function readPresence(node: RuleNode & { k: 'has' }, test: 'present' | 'absent'): TableRow | null {
  const above = toFieldPath(node.of);
  return above ? { path: [...above, node.field], test } : null;
}
