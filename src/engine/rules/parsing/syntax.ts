/** Parses a condition with cel-js, says in plain words where it stops being one, and fixes what has a clear remedy. */
import { type ASTNode, type Environment, ParseError } from '@marcbachmann/cel-js';
import { type ConditionProblem, findBareFractions, type SourceRange } from '../source.ts';

type Fix = SourceRange & { text: string };
/**
 * What the parser made of a source: its tree, null where a mistake has no clear fix, and every mistake on the way. The
 * tree belongs to `source`, the fixed one; `toOriginalRange` turns a range of it into one of the source as written.
 */
export type Syntax = {
  ast: ASTNode | null;
  source: string;
  problems: ConditionProblem[];
  toOriginalRange(range: SourceRange): SourceRange;
};
/** Where the parser stopped, and its code for the reason. `word` is the identifier that starts there, or ''. */
type Stop = { code: string; start: number; before: string; rest: string; word: string };
type Explanation = { message: string; suggestion: string | null; fix?: Fix };

const maxFixes = 20;
const tooDeep = {
  message: 'The condition is nested too deeply or too long.',
  suggestion: 'Split it into several rules.',
};
/** Words that other languages have for an operator. */
const operatorWords = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
  ['AND', '&&'],
  ['OR', '||'],
  ['NOT', '!'],
]);

/** Parses with `parser`, on past each mistake with one clear fix; .5, which it cannot read, gets its zero. */
export function parseSyntax(original: string, parser: Environment): Syntax {
  const fixes: Fix[] = findBareFractions(original).map((offset, i) => ({
    start: offset + i,
    end: offset + i,
    text: '0',
  }));
  const problems: ConditionProblem[] = [];
  const toOriginalRange = ({ start, end }: SourceRange) => ({
    start: toOriginalOffset(start, fixes),
    end: toOriginalOffset(end, fixes),
  });
  let source = fixes.reduce((text, { start }) => `${text.slice(0, start)}0${text.slice(start)}`, original);
  for (;;) {
    try {
      return { ast: parser.parse(source).ast, source, problems, toOriginalRange };
    } catch (error) {
      if (error instanceof RangeError) {
        // The parser does not count nested unary operators: it may run out of stack.
        problems.push({ ...tooDeep, range: { start: 0, end: original.length } });
        return { ast: null, source, problems, toOriginalRange };
      }
      if (!(error instanceof ParseError)) throw error;
      const start = Math.min(error.range?.start ?? 0, source.length);
      const end = Math.min(Math.max(error.range?.end ?? 0, start + 1), source.length);
      const { message, suggestion, fix } = explain(error.code, start, source);
      problems.push({ message, suggestion, range: toOriginalRange({ start, end }) });
      if (!fix || problems.length > maxFixes) return { ast: null, source, problems, toOriginalRange };
      source = source.slice(0, fix.start) + fix.text + source.slice(fix.end);
      fixes.push(fix);
    }
  }
}

/** Undoes fixes, the newest first, in an offset of the fixed source. */
function toOriginalOffset(offset: number, fixes: readonly Fix[]): number {
  return fixes.reduceRight((at, { start, end, text }) => {
    if (at <= start) return at;
    return at >= start + text.length ? at - text.length + (end - start) : Math.min(at, end);
  }, offset);
}

function explain(code: string, start: number, source: string): Explanation {
  const rest = source.slice(start);
  const word = /^[A-Za-z_]\w*/.exec(rest)?.[0] ?? '';
  const stop: Stop = { code, start, before: source.slice(0, start), rest, word };
  return (
    explainPlainWords(stop) ?? explainWord(stop) ?? explainSign(stop) ?? explainCode(stop) ?? explainUnexpected(stop)
  );
}

