/** Parts of a condition that are in vain: no input makes them true, or none makes them false. */
import { foldCase } from '../../code-points.ts';
import { functionHelp } from '../function-help.ts';
import { printLiteral, printTree } from '../parsing/print.ts';
import { type At, listChildren, type RuleNode } from '../tree.ts';
import { readComparison } from './conjuncts.ts';
import { intersect, isEmpty } from './field-set.ts';
import { findRange, type Place, places } from './ranges.ts';

type VainPart = {
  kind: 'never_true' | 'always_true' | 'ascii_only' | 'loses_digits';
  at: At;
  message: string;
  suggestion: string;
};

/** Finds the smallest such parts, in source order. */
export function findVainParts(node: RuleNode): VainPart[] {
  const own = [...findVainLiterals(node), ...findAsciiEdges(node), ...findVainTest(node), ...findRoundedEquality(node)];
  return [...own, ...listChildren(node).flatMap(findVainParts)];
}

/** The literals that a part is compared with, each with where it stands in the part's text. */
function listLiterals(node: RuleNode): { of: RuleNode; literals: (RuleNode & { k: 'lit' })[]; place: Place } | null {
  const isLiteral = (one: RuleNode | undefined): one is RuleNode & { k: 'lit' } => one?.k === 'lit';
  if (node.k === 'call') {
    const [of, part] = node.args;
    // A pattern of letters alone is a part of the text.
    const isPlain = node.fn === 'matches' && isLiteral(part) && /^[\p{L}\p{N} ]+$/u.test(String(part.v));
    const place = isPlain ? 'part' : places[node.fn];
    return of && place && isLiteral(part) ? { of, literals: [part], place } : null;
  }
  if (node.k !== 'op') return null;
  const { op, left, right } = node;
  if (op === 'in')
    return right.k === 'list' ? { of: left, literals: right.items.filter(isLiteral), place: 'whole' } : null;
  if (op !== '==' && op !== '!=') return null;
  if (isLiteral(right)) return { of: left, literals: [right], place: 'whole' };
  return isLiteral(left) ? { of: right, literals: [left], place: 'whole' } : null;
}

/** Finds texts that a function never gives, and those that it gives in one case only. */
function findVainLiterals(node: RuleNode): VainPart[] {
  const found = listLiterals(node);
  const range = found && findRange(found.of);
  if (!found || !range?.texts || found.of.k !== 'call') return [];
  const { fn } = found.of;
  const { texts } = range;
  return found.literals.flatMap(({ v, at }): VainPart[] => {
    if (typeof v !== 'string') return [];
    const shown = printLiteral(v);
    if (!texts.fits(v, found.place)) {
      const message = `${shown} never occurs in ${printTree(found.of)}.`;
      const right = texts.correct(v);
      const suggestion = right === null ? 'Write a longer text.' : `Write ${printLiteral(right)}.`;
      return [{ kind: 'never_true', at, message, suggestion }];
    }
    if ((fn !== 'lowerAscii' && fn !== 'upperAscii') || !hasCaseBeyondAscii(v)) return [];
    const receiver = found.of.k === 'call' && found.of.args[0] ? printTree(found.of.args[0]) : '…';
    return [
      {
        kind: 'ascii_only',
        at,
        message: `${fn}() changes A to Z alone: ${shown} is found in this case only.`,
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

/** Finds comparisons that what a function gives never fulfils, or always does. */
function findVainTest(node: RuleNode): VainPart[] {
  const read = readComparison(node, true);
  const range = read && findRange(read.of);
  if (!read || !range?.says || range.texts) return [];
  const others = readComparison(node, false);
  const isNever = isEmpty(intersect(range.set, read.set));
  if (!isNever && !(others && isEmpty(intersect(range.set, others.set)))) return [];
  const what = isNever ? 'never' : 'always';
  const help = read.of.k === 'call' ? functionHelp[read.of.fn] : null;
  return [
    {
      kind: `${what}_true`,
      at: node.at,
      message: `This is ${what} true: ${range.says}.`,
      suggestion: help ?? 'Compare with another number.',
    },
  ];
}

const arithmetic = new Set(['+', '-', '*', '/']);
const isFraction = (node: RuleNode): boolean =>
  node.k === 'lit' ? typeof node.v === 'number' && !Number.isInteger(node.v) : listChildren(node).some(isFraction);

function isWhole(node: RuleNode): boolean {
  if (node.k === 'lit') return Number.isInteger(node.v);
  return node.k === 'op' && /^[-+*]$/.test(node.op)
    ? isWhole(node.left) && isWhole(node.right)
    : findRange(node)?.set.whole === true;
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
