/** The cells of the sheet of rules (`> 100`, `50 .. 200`, `mentions refund`) and the tests they stand for. */
import { foldCase } from '../../code-points.ts';
import { isSameSubject, printSubject, type Subject } from '../days.ts';
import { printPath } from '../parsing/print.ts';
import { readDate } from './date-texts.ts';
import type { Literal } from './field-set.ts';
import type { KnownField } from './fields.ts';
import { isSamePath, type TableRow, toCondition, toTable } from './table.ts';

export type CellField = Pick<KnownField, 'type'> & Subject;
type ReadCell = { tests: TableRow[] } | { problem: string };
export type Cell = { field: CellField; text: string };

type Value = { value: Literal } | { problem: string };

const quoted = /^"(?:[^"\\]|\\.)*"$/;
/** A text in quotation marks as word processors and other languages have them. */
const printedQuotes = /^([“„«‘‚'])([^“”„«»‘’']*)[“”»’']$/;
const signs: Readonly<Record<string, '<' | '<=' | '>' | '>='>> = {
  '<': '<',
  '<=': '<=',
  '≤': '<=',
  '>': '>',
  '>=': '>=',
  '≥': '>=',
};
const words = [
  { pattern: /^mentions\s+(.+)$/is, test: 'mentions', word: 'mentions' },
  { pattern: /^is\s+(.+)$/is, test: 'is', word: 'is' },
  { pattern: /^contains\s+(.+)$/is, test: 'contains', word: 'contains' },
  { pattern: /^starts with\s+(.+)$/is, test: 'startsWith', word: 'starts with' },
  { pattern: /^ends with\s+(.+)$/is, test: 'endsWith', word: 'ends with' },
] as const;
/** Words for an empty cell in the languages of the import, and how each state of a field is written. */
const emptyWords = /^((?:not|nicht|non?) )?(?:empty|null|leer|vide|vac[ií]o|vuoto)$/;
const stateWords = { empty: 'empty', filled: 'not empty', present: 'given', absent: 'not given' } as const;
/** Reads a state of a field; null for any other text. */
function readState(lowered: string): keyof typeof stateWords | null {
  const empty = emptyWords.exec(lowered);
  if (empty) return empty[1] ? 'filled' : 'empty';
  return lowered === stateWords.present ? 'present' : lowered === stateWords.absent ? 'absent' : null;
}

/** Words for yes and no in the languages of the import. */
const truths: ReadonlyMap<string, boolean> = new Map([
  ...['yes', 'true', 'ja', 'wahr', 'oui', 'vrai', 'sí', 'si', 'sì', 'verdadero', 'vero'].map(
    (word) => [word, true] as const,
  ),
  ...['no', 'false', 'nein', 'falsch', 'non', 'faux', 'falso'].map((word) => [word, false] as const),
]);

/** Reads what is typed into a cell of a field; no tests for an empty text or `any`. */
export function readCell(typed: string, field: CellField): ReadCell {
  const text = readDecisionTable(typed.trim());
  const { path, type } = field;
  const lowered = text.toLowerCase();
  if (/^[-–—]$/.test(text))
    return { problem: `Write any, or clear the cell, for any value; for the text itself write "${text}".` };
  if (lowered === '' || lowered === 'any') return { tests: [] };
  if (field.days) return readDaysCell(text, field);
  const state = readState(lowered);
  if (state) return { tests: [{ path, test: state }] };
  if (type === 'list' || type === 'map')
    return { problem: `${path.join('.')} is a ${type}: write empty or not empty, or the rule as code.` };
  if (/^matches\s*\(/i.test(text))
    return {
      problem: `A cell holds no pattern: write contains or mentions, or the rule as code: ${printPath(path)}.${text}.`,
    };
  const bounds = readBounds(text, type);
  if (bounds) return readComparisons(bounds, field);
  for (const { pattern, test } of words) {
    const list = pattern.exec(text)?.[1];
    if (list !== undefined) return readTexts(list, test, field);
  }
  const named = /^(not\s+)?(?:in\s+)?lists\.([A-Za-z_]\w*)$/i.exec(text);
  if (named) return { tests: [{ path, test: named[1] ? 'not in list' : 'in list', list: named[2] ?? '' }] };
  const negated = /^(?:not\s+|!=\s*|<>\s*|≠\s*)(.+)$/is.exec(text)?.[1];
  if (negated !== undefined && readBounds(readDecisionTable(negated), type))
    return { problem: 'A cell cannot leave out a range: write < 10 here, and > 20 in a rule of its own.' };
  const values = readValues(negated ?? text.replace(/^={1,2}\s*/, ''), field);
  if ('problem' in values) return values;
  const [value = null, ...others] = values.list;
  const isOne = others.length === 0;
  if (negated === undefined)
    return { tests: [isOne ? { path, test: '==', value } : { path, test: 'in', value: values.list }] };
  return { tests: [isOne ? { path, test: '!=', value } : { path, test: 'not in', value: values.list }] };
}

/** Reads bounds of the days between two dates. */
function readDaysCell(text: string, field: CellField): ReadCell {
  const bounds = readBounds(text, 'number');
  const read = bounds && readComparisons(bounds, field);
  if (read && 'problem' in read) return read;
  return read?.tests.every((test) => 'value' in test && Number.isInteger(test.value))
    ? read
    : { problem: 'Write whole days, such as > 14 or 0 .. 7.' };
}

/** Writes what decision tables of DMN hold as this sheet has it: `not(a, b)`, `[1..5]`, `]1..5[`, `["a", "b"]`. */
function readDecisionTable(typed: string): string {
  const text = typed.replace(/\bdate\(\s*"([^"]*)"\s*\)/g, '$1').replace(/^\?\s*(?=[<>=!])/, '');
  const negated = /^not\s*\((.*)\)$/is.exec(text)?.[1];
  if (negated !== undefined) return `not ${negated.trim()}`;
  const call = /^(contains|starts with|ends with|mentions)\s*\(\s*(?:\?\s*,)?(.*)\)$/is.exec(text);
  if (call) return `${call[1]} ${call[2]?.trim()}`;
  const range = /^([[\](])\s*([^[\]()]+?)\s*\.\.\s*([^[\]()]+?)\s*([\])[])$/.exec(text);
  if (range) return `>${range[1] === '[' ? '=' : ''} ${range[2]} and <${range[4] === ']' ? '=' : ''} ${range[3]}`;
  return /^(?:in\s*[[({]|[[{](?=\s*["“„«]))(.*)[\])}]$/is.exec(text)?.[1] ?? text;
}

/** Reads `> 10`, `> 10 and <= 20`, `10 .. 20`, `10 - 20` and `between 10 and 20` as signs and the texts after them. */
function readBounds(text: string, type: CellField['type']): [sign: string, bound: string][] | null {
  const range =
    /^between\s+(.+?)\s+and\s+(.+)$/is.exec(text) ??
    /^(?:zwischen|entre|tra)\s+([+-]?\d\S*)\s+(?:und|et|y|e)\s+([+-]?\d\S*)$/i.exec(text) ??
    /^([+-]?\d[^"]*?)\s*\.\.\s*([+-]?\d[^"]*)$/.exec(text) ??
    (type === 'number' ? /^(\d[\d.,]*)\s*(?:[-–—]|\bto\b|\bbis\b)\s*(\d[\d.,]*)$/i.exec(text) : null);
  if (range)
    return [
      ['>=', range[1] ?? ''],
      ['<=', range[2] ?? ''],
    ];
  const parts = text.split(/\s+and\s+(?=[<>≤≥])/i).map((part) => /^(<=|>=|<(?!>)|>|≤|≥)\s*(.*)$/s.exec(part));
  const read = parts.flatMap((part): [string, string][] => (part ? [[part[1] ?? '', part[2] ?? '']] : []));
  return read.length === parts.length ? read : null;
}

function readComparisons(bounds: [sign: string, bound: string][], { path, type, days }: CellField): ReadCell {
  const tests: TableRow[] = [];
  for (const [sign, text] of bounds) {
    const read = readBound(text.trim(), type);
    if ('problem' in read) return read;
    tests.push({ path, ...(days && { days }), test: signs[sign] ?? '>=', value: read.value });
  }
  const [low, high] = tests.map((test) => ('value' in test ? test.value : null));
  const isBackwards = low !== undefined && high !== undefined && (low ?? 0) > (high ?? 0) && bounds[0]?.[0] === '>=';
  return isBackwards ? { problem: `Nothing is between ${low} and ${high}: write the smaller one first.` } : { tests };
}

function readBound(text: string, type: CellField['type']): Value {
  const date = type === 'number' ? null : readDate(text.replace(/^"(\d{4}-.*)"$/, '$1'));
  if (date !== null) return { value: date };
  if (type !== 'text' && type !== 'bool') return readNumber(text);
  return {
    problem: `This field holds ${type === 'bool' ? 'yes or no' : 'texts'}: only numbers and dates such as 2026-01-31 have a size.`,
  };
}

const plainNumber = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Nobody writes a zero behind two decimals: 1.000 and 2.500 are thousands. */
const dottedThousands = /^[+-]?[1-9]\d{0,2}\.\d\d0$/;

/** Reads a number with a point before its decimals, or with a comma where that cannot be a separator of thousands. */
function readNumber(text: string): Value {
  const value = Number(text);
  if (plainNumber.test(text) && Number.isFinite(value) && !dottedThousands.test(text)) return { value };
  if (/^[+-]?\d+,(?!\d{3}$)\d+$/.test(text)) return { value: Number(text.replace(',', '.')) };
  if (/^[+-]?\d{1,3}(?:[., ]\d{3})+(?:[.,]\d+)?$/.test(text))
    return { problem: `Write ${text} without separators of thousands, and decimals with a point: 1250.50.` };
  return { problem: `“${text}” is not a number. Write for example > 100, 50 .. 200, 7, not 0 or empty.` };
}

/** Reads one value as the field has values; a text in quotation marks of any kind is always a text. */
function readValue(text: string, type: CellField['type']): Value {
  const printed = printedQuotes.exec(text);
  if (printed) return { value: printed[2] ?? '' };
  if (text.startsWith('"') && !quoted.test(text))
    return {
      problem: `Write texts in quotation marks with commas between them: "a", "b". ${text} is not such a list.`,
    };
  const date = /^\d{1,2}\.\d{1,2}\.\d{4}$/.test(text) ? readDate(text) : null;
  if (date !== null && type !== 'number') return { problem: `Write ${date}, or "${text}" for the text itself.` };
  if (quoted.test(text)) {
    try {
      return { value: JSON.parse(text) as string };
    } catch {
      return { problem: `${text} has a backslash that stands for nothing: write \\\\ for one.` };
    }
  }
  if (type === 'text') return { value: text };
  if (type === 'number') return readNumber(text);
  if (type === 'bool') {
    const truth = truths.get(text.toLowerCase());
    return truth === undefined ? { problem: `Use yes or no instead of “${text}”.` } : { value: truth };
  }
  if (/^(?:true|false)$/i.test(text)) return { value: /^true$/i.test(text) };
  const number = readNumber(text);
  return 'value' in number ? number : { value: text };
}

/** Splits at commas, but not in quotation marks and not between digits. */
function splitList(text: string): string[] {
  const parts = text.match(/(?:"(?:[^"\\]|\\.)*"|[“„«][^“”„«»]*[“”»]|(?<=\d),(?=\d)|[^,])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function readValues(text: string, { type }: CellField): { list: Literal[] } | { problem: string } {
  const list: Literal[] = [];
  for (const part of splitList(text)) {
    const read = readValue(part, type);
    if ('problem' in read) return read;
    list.push(read.value);
  }
  return list.length > 0 ? { list } : { problem: 'A value is missing here. Clear the cell where any value will do.' };
}

function readTexts(list: string, test: (typeof words)[number]['test'], { path, type }: CellField): ReadCell {
  if (type === 'number' || type === 'bool')
    return { problem: `This field holds ${type === 'bool' ? 'yes or no' : 'numbers'}, in which no word can stand.` };
  const values = readValues(list, { path, type: 'text' });
  if ('problem' in values) return values;
  const texts = values.list.map(String);
  const value = test === 'mentions' || test === 'is' ? texts.map(foldCase) : texts;
  return { tests: [{ path, test, value }] };
}

/** The text that is read as these tests of one field, or null. */
export function writeCell(tests: readonly TableRow[], field: CellField): string | null {
  const text = tests.length === 1 && tests[0] ? writeTest(tests[0], field) : writeBounds(tests);
  const read = text === null ? null : readCell(text, field);
  return read && 'tests' in read && toCondition(read.tests) === toCondition(tests) ? text : null;
}

function writeBounds(tests: readonly TableRow[]): string | null {
  const [low, high, ...others] = tests;
  if (!low || !high || others.length > 0 || !('value' in low) || !('value' in high)) return null;
  if (low.test === '>=' && high.test === '<=') return `${low.value} .. ${high.value}`;
  return `${low.test} ${low.value} and ${high.test} ${high.value}`;
}

function writeTest(test: TableRow, field: CellField): string {
  const list = (values: readonly Literal[], type = field.type) =>
    values.map((value) => writeValue(value, type)).join(', ');
  switch (test.test) {
    case 'empty':
    case 'filled':
    case 'present':
    case 'absent':
      return stateWords[test.test];
    case 'in list':
      return `in lists.${test.list}`;
    case 'not in list':
      return `not in lists.${test.list}`;
    case 'in':
      return list(test.value);
    case 'not in':
      return `not ${list(test.value)}`;
    case '==':
      return list([test.value]);
    case '!=':
      return `not ${list([test.value])}`;
    case '<':
    case '<=':
    case '>':
    case '>=':
      return `${test.test} ${test.value}`;
    default:
      return `${words.find((each) => each.test === test.test)?.word} ${list(test.value, 'text')}`;
  }
}

/** A value without quotation marks where it is read as itself, alone and in a list. */
export function writeValue(value: Literal, type: CellField['type']): string {
  if (typeof value === 'boolean') return type === 'bool' ? (value ? 'yes' : 'no') : String(value);
  if (typeof value !== 'string') return String(value);
  const field = { path: ['value'], type };
  const alone = readCell(value, field);
  const isRead = 'tests' in alone && toCondition(alone.tests) === toCondition([{ ...field, test: '==', value }]);
  return isRead && splitList(value).length === 1 && !/["\p{Cc}]/u.test(value) && value.trim() === value
    ? value
    : JSON.stringify(value);
}

/** Whether a test only spares the others a failure on a missing field or null: it changes nothing that is decided. */
function isGuard(row: TableRow, rows: readonly TableRow[]): boolean {
  const others = rows.filter((other) => other !== row);
  if (row.test === 'present')
    return others.some(
      ({ path, test }) =>
        isSamePath(path.slice(0, row.path.length), row.path) &&
        (path.length > row.path.length || !['absent', 'empty', 'present'].includes(test)),
    );
  if (row.test !== '!=' || row.value !== null) return false;
  const fails = ['==', '<', '<=', '>', '>=', 'contains', 'startsWith', 'endsWith', 'mentions', 'is'];
  return others.some(({ path, test }) => isSamePath(path, row.path) && fails.includes(test));
}

/** The cells of a condition, one for each field; null where it does not fit a row of cells. */
export function toCells(condition: string, toField: (subject: Subject) => CellField): Cell[] | null {
  const all = condition.trim() === '' ? [] : toTable(condition);
  const rows = all?.filter((row) => !isGuard(row, all));
  if (!rows) return null;
  const subjects = new Map(rows.map((row): [string, Subject] => [printSubject(row), row]));
  const cells = [...subjects.values()].map((subject) => {
    const field = toField(subject);
    const text = writeCell(
      rows.filter((row) => isSameSubject(row, subject)),
      field,
    );
    return text === null ? null : { field, text };
  });
  return cells.every((cell) => cell !== null) ? cells : null;
}

/** The condition with what is typed into the cell of a field, at the place of that field's tests; '' without any. */
export function putCell(
  condition: string,
  field: CellField,
  typed: string,
): { condition: string } | { problem: string } {
  const read = readCell(typed, field);
  if ('problem' in read) return read;
  const rows = condition.trim() === '' ? [] : toTable(condition);
  if (rows === null) return { problem: 'This rule does not fit a row: change it as code.' };
  const isOwn = (row: TableRow) => isSameSubject(row, field);
  const place = rows.findIndex(isOwn);
  const kept = rows.filter((row) => !isOwn(row));
  kept.splice(place < 0 ? kept.length : place, 0, ...read.tests);
  return { condition: toCondition(kept) };
}
