/** Finds the kind of a column by all of its values, and why; and reads a cell of each kind. */
import type { Reading } from '../domain/definition.ts';
import { byName } from '../domain/records.ts';
import { formatCount } from '../numeric.ts';
import { usualLastYear } from '../readings/dates.ts';
import { type DecimalSign, readNumber } from '../readings/numbers.ts';
import { compileReading, splitList, yesNoPairs } from '../readings/readings.ts';
import { describeCountedTimes, describeForm, describeZones, quote } from './near-kinds.ts';
import { type ColumnKind, columnKinds } from './sheet.ts';

/** The different texts of a column, each with its rows. */
export type ValueUses = ReadonlyMap<string, number>;

/** A finding about a column; `choices` are readings of which none is certain, `isDoubtful` asks for a look. */
export type FoundKind = {
  kind: ColumnKind;
  /** Null for values that are taken as they are. */
  reading: Reading | null;
  reason: string;
  choices: ColumnKind[];
  isDoubtful: boolean;
};

/** Two words, in small letters, in capitals and with a capital. */
const maxYesNoSpellings = 6;

/** How the texts of each kind are read: numbers in any unit, the usual words for yes, no and nothing. */
export const usualReadings = {
  number: { kind: 'number', decimal: '.' },
  number_decimal_comma: { kind: 'number', decimal: ',' },
  date_day_first: { kind: 'date', order: 'day_first' },
  date_month_first: { kind: 'date', order: 'month_first' },
  date_year_first: { kind: 'date', order: 'year_first' },
  date_month_only: { kind: 'date', order: 'month_only' },
  yes_no: { kind: 'boolean' },
  list_semicolon: { kind: 'list', separator: ';' },
  list_bar: { kind: 'list', separator: '|' },
  list_comma: { kind: 'list', separator: ',' },
  text: { kind: 'text' },
} as const satisfies Readonly<Record<Exclude<ColumnKind, 'as_is'>, Reading>>;
const readers = byName(
  columnKinds.filter((kind) => kind !== 'as_is'),
  (kind) => compileReading(usualReadings[kind]),
);

/** Whether the text of a cell says that there is no value, in a column that holds no texts. */
export const isMissing = (text: string): boolean => readers.number(text) === null;
/** Whether the text of a cell says that there is no value, in a column of texts. */
export const isMissingText = (text: string): boolean => readers.text(text) === null;

const listKinds = { ';': 'list_semicolon', '|': 'list_bar', ',': 'list_comma' } as const;
/** The column kind of a reading. */
export function kindOf(reading: Reading): Exclude<ColumnKind, 'as_is'> {
  switch (reading.kind) {
    case 'number':
      return reading.decimal === ',' ? 'number_decimal_comma' : 'number';
    case 'date':
      return `date_${reading.order}`;
    case 'boolean':
      return 'yes_no';
    case 'list':
      return listKinds[reading.separator];
    case 'text':
      return 'text';
  }
}

const certain = (reading: Reading, reason: string): FoundKind => ({
  kind: kindOf(reading),
  reading,
  reason,
  choices: [],
  isDoubtful: false,
});
const keptAsText = (reason: string): FoundKind => ({ ...certain(usualReadings.text, reason), isDoubtful: true });

function findYesNo(texts: readonly string[]): FoundKind | null {
  if (texts.length > maxYesNoSpellings) return null;
  const words = new Set(texts.map((text) => text.toLowerCase()));
  const pair = yesNoPairs.find(([yes, no]) => [...words].every((word) => word === yes || word === no));
  if (!pair || (pair[0].length === 1 && words.size < 2)) return null;
  return certain(
    { kind: 'boolean', yes: [pair[0]], no: [pair[1]] },
    `only ${texts.slice(0, 3).map(quote).join(' and ')}`,
  );
}

const orderNames = { date_day_first: 'day first', date_month_first: 'month first', date_year_first: 'year first' };
type DateKind = keyof typeof orderNames;
const usualDateKinds = ['date_day_first', 'date_month_first'] as const satisfies DateKind[];

/** Names of a day that is past: somebody's birth. */
const birthName = /(?:^|[^\p{L}])(?:birth|born|dob|geb(?:urt|oren)?|naiss|n[eé]e?|nacim|nasc|geboorte)/iu;
/** So many years ahead there are dates that people plan with. */
const plannedYears = 20;

/** Evidence of the century that two digits of a year mean: the name of the column, and the year of the import. */
export type ColumnTime = { name: string; year: number };

