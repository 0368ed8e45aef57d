/** Excel workbooks (ECMA-376): their fullest sheet that is not hidden, or the one that is chosen. */

import { FlateErrorCode, strFromU8, type UnzipFileFilter, type Unzipped, unzipSync } from 'fflate';
import { toLetters } from '../../export/column-letters.ts';
import type { Json } from '../../json.ts';
import { readCell, type Sheet, type SheetChoice, UnreadableFile } from '../sheet.ts';
import { readExportedTable } from '../tables/exported-table.ts';
import { findHeader, isFilled, maxTitleLines } from '../tables/find-header.ts';
import { readTable } from '../tables/read-table.ts';
import { SkippedLines } from '../tables/skipped.ts';
import { type Container, findContainerOfArchive } from './containers.ts';
import { findCurrency, findFormat, findTimeForm, type NumberFormat } from './number-formats.ts';
import {
  type CellParts,
  type ColumnNote,
  fillMerges,
  isTrue,
  listColumns,
  parseXml,
  readWorksheet,
  toLines,
  unescapeText,
  type Worksheet,
} from './worksheet.ts';

export type WorkbookSheet = Worksheet & { name: string; isHidden: boolean };

/** Unpacks the entries of an archive that pass a filter. Throws UnreadableFile for a damaged one. */
function unzip(bytes: Uint8Array, filter: UnzipFileFilter): Unzipped {
  try {
    return unzipSync(bytes, { filter });
  } catch (cause) {
    if (cause instanceof UnreadableFile) throw cause;
    const isUnknown =
      cause instanceof Error && 'code' in cause && cause.code === FlateErrorCode.UnknownCompressionMethod;
    const message = isUnknown
      ? 'The Excel file is packed in a way that is not read. Open it in a spreadsheet program and save it again.'
      : 'The Excel file is damaged or incomplete. Save or download it again.';
    throw new UnreadableFile(message, { cause });
  }
}

type Archive = { has(path: string): boolean; read(path: string): string };

/** Lists what is packed; paths are compared as Windows does, which some writers rely on. */
function openArchive(bytes: Uint8Array, refuseSize: (bytes: number) => void): Archive {
  const names = new Map<string, string>();
  let unpackedBytes = 0;
  const toKey = (path: string) => path.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();
  unzip(bytes, ({ name, originalSize }) => {
    names.set(toKey(name), name);
    if (/\.(?:xml|rels)$/i.test(name)) unpackedBytes += originalSize;
    return false;
  });
  refuseSize(unpackedBytes);
  return {
    has: (path) => names.has(toKey(path)),
    read(path) {
      const wanted = names.get(toKey(path));
      const part = wanted === undefined ? undefined : unzip(bytes, ({ name }) => name === wanted)[wanted];
      return part === undefined ? '' : strFromU8(part);
    },
  };
}

type Relation = { type: string; target: string };

/** The parts that a part refers to, by their id; a target is a path in the archive. */
function readRelations(xml: string, folder: string): Map<string, Relation> {
  const relations = new Map<string, Relation>();
  parseXml(xml, {
    open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (name !== 'Relationship') return;
      const isAbsolute = target.startsWith('/');
      const path = isAbsolute ? target.slice(1) : `${folder}${target}`.replace(/[^/]+\/\.\.\//g, '');
      relations.set(id, { type: type.slice(type.lastIndexOf('/') + 1), target: path });
    },
  });
  return relations;
}

/** The texts that cells share, without the reading of East Asian words. */
function readTexts(xml: string): string[] {
  const texts: string[] = [];
  let text = '';
  let isKept = false;
  let isPhonetic = false;
  parseXml(xml, {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 't') isKept = !isPhonetic;
      else if (name === 'rPh') isPhonetic = true;
    },
    text(part) {
      if (isKept) text += part;
    },
    close(name) {
      if (name === 'si') texts.push(unescapeText(text));
      else if (name === 't') isKept = false;
      else if (name === 'rPh') isPhonetic = false;
    },
  });
  return texts;
}

