/**
 * The life of one training attempt as a pure state machine: what has happened so far, what happens next, what is to be
 * done about it. It holds three guarantees: a training that began ends in exactly one terminal state; an attempt ends
 * only when its process is confirmed gone; and an attempt that has ended does nothing more. Nobody else gets the
 * training slot before its process is gone or has stored its policy; from then on it only completes the report.
 * `training-jobs.ts` performs the effects.
 */
import type { WorkerResult } from './worker-messages.ts';

/** How an attempt ended; `undispatched` means that no worker took the order and that its caller records it. */
type AttemptOutcome = 'undispatched' | 'stored' | 'failed' | 'cancelled' | 'retried' | 'stale';

export type AttemptPhase =
  /** The process is started; it has not taken the order yet. */
  | { kind: 'dispatching' }
  | { kind: 'running' }
  /** The worker wrote its file and reported it; the result is being checked and stored while the process waits. */
  | { kind: 'storing'; isGone: boolean }
  /** The policy is stored; its process completes the report. */
  | { kind: 'followingUp' }
  /** There is nothing more to record; the process is being ended. */
  | { kind: 'leaving'; outcome: 'stored' | 'stale' }
  /** The process is being ended for a reason that another attempt would meet again. */
  | { kind: 'failing'; error: string }
  /** The process sent no heartbeat and is being ended. */
  | { kind: 'stopping' }
  | { kind: 'cancelling' }
  | { kind: 'closing' }
  | { kind: 'ended'; outcome: AttemptOutcome };

export type AttemptState = {
  phase: AttemptPhase;
  /** Whether a second attempt follows when the process dies by itself. */
  mayRetry: boolean;
};

export type AttemptEvent =
  | { kind: 'accepted' }
  | { kind: 'finished'; result: WorkerResult }
  | { kind: 'failed'; error: string }
  | { kind: 'heartbeatMissed' }
  /** The database says that the attempt is not the running one. */
  | { kind: 'replaced' }
  | { kind: 'cancelRequested' }
  | { kind: 'closeRequested' }
  | { kind: 'followedUp' }
  | { kind: 'superseded' }
  /** The process is confirmed gone; `how` names the cause. */
  | { kind: 'exited'; how: string }
  | { kind: 'stored' }
  | { kind: 'storingFailed'; error: string }
  /** The result came from an attempt that is not the current one. */
  | { kind: 'storingRefused' };

export type AttemptEffect =
  | { kind: 'kill' }
  | { kind: 'recordStopping' }
  | { kind: 'store'; result: WorkerResult }
  | { kind: 'goOn' }
  /** Remove its files, forget it, and end its questions to a teacher. */
  | { kind: 'release' }
  | { kind: 'recordEnd'; status: 'failed' | 'cancelled'; error: string | null }
  | { kind: 'recordInterruption'; error: string }
  /** Record the death of this attempt and begin the second one. */
  | { kind: 'retry'; error: string };

type Transition = { state: AttemptState; effects: AttemptEffect[] };

/** The first attempt of a training: a caller waits until a worker has taken it, and a second one may follow. */
export const firstAttempt: AttemptState = { phase: { kind: 'dispatching' }, mayRetry: true };
/** The second attempt, for which nobody waits. */
export const secondAttempt: AttemptState = { phase: { kind: 'running' }, mayRetry: false };

const kill: AttemptEffect = { kind: 'kill' };

const stay = (state: AttemptState, ...effects: AttemptEffect[]): Transition => ({ state, effects });

const enter = (state: AttemptState, phase: AttemptPhase, ...effects: AttemptEffect[]): Transition => ({
  state: { ...state, phase },
  effects,
});

const end = (state: AttemptState, outcome: AttemptOutcome, ...effects: AttemptEffect[]): Transition =>
  enter(state, { kind: 'ended', outcome }, { kind: 'release' }, ...effects);

const endFailed = (state: AttemptState, error: string): Transition =>
  end(state, 'failed', { kind: 'recordEnd', status: 'failed', error });

const endCancelled = (state: AttemptState): Transition =>
  end(state, 'cancelled', { kind: 'recordEnd', status: 'cancelled', error: null });

const retryOrFail = (state: AttemptState, error: string): Transition =>
  state.mayRetry ? end(state, 'retried', { kind: 'retry', error }) : endFailed(state, error);

