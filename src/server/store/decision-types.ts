import type { Definition } from '../../engine/domain.ts';
import { definitionSchema } from '../../engine/domain.ts';
import type { WorkbenchDatabase } from './database.ts';

export type VersionRow = { id: string; versionNumber: number; definition: Definition; createdAt: number };

export type DecisionTypeRow = {
  /** Integer key, used by the log table. */
  seq: number;
  id: string;
  organisationId: string;
  name: string;
  description: string;
  piiFields: string[];
  retentionDays: number | null;
  fallbackOption: string | null;
  activeVersion: VersionRow;
  createdAt: number;
  updatedAt: number;
};

type Raw = {
  seq: number;
  id: string;
  organisation_id: string;
  name: string;
  description: string;
  pii_fields: string;
  retention_days: number | null;
  fallback_option: string | null;
  created_at: number;
  updated_at: number;
  version_id: string;
  version_number: number;
  definition: string;
  version_created_at: number;
};
type RawVersion = { id: string; version_number: number; definition: string; created_at: number };

const columns = `t.seq, t.id, t.organisation_id, t.name, t.description, t.pii_fields, t.retention_days,
  t.fallback_option, t.created_at, t.updated_at, v.id AS version_id, v.version_number, v.definition,
  v.created_at AS version_created_at
  FROM decision_types t JOIN decision_type_versions v ON v.id = t.active_version_id`;

function toVersion(raw: RawVersion): VersionRow {
  return {
    id: raw.id,
    versionNumber: raw.version_number,
    definition: definitionSchema.parse(JSON.parse(raw.definition)),
    createdAt: raw.created_at,
  };
}

function toRow(raw: Raw): DecisionTypeRow {
  return {
    seq: raw.seq,
    id: raw.id,
    organisationId: raw.organisation_id,
    name: raw.name,
    description: raw.description,
    piiFields: JSON.parse(raw.pii_fields) as string[],
    retentionDays: raw.retention_days,
    fallbackOption: raw.fallback_option,
    activeVersion: toVersion({
      id: raw.version_id,
      version_number: raw.version_number,
      definition: raw.definition,
      created_at: raw.version_created_at,
    }),
    createdAt: raw.created_at,
    updatedAt: raw.updated_at,
  };
}

/**
 * Decision types and their immutable versions. Deleted types are invisible to every query.
 */
