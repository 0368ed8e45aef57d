/** What follows from every event in every phase of a training attempt, and what holds whatever comes in which order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AttemptEvent,
  type AttemptPhase,
  type AttemptState,
  firstAttempt,
  next,
  secondAttempt,
} from '../../../src/server/jobs/attempt-machine.ts';
import type { WorkerResult } from '../../../src/server/jobs/worker-messages.ts';

// No figure of a result matters to the machine: it only hands it on.
const result = { sha256: 'abc', sizeBytes: 3, heldOut: [] } as unknown as WorkerResult;

const phases: Record<AttemptPhase['kind'], AttemptPhase> = {
  dispatching: { kind: 'dispatching' },
  running: { kind: 'running' },
  storing: { kind: 'storing', isGone: false },
  followingUp: { kind: 'followingUp' },
  leaving: { kind: 'leaving', outcome: 'stored' },
  failing: { kind: 'failing', error: 'Out of memory.' },
  stopping: { kind: 'stopping' },
  cancelling: { kind: 'cancelling' },
  closing: { kind: 'closing' },
  ended: { kind: 'ended', outcome: 'stored' },
};
const events: Record<AttemptEvent['kind'], AttemptEvent> = {
  accepted: { kind: 'accepted' },
  finished: { kind: 'finished', result },
  failed: { kind: 'failed', error: 'It cannot be learned.' },
  heartbeatMissed: { kind: 'heartbeatMissed' },
  replaced: { kind: 'replaced' },
  cancelRequested: { kind: 'cancelRequested' },
  closeRequested: { kind: 'closeRequested' },
  exited: { kind: 'exited', how: 'signal SIGKILL' },
  stored: { kind: 'stored' },
  storingFailed: { kind: 'storingFailed', error: 'The disk is full.' },
  storingRefused: { kind: 'storingRefused' },
  followedUp: { kind: 'followedUp' },
  superseded: { kind: 'superseded' },
};

/** Phase after the event, `ended:` with the outcome, then the effects. A pair that is not named changes nothing. */
const table: Partial<Record<AttemptPhase['kind'], Partial<Record<AttemptEvent['kind'], string>>>> = {
  dispatching: {
    accepted: 'running',
    failed: 'failing kill',
    cancelRequested: 'cancelling kill',
    closeRequested: 'closing kill',
    exited: 'ended:undispatched release',
  },
  running: {
    finished: 'storing store',
    failed: 'failing kill',
    heartbeatMissed: 'stopping recordStopping kill',
    replaced: 'running kill',
    cancelRequested: 'cancelling kill',
    closeRequested: 'closing kill',
    exited: 'ended:retried release retry',
  },
  storing: {
    stored: 'followingUp goOn',
    storingRefused: 'leaving kill',
    storingFailed: 'failing kill',
    cancelRequested: 'cancelling kill',
    failed: 'storing kill',
    heartbeatMissed: 'storing kill',
    closeRequested: 'storing kill',
  },
  followingUp: {
    followedUp: 'leaving kill',
    failed: 'leaving kill',
    heartbeatMissed: 'leaving kill',
    closeRequested: 'leaving kill',
    superseded: 'leaving kill',
    exited: 'ended:stored release',
  },
  leaving: { exited: 'ended:stored release' },
  failing: {
    cancelRequested: 'cancelling kill',
    closeRequested: 'failing kill',
    exited: 'ended:failed release recordEnd(failed, Out of memory.)',
  },
  stopping: {
    cancelRequested: 'cancelling kill',
    closeRequested: 'closing kill',
    exited: 'ended:retried release retry',
  },
  cancelling: { closeRequested: 'cancelling kill', exited: 'ended:cancelled release recordEnd(cancelled, null)' },
  closing: {
    cancelRequested: 'cancelling kill',
    exited: 'ended:failed release recordInterruption(The training was interrupted: the workbench was closed.)',
  },
};

