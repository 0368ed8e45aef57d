/** Runs training attempts, a process each, by the decisions of attempt-machine.ts. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkbenchError } from '../../engine/errors.ts';
import type { PolicyName, Proposal, TeacherRequest } from '../../engine/training/request.ts';
import { scalePatience } from '../process/patience.ts';
import type { AttemptKey } from '../store/policies/training-runs.ts';
import {
  type AttemptEffect,
  type AttemptEvent,
  type AttemptState,
  firstAttempt,
  next,
  secondAttempt,
} from './attempt-machine.ts';
import {
  type ActiveAttempt,
  advanceProgress,
  createActiveAttempt,
  finishProgress,
  isInProgress,
  isRunning,
} from './attempt-progress.ts';
import { endOrphans } from './orphans.ts';
import type { LiveProgress, TrainingJobsOptions } from './training-ports.ts';
import type { WorkerOrder, WorkerReport, WorkerResult } from './worker-messages.ts';
import { sendSnapshot, WorkerProcess } from './worker-process.ts';

const progressWriteIntervalMs = 1_000;
/** The part of a worker's memory that JavaScript objects may take; the rest is for typed arrays and native code. */
const heapShare = 0.7;
/** Reports of earlier trainings that are completed beside a training: each holds the memory of its training. */
const maxCompleting = 2;
const orphanWaitMs = 5_000;
const orphanPollMs = 25;

/** Runs training attempts. Call `resolveOrphans` once before the first `start`, and `close` at the end. */
export class TrainingJobs {
  readonly #options: TrainingJobsOptions;
  readonly #active = new Map<string, ActiveAttempt>();
  readonly #checkIntervalMs: number;
  readonly #timer: NodeJS.Timeout;
  #lastCheckMs: number;
  #hasOrphans = false;
  /** Nothing that waits begins before the end of what an earlier server left. */
  #isOpen = false;

  constructor(options: TrainingJobsOptions) {
    this.#options = options;
    this.#checkIntervalMs = Math.max(20, Math.min(1_000, options.heartbeatTimeoutMs / 3));
    this.#lastCheckMs = options.clock.monotonic();
    this.#timer = setInterval(() => {
      this.checkHeartbeats();
      if (this.#isOpen) options.ports.beginWaiting();
    }, this.#checkIntervalMs);
    this.#timer.unref();
  }

