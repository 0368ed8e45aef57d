/** Finds the separator of the cells of a text. */
import { blanks, type Dialect, hasEscapes, hasFrame, isDrawn, splitLines } from './split-lines.ts';

/** Separators that are sought, the likelier first: where two fit equally well, a comma may be a decimal sign. */
export const separators = [
  { sign: '\t', name: 'tabs' },
  { sign: ';', name: 'semicolons' },
  { sign: '|', name: 'bars' },
  { sign: ',', name: 'commas' },
  { sign: '│', name: 'drawn bars' },
  { sign: '\u0001', name: 'the sign U+0001' },
  { sign: '^', name: 'carets' },
  { sign: '~', name: 'tildes' },
  { sign: '::', name: 'double colons' },
  { sign: blanks, name: 'blanks' },
] as const;
const sampledLines = 200;
const sampledCharacters = 100_000;
/** At least this many of the lines below titles have the same number of cells. */
const minShare = 0.5;
const maxTitleLines = 20;
/** A sign that also cuts the first line is likelier: `;` of HTML in quoted cells is in each row, not in the header. */
const titledScore = 0.9;

/** A separator's name for people, or the sign in quotes. */
export const nameSeparator = (separator: string): string =>
  separators.find(({ sign }) => sign === separator)?.name ?? `“${separator}”`;

const isFilled = (cell: string | undefined) => cell !== undefined && cell.trim() !== '';

/** The lines of a text's start that hold something, cut by a separator; the last may be cut off and is left out. */
function sampleLines(text: string, dialect: Dialect): string[][] {
  const sample: string[][] = [];
  const isWhole = text.length <= sampledCharacters;
  splitLines(text.slice(0, sampledCharacters), dialect, ({ cells }) => {
    if (cells.some((cell) => isFilled(cell) && !isDrawn(cell))) sample.push(cells);
    return sample.length < sampledLines;
  });
  return isWhole || sample.length <= 1 || sample.length === sampledLines ? sample : sample.slice(0, -1);
}

/** Cells of a line without the empty ones at its end, and with them: a table's width lies between them. */
const measureLine = (cells: readonly string[]) => ({ least: cells.findLastIndex(isFilled) + 1, most: cells.length });

/** The width that most lines have, of two or more cells, and the share of lines with it from the first such line on. */
function findWidth(lines: readonly string[][]): { width: number; share: number; start: number } | null {
  const measured = lines.map(measureLine);
  const widths = new Set(measured.flatMap(({ least, most }) => [least, most]));
  let best: { width: number; share: number; start: number } | null = null;
  for (const width of widths) {
    if (width < 2) continue;
    const fits = measured.map(({ least, most }) => least <= width && most >= width);
    const start = fits.slice(0, maxTitleLines).indexOf(true);
    if (start < 0) continue;
    const fitting = fits.filter((is) => is).length;
    const share = fitting / (lines.length - start);
    const isTable = fitting > 1 || lines.length === 1;
    if (isTable && (best === null || share > best.share || (share === best.share && width > best.width))) {
      best = { width, share, start };
    }
  }
  return best;
}

/** Whether blanks separate cells and not words: each line has as many, and one column has numbers throughout. */
function areBlanksCells(
  lines: readonly string[][],
  { width, share, start }: NonNullable<ReturnType<typeof findWidth>>,
) {
  const body = lines.slice(start + 1);
  const hasNumbers = (column: number) => body.every((cells) => /^[-+]?[\d.,]*\d[\d.,%]*$/.test(cells[column] ?? ''));
  return share === 1 && start === 0 && body.length > 0 && [...Array(width).keys()].some(hasNumbers);
}

/** A title stands over no prose: where most commas are followed by a blank, the text has one column and its name. */
function isProse(text: string, sign: string, start: number): boolean {
  if (start === 0 || !/^[,;:|]/.test(sign) || (sign === '|' && hasFrame(text.slice(0, sampledCharacters))))
    return false;
  const signs = text.slice(0, sampledCharacters).split(sign).slice(1);
  return signs.filter((after) => after.startsWith(' ')).length >= 0.5 * signs.length;
}

/** Finds the separator that cuts most lines into equally many cells, past titles; null where a text has one column. */
export function findSeparator(text: string, quote = '"'): string | null {
  let best: { sign: string; score: number } | null = null;
  const isEscaped = hasEscapes(text.slice(0, sampledCharacters), quote);
  for (const { sign } of separators) {
    if (sign === blanks ? best !== null : !text.includes(sign)) continue;
    const lines = sampleLines(text, { separator: sign, quote, isEscaped });
    const found = findWidth(lines);
    if (found === null || found.share < minShare || isProse(text, sign, found.start)) continue;
    if (sign === blanks && !areBlanksCells(lines, found)) continue;
    // A wrong separator cuts quoted cells, which leaves lone quotes.
    const torn = lines.filter(
      (cells) => quote !== '' && cells.some((cell) => cell.split(quote).length % 2 === 0),
    ).length;
    const score = found.share * (found.start === 0 ? 1 : titledScore) * (1 - torn / lines.length);
    if (best === null || score > best.score) best = { sign, score };
  }
  return best?.sign ?? null;
}
