/** One worksheet of a workbook (ECMA-376, part 1, 18.3): its cells as lines, and its parts without a value to read. */
import { Parser } from 'htmlparser2';
import type { Json } from '../../json.ts';
import { UnreadableFile } from '../sheet.ts';
import type { TableLine } from '../tables/find-header.ts';
import { fillZeros, type NumberFormat, readSerial } from './number-formats.ts';

/** Tables that cells refer to: texts and formats by their place, and the first day that dates count from. */
export type CellParts = {
  texts: readonly string[];
  formats: readonly NumberFormat[];
  /** The money that each of the formats shows. */
  currencies: readonly (string | null)[];
  is1904: boolean;
};

/** Cells of a column, counted from 0, that are empty or hold something else than they show; the line of the first. */
export type ColumnNote = {
  column: number;
  kind: 'formula' | 'error' | 'duration' | 'currency';
  line: number;
  count: number;
};
/** Cells of a column that show the value of the first of them. */
type Merge = { column: number; firstLine: number; lastLine: number };
/** The content of a worksheet; rows without a value are left out, and a row ends with its last one. */
export type Worksheet = {
  rows: TableLine[];
  /** The columns that hold anything, in their order. */
  columns: number[];
  merges: Merge[];
  notes: ColumnNote[];
  hiddenLines: number[];
  hiddenColumns: number[];
};

/** Rows and columns of the largest sheet that a spreadsheet opens. */
const maxRows = 1_048_576;
const maxColumns = 16_384;
/** Parts of a text that the parser is given at once. */
const partCharacters = 65_536;

type Attributes = Readonly<Record<string, string>>;
type Handlers = {
  open?(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
};

/** Reads a text of XML, part by part; names of elements come without their prefix. */
export function parseXml(text: string, handlers: Handlers): void {
  const toLocal = (name: string) => name.slice(name.indexOf(':') + 1);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => handlers.open?.(toLocal(name), attributes),
      ontext: (part) => handlers.text?.(part),
      onclosetag: (name) => handlers.close?.(toLocal(name)),
    },
    { xmlMode: true },
  );
  for (let start = 0; start < text.length; start += partCharacters)
    parser.write(text.slice(start, start + partCharacters));
  parser.end();
}

/** Whether an attribute of XML Schema's boolean type is true. */
export const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true';

/** A text without the escapes of signs that XML cannot hold (18.4.12: `_x000D_`). */
export const unescapeText = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

/** The place of a reference like `AB12`, both counted from 0; -1 for what is left out. */
function readReference(reference: string): { row: number; column: number } {
  let column = 0;
  let index = 0;
  for (; index < reference.length; index += 1) {
    const letter = reference.charCodeAt(index) & ~32;
    if (letter < 65 || letter > 90) break;
    column = column * 26 + letter - 64;
  }
  return { row: (Number(reference.slice(index)) || 0) - 1, column: column - 1 };
}

/** A whole number of more digits than a double holds stays a text. */
export function readDigits(text: string): number | string {
  const value = Number(text);
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(text) ? text : value;
}

type Cell = { type: string; style: number; value: string | null; isFormula: boolean };

/** The value of a cell; a note where it has none though it holds something. */
function readCellValue(cell: Cell, { texts, formats, is1904 }: CellParts): { value: Json; note?: ColumnNote['kind'] } {
  const { type, value } = cell;
  if (type === 'inlineStr') return { value: unescapeText(value ?? '') };
  if (value === null || value === '') {
    if (type === 'str' && value !== null) return { value: '' };
    return cell.isFormula ? { value: null, note: 'formula' } : { value: null };
  }
  if (type === 's') return { value: texts[Number(value)] ?? null };
  if (type === 'str') return { value: unescapeText(value) };
  if (type === 'b') return { value: isTrue(value) };
  if (type === 'e') return { value: null, note: 'error' };
  if (type === 'd') return { value: value.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, '').replace(/(?:\.0+)?Z$/, '') };
  const number = readDigits(value);
  if (typeof number === 'string') return { value: number };
  if (Number.isNaN(number)) return { value };
  const meaning = formats[cell.style] ?? 'number';
  if (typeof meaning === 'object') return { value: fillZeros(number, meaning.zeros) };
  const read = readSerial(number, meaning, is1904);
  return meaning === 'duration' ? { value: read, note: 'duration' } : { value: read };
}

class WorksheetReader {
  readonly #parts: CellParts;
  readonly #rows: TableLine[] = [];
  readonly #isUsed = new Uint8Array(maxColumns);
  readonly #merges: Merge[] = [];
  readonly #notes = new Map<string, ColumnNote>();
  /** The money that the last cell with some showed, by column. */
  readonly #currencies = new Map<number, string>();
  readonly #isHiddenColumn = new Uint8Array(maxColumns);
  readonly #leftOut = new Set<number>();
  readonly #hiddenLines: number[] = [];
  #row = -1;
  #column = -1;
  #cells: Json[] = [];
  #cell: Cell | null = null;
  #isHidden = false;
  #isFilled = false;
  /** Whether text belongs to the cell; the reading of East Asian words does not. */
  #isKept = false;
  #isPhonetic = false;