  /**
   * Dispatches a first attempt; rejects when no worker took it. It ends every tuning in the background; reports of
   * earlier trainings are completed meanwhile, the newest of them.
   */
  async start(key: AttemptKey): Promise<void> {
    const others = [...this.#active.values()];
    const completing = others.filter(({ tuning }) => tuning === null);
    for (const other of others)
      if (!completing.slice(-maxCompleting).includes(other)) this.#apply(other, { kind: 'superseded' });
    const attempt = this.#launch(key, firstAttempt);
    try {
      await attempt.process.accepted;
    } catch (error) {
      const { phase } = attempt.state;
      if (phase.kind === 'ended' && phase.outcome === 'undispatched') throw error;
    }
  }

  /** Stops a training; safe to repeat. Throws, nothing changed, when the cancel cannot be recorded. */
  cancel(policyId: string): void {
    const { policies, ports, trainingRuns } = this.#options;
    const policy = policies.byId(policyId);
    if (policy === null || policy.status === 'cancelling') return;
    const attemptId = policy.currentAttemptId;
    if (attemptId !== null) trainingRuns.setStatus({ policyId, attemptId }, 'cancelling');
    const attempt = this.#active.get(policyId);
    if (attempt === undefined) ports.endUnfinished({ policyId, attemptId }, null);
    else this.#apply(attempt, { kind: 'cancelRequested' });
  }

  /** Ends the tuning of a stored policy in the background; false if there is none. */
  endTuning(policyId: string): boolean {
    const attempt = this.#active.get(policyId);
    if (attempt === undefined || attempt.tuning === null) return false;
    attempt.tuning = null;
    this.#apply(attempt, { kind: 'superseded' });
    return true;
  }

  /** Cancels the training of a decision type that is deleted: nobody could address it afterwards. */
  cancelOfType(typeId: string): void {
    for (const { id, decisionTypeId } of this.#options.policies.listInProgress()) {
      if (decisionTypeId === typeId) this.cancel(id);
    }
  }

  /** The progress of a training whose process runs, also to complete the report of a policy; null when none does. */
  findProgress(policyId: string): LiveProgress | null {
    const attempt = this.#active.get(policyId);
    if (attempt === undefined) return null;
    const { attemptId, progress, lastHeartbeatAt, tuning } = attempt;
    return { ...progress, attemptId, lastHeartbeatAt, tuning };
  }

  /** Looks for dead workers and tries failed writes again, now and not at the next interval. */
  checkHeartbeats(): void {
    const nowMs = this.#options.clock.monotonic();
    // After a sleep of the machine or a stop of this process every worker gets a full period to show itself.
    const hasSlept = nowMs - this.#lastCheckMs > this.#checkIntervalMs * 2 + 1_000;
    this.#lastCheckMs = nowMs;
    this.#options.pendingWrites.retry();
    if (this.#hasOrphans) {
      this.#hasOrphans = false;
      this.#options.pendingWrites.run(() => this.#endOrphans());
    }
    const patienceMs = scalePatience(this.#options.heartbeatTimeoutMs);
    for (const attempt of this.#active.values()) {
      const { process } = attempt;
      if (hasSlept) process.lastHeartbeatMs = nowMs;
      if (nowMs - process.lastHeartbeatMs >= patienceMs) {
        this.#apply(attempt, { kind: 'heartbeatMissed' });
      }
    }
  }

  /**
   * Waits up to 5 s for the processes of an earlier server to be gone; goes on looking with every check. From then on
   * trainings that wait are begun.
   */
  async resolveOrphans(): Promise<void> {
    const { clock } = this.#options;
    const endMs = clock.monotonic() + orphanWaitMs;
    for (this.#endOrphans(); this.#hasOrphans && clock.monotonic() < endMs; this.#endOrphans())
      await sleep(orphanPollMs);
    this.#isOpen = true;
  }

  /** Kills every worker, waits for their ends and records the trainings as interrupted; a finished one is stored. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const attempts = [...this.#active.values()];
    for (const attempt of attempts) this.#apply(attempt, { kind: 'closeRequested' });
    await Promise.all(attempts.map(({ ended }) => ended));
  }

  #endOrphans(): void {
    this.#hasOrphans = endOrphans(this.#options, this.#options.clock.now()) > 0;
  }

  /** Starts a worker. Throws when no process could be made. */
  #launch({ policyId, attemptId }: AttemptKey, state: AttemptState): ActiveAttempt {
    const options = this.#options;
    const partFile = join(options.artifactsDir, `${policyId}.${attemptId}.attempt`);
    const order: WorkerOrder = {
      request: options.ports.toRequest(policyId),
      resourcesDir: options.resourcesDir,
      ownTextModelsDir: options.ownTextModelsDir,
      encodingsDir: options.encodingsDir,
      outFile: partFile,
      heartbeatMs: options.heartbeatMs,
      hasTeacher: options.ports.hasTeacher(policyId),
    };
    const child = { tag: attemptId, heapMb: Math.round(options.maxMemoryMb * heapShare) };
    const process = new WorkerProcess(options.spawn, child, order, () => options.clock.monotonic(), {
      accepted: () => this.#apply(attempt, { kind: 'accepted' }),
      reported: (report) => this.#receive(attempt, report),
      asked: (request) => this.#askTeacher(attempt, request),
      exited: (how) => this.#apply(attempt, { kind: 'exited', how }),
    });
    const attempt = createActiveAttempt({ policyId, attemptId }, state, process, partFile, options.clock.now());
    this.#active.set(policyId, attempt);
    void this.#feed(attempt);
    options.pendingWrites.run(() => options.trainingRuns.setPid(attemptId, process.pid));
    return attempt;
  }

  /** Passes an event to the machine and carries out its effects. */
  #apply(attempt: ActiveAttempt, event: AttemptEvent): void {
    const { state, effects } = next(attempt.state, event);
    attempt.state = state;
    for (const effect of effects) this.#perform(attempt, effect);
    this.#tell(attempt);
  }

  /** A training is over when its policy is stored, whatever its process still computes. */
  #tell({ policyId }: ActiveAttempt): void {
    const phase = this.#active.get(policyId)?.state.phase.kind ?? 'ended';
    this.#options.onProgress(policyId, phase === 'followingUp' || phase === 'leaving' || phase === 'ended');
  }

