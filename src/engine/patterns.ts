/** RE2 patterns: what one costs, and how it is found in linear time. RE2JS keeps up to 8 MB of states for each. */
import { RE2JS } from 're2js';

export type LinearPattern = {
  /** Instructions of the compiled pattern. */
  size: number;
  /** Work for each character of a text, in instructions; see {@link weighPattern}. */
  weight: number;
  /** Whether the pattern is found in a text; takes at most in the order of `weight` × its length. */
  test(text: string): boolean;
};

/** Compiles a pattern. Throws an exception of RE2JS, whose message quotes the pattern, where it is not one. */
export function compileLinearPattern(source: string): LinearPattern {
  const compiled = RE2JS.compile(source);
  return { size: compiled.programSize(), weight: weighPattern(source), test: (text) => compiled.test(text) };
}

/** No pattern weighs more: the product of repetitions stays a number that is exact in every language. */
const maxWeight = 1_000_000;
const repetition = /^\{([0-9]+)(,([0-9]*))?\}/;

/** The weight of what stands in a group so far, and of its last part, to which a repetition applies. */
type Group = { sum: number; last: number };

/** Weighs an RE2 pattern: its parts, twice its groups, repetitions multiplied; as `_rules/patterns.py` does. */
export function weighPattern(source: string): number {
  const characters = Array.from(source);
  const outer: Group[] = [];
  let group: Group = { sum: 2, last: 0 };
  const add = (weight: number) => {
    group.last = Math.min(weight, maxWeight);
    group.sum = Math.min(group.sum + weight, maxWeight);
  };
  const repeat = (weight: number) => {
    const repeated = Math.min(weight, maxWeight);
    group.sum = Math.min(group.sum - group.last + repeated, maxWeight);
    group.last = repeated;
  };
  for (let at = 0; at < characters.length; ) {
    const character = characters[at] ?? '';
    const written = character === '{' ? repetition.exec(characters.slice(at, at + 16).join('')) : null;
    if (character === '(') {
      const { end, opens } = skipGroupStart(characters, at);
      if (opens) {
        outer.push(group);
        group = { sum: 0, last: 0 };
      }
      at = end;
    } else if (character === ')') {
      const weight = group.sum + 2;
      group = outer.pop() ?? { sum: 2, last: 0 };
      add(weight);
      at += 1;
    } else if (character === '*' || character === '+' || character === '?') {
      repeat(group.last + 1);
      at += 1;
    } else if (written) {
      repeat(weighRepetition(group.last, written));
      at += written[0].length;
    } else {
      add(1);
      at = skipAtom(characters, at);
    }
  }
  return outer.reduce((sum, { sum: more }) => Math.min(sum + more, maxWeight), group.sum);
}

function weighRepetition(weight: number, [, fewest, hasMost, most]: RegExpExecArray): number {
  const from = Number(fewest);
  if (hasMost === undefined) return weight * from;
  if (most === undefined || most === '') return weight * Math.max(from, 1) + 1;
  return weight * Number(most) + Math.max(Number(most) - from, 0);
}

/** Skips `(`, `(?:`, `(?P<name>`, `(?i:` or `(?i)`, of which the last opens no group. */
function skipGroupStart(characters: readonly string[], at: number): { end: number; opens: boolean } {
  if (characters[at + 1] !== '?') return { end: at + 1, opens: true };
  let end = at + 2;
  while (end < characters.length && !':)>'.includes(characters[end] ?? '')) end += 1;
  return { end: end + 1, opens: characters[end] !== ')' };
}

function skipAtom(characters: readonly string[], at: number): number {
  if (characters[at] === '\\') return skipEscape(characters, at);
  if (characters[at] !== '[') return at + 1;
  let end = at + (characters[at + 1] === '^' ? 2 : 1);
  // A closing bracket that stands first is a member.
  if (characters[end] === ']') end += 1;
  while (end < characters.length && characters[end] !== ']') {
    if (characters[end] === '[' && characters[end + 1] === ':') {
      const close = characters.indexOf(']', end);
      end = close < 0 ? characters.length : close + 1;
    } else {
      end = characters[end] === '\\' ? skipEscape(characters, end) : end + 1;
    }
  }
  return end + 1;
}

/** Skips an escape; the braces of `\p{…}` and `\x{…}` are not a repetition. */
function skipEscape(characters: readonly string[], at: number): number {
  if (!'pPx'.includes(characters[at + 1] ?? '\\') || characters[at + 2] !== '{') return at + 2;
  const close = characters.indexOf('}', at);
  return close < 0 ? characters.length : close + 1;
}
