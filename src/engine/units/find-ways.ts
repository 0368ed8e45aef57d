/** Ways in which rows may hang together: by a field, by several together, by time, by the wording of a text. */

import { fieldSeparator, type SplitWay } from '../domain/training.ts';
import { exp } from '../exact-math.ts';
import { parseDate } from '../features/dates.ts';
import { identifierPattern, isFiniteNumber } from '../features/values.ts';
import type { Json, JsonObject } from '../json.ts';
import { hashNumber } from '../random.ts';
import { type ChanceModel, type CodedField, codeFields, learnChances } from './field-model.ts';
import { toTemplate } from './hold-out.ts';

/** A way, and the chance of finding it certainly lower though it is not that its test may take. */
export type Way = { split: SplitWay; level: number };

const levels = { signature: 0.05, column: 0.01, wording: 0.01, time: 0.003, running: 0.001 };
const minGroups = 20;
const maxGroupSize = 100;
const birthPattern = /birth|born|dob$|geburt|naissance/i;

/** Finds the ways to be tried; `labels` are those of the rows. Cases of several rows are given once. */
export function findWays(inputs: readonly JsonObject[], labels: readonly number[]): Way[] {
  const fields = codeFields(inputs);
  const time = findTime(fields, inputs.length);
  const tellsTime = new Set(time?.split.field?.split(fieldSeparator));
  const others = fields.filter(({ name, isText }) => !isText && !tellsTime.has(name));
  const signature = findSignature(others, inputs.length);
  const column = findColumn(others, labels);
  const isSame = column !== null && signature === column.name;
  return [
    ...(signature === null || isSame ? [] : [toGroup(signature, levels.signature)]),
    ...(column === null ? [] : [toGroup(column.name, levels.column)]),
    ...(time === null ? [] : [time]),
    ...fields.filter(isOfTemplates).map(({ name }) => toGroup(name, levels.wording)),
  ];
}

const toGroup = (field: string, level: number): Way => ({ split: { by: 'group', field }, level });

// Time

const unixSeconds = { from: 6e8, to: 2.2e9 };
const minTimeShare = 0.98;
const minTimes = 10;
/** A running number has gaps at most where two thirds of its rows are missing. */
const maxRangePerRow = 3;
const dateParts = [
  { pattern: /year|jahr|ann[eé]e|^a[nñ]o|anno|jaar/i, from: 1980, to: 2100 },
  { pattern: /month|monat|mois|mes|maand/i, from: 1, to: 12 },
  { pattern: /day|tag|jour|d[ií]a|dag/i, from: 1, to: 31 },
];

/** The field, or the fields together, that say when a row was; else one that numbers the rows. */
function findTime(fields: readonly CodedField[], rows: number): Way | null {
  const known = fields.filter(({ name }) => !birthPattern.test(name));
  const single = known.find((field) => field.counts.length > minTimes && isTime(field, rows));
  const toWay = (names: readonly string[], level: number): Way => ({
    split: { by: 'date', field: names.join(fieldSeparator) },
    level,
  });
  if (single !== undefined) return toWay([single.name], levels.time);
  const parts = dateParts.map(({ pattern, from, to }) =>
    known.find(({ name, values }) => {
      const there = values.slice(1);
      const isWithin = (value: Json) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to;
      return pattern.test(name) && there.length > 0 && there.every(isWithin);
    }),
  );
  const [year, month] = parts;
  if (year !== undefined && month !== undefined && month.counts.length > 2)
    return toWay(
      parts.flatMap((part) => part?.name ?? []),
      levels.time,
    );
  const running = known.find((field) => isRunning(field, rows));
  return running === undefined ? null : toWay([running.name], levels.running);
}

function isTime({ values, counts }: CodedField, rows: number): boolean {
  const share = (test: (value: Json) => boolean) =>
    values.reduce((sum: number, value, code) => sum + (code > 0 && test(value) ? counts[code] : 0), 0) / rows;
  if (share((value) => parseDate(value) !== null) >= minTimeShare) return true;
  const { from, to } = unixSeconds;
  return (
    [1, 1e3, 1e6].some(
      (unit) =>
        share((value) => Number.isInteger(value) && Number(value) >= from * unit && Number(value) <= to * unit) >=
        minTimeShare,
    ) || share(isCompactDate) >= minTimeShare
  );
}

