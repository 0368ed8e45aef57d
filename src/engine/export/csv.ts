/** Cells of CSV (RFC 4180) that no spreadsheet runs, whatever it takes for the separator, and what they stand for. */

/**
 * Where a spreadsheet may begin to read a formula: at the start, and behind what another reader takes for the end of a
 * cell, as quotes within a line are letters there. Full-width signs also count; behind apostrophes, so that each cell
 * comes back as it was.
 */
const formula = /^(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])|(?<=[;|\t\r\n])(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
const guarded =
  /^'(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])|(?<=[;|\t\r\n])'(?=['"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
const formulaInJson = /(?<=[;|](?:'|\\")*)[=+\-@\uff1d\uff0b\uff0d\uff20]/g;

/** Writes one cell; what a spreadsheet would run as a formula gets a leading apostrophe. */
export function writeCsvCell(value: unknown, separator = ','): string {
  if (value === null) return '';
  // For a number this is what `String` gives, past V8's cache of number texts (hot-path/write-number.ts).
  const text = typeof value === 'string' ? value.replace(formula, "'") : guardJson(JSON.stringify(value));
  return quoteCsvCell(text, separator);
}

/** Writes JSON so that it says the same, and holds nothing that a spreadsheet would run within a cell. */
export const guardJson = (json: string): string =>
  json.replace(formulaInJson, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Writes one cell as it stands, in quotes where it has to be. */
export const quoteCsvCell = (text: string, separator: string): string =>
  /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;

/** Takes the apostrophes off again that `writeCsvCell` has put before what looks like a formula. */
export const readGuarded = (text: string): string => text.replace(guarded, '');

/** Writes one line of cells with its end. */
export const writeCsvLine = (cells: readonly unknown[]): string =>
  `${cells.map((cell) => writeCsvCell(cell)).join(',')}\r\n`;
