/** Decision types and versions. Only `find`, `listRetentions` and `findDeletedName` see deleted ones. */

import { z } from 'zod';
import type { ReleaseSettings } from '../../../engine/bundle/describe-changes.ts';
import { costsSchema } from '../../../engine/costs.ts';
import { definitionSchema } from '../../../engine/domain/definition.ts';
import { toSkeleton } from '../../../engine/domain/look-alikes.ts';
import { splitSchema } from '../../../engine/domain/training.ts';
import { declaredPromiseSchema } from '../../../engine/measured.ts';
import { groupSettingSchema } from '../../../engine/report/groups.ts';
import { auditSettingSchema } from '../../contract/types/decision-types.ts';
import type { WorkbenchDatabase } from '../database.ts';
import {
  archivedAs,
  defineRecord,
  json,
  numbered,
  orNull,
  placeIn,
  plain,
  type RecordOf,
  trustedJson,
  unarchived,
  values,
} from '../record.ts';

const versionColumns = {
  id: plain('id', values.id),
  versionNumber: archivedAs('number', plain('version_number', values.number)),
  definition: json('definition', definitionSchema),
  createdAt: plain('created_at', values.time),
  decisionTypeId: unarchived(plain('decision_type_id', values.text), '@typeId'),
};
export const versionTable = defineRecord('decision_type_versions', versionColumns);
export type VersionRecord = Omit<RecordOf<typeof versionColumns>, 'decisionTypeId'>;

/** Changes that do not decide yet: the fields as they were when each was changed last, and as they are to be. */
export type DraftRecord = {
  from: Partial<ReleaseSettings>;
  to: Partial<ReleaseSettings>;
  /** The person or key that changed it last, by name. */
  by: string | null;
  updatedAt: number;
};

/** How changes of what decides come to decide, in the order of the numbers that are stored. */
export const publishings = ['at_once', 'by_hand', 'by_another'] as const;
export type Publishing = (typeof publishings)[number];

const typeColumns = {
  id: plain('id', values.id),
  name: plain('name', values.text),
  description: plain('description', values.text),
  piiFields: trustedJson('pii_fields', z.array(values.text)),
  /** Days that log records are kept, or null for ever. */
  retentionDays: orNull(plain('retention_days', values.number)),
  fallbackOption: orNull(plain('fallback_option', values.text)),
  costs: orNull(json('costs', costsSchema)),
  /** One case, as a person said it: how trainings hold rows out; null: as the examples show. */
  oneCase: orNull(json('one_case', splitSchema)),
  /** The groups that decisions are compared by, or null. */
  groups: orNull(json('groups', groupSettingSchema)),
  /** The promise of the type, whichever policy decides. */
  promise: orNull(json('promise', declaredPromiseSchema)),
  /** The audit's setting: which live decisions are drawn to be judged blind, or null. */
  audit: orNull(trustedJson('audit', auditSettingSchema)),
  publishing: placeIn('publish_by_hand', publishings, 'by_hand'),
  activeVersionId: numbered('active_version_id', 'active_version', 'version'),
  createdAt: plain('created_at', values.time),
  updatedAt: plain('updated_at', values.time),
  organisationId: unarchived(plain('organisation_id', values.text)),
  draft: unarchived(orNull(trustedJson('draft', z.custom<DraftRecord>()))),
};
export const typeTable = defineRecord('decision_types', typeColumns);
// The promise is read and written apart (policies/promises.ts): types that are known by name would hold an older one.
const { promise: _, ...settingColumns } = typeColumns;
const settingTable = defineRecord('decision_types', settingColumns);
type TypeRecord = RecordOf<typeof settingColumns>;

/** A decision type; `seq` is its row number, by which log records name it. */
export type DecisionTypeRecord = Omit<TypeRecord, 'activeVersionId'> & { seq: number; activeVersion: VersionRecord };

type NamedType = Pick<DecisionTypeRecord, 'id' | 'name'>;
type RawVersion = Omit<RecordOf<typeof versionColumns>, 'definition'> & { definition: string };
type RawDecisionType = Record<keyof TypeRecord, unknown> &
  Pick<RawVersion, 'versionNumber' | 'definition'> & { seq: number; versionCreatedAt: number };

const selectTypes = `SELECT t.seq, ${settingTable.select('t')}, v.version_number AS versionNumber, v.definition,
  v.created_at AS versionCreatedAt
  FROM decision_types t JOIN decision_type_versions v ON v.id = t.active_version_id`;
/** SQLite's LIMIT that means every row. */
const noLimit = -1;
const selectVersions = `SELECT ${versionTable.select()} FROM decision_type_versions`;

/** Definitions that stay parsed: a single change reads the same two or three versions several times. */
const maxParsed = 8;

