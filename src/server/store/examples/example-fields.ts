/** Rows of examples and the SQL that names their fields, from the table of them. */
import {
  type ExampleRecord,
  exampleFields,
  type FieldName,
  type FieldsOf,
  fieldNames,
  flags,
  jsonFields,
  mergedFields,
} from '../../../engine/examples/fields.ts';
import { firstOfNew } from './first-labels.ts';

type Flag = FieldsOf<{ kind: 'flag' }>;
type JsonField = FieldsOf<{ kind: 'json' }>;
export type Stored<Name extends FieldName = FieldName> = {
  [Field in Name]: Field extends Flag ? number : Field extends JsonField ? string : ExampleRecord[Field];
};
/** A row that {@link selectExamples} reads. */
export type RawExample = Stored & { seq: number };

const exampleColumns = fieldNames.map((name) => exampleFields[name].column);

/** The beginning of every statement that reads whole examples. */
export const selectExamples = `SELECT seq, ${fieldNames
  .map((name) => `${exampleFields[name].column} AS ${name}`)
  .join(', ')} FROM examples`;

/** An example as the server has it, from its row. */
export function toExample({ seq: _, ...row }: RawExample): ExampleRecord {
  const example: Record<string, unknown> = { ...row };
  for (const name of flags) example[name] = row[name] === 1;
  for (const name of jsonFields) example[name] = JSON.parse(row[name]);
  return example as ExampleRecord;
}

/** The fields of an example that are given, as their columns hold them. */
export function toStored<Given extends Partial<ExampleRecord>>(given: Given): Stored<keyof Given & FieldName> {
  const row: Record<string, unknown> = { ...given };
  for (const name of flags) if (name in row) row[name] = Number(row[name]);
  for (const name of jsonFields) if (name in row) row[name] = JSON.stringify(row[name]);
  return row as Stored<keyof Given & FieldName>;
}

/** The value of a column in a new example that says nothing of it; null: NULL, or that it must be given. */
export function toInitial(name: FieldName): string | number | null {
  const field = exampleFields[name];
  if (!('initial' in field)) return null;
  const { initial, kind } = field;
  return kind === 'flag' ? Number(initial) : kind === 'json' ? JSON.stringify(initial) : initial;
}

/** SQL of a value that a row kept by an earlier program may lack. */
export function orInitial(name: FieldName, value: string): string {
  const initial = toInitial(name);
  return initial === null ? value : `ifnull(${value}, ${typeof initial === 'string' ? `'${initial}'` : initial})`;
}

const insertInto = `INSERT INTO examples (${exampleColumns.join(', ')})`;

/** Inserts one example, its fields as parameters of their names. */
export const insertOne = `${insertInto} VALUES (${fieldNames
  .map((name) =>
    name === 'firstDecision'
      ? firstOfNew({ typeId: '@decisionTypeId', input: '@input', decision: '@decision' })
      : `@${name}`,
  )
  .join(', ')})`;

/** Inserts the examples of a slice in its order: a JSON list of objects with the fields by their names. */
export const insertSlice = `${insertInto} SELECT ${fieldNames.map(readFromSlice).join(', ')}
  FROM (SELECT value AS given FROM json_each(:slice) LIMIT -1)`;

function readFromSlice(name: FieldName): string {
  if (name === 'decisionTypeId') return ':decisionTypeId';
  const given = `given ->> '${name}'`;
  if (exampleFields[name].kind === 'time') return `ifnull(${given}, :createdAt)`;
  if (name !== 'firstDecision') return orInitial(name, given);
  const [typeId, input, decision] = [':decisionTypeId', "given ->> 'input'", "given ->> 'decision'"];
  return `ifnull(${firstOfNew({ typeId, input, decision })}, ${given})`;
}

/** The fields that a change of an example writes. */
export const changedFields = [...mergedFields, 'updatedAt'] as const;

/** Sets the columns of fields to the values that `toValue` gives as SQL. */
export const setColumns = (names: readonly FieldName[], toValue: (name: FieldName) => string): string =>
  names.map((name) => `${exampleFields[name].column} = ${toValue(name)}`).join(', ');
