/** Which policy decides for a type, and which did before. */
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Clock } from '../../process/clock.ts';
import type { WorkbenchDatabase } from '../database.ts';

export type DeployedPolicy = {
  id: string;
  version: number;
  versionId: string;
  bundleSha256: string;
  options: string[];
};

/** Who deploys and why: a person or key by name, or the training itself. */
export type DeploymentNote = { by: string | null; reason: string | null; isAutomatic: boolean };
export type DeploymentRecord = DeploymentNote & { policyId: string; version: number; deployedAt: number };
type RawDeployment = Omit<DeploymentRecord, 'isAutomatic'> & { isAutomatic: number };

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
         json_extract(v.definition, '$.options') AS options
       FROM policies p JOIN decision_type_versions v ON v.id = p.version_id
       WHERE p.decision_type_id = ? AND p.status = 'deployed'`,
    ),
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
    note: db.prepare<[{ policyId: string; now: number; automatic: number; by: string | null; reason: string | null }]>(
      `INSERT INTO deployments (decision_type_id, policy_id, deployed_at, automatic, deployed_by, reason)
       SELECT decision_type_id, id, @now, @automatic, @by, @reason FROM policies WHERE id = @policyId`,
    ),
    count: db.prepare<[string], number>('SELECT count(*) FROM deployments WHERE decision_type_id = ?').pluck(),
    page: db.prepare<[string, number, number], RawDeployment>(
      `SELECT d.policy_id AS policyId, p.version, d.deployed_at AS deployedAt, d.automatic AS isAutomatic,
         d.deployed_by AS "by", d.reason
       FROM deployments d JOIN policies p ON p.id = d.policy_id
       WHERE d.decision_type_id = ? ORDER BY d.seq DESC LIMIT ? OFFSET ?`,
    ),
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

  constructor(db: WorkbenchDatabase, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#statements = prepareStatements(db);
  }

  /** The deployed policy of a type, or null; the same object until a deployment changes. */
  find(typeId: string): DeployedPolicy | null {
    const known = this.#byType.get(typeId);
    if (known !== undefined) return known;
    const row = this.#statements.find.get(typeId);
    const found = row ? { ...row, options: JSON.parse(row.options) as string[] } : null;
    this.#byType.set(typeId, found);
    return found;
  }

  /** The deployed policies of every type that is not deleted, oldest first. */
  listIds(): string[] {
    return this.#statements.ids.all();
  }

  /** The deployed policies of every organisation, in the order of their types. */
  listHosted(): HostedPolicy[] {
    return this.#statements.hosted.all();
  }

  /** Deploys a trained policy; the others of its type go back to `trained`. Throws `conflict`. */
  deploy(policyId: string, { by, reason, isAutomatic }: DeploymentNote): void {
    const deploy = this.#db.transaction(() => {
      this.#statements.retireOthers.run({ policyId });
      if (isAutomatic) this.#statements.setAutomatic.run(policyId);
      const now = this.#clock.now();
      if (this.#statements.deploy.run(now, policyId).changes === 0) {
        throw new WorkbenchError('conflict', 'Only a trained or deployed policy can be deployed.');
      }
      this.#statements.note.run({ policyId, now, automatic: Number(isAutomatic), by, reason });
    });
    deploy.immediate();
    this.#byType.clear();
  }

  /** The deployments of a type, newest first. */
  list(typeId: string, page: number, pageSize: number): { deployments: DeploymentRecord[]; total: number } {
    const rows = this.#statements.page.all(typeId, pageSize, (page - 1) * pageSize);
    const deployments = rows.map((row) => ({ ...row, isAutomatic: row.isAutomatic === 1 }));
    return { deployments, total: this.#statements.count.get(typeId) ?? 0 };
  }

  /** Notes why a training does not deploy its policy. */
  holdBack(policyId: string, reason: string): void {
    this.#statements.holdBack.run(reason, policyId);
  }
}
