/** The writes of a training. Each names its attempt: one that was replaced changes nothing. */
import { randomUUID } from 'node:crypto';
import type { Metrics } from '../../../engine/domain/metrics.ts';
import type { TrainingConfig, TrainingStage } from '../../../engine/domain/training.ts';
import type { FollowUp, HeldOutRow } from '../../../engine/training/request.ts';
import type { Clock } from '../../process/clock.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { heldOutTable } from '../examples/held-out.ts';
import type { DecisionTypeRecord } from '../types/decision-types.ts';
import { createLabelCheckStore } from './label-checks.ts';
import {
  attemptTable,
  type CompletedStage,
  inProgressSql,
  policyTable,
  type RawPolicy,
  selectPolicy,
  type ToolVersions,
  toPolicy,
} from './policy-records.ts';
import { createSnapshotStore } from './snapshots.ts';

/** How far an attempt is; `fraction` (0–1) is of the whole training. */
export type AttemptProgress = {
  stage: TrainingStage;
  fraction: number;
  message: string;
  completedStages: CompletedStage[];
};
export type AttemptKey = { policyId: string; attemptId: string };
type NewName = { id: string; version: number };
type TrainingResult = {
  metrics: Metrics;
  heldOut: HeldOutRow[];
  bundleSha256: string;
  bundleSizeBytes: number;
  isQualityGateMet: boolean;
};

/** The attempt that reported its result is not the current one; its transaction is rolled back. */
export class StaleAttemptError extends Error {}

function preparePolicyStatements(db: WorkbenchDatabase) {
  return {
    // It learns from what is there now, however long it has waited.
    begin: db.prepare(
      `UPDATE policies SET status = 'training', version_id = @versionId, fallback_option = @fallbackOption,
         pii_fields = @piiFields, created_at = @createdAt
       WHERE id = @id AND status = 'queued'`,
    ),
    noteSnapshot: db.prepare(
      'UPDATE policies SET snapshot_size = ?, snapshot_last_seq = (SELECT max(seq) FROM examples) WHERE id = ?',
    ),
    setSnapshotDigest: db.prepare(
      `UPDATE policies SET snapshot_sha256 = ?, seed = ?, tool_versions = json_set(tool_versions, '$.runtime', ?)
       WHERE id = ? AND current_attempt_id = ?`,
    ),
    setCurrentAttempt: db.prepare('UPDATE policies SET current_attempt_id = ? WHERE id = ?'),
    // A write that comes late (it is tried again after a full disk) must not bring an ended training back.
    setStatus: db.prepare(
      `UPDATE policies SET status = ? WHERE id = ? AND current_attempt_id = ? AND status IN ${inProgressSql}`,
    ),
    isRetried: db
      .prepare<[string, string], string>(
        `SELECT id FROM policies WHERE id = ? AND current_attempt_id = ? AND status IN ('training', 'stopping')`,
      )
      .pluck(),
    setLastError: db.prepare('UPDATE policies SET last_training_error = ? WHERE id = ?'),
    end: db.prepare(
      `UPDATE policies SET status = ?, error = ?, last_training_error = coalesce(?, last_training_error),
         completed_at = ?
       WHERE id = ? AND current_attempt_id IS ? AND status IN ${inProgressSql}`,
    ),
    complete: db.prepare(
      `UPDATE policies SET status = 'trained', quality_gate_met = @qualityGateMet, metrics = @metrics,
         bundle_sha256 = @bundleSha256, bundle_size_bytes = @bundleSizeBytes, completed_at = @at
       WHERE id = @policyId AND current_attempt_id = @attemptId AND status = 'training'`,
    ),
    insert: policyTable.prepareInsert(db),
    nextVersion: db
      .prepare<[string], number>('SELECT coalesce(max(version), 0) + 1 FROM policies WHERE decision_type_id = ?')
      .pluck(),
    followed: db.prepare<[string, string], RawPolicy>(
      `${selectPolicy} WHERE p.id = ? AND p.current_attempt_id = ? AND p.status IN ('trained', 'deployed')`,
    ),
    completeReport: db.prepare(
      `UPDATE policies SET metrics = json_patch(metrics, ?)
       WHERE id = ? AND current_attempt_id = ? AND status IN ('trained', 'deployed')`,
    ),
    insertHeldOut: heldOutTable.prepareInsert(db),
  };
}

