/** Answers that stand in several columns, one for each option or reader, and rows that several readers gave. */
import type { Json } from '../json.ts';
import { limits } from '../limits.ts';
import { countOf } from '../numeric.ts';
import { yesNoPairs } from '../readings/readings.ts';
import { findNamedAnswer, readerName } from './answers.ts';
import { isDone, isStatus } from './formats/answer-statuses.ts';
import { findSecond, settle } from './formats/labelling-exports.ts';
import type { GivenAnswer } from './formats/labelling-tools.ts';
import { setCell } from './formats/objects.ts';
import { readCell, type Sheet, type SheetRow } from './sheet.ts';

type Column = { name: string; read(row: SheetRow): Json };

const isEmpty = (cell: Json) => cell === null || (typeof cell === 'string' && cell.trim() === '');
const toWords = (words: readonly string[]) => new RegExp(`^(?:${words.join('|')})$`, 'iu');
const markSign = toWords(['x', '1', '1\\.0', '✓', '✔', ...yesNoPairs.map(([yes]) => yes)]);
const noMarkSign = toWords(['0', '0\\.0', '-', ...yesNoPairs.map(([, no]) => no)]);
const isMark = (cell: Json) => !isEmpty(cell) && markSign.test(String(cell).trim());
const isNoMark = (cell: Json) => isEmpty(cell) || noMarkSign.test(String(cell).trim());
/** This share of the rows has a mark; others have no answer yet. */
const minMarked = 0.5;

/** The shared beginning of several names: the object that the columns lie in, or a word for an answer. */
const sharedStart = /^(?:.+\.|(?:is|label|class|target|outcome|category|verdict|decision)[ _-])/i;
function toOptions(names: readonly string[]): string[] {
  const [start = ''] = sharedStart.exec(names[0] ?? '') ?? [];
  return start !== '' && names.every((name) => name.startsWith(start))
    ? names.map((name) => name.slice(start.length))
    : [...names];
}

/** Adds columns to a sheet that say what others say together; those are in its place where it is the answer. */
function addAnswer(
  sheet: Sheet,
  name: string,
  cells: readonly Json[],
  of: readonly Column[],
  second?: readonly Json[],
): Sheet {
  const secondName = `${name} (second reader)`;
  const rows = sheet.rows.map((row, index) =>
    'cells' in row
      ? { ...row, cells: [...row.cells, cells[index] ?? null, ...(second ? [second[index] ?? null] : [])] }
      : {
          ...row,
          values: {
            ...row.values,
            [name]: cells[index] ?? null,
            ...(second && { [secondName]: second[index] ?? null }),
          },
        },
  );
  return {
    ...sheet,
    rows,
    columns: [...sheet.columns, name, ...(second ? [secondName] : [])],
    gathered: { column: name, from: of.map((column) => column.name) },
    ...(second && { answer: name, second: secondName }),
  };
}

const listNames = (columns: readonly Column[]) => columns.map(({ name }) => `“${name}”`).join(', ');
const toFreeName = (wanted: string, taken: readonly string[]) =>
  taken.includes(wanted) ? `${wanted} of the columns` : wanted;

/** The rows that a column marks; null where it holds something else than marks, or none. */
function listMarked(rows: readonly SheetRow[], { read }: Column): number[] | null {
  const marked: number[] = [];
  for (const [place, row] of rows.entries()) {
    const cell = read(row);
    if (isMark(cell)) marked.push(place);
    else if (!isNoMark(cell)) return null;
  }
  return marked.length === 0 ? null : marked;
}

/** Columns called as the options, of which each row marks one: the first longest run of which no row marks two. */
function gatherMarks(sheet: Sheet, columns: readonly Column[]): Sheet | null {
  const { rows } = sheet;
  const markedBy = columns.map((column) => listMarked(rows, column));
  for (let from = 0; from < columns.length; from += 1) {
    const answers = new Map<number, number>();
    let to = from;
    // A longer run would mark those rows twice as well.
    for (; to < Math.min(columns.length, from + limits.maxOptions); to += 1) {
      const marked = markedBy[to] ?? null;
      if (marked === null || marked.some((row) => answers.has(row))) break;
      for (const row of marked) answers.set(row, to);
    }
    if (to < from + 2 || answers.size < minMarked * rows.length) continue;
    const run = columns.slice(from, to);
    const options = toOptions(run.map(({ name }) => name));
    const name = toFreeName('answer', sheet.columns);
    const cells = rows.map((_, row) => options[(answers.get(row) ?? -1) - from] ?? null);
    const note = `Each row marks one of the columns ${listNames(run)}, which are read as the column “${name}” as well`;
    return { ...addAnswer(sheet, name, cells, run), notes: [...sheet.notes, note] };
  }
  return null;
}

