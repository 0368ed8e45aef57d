/** Examples as a table that comes back without loss: a column for each field, and the kinds of its cells. */

import { type ExampleRecord, setFlags } from '../examples/fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { isFieldName, splitName } from '../readings/inputs.ts';

/** A label given blind beside the first one, and the first one as it was then; times are ISO 8601. */
export type ExportedReading = {
  first_decision: string;
  first_reader: string | null;
  first_at: string;
  decision: string;
  reader: string | null;
  note: string | null;
  read_at: string;
  settled_at: string | null;
};

/** An example as it leaves: the service's own fields, what a model said of it, and how a policy has used it. */
export type ExportedExample = {
  id: string;
  input_payload: JsonObject;
  expected_decision: string | null;
  reason_codes: string[];
  status: string;
  note: string | null;
  source: string;
  labelled_by: string | null;
  first_decision: string | null;
  /** Who gave the label that it has, and when; null where it came with the example. */
  reader: string | null;
  labelled_at: string | null;
  second_reading: ExportedReading | null;
  created_at: string;
  updated_at: string;
  suggestion: string | null;
  suggestion_probability: number | null;
  side: string | null;
  policy: string | null;
} & Pick<ExampleRecord, (typeof setFlags)[number]>;

const valueColumns = [
  'id',
  'expected_decision',
  'reason_codes',
  'status',
  'note',
  ...setFlags,
  'source',
  'labelled_by',
  'first_decision',
  'reader',
  'labelled_at',
  'second_reading',
  'created_at',
  'updated_at',
  'suggestion',
  'suggestion_probability',
  'side',
  'policy',
] as const satisfies readonly (keyof ExportedExample)[];
/** The columns in front of those of the fields. The last two say how the fields' cells become the input again. */
export const exampleColumns = [...valueColumns, 'other_fields', 'cell_kinds'] as const;

export type Cell = string | number | boolean | null;

/** More fields than this share the column `other_fields`, as do those whose names no column can have. */
const maxFieldColumns = 1_000;
const maxNameLength = 200;
/** Objects below this depth are written whole. */
const maxDepth = 8;
const forbidden = '__proto__';

/** The kinds of cells: text, number, truth value, JSON, null, no such field. No spreadsheet takes them for a number. */
export const kinds = { text: 't', number: 'n', boolean: 'b', json: 'j', null: 'z', missing: '.' } as const;

/** Texts that a reader of tables may trim or change; they are written as JSON. */
const isUnsafe = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tables do not keep
  text === '' || /^[\s"]|\s$|[\0-\x09\x0b-\x1f\x7f\ufffe\uffff\p{Surrogate}]/u.test(text);

/** Names of a field's column that would be taken for another one, or change places; such a field gets a prefix more. */
const taken = new RegExp(`^(?:input\\.)*(?:\\d+|${exampleColumns.join('|')})$`);
const fieldPrefix = 'input.';
const toHeader = (name: string) => (taken.test(name) ? fieldPrefix + name : name);
/** The name of the field that a column of this header holds. */
export const toFieldName = (header: string) =>
  header.startsWith(fieldPrefix) && taken.test(header) ? header.slice(fieldPrefix.length) : header;

const isColumnName = (name: string) =>
  !isUnsafe(name) && name !== forbidden && name.length <= maxNameLength && splitName(name).length === 1;
const isOpenable = (value: JsonObject) => {
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => isFieldName(key) && key !== forbidden && !isUnsafe(key));
};

/** Walks over the fields of an input; `leave` is given those at its top whose names no column can have. */
function walkFields(
  input: JsonObject,
  take: (name: string, path: readonly string[], value: Json) => void,
  leave: (name: string, value: Json) => void,
): void {
  const walk = (value: Json, name: string, path: readonly string[]) => {
    const isOpen = isJsonObject(value) && path.length < maxDepth && name.length <= maxNameLength && isOpenable(value);
    if (!isOpen || !path.every(isFieldName)) take(name, path, value);
    else for (const key of Object.keys(value)) walk(value[key] ?? null, `${name}.${key}`, [...path, key]);
  };
  for (const key of Object.keys(input)) {
    if (isColumnName(key)) walk(input[key] ?? null, key, [key]);
    else leave(key, input[key] ?? null);
  }
}

