/** The writes of a training. Each names its attempt: one that was replaced changes nothing. */
import { randomUUID } from 'node:crypto';
import type { Metrics } from '../../../engine/domain/metrics.ts';
import type { TrainingConfig, TrainingStage } from '../../../engine/domain/training.ts';
import type { FollowUp, HeldOutRow } from '../../../engine/training/request.ts';
import type { Clock } from '../../process/clock.ts';
import type { WorkbenchDatabase } from '../database.ts';
import type { DecisionTypeRecord } from '../types/decision-types.ts';
import { createLabelCheckStore } from './label-checks.ts';
import { type CompletedStage, inProgressSql, type ToolVersions } from './policy-records.ts';
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
    insert: db.prepare(
      `INSERT INTO policies (id, organisation_id, decision_type_id, version_id, version, status, training_config, seed,
         snapshot_sha256, snapshot_size, tool_versions, created_at)
       VALUES (@id, @organisationId, @decisionTypeId, @versionId,
         (SELECT coalesce(max(version), 0) + 1 FROM policies WHERE decision_type_id = @decisionTypeId),
         'queued', @trainingConfig, 0, '', 0, @toolVersions, @createdAt)`,
    ),
    // It learns from what is there now, however long it has waited.
    begin: db.prepare(
      `UPDATE policies SET status = 'training', version_id = @versionId, fallback_option = @fallbackOption,
         pii_fields = @piiFields, created_at = @createdAt
       WHERE id = @id AND status = 'queued'`,
    ),
    setSnapshotSize: db.prepare('UPDATE policies SET snapshot_size = ? WHERE id = ?'),
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
    insertFollowing: db.prepare(
      `INSERT INTO policies (id, follows, version, status, quality_gate_met, metrics, bundle_sha256, bundle_size_bytes,
         completed_at, organisation_id, decision_type_id, version_id, training_config, fallback_option, seed,
         snapshot_sha256, snapshot_size, tool_versions, created_at, pii_fields)
       SELECT @id, id, @version, 'trained', @qualityGateMet,
         json_set(@metrics, '$.follow_up', json_extract(metrics, '$.follow_up')), @bundleSha256, @bundleSizeBytes, @at,
         organisation_id, decision_type_id, version_id, training_config, fallback_option, seed,
         snapshot_sha256, snapshot_size, tool_versions, created_at, pii_fields
       FROM policies p
       WHERE id = @policyId AND current_attempt_id = @attemptId AND status IN ('trained', 'deployed')
         AND @version = (SELECT max(version) + 1 FROM policies WHERE decision_type_id = p.decision_type_id)`,
    ),
    completeReport: db.prepare(
      `UPDATE policies SET metrics = json_patch(metrics, ?)
       WHERE id = ? AND current_attempt_id = ? AND status IN ('trained', 'deployed')`,
    ),
    insertHeldOut: db.prepare(
      `INSERT INTO held_out_predictions (policy_id, example_id, expected, predicted, probabilities, unfamiliar,
         input_hash)
       VALUES (@policyId, @example_id, @expected, @predicted, @probabilities, @unfamiliar, @input_hash)`,
    ),
  };
}

function prepareAttemptStatements(db: WorkbenchDatabase) {
  return {
    insert: db.prepare(
      `INSERT INTO training_attempts (id, policy_id, attempt_number, status, started_at, last_heartbeat_at)
       VALUES (@id, @policyId,
         (SELECT coalesce(max(attempt_number), 0) + 1 FROM training_attempts WHERE policy_id = @policyId),
         'running', @at, @at)`,
    ),
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
    this.#policies.insert.run({
      id,
      organisationId: type.organisationId,
      decisionTypeId: type.id,
      versionId: type.activeVersion.id,
      trainingConfig: JSON.stringify(trainingConfig),
      toolVersions: JSON.stringify(toolVersions),
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
    this.#policies.setSnapshotSize.run(size, policyId);
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
      const { changes } = this.#policies.insertFollowing.run({
        id,
        version,
        policyId,
        attemptId,
        qualityGateMet: Number(result.isQualityGateMet),
        metrics: JSON.stringify(result.metrics),
        bundleSha256: result.bundleSha256,
        bundleSizeBytes: result.bundleSizeBytes,
        at: this.#clock.now(),
      });
      if (changes === 0) throw new StaleAttemptError('Another policy was made meanwhile.');
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
    for (const row of rows) {
      const probabilities = JSON.stringify(row.probabilities);
      this.#policies.insertHeldOut.run({ ...row, policyId, probabilities, unfamiliar: Number(row.unfamiliar) });
    }
  }

  #addAttempt(policyId: string): string {
    const id = randomUUID();
    this.#attempts.insert.run({ id, policyId, at: this.#clock.now() });
    this.#policies.setCurrentAttempt.run(id, policyId);
    return id;
  }

  #runTransaction<T>(work: () => T): T {
    return this.#db.transaction(work).immediate();
  }
}
