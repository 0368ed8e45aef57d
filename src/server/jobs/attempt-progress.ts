/** The progress of a training attempt, from the reports of its process. */
import { trainingStages } from '../../engine/domain/training.ts';
import { isoTime } from '../process/clock.ts';
import type { CompletedStage } from '../store/policies/policy-records.ts';
import type { AttemptProgress } from '../store/policies/training-runs.ts';
import type { WorkerReport } from './worker-messages.ts';

export const initialProgress: AttemptProgress = {
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