/** Reads how the formats of cells show numbers, in the order in which cells refer to them. */
function readFormats(xml: string): Pick<CellParts, 'formats' | 'currencies'> {
  const codes = new Map<number, string>();
  const formats: NumberFormat[] = [];
  const currencies: (string | null)[] = [];
  let areOfCells = false;
  parseXml(xml, {
    open(name, { numFmtId: id, formatCode: code = '' }) {
      if (name === 'numFmt') codes.set(Number(id), code);
      else if (name === 'cellXfs') areOfCells = true;
      else if (name === 'xf' && areOfCells) {
        formats.push(findFormat(Number(id ?? 0), codes.get(Number(id))));
        currencies.push(findCurrency(codes.get(Number(id)) ?? ''));
      }
    },
    close(name) {
      if (name === 'cellXfs') areOfCells = false;
    },
  });
  return { formats, currencies };
}

type NamedSheet = { name: string; isHidden: boolean; relation: string };

/** The sheets that a workbook names, in its order, and whether its dates count from 1904. */
function readNames(xml: string): { named: NamedSheet[]; is1904: boolean } {
  const named: NamedSheet[] = [];
  let is1904 = false;
  parseXml(xml, {
    open(element, attributes) {
      if (element === 'workbookPr') is1904 = isTrue(attributes['date1904']);
      if (element !== 'sheet') return;
      const { name = '', state = 'visible' } = attributes;
      const relation = Object.entries(attributes).find(([key]) => /(?:^|:)id$/.test(key))?.[1] ?? '';
      named.push({ name: unescapeText(name), isHidden: state !== 'visible', relation });
    },
  });
  return { named, is1904 };
}

const countCells = ({ rows, columns }: WorkbookSheet) => rows.length * columns.length;

/** Sorts sheets as they are offered: the fullest first, hidden ones last. */
export const sortSheets = (sheets: readonly WorkbookSheet[]): WorkbookSheet[] =>
  [...sheets].sort((a, b) => Number(a.isHidden) - Number(b.isHidden) || countCells(b) - countCells(a));

/** The sheets of a workbook as they are offered, or what another archive is. Throws UnreadableFile. */
export function readSheets(bytes: Uint8Array, refuseSize: (bytes: number) => void): WorkbookSheet[] | Container {
  const { has, read } = openArchive(bytes, refuseSize);
  const start = [...readRelations(read('_rels/.rels'), '').values()].find(({ type }) => type === 'officeDocument');
  const path = start !== undefined && has(start.target) ? start.target : 'xl/workbook.xml';
  if (!has(path) || !path.endsWith('.xml')) return findContainerOfArchive(has);
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const relations = readRelations(read(`${folder}_rels/${path.slice(folder.length)}.rels`), folder);
  const readOnly = (type: string, usual: string) =>
    read([...relations.values()].find((relation) => relation.type === type)?.target ?? `${folder}${usual}`);
  const { named, is1904 } = readNames(read(path));
  const parts: CellParts = {
    texts: readTexts(readOnly('sharedStrings', 'sharedStrings.xml')),
    ...readFormats(readOnly('styles', 'styles.xml')),
    is1904,
  };
  const sheets = named.flatMap(({ name, isHidden, relation }) => {
    const { type, target = '' } = relations.get(relation) ?? {};
    // Sheets of charts, dialogues and macros hold no table.
    return type === 'worksheet' ? [{ name, isHidden, ...readWorksheet(read(target), parts) }] : [];
  });
  return sortSheets(sheets);
}

const listNames = (names: readonly string[]) => names.map((name) => `“${name}”`).join(', ');

/** The sheet that is chosen, else the first that shows anything. Throws UnreadableFile. */
function chooseSheet(sheets: readonly WorkbookSheet[], wanted: string | undefined): WorkbookSheet {
  const filled = sheets.filter(({ rows }) => rows.length > 0);
  const names = sheets.map(({ name }) => name).join(', ');
  if (wanted !== undefined) {
    const chosen = sheets.find(({ name }) => name === wanted);
    if (chosen === undefined) throw new UnreadableFile(`There is no sheet “${wanted}”. The sheets are: ${names}.`);
    if (chosen.rows.length === 0) throw new UnreadableFile(`The sheet “${wanted}” is empty. Choose another one.`);
    return chosen;
  }
  const visible = filled.find(({ isHidden }) => !isHidden);
  if (visible !== undefined) return visible;
  const hidden = filled.map(({ name }) => name);
  if (hidden.length > 0)
    throw new UnreadableFile(`Only hidden sheets hold anything. Choose one of them: ${listNames(hidden)}.`);
  const remedy = 'Open it in a spreadsheet program, and save the sheet with the table as .xlsx';
  throw new UnreadableFile(`The workbook holds no values. ${remedy}.`);
}