/** The field at the end of a source. */
const lastField = /(ctx(?:\.[A-Za-z_]\w*|\["(?:[^"\\]|\\.)*"\])+)\s*$/;

/** Explains what people write who think in sentences, and decimals with a comma. */
function explainPlainWords({ start, before, rest, word }: Stop): Explanation | null {
  const between = /^between\s+(\S+)\s+and\s+([^\s&|)]+)/i.exec(rest);
  if (between) {
    const text = `>= ${between[1]} && ${lastField.exec(before)?.[1] ?? 'ctx.field'} <= ${between[2]}`;
    return {
      message: 'between is not an operator here.',
      suggestion: `Write ${text}.`,
      fix: { start, end: start + between[0].length, text },
    };
  }
  const is = /^(?:is\s+not|is|equals)(?=\s)/i.exec(rest)?.[0];
  if (is !== undefined) {
    const text = /not$/i.test(is) ? '!=' : '==';
    return {
      message: `${is} is not an operator here.`,
      suggestion: `Write ${text} instead of ${is}.`,
      fix: { start, end: start + is.length, text },
    };
  }
  if (/^(?:if|then)$/i.test(word))
    return {
      message: 'A condition has no if and no then.',
      suggestion: 'Write only what must be true, and choose the outcome beside it.',
    };
  const whole = /\d+$/.exec(before)?.[0];
  const decimals = /^,(\d+)/.exec(rest)?.[1];
  return whole === undefined || decimals === undefined
    ? null
    : {
        message: 'A comma does not stand before decimals.',
        suggestion: `Write decimals with a point: ${whole}.${decimals}.`,
        fix: { start, end: start + 1, text: '.' },
      };
}

function explainWord({ start, rest, word }: Stop): Explanation | null {
  const notIn = /^not\s+(?=in\b)/.exec(rest)?.[0];
  if (notIn)
    return {
      message: 'not in is not an operator.',
      suggestion: 'Write !(value in list).',
      fix: { start, end: start + notIn.length, text: '' },
    };
  const operator = operatorWords.get(word);
  if (!operator) return null;
  return {
    message: `${word} is not an operator here.`,
    suggestion: `Write ${operator} instead of ${word}.`,
    fix: { start, end: start + word.length, text: operator },
  };
}

function explainSign({ start, before, rest }: Stop): Explanation | null {
  const replaceFirst = (text: string): Fix => ({ start, end: start + 1, text });
  const comparison = /[=!]=$/.exec(before)?.[0];
  if (comparison && rest.startsWith('='))
    return {
      message: `${comparison}= is not an operator.`,
      suggestion: `Write ${comparison} to compare.`,
      fix: replaceFirst(''),
    };
  if (rest.startsWith('>') && before.endsWith('<'))
    return {
      message: '<> is not an operator.',
      suggestion: 'Write != to compare.',
      fix: { start: start - 1, end: start + 1, text: '!=' },
    };
  if (/^=(?!=)/.test(rest))
    return { message: 'A single = does not compare.', suggestion: 'Write == to compare.', fix: replaceFirst('==') };
  if (/^&(?!&)/.test(rest))
    return { message: 'A single & is not an operator.', suggestion: 'Write && for "and".', fix: replaceFirst('&&') };
  if (/^\|(?!\|)/.test(rest))
    return { message: 'A single | is not an operator.', suggestion: 'Write || for "or".', fix: replaceFirst('||') };
  if (/^[“”‘’„]/.test(rest))
    return { message: 'This quotation mark does not start a string.', suggestion: 'Use straight quotes: "…".' };
  return null;
}

/** Explains the codes of the parser that name a reason. */
function explainCode({ code, word }: Stop): Explanation | null {
  if (code.startsWith('unterminated') || code === 'newline_in_string')
    return { message: 'A string is not closed.', suggestion: 'Add the missing quote.' };
  if (code === 'limit_exceeded') return tooDeep;
  if (code === 'reserved_identifier')
    return { message: `The word ${word} is reserved.`, suggestion: 'Choose another name.' };
  if (code === 'invalid_macro_argument')
    return { message: 'The first argument must be a name.', suggestion: 'Write ctx.list.exists(item, …).' };
  if (/escape/.test(code) || code === 'invalid_unicode_surrogate')
    return {
      message: 'A string contains an escape sequence that does not exist.',
      suggestion: 'Write \\\\ for a backslash.',
    };
  if (/integer|number|exponent/.test(code))
    return { message: 'This is not a number, or it is too large.', suggestion: null };
  return null;
}

function explainUnexpected({ before, rest, word }: Stop): Explanation {
  if (rest.trim() === '')
    return { message: 'The condition ends too early.', suggestion: 'Add what is missing at the end.' };
  const isFieldName = /(?<!\d)\.(?:[A-Za-z_]\w*)?$/.test(before) && /^[\w`\p{L}]/u.test(rest);
  return {
    message: `Unexpected ${word || (Array.from(rest)[0] ?? 'end')} here.`,
    suggestion: isFieldName ? 'Write ctx["name"] for a field whose name is not an identifier.' : null,
  };
}
