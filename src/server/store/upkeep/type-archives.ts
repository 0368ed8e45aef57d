/** The rows of one decision type as JSON, read for its archive and written from one. */
import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { costsSchema } from '../../../engine/costs.ts';
import { type Definition, definitionSchema } from '../../../engine/domain/definition.ts';
import { metricsSchema } from '../../../engine/domain/metrics.ts';
import { jsonObject } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import { declaredPromiseSchema, keptPromiseSchema } from '../../../engine/measured.ts';
import { auditSettingSchema } from '../../contract/types/decision-types.ts';
import { storedConfigSchema, toolVersionsSchema } from '../policies/policy-records.ts';

/** Accepts what fits a schema, and leaves it as it is written: what was read before is written again the same. */
const asStored = <T>(schema: z.ZodType<T>) => z.custom<T>((value) => schema.safeParse(value).success, 'is not valid');

const id = z.uuid();
const time = z.int().min(0);
const flag = z.literal([0, 1]);
const text = z.string().max(100_000);
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
  pii_fields: z.array(text).nullable(),
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
  made_by: text.nullable(),
  reason: text.nullable(),
  changes: z.array(text),
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
  promise: asStored(declaredPromiseSchema.nullable()),
  audit: asStored(auditSettingSchema.nullable()),
  publish_by_hand: flag,
  active_version: z.int().min(1),
  created_at: time,
  updated_at: time,
  versions: z.array(versionSchema).min(1),
  policies: z.array(policySchema),
  releases: z.array(releaseSchema),
  aliases: z.array(z.strictObject({ alias: text, number: z.int().min(1) })),
});
export type ArchivedType = z.output<typeof archivedTypeSchema>;
export type ArchivedPolicy = ArchivedType['policies'][number];
export type ArchivedExample = z.output<typeof archivedExampleSchema>;

/** An example with all that belongs to it; `log_id` is that of the record which a correction was made of. */
export const archivedExampleSchema = z.strictObject({
  id,
  input_payload: jsonObject,
  expected_decision: text.nullable(),
  first_decision: text.nullable(),
  reason_codes: z.array(text).max(limits.maxReasonCodesPerExample),
  source: z.literal(['user', 'synthetic']),
  reviewed: flag,
  test: flag,
  must: flag,
  mark: z.literal(['skipped', 'flagged']).nullable(),
  note: text.nullable(),
  by_teacher: flag,
  log_id: z.uuid().nullable(),
  audited: flag,
  created_at: time,
  updated_at: time,
});

/** A held-out row of a policy. */
export const archivedAnswerSchema = z.strictObject({
  policy: z.int().min(1),
  example_id: id,
  expected: text,
  predicted: text,
  probabilities: z.array(z.number()),
  unfamiliar: flag.nullable(),
  input_hash: z.int().nullable(),
});
export type ArchivedAnswer = z.output<typeof archivedAnswerSchema>;

const list = (members: string, from: string) =>
  `json((SELECT json_group_array(json_object(${members})) FROM (${from})))`;

const selectType = `SELECT json_object('id', t.id, 'name', t.name, 'description', t.description,
  'pii_fields', json(t.pii_fields), 'retention_days', t.retention_days, 'fallback_option', t.fallback_option,
  'costs', json(t.costs), 'promise', json(t.promise), 'audit', json(t.audit),
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
  )})
  FROM decision_types t WHERE t.id = ?`;

/** The examples in their order, as the wire has them, with the log record that a correction was made of. */
const selectExamples = `SELECT json_object('id', id, 'input_payload', json(input), 'expected_decision', decision,
  'first_decision', first_decision, 'reason_codes', json(reason_codes), 'source', source, 'reviewed', reviewed,
  'test', test, 'must', must, 'mark', mark, 'note', note, 'by_teacher', by_teacher, 'log_id', log_id,
  'audited', audited, 'created_at', created_at, 'updated_at', updated_at)
  FROM examples WHERE decision_type_id = ? ORDER BY seq`;

const selectAnswers = `SELECT json_object('policy', p.version, 'example_id', h.example_id, 'expected', h.expected,
  'predicted', h.predicted, 'probabilities', json(h.probabilities), 'unfamiliar', h.unfamiliar,
  'input_hash', h.input_hash) FROM held_out_predictions h JOIN policies p ON p.id = h.policy_id
  WHERE p.decision_type_id = ? AND p.status IN ('trained', 'deployed') ORDER BY p.version, h.example_id`;

/** Reads a type for its archive, with the JSON of each example and of each held-out row. Undefined where it is gone. */
export function readTypeRows(db: Database, typeId: string) {
  const json = db.prepare<[string], string>(selectType).pluck().get(typeId);
  const iterate = (sql: string) => db.prepare<[string], string>(sql).pluck().iterate(typeId);
  if (json === undefined) return;
  return { json, examples: () => iterate(selectExamples), answers: () => iterate(selectAnswers) };
}