/** Makes a reader of versions, which never change; what it parsed last is not parsed again. */
function createVersionReader(): (row: RawVersion) => VersionRecord {
  const parsed = new Map<string, Pick<VersionRecord, 'definition'> & { text: string }>();
  return (row) => {
    const known = parsed.get(row.id);
    if (known?.text === row.definition) return { ...row, definition: known.definition };
    const version = versionTable.read({ ...row });
    const [oldest] = parsed.keys();
    if (oldest !== undefined && parsed.size >= maxParsed) parsed.delete(oldest);
    parsed.set(row.id, { text: row.definition, definition: version.definition });
    return version;
  };
}

function toDecisionType(row: RawDecisionType, toVersion: (row: RawVersion) => VersionRecord): DecisionTypeRecord {
  const { activeVersionId: id, versionNumber, definition, versionCreatedAt, ...type } = settingTable.read(row);
  const version = { id, decisionTypeId: type.id, versionNumber, definition, createdAt: versionCreatedAt };
  return { ...type, activeVersion: toVersion(version) };
}

const toRow = (type: Omit<DecisionTypeRecord, 'seq'>): TypeRecord => ({
  ...type,
  activeVersionId: type.activeVersion.id,
});

function prepareStatements(db: WorkbenchDatabase) {
  return {
    insertType: settingTable.prepareInsert(db),
    insertVersion: versionTable.prepareInsert(db),
    update: settingTable.prepareUpdate(db, 'id = ? AND deleted_at IS NULL'),
    restore: db.prepare('UPDATE decision_types SET deleted_at = NULL WHERE id = ?'),
    deleted: db.prepare<[string, string, number], { name: string }>(
      'SELECT name FROM decision_types WHERE id = ? AND organisation_id = ? AND deleted_at >= ?',
    ),
    remove: db.prepare('UPDATE decision_types SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL'),
    get: db.prepare<[string, string], RawDecisionType>(
      `${selectTypes} WHERE t.id = ? AND t.organisation_id = ? AND t.deleted_at IS NULL`,
    ),
    find: db.prepare<[string], RawDecisionType>(`${selectTypes} WHERE t.id = ?`),
    getByName: db.prepare<[string, string], RawDecisionType>(
      `${selectTypes} WHERE t.name = ? AND t.organisation_id = ? AND t.deleted_at IS NULL`,
    ),
    page: db.prepare<[string, number, number], RawDecisionType>(
      `${selectTypes} WHERE t.organisation_id = ? AND t.deleted_at IS NULL ORDER BY t.seq DESC LIMIT ? OFFSET ?`,
    ),
    retentions: db.prepare<[], { seq: number; retentionDays: number; hasPersonalFields: number }>(
      `SELECT seq, retention_days AS retentionDays, pii_fields <> '[]' AS hasPersonalFields
       FROM decision_types WHERE retention_days IS NOT NULL ORDER BY seq`,
    ),
    count: db
      .prepare<[string], number>('SELECT count(*) FROM decision_types WHERE organisation_id = ? AND deleted_at IS NULL')
      .pluck(),
    names: db.prepare<[string], NamedType>(
      'SELECT id, name FROM decision_types WHERE organisation_id = ? AND deleted_at IS NULL ORDER BY seq',
    ),
    organisation: db
      .prepare<[string], string>('SELECT organisation_id FROM decision_types WHERE id = ? AND deleted_at IS NULL')
      .pluck(),
    versions: db.prepare<[string], RawVersion>(
      `${selectVersions} WHERE decision_type_id = ? ORDER BY version_number DESC`,
    ),
    version: db.prepare<[string, string], RawVersion>(`${selectVersions} WHERE id = ? AND decision_type_id = ?`),
    numbered: db.prepare<[string, number], RawVersion>(
      `${selectVersions} WHERE decision_type_id = ? AND version_number = ?`,
    ),
  };
}

export class DecisionTypeStore {
  readonly #statements: ReturnType<typeof prepareStatements>;
  /** Organisation → name → type, until the next change of any type: the decide path reads it on every call. */
  readonly #byName = new Map<string, Map<string, DecisionTypeRecord>>();
  readonly #toVersion = createVersionReader();
  /** Organisation → how a name looks → types, until the next change of any type. */
  readonly #byLook = new Map<string, Map<string, NamedType[]>>();
  /** How many changes of types there were, for what is derived from all of them. */
  changes = 0;

  constructor(db: WorkbenchDatabase) {
    this.#statements = prepareStatements(db);
  }

  /** Adds a type with its first version. */
  insert(type: Omit<DecisionTypeRecord, 'seq'>): void {
    this.#statements.insertType(toRow(type));
    this.#statements.insertVersion({ ...type.activeVersion, decisionTypeId: type.id });
    this.#noteChange();
  }

