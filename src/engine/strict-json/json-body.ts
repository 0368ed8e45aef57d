/** Reads a JSON body strictly, in one pass over its text beside `JSON.parse`. */
import { WorkbenchError } from '../errors.ts';
import { limits } from '../limits.ts';
import { formatCount } from '../numeric.ts';
import { findDuplicateKey, findLostDigits, findStringEnd, parseJsonText } from './json-faults.ts';

/** Every platform of the engine has it. */
declare const TextDecoder: new (encoding: string, options: { fatal: true }) => { decode(bytes: Uint8Array): string };

/** Where a value stands in a body. */
export type Place = (string | number)[];

const { maxInputDepth, maxInputKeys } = limits;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON body strictly: UTF-8 only, at most 32 levels and 2,000 keys in an object, no duplicate or prototype
 * keys, finite numbers, no lone surrogates and no NUL. An empty body is `undefined`. Throws `bad_request` with the
 * position of a syntax error or where there are more than `maxValues` values, and `validation_error` with the place of
 * a value that cannot be stored. Gives `tellLost` the places of whole numbers that lose digits, where there are any.
 *
 * Measured on a body of 550 bytes: 3.1 µs, of which JSON.parse takes 1.7 µs. With a reviver, which could make most of
 * these checks, JSON.parse takes 9.4 µs.
 */
export function readJsonBody(
  bytes: Uint8Array,
  maxValues = Number.POSITIVE_INFINITY,
  tellLost?: (places: Place[]) => void,
): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw new WorkbenchError('bad_request', 'The body is not valid UTF-8.', undefined, { cause });
  }
  if (Number.isFinite(maxValues) && hasMoreValues(text, maxValues)) {
    throw new WorkbenchError(
      'bad_request',
      `The body holds more than ${formatCount(maxValues)} values. Send it in several parts.`,
    );
  }
  const parsed = parseJsonText(text);
  if (!parsed.ok) {
    const { line, column, message } = parsed.fault;
    throw new WorkbenchError(
      'bad_request',
      `The body is not valid JSON: ${message} at line ${line}, column ${column}.`,
    );
  }
  checkStrictness(parsed.value, text);
  if (tellLost !== undefined) {
    const lost = findLostDigits(text);
    if (lost.length > 0) tellLost(lost);
  }
  return parsed.value;
}

/** Refuses a JSON value as `readJsonBody` does, but for syntax; it may be nested `levelsAround` deeper. */
export function checkStrictness(value: unknown, text: string, levelsAround = 0): void {
  // Only an escape can write half a surrogate pair or a NUL, so that other texts need not be looked through.
  const checksStrings = text.includes('\\u') && /\\u(?:[dD]|0000)/.test(text);
  if (countKeys(value, 1 - levelsAround, checksStrings, []) !== countPairs(text)) {
    throw new WorkbenchError(
      'bad_request',
      `The body has the key ${JSON.stringify(findDuplicateKey(text))} twice in one object.`,
    );
  }
}

/** Counts all keys while checking depth, names, numbers and strings; fewer than pairs means a repeated one. */
function countKeys(value: unknown, depth: number, checksStrings: boolean, at: (string | number)[]): number {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw unstorable(at, 'the number is too large');
    return 0;
  }
  if (typeof value === 'string') {
    if (checksStrings && !isStorable(value)) throw unstorable(at, 'the text holds a NUL or half a surrogate pair');
    return 0;
  }
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > maxInputDepth)
    throw new WorkbenchError('bad_request', `The body is nested more than ${maxInputDepth} levels deep.`);
  let total = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const member: unknown = value[index];
      if (typeof member === 'boolean' || member === null) continue;
      at.push(index);
      total += countKeys(member, depth + 1, checksStrings, at);
      at.pop();
    }
    return total;
  }
  const record = value as Record<string, unknown>;
  const names = Object.keys(record);
  if (names.length > maxInputKeys)
    throw new WorkbenchError('bad_request', `An object of the body has more than ${maxInputKeys} keys.`);
  for (const key of names) {
    if (key === '__proto__') throw new WorkbenchError('bad_request', 'The key "__proto__" is not allowed.');
    if (checksStrings && !isStorable(key)) throw unstorable(at, 'a key holds a NUL or half a surrogate pair');
    at.push(key);
    total += 1 + countKeys(record[key], depth + 1, checksStrings, at);
    at.pop();
  }
  return total;
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\u0000');

function unstorable(at: readonly (string | number)[], msg: string): WorkbenchError {
  return new WorkbenchError('validation_error', 'Request validation failed.', [
    { type: 'invalid_value', loc: ['body', ...at], msg },
  ]);
}

/** Whether a text that may be JSON has more commas and opening brackets outside its strings than `maxValues`. */
export function hasMoreValues(text: string, maxValues: number): boolean {
  // Each of them takes a character at least.
  if (text.length <= maxValues) return false;
  let values = 0;
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index);
    if (code === 34) {
      index = findStringEnd(text, index);
      continue;
    }
    if (code === 44 || code === 91 || code === 123) {
      values += 1;
      if (values > maxValues) return true;
    }
    index += 1;
  }
  return false;
}

/** Number of key-value pairs written in a valid JSON text: its colons outside strings. */
function countPairs(text: string): number {
  let pairs = 0;
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index);
    if (code === 34) index = findStringEnd(text, index);
    else {
      if (code === 58) pairs += 1;
      index += 1;
    }
  }
  return pairs;
}
