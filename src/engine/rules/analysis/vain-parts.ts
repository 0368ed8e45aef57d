/** Parts of a condition that are in vain: texts that a function never gives, edges of words, rounded decimals. */
import { foldCase } from '../../code-points.ts';
import { implementations } from '../evaluation/calls.ts';
import { startRun } from '../evaluation/evaluate.ts';
import { printLiteral, printTree } from '../parsing/print.ts';
import { type At, listChildren, type RuleNode } from '../tree.ts';

type VainPart = { kind: 'never_true' | 'ascii_only' | 'loses_digits'; at: At; message: string; suggestion: string };

/** Finds the smallest such parts, in source order. */
export function findVainParts(node: RuleNode): VainPart[] {
  const own = [...findVainLiterals(node), ...findAsciiEdges(node), ...findRoundedEquality(node)];
  return [...own, ...listChildren(node).flatMap(findVainParts)];
}

/** The functions that search a text for their second argument. */
const searches: readonly string[] = [
  'contains',
  'startsWith',
  'endsWith',
  'indexOf',
  'lastIndexOf',
  'replace',
  'split',
];
const caseChanges: readonly string[] = ['foldCase', 'lowerAscii', 'upperAscii'];

type Literal = RuleNode & { k: 'lit' };
const isLiteral = (node: RuleNode | undefined): node is Literal => node?.k === 'lit';

/** The literals that a part is compared with. */
function listLiterals(node: RuleNode): { of: RuleNode | undefined; literals: Literal[] } {
  if (node.k === 'call') {
    const [of, part] = node.args;
    // A pattern of letters alone is a part of the text.
    const isPlain = node.fn === 'matches' && isLiteral(part) && /^[\p{L}\p{N} ]+$/u.test(String(part.v));
    return { of, literals: (isPlain || searches.includes(node.fn)) && isLiteral(part) ? [part] : [] };
  }
  if (node.k !== 'op' || !['==', '!=', 'in'].includes(node.op)) return { of: undefined, literals: [] };
  const { left, right } = node;
  if (isLiteral(left)) return { of: right, literals: [left] };
  return { of: left, literals: (right.k === 'list' ? right.items : [right]).filter(isLiteral) };
}

/** Finds texts that a change of case never gives, and those that it gives in one case only. */
function findVainLiterals(node: RuleNode): VainPart[] {
  const { of, literals } = listLiterals(node);
  if (of?.k !== 'call' || !caseChanges.includes(of.fn)) return [];
  return literals.flatMap(({ v, at }): VainPart[] => {
    if (typeof v !== 'string') return [];
    const shown = printLiteral(v);
    const given = implementations[of.fn]?.([v], startRun({}));
    if (typeof given === 'string' && given !== v) {
      const message = `${shown} never occurs in ${printTree(of)}.`;
      return [{ kind: 'never_true', at, message, suggestion: `Write ${printLiteral(given)}.` }];
    }
    if (of.fn === 'foldCase' || !hasCaseBeyondAscii(v)) return [];
    const receiver = of.args[0] ? printTree(of.args[0]) : '…';
    return [
      {
        kind: 'ascii_only',
        at,
        message: `${of.fn}() changes A to Z alone: ${shown} is found in this case only.`,
        suggestion: `Write ${receiver}.foldCase() and ${printLiteral(foldCase(v))}.`,
      },
    ];
  });
}

const hasCaseBeyondAscii = (text: string) => {
  const others = text.replace(/[ -~]+/g, '');
  return others.toLowerCase() !== others.toUpperCase();
};

/** Finds `\b` beside a letter that patterns do not count among those of words: theirs are A to Z, digits and `_`. */
function findAsciiEdges(node: RuleNode): VainPart[] {
  const pattern = node.k === 'call' && node.fn === 'matches' ? node.args[1] : undefined;
  if (pattern?.k !== 'lit' || typeof pattern.v !== 'string') return [];
  const [, letter] =
    /(?<!\\)(?:\\\\)*\\b([^\P{L}A-Za-z])/u.exec(pattern.v) ?? /([^\P{L}A-Za-z])\\b/u.exec(pattern.v) ?? [];
  if (letter === undefined) return [];
  const suggestion = 'Write (^|\\P{L}) before the word and (\\P{L}|$) behind it.';
  const message = `\\b knows words of A to Z alone: beside ${printLiteral(letter)} it finds no edge of a word.`;
  return [{ kind: 'ascii_only', at: pattern.at, message, suggestion }];
}

const arithmetic = new Set(['+', '-', '*', '/']);
const wholeFunctions = /^(?:get.*|size|indexOf|lastIndexOf|int|ceil|floor|round)$/;
const isFraction = (node: RuleNode): boolean =>
  node.k === 'lit' ? typeof node.v === 'number' && !Number.isInteger(node.v) : listChildren(node).some(isFraction);

function isWhole(node: RuleNode): boolean {
  if (node.k === 'lit') return Number.isInteger(node.v);
  return node.k === 'op' && /^[-+*]$/.test(node.op)
    ? isWhole(node.left) && isWhole(node.right)
    : node.k === 'call' && wholeFunctions.test(node.fn);
}

/** Whether a part computes a number that may be rounded; whole numbers divided give what a literal is read as. */
function isRounded(node: RuleNode): boolean {
  if (node.k === 'neg') return isRounded(node.of);
  if (node.k === 'call') return node.fn === 'abs' && node.args.some(isRounded);
  if (node.k !== 'op' || !arithmetic.has(node.op)) return false;
  return !isWhole(node.left) || !isWhole(node.right);
}

/** Finds computed decimals that are to be equal to something: 0.1 + 0.2 is 0.30000000000000004. */
function findRoundedEquality(node: RuleNode): VainPart[] {
  if (node.k !== 'op' || !['==', '!=', 'in'].includes(node.op)) return [];
  const { left, right } = node;
  if (![left, right].some(isRounded) || !isFraction(node)) return [];
  const sign = node.op === '!=' ? '>=' : '<';
  const [first, ...others] = node.op === 'in' && right.k === 'list' ? right.items : [right];
  if (!first) return [];
  const difference = printTree({ k: 'op', op: '-', left, right: first, at: node.at });
  return [
    {
      kind: 'loses_digits',
      at: node.at,
      message: 'Computed decimals are rounded, so they are hardly ever equal: 0.1 + 0.2 is 0.30000000000000004.',
      suggestion: `Write abs(${difference}) ${sign} 0.001${others.length > 0 ? ' || …' : ''}.`,
    },
  ];
}
