/** Numbers with the flags of statistical offices: “3.7 p” is provisional, “:” is not available. */
import type { Sheet } from '../sheet.ts';

const flagged = /^(?:(-?\d+(?:\.\d+)?)|:) ?([a-z]{0,4})$/;
const mark = /^:? ?[bcdefimnprsuz]{1,4}$/;

const maxNamed = 3;

/** Whether all cells of a column are numbers or “:”, and some show flags that are no unit: “:” or different letters. */
function areFlagged(cells: readonly string[]): boolean {
  const flags = new Set<string>();
  let plain = 0;
  for (const cell of cells) {
    const found = flagged.exec(cell);
    if (found === null) return false;
    const flag = found[1] === undefined ? `:${found[2]}` : (found[2] ?? '');
    if (flag === '') plain += 1;
    else if (flag === ':' || mark.test(flag)) flags.add(flag);
    else return false;
  }
  const hasNone = [...flags].some((flag) => flag.startsWith(':'));
  return flags.size > 0 && (hasNone || (flags.size > 1 && plain > 0));
}

/** Leaves out the flags behind the numbers of a table, and says of which columns. */
export function readFlags(sheet: Sheet): Sheet {
  const names: string[] = [];
  let example = '';
  const texts = new Map<number, string[]>();
  for (const [column, name] of sheet.columns.entries()) {
    const cells: string[] = [];
    for (const row of sheet.rows) {
      const cell = 'cells' in row ? row.cells[column] : null;
      const text = cell === null || cell === undefined ? '' : typeof cell === 'string' ? cell.trim() : String(cell);
      if (text !== '' && !flagged.test(text)) break;
      cells.push(text);
    }
    const isWhole = cells.length === sheet.rows.length;
    if (!isWhole || !areFlagged(cells.filter((text) => text !== ''))) continue;
    texts.set(
      column,
      cells.map((text) => flagged.exec(text)?.[1] ?? ''),
    );
    names.push(`“${name}”`);
    example ||= cells.find((text) => /[a-z]/.test(text)) ?? ':';
  }
  if (texts.size === 0) return sheet;
  const rows = sheet.rows.map((row, index) => {
    if (!('cells' in row)) return row;
    return { ...row, cells: row.cells.map((cell, column) => texts.get(column)?.[index] ?? cell) };
  });
  const listed = names.length > maxNamed ? [...names.slice(0, maxNamed), `${names.length - maxNamed} more`] : names;
  const note = `Flags such as in “${example}” are left out, and “:” is read as empty, in ${listed.join(', ')}`;
  return { ...sheet, rows, notes: [...sheet.notes, note] };
}