/** Columns of several readers, with the same few options. */
function gatherReaders(sheet: Sheet, columns: readonly Column[]): Sheet | null {
  const isWord = (cell: Json) => isEmpty(cell) || typeof cell === 'string';
  const readers = columns.filter(
    ({ name, read }) => readerName.test(name) && sheet.rows.every((row) => isWord(read(row))),
  );
  const labels = readers.map(({ read }) => new Set(sheet.rows.map(read).filter((cell) => !isEmpty(cell))));
  const all = new Map<Json, number>();
  for (const own of labels) for (const label of own) all.set(label, (all.get(label) ?? 0) + 1);
  const areAlike = labels.every((own) => own.size > 0 && [...own].every((label) => (all.get(label) ?? 0) > 1));
  if (
    readers.length < 2 ||
    all.size < limits.minOptions ||
    all.size > limits.maxOptions ||
    !areAlike ||
    all.size * 2 > readers.length * sheet.rows.length
  )
    return null;
  const name = toFreeName('label', sheet.columns);
  const given = sheet.rows.map((row) =>
    readers.map(({ name: person, read }): GivenAnswer => [name, isEmpty(read(row)) ? null : read(row), person]),
  );
  const answers = given.map((own) => settle(own.map(([, answer]) => answer)).answer);
  const seconds = given.map((own, index) => findSecond(own, answers[index] ?? null));
  const note = `The columns ${listNames(readers)} hold what several readers said: “${name}” is the commonest, else the first, and beside it another reader’s`;
  return { ...addAnswer(sheet, name, answers, readers, seconds), notes: [...sheet.notes, note] };
}

/** Rows that come once for each of several readers: who they are is no input. */
function tellReadersInRows(sheet: Sheet, columns: readonly Column[]): Sheet | null {
  const reader = columns.find(({ name }) => readerName.test(name));
  if (reader === undefined) return null;
  const people = sheet.rows.map((row) => JSON.stringify(reader.read(row)));
  const things = columns.flatMap((column) => {
    if (column === reader) return [];
    const values = sheet.rows.map((row) => JSON.stringify(column.read(row)));
    const pairs = new Set(values.map((value, index) => `${value} ${people[index]}`));
    const { size } = new Set(values);
    return pairs.size === values.length && size > 1 && size * 1.5 <= values.length ? [{ name: column.name, size }] : [];
  });
  const [thing] = things.sort((a, b) => b.size - a.size);
  if (thing === undefined) return null;
  const said = `It names who gave the answer: ${countOf(thing.size, 'value')} of “${thing.name}” come in ${countOf(sheet.rows.length, 'row')}, one for each reader.`;
  return {
    ...sheet,
    setAside: new Map([...(sheet.setAside ?? []), [reader.name, said]]),
    notes: [...sheet.notes, `“${reader.name}” names who gave the answer, so that rows repeat: one for each reader`],
  };
}

const statusName = /(?:^|[ ._-])(?:status|state)$/i;
const labelStatusName = /(?:annotation|label(?:l?ing)?|review|answer|workflow)[ ._-]?(?:status|state)$/i;

/** Rows of a column that says which labels count: labels that it calls open or refused are left out, or named. */
function heedStatuses(sheet: Sheet, columns: readonly Column[]): Sheet {
  const answer = columns.find(({ name }) => name === (sheet.answer ?? findNamedAnswer(sheet.columns)));
  const status = columns.find(({ name, read }) => {
    if (name === answer?.name || !statusName.test(name)) return false;
    const values = sheet.rows.map(read).filter((value) => !isEmpty(value));
    return values.length > 0 && values.every(isStatus);
  });
  if (answer === undefined || status === undefined) return sheet;
  const uncounted = sheet.rows.filter((row) => !isEmpty(answer.read(row)) && !isDone({ status: status.read(row) }));
  if (uncounted.length === 0 || uncounted.length === sheet.rows.length) return sheet;
  const words = [...new Set(uncounted.map((row) => String(status.read(row))))].slice(0, 4).join(', ');
  const rows = countOf(uncounted.length, 'row');
  if (!labelStatusName.test(status.name)) {
    const note = `“${status.name}” is ${words} in ${rows} with a label: where it says which labels count, leave those rows out`;
    return { ...sheet, notes: [...sheet.notes, note] };
  }
  const left = new Set(uncounted);
  const withoutLabel = (row: SheetRow): SheetRow => {
    if (!left.has(row)) return row;
    if ('values' in row) {
      setCell(row, answer.name, null);
      return row;
    }
    return { ...row, cells: row.cells.map((cell, at) => (sheet.columns[at] === answer.name ? null : cell)) };
  };
  return {
    ...sheet,
    rows: sheet.rows.map(withoutLabel),
    setAside: new Map([...(sheet.setAside ?? []), [status.name, 'It says which labels count.']]),
    notes: [...sheet.notes, `Labels of ${rows} do not count, as “${status.name}” is ${words}`],
  };
}

/** Where answers may stand but in one column, the more certain first. */
const places = [gatherReaders, gatherMarks, tellReadersInRows];

/** Finds answers in several columns or rows, and says so; a file that has a column called an answer keeps it. */
export function gatherAnswers(given: Sheet): Sheet {
  if (given.isOwnExport || given.rows.length < 2) return given;
  const columns = given.columns.slice(0, limits.maxOptions * 4).map((name, index) => ({
    name,
    read: (row: SheetRow) => readCell(row, given.columns, index) ?? null,
  }));
  const sheet = heedStatuses(given, columns);
  if (sheet.answer !== undefined) return sheet;
  // Columns that nobody has named are called as no option.
  const hasAnswer = findNamedAnswer(sheet.columns) !== null || sheet.header?.line === 0;
  for (const place of hasAnswer ? [tellReadersInRows] : places) {
    const gathered = place(sheet, columns);
    if (gathered !== null) return gathered;
  }
  return sheet;
}