  #perform(attempt: ActiveAttempt, effect: AttemptEffect): void {
    const { pendingWrites, ports, trainingRuns } = this.#options;
    switch (effect.kind) {
      case 'kill':
        attempt.process.kill();
        break;
      case 'recordStopping':
        pendingWrites.run(() => trainingRuns.setStatus(attempt, 'stopping'));
        break;
      case 'store':
        void this.#store(attempt, effect.result);
        break;
      case 'goOn':
        attempt.process.goOn(this.#nameNext(attempt));
        break;
      case 'release':
        this.#release(attempt);
        break;
      case 'recordEnd': {
        const { policyId, attemptId } = attempt;
        pendingWrites.run(() =>
          effect.status === 'cancelled'
            ? ports.endUnfinished(attempt, null)
            : void trainingRuns.end(policyId, attemptId, effect.status, effect.error),
        );
        break;
      }
      case 'recordInterruption':
        pendingWrites.run(() => ports.endUnfinished(attempt, effect.error));
        break;
      case 'retry':
        pendingWrites.run(() => this.#retry(attempt, effect.error));
        break;
      default:
        effect satisfies never;
    }
  }

  #nameNext({ policyId }: ActiveAttempt): PolicyName {
    const version = this.#options.policies.byId(policyId)?.version ?? 0;
    return { policyId: randomUUID(), policyVersion: version + 1 };
  }

