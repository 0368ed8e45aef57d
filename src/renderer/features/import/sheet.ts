/** A file as rows of named values, whatever its format. */
import type { Json, JsonObject } from '../../../engine/domain.ts';

export type SheetRow = { line: number; values: JsonObject };
export type Sheet = {
  columns: string[];
  rows: SheetRow[];
  /** What was found out about the file, in words. */
  told: string[];
  /** Lines that cannot be read, with the reason. */
  refused: { line: number; message: string }[];
};

const pointNumber = /^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const commaNumber = /^[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?$/;
/** `007` and the like are names, not numbers: the zeros would be lost. */
const zeroFirst = /^[+-]?0\d/;

type CellReader = (cell: string) => Json;
const asText: CellReader = (cell) => (cell === '' ? null : cell);

/** Finds how the cells of a column are read: numbers, with a point or a comma before the decimals, booleans, or texts. */
function findCellReader(cells: readonly string[]): { kind: string; read: CellReader } {
  const filled = cells.filter((cell) => cell !== '');
  const areAll = (test: (cell: string) => boolean) => filled.length > 0 && filled.every(test);
  if (areAll((cell) => pointNumber.test(cell) && !zeroFirst.test(cell))) {
    return { kind: 'number', read: (cell) => (cell === '' ? null : Number(cell.replaceAll(',', ''))) };
  }
  if (areAll((cell) => commaNumber.test(cell) && !zeroFirst.test(cell))) {
    const read = (cell: string) => (cell === '' ? null : Number(cell.replaceAll('.', '').replace(',', '.')));
    return { kind: 'number with a decimal comma', read };
  }
  if (areAll((cell) => /^(?:true|false)$/i.test(cell))) {
    return { kind: 'yes or no', read: (cell) => (cell === '' ? null : cell.toLowerCase() === 'true') };
  }
  return { kind: 'text', read: asText };
}

/** Names without gaps and without repetition, so that every column can be told from the others. */
function toColumnNames(header: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return header.map((cell, index) => {
    const name = cell.trim() === '' ? `column ${index + 1}` : cell.trim();
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} ${times}`;
  });
}

/** A sheet from lines of cells, the first of which names the columns; lines of another width are refused. */
export function toSheet(lines: readonly { line: number; cells: string[] }[], told: string[]): Sheet {
  const [header, ...body] = lines;
  if (!header) return { columns: [], rows: [], told, refused: [] };
  const columns = toColumnNames(header.cells);
  const fitting = body.filter(({ cells }) => cells.length === columns.length);
  const refused = body
    .filter(({ cells }) => cells.length !== columns.length)
    .map(({ line, cells }) => ({ line, message: `${cells.length} cells instead of ${columns.length}` }));
  const readers = columns.map((_, index) => findCellReader(fitting.map(({ cells }) => (cells[index] ?? '').trim())));
  const withComma = columns.filter((_, index) => readers[index]?.kind === 'number with a decimal comma');
  const notes = withComma.length > 0 ? [...told, `decimal comma in ${withComma.join(', ')}`] : told;
  const rows = fitting.map(({ line, cells }) => ({
    line,
    values: Object.fromEntries(
      columns.map((name, index) => [name, readers[index]?.read((cells[index] ?? '').trim()) ?? null]),
    ),
  }));
  return { columns, rows, told: notes, refused };
}

/** A sheet from objects: its columns are all their keys. */
export function fromObjects(rows: SheetRow[], told: string[], refused: Sheet['refused'] = []): Sheet {
  const columns = new Set<string>();
  for (const { values } of rows) for (const name of Object.keys(values)) columns.add(name);
  return { columns: [...columns], rows, told, refused };
}
