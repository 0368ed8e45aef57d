import { WorkbenchError } from '../../engine/errors.ts';

const maxDepth = 32;
const maxKeys = 2_000;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Reads a JSON body exactly: UTF-8 only, at most 32 levels and 2,000 keys in an object, no duplicate
 * or prototype keys, finite numbers, no
 * lone surrogates and no NUL. Throws `bad_request` naming the position of a syntax fault, or `validation_error`
 * naming the place of a value that cannot be stored. An empty body is `undefined`.
 */
export function readJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw new WorkbenchError('bad_request', 'The body is not valid UTF-8.', undefined, { cause });
  }
  const parsed = parseJsonText(text);
  if (!parsed.ok) {
    const { line, column, message } = parsed.fault;
    throw new WorkbenchError(
      'bad_request',
      `The body is not valid JSON: ${message} at line ${line}, column ${column}.`,
    );
  }
  const { value } = parsed;
  const escapes = /\\u(?:[dD]|0000)/.test(text);
  const keys = countKeys(value, 1, escapes, []);
  if (keys !== countPairs(text)) {
    throw new WorkbenchError(
      'bad_request',
      `The body has the key ${JSON.stringify(duplicateKey(text))} twice in one object.`,
    );
  }
  return value;
}

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

/** Counts the keys of all objects while checking depth, key names, numbers and (when there are escapes) strings. */
function countKeys(value: unknown, depth: number, escapes: boolean, at: (string | number)[]): number {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw unstorable(at, 'the number is too large');
    return 0;
  }
  if (typeof value === 'string') {
    if (escapes && !storable(value)) throw unstorable(at, 'the text holds a NUL or half a surrogate pair');
    return 0;
  }
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > maxDepth)
    throw new WorkbenchError('bad_request', `The body is nested more than ${maxDepth} levels deep.`);
  let total = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const member: unknown = value[index];
      if (typeof member === 'boolean' || member === null) continue;
      at.push(index);
      total += countKeys(member, depth + 1, escapes, at);
      at.pop();
    }
    return total;
  }
  const record = value as Record<string, unknown>;
  const names = Object.keys(record);
  if (names.length > maxKeys)
    throw new WorkbenchError('bad_request', `An object of the body has more than ${maxKeys} keys.`);
  for (const key of names) {
    if (key === '__proto__') throw new WorkbenchError('bad_request', 'The key "__proto__" is not allowed.');
    if (escapes && !storable(key)) throw unstorable(at, 'a key holds a NUL or half a surrogate pair');
    at.push(key);
    total += 1 + countKeys(record[key], depth + 1, escapes, at);
    at.pop();
  }
  return total;
}

const storable = (text: string) => text.isWellFormed() && !text.includes('\u0000');

function unstorable(at: readonly (string | number)[], msg: string): WorkbenchError {
  return new WorkbenchError('validation_error', 'Request validation failed', [
    { type: 'invalid_value', loc: ['body', ...at], msg },
  ]);
}

/** Index after the closing quote of the string that starts at `open`. */
function endOfString(text: string, open: number): number {
  let close = open;
  for (;;) {
    close = text.indexOf('"', close + 1);
    if (close === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(close - 1 - backslashes) === 92) backslashes += 1;
    if (backslashes % 2 === 0) return close + 1;
  }
}

/** Number of key-value pairs written in a valid JSON text: its colons outside strings. */
function countPairs(text: string): number {
  let pairs = 0;
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index);
    if (code === 34) index = endOfString(text, index);
    else {
      if (code === 58) pairs += 1;
      index += 1;
    }
  }
  return pairs;
}

/** The first key that a valid JSON text repeats in one object. */
function duplicateKey(text: string): string {
  const stack: (Set<string> | null)[] = [];
  let last = '';
  for (let index = 0; index < text.length; ) {
    const char = text[index];
    if (char === '"') {
      const end = endOfString(text, index);
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

const token =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|true\b|false\b|null\b))/y;

/** Where a text stops being JSON; a small state machine over its tokens. */
function locateFault(text: string): JsonFault {
  const stack: ('{' | '[')[] = [];
  let expects: 'value' | 'value or ]' | 'key or }' | 'key' | 'colon' | 'comma or end' = 'value';
  let position = 0;
  let message = 'unexpected end';
  for (;;) {
    const start = position + (/^[ \t\n\r]*/.exec(text.slice(position, position + 10_000))?.[0].length ?? 0);
    token.lastIndex = position;
    const found = token.exec(text);
    if (found === null) {
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
    position = token.lastIndex;
  }
  const before = text.slice(0, position);
  return { line: before.split('\n').length, column: position - before.lastIndexOf('\n'), message };
}
