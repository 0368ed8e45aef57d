/** Cutting a text into lines of cells. */

/** A separator between cells: its characters, or any run of blanks. */
export const blanks = 'blanks';
/**
 * How the cells of a text are set apart; '' is not a separator, and no quote. Where a backslash escapes, it takes the
 * meaning from a quote or separator behind it.
 */
export type Dialect = { separator: string; quote: string; isEscaped?: boolean };

/**
 * Whether backslashes are the escape, as databases write: a quote behind one goes on within its cell, which a doubled
 * quote never does, or a whole cell is \\N.
 */
export function hasEscapes(text: string, quote: string): boolean {
  if (!text.includes('\\')) return false;
  if (/(?:^|[\t,;|\n])"?\\N"?(?=[\t,;|\r\n]|$)/.test(text)) return true;
  const mark = quote === '' ? null : quote.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return mark !== null && new RegExp(`[^\\\\${mark}](?:\\\\\\\\)*\\\\${mark}[^\\s,;|${mark}]`).test(text);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', 0: '' };
/** A cell without its escapes; \\N alone is an empty one. */
const unescapeCell = (cell: string) =>
  cell === '\\N' ? '' : cell.replace(/\\([\s\S])/g, (_, sign: string) => escapes[sign] ?? sign);

/** A cell of dashes or lines, as Markdown and databases draw them around the names and the rows. */
export const isDrawn = (cell: string): boolean => /^\s*[+|:┌├└╭╞╰]*[-─═━]{2,}[-+|: \u2500-\u257f]*$/.test(cell);

/** Whether a text draws a frame around its lines: each begins and ends with a bar, which sets no cell apart. */
export const hasFrame = (text: string): boolean =>
  /^[ \t]*[|+\u2502-\u257f][-|+: \u2500-\u257f]*(?:--|──|══|━━)[-|+: \u2500-\u257f]*$/m.test(text);

const newline = 10;
const carriageReturn = 13;
const space = 32;
const tab = 9;

const isLineEnd = (code: number) => code === newline || code === carriageReturn;
const isBlank = (code: number) => code === space || code === tab;

/** A quoted cell; `end` is the place behind its closing quote. */
type Quoted = { value: string; end: number };

/** Knows where the cells of one text end. */
class Cutter {
  readonly #text: string;
  readonly #separator: string;
  readonly #first: number;
  readonly #quote: string;
  readonly #isBlanks: boolean;
  readonly #isEscaped: boolean;

  constructor(text: string, { separator, quote, isEscaped = false }: Dialect) {
    this.#text = text;
    this.#isBlanks = separator === blanks;
    this.#separator = separator;
    this.#first = this.#isBlanks ? space : separator.charCodeAt(0);
    this.#quote = quote;
    this.#isEscaped = isEscaped;
  }

  /** Where the blanks end that begin at a place; a tab that separates does not count. */
  skipBlanks(from: number): number {
    let at = from;
    while (this.#isInnerBlank(this.#text.charCodeAt(at))) at += 1;
    return at;
  }

  #isInnerBlank(code: number): boolean {
    return isBlank(code) && (this.#isBlanks || code !== this.#first);
  }

  /** The length of the separator at a place; 0 if there is none. */
  measureSeparator(at: number): number {
    if (this.#isBlanks) return this.skipBlanks(at) - at;
    if (this.#text.charCodeAt(at) !== this.#first) return 0;
    const { length } = this.#separator;
    return length === 1 || this.#text.startsWith(this.#separator, at) ? length : 0;
  }

  #isCellEnd(at: number): boolean {
    return at >= this.#text.length || isLineEnd(this.#text.charCodeAt(at)) || this.measureSeparator(at) > 0;
  }

  /** Where the plain cell ends that begins at a place. */
  findCellEnd(from: number): number {
    let at = from;
    while (!this.#isCellEnd(at)) at += this.#isEscaped && this.#text[at] === '\\' ? 2 : 1;
    return Math.min(at, this.#text.length);
  }

  /**
   * The quoted cell at a place; null where a quote does not begin it, or is a sign like any other: no closing quote
   * follows that ends a cell. The search ends at the next lone quote, so all searches together pass the text twice.
   */
  readQuoted(from: number): Quoted | null {
    const quote = this.#quote;
    if (quote === '' || this.#text.charCodeAt(from) !== quote.charCodeAt(0)) return null;
    let hasDoubled = false;
    for (let at = this.#text.indexOf(quote, from + 1); at >= 0; at = this.#text.indexOf(quote, at + 1)) {
      if (this.#isEscaped && this.#isBehindEscape(at)) continue;
      if (this.#text.charCodeAt(at + 1) === quote.charCodeAt(0)) {
        hasDoubled = true;
        at += 1;
        continue;
      }
      const end = this.#isBlanks ? at + 1 : this.skipBlanks(at + 1);
      if (this.#isCellEnd(end)) {
        const inner = this.#text.slice(from + 1, at);
        return { value: hasDoubled ? inner.replaceAll(quote + quote, quote) : inner, end };
      }
      return null;
    }
    return null;
  }

  /** Whether an odd number of backslashes stands before a place. */
  #isBehindEscape(at: number): boolean {
    let from = at;
    while (this.#text[from - 1] === '\\') from -= 1;
    return (at - from) % 2 === 1;
  }
}

function countLineEnds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === newline || (code === carriageReturn && text.charCodeAt(at + 1) !== newline)) count += 1;
  }
  return count;
}

/** One line of cells; a quoted cell may make it span several lines of the text. */
export type CutLine = { line: number; cells: string[]; lines: number };

/**
 * Cuts a text into lines of cells, whatever ends its lines, and gives each to `take` until that returns false. A quote
 * that no quote before a separator or a line's end closes is a sign like any other, so it never takes in other lines.
 */
export function splitLines(text: string, dialect: Dialect, take: (line: CutLine) => boolean): void {
  const cutter = new Cutter(text, dialect);
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const cells: string[] = [];
    let spanned = 1;
    if (dialect.separator === blanks) at = cutter.skipBlanks(at);
    for (;;) {
      const quoted = cutter.readQuoted(cutter.skipBlanks(at));
      const end = quoted?.end ?? cutter.findCellEnd(at);
      if (quoted !== null) spanned += countLineEnds(text, at, end);
      const cell = quoted?.value ?? text.slice(at, end);
      cells.push(dialect.isEscaped ? unescapeCell(cell) : cell);
      at = end;
      const length = cutter.measureSeparator(at);
      if (length === 0) break;
      at += length;
      // Blanks at the end of a line separate nothing.
      if (dialect.separator === blanks && isEnd(text, at)) break;
    }
    if (!take({ line, cells, lines: spanned })) return;
    at += text.charCodeAt(at) === carriageReturn && text.charCodeAt(at + 1) === newline ? 2 : 1;
    line += spanned;
  }
}

const isEnd = (text: string, at: number) => at >= text.length || isLineEnd(text.charCodeAt(at));
