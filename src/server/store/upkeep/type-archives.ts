/** The rows of one decision type as JSON, read for its archive and written from one. */
import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { costsSchema } from '../../../engine/costs.ts';
import { characters, type Definition, definitionSchema } from '../../../engine/domain/definition.ts';
import { metricsSchema } from '../../../engine/domain/metrics.ts';
import { byName } from '../../../engine/domain/records.ts';
import { splitSchema } from '../../../engine/domain/training.ts';
import {
  type ExampleRecord,
  exampleFields,
  exampleShape,
  fieldNames,
  flags,
  toWireName,
} from '../../../engine/examples/fields.ts';
import { limits } from '../../../engine/limits.ts';
import { declaredPromiseSchema, keptPromiseSchema } from '../../../engine/measured.ts';
import { groupSettingSchema } from '../../../engine/report/groups.ts';
import { maxShownCharacters, questionKinds } from '../../contract/deciding/questions.ts';
import { aliasName } from '../../contract/policies/releases.ts';
import { auditSettingSchema } from '../../contract/types/decision-types.ts';
import { maxTimeMs } from '../../process/clock.ts';
import { storedConfigSchema, toolVersionsSchema } from '../policies/policy-records.ts';

/** Accepts what fits a schema, and leaves it as it is written: what was read before is written again the same. */
const asStored = <T>(schema: z.ZodType<T>) => z.custom<T>((value) => schema.safeParse(value).success, 'is not valid');

const id = z.uuid();
const time = z.int().min(0).max(maxTimeMs, 'is no time that can be written');
const flag = z.literal([0, 1]);
const text = z.string().max(100_000);
const option = characters(1, limits.maxNameLength);
/** Rows of one kind that an archive may have, beside examples and held-out rows. */
const maxRows = 10_000;
const isDistinct = (values: readonly unknown[]) => new Set(values).size === values.length;
const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);

const versionSchema = z.strictObject({
  id,
  number: z.int().min(1),
  definition: asStored<Definition>(definitionSchema),
  created_at: time,
});
const policySchema = z.strictObject({
  id,
  version: z.int().min(1),
  /** The version of the type that it was trained on, and the policy that it was tuned from. */
  type_version: z.int().min(1),
  follows: id.nullable(),
  status: z.literal(['trained', 'deployed']),
  auto_deployed: flag,
  quality_gate_met: flag.nullable(),
  training_config: asStored(storedConfigSchema),
  fallback_option: text.nullable(),
  seed: z.int(),
  snapshot_sha256: text,
  snapshot_size: z.int().min(0),
  tool_versions: asStored(toolVersionsSchema),
  metrics: asStored(metricsSchema.nullable()),
  promise: asStored(keptPromiseSchema.nullable()),
  pii_fields: z.array(text).max(maxRows).nullable(),
  held_back: text.nullable(),
  bundle_sha256: sha256Hex,
  bundle_size_bytes: z.int().min(0).nullable(),
  created_at: time,
  completed_at: time.nullable(),
  deployed_at: time.nullable(),
});
const releaseSchema = z.strictObject({
  number: z.int().min(1),
  policy: z.int().min(1),
  type_version: z.int().min(1),
  fallback_option: text.nullable(),
  digest: sha256Hex,
  made_at: time,
  deployment: flag,
  automatic: flag,
  made_by: characters(1, 200).nullable(),
  reason: characters(1, 2_000).nullable(),
  changes: z.array(text).max(100),
});
const questionSchema = z
  .strictObject({
    id,
    kind: z.literal(questionKinds),
    digest: sha256Hex.nullable(),
    shown: z.string().max(maxShownCharacters).nullable(),
    options: z.array(option).min(1).max(limits.maxOptions),
    created_at: time,
  })
  .refine(({ kind, options }) => (kind === 'predicate') === (options.length === 1) && isDistinct(options), {
    path: ['options'],
    error: 'must be one option of a predicate, else several different ones',
  });

