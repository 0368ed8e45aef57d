/** Cells of CSV (RFC 4180) that no spreadsheet runs, and the text that such a cell stands for. */

/** How a formula begins, in full-width signs, too; behind apostrophes, so that each cell comes back as it was. */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Writes one cell; what a spreadsheet would run as a formula gets a leading apostrophe. */
function writeCsvCell(value: unknown): string {
  const text = writeCellText(value);
  const safe = typeof value !== 'number' && formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Takes the apostrophe off again that `writeCsvCell` has put before a text. */
export const readGuarded = (text: string): string =>
  text.startsWith("'") && formula.test(text) ? text.slice(1) : text;

function writeCellText(value: unknown): string {
  if (value === null) return '';
  // Of a number this is what `String` gives, past V8's cache of number texts (hot-path/write-number.ts).
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Writes one line of cells with its end. */
export const writeCsvLine = (cells: readonly unknown[]): string => `${cells.map(writeCsvCell).join(',')}\r\n`;
