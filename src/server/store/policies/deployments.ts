/** Which policy decides for a type, under which release. */
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Clock } from '../../process/clock.ts';
import type { WorkbenchDatabase } from '../database.ts';

export type DeployedPolicy = {
  id: string;
  version: number;
  versionId: string;
  bundleSha256: string;
  options: string[];
  /** Number and digest of the release that decides with it. */
  release: number;
  digest: string;
};

/** The deployed policies with the names of their types, oldest first, deleted types left out. */
export function listDeployed(db: WorkbenchDatabase): { policyId: string; bundleSha256: string; typeName: string }[] {
  return db
    .prepare<[], { policyId: string; bundleSha256: string; typeName: string }>(
      `SELECT p.id AS policyId, p.bundle_sha256 AS bundleSha256, t.name AS typeName FROM policies p JOIN decision_types t ON t.id = p.decision_type_id
       WHERE p.status = 'deployed' AND t.deleted_at IS NULL ORDER BY p.seq`,
    )
    .all();
}

type HostedPolicy = { id: string; typeId: string; organisationId: string };

function prepareStatements(db: WorkbenchDatabase) {
  return {
    find: db.prepare<[string], Omit<DeployedPolicy, 'options'> & { options: string }>(
      `SELECT p.id, p.version, p.version_id AS versionId, p.bundle_sha256 AS bundleSha256,
         json_extract(v.definition, '$.options') AS options, r.number AS release, r.digest
       FROM policies p JOIN decision_type_versions v ON v.id = p.version_id
       JOIN releases r ON r.decision_type_id = p.decision_type_id
         AND r.number = (SELECT max(number) FROM releases WHERE decision_type_id = p.decision_type_id)
       WHERE p.decision_type_id = ? AND p.status = 'deployed'`,
    ),
    id: db
      .prepare<[string], string>(`SELECT id FROM policies WHERE decision_type_id = ? AND status = 'deployed'`)
      .pluck(),
    ids: db
      .prepare<[], string>(
        `SELECT p.id FROM policies p JOIN decision_types t ON t.id = p.decision_type_id
         WHERE p.status = 'deployed' AND t.deleted_at IS NULL ORDER BY p.seq LIMIT 1000`,
      )
      .pluck(),
    hosted: db.prepare<[], HostedPolicy>(
      `SELECT p.id, t.id AS typeId, t.organisation_id AS organisationId
       FROM policies p JOIN decision_types t ON t.id = p.decision_type_id
       WHERE p.status = 'deployed' AND t.deleted_at IS NULL ORDER BY t.seq`,
    ),
    retireOthers: db.prepare(
      `UPDATE policies SET status = 'trained' WHERE status = 'deployed' AND id <> @policyId
         AND decision_type_id = (SELECT decision_type_id FROM policies WHERE id = @policyId)`,
    ),
    setAutomatic: db.prepare('UPDATE policies SET auto_deployed = 1 WHERE id = ?'),
    holdBack: db.prepare('UPDATE policies SET held_back = ? WHERE id = ?'),
    deploy: db.prepare(
      `UPDATE policies SET status = 'deployed', deployed_at = ?, error = NULL, held_back = NULL
       WHERE id = ? AND status IN ('trained', 'deployed')`,
    ),
  };
}

/** Keeps each type's deployed policy in memory, for decide calls; whether it can be used is not written here. */
export class DeploymentStore {
  readonly #db: WorkbenchDatabase;
  readonly #clock: Clock;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #byType = new Map<string, DeployedPolicy | null>();
  /** How many releases and deployments there were, for what is derived from all of them. */
  changes = 0;

  constructor(db: WorkbenchDatabase, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#statements = prepareStatements(db);
  }

  /** The deployed policy of a type with its release, or null; the same object until the next release of any type. */
  find(typeId: string): DeployedPolicy | null {
    const known = this.#byType.get(typeId);
    if (known !== undefined) return known;
    const row = this.#statements.find.get(typeId);
    const found: DeployedPolicy | null = row ? { ...row, options: JSON.parse(row.options) } : null;
    // A transaction may be taken back.
    if (!this.#db.inTransaction) this.#byType.set(typeId, found);
    return found;
  }

  /** The id of the deployed policy of a type, also before its release is noted. */
  findId(typeId: string): string | null {
    return this.#statements.id.get(typeId) ?? null;
  }

  /** Forgets what it has read, after a release or a deployment. */
  forget(): void {
    this.#byType.clear();
    this.changes += 1;
  }

  /** The deployed policies of every type that is not deleted, oldest first. */
  listIds(): string[] {
    return this.#statements.ids.all();
  }

  /** The deployed policies of every organisation, in the order of their types. */
  listHosted(): HostedPolicy[] {
    return this.#statements.hosted.all();
  }

  /** Deploys a trained policy, undeploying the others; the caller notes the release. Throws `conflict`. */
  deploy(policyId: string, isAutomatic: boolean): void {
    this.#statements.retireOthers.run({ policyId });
    if (isAutomatic) this.#statements.setAutomatic.run(policyId);
    if (this.#statements.deploy.run(this.#clock.now(), policyId).changes === 0) {
      throw new WorkbenchError('conflict', 'Only a trained or deployed policy can be deployed.');
    }
    this.forget();
  }

  /** Notes why a training does not deploy its policy. */
  holdBack(policyId: string, reason: string): void {
    this.#statements.holdBack.run(reason, policyId);
  }
}