/** A decision type without its examples and files; rows name each other by their numbers. Times in ms since 1970. */
export const archivedTypeSchema = z.strictObject({
  id,
  name: text,
  description: text,
  pii_fields: z.array(text),
  retention_days: z.int().min(1).nullable(),
  fallback_option: text.nullable(),
  costs: asStored(costsSchema.nullable()),
  /** Left out by programs that did not know it. */
  one_case: asStored(splitSchema.nullable()).default(null),
  groups: asStored(groupSettingSchema.nullable()).default(null),
  promise: asStored(declaredPromiseSchema.nullable()),
  audit: asStored(auditSettingSchema.nullable()),
  /** The place among `publishings`. */
  publish_by_hand: z.literal([0, 1, 2]),
  active_version: z.int().min(1),
  created_at: time,
  updated_at: time,
  versions: z.array(versionSchema).min(1).max(maxRows),
  policies: z.array(policySchema).max(maxRows),
  releases: z.array(releaseSchema).max(maxRows),
  aliases: z.array(z.strictObject({ alias: aliasName, number: z.int().min(1) })).max(maxRows),
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
  return kind === 'flag' ? flag.default(0) : kind === 'time' ? time : exampleShape[name];
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
export const archivedAnswerSchema = z.strictObject({
  policy: z.int().min(1),
  example_id: id,
  expected: option,
  predicted: option,
  probabilities: z.array(z.number()).max(limits.maxOptions),
  unfamiliar: flag.nullable(),
  input_hash: z.int().nullable(),
});
export type ArchivedAnswer = z.output<typeof archivedAnswerSchema>;

const list = (members: string, from: string) =>
  `json((SELECT json_group_array(json_object(${members})) FROM (${from})))`;

const selectType = `SELECT json_remove(json_object('id', t.id, 'name', t.name, 'description', t.description,
  'pii_fields', json(t.pii_fields), 'retention_days', t.retention_days, 'fallback_option', t.fallback_option,
  'costs', json(t.costs), 'one_case', json(t.one_case), 'groups', json(t.groups),
  'promise', json(t.promise), 'audit', json(t.audit),
  'publish_by_hand', t.publish_by_hand,
  'active_version', (SELECT version_number FROM decision_type_versions WHERE id = t.active_version_id),
  'created_at', t.created_at, 'updated_at', t.updated_at,
  'versions', ${list(
    `'id', id, 'number', version_number, 'definition', json(definition), 'created_at', created_at`,
    'SELECT * FROM decision_type_versions WHERE decision_type_id = t.id ORDER BY version_number',
  )},
  'policies', ${list(
    `'id', id, 'version', version, 'type_version', type_version, 'follows', follows, 'status', status,
     'auto_deployed', auto_deployed, 'quality_gate_met', quality_gate_met, 'training_config', json(training_config),
     'fallback_option', fallback_option, 'seed', seed, 'snapshot_sha256', snapshot_sha256,
     'snapshot_size', snapshot_size, 'tool_versions', json(tool_versions), 'metrics', json(metrics),
     'promise', json(promise), 'pii_fields', json(pii_fields), 'held_back', held_back,
     'bundle_sha256', bundle_sha256, 'bundle_size_bytes', bundle_size_bytes, 'created_at', created_at, 'completed_at', completed_at,
     'deployed_at', deployed_at`,
    `SELECT p.*, v.version_number AS type_version FROM policies p JOIN decision_type_versions v ON v.id = p.version_id
     WHERE p.decision_type_id = t.id AND p.status IN ('trained', 'deployed') ORDER BY p.version`,
  )},
  'releases', ${list(
    `'number', number, 'policy', policy, 'type_version', type_version, 'fallback_option', fallback_option,
     'digest', digest, 'made_at', made_at, 'deployment', deployment, 'automatic', automatic, 'made_by', made_by,
     'reason', reason, 'changes', json(changes)`,
    `SELECT r.*, p.version AS policy, v.version_number AS type_version FROM releases r
     JOIN policies p ON p.id = r.policy_id JOIN decision_type_versions v ON v.id = r.version_id
     WHERE r.decision_type_id = t.id AND r.number IS NOT NULL ORDER BY r.number`,
  )},
  'aliases', ${list(
    `'alias', alias, 'number', number`,
    'SELECT * FROM release_aliases WHERE decision_type_id = t.id ORDER BY alias',
  )},
  'questions', ${list(
    `'id', id, 'kind', kind, 'digest', digest, 'shown', shown, 'options', json(options), 'created_at', created_at`,
    'SELECT * FROM questions WHERE decision_type_id = t.id ORDER BY seq',
  )}), iif(EXISTS (SELECT 1 FROM questions WHERE decision_type_id = t.id), '$.none', '$.questions'))
  FROM decision_types t WHERE t.id = ?`;

/** The examples in their order, as the wire has them, with the log record that a correction was made of. */
const selectExamples = `SELECT json_object(${archivedFields
  .map((name) => {
    const { column, kind } = exampleFields[name];
    return `'${toWireName(exampleFields[name])}', ${kind === 'json' ? `json(${column})` : column}`;
  })
  .join(', ')}) FROM examples WHERE decision_type_id = ? ORDER BY seq`;

const selectAnswers = `SELECT json_object('policy', p.version, 'example_id', h.example_id, 'expected', h.expected,
  'predicted', h.predicted, 'probabilities', json(h.probabilities), 'unfamiliar', h.unfamiliar,
  'input_hash', h.input_hash) FROM held_out_predictions h JOIN policies p ON p.id = h.policy_id
  WHERE p.decision_type_id = ? AND p.status IN ('trained', 'deployed') ORDER BY p.version, h.example_id`;

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

const versionId =
  "(SELECT id FROM decision_type_versions WHERE decision_type_id = @typeId AND version_number = value ->> 'type_version')";
const policyId = "(SELECT id FROM policies WHERE decision_type_id = @typeId AND version = value ->> 'policy')";
const orNull = (member: string) => `nullif(value -> '${member}', 'null')`;

/** How the rows of an archive beside its examples are written. */
const insertSql = {
  versions: `INSERT INTO decision_type_versions (id, decision_type_id, version_number, definition, created_at)
    SELECT value ->> 'id', @typeId, value ->> 'number', value -> 'definition', value ->> 'created_at'
    FROM json_each(@json)`,
  policies: `INSERT INTO policies (id, organisation_id, decision_type_id, version_id, version, follows, status,
      auto_deployed, quality_gate_met, training_config, fallback_option, seed, snapshot_sha256, snapshot_size,
      tool_versions, metrics, promise, pii_fields, held_back, bundle_sha256, bundle_size_bytes, created_at,
      completed_at, deployed_at)
    SELECT value ->> 'id', (SELECT organisation_id FROM decision_types WHERE id = @typeId), @typeId, ${versionId},
      value ->> 'version', value ->> 'follows', value ->> 'status', value ->> 'auto_deployed',
      value ->> 'quality_gate_met', value -> 'training_config', value ->> 'fallback_option', value ->> 'seed',
      value ->> 'snapshot_sha256', value ->> 'snapshot_size', value -> 'tool_versions', value -> 'metrics',
      ${orNull('promise')}, ${orNull('pii_fields')}, value ->> 'held_back', value ->> 'bundle_sha256',
      value ->> 'bundle_size_bytes', value ->> 'created_at', value ->> 'completed_at', value ->> 'deployed_at'
    FROM json_each(@json)`,
  releases: `INSERT INTO releases (decision_type_id, number, policy_id, version_id, fallback_option, digest, made_at,
      deployment, automatic, made_by, reason, changes)
    SELECT @typeId, value ->> 'number', ${policyId}, ${versionId}, value ->> 'fallback_option', value ->> 'digest',
      value ->> 'made_at', value ->> 'deployment', value ->> 'automatic', value ->> 'made_by', value ->> 'reason',
      value -> 'changes' FROM json_each(@json) ORDER BY value ->> 'number'`,
  aliases: `INSERT INTO release_aliases (decision_type_id, alias, number)
    SELECT @typeId, value ->> 'alias', value ->> 'number' FROM json_each(@json)`,
  answers: `INSERT INTO held_out_predictions (policy_id, example_id, expected, predicted, probabilities, unfamiliar,
      input_hash)
    SELECT ${policyId}, value ->> 'example_id', value ->> 'expected', value ->> 'predicted', value -> 'probabilities',
      value ->> 'unfamiliar', value ->> 'input_hash' FROM json_each(@json)`,
} as const;
type ArchivedKind = keyof typeof insertSql;

/** Some rows of an archive as JSON, few enough to be written in some ten milliseconds unless one of them is large. */
export type ArchivedPart = { kind: ArchivedKind; json: string };
const partLimits = { rows: 500, characters: 1_000_000 } as const;

/** Writes the rows an archive has beside its examples, in parts, in the order in which they name one another. */
export function toArchivedParts(type: ArchivedType, answers: readonly ArchivedAnswer[]): ArchivedPart[] {
  const rows: [ArchivedKind, readonly object[]][] = [
    ['versions', type.versions.filter(({ number }) => number !== type.active_version)],
    ['policies', type.policies],
    ['releases', type.releases],
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
