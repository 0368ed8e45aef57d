/** Finding a second table that stands beside the first, behind empty columns. */
import { toLetters } from '../../export/column-letters.ts';
import { type Header, isFilled, type TableLine } from './find-header.ts';

const minColumns = 2;
/** A block of columns that ends this many rows before the other is a table of its own. */
const minFewerRows = 2;

/** The columns of a block, and the lines among the rows in which it holds anything. */
type Block = { from: number; to: number; names: string[]; isUsed: boolean[] };

/** Cuts columns into blocks where whole columns are empty. */
function listBlocks(names: Header['names'], rows: readonly TableLine[]): Block[] {
  const blocks: Block[] = [];
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), names.length);
  let from = 0;
  const isEmpty = (column: number) => !isFilled(names[column]) && rows.every(({ cells }) => !isFilled(cells[column]));
  for (let column = 0; column <= width; column += 1) {
    if (column < width && !isEmpty(column)) continue;
    if (column > from) {
      const isUsed = rows.map(({ cells }) => cells.slice(from, column).some(isFilled));
      blocks.push({
        from,
        to: column,
        names: names.slice(from, column).map((name) => String(name ?? '').trim()),
        isUsed,
      });
    }
    from = column + 1;
  }
  return blocks;
}

/** Whether a block is a table of its own beside another: it has a name of that one, or ends earlier or later. */
function isOwn(block: Block, other: Block): boolean {
  if (block.names.some((name) => name !== '' && other.names.includes(name))) return true;
  const findEnd = ({ isUsed }: Block) => isUsed.lastIndexOf(true) + 1;
  const [end, otherEnd] = [findEnd(block), findEnd(other)];
  const short = end < otherEnd ? block : other;
  const least = Math.min(end, otherEnd);
  return Math.abs(end - otherEnd) >= minFewerRows && least > 0 && short.isUsed.slice(0, least).every((is) => is);
}

/**
 * Cuts the second of two tables away that stand side by side, with a sentence; `others` are lines of that one alone.
 * Null where there is one table.
 */
export function cutTableBeside(
  lines: readonly TableLine[],
  { line, names }: Header,
): { lines: TableLine[]; others: number[]; note: string } | null {
  const hasGap = names.some((name, column) => !isFilled(name) && column > 0 && column < names.findLastIndex(isFilled));
  if (line === 0 || !hasGap) return null;
  const below = lines.filter((each) => each.line > line && each.cells.some(isFilled));
  const [first, ...others] = listBlocks(names, below);
  const second = others.find(({ from, to }) => to - from >= minColumns);
  if (first === undefined || second === undefined || first.to - first.from < minColumns) return null;
  if (second.names.includes('') || !isOwn(second, first)) return null;
  const shown = second.names.slice(0, 4).join(' · ');
  const cut = lines.map((each) => ({ ...each, cells: each.cells.slice(0, second.from) }));
  const isOfFirst = ({ cells }: TableLine) => cells.some(isFilled);
  return {
    lines: cut.filter(isOfFirst),
    others: cut.filter((each) => !isOfFirst(each)).map((each) => each.line),
    note: `A second table stands beside it, from column ${toLetters(second.from)} on (“${shown}”), and is not read; to read it, move it to a file of its own`,
  };
}
