/** Says in plain words where a condition stops being one, and mends what is clear, so that reading can go on. */
import { type ASTNode, type Environment, ParseError } from '@marcbachmann/cel-js';

type Range = { start: number; end: number };
type Problem = { message: string; suggestion: string | null; range: Range };
/** Puts `text` in the place of the characters from `start` to `end`. */
type Mend = Range & { text: string };
/**
 * What the parser made of a source: its tree, null where it cannot be mended, and every mistake on the way. The tree
 * belongs to `source`, the mended one; `originalRange` turns a range of it into one of the source that was given.
 */
export type Syntax = { ast: ASTNode | null; source: string; problems: Problem[]; originalRange(range: Range): Range };

const maxMends = 20;
const tooDeep = {
  message: 'The condition is nested too deeply or too long.',
  suggestion: 'Split it into several rules.',
};
const signs = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
  ['AND', '&&'],
  ['OR', '||'],
  ['NOT', '!'],
]);

/** Parses a condition with `parser`, going on behind each mistake that has one clear remedy. */
export function parseSyntax(given: string, parser: Environment): Syntax {
  const mends: Mend[] = [];
  const problems: Problem[] = [];
  const original = (offset: number) =>
    mends.reduceRight((at, { start, end, text }) => {
      if (at <= start) return at;
      return at >= start + text.length ? at - text.length + (end - start) : Math.min(at, end);
    }, offset);
  const originalRange = ({ start, end }: Range) => ({ start: original(start), end: original(end) });
  let source = given;
  for (;;) {
    try {
      return { ast: parser.parse(source).ast, source, problems, originalRange };
    } catch (error) {
      if (error instanceof RangeError) {
        // The parser counts no nesting of signs: it may run out of stack.
        problems.push({ ...tooDeep, range: { start: 0, end: given.length } });
        return { ast: null, source, problems, originalRange };
      }
      if (!(error instanceof ParseError)) throw error;
      const start = Math.min(error.range?.start ?? 0, source.length);
      const end = Math.min(Math.max(error.range?.end ?? 0, start + 1), source.length);
      const { message, suggestion, mend } = explain(error.code, start, source);
      problems.push({ message, suggestion, range: originalRange({ start, end }) });
      if (!mend || mends.length >= maxMends) return { ast: null, source, problems, originalRange };
      source = source.slice(0, mend.start) + mend.text + source.slice(mend.end);
      mends.push(mend);
    }
  }
}

type Explained = { message: string; suggestion: string | null; mend?: Mend };

function explain(code: string, start: number, source: string): Explained {
  const rest = source.slice(start);
  const before = source.slice(0, start);
  const word = /^[A-Za-z_]\w*/.exec(rest)?.[0] ?? '';
  const replaced = (length: number, text: string): Mend => ({ start, end: start + length, text });
  const notIn = /^not\s+(?=in\b)/.exec(rest)?.[0];
  if (notIn)
    return {
      message: 'not in is not an operator.',
      suggestion: 'Write !(value in list).',
      mend: replaced(notIn.length, ''),
    };
  const sign = signs.get(word);
  if (sign)
    return {
      message: `${word} is not an operator here.`,
      suggestion: `Write ${sign} instead of ${word}.`,
      mend: replaced(word.length, sign),
    };
  if (rest.startsWith('=') && /[=!]=$/.test(before))
    return {
      message: `${before.slice(-2)}= is not an operator.`,
      suggestion: `Write ${before.slice(-2)} to compare.`,
      mend: replaced(1, ''),
    };
  if (rest.startsWith('>') && before.endsWith('<'))
    return {
      message: '<> is not an operator.',
      suggestion: 'Write != to compare.',
      mend: { start: start - 1, end: start + 1, text: '!=' },
    };
  if (/^=(?!=)/.test(rest))
    return { message: 'A single = does not compare.', suggestion: 'Write == to compare.', mend: replaced(1, '==') };
  if (/^&(?!&)/.test(rest))
    return { message: 'A single & is not an operator.', suggestion: 'Write && for "and".', mend: replaced(1, '&&') };
  if (/^\|(?!\|)/.test(rest))
    return { message: 'A single | is not an operator.', suggestion: 'Write || for "or".', mend: replaced(1, '||') };
  if (/^[“”‘’„]/.test(rest))
    return { message: 'This quotation mark does not start a text.', suggestion: 'Use straight quotes: "…".' };
  if (code.startsWith('unterminated') || code === 'newline_in_string')
    return { message: 'A text is not closed.', suggestion: 'Add the missing quote.' };
  if (code === 'limit_exceeded') return tooDeep;
  if (code === 'reserved_identifier')
    return { message: `The word ${word} is reserved.`, suggestion: 'Choose another name.' };
  if (code === 'invalid_macro_argument')
    return { message: 'The first argument must be a name.', suggestion: 'Write ctx.list.exists(item, …).' };
  if (/escape/.test(code) || code === 'invalid_unicode_surrogate')
    return { message: 'A text holds an escape that does not exist.', suggestion: 'Write \\\\ for a backslash.' };
  if (/integer|number|exponent/.test(code)) return { message: 'This is not a number.', suggestion: null };
  if (rest.trim() === '')
    return { message: 'The condition ends too early.', suggestion: 'Something is missing at the end.' };
  const afterDot = /(?<!\d)\.(?:[A-Za-z_]\w*)?$/.test(before) && /^[\w`\p{L}]/u.test(rest);
  return {
    message: `Unexpected ${word || (Array.from(rest)[0] ?? 'end')} here.`,
    suggestion: afterDot ? 'Write ctx["name"] for a field whose name is no plain word.' : null,
  };
}
