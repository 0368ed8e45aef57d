/** Explains what is wrong with a refused JSON text, and where. */

type JsonFault = { line: number; column: number; message: string };

/** Parses a text, or says where (both from 1) it stops being JSON; the text itself is never quoted. */
export function parseJsonText(text: string): { ok: true; value: unknown } | { ok: false; fault: JsonFault } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { ok: false, fault: locateFault(text) };
  }
}

/** Finds the index after the closing quote of the string that starts at `open` in a valid JSON text. */
export function findStringEnd(text: string, open: number): number {
  let close = open;
  for (;;) {
    close = text.indexOf('"', close + 1);
    if (close === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(close - 1 - backslashes) === 92) backslashes += 1;
    if (backslashes % 2 === 0) return close + 1;
  }
}

/** Finds the first key that a valid JSON text repeats in one object; empty if there is none. */
export function findDuplicateKey(text: string): string {
  const stack: (Set<string> | null)[] = [];
  let last = '';
  for (let index = 0; index < text.length; ) {
    const char = text[index];
    if (char === '"') {
      const end = findStringEnd(text, index);
      last = JSON.parse(text.slice(index, end)) as string;
      index = end;
      continue;
    }
    if (char === '{') stack.push(new Set());
    else if (char === '[') stack.push(null);
    else if (char === '}' || char === ']') stack.pop();
    else if (char === ':') {
      const keys = stack.at(-1);
      if (keys?.has(last)) return last;
      keys?.add(last);
    }
    index += 1;
  }
  return '';
}

const digitRun = /\d{16}/;
const written = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Whether the double of a written whole number neither equals it nor is written so. */
const losesDigits = (number: string) => String(Number(number)) !== number && BigInt(Number(number)) !== BigInt(number);

/** Finds the places of whole numbers in a valid JSON text that are other numbers once they are doubles. */
export function findLostDigits(text: string): (string | number)[][] {
  const places: (string | number)[][] = [];
  if (!digitRun.test(text)) return places;
  const at: (string | number)[] = [];
  for (let index = 0; index < text.length; ) {
    const char = text.charAt(index);
    if (char === '"') {
      const end = findStringEnd(text, index);
      if (typeof at.at(-1) === 'string' && text.charAt(skipWhitespace(text, end)) === ':')
        at[at.length - 1] = JSON.parse(text.slice(index, end));
      index = end;
      continue;
    }
    written.lastIndex = index;
    const number = /[-\d]/.test(char) ? (written.exec(text)?.[0] ?? '') : '';
    if (/^-?\d{16,}$/.test(number) && losesDigits(number)) places.push([...at]);
    const last = at.at(-1);
    if (char === '{') at.push('');
    else if (char === '[') at.push(0);
    else if (char === '}' || char === ']') at.pop();
    else if (char === ',' && typeof last === 'number') at[at.length - 1] = last + 1;
    index += Math.max(1, number.length);
  }
  return places;
}

/** A mark, the quote that opens a string, or another value. */
const token = /(?:([{}[\],:])|(")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|true\b|false\b|null\b)/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Finds the index after a string's closing quote, or null. A loop: a regular expression exhausts its stack. */
function findValidStringEnd(text: string, start: number): number | null {
  for (let index = start; index < text.length; ) {
    const code = text.charCodeAt(index);
    if (code === 34) return index + 1;
    if (code < 32) return null;
    if (code === 92) {
      escapeSequence.lastIndex = index;
      if (!escapeSequence.test(text)) return null;
      index = escapeSequence.lastIndex;
    } else index += 1;
  }
  return null;
}

function skipWhitespace(text: string, start: number): number {
  let index = start;
  while (index < text.length && ' \t\n\r'.includes(text.charAt(index))) index += 1;
  return index;
}

/** Where a text stops being JSON; a small state machine over its tokens. */
function locateFault(text: string): JsonFault {
  const stack: ('{' | '[')[] = [];
  let expects: 'value' | 'value or ]' | 'key or }' | 'key' | 'colon' | 'comma or end' = 'value';
  let position = 0;
  let message = 'unexpected end';
  for (;;) {
    const start = skipWhitespace(text, position);
    token.lastIndex = start;
    const found = token.exec(text);
    const end = found?.[2] === undefined ? token.lastIndex : findValidStringEnd(text, token.lastIndex);
    if (found === null || end === null) {
      if (start < text.length) message = 'unexpected character';
      position = start;
      break;
    }
    const [, mark, string] = found;
    let fits = true;
    const close = mark === '}' || mark === ']';
    if (close) {
      const wanted = mark === '}' ? '{' : '[';
      const may = expects === 'comma or end' || expects === (mark === '}' ? 'key or }' : 'value or ]');
      fits = may && stack.pop() === wanted;
      expects = 'comma or end';
    } else if (expects === 'comma or end') {
      fits = mark === ',' && stack.length > 0;
      expects = stack.at(-1) === '{' ? 'key' : 'value';
    } else if (expects === 'colon') {
      fits = mark === ':';
      expects = 'value';
    } else if (expects === 'key' || expects === 'key or }') {
      fits = string !== undefined;
      expects = 'colon';
    } else if (mark === '{' || mark === '[') {
      stack.push(mark);
      expects = mark === '{' ? 'key or }' : 'value or ]';
    } else {
      fits = mark === undefined;
      expects = 'comma or end';
    }
    if (!fits) {
      message = 'unexpected character';
      position = start;
      break;
    }
    position = end;
  }
  const before = text.slice(0, position);
  return { line: before.split('\n').length, column: position - before.lastIndexOf('\n'), message };
}
