/** One record per field kind: what is learned from training values, and how a value becomes slots. */
import { cos, sin } from '../exact-math.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { countDays, parseDate } from './dates.ts';
import type { Field, FieldKind, Stat } from './plan.ts';
import {
  compilePath,
  computeMedian,
  computeStat,
  identifierPattern,
  isFiniteNumber,
  listFrequentValues,
  listLeaves,
  readPath,
  standardize,
  toCategory,
  zeroStat,
} from './values.ts';

type FieldOf<K extends FieldKind> = Extract<Field, { kind: K }>;

/** Writes the slots of one value into `dense` from `start` on; what it leaves alone must be 0 before. */
type SlotWriter = (value: Json | undefined, dense: Float32Array, start: number) => void;

/** A field kind. `fit` never fails; writers compute in double precision and fill `size(field)` slots. */
type Kind<K extends FieldKind> = {
  fit(path: string[], values: readonly (Json | undefined)[]): FieldOf<K>;
  size(field: FieldOf<K>): number;
  compile(field: FieldOf<K>): SlotWriter;
};

const maxCategories = 200;
const maxMembers = 50;
const maxMemberNumbers = 8;

const number: Kind<'number'> = {
  fit(path, values) {
    const present = values.filter(isFiniteNumber);
    return { kind: 'number', path, median: computeMedian(present), ...computeStat(present) };
  },
  size: () => 2,
  compile(field) {
    const ofMedian = standardize(field.median, field);
    return (value, dense, start) => {
      if (isFiniteNumber(value)) {
        dense[start] = standardize(value, field);
        return;
      }
      dense[start] = ofMedian;
      dense[start + 1] = 1;
    };
  },
};

const boolean: Kind<'boolean'> = {
  fit: (path) => ({ kind: 'boolean', path }),
  size: () => 2,
  compile: () => (value, dense, start) => {
    if (value === true) dense[start] = 1;
    else if (value !== false) dense[start + 1] = 1;
  },
};

const category: Kind<'category'> = {
  fit(path, values) {
    const texts = values.map(toCategory).filter((text) => text !== null);
    return { kind: 'category', path, values: listFrequentValues(texts, texts.length >= 100 ? 2 : 1, maxCategories) };
  },
  size: (field) => field.values.length + 2,
  compile(field) {
    const unknown = field.values.length;
    const slots = new Map(field.values.map((text, index) => [text, index]));
    return (value, dense, start) => {
      const text = toCategory(value);
      dense[start + (text === null ? unknown + 1 : (slots.get(text) ?? unknown))] = 1;
    };
  },
};

const date: Kind<'date'> = {
  fit(path, values) {
    const days = values.flatMap((value) => parseDate(value)?.epochDays ?? []);
    return { kind: 'date', path, ...computeStat(days) };
  },
  size: () => 8,
  compile: (field) => (value, dense, start) => {
    const parts = parseDate(value);
    if (parts === null) {
      dense[start + 7] = 1;
      return;
    }
    dense[start] = standardize(parts.epochDays, field);
    const angles = [
      (2 * Math.PI * (parts.month - 1)) / 12,
      (2 * Math.PI * parts.weekday) / 7,
      (2 * Math.PI * parts.hour) / 24,
    ];
    angles.forEach((angle, index) => {
      dense[start + 1 + 2 * index] = sin(angle);
      dense[start + 2 + 2 * index] = cos(angle);
    });
  },
};

/** Mean, minimum, maximum and sum of the finite numbers of a list; null where it has none. */
function summarise(list: readonly Json[]): [number, number, number, number] | null {
  const members = list.filter(isFiniteNumber);
  if (members.length === 0) return null;
  let sum = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const member of members) {
    sum += member;
    if (member < min) min = member;
    if (member > max) max = member;
  }
  return [sum / members.length, min, max, sum];
}

function learnStats(lists: readonly (readonly Json[])[]): Stat[] {
  const summaries = lists.map(summarise).filter((summary) => summary !== null);
  return ([0, 1, 2, 3] as const).map((index) => computeStat(summaries.map((summary) => summary[index])));
}

const numbers: Kind<'numbers'> = {
  fit(path, values) {
    const lists = values.filter((value) => Array.isArray(value));
    return { kind: 'numbers', path, stats: [computeStat(lists.map((list) => list.length)), ...learnStats(lists)] };
  },
  size: () => 6,
  compile(field) {
    const stat = (index: number) => field.stats[index] ?? zeroStat;
    return (value, dense, start) => {
      if (!Array.isArray(value)) {
        dense[start + 5] = 1;
        return;
      }
      dense[start] = standardize(value.length, stat(0));
      summarise(value)?.forEach((x, index) => {
        dense[start + 1 + index] = standardize(x, stat(index + 1));
      });
    };
  },
};

