import type { AttemptKey, AttemptProgress } from '../store/policies/training-runs.ts';
import type { AttemptState } from './attempt-machine.ts';
import { initialProgress } from './attempt-progress.ts';
import type { WorkerProcess } from './worker-process.ts';

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
