/** Reading text that is HTML: what a person sees of it. The Python package does the same (`_model/readable.py`). */
import { namedCharacters } from './named-characters.ts';

/** A piece of the readable text and the stretch of the cell that it stands for (UTF-16 indices). */
type Piece = { text: string; start: number; end: number };

/** Elements that begin and end a line. */
export const blockElements = [
  ...['address', 'article', 'aside', 'blockquote', 'body', 'center', 'dd', 'details', 'dialog', 'div', 'dl', 'dt'],
  ...['fieldset', 'figcaption', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'head', 'header', 'hr'],
  ...['html', 'li', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'summary', 'table', 'tbody', 'tfoot', 'thead', 'tr'],
  'ul',
] as const;
/** Elements that a line goes on around. */
export const inlineElements = [
  ...['a', 'abbr', 'acronym', 'audio', 'b', 'base', 'bdi', 'bdo', 'big', 'button', 'caption', 'cite', 'code', 'col'],
  ...['colgroup', 'del', 'dfn', 'em', 'font', 'i', 'iframe', 'img', 'input', 'ins', 'kbd', 'label', 'link', 'mark'],
  ...['meta', 'noscript', 'object', 'option', 'picture', 'q', 's', 'samp', 'select', 'small', 'source', 'span'],
  ...['strike', 'strong', 'sub', 'sup', 'svg', 'td', 'textarea', 'th', 'tt', 'u', 'var', 'video', 'wbr'],
] as const;
/** Elements whose content nobody sees. */
export const hiddenElements = ['script', 'style', 'title'] as const;
/** Elements whose start alone shows that a text is HTML; of the others it takes an end, as of `<b>…</b>`. */
export const telltaleElements = ['body', 'br', 'div', 'html', 'li', 'p', 'table', 'td', 'tr', 'ul'] as const;

const blocks = new Set<string>(blockElements);
const hidden = new Set<string>(hiddenElements);
const known = new Set<string>(['br', ...blockElements, ...inlineElements, ...hiddenElements]);
const telltales = new Set<string>(telltaleElements);

/** Share of the texts from which on a policy reads HTML; tickets hold answers by mail among plain ones. */
const minMarkupShare = 0.2;

/**
 * Comments' beginnings, declarations, tags, characters by name or number, white space. No two of its repetitions can
 * share a character, so a text is read in time linear in its length.
 */
const tokenPattern =
  /<!--|<[!?][^<>]*>|<(\/?)([a-z][a-z0-9]*|[ovw]:[a-z]+)(?:[ \t\n\f\r/][^<>]*)?>|&(?:#([0-9]{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,8}));|[ \t\n\f\r]+/gi;

/** The characters of the numbers 128 to 159, read as windows-1252. */
const windowsCharacters = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** The gap between two pieces: nothing, a space, or one line end or two. */
type Gap = { text: '' | ' ' | '\n' | '\n\n'; start: number; end: number };

const noGap: Gap = { text: '', start: 0, end: 0 };

class MarkupReader {
  readonly #text: string;
  readonly #pieces: Piece[] = [];
  /** The gap between the last piece and the next one; empty after the final piece. */
  #gap = noGap;
  #isMarkup = false;
  #preDepth = 0;
  /** The beginning of the unread rest. */
  #at = 0;
  /** Ends that are not there any more. */
  readonly #missed = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  read(): Piece[] | null {
    for (const match of this.#text.matchAll(tokenPattern)) if (match.index >= this.#at) this.#readToken(match);
    this.#addUpTo(this.#text.length);
    return this.#isMarkup ? this.#pieces : null;
  }

  #readToken(match: RegExpExecArray): void {
    const { index: start, 0: token, 1: slash } = match;
    const end = start + token.length;
    const element = match[2]?.toLowerCase();
    const character = token.startsWith('&') ? decodeCharacter(match) : ' ';
    if (character === null || (element !== undefined && !known.has(element) && !element.includes(':'))) return;
    this.#addUpTo(start);
    this.#at = end;
    if (element !== undefined) this.#readElement(element, slash === '/', start, end);
    else if (token === '<!--') this.#skip('-->', 3);
    else if (character !== ' ') this.#add({ text: character, start, end });
    else if (!token.startsWith('<')) this.#leave(this.#preDepth > 0 && token.includes('\n') ? '\n' : ' ', start, end);
  }

  #readElement(element: string, isEnd: boolean, start: number, end: number): void {
    this.#isMarkup ||= isEnd || telltales.has(element);
    if (element === 'pre') this.#preDepth += isEnd ? -1 : 1;
    if (element === 'br') this.#leave(this.#gap.text.startsWith('\n') ? '\n\n' : '\n', start, end);
    else if (blocks.has(element)) this.#leave('\n', start, end);
    else if (element === 'td' || element === 'th') this.#leave(' ', start, end);
    else if (hidden.has(element) && !isEnd) this.#skip(`</${element}`, 0);
  }

  /** Goes on at what ends a hidden stretch, `past` behind its beginning, or not at all where nothing ends it. */
  #skip(wanted: string, past: number): void {
    if (this.#missed.has(wanted)) return;
    const pattern = new RegExp(wanted, 'gi');
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) this.#missed.add(wanted);
    else this.#at = found.index + past;
  }

  /** Widens the gap; of a space and a line end the line end stays. */
  #leave(wanted: Gap['text'], start: number, end: number): void {
    const { text } = this.#gap;
    const widened = wanted.length > text.length || text === ' ' ? wanted : text;
    this.#gap = { text: widened, start: text === '' ? start : this.#gap.start, end };
  }

  #addUpTo(end: number): void {
    if (end > this.#at) this.#add({ text: this.#text.slice(this.#at, end), start: this.#at, end });
  }

  #add(piece: Piece): void {
    if (this.#gap.text !== '' && this.#pieces.length > 0) this.#pieces.push(this.#gap);
    this.#gap = noGap;
    this.#pieces.push(piece);
  }
}

