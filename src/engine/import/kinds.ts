/** What the values of a column are, by all of them, and why; and how a cell of each kind is read. */
import type { Json } from '../domain.ts';
import { type DateOrder, readDate } from './dates.ts';
import { type DecimalSign, readNumber } from './numbers.ts';
import { type ColumnKind, columnKinds } from './sheet.ts';

/** The different texts of a column, each with its rows. */
export type ValueUses = ReadonlyMap<string, number>;

/** A finding about a column; `choices` are readings of which none is certain, `isDoubtful` asks for a look. */
export type FoundKind = { kind: ColumnKind; reason: string; choices: ColumnKind[]; isDoubtful: boolean };

/** Marks that say there is no value; they stand in texts, too. */
const missingMarks = new Set('|n/a|n.a.|n. a.|#n/a|#nv|#n/d|(null)|-|--|–|—|?|k.a.|k. a.|keine angabe|n.d.'.split('|'));
/** Words that say so among numbers, dates, yes and no; among texts they are values, as Namibia and Mr Null know. */
const missingWords = new Set(['na', 'null', 'nan']);
const maxMissingLength = 12;
/** Whether the text of a cell says that there is no value, in a column that holds no texts. */
export const isMissing = (text: string): boolean =>
  text.length <= maxMissingLength && (missingMarks.has(text.toLowerCase()) || missingWords.has(text.toLowerCase()));
/** Whether the text of a cell says that there is no value, in a column of texts. */
export const isMissingText = (text: string): boolean =>
  text.length <= maxMissingLength && missingMarks.has(text.toLowerCase());

/** Words for yes and no; a pair of single letters counts only where both occur. */
const yesNoPairs = [
  ['true', 'false'],
  ['yes', 'no'],
  ['ja', 'nein'],
  ['oui', 'non'],
  ['sí', 'no'],
  ['si', 'no'],
  ['sì', 'no'],
  ['wahr', 'falsch'],
  ['vrai', 'faux'],
  ['verdadero', 'falso'],
  ['vero', 'falso'],
  ['y', 'n'],
  ['j', 'n'],
] as const;
/** Two words, in small letters, in capitals and with a capital. */
const maxYesNoSpellings = 6;
const yesWords = new Set<string>(yesNoPairs.map(([yes]) => yes));
const noWords = new Set<string>(yesNoPairs.map(([, no]) => no));

/** Reads a text of a column; undefined where it does not fit the kind. */
type TextReader = (text: string) => Json | undefined;
const readNumberAs = (decimal: DecimalSign) => (text: string) => readNumber(text, decimal)?.value;
const readDateAs = (order: DateOrder) => (text: string) => readDate(text, order) ?? undefined;
const textReaders: Readonly<Record<ColumnKind, TextReader>> = {
  number: readNumberAs('.'),
  number_decimal_comma: readNumberAs(','),
  date_day_first: readDateAs('day_first'),
  date_month_first: readDateAs('month_first'),
  date_year_first: readDateAs('year_first'),
  yes_no(text) {
    const word = text.toLowerCase();
    return yesWords.has(word) ? true : noWords.has(word) ? false : undefined;
  },
  text: (text) => text,
  as_is: (text) => text,
};
/** The type of JSON values that a kind takes as they are. */
export const typeOfKind: Partial<Record<ColumnKind, string>> = {
  number: 'number',
  number_decimal_comma: 'number',
  yes_no: 'boolean',
};

/** Reads a cell as a kind: null where it says that there is no value, undefined where it does not fit. */
export function readAs(kind: ColumnKind, cell: Json | undefined): Json | undefined {
  if (cell === undefined || cell === null || cell === '') return null;
  if (kind === 'as_is') return cell;
  if (typeof cell === 'string') {
    const text = cell.trim();
    return (kind === 'text' ? isMissingText : isMissing)(text) ? null : textReaders[kind](text);
  }
  if (typeof cell === typeOfKind[kind]) return cell;
  return kind === 'text' ? (typeof cell === 'object' ? cell : String(cell)) : undefined;
}

const quote = (text: string) => `“${text.length > 40 ? `${text.slice(0, 39)}…` : text}”`;
const certain = (kind: ColumnKind, reason: string): FoundKind => ({ kind, reason, choices: [], isDoubtful: false });

function findYesNo(texts: readonly string[]): FoundKind | null {
  if (texts.length > maxYesNoSpellings) return null;
  const words = new Set(texts.map((text) => text.toLowerCase()));
  const pair = yesNoPairs.find(([yes, no]) => [...words].every((word) => word === yes || word === no));
  if (!pair || (pair[0].length === 1 && words.size < 2)) return null;
  return certain('yes_no', `only ${texts.slice(0, 3).map(quote).join(' and ')}`);
}

const orderNames = { date_day_first: 'day first', date_month_first: 'month first', date_year_first: 'year first' };
type DateKind = keyof typeof orderNames;
const usualDateKinds = ['date_day_first', 'date_month_first'] as const satisfies DateKind[];

