/** Whole numbers in conditions with more digits than a double keeps, such as ids: another id would match as well. */
import { type At, listChildren, type RuleNode } from '../tree.ts';

/** Finds them by the digits as they are written in the condition that the tree was made of. */
export function findLostDigits(tree: RuleNode, condition: string): { at: At; message: string; suggestion: string }[] {
  if (!/\d{16}/.test(condition)) return [];
  const characters = Array.from(condition);
  return listLargeNumbers(tree).flatMap(({ value, at }) => {
    const written = /(?<![\d.])-?\d{16,}(?![\deE.])/.exec(characters.slice(...at).join(''))?.[0];
    if (written === undefined || BigInt(written) === BigInt(value)) return [];
    return [
      {
        at,
        message: `${written} has more digits than a number keeps: here it is ${BigInt(value)}.`,
        suggestion: `Send ids as texts, and compare with "${written}".`,
      },
    ];
  });
}

function listLargeNumbers(node: RuleNode): { value: number; at: At }[] {
  if (node.k !== 'lit') return listChildren(node).flatMap(listLargeNumbers);
  return typeof node.v === 'number' && !Number.isSafeInteger(node.v) && Number.isInteger(node.v)
    ? [{ value: node.v, at: node.at }]
    : [];
}