  /** Writes a type as it is to be; where `isNewVersion`, its active version is added as well. */
  update(type: DecisionTypeRecord, isNewVersion: boolean): void {
    if (isNewVersion) this.#statements.insertVersion({ ...type.activeVersion, decisionTypeId: type.id });
    this.#statements.update(toRow(type), type.id);
    this.#noteChange();
  }

  /** Marks a type as deleted; its versions, examples, policies and log records stay in the data file. */
  remove(id: string, deletedAt: number): void {
    this.#statements.remove.run(deletedAt, id);
    this.#noteChange();
  }

  /** Returns the name of a type that was deleted at `sinceMs` or later, or null. */
  findDeletedName(id: string, organisationId: string, sinceMs: number): string | null {
    return this.#statements.deleted.get(id, organisationId, sinceMs)?.name ?? null;
  }

  restore(id: string): void {
    this.#statements.restore.run(id);
    this.#noteChange();
  }

  get(id: string, organisationId: string): DecisionTypeRecord | null {
    const row = this.#statements.get.get(id, organisationId);
    return row === undefined ? null : toDecisionType(row, this.#toVersion);
  }

  /** A type of any organisation, also where it is deleted. */
  find(id: string): DecisionTypeRecord | null {
    const row = this.#statements.find.get(id);
    return row === undefined ? null : toDecisionType(row, this.#toVersion);
  }

  /** Returns the same object until the next change of any type: deciders are known by it. */
  getByName(name: string, organisationId: string): DecisionTypeRecord | null {
    const cached = this.#byName.get(organisationId)?.get(name);
    if (cached !== undefined) return cached;
    const row = this.#statements.getByName.get(name, organisationId);
    if (row === undefined) return null;
    const type = toDecisionType(row, this.#toVersion);
    const types = this.#byName.get(organisationId) ?? new Map<string, DecisionTypeRecord>();
    this.#byName.set(organisationId, types.set(name, type));
    return type;
  }

  /** The types of an organisation whose names look like this one, or do but for capital letters. */
  listLookingLike(name: string, organisationId: string): readonly NamedType[] {
    const toKey = (text: string) => toSkeleton(text).toLowerCase();
    let types = this.#byLook.get(organisationId);
    if (types === undefined) {
      types = Map.groupBy(this.#statements.names.all(organisationId), (type) => toKey(type.name));
      this.#byLook.set(organisationId, types);
    }
    return types.get(toKey(name)) ?? [];
  }

  findOrganisation(id: string): string | null {
    return this.#statements.organisation.get(id) ?? null;
  }

  /** Returns one page of an organisation's types, the newest first, with the number of all. */
  page(organisationId: string, page: number, pageSize: number): { types: DecisionTypeRecord[]; total: number } {
    const rows = this.#statements.page.all(organisationId, pageSize, (page - 1) * pageSize);
    return { types: rows.map((row) => toDecisionType(row, this.#toVersion)), total: this.count(organisationId) };
  }

  /** Returns every type of an organisation, the newest first. */
  list(organisationId: string): DecisionTypeRecord[] {
    return this.#statements.page.all(organisationId, noLimit, 0).map((row) => toDecisionType(row, this.#toVersion));
  }

  /** Returns how long records of each type are kept, deleted types included: a deletion keeps records no longer. */
  listRetentions(): { seq: number; retentionDays: number; hasPersonalFields: boolean }[] {
    return this.#statements.retentions
      .all()
      .map((type) => ({ ...type, hasPersonalFields: type.hasPersonalFields === 1 }));
  }

  count(organisationId: string): number {
    return this.#statements.count.get(organisationId) ?? 0;
  }

  /** Returns the versions of a type, the newest first, until their definitions have so many characters. */
  listVersions(typeId: string, maxCharacters: number): VersionRecord[] {
    const versions: VersionRecord[] = [];
    let characters = 0;
    for (const row of this.#statements.versions.iterate(typeId)) {
      characters += row.definition.length;
      if (versions.length > 0 && characters > maxCharacters) break;
      versions.push(this.#toVersion(row));
    }
    return versions;
  }

  getVersion(typeId: string, versionId: string): VersionRecord | null {
    const row = this.#statements.version.get(versionId, typeId);
    return row === undefined ? null : this.#toVersion(row);
  }

  /** A version of a type by its number. */
  findVersion(typeId: string, number: number): VersionRecord | null {
    const row = this.#statements.numbered.get(typeId, number);
    return row === undefined ? null : this.#toVersion(row);
  }

  #noteChange(): void {
    this.#byName.clear();
    this.#byLook.clear();
    this.changes += 1;
  }
}
