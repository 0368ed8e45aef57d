/** Writing an Excel workbook of one sheet of texts; every text comes back as it was. */
import { strToU8, zipSync } from 'fflate';
import { toLetters } from './sheet.ts';

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

/** The bytes of a workbook with one sheet; its first line stays in sight. */
export function writeWorkbook(name: string, lines: readonly (readonly string[])[]): Uint8Array<ArrayBuffer> {
  const rows = lines.map((cells, line) => {
    const written = cells.map((text, column) =>
      text === ''
        ? ''
        : `<c r="${toLetters(column)}${line + 1}" t="inlineStr"><is><t xml:space="preserve">${escapeText(text)}</t></is></c>`,
    );
    return `<row r="${line + 1}">${written.join('')}</row>`;
  });
  const columns = (lines[0] ?? []).map((_, column) => {
    const longest = Math.max(...lines.map((cells) => cells[column]?.length ?? 0));
    return `<col min="${column + 1}" max="${column + 1}" width="${Math.min(maxWidthCharacters, longest + 2)}" customWidth="1"/>`;
  });
  const sheet =
    `<worksheet xmlns="${schemas}/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `${columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''}<sheetData>${rows.join('')}</sheetData></worksheet>`;
  const workbook = `<workbook xmlns="${schemas}/spreadsheetml/2006/main" xmlns:r="${relation}"><sheets><sheet name="${escapeText(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`;
  const parts = { ...frame, 'xl/workbook.xml': workbook, 'xl/worksheets/sheet1.xml': sheet };
  const files = Object.entries(parts).map(([path, content]): [string, Uint8Array] => [path, strToU8(toXml(content))]);
  // The first day that a ZIP can name, wherever the machine stands: the same lines are the same bytes.
  return zipSync(Object.fromEntries(files), { mtime: new Date(1980, 0, 1) });
}