/** Settles which years two digits mean by what a column holds, and says it. */
function settleYears(found: FoundKind, texts: readonly string[], { name, year }: ColumnTime): FoundKind {
  const { reading } = found;
  if (reading?.kind !== 'date') return found;
  const usual = compileReading(reading);
  const early = compileReading({ ...reading, last_year: 1999 });
  const short = texts.filter((text) => usual(text) !== early(text));
  if (short.length === 0) return found;
  const years = texts.map((text) => Number(String(usual(text)).slice(0, 4)));
  const isBirth = birthName.test(name);
  const isFar = years.some((each) => each > year + plannedYears) && years.some((each) => each <= year);
  const last = isBirth ? year : isFar ? year + plannedYears : null;
  const settled = last === null ? reading : { ...reading, last_year: last };
  const read = compileReading(settled);
  const example = short.find((text) => read(text) !== usual(text)) ?? short[0] ?? '';
  const shown = String(read(example)).slice(0, 10);
  const said = `${quote(example)} is ${shown}, as two digits of a year are taken to mean ${(last ?? usualLastYear) - 99} to ${last ?? usualLastYear}`;
  return { ...found, reading: settled, reason: `${found.reason}; ${said}` };
}

/** Adds what becomes of zones, and what a number may count in a column of times. */
function sayTimes(found: FoundKind, texts: readonly string[], name: string): FoundKind {
  const { kind, reason } = found;
  const said = kind.startsWith('date') ? describeZones(texts) : kind === 'number' && describeCountedTimes(texts, name);
  return said ? { ...found, reason: [reason, said].filter((part) => part !== '').join('; ') } : found;
}

function findDate(texts: readonly string[]): FoundKind | null {
  const fits = (kind: DateKind) => texts.every((text) => readers[kind](text) !== undefined);
  const fitting = usualDateKinds.filter(fits);
  const [kind, other] = fitting;
  if (kind === undefined || texts.every((text) => /^\d{4}/.test(text))) {
    return fits('date_year_first') ? certain(usualReadings.date_year_first, orderNames.date_year_first) : null;
  }
  if (other === undefined) {
    const refused = kind === 'date_day_first' ? 'date_month_first' : 'date_day_first';
    const proof = texts.find((text) => readers[refused](text) === undefined) ?? '';
    return certain(usualReadings[kind], `${orderNames[kind]}, as ${quote(proof)} shows`);
  }
  const unclear = texts.find((text) => readers[kind](text) !== readers[other](text));
  if (unclear === undefined) return certain(usualReadings[kind], 'day and month are the same number');
  const reason = `is ${quote(unclear)} ${showDay(kind, unclear)} or ${showDay(other, unclear)}? No value of the column tells`;
  return { ...keptAsText(reason), choices: [...fitting] };
}

/** Whether a text is a month of a year, as 05/2002. */
export const isMonth = (text: string): boolean => readers.date_month_only(text) != null;

const findMonths = (texts: readonly string[]): FoundKind | null =>
  texts.every(isMonth) ? certain(usualReadings.date_month_only, 'months, each as its first day') : null;

/** Things that the cells of a list name: as many as a policy learns by their names. */
const maxThings = 50;
const maxThingLength = 40;
/** The texts looked at, the least share of them with several things, and the least mean mentions of a thing. */
const maxListTexts = 1_000;
const minListShare = 0.3;
const minTextsPerThing = 3;

/** Recognises cells that each list some of a few things, as `A; B`; `Paris, France` has a fixed number of parts. */
function findList(texts: readonly string[]): FoundKind | null {
  const sample = texts.slice(0, maxListTexts);
  for (const kind of Object.values(listKinds)) {
    const reading = usualReadings[kind];
    const lists = sample.map((text) => splitList(text, reading.separator));
    const named = lists.flat();
    const things = [...new Set(named)];
    const isRepeated = things.length <= maxThings && named.length >= minTextsPerThing * things.length;
    const several = lists.filter((list) => list.length > 1).length;
    if (!isRepeated || several < minListShare * sample.length) continue;
    if (new Set(lists.map((list) => list.length)).size < 2) continue;
    // Numbers may be of their own kind in some cells of a workbook, and amounts have commas.
    if (things.every((thing) => thing.length <= maxThingLength && /\p{L}/u.test(thing)))
      return certain(reading, `each cell lists some of ${formatCount(things.length)} things`);
  }
  return null;
}

const monthWords = 'January February March April May June July August September October November December'.split(' ');
/** “3 April 2024” */
function showDay(kind: DateKind, text: string): string {
  const [year, month, day] = String(readers[kind](text)).slice(0, 10).split('-').map(Number);
  return `${day} ${monthWords[(month ?? 1) - 1]} ${year}`;
}

/** Either thousands or decimals: the other columns of the file tell which. */
const unclearNumber = /^-?\d{1,3}[.,]\d{3}$/;
/** A code, or a number that some program shortened: `1E5`, not `1.5e5` or `1e+05`. */
const unclearExponent = /^\d+e\d+$/i;

/** A long number as a spreadsheet shows and then saves it, without its last digits: `1.23E+15`. */
const cutNumber = /^\d(?:\.\d{1,5})?E\+(?:1[1-9]|2\d)$/;

