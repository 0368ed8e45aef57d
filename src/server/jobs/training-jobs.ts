/**
 * The life of trainings: one process per attempt, signs of life, cancel, retry, result. A policy ends in exactly one
 * terminal state; an attempt that was replaced writes nothing.
 */
import { readFileSync, rmSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type TrainingConfig, trainingStages } from '../../engine/domain.ts';
import type { Proposal, TeacherRequest } from '../../engine/training/request.ts';
import { type Clock, sha256 } from '../process/clock.ts';
import { renameDurably } from '../process/durable-file.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import { artifactPath } from '../runtime/deployed.ts';
import type { PolicyStore } from '../store/policies.ts';
import { StaleAttemptError } from '../store/training-runs.ts';
import {
  type ActiveAttempt,
  advance,
  completeStages,
  createActiveAttempt,
  type LiveProgress,
  type Phase,
} from './attempt-state.ts';
import { resolveOrphans } from './orphans.ts';
import type { WorkerOrder, WorkerReport } from './worker.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

export type JobsLog = { warn(facts: object, text: string): void; error(facts: object, text: string): void };
export type TrainingJobsOptions = {
  policies: PolicyStore;
  spawn: SpawnChild;
  clock: Clock;
  artifactsDir: string;
  resourcesDir: string;
  /** Where workers keep the embeddings of texts; see encoding-cache.ts. */
  encodingsDir: string;
  toolVersion: string;
  heartbeatMs: number;
  /** A worker that shows no sign of life for this long is taken for dead. */
  deadAfterMs: number;
  /** A worker whose resident memory grows past this is stopped. */
  memoryMb: number;
  log: JobsLog;
  /** Everything the worker needs but the rows, as plain data. */
  requestOf(policyId: string): WorkerOrder['request'];
  /** Whether a teacher is connected for the organisation of a policy. */
  hasTeacher(policyId: string): boolean;
  /** Asks that teacher; rejects with a sentence. `stillWanted` is asked before anything is charged. */
  teach(policyId: string, order: TeacherRequest, signal: AbortSignal, stillWanted: () => boolean): Promise<Proposal[]>;
  /** Rejects when the bundle does not decide as it should; such a bundle is not stored. */
  selfTest(bundle: Uint8Array): Promise<void>;
  /** Called after the commit that deployed a policy. */
  deployed(policyId: string): void;
};
const progressWriteIntervalMs = 1_000;
const rowsPerMessage = 500;
/** The part of a worker's memory that JavaScript objects may take; the rest is for typed arrays and native code. */
const heapShare = 0.7;
const orphanWaitMs = 5_000;
const orphanPollMs = 25;

