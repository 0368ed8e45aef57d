/** Places in the source of a condition, and the problems that point at them. */
import type { At } from './tree.ts';

/** A range of a source in UTF-16 units, which editors count in; `end` is exclusive. */
export type SourceRange = { start: number; end: number };
export type ConditionProblem = { message: string; suggestion: string | null; range: SourceRange };

const surrogate = /[\ud800-\udfff]/;

/** Converts a range of code points into a range of UTF-16 units. */
export function toUtf16Range(source: string, at: At): SourceRange {
  if (!surrogate.test(source)) return { start: at[0], end: at[1] };
  const characters = Array.from(source);
  const start = characters.slice(0, at[0]).join('').length;
  return { start, end: start + characters.slice(at[0], at[1]).join('').length };
}

/** Prepares the conversion of UTF-16 offsets of a source into code-point offsets. */
export function indexCodePoints(source: string): (offset: number) => number {
  if (!surrogate.test(source)) return (offset) => offset;
  const points: number[] = [];
  let count = 0;
  for (const character of source) {
    for (let i = 0; i < character.length; i++) points.push(count);
    count++;
  }
  return (offset) => points[offset] ?? count;
}

/** Widens a range of a node over the parentheses that belong to it but that the parser leaves out. */
export function widenToParentheses(source: string, { start, end }: SourceRange): SourceRange {
  const range = { start, end };
  let open = 0;
  let unopened = 0;
  for (let i = start; i < end; i++) {
    const character = source[i];
    if (character === '"' || character === "'") i = findStringEnd(source, i);
    else if (character === '(') open++;
    else if (character === ')' && open > 0) open--;
    else if (character === ')') unopened++;
  }
  for (; open > 0; open--) {
    const next = source.indexOf(')', range.end);
    if (next < 0) break;
    range.end = next + 1;
  }
  for (; unopened > 0; unopened--) {
    const previous = source.lastIndexOf('(', range.start - 1);
    if (previous < 0) break;
    range.start = previous;
  }
  return range;
}

/** Finds the offsets of points that start a number, as in `.5`: those before a digit and behind no operand. */
export function findBareFractions(source: string): number[] {
  const found: number[] = [];
  if (!/\.[0-9]/.test(source)) return found;
  let before = '';
  for (let i = 0; i < source.length; i++) {
    const character = source[i] ?? '';
    if (source.startsWith('//', i)) {
      const end = source.indexOf('\n', i);
      i = end < 0 ? source.length : end;
    } else if (character === '"' || character === "'") {
      i = findStringEnd(source, i);
      before = character;
    } else if (character === '.' && /[0-9]/.test(source[i + 1] ?? '') && !/(?<!\bin)[\w)\]}"'.]$/.test(before)) {
      found.push(i);
      before = character;
    } else if (/\S/.test(character))
      before = /\w$/.test(before) && /\w/.test(source[i - 1] ?? '') ? before + character : character;
  }
  return found;
}

/** True if the source contains a comment, which a syntax tree does not keep. */
export function hasComment(source: string): boolean {
  for (let i = 0; i < source.length; i++) {
    if (source[i] === '"' || source[i] === "'") i = findStringEnd(source, i);
    else if (source.startsWith('//', i)) return true;
  }
  return false;
}

/** Returns the offset of the quote that begins a string literal without an end; null without one. */
export function findOpenString(source: string): number | null {
  for (let i = 0; i < source.length; i++) {
    if (source[i] !== '"' && source[i] !== "'") continue;
    const start = i;
    i = findStringEnd(source, i);
    if (i === source.length) return start;
  }
  return null;
}

/** Returns the offset of the last quote of the string literal whose first quote is at `start`. */
function findStringEnd(source: string, start: number): number {
  const quote = source[start] ?? '"';
  const isRaw = /[rR]/.test(source[start - 1] ?? '') && !/[A-Za-z0-9_]/.test(source[start - 2] ?? '');
  const closing = source.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  for (let i = start + closing.length; i < source.length; i++) {
    if (source[i] === '\\' && !isRaw) i++;
    else if (source.startsWith(closing, i)) return i + closing.length - 1;
  }
  return source.length;
}
