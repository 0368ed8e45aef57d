/** Random conditions and inputs: the fuel of the comparison between the two evaluators. */
import type { Json, JsonObject } from '../../../src/engine/json.ts';

export type Random = {
  next(): number;
  below(n: number): number;
  pick<T>(from: readonly T[]): T;
  chance(p: number): boolean;
};

/** Mulberry32: small, seeded, good enough for tests. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { next, below, pick: (from) => from[below(from.length)] as never, chance: (p) => next() < p };
}

const numbers = [
  0,
  -0,
  1,
  2,
  3,
  7,
  -1,
  0.5,
  -2.5,
  100,
  1e6,
  1e15,
  1e21,
  1e-7,
  123456.789,
  2 ** 53,
  2 ** 63,
  1e308,
  0.1,
];
const texts = [
  '',
  'a',
  'A',
  'ab',
  'abc',
  'ß',
  'é',
  '😀',
  '\uff5e',
  ' x ',
  '\u00a0y\u3000',
  '3',
  '-4.5',
  '1e3',
  'true',
  'F',
  'constructor',
  '__proto__',
  '2026-01-31T23:30:00Z',
  '2024-02-29T12:00:00.25+05:30',
  '1969-12-31T23:59:59Z',
  '2026-13-01T00:00:00Z',
  '1h30m',
  '-0.5s',
  '90m',
  '\ud800',
  'x\udc00',
];
const fields = ['a', 'b', 'c', 'd', 'e', 'list', 'map', 'constructor', 'missing'];
const patterns = ['^a', 'b+', '[0-9]+', '^.$', '(?i)AB', '\\\\s', 'x|y', '\\\\p{L}'];

export function randomInput(random: Random): JsonObject {
  const json = (depth: number): Json => {
    const kind = random.below(depth > 2 ? 5 : 8);
    if (kind === 0) return null;
    if (kind === 1) return random.chance(0.5);
    if (kind <= 3)
      return random.chance(0.7)
        ? random.pick(numbers)
        : Math.round((random.next() - 0.5) * 1e6) / random.pick([1, 10, 1000]);
    if (kind === 4) return random.pick(texts);
    if (kind === 5) return Array.from({ length: random.below(5) }, () => json(depth + 1));
    return object(depth + 1);
  };
  const object = (depth: number): JsonObject => {
    const entries: [string, Json][] = [];
    for (let i = random.below(5); i > 0; i--) entries.push([random.pick([...fields, '2', '10', 'ß']), json(depth)]);
    return Object.fromEntries(entries);
  };
  const input = object(0);
  for (const field of ['a', 'b', 'c', 'd', 'e']) {
    if (random.chance(0.3)) input[field] = json(1);
    else input[field] = field < 'c' ? random.pick(numbers) : field < 'e' ? random.pick(texts) : random.chance(0.5);
  }
  if (random.chance(0.8)) input.list = Array.from({ length: random.below(6) }, () => json(1));
  if (random.chance(0.05))
    input.list = Array.from({ length: random.pick([999, 1000, 1001, 200]) }, () => random.pick(numbers));
  if (random.chance(0.6)) input.map = object(1);
  return input;
}

export function randomCondition(random: Random): string {
  const quoted = () => JSON.stringify(random.pick(texts.filter((text) => text.isWellFormed())));
  const number = () => {
    const value = random.pick(numbers);
    if (Number.isInteger(value) && Math.abs(value) < 1e15)
      return `${value}${value >= 0 && random.chance(0.1) ? 'u' : ''}`;
    const text = String(value).includes('e') ? String(value) : value.toFixed(3);
    return random.chance(0.3) ? text.replace(/^(-?)0\./, '$1.') : text;
  };
  const path = (names: readonly string[]): string => {
    let text = names.length > 0 && random.chance(0.6) ? random.pick(names) : `ctx.${random.pick(fields)}`;
    while (random.chance(0.25))
      text += random.chance(0.6) ? `.${random.pick(fields)}` : `[${random.chance(0.5) ? random.below(4) : quoted()}]`;
    return text;
  };
  const fresh = (names: readonly string[]) =>
    random.chance(0.1) ? random.pick([...names, 'ctx']) : names.length === 0 ? 'x' : 'y';
  const bool = (depth: number, names: readonly string[]): string => {
    if (depth <= 0)
      return random.chance(0.2)
        ? random.pick(['true', 'false'])
        : `${path(names)} ${random.pick(['==', '!=', '<', '>='])} ${value(0, names)}`;
    const d = depth - 1;
    switch (random.below(13)) {
      case 0:
      case 1:
        return `(${bool(d, names)} && ${bool(d, names)}${random.chance(0.3) ? ` && ${bool(d, names)}` : ''})`;
      case 2:
      case 3:
        return `(${bool(d, names)} || ${bool(d, names)})`;
      case 4:
        return `!${random.chance(0.8) ? `(${bool(d, names)})` : path(names)}`;
      case 5:
        return `has(${path(names)}.${random.pick(fields)})`;
      case 6:
        return `${value(d, names)} in ${random.chance(0.5) ? list(d, names) : path(names)}`;
      case 7:
        return `${value(d, names)}.${random.pick(['contains', 'startsWith', 'endsWith'])}(${value(0, names)})`;
      case 8:
        if (names.length < 2) {
          const name = fresh(names);
          return `${list(d, names)}.${random.pick(['all', 'exists', 'exists_one'])}(${name}, ${bool(d, [...names, name])})`;
        }
        return path(names);
      case 9:
        return `${path(names)}.matches("${random.pick(patterns)}")`;
      case 10:
        return `(${bool(d, names)} ? ${bool(d, names)} : ${value(d, names)})`;
      default:
        return `(${value(d, names)} ${random.pick(['==', '!=', '<', '<=', '>', '>='])} ${value(d, names)})`;
    }
  };
  const list = (depth: number, names: readonly string[]): string => {
    if (depth > 0 && names.length < 2 && random.chance(0.3)) {
      const name = fresh(names);
      const inner = [...names, name];
      if (random.chance(0.5)) return `ctx.list.filter(${name}, ${bool(depth - 1, inner)})`;
      return `ctx.list.map(${name}, ${random.chance(0.3) ? `${bool(depth - 1, inner)}, ` : ''}${value(depth - 1, inner)})`;
    }
    if (random.chance(0.3))
      return `[${Array.from({ length: random.below(4) }, () => value(depth - 1, names)).join(', ')}]`;
    return random.chance(0.5) ? 'ctx.list' : random.chance(0.5) ? 'ctx.map' : path(names);
  };
  const stringCall = (depth: number, names: readonly string[]): string => {
    const text = () =>
      random.chance(0.7) ? `"${random.pick(['', 'a', 'b', 'ab', 'aab', '😀a😀', 'é b c'])}"` : value(depth, names);
    const place = () => (random.chance(0.8) ? String(random.below(5) - 1) : value(0, names));
    const optional = () => (random.chance(0.5) ? `, ${place()}` : '');
    switch (random.below(7)) {
      case 0:
        return `${text()}.charAt(${place()})`;
      case 1:
        return `${text()}.substring(${place()}${optional()})`;
      case 2:
        return `${text()}.${random.pick(['indexOf', 'lastIndexOf'])}(${text()}${optional()})`;
      case 3:
        return `${text()}.replace(${text()}, ${text()}${optional()})`;
      case 4:
        return `${text()}.split(${text()}${optional()})`;
      case 5:
        return `${text()}.split(${text()}).join(${random.chance(0.5) ? text() : ''})`;
      default:
        return `${list(depth, names)}.join(${text()})`;
    }
  };
  const value = (depth: number, names: readonly string[]): string => {
    const d = depth - 1;
    switch (depth <= 0 ? random.below(6) : random.below(19)) {
      case 0:
        return number();
      case 1:
        return quoted();
      case 2:
        return random.pick(['true', 'false', 'null', '3', '"a"']);
      case 3:
      case 4:
      case 5:
        return path(names);
      case 6:
      case 7:
        return `(${value(d, names)} ${random.pick(['+', '-', '*', '/', '%'])} ${value(d, names)})`;
      case 8:
        return `size(${random.chance(0.5) ? value(d, names) : list(d, names)})`;
      case 9:
        return `${random.pick(['int', 'double', 'string', 'bool', 'abs', 'ceil', 'floor', 'round'])}(${value(d, names)})`;
      case 10:
        return `${random.pick(['min', 'max'])}(${value(d, names)}, ${value(d, names)})`;
      case 11:
        return `timestamp(${random.chance(0.7) ? quoted() : path(names)})${random.chance(0.6) ? `.${random.pick(['getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear', 'getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'])}(${random.chance(0.3) ? random.pick(['"+05:30"', '"-08:00"', '"UTC"', '"Mars"']) : ''})` : ''}`;
      case 12:
        return `duration(${random.pick(['"1h30m"', '"-2.5s"', '"0"', '"90m"', '"x"', '"1.0009s"'])})`;
      case 13:
        return `${value(d, names)}.${random.pick(['foldCase', 'lowerAscii', 'upperAscii', 'trim', 'size'])}()`;
      case 14:
        return `{"a": ${value(d, names)}, ${random.chance(0.9) ? '"b"' : value(d, names)}: ${value(d, names)}}`;
      case 15:
        return `-${path(names)}`;
      case 16:
      case 17:
        return stringCall(d, names);
      default:
        return list(d, names);
    }
  };
  return bool(random.pick([0, 0, 1, 1, 2, 3]), []);
}
