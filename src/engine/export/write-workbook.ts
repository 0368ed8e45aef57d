/** Writing an Excel workbook of one sheet; every text comes back as it was, and none is a formula. */
import { strToU8, zipSync } from 'fflate';
import { toLetters } from './column-letters.ts';

const mime = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const schemas = 'http://schemas.openxmlformats.org';
const relation = `${schemas}/officeDocument/2006/relationships`;
const maxWidthCharacters = 60;

const toXml = (content: string) => `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${content}`;
const toRelations = (type: string, target: string) =>
  `<Relationships xmlns="${schemas}/package/2006/relationships"><Relationship Id="rId1" Type="${relation}/${type}" Target="${target}"/></Relationships>`;

/** The parts around the sheet. */
const frame = {
  '[Content_Types].xml':
    `<Types xmlns="${schemas}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
    `<Override PartName="/xl/workbook.xml" ContentType="${mime}.sheet.main+xml"/>` +
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${mime}.worksheet+xml"/></Types>`,
  '_rels/.rels': toRelations('officeDocument', 'xl/workbook.xml'),
  'xl/_rels/workbook.xml.rels': toRelations('worksheet', 'worksheets/sheet1.xml'),
};

/** A text as XML; what XML cannot hold, and what looks like its escape, is escaped as Excel does. */
const escapeText = (text: string) =>
  text
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replace(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot hold
      /[\0-\x08\x0b-\x1f\ufffe\uffff\p{Surrogate}]/gu,
      (sign) => `_x${sign.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}_`,
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** One line of a sheet, counted from 1. */
export function writeRow(cells: readonly (string | number | boolean | null)[], line: number): string {
  const written = cells.map((cell, column) => {
    const place = `r="${toLetters(column)}${line}"`;
    if (typeof cell === 'number') return `<c ${place}><v>${cell}</v></c>`;
    if (typeof cell === 'boolean') return `<c ${place} t="b"><v>${Number(cell)}</v></c>`;
    return cell === null || cell === ''
      ? ''
      : `<c ${place} t="inlineStr"><is><t xml:space="preserve">${escapeText(cell)}</t></is></c>`;
  });
  return `<row r="${line}">${written.join('')}</row>`;
}

/** The XML before the lines of a sheet and behind them; its first line stays in sight. */
export const toSheetFrame = (widths: readonly number[]): { start: string; end: string } => {
  const columns = widths.map(
    (width, column) => `<col min="${column + 1}" max="${column + 1}" width="${width}" customWidth="1"/>`,
  );
  return {
    start: toXml(
      `<worksheet xmlns="${schemas}/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0">` +
        '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
        `${columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''}<sheetData>`,
    ),
    end: '</sheetData></worksheet>',
  };
};

/** The place of the sheet among the parts of a workbook. */
export const sheetPath = 'xl/worksheets/sheet1.xml';

/** The parts of a workbook besides its sheet, by their places. */
export function listParts(name: string): [path: string, bytes: Uint8Array<ArrayBuffer>][] {
  const workbook = `<workbook xmlns="${schemas}/spreadsheetml/2006/main" xmlns:r="${relation}"><sheets><sheet name="${escapeText(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`;
  return Object.entries({ ...frame, 'xl/workbook.xml': workbook }).map(([path, content]) => [
    path,
    strToU8(toXml(content)),
  ]);
}

/** The first day that a ZIP can name, wherever the machine stands: the same lines are the same bytes. */
export const firstZipDay = () => new Date(1980, 0, 1);

/** The bytes of a workbook with one sheet of texts. */
export function writeWorkbook(name: string, lines: readonly (readonly string[])[]): Uint8Array<ArrayBuffer> {
  const widths = (lines[0] ?? []).map((_, column) => {
    const longest = Math.max(...lines.map((cells) => cells[column]?.length ?? 0));
    return Math.min(maxWidthCharacters, longest + 2);
  });
  const { start, end } = toSheetFrame(widths);
  const sheet = start + lines.map((cells, index) => writeRow(cells, index + 1)).join('') + end;
  const parts = Object.fromEntries([...listParts(name), [sheetPath, strToU8(sheet)] as const]);
  return zipSync(parts, { mtime: firstZipDay() });
}
