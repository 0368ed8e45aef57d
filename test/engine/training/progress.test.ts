import { describe, expect, it } from 'vitest';
import { createProgressReporter } from '../../../src/engine/training/progress.ts';

function createReporter(changes: { cancelled?: () => boolean } = {}) {
  const clock = { now: 0 };
  const fractions: number[] = [];
  const messages: string[] = [];
  const reporter = createProgressReporter({
    now: () => clock.now,
    progress({ fraction, message }) {
      fractions.push(fraction);
      messages.push(message);
    },
    ...changes,
  });
  return { clock, fractions, messages, reporter };
}

describe('the progress of a run', () => {
  it('ends at 1 and never falls, whatever a stage reports', () => {
    const { fractions, reporter } = createReporter();
    reporter.report('classifier', 0.5, 'Searching');
    reporter.report('prepare', 1, 'Late');
    reporter.report('classifier', -3, 'Below');
    reporter.report('package', 7, 'Beyond');
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions.at(-1)).toBe(1);
  });

  it('is throttled to two reports a second within a step, and spreads the step over its part of the stage', () => {
    const { clock, fractions, messages, reporter } = createReporter();
    const reportShare = reporter.startStep('evaluate', 0.5, 1, 'Fitting');
    for (let step = 1; step <= 1000; step += 1) {
      clock.now = step;
      reportShare(step / 1000);
    }
    expect(messages).toEqual(['Fitting', 'Fitting', 'Fitting']);
    expect(fractions[0]).toBeCloseTo(0.895, 12);
    expect(fractions[2]).toBeCloseTo(0.92, 12);
  });

  it('repeats the last report as a heartbeat, and stops a cancelled run there', () => {
    let isCancelled = false;
    const { clock, messages, reporter } = createReporter({ cancelled: () => isCancelled });
    reporter.report('text_model', 0, 'Encoding');
    clock.now = 499;
    reporter.heartbeat();
    clock.now = 500;
    reporter.heartbeat();
    expect(messages).toEqual(['Encoding', 'Encoding']);
    isCancelled = true;
    clock.now = 1000;
    expect(() => reporter.heartbeat()).toThrow('The training was cancelled.');
  });
});
