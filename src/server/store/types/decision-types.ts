/** Decision types and versions. Only `find`, `listRetentions` and `findDeletedName` see deleted ones. */
import type { ReleaseSettings } from '../../../engine/bundle/describe-changes.ts';
import { type Costs, costsSchema } from '../../../engine/costs.ts';
import { type Definition, definitionSchema } from '../../../engine/domain/definition.ts';
import { toSkeleton } from '../../../engine/domain/look-alikes.ts';
import { type SplitWay, splitSchema } from '../../../engine/domain/training.ts';
import { type GroupSetting, groupSettingSchema } from '../../../engine/report/groups.ts';
import type { AuditSetting } from '../../contract/types/decision-types.ts';
import type { WorkbenchDatabase } from '../database.ts';

export type VersionRecord = { id: string; versionNumber: number; definition: Definition; createdAt: number };

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

export type DecisionTypeRecord = {
  /** Row number, by which log records name their type. */
  seq: number;
  id: string;
  organisationId: string;
  name: string;
  description: string;
  piiFields: string[];
  /** Days that log records are kept, or null for ever. */
  retentionDays: number | null;
  fallbackOption: string | null;
  costs: Costs | null;
  /** One case, as a person said it: how trainings hold rows out; null: as the examples show. */
  oneCase: SplitWay | null;
  /** The groups that decisions are compared by, or null. */
  groups: GroupSetting | null;
  /** The audit's setting: which live decisions are drawn to be judged blind, or null. */
  audit: AuditSetting | null;
  draft: DraftRecord | null;
  publishing: Publishing;
  activeVersion: VersionRecord;
  createdAt: number;
  updatedAt: number;
};

type NamedType = Pick<DecisionTypeRecord, 'id' | 'name'>;
type RawVersion = Omit<VersionRecord, 'definition'> & { definition: string };
type RawDecisionType = Omit<
  DecisionTypeRecord,
  'piiFields' | 'costs' | 'oneCase' | 'groups' | 'audit' | 'draft' | 'publishing' | 'activeVersion'
> & {
  piiFields: string;
  costs: string | null;
  oneCase: string | null;
  groups: string | null;
  audit: string | null;
  draft: string | null;
  publishing: number;
  versionId: string;
  versionNumber: number;
  definition: string;
  versionCreatedAt: number;
};

const selectTypes = `SELECT t.seq, t.id, t.organisation_id AS organisationId, t.name, t.description,
  t.pii_fields AS piiFields, t.retention_days AS retentionDays, t.fallback_option AS fallbackOption, t.costs, t.audit,
  t.one_case AS oneCase, t.groups, t.draft, t.publish_by_hand AS publishing,
  t.created_at AS createdAt, t.updated_at AS updatedAt, v.id AS versionId, v.version_number AS versionNumber,
  v.definition, v.created_at AS versionCreatedAt
  FROM decision_types t JOIN decision_type_versions v ON v.id = t.active_version_id`;
/** SQLite's LIMIT that means every row. */
const noLimit = -1;
const selectVersions = `SELECT id, version_number AS versionNumber, definition, created_at AS createdAt
  FROM decision_type_versions`;

/** Definitions that stay parsed: a single change reads the same two or three versions several times. */
const maxParsed = 8;

/** Makes a reader of versions, which never change; what it parsed last is not parsed again. */
function createVersionReader(): (row: RawVersion) => VersionRecord {
  const parsed = new Map<string, { text: string; definition: Definition }>();
  return (row) => {
    const known = parsed.get(row.id);
    if (known?.text === row.definition) return { ...row, definition: known.definition };
    const definition = definitionSchema.parse(JSON.parse(row.definition));
    const [oldest] = parsed.keys();
    if (oldest !== undefined && parsed.size >= maxParsed) parsed.delete(oldest);
    parsed.set(row.id, { text: row.definition, definition });
    return { ...row, definition };
  };
}

function toDecisionType(row: RawDecisionType, toVersion: (row: RawVersion) => VersionRecord): DecisionTypeRecord {
  const {
    piiFields,
    costs,
    oneCase,
    groups,
    audit,
    draft,
    versionId,
    versionNumber,
    definition,
    versionCreatedAt,
    ...type
  } = row;
  const activeVersion = toVersion({ id: versionId, versionNumber, definition, createdAt: versionCreatedAt });
  return {
    ...type,
    piiFields: JSON.parse(piiFields),
    costs: costs === null ? null : costsSchema.parse(JSON.parse(costs)),
    oneCase: oneCase === null ? null : splitSchema.parse(JSON.parse(oneCase)),
    groups: groups === null ? null : groupSettingSchema.parse(JSON.parse(groups)),
    audit: audit === null ? null : JSON.parse(audit),
    draft: draft === null ? null : JSON.parse(draft),
    publishing: publishings[type.publishing] ?? 'by_hand',
    activeVersion,
  };
}

const writeOrNull = (value: object | null) => (value === null ? null : JSON.stringify(value));

const toRow = ({
  piiFields,
  costs,
  oneCase,
  groups,
  audit,
  draft,
  activeVersion,
  ...type
}: Omit<DecisionTypeRecord, 'seq'>) => ({
  ...type,
  piiFields: JSON.stringify(piiFields),
  costs: writeOrNull(costs),
  oneCase: writeOrNull(oneCase),
  groups: writeOrNull(groups),
  audit: writeOrNull(audit),
  draft: writeOrNull(draft),
  publishing: publishings.indexOf(type.publishing),
  versionId: activeVersion.id,
});

function prepareStatements(db: WorkbenchDatabase) {
  return {
    insertType: db.prepare(
      `INSERT INTO decision_types (id, organisation_id, name, description, pii_fields, retention_days, fallback_option,
         costs, one_case, groups, audit, draft, publish_by_hand, active_version_id, created_at, updated_at) VALUES (@id, @organisationId,
         @name, @description, @piiFields, @retentionDays, @fallbackOption, @costs, @oneCase, @groups, @audit, @draft, @publishing,
         @versionId, @createdAt, @updatedAt)`,
    ),
    insertVersion: db.prepare(
      `INSERT INTO decision_type_versions (id, decision_type_id, version_number, definition, created_at)
       VALUES (?, ?, ?, ?, ?)`,
    ),
    update: db.prepare(
      `UPDATE decision_types SET name = @name, description = @description, pii_fields = @piiFields,
         retention_days = @retentionDays, fallback_option = @fallbackOption, costs = @costs, one_case = @oneCase, groups = @groups, audit = @audit,
         draft = @draft, publish_by_hand = @publishing, active_version_id = @versionId, updated_at = @updatedAt WHERE id = @id AND deleted_at IS NULL`,
    ),
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
    this.#statements.insertType.run(toRow(type));
    this.#insertVersion(type.id, type.activeVersion);
    this.#noteChange();
  }

  /** Writes a type as it is to be; where `isNewVersion`, its active version is added as well. */
  update(type: DecisionTypeRecord, isNewVersion: boolean): void {
    if (isNewVersion) this.#insertVersion(type.id, type.activeVersion);
    this.#statements.update.run(toRow(type));
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

  #insertVersion(typeId: string, version: VersionRecord): void {
    this.#statements.insertVersion.run(
      version.id,
      typeId,
      version.versionNumber,
      JSON.stringify(version.definition),
      version.createdAt,
    );
  }
}
