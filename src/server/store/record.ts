/** Records as tables of their columns: SQL, readers, writers and the rows of an archive follow from each by name. */
import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { maxTimeMs } from '../process/clock.ts';

/** Values that columns hold. Times are milliseconds since 1970. */
export const values = {
  id: z.uuid(),
  text: z.string().max(100_000),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The place of a row in its type: 1, 2, … */
  number: z.int().min(1),
  count: z.int().min(0),
  time: z.int().min(0).max(maxTimeMs, 'is no time that can be written'),
  bytes: z.instanceof(Buffer),
};

export type SqlValue = string | number | Buffer | null;

/** A column: how its value is stored, and how an archive has it, which takes only what the schema does. */
type Column<Value = unknown, Member extends string = string, Archived = unknown> = {
  name: string;
  /** Reads what is stored; left out where that is the value. */
  read?(stored: unknown): Value;
  write(value: Value): SqlValue;
  /** The stored value of a new row that says nothing of it. */
  initial: SqlValue;
  /** Its name in an archive; null where none has it. */
  member: Member | null;
  schema: z.ZodType<Archived>;
  /** SQL of the value in an archive. */
  toArchive(column: string): string;
  /** SQL of what is stored, of a member of `value`, the row of an archive; null: what is initial. */
  fromArchive(member: string): string | null;
};

const common = <const Name extends string>(name: Name) => ({
  name,
  initial: null,
  member: name,
  toArchive: (column: string) => column,
  fromArchive: (member: string) => `value ->> '${member}'`,
});

/** A column that holds the value as it is. */
export const plain = <Value extends SqlValue, const Name extends string>(
  name: Name,
  schema: z.ZodType<Value>,
): Column<Value, Name, Value> => ({ ...common(name), write: (value) => value, schema });

/** A column of 0 or 1; a row of an archive without it has 0. */
export const flag = <const Name extends string>(name: Name): Column<boolean, Name, number> => ({
  ...common(name),
  read: (stored) => stored === 1,
  write: Number,
  initial: 0,
  schema: z.literal([0, 1]).default(0),
});

/** A column with the place of its value in a list; of a place that is not there it is `other`. */
export const placeIn = <const Value extends string, const Name extends string>(
  name: Name,
  values: readonly Value[],
  other: Value,
): Column<Value, Name, number> => ({
  ...common(name),
  read: (stored) => values[Number(stored)] ?? other,
  write: (value) => values.indexOf(value),
  schema: z.literal(values.map((_, place) => place)),
});

/** A column of JSON that is read unchecked: nothing but this program has written it. */
export const trustedJson = <Value, const Name extends string>(
  name: Name,
  schema: z.ZodType<Value>,
): Column<Value, Name, Value> => ({
  ...common(name),
  read: (stored: string) => JSON.parse(stored),
  write: JSON.stringify,
  schema,
  toArchive: (column) => `json(${column})`,
  fromArchive: (member) => `value -> '${member}'`,
});

/** A column of JSON that is read by its schema. An archive has it as it is written: what was read is written again. */
export const json = <Value, const Name extends string>(
  name: Name,
  schema: z.ZodType<Value>,
): Column<Value, Name, Value> => ({
  ...trustedJson(
    name,
    z.custom<Value>((value) => schema.safeParse(value).success, 'is not valid'),
  ),
  read: (stored: string) => schema.parse(JSON.parse(stored)),
});

/** A column that may be null, and is in a row of an archive without it. */
export const orNull = <Value, Member extends string, Archived>({
  read,
  ...column
}: Column<Value, Member, Archived>): Column<Value | null, Member, Archived | null> => ({
  ...column,
  ...(read && { read: (stored) => (stored === null ? null : read(stored)) }),
  write: (value) => (value === null ? null : column.write(value)),
  initial: null,
  schema: column.schema.nullish().transform((value) => value ?? null),
  fromArchive: (member) => `iif(value ->> '${member}' IS NULL, NULL, ${column.fromArchive(member)})`,
});

/** A column under another name in archives. */
export const archivedAs = <Value, Member extends string, Archived>(
  member: Member,
  column: Column<Value, string, Archived>,
): Column<Value, Member, Archived> => ({ ...column, member });

/** A column that no archive has; `restored` is SQL of what is stored for one, null: what is initial. */
export const unarchived = <Value, Archived>(
  column: Column<Value, string, Archived>,
  restored: string | null = null,
): Column<Value, never, Archived> => ({ ...column, member: null, fromArchive: () => restored });

/** Rows of a type that others name by their ids, and by their numbers in an archive. */
const numberedRows = {
  version: { table: 'decision_type_versions', number: 'version_number' },
  policy: { table: 'policies', number: 'version' },
};

