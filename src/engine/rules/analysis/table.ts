/** The table view of a condition: rows of field, test and value that must all be true. */
import { foldCase } from '../../code-points.ts';
import { printDays, printSubject, readDays, type Subject } from '../days.ts';
import { parseCondition } from '../parsing/parse.ts';
import { printLiteral, printPath } from '../parsing/print.ts';
import { hasComment } from '../source.ts';
import type { RuleNode } from '../tree.ts';
import { toFieldPath } from '../types.ts';
import type { Literal } from './field-set.ts';

/** The tests of a row that are operators with one literal. */
const comparisons = ['==', '!=', '<', '<=', '>', '>='] as const;
/** Tests of texts, true for any of the values; `mentions` and `is` ignore case: their values are folded. */
const textTests = ['contains', 'startsWith', 'endsWith', 'mentions', 'is'] as const;
type TextTest = (typeof textTests)[number];
/** One row: a field, a test and its value. `empty` is missing, null or '', `filled` its opposite. */
export type TableRow =
  | (Subject & { test: (typeof comparisons)[number]; value: Literal })
  | { path: string[]; test: 'in' | 'not in'; value: Literal[] }
  | { path: string[]; test: 'in list' | 'not in list'; list: string }
  | { path: string[]; test: TextTest; value: string[] }
  | { path: string[]; test: 'present' | 'absent' | 'empty' | 'filled' };

/** Converts a condition into rows; null where it is more than tests of single fields joined by `&&`. */
export function toTable(condition: string): TableRow[] | null {
  const { ast } = parseCondition(condition);
  if (!ast || hasComment(condition)) return null;
  const rows = (ast.k === 'and' ? ast.args : [ast]).map(readRow);
  return rows.every((row) => row !== null) ? joinFilled(rows) : null;
}

/** Converts rows into the condition that they stand for; '' without rows. */
export function toCondition(rows: readonly TableRow[]): string {
  const isWrapped = (row: TableRow) => rows.length > 1 && hasAlternatives(row);
  return rows.map((row) => (isWrapped(row) ? `(${printRow(row)})` : printRow(row))).join(' && ');
}

function hasAlternatives(row: TableRow): boolean {
  return (
    row.test === 'empty' ||
    (row.test !== 'is' && textTests.some((test) => test === row.test) && 'value' in row && isSeveral(row.value))
  );
}

const isSeveral = (value: Literal | Literal[]) => Array.isArray(value) && value.length > 1;

/** Whether two paths name the same field. */
export const isSamePath = (a: readonly string[], b: readonly string[]) => printPath(a) === printPath(b);

/** Reads `has(field) && !(field in [null, ""])` as one row. */
function joinFilled(rows: readonly TableRow[]): TableRow[] {
  const isNext = (row: TableRow | undefined, { path, test }: TableRow) =>
    test === 'present' && row?.test === 'not in' && isSamePath(path, row.path) && isEmptyList(row.value);
  return rows.flatMap((row, index): TableRow[] => {
    const before = rows[index - 1];
    if (isNext(rows[index + 1], row)) return [{ path: row.path, test: 'filled' }];
    return before && isNext(row, before) ? [] : [row];
  });
}

const isEmptyList = (value: readonly Literal[]) => value.length === 2 && value[0] === null && value[1] === '';

function printRow(row: TableRow): string {
  const path = printPath(row.path);
  const inEmpty = `${path} in [null, ""]`;
  switch (row.test) {
    case 'present':
      return `has(${path})`;
    case 'absent':
      return `!has(${path})`;
    case 'empty':
      return `!has(${path}) || ${inEmpty}`;
    case 'filled':
      return `has(${path}) && !(${inEmpty})`;
    case 'in':
      return `${path} in [${row.value.map(printLiteral).join(', ')}]`;
    case 'not in':
      return `!(${path} in [${row.value.map(printLiteral).join(', ')}])`;
    case 'in list':
      return `${path} in lists.${row.list}`;
    case 'not in list':
      return `!(${path} in lists.${row.list})`;
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return row.value.map((value) => `${path}.${row.test}(${printLiteral(value)})`).join(' || ');
    case 'mentions':
      return row.value.map((value) => `${path}.foldCase().contains(${printLiteral(value)})`).join(' || ');
    case 'is':
      return row.value.length === 1
        ? `${path}.foldCase() == ${printLiteral(row.value[0] ?? '')}`
        : `${path}.foldCase() in [${row.value.map(printLiteral).join(', ')}]`;
    default: {
      const value = row.days && typeof row.value === 'number' ? printDays(row.value) : printLiteral(row.value);
      return `${printSubject(row)} ${row.test} ${value}`;
    }
  }
}