/**
 * Reads a text that is HTML: tags, comments, scripts and styles dropped, blocks and `<br>` as line ends, characters
 * decoded, other white space as one space. Null if it is not one: it takes one end tag, or an element that says enough.
 */
function readMarkup(text: string): Piece[] | null {
  return text.includes('<') ? new MarkupReader(text).read() : null;
}

/** The text as a person reads it: of HTML what is seen of it, any other text as it is. */
export function toReadableText(text: string): string {
  return (
    readMarkup(text)
      ?.map((piece) => piece.text)
      .join('') ?? text
  );
}

/** Whether so many of the texts are HTML that a policy reads them so. */
export function areMarkup(texts: readonly string[]): boolean {
  const marked = texts.filter((text) => readMarkup(text) !== null).length;
  return marked > 0 && marked >= minMarkupShare * texts.length;
}

/** A readable text with the stretch of the cell that each of its UTF-16 units stands for. */
export type PlacedText = { text: string; starts: Uint32Array; ends: Uint32Array };

/** Reads a text that is HTML with the places of its characters in the cell; null if it is not one. */
export function readPlaces(cell: string): PlacedText | null {
  const pieces = readMarkup(cell);
  if (pieces === null) return null;
  const text = pieces.map((piece) => piece.text).join('');
  const [starts, ends] = [new Uint32Array(text.length), new Uint32Array(text.length)];
  let at = 0;
  for (const piece of pieces) {
    const isCopied = piece.text.length === piece.end - piece.start;
    for (let unit = 0; unit < piece.text.length; unit++, at++) {
      starts[at] = isCopied ? piece.start + unit : piece.start;
      ends[at] = isCopied ? piece.start + unit + 1 : piece.end;
    }
  }
  return { text, starts, ends };
}

/** Finds a place of the cell (UTF-16 index) in the readable text; what is not seen stands before what follows. */
export function toReadablePlace({ ends }: PlacedText, place: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Decodes a character written by number or name, white space as a space; null if no character has that name. */
function decodeCharacter([, , , decimal, hexadecimal, name]: readonly (string | undefined)[]): string | null {
  if (name !== undefined) return name === 'nbsp' ? ' ' : (namedCharacters.get(name) ?? null);
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  if (code <= 32 || code === 160) return ' ';
  if (code >= 128 && code < 160) return windowsCharacters[code - 128] ?? null;
  return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code);
}
