/** A sheet from objects: their keys are its columns, and so are the keys of objects within them. */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { inputNames, isFieldName } from '../../readings/inputs.ts';
import { type Refusal, readCell, type Sheet, type SheetRow } from '../sheet.ts';
import type { Records } from './json/json-records.ts';

export type ObjectRow = Extract<SheetRow, { values: unknown }>;

/** An object of more keys, in all rows together, is a map rather than fields; so is one that lies deeper. */
const maxOpened = 100;
const maxDepth = 8;

/** A key of objects: `isWhole` where a value is not an object, or one that is not a set of fields. */
type Key = { isWhole: boolean; keys: Map<string, Key> };
const newKey = (): Key => ({ isWhole: false, keys: new Map() });

/** Whether a value is a set of fields, each of which has a place of its own in an input. */
const isOpened = (name: string, value: Json, depth: number): value is JsonObject =>
  isJsonObject(value) &&
  depth < maxDepth &&
  [name, ...Object.keys(value)].every(isFieldName) &&
  !(depth === 0 && inputNames.includes(name.toLowerCase()));

function addKeys(values: JsonObject, parent: Key, depth: number): void {
  for (const [name, value] of Object.entries(values)) {
    let key = parent.keys.get(name);
    if (key === undefined) {
      key = newKey();
      parent.keys.set(name, key);
    }
    if (key.isWhole || value === null) continue;
    if (isOpened(name, value, depth)) addKeys(value, key, depth + 1);
    else key.isWhole = true;
    if (key.keys.size > maxOpened) key.isWhole = true;
    // A complete object no longer needs its keys.
    if (key.isWhole) key.keys.clear();
  }
}

function* listNames({ keys }: Key, prefix: string): Generator<string> {
  for (const [name, key] of keys) {
    if (key.isWhole || key.keys.size === 0) yield prefix + name;
    else yield* listNames(key, `${prefix}${name}.`);
  }
}

/** The columns of objects: their keys, and dotted names for what lies in objects within them. */
export function listFields(objects: readonly JsonObject[]): string[] {
  const root = newKey();
  for (const values of objects) addKeys(values, root, 0);
  return [...listNames(root, '')];
}

const longNumber = /^-?\d{16,}$/;

/** Sets the value of a row in a column of its own, or within one. */
export function setCell({ values }: Pick<ObjectRow, 'values'>, name: string, value: Json): void {
  const keys = Object.hasOwn(values, name) ? [name] : name.split('.');
  const last = keys.pop() ?? name;
  let place = values;
  for (const key of keys) {
    const inner = place[key];
    if (!isJsonObject(inner)) return;
    place = inner;
  }
  place[last] = value;
}

/** Makes texts of a column's whole numbers where others were too long for a number: they are names, not amounts. */
function evenOut(rows: readonly ObjectRow[], columns: readonly string[]): void {
  for (const [index, name] of columns.entries()) {
    const cells = rows.map((row) => readCell(row, columns, index));
    const isLong = cells.some((cell) => typeof cell === 'string' && longNumber.test(cell));
    if (!isLong || cells.some((cell) => typeof cell === 'number' && !Number.isInteger(cell))) continue;
    for (const [place, row] of rows.entries()) {
      const cell = cells[place];
      if (typeof cell === 'number') setCell(row, name, String(cell));
    }
  }
}

/** Makes a sheet from the rows of records, with what their file says about the columns. */
export function fromRecords(
  rows: ObjectRow[],
  { detected, notes, setAside, answer, second }: Omit<Records, 'list'>,
  facts: Pick<ObjectFacts, 'refused' | 'hasLongNumbers'>,
): Sheet {
  return {
    ...fromObjects(rows, { detected, notes, ...facts }),
    ...(setAside && { setAside }),
    ...(answer && { answer }),
    ...(second && { second }),
  };
}

type ObjectFacts = { detected: string[]; refused?: Refusal[]; notes?: string[]; hasLongNumbers?: boolean };

/** Makes a sheet of objects; long whole numbers are texts already where `hasLongNumbers` says that there are some. */
function fromObjects(
  rows: ObjectRow[],
  { detected, refused = [], notes = [], hasLongNumbers = false }: ObjectFacts,
): Sheet {
  const columns = listFields(rows.map(({ values }) => values));
  if (hasLongNumbers) evenOut(rows, columns);
  return { columns, rows, detected, refused, skipped: [], notes, workbook: null, header: null };
}
