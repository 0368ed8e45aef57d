/** The examples as a table: for every field its value in every row. */

import { listLeaves } from '../features/values.ts';
import type { Json, JsonObject } from '../json.ts';

/** A value of a row: undefined where the field is absent; null also stands for a list or a mixture. */
export type Cell = string | number | boolean | null | undefined;

/** One field, with a cell for each row; `lengths` is of texts and lists, else null. */
export type Column = { path: string[]; name: string; cells: Cell[]; lengths: (number | undefined)[] | null };

/** Fields that are looked at; inputs with more are looked at in part. */
const maxColumns = 200;
/** Characters of a text that are kept: longer ones are not categories. */
const maxKeptCharacters = 100;

export type ColumnTable = { add(input: JsonObject): void; finish(): Column[] };

function extend<T>(values: (T | undefined)[], length: number): void {
  while (values.length < length) values.push(undefined);
}

/** Collects the fields of inputs. Columns are in the order of their names. */
export function collectColumns(): ColumnTable {
  const columns = new Map<string, Column>();
  let count = 0;
  function addLeaf(path: string[], value: Json): void {
    const key = JSON.stringify(path);
    let column = columns.get(key);
    if (column === undefined) {
      if (columns.size >= maxColumns) return;
      column = { path, name: path.join('.'), cells: [], lengths: null };
      columns.set(key, column);
    }
    extend(column.cells, count);
    const isList = typeof value === 'object';
    column.cells.push(isList ? null : typeof value === 'string' ? value.slice(0, maxKeptCharacters) : value);
    if (typeof value !== 'string' && !Array.isArray(value)) return;
    column.lengths ??= [];
    extend(column.lengths, count);
    column.lengths.push(value.length);
  }
  return {
    add(input) {
      for (const { path, value } of listLeaves(input)) addLeaf(path, value);
      count += 1;
    },
    finish() {
      for (const column of columns.values()) {
        extend(column.cells, count);
        if (column.lengths !== null) extend(column.lengths, count);
      }
      return [...columns.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

/** Parts between blanks; of scripts that set none, two characters are about a word. */
export const countWords = (text: string) =>
  text.split(/\s+/).length +
  (text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2}/gu)?.length ?? 0);
/** Words, on average, from which on strings are texts. */
export const textWords = 4;
const sampledCells = 2_000;

/** Whether a field holds texts, to be read and not counted: strings of mostly several words. */
export function isTextColumn({ cells }: Pick<Column, 'cells'>): boolean {
  const texts = cells.filter((cell) => typeof cell === 'string').slice(0, sampledCells);
  const words = texts.reduce((sum, text) => sum + countWords(text), 0);
  return texts.length > 0 && words / texts.length >= textWords && new Set(texts).size > texts.length / 4;
}