export function createDecisionTypeStore(db: WorkbenchDatabase) {
  /** Organisation → name → type. */
  const cache = new Map<string, Map<string, DecisionTypeRow>>();
  const statements = {
    insertType: db.prepare(
      `INSERT INTO decision_types (id, organisation_id, name, description, pii_fields, retention_days, fallback_option,
         active_version_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertVersion: db.prepare(
      'INSERT INTO decision_type_versions (id, decision_type_id, version_number, definition, created_at) VALUES (?, ?, ?, ?, ?)',
    ),
    update: db.prepare(
      `UPDATE decision_types SET name = ?, description = ?, pii_fields = ?, retention_days = ?, fallback_option = ?,
         active_version_id = ?, updated_at = ? WHERE id = ? AND deleted_at IS NULL`,
    ),
    remove: db.prepare('UPDATE decision_types SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL'),
    get: db.prepare<[string, string], Raw>(
      `SELECT ${columns} WHERE t.id = ? AND t.organisation_id = ? AND t.deleted_at IS NULL`,
    ),
    byName: db.prepare<[string, string], Raw>(
      `SELECT ${columns} WHERE t.name = ? AND t.organisation_id = ? AND t.deleted_at IS NULL`,
    ),
    list: db.prepare<[string, number, number], Raw>(
      `SELECT ${columns} WHERE t.organisation_id = ? AND t.deleted_at IS NULL ORDER BY t.seq DESC LIMIT ? OFFSET ?`,
    ),
    all: db.prepare<[], Raw>(`SELECT ${columns} WHERE t.deleted_at IS NULL ORDER BY t.seq`),
    retentions: db.prepare<[], { seq: number; retentionDays: number }>(
      'SELECT seq, retention_days AS retentionDays FROM decision_types WHERE retention_days IS NOT NULL ORDER BY seq',
    ),
    count: db
      .prepare<[string], number>('SELECT count(*) FROM decision_types WHERE organisation_id = ? AND deleted_at IS NULL')
      .pluck(),
    versions: db.prepare<[string], RawVersion>(
      'SELECT id, version_number, definition, created_at FROM decision_type_versions WHERE decision_type_id = ? ORDER BY version_number DESC',
    ),
    version: db.prepare<[string, string], RawVersion>(
      'SELECT id, version_number, definition, created_at FROM decision_type_versions WHERE id = ? AND decision_type_id = ?',
    ),
    versionByNumber: db.prepare<[string, number], RawVersion>(
      'SELECT id, version_number, definition, created_at FROM decision_type_versions WHERE decision_type_id = ? AND version_number = ?',
    ),
  };
  const changed = () => {
    cache.clear();
  };
  const insertVersion = (typeId: string, version: VersionRow) =>
    statements.insertVersion.run(
      version.id,
      typeId,
      version.versionNumber,
      JSON.stringify(version.definition),
      version.createdAt,
    );

  return {
    insert(row: Omit<DecisionTypeRow, 'seq'>): void {
      statements.insertType.run(
        row.id,
        row.organisationId,
        row.name,
        row.description,
        JSON.stringify(row.piiFields),
        row.retentionDays,
        row.fallbackOption,
        row.activeVersion.id,
        row.createdAt,
        row.updatedAt,
      );
      insertVersion(row.id, row.activeVersion);
      changed();
    },
    /** Writes the record; `row.activeVersion` is inserted when it is a new one. */
    update(row: DecisionTypeRow, newVersion: boolean): void {
      if (newVersion) insertVersion(row.id, row.activeVersion);
      statements.update.run(
        row.name,
        row.description,
        JSON.stringify(row.piiFields),
        row.retentionDays,
        row.fallbackOption,
        row.activeVersion.id,
        row.updatedAt,
        row.id,
      );
      changed();
    },
    remove(id: string, at: number): boolean {
      const removed = statements.remove.run(at, id).changes > 0;
      changed();
      return removed;
    },
    get(id: string, organisationId: string): DecisionTypeRow | null {
      const raw = statements.get.get(id, organisationId);
      return raw === undefined ? null : toRow(raw);
    },
    /** Cached until the next change of any type: the decide path reads it on every call. */
    byName(name: string, organisationId: string): DecisionTypeRow | null {
      const cached = cache.get(organisationId)?.get(name);
      if (cached !== undefined) return cached;
      const raw = statements.byName.get(name, organisationId);
      if (raw === undefined) return null;
      const row = toRow(raw);
      const types = cache.get(organisationId) ?? new Map<string, DecisionTypeRow>();
      cache.set(organisationId, types.set(name, row));
      return row;
    },
    list(organisationId: string, page: number, pageSize: number): { rows: DecisionTypeRow[]; total: number } {
      return {
        rows: statements.list.all(organisationId, pageSize, (page - 1) * pageSize).map(toRow),
        total: statements.count.get(organisationId) ?? 0,
      };
    },
    /** Every type of every organisation, for the hourly charge of hosting. */
    all: (): DecisionTypeRow[] => statements.all.all().map(toRow),
    /** How long the records of each type are kept, deleted types included: a deletion keeps records no longer. */
    retentions: (): { seq: number; retentionDays: number }[] => statements.retentions.all(),
    ofOrganisation: (organisationId: string): DecisionTypeRow[] =>
      statements.list.all(organisationId, 10_000, 0).map(toRow),
    count: (organisationId: string): number => statements.count.get(organisationId) ?? 0,
    versions: (typeId: string): VersionRow[] => statements.versions.all(typeId).map(toVersion),
    version(typeId: string, versionId: string): VersionRow | null {
      const raw = statements.version.get(versionId, typeId);
      return raw === undefined ? null : toVersion(raw);
    },
    versionByNumber(typeId: string, versionNumber: number): VersionRow | null {
      const raw = statements.versionByNumber.get(typeId, versionNumber);
      return raw === undefined ? null : toVersion(raw);
    },
  };
}
