/** The history of what decided: releases are added, never changed, and go with their type alone. */
import { z } from 'zod';
import { characters } from '../../../engine/domain/definition.ts';
import { aliasName } from '../../contract/policies/releases.ts';
import type { Clock } from '../../process/clock.ts';
import type { WorkbenchDatabase } from '../database.ts';
import {
  defineRecord,
  flag,
  numbered,
  orNull,
  plain,
  type RecordOf,
  trustedJson,
  unarchived,
  values,
} from '../record.ts';

const releaseColumns = {
  /** 1, 2, … within its type. */
  number: plain('number', values.number),
  policyId: numbered('policy_id', 'policy', 'policy'),
  versionId: numbered('version_id', 'type_version', 'version'),
  fallbackOption: orNull(plain('fallback_option', values.text)),
  /** SHA-256 of the policy, the version of the type and the fallback beside it. */
  digest: plain('digest', values.sha256),
  madeAt: plain('made_at', values.time),
  /** Whether it put a policy in charge; else only what is beside the policy was changed. */
  isDeployment: flag('deployment'),
  isAutomatic: flag('automatic'),
  by: orNull(plain('made_by', characters(1, 200))),
  reason: orNull(plain('reason', characters(1, 2_000))),
  /** The differences from the release before, in sentences. */
  changes: trustedJson('changes', z.array(values.text).max(100)),
  typeId: unarchived(plain('decision_type_id', values.text), '@typeId'),
};
export const releaseTable = defineRecord('releases', releaseColumns);
type Release = RecordOf<typeof releaseColumns>;
export const aliasTable = defineRecord('release_aliases', {
  alias: plain('alias', aliasName),
  number: plain('number', values.number),
  typeId: unarchived(plain('decision_type_id', values.text), '@typeId'),
});

/** Who made a release and why: a person or key by name, or the training itself. */
export type ReleaseNote = Pick<Release, 'by' | 'reason' | 'isAutomatic'>;
export type ReleaseContent = Pick<Release, 'policyId' | 'versionId' | 'fallbackOption' | 'digest'>;
/** A release, when the next one took over (null of the newest), and the numbers of its policy and version. */
export type ReleaseRecord = Release & { replacedAt: number | null; policyVersion: number; versionNumber: number };
/** A policy put in charge; of some that are older than releases nothing else is known. */
type DeploymentRecord = Pick<ReleaseRecord, 'policyId' | 'policyVersion' | 'madeAt' | keyof ReleaseNote>;

type NewRelease = Omit<Release, 'number' | 'madeAt'>;
type ReleasedPolicy = { policyId: string; bundleSha256: string; typeName: string; release: number };
type RawRelease = Record<keyof Release, unknown> & Omit<ReleaseRecord, keyof Release>;

const selectReleases = `SELECT ${releaseTable.select('r')}, p.version AS policyVersion,
  v.version_number AS versionNumber,
  (SELECT made_at FROM releases WHERE decision_type_id = r.decision_type_id AND number = r.number + 1) AS replacedAt
  FROM releases r JOIN policies p ON p.id = r.policy_id LEFT JOIN decision_type_versions v ON v.id = r.version_id`;

function prepareStatements(db: WorkbenchDatabase) {
  return {
    insert: releaseTable.prepareInsert(db),
    nextNumber: db
      .prepare<[string], number>('SELECT coalesce(max(number), 0) + 1 FROM releases WHERE decision_type_id = ?')
      .pluck(),
    /** For types older than release numbers, the last deployment becomes the first release. */
    number: db.prepare(
      `UPDATE releases SET number = 1, version_id = @versionId, fallback_option = @fallbackOption, digest = @digest,
         changes = @changes
       WHERE seq = (SELECT max(seq) FROM releases WHERE decision_type_id = @typeId) AND number IS NULL`,
    ),
    unnumbered: db.prepare<[], { typeId: string; policyId: string }>(
      `SELECT decision_type_id AS typeId, id AS policyId FROM policies p WHERE status = 'deployed'
         AND NOT EXISTS (SELECT 1 FROM releases r WHERE r.decision_type_id = p.decision_type_id AND number IS NOT NULL)`,
    ),
    newest: db.prepare<[string], RawRelease>(
      `${selectReleases} WHERE r.decision_type_id = ? AND r.number IS NOT NULL ORDER BY r.number DESC LIMIT 1`,
    ),
    find: db.prepare<[string, number], RawRelease>(`${selectReleases} WHERE r.decision_type_id = ? AND r.number = ?`),
    page: db.prepare<[string, number, number], RawRelease>(
      `${selectReleases} WHERE r.decision_type_id = ? ORDER BY r.number DESC LIMIT ? OFFSET ?`,
    ),
    count: db
      .prepare<[string], number>('SELECT count(*) FROM releases WHERE decision_type_id = ? AND number IS NOT NULL')
      .pluck(),
    ofPolicy: db
      .prepare<[string, number], number>(
        `SELECT number FROM releases r JOIN policies p ON p.id = r.policy_id
         WHERE r.decision_type_id = ? AND p.version = ? AND number IS NOT NULL ORDER BY number DESC LIMIT 5`,
      )
      .pluck(),
    aliases: db.prepare<[string], { alias: string; number: number }>(
      'SELECT alias, number FROM release_aliases WHERE decision_type_id = ? ORDER BY alias',
    ),
    alias: db
      .prepare<[string, string], number>('SELECT number FROM release_aliases WHERE decision_type_id = ? AND alias = ?')
      .pluck(),
    setAlias: aliasTable.prepareInsert(db, 'INSERT OR REPLACE'),
    removeAlias: db.prepare<[string, string]>('DELETE FROM release_aliases WHERE decision_type_id = ? AND alias = ?'),
    byDigest: db.prepare<[string, string], { typeId: string; number: number }>(
      `SELECT r.decision_type_id AS typeId, max(r.number) AS number
       FROM releases r JOIN decision_types t ON t.id = r.decision_type_id
       WHERE r.digest = ? AND r.number IS NOT NULL AND t.organisation_id = ? AND t.deleted_at IS NULL GROUP BY 1`,
    ),
    digests: db.prepare<[string], { number: number; digest: string }>(
      'SELECT number, digest FROM releases WHERE decision_type_id = ? AND number IS NOT NULL',
    ),
    deployments: db.prepare<[string, number, number], RawRelease>(
      `${selectReleases} WHERE r.decision_type_id = ? AND r.deployment = 1 ORDER BY r.seq DESC LIMIT ? OFFSET ?`,
    ),
    policies: db.prepare<[], ReleasedPolicy>(
      `SELECT p.id AS policyId, p.bundle_sha256 AS bundleSha256, t.name AS typeName, max(r.number) AS release
       FROM releases r JOIN policies p ON p.id = r.policy_id JOIN decision_types t ON t.id = p.decision_type_id
       WHERE p.bundle_sha256 IS NOT NULL AND r.number IS NOT NULL AND t.deleted_at IS NULL GROUP BY p.id ORDER BY p.seq`,
    ),
    countDeployments: db
      .prepare<[string], number>('SELECT count(*) FROM releases WHERE decision_type_id = ? AND deployment = 1')
      .pluck(),
  };
}

