/** JSON that names its columns once and gives rows as lists: ClickHouse, BigQuery, Kusto, Socrata, Datasette. */
import { isJsonObject, type Json, type JsonObject } from '../../../json.ts';

type NamedRows = { path: string; names: string[]; rows: Json[][] };

/** How deep, and among how many keys and tables of a list, names and rows are sought. */
const maxDepth = 5;
const maxKeys = 1_000;
const maxTables = 20;
/** Rows that show what all of a list are. */
const sampled = 20;
/** Names of the list of columns, where several lists could be it. */
const columnsKey = /col|field|head|schema|meta|rowtype/i;
/** Keys of a column's name, the one that people see first. */
const nameKeys = ['label', 'name', 'columnName', 'column_name', 'displayName', 'fieldName', 'field', 'id'];
/** Keys of an object that is a row, for the list of its cells. */
const rowKeys = ['c', 'f', 'row', 'Data', 'values', 'cells'];
/** Keys of an object that is a cell, for its value. */
const cellKeys = /^(?:v|value|varCharValue|(?:string|long|double|boolean|number)Value)$/i;

const findKey = (value: JsonObject, wanted: string): Json | undefined =>
  value[wanted] ?? value[wanted.charAt(0).toUpperCase() + wanted.slice(1)];

/** The names of columns in a list of them; null for any other list. */
function readNames(list: readonly Json[], isNamed: boolean): string[] | null {
  if (list.length === 0) return null;
  const names = list.map((column) => {
    // Names of several levels, as pandas has them, become one.
    if (Array.isArray(column)) return isNamed ? column.join(' – ') : null;
    if (!isJsonObject(column)) return typeof column === 'string' ? column : null;
    const found = nameKeys.map((key) => findKey(column, key)).find((name) => typeof name === 'string' && name !== '');
    return typeof found === 'string' ? found : null;
  });
  return names.every((name) => name !== null) && new Set(names).size === names.length ? names : null;
}

/** The cells of a row that is a list, or an object around one; null for any other. */
function readRow(row: Json): Json[] | null {
  if (!isJsonObject(row)) return Array.isArray(row) ? row : null;
  const lists = Object.values(row);
  const list = rowKeys.map((key) => row[key]).find(Array.isArray) ?? (lists.every(Array.isArray) ? lists.flat() : null);
  return Array.isArray(list) ? list : null;
}

/** The value of a cell that may be wrapped. */
function readWrapped(cell: Json): Json {
  if (!isJsonObject(cell)) return cell;
  if (cell['isNull'] === true) return null;
  const key = Object.keys(cell).find((name) => cellKeys.test(name));
  return key === undefined ? (Object.keys(cell).length === 0 ? null : cell) : (cell[key] ?? null);
}

/** All lists of a document, with the keys that lead there. */
function* listAll(value: Json, path: string[], depth: number): Generator<{ path: string[]; list: Json[] }> {
  if (depth > maxDepth) return;
  if (Array.isArray(value)) {
    yield { path, list: value };
    if (value.length > maxTables || !value.every(isJsonObject)) return;
    for (const [index, inner] of value.entries()) yield* listAll(inner, [...path, String(index)], depth + 1);
  } else if (isJsonObject(value))
    for (const [key, inner] of Object.entries(value).slice(0, maxKeys))
      yield* listAll(inner, [...path, key], depth + 1);
}

/** How many keys two places share from the document on. */
const countShared = (a: readonly string[], b: readonly string[]) => {
  const differ = a.findIndex((key, index) => key !== b[index]);
  return differ < 0 ? a.length : differ;
};

/** Finds the longest list of rows whose columns another list names: one as wide, the nearest to it. */
export function findNamedRows(document: JsonObject): NamedRows | null {
  const lists = [...listAll(document, [], 0)];
  const named = lists.flatMap(({ path, list }) => {
    const isNamed = columnsKey.test(path.at(-1) ?? '');
    const names = readNames(list, isNamed);
    return names === null ? [] : [{ path, names, isNamed }];
  });
  if (named.length === 0) return null;
  // Google Analytics names dimensions and measures apart, and so do its rows.
  const parts = named.filter(({ path }) => /headers$/i.test(path.at(-1) ?? ''));
  if (parts.length > 1)
    named.push({ path: parts[0]?.path ?? [], names: parts.flatMap(({ names }) => names), isNamed: true });
  let best: NamedRows | null = null;
  for (const { path, list } of lists) {
    const sample = list.slice(0, sampled).map(readRow);
    const width = sample[0]?.length ?? 0;
    if (width === 0 || sample.some((row) => row === null || row.length > width)) continue;
    if (best !== null && best.rows.length >= list.length) continue;
    const fitting = named.filter(({ names, path: of }) => names.length === width && of.join() !== path.join());
    const [nearest] = fitting.sort(
      (a, b) => Number(b.isNamed) - Number(a.isNamed) || countShared(b.path, path) - countShared(a.path, path),
    );
    if (nearest === undefined) continue;
    const rows = list.map((row) => (readRow(row) ?? []).map(readWrapped));
    const isRepeated = rows.length > 1 && nearest.names.every((name, column) => rows[0]?.[column] === name);
    best = { path: path.join('.'), names: nearest.names, rows: isRepeated ? rows.slice(1) : rows };
  }
  return best;
}