function readRow(node: RuleNode): TableRow | null {
  const plain = readField(node);
  if (plain) return { path: plain, test: '==', value: true };
  if (node.k === 'has') return readPresence(node, 'present');
  if (node.k === 'not') return readNegation(node.of);
  if (node.k === 'call') return readTextTest([node]);
  if (node.k === 'each') return readAnyWord(node);
  if (node.k === 'or') return readEmpty(node.args) ?? readTextTest(node.args);
  return node.k === 'op' ? readOperator(node) : null;
}

function readField(node: RuleNode): string[] | null {
  const path = toFieldPath(node);
  return path && path.length > 0 ? path : null;
}

function readNegation(node: RuleNode): TableRow | null {
  const plain = readField(node);
  if (plain) return { path: plain, test: '==', value: false };
  if (node.k === 'has') return readPresence(node, 'absent');
  const row = node.k === 'op' ? readOperator(node) : null;
  if (row?.test === 'in list') return { ...row, test: 'not in list' };
  return row?.test === 'in' ? { ...row, test: 'not in' } : null;
}

function readOperator(node: RuleNode & { k: 'op' }): TableRow | null {
  const test = comparisons.find((known) => known === node.op);
  const days = test && readDays(node.left, node.right);
  if (days) return { ...days, test };
  const path = readField(node.left);
  if (!path) return readFolded(node);
  if (node.op === 'in') {
    const { right } = node;
    if (right.k === 'get' && right.of.k === 'var' && right.of.name === 'lists')
      return { path, test: 'in list', list: right.field };
    if (right.k !== 'list') return null;
    const value = right.items.flatMap((item) => (item.k === 'lit' ? [item.v] : []));
    return value.length === right.items.length ? { path, test: 'in', value } : null;
  }
  return test && node.right.k === 'lit' ? { path, test, value: node.right.v } : null;
}

/** Reads `field.foldCase() == "a"` and `field.foldCase() in ["a", "b"]`. */
function readFolded({ op, left, right }: RuleNode & { k: 'op' }): TableRow | null {
  const path = left.k === 'call' && left.fn === 'foldCase' && left.args[0] ? readField(left.args[0]) : null;
  const items = op === '==' ? [right] : op === 'in' && right.k === 'list' && right.items.length > 1 ? right.items : [];
  const value = items.flatMap((item) => (item.k === 'lit' && isFolded(item.v) ? [item.v] : []));
  return path && items.length > 0 && value.length === items.length ? { path, test: 'is', value } : null;
}

const isFolded = (value: Literal): value is string => typeof value === 'string' && foldCase(value) === value;

/** Reads `!has(field) || field in [null, ""]`. */
function readEmpty([first, second, ...others]: readonly RuleNode[]): TableRow | null {
  const absent = first && readRow(first);
  const listed = second && readRow(second);
  if (absent?.test !== 'absent' || listed?.test !== 'in' || others.length > 0) return null;
  return isSamePath(absent.path, listed.path) && isEmptyList(listed.value)
    ? { path: absent.path, test: 'empty' }
    : null;
}

function readTextTest(nodes: readonly RuleNode[]): TableRow | null {
  const tests = nodes.map(readTextCall);
  const [first] = tests;
  if (!first) return null;
  const value = tests.flatMap((each) =>
    each && each.test === first.test && isSamePath(each.path, first.path) ? [each.value] : [],
  );
  return value.length === nodes.length ? { path: first.path, test: first.test, value } : null;
}

/** Reads `["a", "b"].exists(word, field.contains(word))`. */
function readAnyWord({ macro, of, name, test }: RuleNode & { k: 'each' }): TableRow | null {
  if (macro !== 'exists' || of.k !== 'list' || test?.k !== 'call' || name === 'ctx') return null;
  const [text, word] = test.args;
  if (!text || word?.k !== 'var' || word.name !== name) return null;
  return readTextTest(of.items.map((item) => ({ ...test, args: [text, item] })));
}

function readTextCall(node: RuleNode): { path: string[]; test: TextTest; value: string } | null {
  if (node.k !== 'call') return null;
  const [of, part] = node.args;
  const test = textTests.find((name) => name === node.fn);
  if (!of || !test || part?.k !== 'lit' || typeof part.v !== 'string') return null;
  const folding = of.k === 'call' && test === 'contains' && isFolded(part.v) ? of : null;
  // As conditions were written before there was foldCase: the same where no other letters are looked for.
  const isMentioned = folding?.fn === 'foldCase' || (folding?.fn === 'lowerAscii' && /^[ -~]*$/.test(part.v));
  const path = readField(isMentioned && folding?.args[0] ? folding.args[0] : of);
  return path && { path, test: isMentioned ? 'mentions' : test, value: part.v };
}

function readPresence(node: RuleNode & { k: 'has' }, test: 'present' | 'absent'): TableRow | null {
  const above = toFieldPath(node.of);
  return above ? { path: [...above, node.field], test } : null;
}