const isCompactDate = (value: Json) =>
  isFiniteNumber(value) && /^(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(String(value));

function isRunning({ values, counts }: CodedField, rows: number): boolean {
  const numbers = values.slice(1).filter(isFiniteNumber).filter(Number.isInteger);
  if (counts[0] > 0 || numbers.length < rows || rows < minGroups) return false;
  const [low, high] = numbers.reduce(
    ([a, b], value) => [Math.min(a, value), Math.max(b, value)],
    [Infinity, -Infinity],
  );
  return high - low < maxRangePerRow * rows;
}

// Wording

const minSharing = 0.2;
const minTemplates = 10;
const maxTemplateShare = 0.3;

/** Whether different texts of a field have their wording from others, names and numbers aside. */
function isOfTemplates({ values, isText }: CodedField): boolean {
  if (!isText) return false;
  const texts = values.filter((value) => typeof value === 'string');
  const sizes = [...Map.groupBy(texts, (text) => toTemplate(text) ?? text).values()].map(({ length }) => length);
  const shared = sizes.filter((size) => size > 1);
  const sharing = shared.reduce((sum, size) => sum + size, 0);
  const isMostOfOne = Math.max(...sizes) > maxTemplateShare * texts.length;
  return sharing >= minSharing * texts.length && shared.length >= minTemplates && !isMostOfOne;
}

// A field

const minNumbers = 200;
const minAgreement = 0.02;

/** The field whose values most let rows agree in their label; null where none has rows in groups. */
function findColumn(fields: readonly CodedField[], labels: readonly number[]): CodedField | null {
  const rows = labels.length;
  const chance = measureAgreement([labels]);
  let best: CodedField | null = null;
  let most = minAgreement;
  for (const field of fields) {
    const { name, counts, values, codes } = field;
    const different = counts.length - 1;
    if (different < minGroups || different > rows / 1.5) continue;
    const inGroups = counts.reduce((sum, n, code) => sum + (code > 0 && n > 1 && n <= maxGroupSize ? n : 0), 0);
    if (inGroups < rows / 2 || values.some((value) => isFiniteNumber(value) && !Number.isInteger(value))) continue;
    const isNumber = values.slice(1).every(isFiniteNumber);
    if (isNumber && !identifierPattern.test(name) && different < minNumbers) continue;
    const groups = Map.groupBy(labels.keys(), (row) => codes[row]);
    groups.delete(0);
    const agreement = measureAgreement([...groups.values()].map((group) => group.map((row) => labels[row]))) - chance;
    if (agreement <= most) continue;
    [best, most] = [field, agreement];
  }
  return best;
}

/** The chance that two rows of one group have the same label, over all pairs within groups. */
function measureAgreement(groups: readonly (readonly number[])[]): number {
  let [same, all] = [0, 0];
  for (const labels of groups) {
    for (const { length } of Map.groupBy(labels, (label) => label).values()) same += length * (length - 1);
    all += labels.length * (labels.length - 1);
  }
  return same / Math.max(1, all);
}

// Several fields

const maxSearched = 5_000;
const maxSeedFields = 16;
const maxSeeds = 6;
const maxTried = 600;
/** The weight of what chance groups beside what the fields group, and what a step must bring. */
const chanceWeight = 4;
const minGain = 0.002;
/** A field goes where groups then hold so many more pairs of rows, of which chance explains so few rows, or pairs. */
const coarser = { pairs: 1.2, chance: 1 / 8, expected: 1 / 20 };
const accepted = { grouped: 0.2, chance: 1 / 4 };

type Grouping = {
  among: readonly number[];
  /** Shares of the rows: in groups of two or more, and what chance would have there. */
  grouped: number;
  chance: number;
  /** Pairs of rows within groups, and what chance would have. */
  pairs: number;
  expected: number;
  /** Groups of two or more, and their rows. */
  groups: number;
  rows: number;
};

/** Names the fields that together tell whose row it is: more rows agree in them than chance explains; or null. */
function findSignature(fields: readonly CodedField[], rows: number): string | null {
  if (rows < 2 * minGroups || fields.length < 2) return null;
  const model = learnChances(fields, rows);
  const finest = [...fields.keys()].sort((a, b) => fields[b].counts.length - fields[a].counts.length);
  const all = [...fields.keys()];
  let tried = 0;
  const evaluate = (among: readonly number[], sample: readonly number[] | null): Grouping => {
    tried += 1;
    return groupBy(fields, model, among, sample ?? Array.from({ length: rows }, (_, row) => row), rows);
  };
  const pairs = finest.slice(0, maxSeedFields).flatMap((a, at, some) => some.slice(at + 1).map((b) => [a, b]));
  const seeds = pairs
    .map((among) => ({ sample: sampleWhole(fields[among[0]], rows), among }))
    .map(({ sample, among }) => ({ sample, start: evaluate(among, sample) }))
    .sort((a, b) => b.start.grouped - b.start.chance - (a.start.grouped - a.start.chance))
    .slice(0, maxSeeds);
  const whole = sampleWhole(fields[finest[0]], rows);
  const found = [...seeds, { sample: whole, start: evaluate(all, whole) }].map(({ sample, start }) => {
    /** Adds or drops the field that is best among those that make it better, as long as there is one. */
    const climb = (from: Grouping, isBetter: (to: Grouping, from: Grouping) => boolean, mayAdd: boolean): Grouping => {
      const [best] = listNeighbours(from.among, mayAdd ? all : from.among)
        .flatMap((among) => (tried < maxTried ? evaluate(among, sample) : []))
        .filter((to) => isBetter(to, from))
        .sort((a, b) => rate(b) - rate(a));
      return best === undefined ? from : climb(best, isBetter, mayAdd);
    };
    const full = climb(start, (to, from) => rate(to) > rate(from) + minGain, true);
    const isCoarser = ({ pairs, chance, grouped, expected }: Grouping, from: Grouping) =>
      pairs >= coarser.pairs * from.pairs &&
      (chance <= coarser.chance * grouped || expected <= coarser.expected * pairs);
    return climb(full, isCoarser, false);
  });
  const [best] = found.sort((a, b) => rate(b) - rate(a));
  if (best === undefined) return null;
  const judged = evaluate(best.among, null);
  const isAccepted =
    judged.grouped >= accepted.grouped &&
    judged.chance <= accepted.chance * judged.grouped &&
    judged.groups >= minGroups &&
    judged.rows <= maxGroupSize * judged.groups;
  if (!isAccepted) return null;
  // Fields that part no group say nothing that the others do not.
  const named = [...best.among]
    .sort((a, b) => b - a)
    .reduce((kept, field) => {
      const without = kept.filter((each) => each !== field);
      return without.length > 0 && evaluate(without, null).pairs === judged.pairs ? without : kept;
    }, best.among);
  return [...named]
    .sort((a, b) => a - b)
    .map((field) => fields[field].name)
    .join(fieldSeparator);
}

/** Some fields with one of others more, or one of theirs less. */
const listNeighbours = (among: readonly number[], others: readonly number[]): (readonly number[])[] =>
  others
    .map((field) => (among.includes(field) ? among.filter((each) => each !== field) : [...among, field]))
    .filter(({ length }) => length > 0);

const rate = ({ grouped, chance }: Grouping) => grouped - chanceWeight * chance;

/** Some rows with all others that have their value of a field: groups by it and others stay whole. */
function sampleWhole({ codes }: CodedField, rows: number): number[] | null {
  const every = Math.ceil(rows / maxSearched);
  return every <= 1 ? null : [...codes.keys()].filter((row) => hashNumber(codes[row], 1) % every === 0);
}

/** Groups some rows by some fields. */
function groupBy(
  fields: readonly CodedField[],
  model: ChanceModel,
  among: readonly number[],
  sample: readonly number[],
  rows: number,
): Grouping {
  const measure = model.compile(among);
  const sizes = new Map<number, number>();
  let [chance, expected] = [0, 0];
  for (const row of sample) {
    let [high, low] = [0, 1];
    for (const field of among) {
      high = hashNumber(fields[field].codes[row] ^ low, high + 1);
      low = hashNumber(fields[field].codes[row] ^ high, low);
    }
    const key = high * 2 ** 21 + (low >>> 11);
    sizes.set(key, (sizes.get(key) ?? 0) + 1);
    const matches = (rows - 1) * exp(measure(row));
    expected += matches;
    chance += 1 - exp(-matches);
  }
  const shares = { grouped: 0, chance: chance / Math.max(1, sample.length) };
  const grouping = { among, ...shares, pairs: 0, expected, groups: 0, rows: 0 };
  for (const size of sizes.values()) {
    if (size < 2) continue;
    grouping.groups += 1;
    grouping.rows += size;
    grouping.pairs += size * (size - 1);
    if (size <= maxGroupSize) grouping.grouped += size / sample.length;
  }
  return grouping;
}