function prepareAttemptStatements(db: WorkbenchDatabase) {
  return {
    insert: attemptTable.prepareInsert(db),
    nextNumber: db
      .prepare<[string], number>(
        'SELECT coalesce(max(attempt_number), 0) + 1 FROM training_attempts WHERE policy_id = ?',
      )
      .pluck(),
    setPid: db.prepare('UPDATE training_attempts SET pid = ? WHERE id = ?'),
    heartbeat: db.prepare(
      `UPDATE training_attempts SET last_heartbeat_at = ?, stage = ?, fraction = ?, message = ?, completed_stages = ?
       WHERE id = ? AND status = 'running'`,
    ),
    setStatus: db.prepare('UPDATE training_attempts SET status = ? WHERE id = ? AND completed_at IS NULL'),
    end: db.prepare(
      'UPDATE training_attempts SET status = ?, error = ?, completed_at = ? WHERE id = ? AND completed_at IS NULL',
    ),
  };
}

/** The writing queries of trainings, each a transaction of its own or part of the caller's. */
export class TrainingRunStore {
  readonly snapshots;
  readonly labelChecks;
  readonly #db: WorkbenchDatabase;
  readonly #clock: Clock;
  readonly #policies: ReturnType<typeof preparePolicyStatements>;
  readonly #attempts: ReturnType<typeof prepareAttemptStatements>;

  constructor(db: WorkbenchDatabase, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.snapshots = createSnapshotStore(db);
    this.labelChecks = createLabelCheckStore(db);
    this.#policies = preparePolicyStatements(db);
    this.#attempts = prepareAttemptStatements(db);
  }