/** The unit that all texts have as numbers; two of them where units differ, null where one is not a number. */
function findUnit(texts: readonly string[], decimal: DecimalSign): string | { first: string; other: string } | null {
  const units = new Map<string, string>();
  for (const text of texts) {
    const number = readNumber(text, decimal);
    if (number === null) return null;
    if (!units.has(number.unit)) units.set(number.unit, text);
  }
  const [first, other] = units.values();
  return first !== undefined && other !== undefined ? { first, other } : ([...units.keys()][0] ?? null);
}

function findNumber(texts: readonly string[], isCommaUsual: boolean): FoundKind | null {
  const point = findUnit(texts, '.');
  const unclear = point === null ? undefined : texts.find((text) => unclearNumber.test(text));
  const comma = point === null || unclear !== undefined ? findUnit(texts, ',') : null;
  const isComma = comma !== null && (point === null || isCommaUsual);
  const unit = isComma ? comma : point;
  if (unit === null) return null;
  if (typeof unit !== 'string') {
    return keptAsText(
      `${quote(unit.first)} and ${quote(unit.other)} have different units; the number alone can be read`,
    );
  }
  const short = texts.find((text) => unclearExponent.test(text));
  if (short !== undefined && texts.every((text) => unclearExponent.test(text))) {
    return certain(usualReadings.text, `codes like ${quote(short)}; as a number it would be ${Number(short)}`);
  }
  const guessed = comma === null || unclear === undefined ? short : unclear;
  const cut = texts.find((text) => cutNumber.test(text));
  const taken = guessed === undefined ? null : readNumber(guessed, isComma ? ',' : '.');
  const parts = [
    point === null ? 'decimal comma' : '',
    unit === '%' ? '5 % becomes 5' : unit === '' ? '' : `in ${unit}`,
    cut === undefined ? '' : `${quote(cut)} may be a longer number that a spreadsheet has cut`,
    taken === null ? '' : `${quote(guessed ?? '')} is taken as ${taken.value}`,
  ];
  const reason = parts.filter((part) => part !== '').join(', ');
  return certain({ kind: 'number', decimal: isComma ? ',' : '.', unit }, reason);
}

function findUnknownForm(texts: readonly string[]): FoundKind | null {
  const form = describeForm(texts);
  return form === null ? null : certain(usualReadings.text, form);
}

/** From this share on, the values of a kind are worth a word where others stand between them. */
const minNearShare = 0.9;

/** Names the kind that nearly all values have, and one value that does not; null if no kind is that common. */
function findNearKind(uses: ValueUses): FoundKind | null {
  const total = [...uses.values()].reduce((sum, count) => sum + count, 0);
  for (const kind of columnKinds) {
    if (kind === 'text' || kind === 'as_is' || kind.startsWith('list')) continue;
    let rows = 0;
    let other = '';
    for (const [text, count] of uses) {
      if (readers[kind](text) !== undefined) continue;
      other = text;
      rows += count;
      if (rows > (1 - minNearShare) * total) break;
    }
    if (rows === 0 || rows > (1 - minNearShare) * total) continue;
    const what = kind === 'yes_no' ? 'yes or no' : kind.startsWith('date') ? 'dates' : 'numbers';
    const most = `${(total - rows).toLocaleString('en')} of ${total.toLocaleString('en')} values are ${what}`;
    return keptAsText(`${most}, but not ${quote(other)}`);
  }
  return null;
}

type Values = { uses: ValueUses; texts: readonly string[]; isCommaUsual: boolean };
/** Recognisers of the kind of a column's values, the more certain first. */
const kinds: readonly ((values: Values) => FoundKind | null)[] = [
  ({ texts }) => findYesNo(texts),
  ({ texts }) => findDate(texts),
  ({ texts, isCommaUsual }) => findNumber(texts, isCommaUsual),
  ({ texts }) => findMonths(texts),
  ({ texts }) => findList(texts),
  ({ uses }) => findNearKind(uses),
  ({ texts }) => findUnknownForm(texts),
];

/**
 * Finds a column's kind by all of its values; dates first, as `20240403` is also a number. Where all are what the type
 * reads already, they are read so.
 */
export function findKind(uses: ValueUses, isCommaUsual: boolean, time: ColumnTime, known?: Reading): FoundKind {
  const texts = [...uses.keys()];
  if (known !== undefined) {
    const readText = compileReading(known);
    if (texts.every((text) => readText(text) !== undefined)) return certain(known, 'as the decision type reads it');
  }
  if (texts.length === 0) return certain(usualReadings.text, '');
  for (const find of kinds) {
    const found = find({ uses, texts, isCommaUsual });
    if (found !== null) return sayTimes(settleYears(found, texts, time), texts, time.name);
  }
  return certain(usualReadings.text, '');
}
