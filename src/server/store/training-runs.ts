/** What a training writes. Every write of an attempt names the attempt: one that was replaced changes nothing. */
import { randomUUID } from 'node:crypto';
import type { Metrics, TrainingConfig } from '../../engine/domain.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import type { TrainOutcome } from '../../engine/training/request.ts';
import type { Clock } from '../process/clock.ts';
import type { WorkbenchDatabase } from './database.ts';
import type { DecisionTypeRecord } from './decision-types.ts';

export type AttemptProgress = { stage: string; fraction: number; message: string; completedStages: CompletedStage[] };
export type CompletedStage = { stage: string; name: string; completed_at: string };
export type Completed = {
  policyId: string;
  attemptId: string;
  metrics: Metrics;
  heldOut: TrainOutcome['heldOut'];
  bundleSha256: string;
  bundleSizeBytes: number;
  gateMet: boolean;
  deploy: boolean;
};
/** A row of a snapshot; `input` and `reason_codes` are JSON texts. */
export type SnapshotRow = {
  position: number;
  example_id: string;
  input: string;
  decision: string;
  reason_codes: string;
  source: 'user' | 'synthetic';
};

/** Prepares the writing statements. `changed` is told of every change of what is deployed. */
export function createTrainingRuns(db: WorkbenchDatabase, clock: Clock, changed: () => void) {
  const now = () => clock.now();
  const copyExamples = db.prepare(
    `INSERT INTO training_snapshots (policy_id, position, example_id, input, decision, reason_codes, source)
     SELECT ?, seq, id, input, decision, reason_codes, source FROM examples
     WHERE decision_type_id = ? AND decision IN (SELECT value FROM json_each(?))`,
  );
  const snapshotAfter = db.prepare<[string, number, number], SnapshotRow>(
    `SELECT position, example_id, input, decision, reason_codes, source FROM training_snapshots
     WHERE policy_id = ? AND position > ? ORDER BY position LIMIT ?`,
  );
  const dropSnapshot = db.prepare('DELETE FROM training_snapshots WHERE policy_id = ?');
  const insertPolicy = db.prepare(
    `INSERT INTO policies (id, organisation_id, decision_type_id, version_id, version, status, training_config, fallback_option,
       seed, snapshot_sha256, snapshot_size, tool_versions, created_at)
     VALUES (@id, @organisation_id, @decision_type_id, @version_id,
       (SELECT coalesce(max(version), 0) + 1 FROM policies WHERE decision_type_id = @decision_type_id),
       'training', @training_config, @fallback_option, 0, '', 0, @tool_versions, @created_at)`,
  );
  const setSize = db.prepare('UPDATE policies SET snapshot_size = ? WHERE id = ?');
  const seal = db.prepare(
    `UPDATE policies SET snapshot_sha256 = ?, seed = ?, tool_versions = json_set(tool_versions, '$.runtime', ?)
     WHERE id = ? AND current_attempt_id = ?`,
  );
  const insertAttempt = db.prepare(
    `INSERT INTO training_attempts (id, policy_id, attempt_number, status, started_at, last_heartbeat_at)
     VALUES (@id, @policyId, (SELECT coalesce(max(attempt_number), 0) + 1 FROM training_attempts WHERE policy_id = @policyId),
       'running', @at, @at)`,
  );
  const pointAt = db.prepare('UPDATE policies SET current_attempt_id = ? WHERE id = ?');
  const setPid = db.prepare('UPDATE training_attempts SET pid = ? WHERE id = ?');
  const heartbeat = db.prepare(
    `UPDATE training_attempts SET last_heartbeat_at = ?, stage = ?, fraction = ?, message = ?, completed_stages = ?
     WHERE id = ? AND status = 'running'`,
  );
  // a write that comes late (it is tried again after a full disk) must not bring an ended training back
  const setStatus = db.prepare(
    `UPDATE policies SET status = ? WHERE id = ? AND current_attempt_id = ?
     AND status IN ('training', 'stopping', 'cancelling')`,
  );
  const setAttempt = db.prepare('UPDATE training_attempts SET status = ? WHERE id = ? AND completed_at IS NULL');
  const isCurrent = db.prepare<[string, string], { id: string }>(
    `SELECT id FROM policies WHERE id = ? AND current_attempt_id = ? AND status IN ('training', 'stopping')`,
  );
  const endAttempt = db.prepare(
    'UPDATE training_attempts SET status = ?, error = ?, completed_at = ? WHERE id = ? AND completed_at IS NULL',
  );
  const noteError = db.prepare('UPDATE policies SET last_training_error = ? WHERE id = ?');
  const endPolicy = db.prepare(
    `UPDATE policies SET status = ?, error = ?, last_training_error = coalesce(?, last_training_error), completed_at = ?
     WHERE id = ? AND current_attempt_id IS ? AND status IN ('training', 'stopping', 'cancelling')`,
  );
  const completePolicy = db.prepare(
    `UPDATE policies SET status = @status, auto_deployed = @autoDeployed, quality_gate_met = @gateMet, metrics = @metrics,
       bundle_sha256 = @bundleSha256, bundle_size_bytes = @bundleSizeBytes, completed_at = @at, deployed_at = @deployedAt
     WHERE id = @policyId AND current_attempt_id = @attemptId AND status = 'training'`,
  );
  const insertHeldOut = db.prepare(
    'INSERT INTO held_out_predictions (policy_id, example_id, expected, predicted, probabilities) VALUES (?, ?, ?, ?, ?)',
  );
  const retireOthers = db.prepare(
    `UPDATE policies SET status = 'trained' WHERE status = 'deployed' AND id <> @policyId
       AND decision_type_id = (SELECT decision_type_id FROM policies WHERE id = @policyId)`,
  );
  const deployOne = db.prepare(
    `UPDATE policies SET status = 'deployed', deployed_at = ?, error = NULL WHERE id = ? AND status IN ('trained', 'deployed')`,
  );
  const withdraw = db.prepare(`UPDATE policies SET status = 'trained', error = ? WHERE id = ? AND status = 'deployed'`);

  /** Over the contents in their own order, not the ids: the same rows imported anew have the same digest. */
  function addAttempt(policyId: string): string {
    const id = randomUUID();
    insertAttempt.run({ id, policyId, at: now() });
    pointAt.run(id, policyId);
    return id;
  }

  const complete = db.transaction((done: Completed) => {
    const at = now();
    if (done.deploy) retireOthers.run({ policyId: done.policyId });
    const { changes } = completePolicy.run({
      policyId: done.policyId,
      attemptId: done.attemptId,
      status: done.deploy ? 'deployed' : 'trained',
      autoDeployed: done.deploy ? 1 : 0,
      gateMet: done.gateMet ? 1 : 0,
      metrics: JSON.stringify(done.metrics),
      bundleSha256: done.bundleSha256,
      bundleSizeBytes: done.bundleSizeBytes,
      at,
      deployedAt: done.deploy ? at : null,
    });
    if (changes === 0) throw new StaleAttemptError('the attempt is not the current one');
    for (const row of done.heldOut) {
      insertHeldOut.run(done.policyId, row.example_id, row.expected, row.predicted, JSON.stringify(row.probabilities));
    }
    endAttempt.run('succeeded', null, at, done.attemptId);
    dropSnapshot.run(done.policyId);
  });
  const deploy = db.transaction((policyId: string) => {
    retireOthers.run({ policyId });
    if (deployOne.run(now(), policyId).changes === 0) {
      throw new WorkbenchError('conflict', 'Only a trained or deployed policy can be deployed');
    }
  });

  return {
    /** Policy row, snapshot and first attempt. Runs inside the caller's transaction together with the charge. */
    begin(
      type: DecisionTypeRecord,
      config: TrainingConfig,
      toolVersions: object,
    ): { policyId: string; attemptId: string } {
      const policyId = randomUUID();
      insertPolicy.run({
        id: policyId,
        organisation_id: type.organisationId,
        decision_type_id: type.id,
        version_id: type.activeVersion.id,
        training_config: JSON.stringify(config),
        fallback_option: type.fallbackOption,
        tool_versions: JSON.stringify(toolVersions),
        created_at: now(),
      });
      const { changes } = copyExamples.run(policyId, type.id, JSON.stringify(type.activeVersion.definition.options));
      setSize.run(changes, policyId);
      return { policyId, attemptId: addAttempt(policyId) };
    },
    /** Up to `limit` rows of a snapshot after a position, as they are stored: to be handed on without being read. */
    snapshotAfter: (policyId: string, position: number, limit: number): SnapshotRow[] =>
      snapshotAfter.all(policyId, position, limit),
    /** Keeps what the worker found the snapshot to be, and what it computes with. */
    seal: (policyId: string, attemptId: string, found: { sha256: string; seed: number; runtime: string }) =>
      void seal.run(found.sha256, found.seed, found.runtime, policyId, attemptId),
    setPid: (attemptId: string, pid: number | null) => void setPid.run(pid, attemptId),
    /** False when the attempt is no longer the running one: its process must stop. */
    heartbeat: (attemptId: string, p: AttemptProgress): boolean =>
      heartbeat.run(now(), p.stage, p.fraction, p.message, JSON.stringify(p.completedStages), attemptId).changes === 1,
    /** Does nothing when the training has ended. */
    mark: db.transaction((policyId: string, attemptId: string, status: 'stopping' | 'cancelling') => {
      if (setStatus.run(status, policyId, attemptId).changes === 1) setAttempt.run(status, attemptId);
    }),
    /** Ends a dead attempt and opens the next one on the same snapshot; null when the training has ended meanwhile. */
    retry: db.transaction((policyId: string, attemptId: string, error: string): string | null => {
      if (isCurrent.get(policyId, attemptId) === undefined) return null;
      endAttempt.run('failed', error, now(), attemptId);
      noteError.run(error, policyId);
      const next = addAttempt(policyId);
      setStatus.run('training', policyId, next);
      return next;
    }),
    /** Terminal state without a bundle. False when the policy had already ended or another attempt is current. */
    end: db.transaction(
      (policyId: string, attemptId: string | null, status: 'failed' | 'cancelled', error: string | null) => {
        if (attemptId) endAttempt.run(status, error, now(), attemptId);
        const ended = endPolicy.run(status, error, error, now(), policyId, attemptId).changes === 1;
        if (ended) dropSnapshot.run(policyId);
        return ended;
      },
    ),
    /** Report, bundle, status and deployment at once. Throws StaleAttemptError, nothing written, if it is not current. */
    complete(done: Completed): void {
      complete(done);
      changed();
    },
    /** Deploys a trained policy; the others of its type go back to `trained`. Throws `conflict` from another status. */
    deploy(policyId: string): void {
      deploy(policyId);
      changed();
    },
    /** Takes a policy out of service whose file cannot be used; it may be deployed again when the file is back. */
    withdraw(policyId: string, error: string): void {
      withdraw.run(error, policyId);
      changed();
    },
  };
}
export type TrainingRuns = ReturnType<typeof createTrainingRuns>;

/** The attempt that reported its result is not the current one; its transaction is rolled back. */
export class StaleAttemptError extends Error {}
