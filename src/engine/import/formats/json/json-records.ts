/** Finding the records in a JSON document, in the shapes in which tools write them. */
import { isJsonObject, type Json, type JsonObject } from '../../../json.ts';
import { areKinds } from '../../tables/column-lines.ts';
import { findNamedRows } from './named-columns.ts';

export type Records = {
  list: readonly unknown[];
  detected: string[];
  notes: string[];
  /** Keys that are not inputs, each with a sentence. */
  setAside?: ReadonlyMap<string, string>;
  /** The key of the labels, where the file says which. */
  answer?: string;
  /** The key of the labels that second people gave beside those. */
  second?: string;
};

/** How deep, and among how many keys, the records are sought. */
const maxDepth = 4;
const maxKeys = 1_000;
/** Elements that show what all of a list are. */
const sampled = 20;

type FoundList = { path: string; list: readonly unknown[] };

/** Whether a list says something about the records: their columns, their counts, or what went wrong. */
const isAbout = ({ path }: FoundList) =>
  /(?:^|\.)(?:schema|fields|columns|features|meta|errors|warnings|facets|aggregations|links|included|\w+headers)(?:\.|$)/i.test(
    path,
  );

/** The lists within an object that hold objects, by the keys that lead there. */
function* listLists(value: JsonObject, path: string, depth: number): Generator<FoundList> {
  for (const [key, inner] of Object.entries(value).slice(0, maxKeys)) {
    const place = path === '' ? key : `${path}.${key}`;
    if (Array.isArray(inner) && inner.some(isJsonObject)) yield { path: place, list: inner };
    else if (isJsonObject(inner) && depth < maxDepth) yield* listLists(inner, place, depth + 1);
  }
}

const isListOfLists = (value: unknown): value is Json[][] =>
  Array.isArray(value) && value.length > 0 && value.every(Array.isArray);

/** Names of several levels, as pandas has them, become one. */
const toName = (name: Json, index: number) =>
  Array.isArray(name) ? name.join(' – ') : name === null || name === '' ? `column ${index + 1}` : String(name);

function fromLists(names: readonly Json[], lists: readonly Json[][]): JsonObject[] {
  const keys = names.map(toName);
  return lists.map((cells) => Object.fromEntries(keys.map((key, index) => [key, cells[index] ?? null])));
}

/** Records from lists of cells, of which the first may name the columns. */
function fromRows(rows: readonly Json[][]): Records {
  const [first = [], ...others] = rows;
  const tuples = rows.flatMap(([text, said, ...more]) =>
    typeof text === 'string' && isJsonObject(said) && more.length === 0 ? [{ text, ...said }] : [],
  );
  if (tuples.length === rows.length)
    return { list: tuples, detected: ['a text in each list, and what is said of it'], notes: [] };
  const areNames = others.length > 0 && first.every((name) => typeof name === 'string');
  if (areNames) {
    const kinds = areKinds(others[0] ?? [], others.slice(1, sampled), first.length);
    const notes = kinds ? ['The list below the names says the kind of each column, and is no row'] : [];
    return { list: fromLists(first, kinds ? others.slice(1) : others), detected: ['a list for each row'], notes };
  }
  const names = Array.from({ length: Math.max(...rows.slice(0, sampled).map(({ length }) => length)) }, () => null);
  const notes = ['The lists name no columns, so that these are counted'];
  return { list: fromLists(names, rows), detected: ['a list for each row'], notes };
}

/** Turns columns into records: lists of values, or objects of them by the name of their row. */
function fromColumns(
  columns: readonly (readonly [string, Json[] | JsonObject])[],
  rows: readonly string[],
): JsonObject[] {
  const isCounted = rows.every((row, index) => row === String(index));
  return rows.map((row, index) => {
    const values = columns.map(([name, of]) => [name, (Array.isArray(of) ? of[index] : of[row]) ?? null] as const);
    return Object.fromEntries(isCounted ? values : [['index', row] as const, ...values]);
  });
}

/** Names of keys and columns that hold the answer. */
export const answerName = /^(?:label|labels|decision|class|target|outcome|category|verdict|answer)$/i;
const areNumbers = (keys: readonly string[]) => keys.every((key) => /^\d+$/.test(key));

/** Whether the keys of an object of objects name its columns, and those within name the rows. */
function areColumns(outer: readonly string[], inner: readonly string[]): boolean {
  if (areNumbers(inner) !== areNumbers(outer)) return areNumbers(inner);
  const isAnswer = (key: string) => answerName.test(key);
  if (inner.some(isAnswer) !== outer.some(isAnswer)) return outer.some(isAnswer);
  return inner.length > outer.length;
}