/** A column with the id of such a row of the same type. */
export function numbered<const Name extends string, const Member extends string>(
  name: Name,
  member: Member,
  kind: keyof typeof numberedRows,
): Column<string, Member, number> {
  const { table, number } = numberedRows[kind];
  const isIt = `decision_type_id = @typeId AND ${number} = value ->> '${member}'`;
  return {
    ...archivedAs(member, plain(name, values.text)),
    schema: values.number,
    toArchive: (column) => `(SELECT ${number} FROM ${table} WHERE id = ${column})`,
    fromArchive: () => `(SELECT id FROM ${table} WHERE ${isIt})`,
  };
}

type Columns = Record<string, Column>;
type ValueOf<Each extends Column> = Parameters<Each['write']>[0];
export type RecordOf<Of extends Columns> = { [Key in keyof Of]: ValueOf<Of[Key]> };
/** A row as it is selected, whose values nothing but the reader of the record knows. */
type RowOf<Of extends Columns> = { [Key in keyof Of]: unknown };
/** Names of columns that a new row may leave out. */
type Initial<Of extends Columns> = {
  [Key in keyof Of]: null extends ValueOf<Of[Key]> ? Key : false extends ValueOf<Of[Key]> ? Key : never;
}[keyof Of];
type NewRecord<Of extends Columns> = Omit<RecordOf<Of>, Initial<Of>> & Partial<Pick<RecordOf<Of>, Initial<Of>>>;
type ArchiveShape<Of extends Columns> = { [Key in keyof Of as NonNullable<Of[Key]['member']>]: Of[Key]['schema'] };

/** Makes a record of the columns of a database table. */
export function defineRecord<const Of extends Columns>(table: string, columns: Of) {
  const all = Object.entries<Column>(columns);
  const readers = all.flatMap(([key, { read }]) => (read ? [{ key, read }] : []));
  const archived = all.flatMap(([, { member, ...column }]) => (member === null ? [] : [{ ...column, member }]));
  const restored = all.flatMap(([, { name, member, fromArchive }]) => {
    const sql = fromArchive(member ?? '');
    return sql === null ? [] : [{ name, sql }];
  });
  const names = all.map(([, { name }]) => name);
  const writers = all.map(([key, { write, initial }]) => ({ key, write, initial }));
  const toValues = (record: Partial<RecordOf<Of>>): SqlValue[] => {
    const row: SqlValue[] = [];
    for (const { key, write, initial } of writers) {
      const value = record[key];
      row.push(value === undefined ? initial : write(value));
    }
    return row;
  };
  return {
    table,
    /** The columns as the database has them. */
    names,
    /** The values of a row as they are stored, in the order of the columns. */
    toValues,
    /** The columns for SELECT, under the names of the record. */
    select: (alias: string = table): string => all.map(([key, { name }]) => `${alias}.${name} AS "${key}"`).join(', '),
    /** Makes a row that was selected the record that it holds, in its place: a copy would cost as much again. */
    read<Row extends RowOf<Of>>(row: Row): Omit<Row, keyof Of> & RecordOf<Of> {
      const record: Record<string, unknown> = row;
      for (const { key, read } of readers) record[key] = read(record[key]);
      return record as Omit<Row, keyof Of> & RecordOf<Of>;
    },
    /** Prepares the insert of a row, in place of the one with its key where that is said. */
    prepareInsert(db: Database, verb: 'INSERT' | 'INSERT OR REPLACE' = 'INSERT'): (record: NewRecord<Of>) => void {
      const statement = db.prepare(
        `${verb} INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      );
      return (record) => {
        statement.run(...toValues(record));
      };
    },
    /** Prepares the update of all columns of a row that satisfies a condition with parameters. */
    prepareUpdate(db: Database, where: string): (record: RecordOf<Of>, ...parameters: SqlValue[]) => void {
      const statement = db.prepare(
        `UPDATE ${table} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE ${where}`,
      );
      return (record, ...parameters) => {
        statement.run(...toValues(record), ...parameters);
      };
    },
    archive: {
      /** The rows that an archive may have, member by member. */
      shape: Object.fromEntries(archived.map(({ member, schema }) => [member, schema])) as ArchiveShape<Of>,
      /** Names and values of a row, for `json_object`. */
      members: archived
        .map(({ name, member, toArchive }) => `'${member}', ${toArchive(`${table}.${name}`)}`)
        .join(', '),
      /** Inserts rows of an archive, the list `@json`, for the type `@typeId`. */
      insert: `INSERT INTO ${table} (${restored.map(({ name }) => name).join(', ')})
        SELECT ${restored.map(({ sql }) => sql).join(', ')} FROM json_each(@json)`,
    },
  };
}
