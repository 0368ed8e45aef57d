/** Lines that sum up others: behind all rows, or behind each group of them. */
import type { Json } from '../../json.ts';
import { readNumber } from '../../readings/numbers.ts';
import { isFilled, isName, type TableLine } from './find-header.ts';

const maxTotalLength = 40;
const totalWord =
  /^(?:(?:grand|sub|overall|column)[ -]?)?(?:totals?|sum|average|mean|gesamt(?:summe|ergebnis)?|summe|insgesamt|zwischensumme|durchschnitt|mittelwert|total g[eé]n[eé]ral|somme|moyenne|totale|somma|media|suma|promedio|totaal|razem|celkem|итого|всего|合计|总计|合計|総計|합계)(?![\p{L}])/iu;
/** Words that spreadsheets write behind the name of a group: “North Total”. */
const groupWord =
  /[\p{L}\d)] (?:(?:sub)?totals?|sum|(?:gesamt|teil|zwischen)?summe|(?:gesamt|teil)?ergebnis|somme|totale|suma|average|mittelwert)$/iu;
const maxShare = 0.5;
/** A line missing at least this many cells that every row fills is not a row. */
const minEmptyCells = 2;

const toText = (cell: Json | undefined) => String(cell ?? '').trim();

/** The place of the word that calls a line a total, where all its other cells are numbers or empty; -1 for none. */
function findTotalWord({ cells }: TableLine, words: readonly RegExp[]): number {
  const at = cells.findIndex(isFilled);
  const text = toText(cells[at]);
  if (at > 1 || text.length > maxTotalLength || !words.some((word) => word.test(text))) return -1;
  return cells.every((cell, column) => column === at || !isFilled(cell) || !isName(cell)) ? at : -1;
}

/** Whether the last row sums up the others: it is called a total, and holds nothing else but numbers or nothing. */
export function isTotal(row: TableLine, rows: readonly TableLine[]): boolean {
  const at = findTotalWord(row, [totalWord]);
  return at >= 0 && !rows.slice(0, -1).some(({ cells }) => toText(cells[at]) === toText(row.cells[at]));
}

const toNumber = (cell: Json | undefined): number =>
  typeof cell === 'number' ? cell : ((readNumber(toText(cell), '.') ?? readNumber(toText(cell), ','))?.value ?? 0);

const areSummed = ({ cells }: TableLine, sums: readonly number[]): boolean =>
  cells.some((cell, column) => {
    const sum = sums[column] ?? 0;
    const value = toNumber(cell);
    return value !== 0 && Math.abs(value - sum) <= 0.005 + 1e-9 * Math.abs(sum);
  });

/**
 * Takes out the lines between the rows that sum up those above them: called a total, and equal to their sum or with
 * several cells empty that all rows fill. Lines that are only called so stay, as `unsure`.
 */
export function takeOutSubtotals(rows: TableLine[]): { rows: TableLine[]; totals: number[]; unsure: number[] } {
  const called = new Set(rows.filter((row) => findTotalWord(row, [totalWord, groupWord]) >= 0));
  if (called.size === 0 || called.size > maxShare * rows.length) return { rows, totals: [], unsure: [] };
  const others = rows.filter((row) => !called.has(row));
  const width = others[0]?.cells.length ?? 0;
  const whole = Array.from({ length: width }, (_, column) => column).filter((column) =>
    others.every(({ cells }) => isFilled(cells[column])),
  );
  const totals = new Set<TableLine>();
  const unsure: number[] = [];
  let group = new Array<number>(width).fill(0);
  for (const row of rows) {
    if (!called.has(row)) {
      for (const [column, cell] of row.cells.entries()) group[column] = (group[column] ?? 0) + toNumber(cell);
      continue;
    }
    const empty = whole.filter((column) => !isFilled(row.cells[column])).length;
    if (empty >= minEmptyCells || areSummed(row, group)) {
      totals.add(row);
      group = new Array<number>(width).fill(0);
    } else unsure.push(row.line);
  }
  return { rows: rows.filter((row) => !totals.has(row)), totals: [...totals].map(({ line }) => line), unsure };
}
