/** Tables of text: columns separated by a sign, cells quoted where they hold it. */
import { parse } from 'csv-parse/sync';
import { readTable, type TableLine } from './read-table.ts';
import { type Sheet, type SheetChoice, UnreadableFile } from './sheet.ts';

const separators = [
  { sign: ',', name: 'comma' },
  { sign: ';', name: 'semicolon' },
  { sign: '\t', name: 'tab' },
  { sign: '|', name: 'bar' },
] as const;
const sampledLines = 20;
const sampledCharacters = 100_000;

/** Returns the separator that cuts the first lines into the most columns, as many in each; else null. */
export function findSeparator(text: string): (typeof separators)[number] | null {
  const lines = text
    .slice(0, sampledCharacters)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, sampledLines);
  const unquoted = lines.map((line) => line.replace(/"(?:[^"]|"")*"/g, ''));
  const scored = separators.map((separator) => {
    const counts = unquoted.map((line) => line.split(separator.sign).length - 1);
    const first = counts[0] ?? 0;
    const same = counts.filter((count) => count === first).length / Math.max(1, counts.length);
    return { separator, score: first === 0 ? 0 : same * 100 + Math.min(first, 50) };
  });
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  return best.score > 0 ? best.separator : null;
}

/** Reads a table, up to `maxRows` of its rows where they are given. Throws UnreadableFile. */
export function readDelimited(
  text: string,
  separator: string,
  detected: string[],
  choice: SheetChoice,
  maxRows?: number,
): Sheet {
  const lines: TableLine[] = [];
  try {
    parse(text, {
      delimiter: separator,
      skip_empty_lines: true,
      relax_column_count: true,
      relax_quotes: true,
      bom: true,
      // One more for the header.
      ...(maxRows === undefined ? {} : { to: maxRows + 1 }),
      on_record(cells: string[], { lines: line }) {
        lines.push({ line, cells });
        // Kept here once; the parser's own list would hold every row again.
        return null;
      },
    });
  } catch (error) {
    const line = error instanceof Error && 'lines' in error && typeof error.lines === 'number' ? error.lines : 1;
    const message = `The file ends inside a quotation at line ${line}. Close it, then try again.`;
    throw new UnreadableFile(message, { line, cause: error });
  }
  const name = separators.find(({ sign }) => sign === separator)?.name ?? separator;
  return readTable(lines, separator === ',' ? detected : [...detected, `separated by ${name}s`], choice);
}
