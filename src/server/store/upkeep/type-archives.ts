/** The rows of one decision type as JSON, read for its archive and written from one. */
import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { byName } from '../../../engine/domain/records.ts';
import {
  type ExampleRecord,
  exampleFields,
  exampleShape,
  fieldNames,
  flags,
  toWireName,
} from '../../../engine/examples/fields.ts';
import { limits } from '../../../engine/limits.ts';
import { questionTable } from '../deciding/questions.ts';
import { heldOutTable } from '../examples/held-out.ts';
import { policyTable } from '../policies/policy-records.ts';
import { aliasTable, releaseTable } from '../policies/releases.ts';
import { values } from '../record.ts';
import { typeTable, versionTable } from '../types/decision-types.ts';

const flag = z.literal([0, 1]);
/** Rows of one kind that an archive may have, beside examples and held-out rows. */
const maxRows = 10_000;
const isDistinct = (values: readonly unknown[]) => new Set(values).size === values.length;

const questionSchema = z
  .strictObject(questionTable.archive.shape)
  .refine(({ kind, options }) => (kind === 'predicate') === (options.length === 1) && isDistinct(options), {
    path: ['options'],
    error: 'must be one option of a predicate, else several different ones',
  });

/** A decision type without its examples and files; rows name each other by their numbers. Times in ms since 1970. */
export const archivedTypeSchema = z.strictObject({
  ...typeTable.archive.shape,
  versions: z.array(z.strictObject(versionTable.archive.shape)).min(1).max(maxRows),
  policies: z.array(z.strictObject(policyTable.archive.shape)).max(maxRows),
  releases: z.array(z.strictObject(releaseTable.archive.shape)).max(maxRows),
  aliases: z.array(z.strictObject(aliasTable.archive.shape)).max(maxRows),
  /** Left out if there are none, as by programs that did not know them. */
  questions: z
    .array(questionSchema)
    .max(limits.maxQuestions)
    .refine((all) => isDistinct(all.map(({ kind, digest }) => digest ?? kind)), 'asks the same twice')
    .default([]),
});
export type ArchivedType = z.output<typeof archivedTypeSchema>;
export type ArchivedPolicy = ArchivedType['policies'][number];

const archivedFields = fieldNames.filter((name) => name !== 'decisionTypeId');
type ArchivedField = (typeof archivedFields)[number];
/** A flag that an earlier program did not know is not set. */
const toArchivedValue = (name: ArchivedField): z.ZodType => {
  const { kind } = exampleFields[name];
  return kind === 'flag' ? flag.default(0) : kind === 'time' ? values.time : exampleShape[name];
};

/** An example with all that belongs to it; its `log_id` is that of the record which a correction was made of. */
export const archivedExampleSchema = z
  .strictObject(
    Object.fromEntries(archivedFields.map((name) => [toWireName(exampleFields[name]), toArchivedValue(name)])),
  )
  .transform((archived) => {
    const row: Record<string, unknown> = byName(archivedFields, (name) => archived[toWireName(exampleFields[name])]);
    for (const name of flags) row[name] = row[name] === 1;
    return row as ArchivedExample;
  });
export type ArchivedExample = Pick<ExampleRecord, ArchivedField>;

/** A held-out row of a policy. */
export const archivedAnswerSchema = z.strictObject(heldOutTable.archive.shape);
export type ArchivedAnswer = z.output<typeof archivedAnswerSchema>;

const isFinished = "status IN ('trained', 'deployed')";
/** A list of the rows of a type. */
const list = ({ table, archive }: { table: string; archive: { members: string } }, order: string, isMeant = 'true') =>
  `json((SELECT json_group_array(json_object(${archive.members}) ORDER BY ${order}) FROM ${table}
    WHERE decision_type_id = decision_types.id AND ${isMeant}))`;

const selectType = `SELECT json_remove(json_object(${typeTable.archive.members},
  'versions', ${list(versionTable, 'version_number')},
  'policies', ${list(policyTable, 'version', isFinished)},
  'releases', ${list(releaseTable, 'number', 'number IS NOT NULL')},
  'aliases', ${list(aliasTable, 'alias')},
  'questions', ${list(questionTable, 'seq')}),
  iif(EXISTS (SELECT 1 FROM questions WHERE decision_type_id = decision_types.id), '$.none', '$.questions'))
  FROM decision_types WHERE id = ?`;

/** The examples in their order, as the wire has them, with the log record that a correction was made of. */
const selectExamples = `SELECT json_object(${archivedFields
  .map((name) => {
    const { column, kind } = exampleFields[name];
    return `'${toWireName(exampleFields[name])}', ${kind === 'json' ? `json(${column})` : column}`;
  })
  .join(', ')}) FROM examples WHERE decision_type_id = ? ORDER BY seq`;