function findDate(texts: readonly string[]): FoundKind | null {
  const fits = (kind: DateKind) => texts.every((text) => textReaders[kind](text) !== undefined);
  const fitting = usualDateKinds.filter(fits);
  const [kind, other] = fitting;
  if (kind === undefined || texts.every((text) => /^\d{4}/.test(text))) {
    return fits('date_year_first') ? certain('date_year_first', orderNames.date_year_first) : null;
  }
  if (other === undefined) {
    const refused = kind === 'date_day_first' ? 'date_month_first' : 'date_day_first';
    const proof = texts.find((text) => textReaders[refused](text) === undefined) ?? '';
    return certain(kind, `${orderNames[kind]}, as ${quote(proof)} shows`);
  }
  const unclear = texts.find((text) => textReaders[kind](text) !== textReaders[other](text));
  if (unclear === undefined) return certain(kind, 'day and month are the same number');
  const reason = `is ${quote(unclear)} ${showDay(kind, unclear)} or ${showDay(other, unclear)}? No value of the column tells`;
  return { kind: 'text', reason, choices: [...fitting], isDoubtful: true };
}

const monthWords = 'January February March April May June July August September October November December'.split(' ');
/** “3 April 2024” */
function showDay(kind: DateKind, text: string): string {
  const [year, month, day] = String(textReaders[kind](text)).slice(0, 10).split('-').map(Number);
  return `${day} ${monthWords[(month ?? 1) - 1]} ${year}`;
}

/** Either thousands or decimals: the other columns of the file tell which. */
const unclearNumber = /^-?\d{1,3}[.,]\d{3}$/;
/** A code, or a number that some program shortened: `1E5`, not `1.5e5` or `1e+05`. */
const unclearExponent = /^\d+e\d+$/i;

/** The unit that all texts have as numbers; two of them where units differ, null where one is no number. */
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

const keptAsText = (reason: string): FoundKind => ({ kind: 'text', reason, choices: [], isDoubtful: true });

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
    return certain('text', `codes like ${quote(short)}; as a number it would be ${Number(short)}`);
  }
  const guessed = comma === null || unclear === undefined ? short : unclear;
  const taken = guessed === undefined ? null : readNumber(guessed, isComma ? ',' : '.');
  const parts = [
    point === null ? 'decimal comma' : '',
    unit === '%' ? '5 % becomes 5' : unit === '' ? '' : `in ${unit}`,
    taken === null ? '' : `${quote(guessed ?? '')} is taken as ${taken.value}`,
  ];
  const reason = parts.filter((part) => part !== '').join(', ');
  return certain(isComma ? 'number_decimal_comma' : 'number', reason);
}

/** An amount with its decimals between a few other characters. */
const nearAmount = /^[^\d\s]{0,4} ?\d[\d.,' ]*[.,]\d{2} ?[^\d\s]{0,4}$/;
/** No longer text is a date or an amount in a form that is not known. */
const maxFormLength = 40;

/** A year beside other numbers, or beside one and a word. */
function isNearDate(text: string): boolean {
  const numbers = text.match(/\d+/g) ?? [];
  const others = numbers.filter((digits) => digits.length <= 2).length;
  return numbers.some((digits) => /^(?:19|20)\d{2}$/.test(digits)) && others >= (/\p{L}{3}/u.test(text) ? 1 : 2);
}

/** Says of texts that look like amounts or dates that they stay what they are. */
function findUnknownForm(texts: readonly string[]): FoundKind | null {
  const first = quote(texts[0] ?? '');
  const areAll = (isNear: (text: string) => boolean) =>
    texts.every((text) => text.length <= maxFormLength && isNear(text));
  if (areAll((text) => nearAmount.test(text)))
    return certain('text', `${first} looks like an amount, but in no known form`);
  return areAll(isNearDate) ? certain('text', `${first} looks like a date, but in no known form`) : null;
}

/** From this share on, the values of a kind are worth a word where others stand between them. */
const minNearShare = 0.9;

/** Names the kind that nearly all values have, and one that does not; null where there is none. */
function findNearKind(uses: ValueUses): FoundKind | null {
  const total = [...uses.values()].reduce((sum, count) => sum + count, 0);
  for (const kind of columnKinds) {
    if (kind === 'text' || kind === 'as_is') continue;
    let rows = 0;
    let other = '';
    for (const [text, count] of uses) {
      if (textReaders[kind](text) !== undefined) continue;
      other = text;
      rows += count;
      if (rows > (1 - minNearShare) * total) break;
    }
    if (rows > (1 - minNearShare) * total) continue;
    const what = kind === 'yes_no' ? 'yes or no' : kind.startsWith('date') ? 'dates' : 'numbers';
    const most = `${(total - rows).toLocaleString('en')} of ${total.toLocaleString('en')} values are ${what}`;
    return keptAsText(`${most}, but not ${quote(other)}`);
  }
  return null;
}

/** Finds a column's kind by all of its values; dates first, as `20240403` is a number, too. */
export function findKind(uses: ValueUses, isCommaUsual: boolean): FoundKind {
  const texts = [...uses.keys()];
  if (texts.length === 0) return certain('text', '');
  return (
    findYesNo(texts) ??
    findDate(texts) ??
    findNumber(texts, isCommaUsual) ??
    findNearKind(uses) ??
    findUnknownForm(texts) ??
    certain('text', '')
  );
}
