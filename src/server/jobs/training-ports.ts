/** The interface of the training runner: its inputs, the services that it calls, and what it shows. */
import type { FollowUp, PolicyName, Proposal, TeacherRequest } from '../../engine/training/request.ts';
import type { Clock } from '../process/clock.ts';
import type { Log } from '../process/log.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import type { PolicyStore } from '../store/policies/policies.ts';
import type { AttemptKey, AttemptProgress, TrainingRunStore } from '../store/policies/training-runs.ts';
import type { PendingWrites } from './pending-writes.ts';
import type { WorkerOrder, WorkerResult } from './worker-messages.ts';

/** A result that is to be stored; `partFile` holds the bundle under its temporary name. */
export type FinishedTraining = AttemptKey & { result: WorkerResult; progress: AttemptProgress; partFile: string };
/** The same of a tuning in the background: a policy of its own that follows the one of the attempt. */
export type FinishedTuning = Omit<FinishedTraining, 'progress'> & { next: PolicyName };

type TrainingPorts = {
  /** Begins a training that waits for a slot that has become free; nothing where none does. */
  beginWaiting(): void;
  /** Everything the worker needs but the rows, as plain data. */
  toRequest(policyId: string): WorkerOrder['request'];
  /** Whether a teacher is connected for the organisation of a policy. */
  hasTeacher(policyId: string): boolean;
  /** Asks that teacher; rejects with a sentence. `isWanted` is asked before anything is charged. */
  askTeacher(
    policyId: string,
    request: TeacherRequest,
    signal: AbortSignal,
    isWanted: () => boolean,
  ): Promise<Proposal[]>;
  /** Records a cancelled (`error` null) or interrupted training; refunds one that had not begun to compute. */
  endUnfinished(training: { policyId: string; attemptId: string | null }, error: string | null): void;
  /**
   * Checks and stores the result. `refused`: the attempt is not the current one. `unwanted`: `isWanted` became false
   * meanwhile. Rejects, nothing stored, when the bundle is not sound or cannot be written.
   */
  complete(finished: FinishedTraining, isWanted: () => boolean): Promise<'stored' | 'refused' | 'unwanted'>;
  /** Adds the figures computed after the training to the report of its policy, which has the label checks already. */
  completeReport(attempt: AttemptKey, metrics: FollowUp['metrics']): void;
  /** Stores the result of a tuning in the background, to be offered or deployed; rejects as `complete` does. */
  completeTuning(finished: FinishedTuning, isWanted: () => boolean): Promise<void>;
};

export type TrainingJobsOptions = {
  policies: PolicyStore;
  trainingRuns: TrainingRunStore;
  /** Takes writes that must be recorded even if the disk is full now; retried with every check of the heartbeats. */
  pendingWrites: PendingWrites;
  ports: TrainingPorts;
  /** Hears when the process of a training has reported, or its state has changed. */
  onProgress(policyId: string, isEnded: boolean): void;
  spawn: SpawnChild;
  clock: Clock;
  artifactsDir: string;
  trashDir: string;
  resourcesDir: string;
  /** Where the text models lie that the user added. */
  ownTextModelsDir: string;
  /** Where workers keep the embeddings of texts; see encoding-cache.ts. */
  encodingsDir: string;
  heartbeatMs: number;
  /** A worker that sends no heartbeat for this long is taken for dead. */
  heartbeatTimeoutMs: number;
  /** A worker whose resident memory grows past this is stopped. */
  maxMemoryMb: number;
  log: Log;
};

/** How far a running training is, as its process last reported; `tuning` says what one in the background does. */
export type LiveProgress = AttemptProgress & { attemptId: string; lastHeartbeatAt: number; tuning: string | null };
