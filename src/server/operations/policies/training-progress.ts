/** How far a training is, as the wire shows it. */
import { isInProgress, type TrainingStage, trainingStages } from '../../../engine/domain/training.ts';
import { stageSpans } from '../../../engine/training/progress.ts';
import type { Progress } from '../../contract/policies/training.ts';
import type { LiveProgress } from '../../jobs/training-ports.ts';
import { isoTime, isoTimeOrNull } from '../../process/clock.ts';
import type { PastRun } from '../../store/policies/policies.ts';
import type { AttemptRecord, PolicyRecord } from '../../store/policies/policy-records.ts';

/** Settings are searched on the first few thousand rows; those beyond are read and fitted on, for every option. */
const firstGuess = { baseMs: 2_000, perExampleMs: 8, upToExamples: 3_000, perFurtherMs: 2, perOptionMs: 0.06 } as const;
/** A smaller part of a stage says nothing of its pace. */
const minPacedShare = 0.05;
/** A smaller part of a run says nothing of the stages after it. */
const minPacedFraction = 0.05;

type ProgressSources = {
  policy: PolicyRecord;
  attempts: readonly AttemptRecord[];
  optionCount: number;
  /** From memory, while a process runs. */
  live: LiveProgress | null;
  pastRun: PastRun | null;
  /** From 1; null where it does not wait. */
  queuePlace: number | null;
  nowMs: number;
};

/** A name by which logs and people can speak of one attempt. */
export function toExecutionName(policy: Pick<PolicyRecord, 'id'>, attempt: AttemptRecord): string {
  return `training-${policy.id.slice(0, 8)}-${attempt.attemptNumber}`;
}

/** Composes the progress from memory, where the training runs, and from the database. */
export function describeProgress(sources: ProgressSources): Progress {
  const { policy, attempts } = sources;
  const current = attempts.find(({ id }) => id === policy.currentAttemptId) ?? attempts.at(-1);
  const live = sources.live?.attemptId === current?.id ? sources.live : null;
  const hasSucceeded = policy.status === 'trained' || policy.status === 'deployed';
  const fraction = hasSucceeded ? 1 : (live?.fraction ?? current?.fraction ?? 0);
  const stage = hasSucceeded ? 'package' : (live?.stage ?? current?.stage ?? null);
  const completed = live?.completedStages ?? current?.completedStages ?? [];
  const stageIndex = trainingStages.findIndex((entry) => entry.stage === stage);
  return {
    policy_id: policy.id,
    status: policy.status,
    stage,
    stage_name: trainingStages[stageIndex]?.name ?? null,
    stage_number: stageIndex + 1,
    total_stages: trainingStages.length,
    progress_percent: Math.round(fraction * 1_000) / 10,
    queue_place: sources.queuePlace,
    message: toMessage(sources, live?.message ?? current?.message ?? null),
    error: policy.error,
    execution_name: current ? toExecutionName(policy, current) : null,
    task_index: 0,
    task_attempt: Math.max(0, (current?.attemptNumber ?? 1) - 1),
    attempt_number: current?.attemptNumber ?? 0,
    retry_count: Math.max(0, attempts.length - 1),
    ...describeTimes(sources, current?.startedAt ?? policy.createdAt, fraction, { stage, completed }),
    started_at: isoTime(attempts[0]?.startedAt ?? policy.createdAt),
    attempt_started_at: isoTimeOrNull(current?.startedAt ?? null),
    last_heartbeat_at: isoTimeOrNull(live?.lastHeartbeatAt ?? current?.lastHeartbeatAt ?? null),
    attempt_id: current?.id ?? null,
    completed_stages: completed,
    attempts: attempts.map((attempt) => toAttemptProgress(policy, attempt)),
  };
}

function toAttemptProgress(policy: PolicyRecord, attempt: AttemptRecord): Progress['attempts'][number] {
  return {
    attempt_id: attempt.id,
    attempt_number: attempt.attemptNumber,
    status: attempt.status,
    execution_name: toExecutionName(policy, attempt),
    task_index: 0,
    task_attempt: attempt.attemptNumber - 1,
    started_at: isoTime(attempt.startedAt),
    last_heartbeat_at: isoTime(attempt.lastHeartbeatAt),
    completed_at: isoTimeOrNull(attempt.completedAt),
    error: attempt.error,
  };
}

