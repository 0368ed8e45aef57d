/** Policies and their attempts as they are read: for lists, for progress, for a training that is to start. */
import type { WorkbenchDatabase } from './database.ts';
import type { CheckedPolicy } from './example-reader.ts';
import {
  type AttemptRecord,
  inProgressSql,
  type PolicyRecord,
  type PolicySummaryRecord,
  type RawAttempt,
  type RawPolicy,
  selectPolicy,
  toAttempt,
  toPolicy,
  toPolicySummary,
} from './policy-records.ts';

/** How long a training of how many examples took. */
export type PastRun = { examples: number; tookMs: number };

function prepareStatements(db: WorkbenchDatabase) {
  return {
    list: db.prepare<[string], RawPolicy>(
      `${selectPolicy} WHERE p.decision_type_id = ? ORDER BY p.version DESC LIMIT 1000`,
    ),
    get: db.prepare<[string, string], RawPolicy>(`${selectPolicy} WHERE p.id = ? AND p.decision_type_id = ?`),
    byId: db.prepare<[string], RawPolicy>(`${selectPolicy} WHERE p.id = ?`),
    inProgress: db.prepare<[], RawPolicy>(`${selectPolicy} WHERE p.status IN ${inProgressSql} LIMIT 1000`),
    slotHolder: db
      .prepare<[string], string>(`SELECT id FROM policies WHERE organisation_id = ? AND status IN ${inProgressSql}`)
      .pluck(),
    newestTrained: db.prepare<[string], CheckedPolicy>(
      `SELECT id, created_at AS createdAt FROM policies
       WHERE decision_type_id = ? AND status IN ('trained', 'deployed') ORDER BY version DESC LIMIT 1`,
    ),
    attempts: db.prepare<[string], RawAttempt>(
      'SELECT * FROM training_attempts WHERE policy_id = ? ORDER BY attempt_number LIMIT 100',
    ),
    pastRun: db.prepare<[string, number, string], PastRun>(
      `SELECT p.snapshot_size AS examples, a.completed_at - a.started_at AS tookMs
       FROM policies p JOIN training_attempts a ON a.policy_id = p.id AND a.status = 'succeeded'
       WHERE p.organisation_id = ? AND p.snapshot_size > 0 AND p.created_at <= ?
       ORDER BY p.decision_type_id = ? DESC, p.seq DESC LIMIT 1`,
    ),
    bundleOwner: db
      .prepare<[string], string>('SELECT id FROM policies WHERE id = ? AND bundle_sha256 IS NOT NULL')
      .pluck(),
  };
}

/** The reading queries. What a training writes is in training-runs.ts, what is deployed in deployments.ts. */
export class PolicyStore {
  private readonly statements: ReturnType<typeof prepareStatements>;

  constructor(db: WorkbenchDatabase) {
    this.statements = prepareStatements(db);
  }

  /** The policies of a type, newest first. */
  list(typeId: string): PolicySummaryRecord[] {
    return this.statements.list.all(typeId).map(toPolicySummary);
  }

  get(typeId: string, policyId: string): PolicyRecord | null {
    const raw = this.statements.get.get(policyId, typeId);
    return raw === undefined ? null : toPolicy(raw);
  }

  byId(policyId: string): PolicyRecord | null {
    const raw = this.statements.byId.get(policyId);
    return raw === undefined ? null : toPolicy(raw);
  }

  /** The policy of a type whose training succeeded last. */
  findNewestTrained(typeId: string): CheckedPolicy | null {
    return this.statements.newestTrained.get(typeId) ?? null;
  }

  /** The attempts of a policy in their order. */
  attempts(policyId: string): AttemptRecord[] {
    return this.statements.attempts.all(policyId).map(toAttempt);
  }

  /** The policies of all organisations whose training has not ended. */
  listInProgress(): PolicyRecord[] {
    return this.statements.inProgress.all().map(toPolicy);
  }

  /** Whether a training of the organisation is in progress: each has one slot. */
  isSlotTaken(organisationId: string): boolean {
    return this.statements.slotHolder.get(organisationId) !== undefined;
  }

  /** The latest training that succeeded before `policy` began: of its own type where there is one. */
  findPastRun(policy: PolicyRecord): PastRun | null {
    return this.statements.pastRun.get(policy.organisationId, policy.createdAt, policy.decisionTypeId) ?? null;
  }

  /** Whether the file of the policy is the bundle of a finished training. */
  hasBundle(policyId: string): boolean {
    return this.statements.bundleOwner.get(policyId) !== undefined;
  }
}