/** Makes the job runner; call `resolveOrphans` once before the first `start`, `close` at the end. */
export function createTrainingJobs(options: TrainingJobsOptions) {
  const { policies, clock, artifactsDir, log } = options;
  const { runs } = policies;
  const active = new Map<string, ActiveAttempt>();
  /** Writes that failed (a full disk); tried again at every tick until they succeed. */
  let unsettled: (() => void)[] = [];
  let orphansLeft = false;
  const tickMs = Math.max(20, Math.min(1_000, options.deadAfterMs / 3));
  let lastTickMs = clock.monotonic();
  const timer = setInterval(tick, tickMs);
  timer.unref();

  function settle(write: () => void): void {
    try {
      write();
    } catch (error) {
      log.error({ err: error }, 'a training could not be recorded; it will be tried again');
      unsettled.push(write);
    }
  }

  function lookForOrphans(): void {
    orphansLeft = resolveOrphans(policies, artifactsDir) > 0;
  }

  function launch(policyId: string, attemptId: string, phase: Phase, mayRetry: boolean): ActiveAttempt {
    const job = createActiveAttempt(policyId, attemptId, phase, mayRetry, artifactsDir, clock.now());
    const order = {
      request: options.requestOf(policyId),
      resourcesDir: options.resourcesDir,
      encodingsDir: options.encodingsDir,
      outFile: job.partFile,
      heartbeatMs: options.heartbeatMs,
      hasTeacher: options.hasTeacher(policyId),
    };
    const process = { tag: attemptId, heapMb: Math.round(options.memoryMb * heapShare) };
    job.run = startWorkerProcess(options.spawn, process, order, () => clock.monotonic(), {
      report: (report) => receive(job, report),
      exited: (how) => exited(job, how),
    });
    active.set(policyId, job);
    void feed(job, job.run);
    settle(() => runs.setPid(attemptId, job.run?.pid ?? null));
    return job;
  }

  /** Hands the snapshot to the worker in pieces, so that calls are answered in between. */
  async function feed(job: ActiveAttempt, run: WorkerProcess): Promise<void> {
    const isWanted = () => !job.gone && (job.phase === 'dispatching' || job.phase === 'running');
    try {
      await run.accepted.catch(() => undefined);
      for (let after = -1, last = false; !last && isWanted(); ) {
        const rows = runs.snapshotAfter(job.policyId, after, rowsPerMessage);
        last = rows.length < rowsPerMessage;
        after = rows.at(-1)?.position ?? after;
        await run.send({ rows, last });
        await nextTurn();
      }
    } catch (error) {
      if (isWanted()) fail(job, `the examples could not be read: ${messageOf(error)}`);
    }
  }

  function receive(job: ActiveAttempt, report: Exclude<WorkerReport, { kind: 'accepted' }>): void {
    job.lastSignAt = clock.now();
    if (job.phase !== 'running') return;
    if (report.kind === 'done') job.completion = complete(job, report);
    else if (report.kind === 'failed') fail(job, report.message);
    else if (report.residentMb > options.memoryMb) {
      fail(
        job,
        `out of memory: the training needs more than ${options.memoryMb} MB; train on fewer examples or fields`,
      );
    } else if (report.kind === 'snapshot') {
      settle(() => runs.seal(job.policyId, job.attemptId, report));
    } else if (report.kind === 'teach') {
      void answer(job, report);
    } else {
      const newStage = report.kind === 'progress' && advance(job, report, clock.now());
      keep(job, newStage);
    }
  }

  async function answer(job: ActiveAttempt, report: Extract<WorkerReport, { kind: 'teach' }>): Promise<void> {
    const { id, order } = report;
    const isWanted = () => job.phase === 'running';
    try {
      const proposals = await options.teach(job.policyId, order, job.questions.signal, isWanted);
      if (isWanted()) await job.run?.send({ id, proposals });
    } catch (error) {
      if (isWanted()) await job.run?.send({ id, failure: messageOf(error) });
    }
  }

  /** Another attempt would end the same way; the policy is `failed` when the process is gone. */
  function fail(job: ActiveAttempt, verdict: string): void {
    job.phase = 'failing';
    job.verdict = verdict;
    job.run?.kill();
  }

  function keep(job: ActiveAttempt, atOnce: boolean): void {
    const nowMs = clock.monotonic();
    if (!atOnce && nowMs - job.lastWriteAtMs < progressWriteIntervalMs) return;
    job.lastWriteAtMs = nowMs;
    try {
      if (!runs.heartbeat(job.attemptId, job)) job.run?.kill();
    } catch (error) {
      // progress is also kept in memory; losing one note of it harms nothing
      log.warn({ err: error }, 'the progress of a training could not be recorded');
    }
  }

  async function complete(job: ActiveAttempt, report: Extract<WorkerReport, { kind: 'done' }>): Promise<void> {
    job.phase = 'completing';
    completeStages(job, trainingStages.length, clock.now());
    job.fraction = 1;
    const file = artifactPath(artifactsDir, job.policyId);
    try {
      // its file is durable and its report is here: the slot is not given away while the process lives
      job.run?.kill();
      await job.run?.ended;
      if (isEnded(job)) return;
      const bundle = readFileSync(job.partFile);
      if (sha256(bundle) !== report.sha256) throw new Error('the bundle on the disk is not the one that was trained');
      await options.selfTest(bundle);
      const policy = isEnded(job) ? undefined : policies.byId(job.policyId);
      if (!policy) return;
      const config = JSON.parse(policy.training_config) as TrainingConfig;
      const gateMet = config.target_f1 === null || report.metrics.macro_f1 >= config.target_f1;
      const deploy = config.auto_deploy && gateMet && policy.type_deleted_at === null;
      renameDurably(job.partFile, file);
      runs.heartbeat(job.attemptId, job);
      runs.complete({
        policyId: job.policyId,
        attemptId: job.attemptId,
        metrics: report.metrics,
        heldOut: report.heldOut,
        bundleSha256: report.sha256,
        bundleSizeBytes: report.sizeBytes,
        gateMet,
        deploy,
      });
      forget(job);
      if (deploy) options.deployed(job.policyId);
    } catch (error) {
      if (isEnded(job)) return;
      rmSync(file, { force: true });
      if (error instanceof StaleAttemptError) return forget(job);
      log.error({ err: error, policyId: job.policyId }, 'a training could not be completed');
      finish(job, 'failed', `The bundle could not be stored: ${messageOf(error)}`);
    }
  }

  /** Asked after each wait: a cancel may have come in between. */
  const isEnded = (job: ActiveAttempt): boolean => job.phase !== 'completing';

  function finish(job: ActiveAttempt, status: 'failed' | 'cancelled', error: string | null): void {
    forget(job);
    settle(() => void runs.end(job.policyId, job.attemptId, status, error));
  }

  function forget(job: ActiveAttempt): void {
    job.phase = 'ended';
    job.questions.abort();
    if (active.get(job.policyId) === job) active.delete(job.policyId);
    rmSync(job.partFile, { force: true });
    rmSync(`${job.partFile}.part`, { force: true });
    job.run?.kill();
  }

  /** The process is confirmed gone: only now may the slot be given away. */
  function exited(job: ActiveAttempt, how: string): void {
    job.gone = true;
    if (active.get(job.policyId) !== job || job.phase === 'completing' || job.phase === 'dispatching') return;
    if (job.phase === 'cancelling') {
      finish(job, 'cancelled', null);
      return;
    }
    if (job.phase === 'failing') {
      finish(job, 'failed', job.verdict);
      return;
    }
    if (job.phase === 'closing') {
      finish(job, 'failed', 'interrupted: the workbench was closed');
      return;
    }
    const error =
      job.phase === 'stopping' ? 'the training gave no sign of life' : `the training process ended (${how})`;
    if (!job.mayRetry) {
      finish(job, 'failed', error);
      return;
    }

    forget(job);
    settle(() => {
      const next = runs.retry(job.policyId, job.attemptId, error);
      if (next === null) return;
      try {
        const second = launch(job.policyId, next, 'running', false);
        second.run?.accepted.catch((cause) => log.warn({ err: cause }, 'the second attempt of a training ended early'));
      } catch (cause) {
        log.warn({ err: cause }, 'the second attempt of a training could not be started');
        settle(() => void runs.end(job.policyId, next, 'failed', error));
      }
    });
  }

  function tick(): void {
    const nowMs = clock.monotonic();
    // after a sleep of the machine or a stop of this process every worker gets a full period to show itself
    const slept = nowMs - lastTickMs > tickMs * 2 + 1_000;
    lastTickMs = nowMs;
    const writes = unsettled;
    unsettled = [];
    for (const write of writes) settle(write);
    if (orphansLeft) {
      orphansLeft = false;
      settle(lookForOrphans);
    }
    for (const job of active.values()) {
      if (!job.run) continue;
      if (slept) job.run.lastSignAtMs = nowMs;
      if (job.phase !== 'running' || nowMs - job.run.lastSignAtMs < options.deadAfterMs) continue;
      job.phase = 'stopping';
      settle(() => runs.mark(job.policyId, job.attemptId, 'stopping'));
      job.run.kill();
    }
  }

  return {
    /**
     * Dispatches the first attempt of a policy. Resolves when a worker took it, rejects when none did: nothing runs
     * then and the caller records the failure.
     */
    async start(policyId: string, attemptId: string): Promise<void> {
      const job = launch(policyId, attemptId, 'dispatching', true);
      try {
        await job.run?.accepted;
        if (job.phase === 'dispatching') job.phase = 'running';
      } catch (error) {
        if (job.phase !== 'dispatching') return;
        forget(job);
        throw error;
      }
    },
    /** Stops a training; the policy is `cancelled` when its process is gone. Safe to repeat. */
    cancel(policyId: string): void {
      const policy = policies.byId(policyId);
      if (!policy || policy.status === 'cancelling') return;
      const attemptId = policy.current_attempt_id;
      if (attemptId) runs.mark(policyId, attemptId, 'cancelling');
      const job = active.get(policyId);
      if (job && !job.gone) {
        job.phase = 'cancelling';
        job.run?.kill();
      } else if (job) finish(job, 'cancelled', null);
      else runs.end(policyId, attemptId, 'cancelled', null);
    },
    live: (policyId: string): LiveProgress | null => active.get(policyId) ?? null,
    /** Looks for dead workers now, not at the next tick. */
    judge: tick,
    /** Does a write now and, while it fails (a full disk), again at every tick. */
    settle,
    /** Waits up to 5 s for the processes of an earlier server to be gone; goes on looking at every tick. */
    async resolveOrphans(): Promise<void> {
      const endMs = clock.monotonic() + orphanWaitMs;
      for (lookForOrphans(); orphansLeft && clock.monotonic() < endMs; lookForOrphans()) await sleep(orphanPollMs);
    },
    /** Kills every worker, waits for their ends and records the trainings as interrupted; a finished one is stored. */
    async close(): Promise<void> {
      clearInterval(timer);
      const ends = [...active.values()].map(async (job) => {
        if (job.phase === 'completing') return job.completion;
        if (job.phase !== 'cancelling' && job.phase !== 'failing') job.phase = 'closing';
        job.run?.kill();
        await job.run?.ended;
      });
      await Promise.all(ends);
    },
  };
}
export type TrainingJobs = ReturnType<typeof createTrainingJobs>;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
