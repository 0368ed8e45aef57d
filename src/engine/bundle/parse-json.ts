/** JSON entries of a bundle, parsed within bounds. */
import { strFromU8, strToU8 } from 'fflate';
import { bundleLimits } from './manifest.ts';
import { toBundleError } from './zip.ts';

const comma = 0x2c;
const openingBracket = 0x5b;
const openingBrace = 0x7b;

/** Parses a JSON entry, bounded by its commas and brackets; refuses numbers that no double holds. */
export function parseJson(name: string, bytes: Uint8Array): unknown {
  let separators = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === comma || byte === openingBracket || byte === openingBrace) separators++;
  }
  if (separators > bundleLimits.maxJsonSeparators) throw toBundleError(`entry ${name}`, 'holds too many values');
  let value: unknown;
  try {
    value = JSON.parse(decodeText(name, bytes));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw toBundleError(`entry ${name}`, `is not JSON (${error.message})`);
  }
  checkValues(name, value);
  return value;
}

/** Decodes UTF-8 strictly, so that no reader sees a different text in invalid bytes or after a byte order mark. */
function decodeText(name: string, bytes: Uint8Array): string {
  const text = strFromU8(bytes);
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const isExact = !text.includes('\uFFFD') || isEqual(strToU8(text), bytes);
  if (hasMark || !isExact) throw toBundleError(`entry ${name}`, 'is not plain UTF-8');
  return text;
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Walks level by level, so that no nesting is too deep for it. */
function checkValues(name: string, root: unknown): void {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'number' && !Number.isFinite(value)) {
        throw toBundleError(`entry ${name}`, 'holds a number too large for a double');
      }
      if (typeof value !== 'object' || value === null) continue;
      if (depth === bundleLimits.maxJsonDepth) throw toBundleError(`entry ${name}`, 'is nested too deeply');
      for (const member of Object.values(value)) next.push(member);
    }
    level = next;
  }
}