const selectAnswers = `SELECT json_object(${heldOutTable.archive.members}) FROM held_out_predictions
  JOIN policies ON policies.id = policy_id WHERE decision_type_id = ? AND ${isFinished} ORDER BY version, example_id`;

/** Reads a type for its archive, with the JSON of each example and of each held-out row. Undefined where it is gone. */
export function readTypeRows(db: Database, typeId: string) {
  const json = db.prepare<[string], string>(selectType).pluck().get(typeId);
  if (json === undefined) return;
  // A query begins with its first row: one that is never read would keep the connection from closing.
  function* iterate(sql: string) {
    yield* db.prepare<[string], string>(sql).pluck().iterate(typeId);
  }
  return { json, examples: () => iterate(selectExamples), answers: () => iterate(selectAnswers) };
}

const tablesWithIds = ['decision_types', 'decision_type_versions', 'policies', 'examples', 'questions'] as const;

/** Whether one of these ids names something here, or was that of a log record whose correction is an example. */
export function hasTakenId(db: Database, ids: readonly string[]): boolean {
  const given = JSON.stringify(ids);
  const among = 'IN (SELECT value FROM json_each(?))';
  // The id of a log record ends in its row number.
  const places = JSON.stringify(ids.map((id) => [Number.parseInt(id.slice(24), 16), id]));
  return (
    tablesWithIds.some((table) => db.prepare(`SELECT 1 FROM ${table} WHERE id ${among} LIMIT 1`).get(given)) ||
    db.prepare(`SELECT 1 FROM examples WHERE log_id ${among} LIMIT 1`).get(given) !== undefined ||
    db
      .prepare('SELECT 1 FROM json_each(?) p JOIN decision_logs l ON l.seq = p.value ->> 0 WHERE l.id = p.value ->> 1')
      .get(places) !== undefined
  );
}

/** How the rows of an archive beside its examples are written. */
const insertSql = {
  versions: versionTable.archive.insert,
  policies: policyTable.archive.insert,
  releases: releaseTable.archive.insert,
  aliases: aliasTable.archive.insert,
  answers: heldOutTable.archive.insert,
};
type ArchivedKind = keyof typeof insertSql;

/** Some rows of an archive as JSON, few enough to be written in some ten milliseconds unless one of them is large. */
export type ArchivedPart = { kind: ArchivedKind; json: string };
const partLimits = { rows: 500, characters: 1_000_000 } as const;

/** Writes the rows an archive has beside its examples, in parts, in the order in which they name one another. */
export function toArchivedParts(type: ArchivedType, answers: readonly ArchivedAnswer[]): ArchivedPart[] {
  const rows: [ArchivedKind, readonly object[]][] = [
    ['versions', type.versions.filter(({ number }) => number !== type.active_version)],
    ['policies', type.policies],
    ['releases', type.releases.toSorted((a, b) => a.number - b.number)],
    ['aliases', type.aliases],
    ['answers', answers],
  ];
  return rows.flatMap(([kind, all]) => listParts(all).map((json) => ({ kind, json })));
}

function listParts(rows: readonly object[]): string[] {
  const parts: string[][] = [];
  let room: number = 0;
  for (const row of rows) {
    const json = JSON.stringify(row);
    const open = parts.at(-1);
    if (open !== undefined && open.length < partLimits.rows && json.length <= room) {
      open.push(json);
      room -= json.length;
    } else {
      parts.push([json]);
      room = partLimits.characters - json.length;
    }
  }
  return parts.map((part) => `[${part.join()}]`);
}

/** Writes what an archive holds beside the examples of a type that is there, in transactions of the caller. */
export function createTypeArchiveStore(db: Database) {
  const statements = new Map(
    Object.entries(insertSql).map(([kind, sql]) => [kind, db.prepare<[{ typeId: string; json: string }]>(sql)]),
  );
  const finish = db.prepare<[{ typeId: string; promise: string | null; createdAt: number; updatedAt: number }]>(
    'UPDATE decision_types SET promise = @promise, created_at = @createdAt, updated_at = @updatedAt WHERE id = @typeId',
  );
  return {
    insertPart(typeId: string, { kind, json }: ArchivedPart): void {
      statements.get(kind)?.run({ typeId, json });
    },
    /** Gives a type the promise and the times of its archive. */
    finish({ id, promise, created_at: createdAt, updated_at: updatedAt }: ArchivedType): void {
      finish.run({ typeId: id, promise: promise === null ? null : JSON.stringify(promise), createdAt, updatedAt });
    },
  };
}