  /** Writes a policy whose training waits. Runs inside the caller's transaction together with the charge. */
  queue(type: DecisionTypeRecord, trainingConfig: TrainingConfig, toolVersions: ToolVersions): string {
    const id = randomUUID();
    this.#policies.insert({
      ...{ id, trainingConfig, toolVersions },
      version: this.#policies.nextVersion.get(type.id) ?? 1,
      organisationId: type.organisationId,
      decisionTypeId: type.id,
      versionId: type.activeVersion.id,
      status: 'queued',
      seed: 0,
      snapshotSha256: '',
      snapshotSize: 0,
      createdAt: this.#clock.now(),
    });
    return id;
  }

  /** Begins a training that waits: writes snapshot and first attempt, in the caller's transaction. */
  begin(policyId: string, type: DecisionTypeRecord): AttemptKey {
    this.#policies.begin.run({
      id: policyId,
      versionId: type.activeVersion.id,
      fallbackOption: type.fallbackOption,
      piiFields: JSON.stringify(type.piiFields),
      createdAt: this.#clock.now(),
    });
    const size = this.snapshots.copyExamples(policyId, type.id, type.activeVersion.definition.options);
    this.#policies.noteSnapshot.run(size, policyId);
    return { policyId, attemptId: this.#addAttempt(policyId) };
  }

  /** Stores the worker's facts about the snapshot and its runtime. */
  describeSnapshot(key: AttemptKey, found: { sha256: string; seed: number; runtime: string }): void {
    this.#policies.setSnapshotDigest.run(found.sha256, found.seed, found.runtime, key.policyId, key.attemptId);
  }

  setPid(attemptId: string, pid: number | null): void {
    this.#attempts.setPid.run(pid, attemptId);
  }

  /** Notes a heartbeat. False when the attempt is no longer the running one: its process must stop. */
  heartbeat(attemptId: string, progress: AttemptProgress): boolean {
    const { stage, fraction, message, completedStages } = progress;
    const stages = JSON.stringify(completedStages);
    return this.#attempts.heartbeat.run(this.#clock.now(), stage, fraction, message, stages, attemptId).changes === 1;
  }

  /** Says that an attempt is on its way out. Does nothing when the training has ended. */
  setStatus(key: AttemptKey, status: 'stopping' | 'cancelling'): void {
    this.#runTransaction(() => {
      const { changes } = this.#policies.setStatus.run(status, key.policyId, key.attemptId);
      if (changes === 1) this.#attempts.setStatus.run(status, key.attemptId);
    });
  }

  /** Opens the next attempt after a dead one; returns its id, or null when the training has ended. */
  retry(key: AttemptKey, error: string): string | null {
    return this.#runTransaction(() => {
      const { policyId, attemptId } = key;
      if (this.#policies.isRetried.get(policyId, attemptId) === undefined) return null;
      this.#attempts.end.run('failed', error, this.#clock.now(), attemptId);
      this.#policies.setLastError.run(error, policyId);
      const nextId = this.#addAttempt(policyId);
      this.#policies.setStatus.run('training', policyId, nextId);
      return nextId;
    });
  }

  /** Writes a terminal state without a bundle; false when the policy ended or `attemptId` is not its current one. */
  end(policyId: string, attemptId: string | null, status: 'failed' | 'cancelled', error: string | null): boolean {
    return this.#runTransaction(() => {
      const at = this.#clock.now();
      if (attemptId !== null) this.#attempts.end.run(status, error, at, attemptId);
      const hasEnded = this.#policies.end.run(status, error, error, at, policyId, attemptId).changes === 1;
      if (!hasEnded) return false;
      this.snapshots.remove(policyId);
      this.labelChecks.remove(policyId);
      return true;
    });
  }

  /** Writes report, bundle and status at once. Throws StaleAttemptError, nothing written. */
  complete({ policyId, attemptId }: AttemptKey, result: TrainingResult): void {
    const at = this.#clock.now();
    this.#runTransaction(() => {
      const { changes } = this.#policies.complete.run({
        policyId,
        attemptId,
        qualityGateMet: result.isQualityGateMet ? 1 : 0,
        metrics: JSON.stringify(result.metrics),
        bundleSha256: result.bundleSha256,
        bundleSizeBytes: result.bundleSizeBytes,
        at,
      });
      if (changes === 0) throw new StaleAttemptError('The attempt is not the current one.');
      this.#insertHeldOut(policyId, result.heldOut);
      this.#attempts.end.run('succeeded', null, at, attemptId);
      this.snapshots.remove(policyId);
    });
  }

  /** Writes a policy tuned from the rows of another one. Throws StaleAttemptError where one was made since. */
  insertFollowing({ policyId, attemptId }: AttemptKey, { id, version }: NewName, result: TrainingResult): void {
    this.#runTransaction(() => {
      const raw = this.#policies.followed.get(policyId, attemptId);
      const followed = raw && toPolicy(raw);
      if (followed === undefined || version !== this.#policies.nextVersion.get(followed.decisionTypeId))
        throw new StaleAttemptError('Another policy was made meanwhile.');
      const { organisationId, decisionTypeId, versionId, trainingConfig, fallbackOption, seed, ...rest } = followed;
      const { snapshotSha256, snapshotSize, toolVersions, createdAt, piiFields } = rest;
      const { heldOut: _, metrics, ...trained } = result;
      this.#policies.insert({
        ...{ organisationId, decisionTypeId, versionId, trainingConfig, fallbackOption, seed },
        ...{ snapshotSha256, snapshotSize, toolVersions, createdAt, piiFields },
        ...{ id, version, ...trained },
        follows: policyId,
        status: 'trained',
        metrics: { ...metrics, follow_up: followed.metrics?.follow_up ?? null },
        completedAt: this.#clock.now(),
      });
      this.#insertHeldOut(id, result.heldOut);
    });
  }

  /** Writes the figures computed after the training; false where the policy is gone. */
  completeReport({ policyId, attemptId }: AttemptKey, metrics: FollowUp['metrics']): boolean {
    return this.#runTransaction(() => {
      const { changes } = this.#policies.completeReport.run(JSON.stringify(metrics), policyId, attemptId);
      if (changes === 1) this.labelChecks.complete(policyId, metrics.follow_up?.expected_wrong ?? null);
      return changes === 1;
    });
  }

  /** Writes what tuning in the background brought into the report of the policy that it began with. */
  noteTuning({ policyId, attemptId }: AttemptKey, textTuning: Metrics['text_tuning']): void {
    this.#policies.completeReport.run(JSON.stringify({ text_tuning: textTuning }), policyId, attemptId);
  }

  #insertHeldOut(policyId: string, rows: readonly HeldOutRow[]): void {
    for (const { example_id: exampleId, input_hash: inputHash, ruled: _, ...row } of rows)
      this.#policies.insertHeldOut({ ...row, policyId, exampleId, inputHash });
  }

  #addAttempt(policyId: string): string {
    const id = randomUUID();
    const at = this.#clock.now();
    this.#attempts.insert({
      ...{ id, policyId, startedAt: at, lastHeartbeatAt: at },
      attemptNumber: this.#attempts.nextNumber.get(policyId) ?? 1,
      ...{ status: 'running', stage: 'prepare', fraction: 0, message: '', completedStages: [] },
    });
    this.#policies.setCurrentAttempt.run(id, policyId);
    return id;
  }

  #runTransaction<T>(work: () => T): T {
    return this.#db.transaction(work).immediate();
  }
}
