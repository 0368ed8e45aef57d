/** Parses a condition with cel-js, says in plain words where it stops being one, and fixes what has a clear remedy. */
import { type ASTNode, type Environment, ParseError } from '@marcbachmann/cel-js';
import { type ConditionProblem, findBareFractions, type SourceRange } from '../source.ts';

type Fix = SourceRange & { text: string };
/**
 * The result of parsing a source: its tree, null where a mistake has no clear fix, and every mistake on the way. The
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

/** Operators as they are printed. */
const printedSigns = new Map([
  ['≥', '>='],
  ['≤', '<='],
  ['≠', '!='],
  ['–', '-'],
  ['−', '-'],
  ['×', '*'],
  ['÷', '/'],
  ['∧', '&&'],
  ['∨', '||'],
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
    explainNumber(stop) ??
    explainInvisible(stop) ??
    explainBrackets(stop) ??
    explainPlainWords(stop) ??
    explainWord(stop) ??
    explainSign(stop) ??
    explainCode(stop) ??
    explainUnexpected(stop)
  );
}

/** The field at the end of a source. */
const lastField = /(ctx(?:\.[A-Za-z_]\w*|\["(?:[^"\\]|\\.)*"\])+)\s*$/;

/** Explains conditions that were written like sentences. */
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
  const infix = /^(contains|startsWith|endsWith|matches|like)\s+("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|ctx[\w.]*)/i.exec(
    rest,
  );
  if (infix) {
    const name = infixNames.get(word.toLowerCase()) ?? word;
    return {
      message: `${word} is not an operator here.`,
      suggestion: `Write ${lastField.exec(before)?.[1] ?? 'ctx.field'}.${name}(${infix[2]}).`,
    };
  }
  return null;
}

const infixNames = new Map([
  ['contains', 'contains'],
  ['startswith', 'startsWith'],
  ['endswith', 'endsWith'],
  ['matches', 'matches'],
  ['like', 'contains'],
]);

/** Explains numbers with signs between thousands or a comma before decimals; 1,000 may be either. */
function explainNumber({ start, before, rest }: Stop): Explanation | null {
  const from = before.search(/(?<![\w.])\d[\d.]*[ \u00a0\u202f]?$/);
  const written = /^\d[\d.]*(?:[, \u00a0\u202f]\d+)+(?:\.\d+)?(?!\w)/.exec(before.slice(from) + rest)?.[0] ?? '';
  if (from < 0 || from + written.length <= start) return null;
  const groups = written.split(/\D/);
  const signs = written.replace(/\d/g, '');
  const [whole = '', ...behind] = groups;
  const areThousands = /^[1-9]\d{0,2}$/.test(whole) && behind.every((group) => group.length === 3);
  const decimals = /[,.]$/.test(signs) && !(areThousands && new Set(signs).size === 1) ? groups.pop() : undefined;
  if (decimals === undefined && !areThousands) return null;
  const number = groups.join('') + (decimals === undefined ? '' : `.${decimals}`);
  const fix = { start: from, end: from + written.length, text: number };
  if (areThousands && signs === ',')
    return {
      message: 'A comma stands neither between thousands nor before decimals.',
      suggestion: `Write ${number}, or ${groups.join('.')} for the fraction.`,
      fix,
    };
  return groups.length > 1
    ? { message: 'No sign stands between thousands.', suggestion: `Write ${number}.`, fix }
    : {
        message: 'A comma does not stand before decimals.',
        suggestion: `Write decimals with a point: ${number}.`,
        fix,
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

/** Explains signs that cannot be seen, such as a no-break space. */
function explainInvisible({ start, rest }: Stop): Explanation | null {
  const sign = /^[\p{Z}\p{Cf}\p{Cc}]/u.exec(rest)?.[0];
  if (sign === undefined || /[ \t\r\n]/.test(sign)) return null;
  const code = `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const name = { 'U+00A0': 'a no-break space', 'U+FEFF': 'a byte order mark', 'U+200B': 'a zero-width space' }[code];
  return {
    message: `A character that cannot be seen stands here: ${name === undefined ? code : `${name} (${code})`}.`,
    suggestion: 'Write an ordinary space, or nothing.',
    fix: { start, end: start + sign.length, text: ' ' },
  };
}

/** Explains lists in parentheses and optional fields, which are written otherwise here. */
function explainBrackets({ start, before, rest }: Stop): Explanation | null {
  const open = /\bin\s*\(([^()]*)$/.exec(before);
  const close = /^,[^()]*\)/.exec(rest)?.[0];
  if (open && close !== undefined) {
    const text = `[${open[1]}${close.slice(0, -1)}]`;
    const from = before.length - (open[1]?.length ?? 0) - 1;
    return {
      message: 'A list does not stand in parentheses.',
      suggestion: `Write ${text}.`,
      fix: { start: from, end: start + close.length, text },
    };
  }
  const optional = /^\?\s*([A-Za-z_]\w*|"[^"]*"\])(?:\.orValue\(([^()]*)\))?/.exec(rest);
  if (!optional || !/[.[]$/.test(before)) return null;
  const field = `${lastField.exec(before.slice(0, -1))?.[1] ?? 'ctx'}${before.slice(-1)}${optional[1]}`;
  return {
    message: 'Optional access is not part of the rules language.',
    suggestion: `Write has(${field}) ? ${field} : ${optional[2] ?? 'fallback'}.`,
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
  if (/^=(?![=<>~])/.test(rest))
    return { message: 'A single = does not compare.', suggestion: 'Write == to compare.', fix: replaceFirst('==') };
  if (/^&(?!&)/.test(rest))
    return { message: 'A single & is not an operator.', suggestion: 'Write && for "and".', fix: replaceFirst('&&') };
  if (/^\|(?!\|)/.test(rest))
    return { message: 'A single | is not an operator.', suggestion: 'Write || for "or".', fix: replaceFirst('||') };
  if (/^=[<>]/.test(rest) || (rest.startsWith('>') && before.endsWith('=')))
    return {
      message: 'This is not an operator.',
      suggestion: `Write ${rest.startsWith('=<') ? '<=' : '>='} to compare.`,
      fix: { start, end: start + 2, text: rest.startsWith('=<') ? '<=' : '>=' },
    };
  if (rest.startsWith('=~'))
    return { message: '=~ is not an operator.', suggestion: 'Write ctx.field.matches("pattern").' };
  const sign = printedSigns.get(rest[0] ?? '');
  if (sign !== undefined)
    return { message: `${rest[0]} is not an operator here.`, suggestion: `Write ${sign}.`, fix: replaceFirst(sign) };
  if (/^[“”‘’„«»]/.test(rest))
    return { message: 'This quotation mark does not start a string.', suggestion: 'Use straight quotes: "…".' };
  return null;
}

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