/** The queries of releases. */
export function createReleaseStore(db: WorkbenchDatabase, clock: Clock) {
  const statements = prepareStatements(db);
  return {
    /** Adds a release with the next number of its type. */
    insert(release: NewRelease): void {
      const number = statements.nextNumber.get(release.typeId) ?? 1;
      statements.insert({ ...release, number, madeAt: clock.now() });
    },
    /** The types whose deployed policy is from before releases had numbers. */
    listUnnumbered: (): { typeId: string; policyId: string }[] => statements.unnumbered.all(),
    /** Makes the last deployment of such a type its release 1. */
    numberFirst(typeId: string, content: ReleaseContent, changes: readonly string[]): void {
      statements.number.run({ typeId, ...content, changes: JSON.stringify(changes) });
    },
    /** The release that decides now for a type; null where nothing has decided yet. */
    findNewest(typeId: string): ReleaseRecord | null {
      const row = statements.newest.get(typeId);
      return row === undefined ? null : releaseTable.read(row);
    },
    find(typeId: string, number: number): ReleaseRecord | null {
      const row = statements.find.get(typeId, number);
      return row === undefined ? null : releaseTable.read(row);
    },
    /** The releases of a type, newest first. */
    list(typeId: string, page: number, pageSize: number): { releases: ReleaseRecord[]; total: number } {
      const releases = statements.page.all(typeId, pageSize, (page - 1) * pageSize).map(releaseTable.read);
      return { releases, total: statements.count.get(typeId) ?? 0 };
    },
    /** The policies of all releases with the newest of each. */
    listReleasedPolicies: (): ReleasedPolicy[] => statements.policies.all(),
    /** The newest releases of a policy of a type. */
    listNumbers: (typeId: string, policyVersion: number): number[] => statements.ofPolicy.all(typeId, policyVersion),
    /** The aliases of a type's releases, by name. */
    listAliases: (typeId: string): { alias: string; number: number }[] => statements.aliases.all(typeId),
    /** The number of the release that an alias names, or null. */
    findAlias: (typeId: string, alias: string): number | null => statements.alias.get(typeId, alias) ?? null,
    setAlias(typeId: string, alias: string, number: number): void {
      statements.setAlias({ typeId, alias, number });
    },
    /** Takes an alias away; false where there was none. */
    removeAlias: (typeId: string, alias: string): boolean => statements.removeAlias.run(typeId, alias).changes > 0,
    /** The types of an organisation that have a release of this digest, each with the newest. */
    findByDigest: (digest: string, organisationId: string): { typeId: string; number: number }[] =>
      statements.byDigest.all(digest, organisationId),
    /** The digest of each release of a type, by its number. */
    listDigests: (typeId: string): ReadonlyMap<number, string> =>
      new Map(statements.digests.all(typeId).map(({ number, digest }) => [number, digest])),
    /** The deployments of a type, newest first, with those from before releases had numbers. */
    listDeployments(
      typeId: string,
      page: number,
      pageSize: number,
    ): { deployments: DeploymentRecord[]; total: number } {
      const rows = statements.deployments.all(typeId, pageSize, (page - 1) * pageSize);
      return { deployments: rows.map(releaseTable.read), total: statements.countDeployments.get(typeId) ?? 0 };
    },
  };
}