/** Returns the next state and its effects for an event. Events without meaning in the present phase change nothing. */
export function next(state: AttemptState, event: AttemptEvent): Transition {
  const { phase } = state;
  switch (phase.kind) {
    case 'dispatching':
      return nextWhileDispatching(state, event);
    case 'running':
      return nextWhileRunning(state, event);
    case 'storing':
      return nextWhileStoring(state, phase.isGone, event);
    case 'followingUp':
      return nextWhileFollowingUp(state, event);
    case 'leaving':
      return event.kind === 'exited' ? end(state, phase.outcome) : stay(state);
    case 'failing':
      if (event.kind === 'exited') return endFailed(state, phase.error);
      if (event.kind === 'cancelRequested') return enter(state, { kind: 'cancelling' }, kill);
      return event.kind === 'closeRequested' ? stay(state, kill) : stay(state);
    case 'stopping':
      if (event.kind === 'exited') return retryOrFail(state, 'The training process sent no heartbeat.');
      return interruptOrStay(state, event);
    case 'cancelling':
      if (event.kind === 'exited') return endCancelled(state);
      return event.kind === 'closeRequested' ? stay(state, kill) : stay(state);
    case 'closing':
      if (event.kind === 'exited') {
        const error = 'The training was interrupted: the workbench was closed.';
        return end(state, 'failed', { kind: 'recordInterruption', error });
      }
      return event.kind === 'cancelRequested' ? enter(state, { kind: 'cancelling' }, kill) : stay(state);
    case 'ended':
      return stay(state);
  }
}

function nextWhileDispatching(state: AttemptState, event: AttemptEvent): Transition {
  switch (event.kind) {
    case 'accepted':
      return enter(state, { kind: 'running' });
    case 'failed':
      return enter(state, { kind: 'failing', error: event.error }, kill);
    case 'exited':
      return end(state, 'undispatched');
    default:
      return interruptOrStay(state, event);
  }
}

function nextWhileRunning(state: AttemptState, event: AttemptEvent): Transition {
  switch (event.kind) {
    case 'finished':
      return enter(state, { kind: 'storing', isGone: false }, { kind: 'store', result: event.result });
    case 'failed':
      return enter(state, { kind: 'failing', error: event.error }, kill);
    case 'heartbeatMissed':
      return enter(state, { kind: 'stopping' }, { kind: 'recordStopping' }, kill);
    case 'replaced':
      return stay(state, kill);
    case 'exited':
      return retryOrFail(state, `The training process ended (${event.how}).`);
    default:
      return interruptOrStay(state, event);
  }
}

/** The result is reported: only a cancel takes it back, and a process that dies or must go does it no harm. */
function nextWhileStoring(state: AttemptState, isGone: boolean, event: AttemptEvent): Transition {
  const proceed = (phase: AttemptPhase, effect: AttemptEffect): Transition =>
    isGone ? next({ ...state, phase }, { kind: 'exited', how: '' }) : enter(state, phase, effect);
  switch (event.kind) {
    case 'stored':
      return proceed({ kind: 'followingUp' }, { kind: 'goOn' });
    case 'storingRefused':
      return proceed({ kind: 'leaving', outcome: 'stale' }, kill);
    case 'storingFailed':
      return proceed({ kind: 'failing', error: event.error }, kill);
    case 'cancelRequested':
      return proceed({ kind: 'cancelling' }, kill);
    case 'exited':
      return enter(state, { kind: 'storing', isGone: true });
    case 'failed':
    case 'heartbeatMissed':
    case 'closeRequested':
      return stay(state, kill);
    default:
      return stay(state);
  }
}

/** The policy is stored, so whatever ends the process takes nothing from it but the rest of its report. */
function nextWhileFollowingUp(state: AttemptState, event: AttemptEvent): Transition {
  switch (event.kind) {
    case 'followedUp':
    case 'failed':
    case 'heartbeatMissed':
    case 'superseded':
    case 'closeRequested':
      return enter(state, { kind: 'leaving', outcome: 'stored' }, kill);
    case 'exited':
      return end(state, 'stored');
    default:
      return stay(state);
  }
}

/** Decides how a person, or the end of the program, ends an attempt whose process lives. */
function interruptOrStay(state: AttemptState, event: AttemptEvent): Transition {
  if (event.kind === 'cancelRequested') return enter(state, { kind: 'cancelling' }, kill);
  if (event.kind === 'closeRequested') return enter(state, { kind: 'closing' }, kill);
  return stay(state);
}
