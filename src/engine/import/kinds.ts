/** What the values of a column are, by all of them, and why; and how a cell of each kind is read. */
import type { Json } from '../domain.ts';
import { type DateOrder, readDate } from './dates.ts';
import { type DecimalSign, readNumber } from './numbers.ts';
import { type ColumnKind, columnKinds } from './sheet.ts';

/** The different texts of a column, each with its rows. */
export type ValueUses = ReadonlyMap<string, number>;

/** A finding about a column; `choices` are readings of which none is certain, `isDoubtful` asks for a look. */
export type FoundKind = { kind: ColumnKind; reason: string; choices: ColumnKind[]; isDoubtful: boolean };

const missingWords = new Set(
  '|n/a|na|n.a.|n. a.|#n/a|#nv|#n/d|null|nan|(null)|-|--|–|—|?|k.a.|k. a.|keine angabe|n.d.'.split('|'),
);
const maxMissingLength = 12;
/** Whether the text of a cell says that there is no value. */
export const isMissing = (text: string): boolean =>
  text.length <= maxMissingLength && missingWords.has(text.toLowerCase());

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
    return isMissing(text) ? null : textReaders[kind](text);
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

/** The unit that all texts have as numbers; null where one is none, or has another. */
function findUnit(texts: readonly string[], decimal: DecimalSign): string | null {
  const unit = readNumber(texts[0] ?? '', decimal)?.unit ?? null;
  return unit !== null && texts.every((text) => readNumber(text, decimal)?.unit === unit) ? unit : null;
}

function findNumber(texts: readonly string[], isCommaUsual: boolean): FoundKind | null {
  const point = findUnit(texts, '.');
  const unclear = point === null ? undefined : texts.find((text) => unclearNumber.test(text));
  const comma = point === null || unclear !== undefined ? findUnit(texts, ',') : null;
  const isComma = comma !== null && (point === null || isCommaUsual);
  const unit = isComma ? comma : point;
  if (unit === null) return null;
  const taken = comma === null || unclear === undefined ? null : readNumber(unclear, isComma ? ',' : '.');
  const parts = [
    point === null ? 'decimal comma' : '',
    unit === '%' ? '5 % becomes 5' : unit === '' ? '' : `in ${unit}`,
    taken === null ? '' : `${quote(unclear ?? '')} is taken as ${taken.value}`,
  ];
  const reason = parts.filter((part) => part !== '').join(', ');
  return certain(isComma ? 'number_decimal_comma' : 'number', reason);
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
    return { kind: 'text', reason: `${most}, but not ${quote(other)}`, choices: [], isDoubtful: true };
  }
  return null;
}

/** Finds a column's kind by all of its values; dates first, as `20240403` is a number, too. */
export function findKind(uses: ValueUses, isCommaUsual: boolean): FoundKind {
  const texts = [...uses.keys()];
  if (texts.length === 0) return certain('text', '');
  return (
    findYesNo(texts) ?? findDate(texts) ?? findNumber(texts, isCommaUsual) ?? findNearKind(uses) ?? certain('text', '')
  );
}
