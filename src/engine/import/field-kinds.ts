/** How the cells of a table are read as fields of a policy, whatever else stands in their column. */
import type { FieldKind } from '../features/plan.ts';
import type { ColumnKind } from './sheet.ts';

/**
 * Chooses how a column is read for a field of a kind: as its cells were found to be written, where that is of the kind.
 * `cell_by_cell`: nothing says the kind, and the column has several.
 */
export function chooseColumnKind(
  kind: FieldKind | 'text' | 'conversation' | 'any',
  found: ColumnKind,
): ColumnKind | 'cell_by_cell' {
  if (found.startsWith('list_')) return kind === 'strings' ? found : 'as_is';
  switch (kind) {
    case 'any':
      return found === 'text' ? 'cell_by_cell' : found;
    case 'number':
      return found.startsWith('number') ? found : 'number';
    case 'boolean':
      return 'yes_no';
    case 'date':
      return found.startsWith('date_') ? found : 'date_year_first';
    default:
      return kind === found ? found : 'as_is';
  }
}

/** Reads a text by itself: a number and true or false as such, where it is written as JSON writes them. */
export function readPlain(text: string): string | number | boolean {
  return /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/.test(text.trim()) ? JSON.parse(text) : text;
}
