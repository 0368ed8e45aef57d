/** Policies as they are read: for lists, for the decider, for a training that is to start. */
import type { PolicyStatus } from '../../engine/domain.ts';
import type { Clock } from '../process/clock.ts';
import type { WorkbenchDatabase } from './database.ts';
import { createTrainingRuns } from './training-runs.ts';

export type PolicyRow = {
  id: string;
  organisation_id: string;
  decision_type_id: string;
  version_id: string;
  version: number;
  version_number: number;
  type_name: string;
  type_deleted_at: number | null;
  status: PolicyStatus;
  auto_deployed: number;
  quality_gate_met: number | null;
  training_config: string;
  fallback_option: string | null;
  seed: number;
  snapshot_sha256: string;
  snapshot_size: number;
  /** JSON: versions of the program, of Node and of the inference runtime. */
  tool_versions: string;
  metrics: string | null;
  bundle_sha256: string | null;
  current_attempt_id: string | null;
  error: string | null;
  last_training_error: string | null;
  created_at: number;
  completed_at: number | null;
};
export type AttemptStatus = 'running' | 'stopping' | 'cancelling' | 'succeeded' | 'cancelled' | 'failed';
export type AttemptRow = {
  id: string;
  policy_id: string;
  attempt_number: number;
  status: AttemptStatus;
  pid: number | null;
  stage: string;
  fraction: number;
  message: string;
  completed_stages: string;
  error: string | null;
  started_at: number;
  last_heartbeat_at: number;
  completed_at: number | null;
};
/** The policy that decides for a type. */
export type DeployedPolicy = {
  id: string;
  version: number;
  versionId: string;
  bundleSha256: string;
  options: string[];
};
/** How long a training of how many examples took. */
export type PastRun = { examples: number; tookMs: number };
export type ExampleCounts = { total: number; labelled: number; perOption: Map<string, number> };

/** Prepares every statement once; `runs` holds what a training writes. */
export function createPolicyStore(db: WorkbenchDatabase, clock: Clock) {
  const policy = `SELECT p.*, v.version_number, t.name AS type_name, t.deleted_at AS type_deleted_at FROM policies p
    JOIN decision_type_versions v ON v.id = p.version_id JOIN decision_types t ON t.id = p.decision_type_id`;
  const list = db.prepare<[string], PolicyRow>(
    `${policy} WHERE p.decision_type_id = ? ORDER BY p.version DESC LIMIT 1000`,
  );
  const one = db.prepare<[string, string], PolicyRow>(`${policy} WHERE p.id = ? AND p.decision_type_id = ?`);
  const byId = db.prepare<[string], PolicyRow>(`${policy} WHERE p.id = ?`);
  const attempts = db.prepare<[string], AttemptRow>(
    'SELECT * FROM training_attempts WHERE policy_id = ? ORDER BY attempt_number LIMIT 100',
  );
  const counts = db.prepare<[string], { decision: string | null; n: number }>(
    'SELECT decision, count(*) AS n FROM examples WHERE decision_type_id = ? GROUP BY decision',
  );
  const deployed = db.prepare<
    [string],
    { id: string; version: number; versionId: string; bundleSha256: string; options: string }
  >(
    `SELECT p.id, p.version, p.version_id AS versionId, p.bundle_sha256 AS bundleSha256,
       json_extract(v.definition, '$.options') AS options
     FROM policies p JOIN decision_type_versions v ON v.id = p.version_id
     WHERE p.decision_type_id = ? AND p.status = 'deployed'`,
  );
  const deployedIds = db
    .prepare<[], string>(
      `SELECT p.id FROM policies p JOIN decision_types t ON t.id = p.decision_type_id
       WHERE p.status = 'deployed' AND t.deleted_at IS NULL ORDER BY p.seq LIMIT 1000`,
    )
    .pluck();
  const slotHolder = db.prepare<[string], { id: string }>(
    `SELECT id FROM policies WHERE organisation_id = ? AND status IN ('training', 'stopping', 'cancelling')`,
  );
  const unfinished = db.prepare<[], PolicyRow>(
    `${policy} WHERE p.status IN ('training', 'stopping', 'cancelling') LIMIT 1000`,
  );
  const pastRun = db.prepare<[string, number, string], { examples: number; tookMs: number }>(
    `SELECT p.snapshot_size AS examples, a.completed_at - a.started_at AS tookMs
     FROM policies p JOIN training_attempts a ON a.policy_id = p.id AND a.status = 'succeeded'
     WHERE p.organisation_id = ? AND p.snapshot_size > 0 AND p.created_at <= ?
     ORDER BY p.decision_type_id = ? DESC, p.seq DESC LIMIT 1`,
  );
  const isKept = db.prepare<[string], { id: string }>(
    'SELECT id FROM policies WHERE id = ? AND bundle_sha256 IS NOT NULL',
  );
  const deployedByType = new Map<string, DeployedPolicy | null>();

  return {
    list: (typeId: string) => list.all(typeId),
    get: (typeId: string, policyId: string) => one.get(policyId, typeId),
    byId: (policyId: string) => byId.get(policyId),
    attempts: (policyId: string) => attempts.all(policyId),
    exampleCounts(typeId: string): ExampleCounts {
      const found: ExampleCounts = { total: 0, labelled: 0, perOption: new Map() };
      for (const { decision, n } of counts.all(typeId)) {
        found.total += n;
        if (decision === null) continue;
        found.labelled += n;
        found.perOption.set(decision, n);
      }
      return found;
    },
    /** The deployed policy of a type, or null. Kept in memory until a policy changes: every decide call asks. */
    deployedOf(typeId: string): DeployedPolicy | null {
      const known = deployedByType.get(typeId);
      if (known !== undefined) return known;
      const row = deployed.get(typeId);
      const found = row ? { ...row, options: JSON.parse(row.options) as string[] } : null;
      deployedByType.set(typeId, found);
      return found;
    },
    runs: createTrainingRuns(db, clock, () => deployedByType.clear()),
    deployedIds: (): string[] => deployedIds.all(),
    /** The latest training that succeeded before `policy` began: of its own type where there is one. */
    pastRun: (policy: PolicyRow): PastRun | null =>
      pastRun.get(policy.organisation_id, policy.created_at, policy.decision_type_id) ?? null,
    slotHolder: (organisationId: string) => slotHolder.get(organisationId)?.id,
    unfinished: () => unfinished.all(),
    keepsBundle: (policyId: string) => isKept.get(policyId) !== undefined,
  };
}
export type PolicyStore = ReturnType<typeof createPolicyStore>;
