/** An attempt whose process runs, and its progress by the reports of that process. */
import { trainingStages } from '../../engine/domain/training.ts';
import { isoTime } from '../process/clock.ts';
import type { CompletedStage } from '../store/policies/policy-records.ts';
import type { AttemptKey, AttemptProgress } from '../store/policies/training-runs.ts';
import type { AttemptState } from './attempt-machine.ts';
import type { WorkerReport } from './worker-messages.ts';
import type { WorkerProcess } from './worker-process.ts';

const initialProgress: AttemptProgress = {
  stage: 'generate',
  fraction: 0,
  message: 'Starting',
  completedStages: [],
};

/** The progress after a report: the fraction never falls, and every stage before the reported one is completed. */
export function advanceProgress(
  progress: AttemptProgress,
  report: Extract<WorkerReport, { kind: 'progress' }>,
  nowMs: number,
): AttemptProgress {
  const fraction = Math.max(progress.fraction, Math.min(1, report.fraction));
  const { stage, message } = report;
  if (stage === progress.stage) return { ...progress, fraction, message };
  const reached = trainingStages.findIndex((entry) => entry.stage === stage);
  return { stage, fraction, message, completedStages: completeStages(progress.completedStages, reached, nowMs) };
}

/** The progress of a training that is done: every stage completed. */
export function finishProgress(progress: AttemptProgress, nowMs: number): AttemptProgress {
  const completedStages = completeStages(progress.completedStages, trainingStages.length, nowMs);
  return { ...progress, fraction: 1, completedStages };
}

/** Adds those of the first `count` stages that are not completed yet. */
function completeStages(completed: readonly CompletedStage[], count: number, nowMs: number): CompletedStage[] {
  const known = new Set(completed.map(({ stage }) => stage));
  const added = trainingStages.slice(0, count).filter(({ stage }) => !known.has(stage));
  return [...completed, ...added.map(({ stage, name }) => ({ stage, name, completed_at: isoTime(nowMs) }))];
}

/** An attempt whose process runs, or whose result is being stored. */
export type ActiveAttempt = AttemptKey & {
  state: AttemptState;
  progress: AttemptProgress;
  /** The state of a tuning in the background; null while there is none. */
  tuning: string | null;
  readonly process: WorkerProcess;
  /** Where the worker writes the bundle, under a name of the attempt. */
  readonly partFile: string;
  /** Wall clock, to be shown; the process measures on the monotonic one. */
  lastHeartbeatAt: number;
  lastProgressWriteMs: number;
  /** Ends the questions to a teacher when the training ends. */
  readonly questions: AbortController;
  readonly ended: Promise<void>;
  announceEnd(): void;
};

/** The record of an attempt whose process was just started. `nowMs` is the wall clock. */
export function createActiveAttempt(
  key: AttemptKey,
  state: AttemptState,
  process: WorkerProcess,
  partFile: string,
  nowMs: number,
): ActiveAttempt {
  let announceEnd = () => {};
  const ended = new Promise<void>((resolve) => {
    announceEnd = resolve;
  });
  return {
    ...key,
    state,
    progress: initialProgress,
    tuning: null,
    process,
    partFile,
    lastHeartbeatAt: nowMs,
    lastProgressWriteMs: 0,
    questions: new AbortController(),
    ended,
    announceEnd,
  };
}

/** Whether the attempt still is what it was started for, and no end of it is under way. */
export function isRunning({ state }: ActiveAttempt): boolean {
  return state.phase.kind === 'running';
}

/** Whether its training is not over: its policy is not stored, and no end of it is under way. */
export function isInProgress({ state: { phase } }: ActiveAttempt): boolean {
  return phase.kind === 'dispatching' || phase.kind === 'running' || phase.kind === 'storing';
}
