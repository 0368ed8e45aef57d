/** Inputs of callers: anything that JSON cannot hold is refused, as the workbench would never be sent it. */
import type { Json, JsonObject } from '../engine/json.ts';
import { limits } from '../engine/limits.ts';
import { InvalidInput } from './api.ts';

const isPlainObject = (value: object) => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
};

/** Called with the place of a whole number beyond 2^53, whose digits are lost already. */
type OnLost = (place: string) => void;

/** A copy of an input as JSON has it. Throws InvalidInput, naming the place. */
export function toJsonInput(input: unknown, onLost: OnLost): JsonObject {
  if (typeof input !== 'object' || input === null || Array.isArray(input) || !isPlainObject(input))
    throw new InvalidInput('The input must be an object with a member for each field.');
  return copyObject(input, 'input', 1, onLost);
}

function copyObject(value: object, place: string, depth: number, onLost: OnLost): JsonObject {
  const members = Object.entries(value);
  if (members.length > limits.maxInputKeys)
    throw new InvalidInput(`${place} has more than ${limits.maxInputKeys.toLocaleString('en')} keys.`);
  const copy: JsonObject = {};
  for (const [key, member] of members) {
    if (member === undefined) continue;
    const copied = copyValue(member, `${place}.${key}`, depth + 1, onLost);
    const name = copyText(key, `A key of ${place}`);
    if (name === '__proto__') throw new InvalidInput(`${place} has the key "__proto__", which is not allowed.`);
    copy[name] = copied;
  }
  return copy;
}

function copyValue(value: unknown, place: string, depth: number, onLost: OnLost): Json {
  switch (typeof value) {
    case 'string':
      return copyText(value, place);
    case 'boolean':
      return value;
    case 'number':
      // From 1e21 on JSON has an exponent, and nobody means the digits.
      if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21) onLost(place);
      if (Number.isFinite(value)) return value;
      throw new InvalidInput(`${place} is not a finite number; leave it out.`);
    case 'bigint':
      throw new InvalidInput(`${place} is a BigInt, which JSON does not have; send it as text.`);
    case 'object': {
      if (value === null) return null;
      if (value instanceof Date) {
        if (Number.isNaN(value.getTime())) throw new InvalidInput(`${place} is an invalid Date; leave it out.`);
        return value.toISOString();
      }
      if (depth > limits.maxInputDepth)
        throw new InvalidInput(`The input is nested deeper than ${limits.maxInputDepth} levels.`);
      if (Array.isArray(value))
        return value.map((member, at) => copyValue(member, `${place}[${at}]`, depth + 1, onLost));
      if (isPlainObject(value)) return copyObject(value, place, depth, onLost);
    }
  }
  const kind = typeof value === 'object' && value !== null ? value.constructor.name : typeof value;
  throw new InvalidInput(`${place} is of type ${kind}, which JSON does not have.`);
}

function copyText(text: string, place: string): string {
  if (text.includes('\0')) throw new InvalidInput(`${place} contains a NUL character.`);
  if (!text.isWellFormed())
    throw new InvalidInput(`${place} contains half of a surrogate pair, which is no valid text.`);
  return text;
}