function toCell(value: Json): { kind: string; cell: Cell } {
  if (value === null) return { kind: kinds.null, cell: null };
  if (typeof value === 'number') return { kind: kinds.number, cell: value };
  if (typeof value === 'boolean') return { kind: kinds.boolean, cell: value };
  if (typeof value === 'string' && !isUnsafe(value)) return { kind: kinds.text, cell: value };
  return { kind: kinds.json, cell: JSON.stringify(value) };
}

/** A column of one field: its name in the header, and the kinds of the values that were seen. */
type FieldColumn = { header: string; kinds: ReadonlySet<string> };
export type ExampleTable = {
  headers: readonly string[];
  fields: readonly FieldColumn[];
  toCells(example: ExportedExample): Cell[];
};

/** Collects the fields of all inputs, in the order in which they are met, and makes the table of them. */
export class ExampleTablePlan {
  readonly #fields = new Map<string, { header: string; kinds: Set<string> }>();
  #longest = 0;

  /** Characters of the longest cell. */
  get longest(): number {
    return this.#longest;
  }

  see(input: JsonObject): void {
    let others = 0;
    const leave = (value: Json) => {
      others += JSON.stringify(value).length;
      this.#longest = Math.max(this.#longest, others);
    };
    walkFields(
      input,
      (name, _path, value) => {
        const { kind, cell } = toCell(value);
        const known = this.#fields.get(name);
        if (known !== undefined) known.kinds.add(kind);
        else if (this.#fields.size < maxFieldColumns)
          this.#fields.set(name, { header: toHeader(name), kinds: new Set([kind]) });
        else leave(value);
        if (typeof cell === 'string') this.#longest = Math.max(this.#longest, cell.length);
      },
      (_name, value) => leave(value),
    );
  }

  finish(): ExampleTable {
    const fields = [...this.#fields.values()];
    const places = new Map([...this.#fields.keys()].map((name, place) => [name, place]));
    return {
      headers: [...exampleColumns, ...fields.map(({ header }) => header)],
      fields,
      toCells: (example) => toCells(example, places),
    };
  }
}

function toCells(example: ExportedExample, places: ReadonlyMap<string, number>): Cell[] {
  const cells: Cell[] = Array.from({ length: places.size }, () => null);
  const cellKinds: string[] = Array.from({ length: places.size }, () => kinds.missing);
  const others: JsonObject = {};
  walkFields(
    example.input_payload,
    (name, path, value) => {
      const place = places.get(name);
      if (place === undefined) putAt(others, path, value);
      else {
        const { kind, cell } = toCell(value);
        cells[place] = cell;
        cellKinds[place] = kind;
      }
    },
    (name, value) => {
      others[name] = value;
    },
  );
  const hasOthers = Object.keys(others).length > 0;
  const values = valueColumns.map((column) => toValueCell(example[column]));
  return [...values, hasOthers ? JSON.stringify(others) : null, cellKinds.join(''), ...cells];
}

/** A text that is unsafe in a table, or begins as JSON does, is written as JSON; `readText` reads it. */
function toValueCell(value: ExportedExample[(typeof valueColumns)[number]]): Cell {
  if (Array.isArray(value)) {
    const isPlain = value.every((code) => !isUnsafe(code) && !/[;|[]/.test(code));
    return value.length === 0 ? null : isPlain ? value.join('; ') : JSON.stringify(value);
  }
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return typeof value === 'string' && isUnsafe(value) ? JSON.stringify(value) : value;
}

/** Sets a value at a path of keys; objects on the way are made. */
export function putAt(target: JsonObject, path: readonly string[], value: Json): void {
  let place = target;
  for (const key of path.slice(0, -1)) {
    const inner = place[key];
    const next: JsonObject = isJsonObject(inner) ? inner : {};
    place[key] = next;
    place = next;
  }
  place[path.at(-1) ?? ''] = value;
}