function describeTransition(state: AttemptState, event: AttemptEvent): string {
  const { state: after, effects } = next(state, event);
  const phase = after.phase.kind === 'ended' ? `ended:${after.phase.outcome}` : after.phase.kind;
  const done = effects.map((effect) => {
    if (effect.kind === 'recordInterruption') return `recordInterruption(${effect.error})`;
    return effect.kind === 'recordEnd' ? `recordEnd(${effect.status}, ${effect.error})` : effect.kind;
  });
  return [phase, ...done].join(' ');
}

const pairs = Object.values(phases).flatMap((phase) => Object.values(events).map((event) => ({ phase, event })));

describe('a training attempt', () => {
  it.each(pairs)('in phase $phase.kind meets $event.kind', ({ phase, event }) => {
    const unchanged = phase.kind === 'ended' ? 'ended:stored' : phase.kind;
    const expected = table[phase.kind]?.[event.kind] ?? unchanged;
    expect(describeTransition({ phase, mayRetry: true }, event)).toBe(expected);
  });

  it('is tried once more only when it is the first', () => {
    expect(firstAttempt).toEqual({ phase: phases.dispatching, mayRetry: true });
    expect(secondAttempt).toEqual({ phase: phases.running, mayRetry: false });
    expect(describeTransition(secondAttempt, events.exited)).toBe(
      'ended:failed release recordEnd(failed, The training process ended (signal SIGKILL).)',
    );
    expect(describeTransition({ phase: phases.stopping, mayRetry: false }, events.exited)).toBe(
      'ended:failed release recordEnd(failed, The training process sent no heartbeat.)',
    );
    const { effects } = next({ phase: phases.running, mayRetry: true }, events.exited);
    expect(effects).toContainEqual({ kind: 'retry', error: 'The training process ended (signal SIGKILL).' });
  });

  it('hands on the result that was reported', () => {
    expect(next({ phase: phases.running, mayRetry: true }, events.finished).effects).toEqual([
      { kind: 'store', result },
    ]);
  });

  it('[PFI-2] stores what was reported whatever becomes of its process, and then ends at once', () => {
    const gone = next({ phase: phases.storing, mayRetry: true }, events.exited).state;
    expect(gone.phase).toEqual({ kind: 'storing', isGone: true });
    expect(describeTransition(gone, events.closeRequested)).toBe('storing kill');
    expect(describeTransition(gone, events.stored)).toBe('ended:stored release');
    expect(describeTransition(gone, events.storingRefused)).toBe('ended:stale release');
    expect(describeTransition(gone, events.storingFailed)).toBe(
      'ended:failed release recordEnd(failed, The disk is full.)',
    );
    expect(describeTransition(gone, events.cancelRequested)).toBe('ended:cancelled release recordEnd(cancelled, null)');
  });

  it('ends once, never before its process is gone, and does nothing afterwards', () => {
    const anyEvent = fc.constantFrom(...Object.values(events));
    fc.assert(
      fc.property(fc.constantFrom(firstAttempt, secondAttempt), fc.array(anyEvent, { maxLength: 30 }), (first, all) => {
        let state = first;
        let isProcessGone = false;
        const done: string[] = [];
        for (const event of all) {
          isProcessGone ||= event.kind === 'exited';
          const { state: after, effects } = next(state, event);
          if (state.phase.kind === 'ended') expect([after, effects]).toEqual([state, []]);
          if (after.phase.kind === 'ended') expect(isProcessGone).toBe(true);
          state = after;
          done.push(...effects.map(({ kind }) => kind));
        }
        const count = (...kinds: string[]) => done.filter((kind) => kinds.includes(kind)).length;
        expect(count('release')).toBe(state.phase.kind === 'ended' ? 1 : 0);
        expect(count('recordEnd', 'recordInterruption', 'retry')).toBeLessThanOrEqual(1);
        expect(count('store')).toBeLessThanOrEqual(1);
        expect(count('goOn')).toBeLessThanOrEqual(count('store'));
      }),
    );
  });
});