const strings: Kind<'strings'> = {
  fit(path, values) {
    const lists = values.filter((value) => Array.isArray(value));
    const members = lists.flatMap((list) => [...new Set(list.filter((member) => typeof member === 'string'))]);
    return {
      kind: 'strings',
      path,
      stats: [computeStat(lists.map((list) => list.length))],
      values: listFrequentValues(members, lists.length >= 20 ? 2 : 1, maxMembers),
    };
  },
  size: (field) => field.values.length + 2,
  compile: (field) => (value, dense, start) => {
    if (!Array.isArray(value)) {
      dense[start + field.values.length + 1] = 1;
      return;
    }
    dense[start] = standardize(value.length, field.stats[0] ?? zeroStat);
    const members = new Set(value);
    field.values.forEach((known, index) => {
      if (members.has(known)) dense[start + 1 + index] = 1;
    });
  },
};

function listMembersAt(list: readonly Json[], path: readonly string[]): Json[] {
  return list.flatMap((member) => {
    const value = isJsonObject(member) ? readPath(member, path) : undefined;
    return value === undefined ? [] : [value];
  });
}

/** Finds the paths that hold numbers in members of the lists, the most frequent ones, without identifiers. */
function findNumberPaths(lists: readonly (readonly Json[])[]): string[][] {
  const counts = new Map<string, { path: string[]; numbers: number; values: number }>();
  for (const member of lists.flat()) {
    for (const { path, value } of isJsonObject(member) ? listLeaves(member) : []) {
      const key = JSON.stringify(path);
      const count = counts.get(key) ?? { path, numbers: 0, values: 0 };
      if (value !== null) count.values += 1;
      if (isFiniteNumber(value)) count.numbers += 1;
      counts.set(key, count);
    }
  }
  return [...counts]
    .filter(([, { path, numbers, values }]) => numbers > 0.8 * values && !identifierPattern.test(path.at(-1) ?? ''))
    .sort(([a, m], [b, n]) => n.numbers - m.numbers || (a < b ? -1 : 1))
    .slice(0, maxMemberNumbers)
    .map(([, { path }]) => path);
}

const objects: Kind<'objects'> = {
  fit(path, values) {
    const lists = values.filter((value) => Array.isArray(value));
    const members = findNumberPaths(lists).map((path) => ({
      path,
      stats: learnStats(lists.map((list) => listMembersAt(list, path))),
    }));
    return { kind: 'objects', path, stats: [computeStat(lists.map((list) => list.length))], members };
  },
  size: (field) => 2 + 4 * field.members.length,
  compile: (field) => (value, dense, start) => {
    if (!Array.isArray(value)) {
      dense[start + 1 + 4 * field.members.length] = 1;
      return;
    }
    dense[start] = standardize(value.length, field.stats[0] ?? zeroStat);
    field.members.forEach(({ path, stats }, member) => {
      summarise(listMembersAt(value, path))?.forEach((x, index) => {
        dense[start + 1 + 4 * member + index] = standardize(x, stats[index] ?? zeroStat);
      });
    });
  },
};

/** The registry: a new kind is one more record here and one more line in plan.ts. */
const kinds: { readonly [K in FieldKind]: Kind<K> } = { number, boolean, category, date, numbers, strings, objects };

/** Finds the record of a field's kind, typed for a field whose kind is known only at run time. */
function findKind(field: Field): Kind<FieldKind> {
  return kinds[field.kind] as unknown as Kind<FieldKind>;
}

/** Prepares reading the value of a field in an input: what stands at its path, or the days between two dates. */
export function compileReader(field: Field): (input: JsonObject) => Json | undefined {
  const read = compilePath(field.path);
  if (field.kind !== 'number' || field.since === undefined) return read;
  const readSince = compilePath(field.since);
  return (input) => countDays(read(input), readSince(input));
}

/** Learns a field of a kind from the values of the training inputs (undefined where absent). */
export function fitField(kind: FieldKind, path: string[], values: readonly (Json | undefined)[]): Field {
  return kinds[kind].fit(path, values);
}

/** How many slots of the dense vector a field takes. */
export function countSlots(field: Field): number {
  return findKind(field).size(field);
}

/** Makes the function that writes a value of this field into its slots. */
export function compileField(field: Field): SlotWriter {
  return findKind(field).compile(field);
}