const tablesWithIds = ['decision_types', 'decision_type_versions', 'policies', 'examples'] as const;

/** Whether one of these ids names something, or was that of a log record whose correction is an example. */
export function hasTakenId(db: Database, ids: readonly string[]): boolean {
  const given = JSON.stringify(ids);
  const among = 'IN (SELECT value FROM json_each(?))';
  return (
    tablesWithIds.some((table) => db.prepare(`SELECT 1 FROM ${table} WHERE id ${among} LIMIT 1`).get(given)) ||
    db.prepare(`SELECT 1 FROM examples WHERE log_id ${among} LIMIT 1`).get(given) !== undefined
  );
}

const orNull = (member: string) => `nullif(value -> '${member}', 'null')`;
const versionId =
  "(SELECT id FROM decision_type_versions WHERE decision_type_id = @typeId AND version_number = value ->> 'type_version')";
const policyId = "(SELECT id FROM policies WHERE decision_type_id = @typeId AND version = value ->> 'policy')";

/** Writes what an archive holds beside the examples of a type that is there, in the caller's transaction. */
export function createTypeArchiveStore(db: Database) {
  const from = (member: string) => `FROM json_each(@json, '$.${member}')`;
  const statements = [
    `INSERT INTO decision_type_versions (id, decision_type_id, version_number, definition, created_at)
     SELECT value ->> 'id', @typeId, value ->> 'number', value -> 'definition', value ->> 'created_at' ${from('versions')}
     WHERE value ->> 'number' <> json_extract(@json, '$.active_version')`,
    `INSERT INTO policies (id, organisation_id, decision_type_id, version_id, version, follows, status, auto_deployed,
       quality_gate_met, training_config, fallback_option, seed, snapshot_sha256, snapshot_size, tool_versions, metrics,
       promise, pii_fields, held_back, bundle_sha256, bundle_size_bytes, created_at, completed_at, deployed_at)
     SELECT value ->> 'id', (SELECT organisation_id FROM decision_types WHERE id = @typeId), @typeId, ${versionId},
       value ->> 'version', value ->> 'follows', value ->> 'status', value ->> 'auto_deployed',
       value ->> 'quality_gate_met', value -> 'training_config', value ->> 'fallback_option', value ->> 'seed',
       value ->> 'snapshot_sha256', value ->> 'snapshot_size', value -> 'tool_versions', value -> 'metrics',
       ${orNull('promise')}, ${orNull('pii_fields')}, value ->> 'held_back', value ->> 'bundle_sha256',
       value ->> 'bundle_size_bytes', value ->> 'created_at', value ->> 'completed_at', value ->> 'deployed_at'
     ${from('policies')}`,
    `INSERT INTO releases (decision_type_id, number, policy_id, version_id, fallback_option, digest, made_at, deployment,
       automatic, made_by, reason, changes)
     SELECT @typeId, value ->> 'number', ${policyId}, ${versionId}, value ->> 'fallback_option', value ->> 'digest',
       value ->> 'made_at', value ->> 'deployment', value ->> 'automatic', value ->> 'made_by', value ->> 'reason',
       value -> 'changes' ${from('releases')} ORDER BY value ->> 'number'`,
    `INSERT INTO release_aliases (decision_type_id, alias, number)
     SELECT @typeId, value ->> 'alias', value ->> 'number' ${from('aliases')}`,
    `UPDATE decision_types SET promise = json_extract(@json, '$.promise'),
       created_at = json_extract(@json, '$.created_at'), updated_at = json_extract(@json, '$.updated_at')
     WHERE id = @typeId`,
  ].map((sql) => db.prepare<[{ typeId: string; json: string }]>(sql));
  const insertAnswers = db.prepare<[{ typeId: string; json: string }]>(
    `INSERT INTO held_out_predictions (policy_id, example_id, expected, predicted, probabilities, unfamiliar, input_hash)
     SELECT ${policyId}, value ->> 'example_id', value ->> 'expected', value ->> 'predicted', value -> 'probabilities',
       value ->> 'unfamiliar', value ->> 'input_hash' FROM json_each(@json)`,
  );
  return {
    /** Writes versions but the active one, policies, releases and aliases. */
    insert(typeId: string, json: string): void {
      for (const statement of statements) statement.run({ typeId, json });
    },
    /** Writes held-out rows; `json` is a list of `ArchivedAnswer`. */
    insertAnswers(typeId: string, json: string): void {
      insertAnswers.run({ typeId, json });
    },
  };
}
