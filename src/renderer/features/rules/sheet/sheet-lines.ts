/** The sheet of rules as lines of a spreadsheet. */
import { readText, type SheetColumn, type SheetRow } from './sheet.ts';

/** The column of conditions that fit no row. */
export const codeColumn: { kind: 'code'; name: string } = { kind: 'code', name: 'Code' };

/** The name above a column; a field whose name is not its own there is named as in code. */
function nameHead(column: SheetColumn, columns: readonly SheetColumn[]): string {
  const isTaken = [...columns, codeColumn].some((other) => other !== column && other.name === column.name);
  return column.kind === 'field' && isTaken ? column.id : column.name;
}

/** The sheet as lines, the first of which names the columns; conditions that fit no row have a column of their own. */
export function toLines(rows: readonly SheetRow[], columns: readonly SheetColumn[]): string[][] {
  const hasCode = rows.some(({ cells }) => cells === null);
  const toCode = ({ cells, rule }: SheetRow) => (cells === null ? rule.condition : '');
  return [
    [...columns.map((column) => nameHead(column, columns)), ...(hasCode ? [codeColumn.name] : [])],
    ...rows.map((row) => [...columns.map((column) => readText(row, column)), ...(hasCode ? [toCode(row)] : [])]),
  ];
}