  constructor(parts: CellParts) {
    this.#parts = parts;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'c') this.#openCell(attributes);
    else if (name === 'v' || name === 't') {
      this.#isKept = !this.#isPhonetic;
      if (this.#cell && name === 'v') this.#cell.value = '';
    } else if (name === 'row') this.#openRow(attributes);
    else if (name === 'f' && this.#cell) this.#cell.isFormula = true;
    else if (name === 'rPh') this.#isPhonetic = true;
    else if (name === 'col') this.#openColumn(attributes);
    else if (name === 'mergeCell') this.#openMerge(attributes);
  }

  text(part: string): void {
    if (!this.#isKept || !this.#cell) return;
    this.#cell.value = (this.#cell.value ?? '') + part;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isKept = false;
    else if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
    else if (name === 'rPh') this.#isPhonetic = false;
  }

  read(): Worksheet {
    return {
      rows: this.#rows,
      columns: [...this.#isUsed.keys()].filter((column) => this.#isUsed[column] === 1),
      merges: this.#merges,
      notes: [...this.#notes.values()],
      hiddenLines: this.#hiddenLines,
      hiddenColumns: [...this.#leftOut],
    };
  }

  #openRow({ r: reference, hidden }: Attributes): void {
    // Writers may leave out the places of rows and cells: each then stands behind the one before.
    this.#row = Number(reference) > 0 ? Number(reference) - 1 : this.#row + 1;
    this.#column = -1;
    this.#cells = [];
    this.#isHidden = isTrue(hidden);
    this.#isFilled = false;
  }

  #closeRow(): void {
    if (!this.#isFilled || this.#row >= maxRows) return;
    if (this.#isHidden) this.#hiddenLines.push(this.#row + 1);
    else if (this.#cells.length > 0) this.#rows.push({ line: this.#row + 1, cells: this.#cells });
  }

  #openCell({ r: reference = '', t: type = 'n', s: style = '0' }: Attributes): void {
    const { column } = readReference(reference);
    this.#column = column >= 0 ? column : this.#column + 1;
    this.#cell = { type, style: Number(style), value: null, isFormula: false };
  }

  #closeCell(): void {
    const cell = this.#cell;
    const column = this.#column;
    this.#cell = null;
    if (cell === null || column >= maxColumns) return;
    const { value, note } = readCellValue(cell, this.#parts);
    if ((value === null || value === '') && note === undefined) return;
    this.#isFilled = true;
    if (this.#isHidden) return;
    if (this.#isHiddenColumn[column] === 1) {
      this.#leftOut.add(column);
      return;
    }
    this.#isUsed[column] = 1;
    this.#cells[column] = value;
    const currency = typeof value === 'number' ? this.#parts.currencies[cell.style] : null;
    if (currency && (this.#currencies.get(column) ?? currency) !== currency) this.#note('currency', column);
    if (currency) this.#currencies.set(column, currency);
    if (note !== undefined) this.#note(note, column);
  }

  #note(kind: ColumnNote['kind'], column: number): void {
    const known = this.#notes.get(`${kind} ${column}`);
    if (known) known.count += 1;
    else this.#notes.set(`${kind} ${column}`, { column, kind, line: this.#row + 1, count: 1 });
  }

  #openColumn({ min, max, hidden }: Attributes): void {
    if (!isTrue(hidden)) return;
    this.#isHiddenColumn.fill(1, Math.max(0, Number(min) - 1), Number(max));
  }

  #openMerge({ ref = '' }: Attributes): void {
    const [first = '', last = first] = ref.split(':');
    const { row, column } = readReference(first);
    const { row: lastRow } = readReference(last);
    if (lastRow > row) this.#merges.push({ column, firstLine: row + 1, lastLine: lastRow + 1 });
  }
}

/** Reads the XML of a worksheet; hidden parts are left out and named. */
export function readWorksheet(xml: string, parts: CellParts): Worksheet {
  const reader = new WorksheetReader(parts);
  parseXml(xml, reader);
  return reader.read();
}

/** More cells than this are not a table: a few values lie far apart. */
const maxCells = 10_000_000;
/** Empty columns that may lie between others. */
const maxGaps = 100;

/** The columns of a sheet's lines: all up to the last one, or those that hold anything where it lies far out. */
export function listColumns({ columns }: Worksheet): number[] {
  const width = (columns.at(-1) ?? -1) + 1;
  return width <= 2 * columns.length + maxGaps ? Array.from({ length: width }, (_, column) => column) : columns;
}

/** The rows as lines of one width. Throws UnreadableFile where that is too much. */
export function toLines(sheet: Worksheet): TableLine[] {
  const { rows } = sheet;
  const columns = listColumns(sheet);
  if (rows.length * columns.length > maxCells) {
    const size = `${rows.length.toLocaleString('en')} rows × ${columns.length.toLocaleString('en')} columns`;
    throw new UnreadableFile(`The sheet spreads its values over ${size}. Delete those that lie apart from the table.`);
  }
  const areAll = columns.every((column, index) => column === index);
  return rows.map(({ line, cells }, index) => {
    // Lines without cells are not stored.
    const isBelowBlank = line > (rows[index - 1]?.line ?? line) + 1;
    if (!areAll) return { line, cells: columns.map((column) => cells[column] ?? null), isBelowBlank };
    for (let column = 0; column < columns.length; column += 1) cells[column] ??= null;
    return { line, cells, isBelowBlank };
  });
}

/** The most lines into which the values of merged cells are written. */
const maxMergedLines = 1_000_000;

/** Gives lines of merged cells the value that all of them show, those of the header among them. */
export function fillMerges(lines: readonly TableLine[], sheet: Worksheet): void {
  const { merges } = sheet;
  if (merges.length === 0) return;
  const places = new Map(lines.map(({ line }, index) => [line, index]));
  const indexes = new Map(listColumns(sheet).map((column, index) => [column, index]));
  let left = maxMergedLines;
  for (const { column, firstLine, lastLine } of merges) {
    const first = places.get(firstLine);
    const index = indexes.get(column);
    if (first === undefined || index === undefined) continue;
    const value = lines[first]?.cells[index] ?? null;
    for (let place = first + 1; place < lines.length && left > 0; place += 1, left -= 1) {
      const { line, cells } = lines[place] as TableLine;
      if (line > lastLine) break;
      cells[index] ??= value;
    }
  }
}