const countOf = (count: number, one: string, many: string) =>
  count === 1 ? `one ${one}` : `${count.toLocaleString('en')} ${many}`;

const noteTexts: Readonly<Record<ColumnNote['kind'], (count: number) => string>> = {
  formula: (count) =>
    `holds ${countOf(count, 'formula', 'formulas')} without a value, read as empty. Open and save the file in a spreadsheet program`,
  error: (count) => `holds ${countOf(count, 'error of a formula', 'errors of formulas')}, read as empty`,
  duration: () => 'holds durations, read as hours',
  currency: () =>
    'shows money of several currencies, of which the numbers alone are read: make a column of each, or one that names it',
};

/** Names the sheets with the same columns, none of whose rows is read. */
function noteLikeSheets(sheets: readonly WorkbookSheet[], chosen: WorkbookSheet, names: readonly Json[]): string[] {
  const toHead = (cells: readonly Json[]) => JSON.stringify(cells.filter(isFilled).map((cell) => String(cell).trim()));
  const head = toHead(names);
  const like = sheets.filter(
    ({ name, isHidden, rows }) =>
      name !== chosen.name && !isHidden && rows.slice(0, maxTitleLines).some(({ cells }) => toHead(cells) === head),
  );
  if (like.length === 0) return [];
  const of = like.length === 1 ? 'The sheet' : 'The sheets';
  return [
    `${of} ${listNames(like.map(({ name }) => name))} with the same columns ${like.length === 1 ? 'is' : 'are'} not read: import each by itself`,
  ];
}

/** Gives the days and times of each column one form. */
function evenOutTimes({ columns, rows }: Sheet): void {
  for (const index of columns.keys()) {
    const form = findTimeForm(rows.map((row) => readCell(row, columns, index)));
    if (form === null) continue;
    for (const row of rows) if ('cells' in row) row.cells = row.cells.with(index, form(row.cells[index] ?? null));
  }
}

/** The table of a workbook's fullest or chosen sheet, and what is worth a word about it. Throws UnreadableFile. */
export function readWorkbook(sheets: readonly WorkbookSheet[], kind: string, choice: SheetChoice): Sheet {
  const chosen = chooseSheet(sheets, choice.sheet);
  const { hiddenLines, hiddenColumns } = chosen;
  const columns = listColumns(chosen);
  const lines = toLines(chosen);
  const workbook = {
    sheets: sheets.map(({ name }) => name),
    hidden: sheets.filter(({ isHidden }) => isHidden).map(({ name }) => name),
    sheet: chosen.name,
  };
  const exported = readExportedTable(lines, [kind], false);
  if (exported !== null) return { ...exported, workbook };
  fillMerges(lines, chosen);
  const header = findHeader(lines, choice.headerLine);
  const firstLine = lines[header?.first ?? 0]?.line ?? 0;
  const skipped = new SkippedLines();
  for (const line of hiddenLines) skipped.add('hidden', line);
  const sheet = readTable(lines, [kind], choice, skipped);
  // Titles above the table and totals below it are not read, whatever they hold.
  const lastLine = sheet.rows.at(-1)?.line ?? 0;
  const notes = chosen.notes.flatMap(({ column, kind, line, count }) => {
    if (line < firstLine || line > lastLine) return [];
    const name = header?.names[columns.indexOf(column)] || `column ${toLetters(column)}`;
    return [`“${name}” ${noteTexts[kind](count)}`];
  });
  if (hiddenColumns.length > 0) {
    const letters = hiddenColumns.map(toLetters).join(', ');
    notes.push(`Hidden columns are left out: ${letters}. Show them in the spreadsheet program to have them read`);
  }
  if (header !== null && choice.sheet === undefined) notes.push(...noteLikeSheets(sheets, chosen, header.names));
  evenOutTimes(sheet);
  return { ...sheet, notes: [...sheet.notes, ...notes], workbook };
}
