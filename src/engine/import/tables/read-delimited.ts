/** Tables of text: columns separated by a sign or by blanks, cells quoted where they hold it. */
import type { Sheet, SheetChoice } from '../sheet.ts';
import { readExportedTable } from './exported-table.ts';
import { nameSeparator } from './find-separator.ts';
import { readTable, type TableLine } from './read-table.ts';
import { SkippedLines } from './skipped.ts';
import { hasEscapes, hasFrame, splitLines } from './split-lines.ts';

const isEmpty = (cell: string) => cell === '' || cell.trim() === '';

const isWrapped = (cell: string) => cell.startsWith('="');
/** The text that a spreadsheet keeps as such: 00123 of `="00123"`. */
const unwrapText = (cell: string) =>
  isWrapped(cell) && cell.endsWith('"') ? cell.slice(2, -1).replaceAll('""', '"') : cell;

/** Reads a table, up to `maxRows` of its rows and some titles where they are given. Throws UnreadableFile. */
export function readDelimited(
  text: string,
  separator: string,
  detected: string[],
  choice: SheetChoice,
  maxRows = Number.POSITIVE_INFINITY,
): Sheet {
  const lines: TableLine[] = [];
  const skipped = new SkippedLines();
  const quote = choice.quote ?? '"';
  const isEscaped = hasEscapes(text, quote);
  let isBelowBlank = false;
  const isFramed = /^[|│]$/.test(separator) && hasFrame(text);
  const take = ({ line, cells: cut }: { line: number; cells: string[] }) => {
    const cells =
      isFramed && cut.length > 2 && [cut[0], cut.at(-1)].every((cell) => cell?.trim() === '') ? cut.slice(1, -1) : cut;
    if (cells.every(isEmpty)) {
      skipped.add('blank', line);
      isBelowBlank = true;
      return true;
    }
    const read: TableLine = { line, cells: cells.some(isWrapped) ? cells.map(unwrapText) : cells };
    lines.push(isBelowBlank ? { ...read, isBelowBlank } : read);
    isBelowBlank = false;
    return lines.length <= maxRows;
  };
  splitLines(text, { separator, quote, isEscaped }, take);
  const found = [
    ...detected,
    ...(separator === ',' || separator === '' ? [] : [`separated by ${nameSeparator(separator)}`]),
    ...(isEscaped ? ['escaped by backslashes'] : []),
  ];
  const sheet = readExportedTable(lines, found, true) ?? readTable(lines, found, choice, skipped);
  return { ...sheet, delimiter: separator, quote };
}