  #release(attempt: ActiveAttempt): void {
    attempt.questions.abort();
    this.#active.delete(attempt.policyId);
    rmSync(attempt.partFile, { force: true });
    rmSync(`${attempt.partFile}.part`, { force: true });
    attempt.announceEnd();
  }

  /** Throws while the death of the first attempt cannot be recorded. */
  #retry({ policyId, attemptId }: ActiveAttempt, error: string): void {
    const { log, pendingWrites, trainingRuns } = this.#options;
    const nextId = trainingRuns.retry({ policyId, attemptId }, error);
    if (nextId === null) return;
    try {
      const second = this.#launch({ policyId, attemptId: nextId }, secondAttempt);
      second.process.accepted.catch((cause: unknown) =>
        log.warn({ err: cause }, 'the second attempt of a training ended early'),
      );
    } catch (cause) {
      log.warn({ err: cause }, 'the second attempt of a training could not be started');
      pendingWrites.run(() => void trainingRuns.end(policyId, nextId, 'failed', error));
    }
  }

  async #feed(attempt: ActiveAttempt): Promise<void> {
    const { policyId, process } = attempt;
    const isWanted = () => isRunning(attempt);
    try {
      await sendSnapshot(process, this.#options.trainingRuns.snapshots, policyId, isWanted);
    } catch (error) {
      if (!isWanted()) return;
      this.#apply(attempt, { kind: 'failed', error: `The examples could not be read: ${toMessage(error)}` });
    }
  }

  #receive(attempt: ActiveAttempt, report: WorkerReport): void {
    const { clock, maxMemoryMb, pendingWrites, ports, trainingRuns } = this.#options;
    attempt.lastHeartbeatAt = clock.now();
    const isFollowingUp = attempt.state.phase.kind === 'followingUp';
    if (!isFollowingUp && !isRunning(attempt)) return;
    if (report.kind === 'done') {
      attempt.progress = finishProgress(attempt.progress, clock.now());
      this.#apply(attempt, { kind: 'finished', result: report });
    } else if (report.kind === 'failed') {
      this.#fail(attempt, report.message);
    } else if (report.residentMb > maxMemoryMb) {
      this.#fail(
        attempt,
        `Out of memory: the training needs more than ${maxMemoryMb} MB. Train on fewer examples or fields.`,
      );
    } else if (report.kind === 'snapshot') {
      pendingWrites.run(() => trainingRuns.describeSnapshot(attempt, report));
    } else if (report.kind === 'labels') {
      pendingWrites.run(() => trainingRuns.labelChecks.addOfAttempt(attempt, report.checks));
    } else if (report.kind === 'followedUp') {
      pendingWrites.run(() => ports.completeReport(attempt, report.metrics));
      // A tuning takes minutes, and gives way to any training.
      const mayTune = report.isTuning && ![...this.#active.values()].some(isInProgress);
      attempt.tuning = mayTune ? 'Tuning the text model' : null;
      if (mayTune) this.#tell(attempt);
      else this.#apply(attempt, { kind: 'followedUp' });
    } else if (report.kind === 'tuned') {
      void this.#completeTuning(attempt, report);
    } else if (!isFollowingUp) {
      this.#keepProgress(attempt, report);
      this.#tell(attempt);
    } else if (report.kind === 'progress' && attempt.tuning !== null) attempt.tuning = report.message;
  }

  #fail(attempt: ActiveAttempt, error: string): void {
    const { policyId, state } = attempt;
    // A policy that is stored keeps no error.
    if (!isRunning(attempt))
      this.#options.log.warn({ policyId, error, phase: state.phase.kind }, 'what follows a training was not completed');
    this.#apply(attempt, { kind: 'failed', error });
  }

  /** Keeps progress in memory, and in the database once a second and at every new stage. */
  #keepProgress(attempt: ActiveAttempt, report: Extract<WorkerReport, { kind: 'heartbeat' | 'progress' }>): void {
    const { clock, log, trainingRuns } = this.#options;
    const { stage } = attempt.progress;
    if (report.kind === 'progress') attempt.progress = advanceProgress(attempt.progress, report, clock.now());
    const nowMs = clock.monotonic();
    const isNewStage = attempt.progress.stage !== stage;
    if (!isNewStage && nowMs - attempt.lastProgressWriteMs < progressWriteIntervalMs) return;
    attempt.lastProgressWriteMs = nowMs;
    try {
      if (!trainingRuns.heartbeat(attempt.attemptId, attempt.progress)) this.#apply(attempt, { kind: 'replaced' });
    } catch (error) {
      // Losing one note of the progress harms nothing: it is also kept in memory.
      log.warn({ err: error }, 'the progress of a training could not be recorded');
    }
  }

  /** Asks the teacher; rejects with a sentence for the report. */
  async #askTeacher(attempt: ActiveAttempt, request: TeacherRequest): Promise<Proposal[]> {
    const { signal } = attempt.questions;
    try {
      return await this.#options.ports.askTeacher(attempt.policyId, request, signal, () => isRunning(attempt));
    } catch (error) {
      throw new WorkbenchError('unavailable', toMessage(error));
    }
  }

  /** Completes a tuning; a failure here takes nothing from the policy that was trained before. */
  async #completeTuning(
    attempt: ActiveAttempt,
    { next: name, textTuning, result }: Extract<WorkerReport, { kind: 'tuned' }>,
  ): Promise<void> {
    const { policyId, attemptId, partFile } = attempt;
    const { log, pendingWrites, ports, trainingRuns } = this.#options;
    const isWanted = () => attempt.state.phase.kind === 'followingUp';
    try {
      if (result === null) pendingWrites.run(() => trainingRuns.noteTuning(attempt, textTuning));
      else await ports.completeTuning({ policyId, attemptId, next: name, result, partFile }, isWanted);
    } catch (error) {
      log.warn({ err: error, policyId }, 'a policy that was tuned in the background could not be stored');
    }
    attempt.tuning = null;
    this.#apply(attempt, { kind: 'followedUp' });
  }

  async #store(attempt: ActiveAttempt, result: WorkerResult): Promise<void> {
    const { policyId, attemptId, partFile, progress } = attempt;
    const isWanted = () => attempt.state.phase.kind === 'storing';
    try {
      const outcome = await this.#options.ports.complete({ policyId, attemptId, result, progress, partFile }, isWanted);
      if (outcome === 'stored') this.#apply(attempt, { kind: 'stored' });
      if (outcome === 'refused') this.#apply(attempt, { kind: 'storingRefused' });
    } catch (error) {
      if (!isWanted()) return;
      this.#options.log.error({ err: error, policyId }, 'a training could not be completed');
      this.#apply(attempt, { kind: 'storingFailed', error: `The bundle could not be stored: ${toMessage(error)}` });
    }
  }
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