function describeTimes(
  { policy, optionCount, pastRun, nowMs }: ProgressSources,
  startedAt: number,
  fraction: number,
  { stage, completed }: { stage: TrainingStage | null; completed: Progress['completed_stages'] },
): Pick<Progress, 'duration_hint' | 'elapsed_seconds' | 'estimated_completion_at'> {
  if (policy.status === 'queued') return { duration_hint: null, elapsed_seconds: 0, estimated_completion_at: null };
  const isRunning = isInProgress(policy.status);
  const endedAt = isRunning ? nowMs : (policy.completedAt ?? nowMs);
  const elapsedMs = Math.max(0, endedAt - startedAt);
  const elapsedSeconds = Math.round(elapsedMs / 100) / 10;
  if (!isRunning) {
    return {
      duration_hint: `took ${inWords(elapsedMs)}`,
      elapsed_seconds: elapsedSeconds,
      estimated_completion_at: isoTimeOrNull(policy.completedAt),
    };
  }
  const stageStartedAt = completed.reduce(
    (latest, { completed_at }) => Math.max(latest, Date.parse(completed_at)),
    startedAt,
  );
  const pace = { elapsedMs, fraction, stage, stageElapsedMs: Math.max(0, nowMs - stageStartedAt) };
  const remainingMs = estimateRemainingMs(pace, { examples: policy.snapshotSize, options: optionCount }, pastRun);
  return {
    duration_hint: `about ${inWords(remainingMs)} left`,
    elapsed_seconds: elapsedSeconds,
    estimated_completion_at: isoTime(nowMs + remainingMs),
  };
}

function toMessage({ policy, queuePlace }: ProgressSources, runningMessage: string | null): string | null {
  switch (policy.status) {
    case 'queued':
      return `Place ${queuePlace} in the queue: it begins by itself when ${queuePlace === 1 ? 'the training under way has ended' : 'those before it have ended'}`;
    case 'training':
      return runningMessage;
    case 'stopping':
      return 'The training sent no heartbeat and is being stopped';
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

type Pace = { elapsedMs: number; fraction: number; stage: TrainingStage | null; stageElapsedMs: number };

type Size = { examples: number; options: number };

/** Guesses the milliseconds of a run by its rows and options alone. */
function guessMs({ examples, options }: Size): number {
  const { baseMs, perExampleMs, upToExamples, perFurtherMs, perOptionMs } = firstGuess;
  const further = Math.max(0, examples - upToExamples);
  return baseMs + perExampleMs * (examples - further) + (perFurtherMs + perOptionMs * options) * further;
}

/**
 * Estimates the milliseconds left: of the stage under way by its own pace, as texts and machine make it take any time,
 * and of the stages after it as a run like it took, or halfway between what rows and pace let expect.
 */
export function estimateRemainingMs(
  { elapsedMs, fraction, stage, stageElapsedMs }: Pace,
  size: Size,
  pastRun: PastRun | null,
): number {
  const expectedMs =
    pastRun === null ? guessMs(size) : pastRun.tookMs * Math.max(0.1, size.examples / pastRun.examples);
  if (stage === null) return Math.max(0, expectedMs - elapsedMs);
  const [from, to] = stageSpans[stage];
  const share = Math.min(1, (fraction - from) / (to - from));
  const stageMs = share < minPacedShare ? Math.max(expectedMs * (to - from), stageElapsedMs) : stageElapsedMs / share;
  const isPaced = pastRun === null && fraction >= minPacedFraction;
  const laterMs = isPaced ? Math.sqrt(expectedMs * (elapsedMs / fraction)) : expectedMs;
  return stageMs * (1 - Math.max(0, share)) + laterMs * (1 - to);
}

function inWords(durationMs: number): string {
  const seconds = Math.max(1, Math.round(durationMs / 1_000));
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
