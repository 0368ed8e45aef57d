/** Policies and their attempts as they are read, and policies of rules alone as they are made. */
import { readWay } from '../../../engine/domain/metrics.ts';
import { atRandom, type SplitWay, trainingConfigSchema } from '../../../engine/domain/training.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { WorkbenchDatabase } from '../database.ts';
import type { DecisionTypeRecord } from '../types/decision-types.ts';
import {
  type AttemptRecord,
  attemptTable,
  inProgressSql,
  noMetrics,
  type PolicyRecord,
  type PolicySummaryRecord,
  policyTable,
  type RawPolicy,
  selectPolicy,
  slotSql,
  type ToolVersions,
  toPolicy,
  toPolicySummary,
} from './policy-records.ts';

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
      .prepare<[string], string>(`SELECT id FROM policies WHERE organisation_id = ? AND status IN ${slotSql}`)
      .pluck(),
    nextQueued: db
      .prepare<[], string>(
        `SELECT id FROM policies q WHERE status = 'queued'
           AND NOT EXISTS (SELECT 1 FROM policies WHERE organisation_id = q.organisation_id AND status IN ${slotSql})
         ORDER BY seq LIMIT 1`,
      )
      .pluck(),
    queued: db
      .prepare<[string], string>(`SELECT id FROM policies WHERE decision_type_id = ? AND status = 'queued'`)
      .pluck(),
    countQueued: db
      .prepare<[string], number>(`SELECT count(*) FROM policies WHERE organisation_id = ? AND status = 'queued'`)
      .pluck(),
    queuePlace: db
      .prepare<[string], number>(
        `SELECT count(*) FROM policies q JOIN policies p ON p.organisation_id = q.organisation_id AND q.seq <= p.seq
         WHERE p.id = ? AND p.status = 'queued' AND q.status = 'queued'`,
      )
      .pluck(),
    forecast: db
      .prepare<[string], string | null>(
        `SELECT metrics ->> '$.learning_curve.forecast.sentence' FROM policies
         WHERE decision_type_id = ? AND status IN ('trained', 'deployed') AND follows IS NULL
         ORDER BY version DESC LIMIT 1`,
      )
      .pluck(),
    newestTrained: db
      .prepare<[string], string>(
        `SELECT id FROM policies
         WHERE decision_type_id = ? AND status IN ('trained', 'deployed') AND metrics <> '${noMetrics}'
           AND follows IS NULL
         ORDER BY version DESC LIMIT 1`,
      )
      .pluck(),
    newestOfAll: db.prepare<[string], { id: string; isOffered: number }>(
      `SELECT id, follows IS NOT NULL AND status = 'trained' AND deployed_at IS NULL AS isOffered FROM policies
       WHERE decision_type_id = ? AND status NOT IN ('failed', 'cancelled') ORDER BY version DESC LIMIT 1`,
    ),
    attempts: db.prepare<[string], Record<keyof AttemptRecord, unknown>>(
      `SELECT ${attemptTable.select()} FROM training_attempts WHERE policy_id = ? ORDER BY attempt_number LIMIT 100`,
    ),
    pastRun: db.prepare<[string, number], PastRun>(
      `SELECT p.snapshot_size AS examples, a.completed_at - a.started_at AS tookMs
       FROM policies p JOIN training_attempts a ON a.policy_id = p.id AND a.status = 'succeeded'
       WHERE p.decision_type_id = ? AND p.snapshot_size > 0 AND p.created_at <= ? ORDER BY p.seq DESC LIMIT 1`,
    ),
    nextVersion: db
      .prepare<[string], number>('SELECT coalesce(max(version), 0) + 1 FROM policies WHERE decision_type_id = ?')
      .pluck(),
    insert: policyTable.prepareInsert(db),
    bundleOwner: db
      .prepare<[string], string>('SELECT id FROM policies WHERE id = ? AND bundle_sha256 IS NOT NULL')
      .pluck(),
  };
}

/** A policy that was not trained here; its file is already there. `createdAt` is milliseconds since 1970. */
type UntrainedPolicy = {
  id: string;
  version: number;
  toolVersions: ToolVersions;
  bundle: { sha256: string; sizeBytes: number };
  createdAt: number;
  /** The training of an imported classifier; left out for rules alone. */
  origin?: Pick<PolicyRecord, 'seed' | 'snapshotSha256'> | null;
};

