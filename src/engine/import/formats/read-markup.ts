/** Tables of web pages, and workbooks of Excel 2003 as XML: programs write both under the ending .xls. */
import { Parser } from 'htmlparser2';
import type { Json } from '../../json.ts';
import { sortSheets, type WorkbookSheet } from './read-workbook.ts';
import { isTrue, parseXml, readDigits } from './worksheet.ts';

/** Columns of the widest sheet. */
const maxColumns = 16_384;

type Span = { columns: number; rows: number };
const toCount = (text: string | undefined) => Math.max(1, Number.parseInt(text ?? '1', 10) || 1);

/** A sheet that grows by its rows and cells, each behind the one before where its place is not said. */
class GrowingSheet {
  readonly #sheet: WorkbookSheet;
  readonly #used = new Set<number>();
  /** The last line that a cell of an earlier row spans, by its column. */
  readonly #taken = new Map<number, number>();
  #cells: Json[] = [];
  #line = 0;
  #column = 0;
  #isHidden = false;

  constructor(name: string, isHidden = false) {
    this.#sheet = { name, isHidden, rows: [], columns: [], merges: [], notes: [], hiddenLines: [], hiddenColumns: [] };
  }

  hide(): void {
    this.#sheet.isHidden = true;
  }

  openRow(line = this.#line + 1, isHidden = false): void {
    this.#line = line;
    this.#column = 0;
    this.#cells = [];
    this.#isHidden = isHidden;
    if (isHidden) this.#sheet.hiddenLines.push(line);
    else this.#sheet.rows.push({ line, cells: this.#cells });
  }

  addCell(value: Json, span: Span, column = this.#column): void {
    let place = column;
    while ((this.#taken.get(place) ?? 0) >= this.#line) place += 1;
    this.#column = place + span.columns;
    if (place >= maxColumns || this.#isHidden) return;
    const lastLine = this.#line + span.rows - 1;
    if (span.rows > 1) {
      this.#taken.set(place, lastLine);
      this.#sheet.merges.push({ column: place, firstLine: this.#line, lastLine });
    }
    if (value === null || value === '') return;
    this.#cells[place] = value;
    this.#used.add(place);
  }

  end(): WorkbookSheet {
    const rows = this.#sheet.rows.filter(({ cells }) => cells.length > 0);
    return { ...this.#sheet, rows, columns: [...this.#used].sort((a, b) => a - b) };
  }
}

/** Elements whose text nobody sees, and those behind which a word ends. */
const unseen = new Set(['script', 'style', 'template']);
const apart = new Set(['br', 'p', 'div', 'li']);

type OpenTable = { sheet: GrowingSheet; cell: { text: string; span: Span } | null };

/** The tables of a web page, the fullest first; a table within a cell is one of its own. */
export function readHtml(text: string): WorkbookSheet[] {
  const done: WorkbookSheet[] = [];
  const open: OpenTable[] = [];
  let count = 0;
  let unseenDepth = 0;
  const endCell = () => {
    const table = open.at(-1);
    if (!table?.cell) return;
    table.sheet.addCell(table.cell.text.replace(/\s+/g, ' ').trim(), table.cell.span);
    table.cell = null;
  };
  const parser = new Parser({
    onopentag(name, { colspan, rowspan }) {
      const table = open.at(-1);
      if (unseen.has(name)) unseenDepth += 1;
      else if (name === 'table') {
        count += 1;
        open.push({ sheet: new GrowingSheet(`Table ${count}`), cell: null });
      } else if (name === 'tr') {
        endCell();
        table?.sheet.openRow();
      } else if (table && (name === 'td' || name === 'th')) {
        endCell();
        table.cell = { text: '', span: { columns: toCount(colspan), rows: toCount(rowspan) } };
      } else if (table?.cell && apart.has(name)) table.cell.text += ' ';
    },
    ontext(part) {
      const cell = open.at(-1)?.cell;
      if (cell && unseenDepth === 0) cell.text += part;
    },
    onclosetag(name) {
      if (unseen.has(name)) unseenDepth -= 1;
      else if (name === 'td' || name === 'th' || name === 'tr') endCell();
      else if (name === 'table') {
        endCell();
        const table = open.pop();
        if (table) done.push(table.sheet.end());
      }
    },
  });
  parser.end(text);
  return sortSheets(done);
}

/** A value of an Excel 2003 workbook by its type; a time of day is written as one of 31 December 1899. */
function readData(type: string, text: string): Json {
  if (text === '' || type === 'Error') return null;
  if (type === 'Number') return readDigits(text);
  if (type === 'Boolean') return isTrue(text);
  if (type !== 'DateTime') return text;
  const date = text.replace(/(?:T00:00:00)?\.000$/, '');
  return date.startsWith('1899-12-31T') ? date.slice('1899-12-31T'.length).replace(/:00$/, '') : date;
}

/** The sheets of an Excel 2003 workbook as they are offered. */
export function readXmlWorkbook(xml: string): WorkbookSheet[] {
  const sheets: GrowingSheet[] = [];
  let cell: { type: string; text: string; span: Span; column: number | undefined } | null = null;
  let isData = false;
  let isVisibility = false;
  const toPlace = (index: string | undefined) => Number(index) || undefined;
  parseXml(xml, {
    open(name, attributes) {
      const at = (key: string) => attributes[`ss:${key}`] ?? attributes[key];
      if (name === 'Worksheet') sheets.push(new GrowingSheet(at('Name') ?? `Sheet ${sheets.length + 1}`));
      else if (name === 'Row') sheets.at(-1)?.openRow(toPlace(at('Index')), isTrue(at('Hidden')));
      else if (name === 'Cell') {
        const span = { columns: 1 + (Number(at('MergeAcross')) || 0), rows: 1 + (Number(at('MergeDown')) || 0) };
        const index = toPlace(at('Index'));
        cell = { type: 'String', text: '', span, column: index === undefined ? undefined : index - 1 };
      } else if (name === 'Data' && cell) {
        isData = true;
        cell.type = at('Type') ?? 'String';
      } else if (name === 'Visible') isVisibility = true;
    },
    text(part) {
      if (isData && cell) cell.text += part;
      else if (isVisibility && /hidden/i.test(part)) sheets.at(-1)?.hide();
    },
    close(name) {
      if (name === 'Data') isData = false;
      else if (name === 'Visible') isVisibility = false;
      else if (name === 'Cell' && cell) {
        sheets.at(-1)?.addCell(readData(cell.type, cell.text), cell.span, cell.column);
        cell = null;
      }
    },
  });
  return sortSheets(sheets.map((sheet) => sheet.end()));
}
