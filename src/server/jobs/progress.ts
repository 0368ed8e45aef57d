/** How far a training is, as the wire tells it. */
import { trainingStages } from '../../engine/domain.ts';
import type { Progress } from '../contract/training.ts';
import { isoTime, isoTimeOrNull } from '../process/clock.ts';
import type { AttemptRow, PastRun, PolicyRow } from '../store/policies.ts';
import type { CompletedStage } from '../store/training-runs.ts';
import type { LiveProgress } from './attempt-state.ts';

const inProgress: ReadonlySet<string> = new Set(['training', 'stopping', 'cancelling']);
/** What a first training is taken to need before its own pace is known. */
const firstGuess = { baseMs: 4_000, perExampleMs: 25 } as const;

/** A name by which logs and people can speak of one attempt. */
export function executionName(policy: Pick<PolicyRow, 'id'>, attempt: Pick<AttemptRow, 'attempt_number'>): string {
  return `training-${policy.id.slice(0, 8)}-${attempt.attempt_number}`;
}

/**
 * Composes the progress from memory (`live`, while a process runs) and the database. `past` is an earlier training to
 * estimate from; `nowMs` is the wall clock.
 */
export function describeProgress(
  policy: PolicyRow,
  attempts: readonly AttemptRow[],
  live: LiveProgress | null,
  past: PastRun | null,
  nowMs: number,
): Progress {
  const current = attempts.find(({ id }) => id === policy.current_attempt_id) ?? attempts.at(-1);
  const running = inProgress.has(policy.status);
  const succeeded = policy.status === 'trained' || policy.status === 'deployed';
  const ofCurrent = live?.attemptId === current?.id ? live : null;
  const fraction = succeeded ? 1 : (ofCurrent?.fraction ?? current?.fraction ?? 0);
  const stage = succeeded ? 'package' : (ofCurrent?.stage ?? current?.stage ?? null);
  const stageIndex = trainingStages.findIndex((entry) => entry.stage === stage);
  const startedAt = current?.started_at ?? policy.created_at;
  const endedAt = running ? nowMs : (policy.completed_at ?? nowMs);
  const elapsedMs = Math.max(0, endedAt - startedAt);
  const remainingMs = running ? estimateRemaining(elapsedMs, fraction, policy.snapshot_size, past) : null;
  const completed = ofCurrent?.completedStages ?? (JSON.parse(current?.completed_stages ?? '[]') as CompletedStage[]);
  return {
    policy_id: policy.id,
    status: policy.status,
    stage,
    stage_name: trainingStages[stageIndex]?.name ?? null,
    stage_number: stageIndex + 1,
    total_stages: trainingStages.length,
    progress_percent: Math.round(fraction * 1_000) / 10,
    message: messageFor(policy, ofCurrent?.message ?? current?.message ?? null),
    error: policy.error,
    duration_hint: remainingMs === null ? `took ${inWords(elapsedMs)}` : `about ${inWords(remainingMs)} left`,
    execution_name: current ? executionName(policy, current) : null,
    task_index: 0,
    task_attempt: Math.max(0, (current?.attempt_number ?? 1) - 1),
    attempt_number: current?.attempt_number ?? 0,
    retry_count: Math.max(0, attempts.length - 1),
    elapsed_seconds: Math.round(elapsedMs / 100) / 10,
    started_at: isoTime(attempts[0]?.started_at ?? policy.created_at),
    attempt_started_at: isoTimeOrNull(current?.started_at ?? null),
    last_heartbeat_at: isoTimeOrNull(ofCurrent?.lastSignAt ?? current?.last_heartbeat_at ?? null),
    estimated_completion_at: isoTimeOrNull(
      running ? (remainingMs === null ? null : nowMs + remainingMs) : policy.completed_at,
    ),
    attempt_id: current?.id ?? null,
    completed_stages: completed,
    attempts: attempts.map((attempt) => ({
      attempt_id: attempt.id,
      attempt_number: attempt.attempt_number,
      status: attempt.status,
      execution_name: executionName(policy, attempt),
      task_index: 0,
      task_attempt: attempt.attempt_number - 1,
      started_at: isoTime(attempt.started_at),
      last_heartbeat_at: isoTime(attempt.last_heartbeat_at),
      completed_at: isoTimeOrNull(attempt.completed_at),
      error: attempt.error,
    })),
  };
}

function messageFor(policy: PolicyRow, running: string | null): string | null {
  switch (policy.status) {
    case 'training':
      return running;
    case 'stopping':
      return 'The training gave no sign of life and is being stopped';
    case 'cancelling':
      return 'Cancelling';
    case 'cancelled':
      return 'Cancelled';
    case 'trained':
      return 'Trained; waiting to be deployed';
    case 'deployed':
      return 'Trained and deployed';
    case 'failed':
      return 'Failed';
  }
}

/**
 * Milliseconds to the end: what an earlier run leads to expect (scaled by the number of examples), which its own pace
 * replaces in the measure in which the run advances.
 */
function estimateRemaining(elapsedMs: number, fraction: number, examples: number, past: PastRun | null): number {
  const expectedMs =
    past === null
      ? firstGuess.baseMs + firstGuess.perExampleMs * examples
      : past.tookMs * Math.max(0.1, examples / past.examples);
  const byPaceMs = fraction === 0 ? 0 : (elapsedMs / fraction) * (1 - fraction);
  return fraction * byPaceMs + (1 - fraction) * Math.max(0, expectedMs - elapsedMs);
}

function inWords(durationMs: number): string {
  const seconds = Math.max(1, Math.round(durationMs / 1_000));
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
