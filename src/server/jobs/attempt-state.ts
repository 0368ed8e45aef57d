/** One attempt of a training while its process runs: what it is doing and how far it is, as the process tells. */
import { join } from 'node:path';
import { type TrainingStage, trainingStages } from '../../engine/domain.ts';
import { isoTime } from '../process/clock.ts';
import type { CompletedStage } from '../store/training-runs.ts';
import type { WorkerReport } from './worker.ts';
import type { WorkerProcess } from './worker-process.ts';

export type Phase =
  | 'dispatching'
  | 'running'
  | 'completing'
  | 'failing'
  | 'stopping'
  | 'cancelling'
  | 'closing'
  | 'ended';
export type ActiveAttempt = {
  policyId: string;
  attemptId: string;
  mayRetry: boolean;
  phase: Phase;
  run: WorkerProcess | null;
  gone: boolean;
  /** Why it is stopped, in phase `failing`. */
  verdict: string;
  /** Settles when a finished training has been stored. */
  completion: Promise<void> | null;
  /** Ends what is asked for the training when it ends. */
  questions: AbortController;
  partFile: string;
  stage: TrainingStage;
  fraction: number;
  message: string;
  completedStages: CompletedStage[];
  lastSignAt: number;
  lastWriteAtMs: number;
};
/** How far a running training is, as its process last said. */
export type LiveProgress = Pick<
  ActiveAttempt,
  'attemptId' | 'stage' | 'fraction' | 'message' | 'completedStages' | 'lastSignAt'
>;

/** The state of an attempt whose process is about to be started. */
export function createActiveAttempt(
  policyId: string,
  attemptId: string,
  phase: Phase,
  mayRetry: boolean,
  artifactsDir: string,
  nowMs: number,
): ActiveAttempt {
  return {
    policyId,
    attemptId,
    mayRetry,
    phase,
    run: null,
    gone: false,
    verdict: '',
    completion: null,
    questions: new AbortController(),
    partFile: join(artifactsDir, `${policyId}.${attemptId}.attempt`),
    stage: 'generate',
    fraction: 0,
    message: 'Starting',
    completedStages: [],
    lastSignAt: nowMs,
    lastWriteAtMs: 0,
  };
}

/** Takes over what the worker says; true when a stage was finished by it. */
export function advance(
  job: ActiveAttempt,
  report: Extract<WorkerReport, { kind: 'progress' }>,
  nowMs: number,
): boolean {
  job.fraction = Math.max(job.fraction, Math.min(1, report.fraction));
  job.message = report.message;
  if (report.stage === job.stage) return false;
  job.stage = report.stage;
  const reached = trainingStages.findIndex(({ stage }) => stage === report.stage);
  completeStages(job, reached, nowMs);
  return true;
}

/** Marks the first `count` stages as completed. */
export function completeStages(job: ActiveAttempt, count: number, nowMs: number): void {
  for (const { stage, name } of trainingStages.slice(0, count)) {
    if (job.completedStages.some((done) => done.stage === stage)) continue;
    job.completedStages.push({ stage, name, completed_at: isoTime(nowMs) });
  }
}