/** The records of an object that is a table as pandas writes one: `list`, `columns` or `index`. */
function fromTable(value: JsonObject): Records | null {
  const entries = Object.entries(value);
  const lists = entries.filter((entry): entry is [string, Json[]] => Array.isArray(entry[1]));
  const length = lists[0]?.[1].length ?? 0;
  if (lists.length === entries.length && length > 0 && lists.every(([, list]) => list.length === length)) {
    const rows = Array.from({ length }, (_, index) => String(index));
    return { list: fromColumns(lists, rows), detected: ['a list for each column'], notes: [] };
  }
  const objects = entries.filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]));
  const [first] = objects;
  if (first === undefined || objects.length < entries.length) return null;
  const outer = entries.map(([key]) => key);
  const inner = Object.keys(first[1]);
  const areAlike = objects.every(
    ([, object]) => inner.filter((key) => Object.hasOwn(object, key)).length >= inner.length / 2,
  );
  if (inner.length === 0 || !areAlike) return null;
  if (areColumns(outer, inner))
    return { list: fromColumns(objects, inner), detected: ['an object for each column'], notes: [] };
  const isCounted = areNumbers(outer);
  const list = objects.map(([index, record]) => (isCounted ? record : { index, ...record }));
  return { list, detected: ['an object for each row'], notes: [] };
}

/** Keys under which tools wrap a record: Hugging Face, Elasticsearch, GeoJSON, GraphQL, Airtable and DynamoDB. */
const wrappers = ['row', '_source', 'properties', 'node', 'fields', 'Item'];
/** Keys that Splunk writes beside a result. */
const besideResult = /^(?:preview|offset|lastrow|result)$/;

/** The records that are wrapped in the elements of a list, unless an answer stands beside them. */
export function unwrap(records: Records): Records {
  const sample = records.list.slice(0, sampled).filter(isJsonObject);
  const holdsAnswer = sample.some((element) => Object.keys(element).some((name) => answerName.test(name)));
  const isWrapper = (name: string) => sample.length > 0 && sample.every((element) => isJsonObject(element[name]));
  const isResult = sample.every((element) => Object.keys(element).every((name) => besideResult.test(name)));
  const key = holdsAnswer ? undefined : [...wrappers, ...(isResult ? ['result'] : [])].find(isWrapper);
  if (key === undefined) return records;
  const list = records.list.map((element) => (isJsonObject(element) ? (element[key] ?? null) : element));
  return { ...records, list, notes: [...records.notes, `Reads “${key}” of each element, and nothing else`] };
}

/** Rows as lists, where another list names their columns. */
function fromNamedColumns(value: JsonObject): Records | null {
  const found = findNamedRows(value);
  if (found === null) return null;
  const { path, names, rows } = found;
  const said = `lists of cells in “${path.replace(/^\./, '')}”, whose columns are named once`;
  return { list: fromLists(names, rows), detected: [said], notes: [] };
}

/** Columns as lists within an object, beside what describes them. */
function fromInnerTable(value: JsonObject): Records | null {
  const others = Object.entries(value).filter(([key]) => !isAbout({ path: key, list: [] }));
  const isTable = (inner: Json): inner is JsonObject =>
    isJsonObject(inner) && Object.values(inner).length > 1 && Object.values(inner).every(Array.isArray);
  const [table, more] = others.map(([, inner]) => inner).filter(isTable);
  return table === undefined || more !== undefined ? null : fromTable(table);
}

/** Rows as the only list of lists within an object, as Google Sheets answers with them. */
function fromInnerRows(value: JsonObject): Records | null {
  const [rows, more] = Object.values(value).filter(isListOfLists);
  return rows === undefined || more !== undefined || value['majorDimension'] === 'COLUMNS' ? null : fromRows(rows);
}

/** The longest list of objects of a document, with a note of its other lists. */
function fromLongestList(value: JsonObject): Records | null {
  const found = [...listLists(value, '', 0)];
  const [longest, ...others] = found.sort(
    (a, b) => Number(isAbout(a)) - Number(isAbout(b)) || b.list.length - a.list.length,
  );
  if (longest === undefined) return null;
  const left = others.map(({ path, list }) => `“${path}” (${list.length.toLocaleString('en')})`).slice(0, 3);
  const notes = left.length > 0 ? [`The list “${longest.path}” is read; not read: ${left.join(', ')}`] : [];
  return { list: longest.list, detected: [`the list “${longest.path}”`], notes };
}

/** The shapes of documents that are no list of objects themselves, the more certain first. */
const shapes: readonly ((value: JsonObject) => Records | null)[] = [
  fromNamedColumns,
  fromInnerTable,
  fromLongestList,
  fromInnerRows,
  fromTable,
];

/** Finds the records of a document: a list, or what the first shape that fits reads; null where it has none. */
export function findRecords(value: unknown): Records | null {
  if (isListOfLists(value)) return fromRows(value);
  if (Array.isArray(value)) return fromNamedColumns({ '': value }) ?? { list: value, detected: [], notes: [] };
  if (!isJsonObject(value)) return null;
  for (const find of shapes) {
    const records = find(value);
    if (records !== null) return records;
  }
  return null;
}