/** Reads policies, and makes those of rules alone; training-runs.ts and deployments.ts write the rest. */
export function createPolicyStore(db: WorkbenchDatabase) {
  const statements = prepareStatements(db);
  const getNextVersion = (typeId: string): number => statements.nextVersion.get(typeId) ?? 1;

  function byId(policyId: string): PolicyRecord | null {
    const raw = statements.byId.get(policyId);
    return raw === undefined ? null : toPolicy(raw);
  }

  return {
    getNextVersion,
    /** Writes a policy that was not trained here, in the caller's transaction; throws `conflict` (number taken). */
    insertUntrained(
      type: DecisionTypeRecord,
      { id, version, toolVersions, bundle, createdAt, origin = null }: UntrainedPolicy,
    ): void {
      if (version !== getNextVersion(type.id)) {
        throw new WorkbenchError('conflict', 'Another policy of the type was made meanwhile. Try again.');
      }
      statements.insert({
        ...{ id, version, toolVersions, createdAt },
        organisationId: type.organisationId,
        decisionTypeId: type.id,
        versionId: type.activeVersion.id,
        status: 'trained',
        trainingConfig: trainingConfigSchema.parse({}),
        fallbackOption: type.fallbackOption,
        piiFields: type.piiFields,
        metrics: null,
        bundleSha256: bundle.sha256,
        bundleSizeBytes: bundle.sizeBytes,
        completedAt: createdAt,
        snapshotSize: 0,
        ...(origin ?? { seed: 0, snapshotSha256: '' }),
      });
    },
    /** The policies of a type, newest first. */
    list: (typeId: string): PolicySummaryRecord[] => statements.list.all(typeId).map(toPolicySummary),
    get(typeId: string, policyId: string): PolicyRecord | null {
      const raw = statements.get.get(policyId, typeId);
      return raw === undefined ? null : toPolicy(raw);
    },
    byId,
    /** Says what more labels would bring to a type, by its newest training; null where it does not know. */
    findForecast: (typeId: string): string | null => statements.forecast.get(typeId) ?? null,
    /** The id of the newest policy of a type that was trained; one that follows another has its rows. */
    findNewestTrained: (typeId: string): string | null => statements.newestTrained.get(typeId) ?? null,
    /** How the newest trained policy of a type held rows out; at random before there is one. */
    readNewestSplit(typeId: string): SplitWay {
      const newest = byId(statements.newestTrained.get(typeId) ?? '');
      return newest === null ? atRandom : readWay(newest.metrics?.split ?? null);
    },
    /** The newest policy of a type where it was tuned in the background and waits to be taken. */
    findBetter(typeId: string): string | null {
      const newest = statements.newestOfAll.get(typeId);
      return newest?.isOffered === 1 ? newest.id : null;
    },
    attempts: (policyId: string): AttemptRecord[] => statements.attempts.all(policyId).map(attemptTable.read),
    /** The policies of all organisations whose training has not ended. */
    listInProgress: (): PolicyRecord[] => statements.inProgress.all().map(toPolicy),
    /** Whether a training of the organisation is under way: each has one slot. */
    isSlotTaken: (organisationId: string): boolean => statements.slotHolder.get(organisationId) !== undefined,
    /** The policy whose training waits longest for a slot that is free. */
    findNextQueued: (): PolicyRecord | null => byId(statements.nextQueued.get() ?? ''),
    /** The policy of a type whose training waits: one does at most. */
    findQueued: (typeId: string): PolicyRecord | null => byId(statements.queued.get(typeId) ?? ''),
    /** How many trainings of an organisation wait. */
    countQueued: (organisationId: string): number => statements.countQueued.get(organisationId) ?? 0,
    /** The place of a policy in its organisation's queue, from 1; null where its training does not wait. */
    readQueuePlace: (policyId: string): number | null => statements.queuePlace.get(policyId) || null,
    /** The latest training of its type that succeeded before `policy` began: a table says nothing of texts. */
    findPastRun: (policy: PolicyRecord): PastRun | null =>
      statements.pastRun.get(policy.decisionTypeId, policy.createdAt) ?? null,
    /** Whether the file of the policy is the bundle of a finished training. */
    hasBundle: (policyId: string): boolean => statements.bundleOwner.get(policyId) !== undefined,
  };
}

export type PolicyStore = ReturnType<typeof createPolicyStore>;
