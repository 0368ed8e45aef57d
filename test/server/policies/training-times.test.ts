/** How long a training still takes, as it is said while it runs. */
import { describe, expect, it } from 'vitest';
import { estimateRemainingMs } from '../../../src/server/operations/policies/training-progress.ts';

describe('the time left of a training', () => {
  const complaints = { examples: 1_199, ofS: 150 };
  const table = { examples: 22_000, ofS: 110 };
  /** As recorded: complaints of a few hundred words, whose encoding takes most of the time, and a table. */
  const recorded = [
    { ...complaints, atS: 58.3, percent: 36, stage: 'text_model', stageFromS: 2 },
    { ...complaints, atS: 94.4, percent: 42.9, stage: 'text_model', stageFromS: 2 },
    { ...complaints, atS: 118.5, percent: 56.7, stage: 'text_model', stageFromS: 2 },
    { ...complaints, atS: 130.5, percent: 75.5, stage: 'classifier', stageFromS: 122 },
    { ...table, atS: 55, percent: 75, stage: 'classifier', stageFromS: 14.9 },
    { ...table, atS: 82.5, percent: 81.5, stage: 'classifier', stageFromS: 14.9 },
  ] as const;

  it.each(recorded)(
    'is right within a factor of two after $atS of $ofS s of $examples examples [PRG-2]',
    ({ examples, ofS, atS, percent, stage, stageFromS }) => {
      const pace = { elapsedMs: atS * 1000, fraction: percent / 100, stage, stageElapsedMs: (atS - stageFromS) * 1000 };
      const leftS = estimateRemainingMs(pace, { examples, options: 3 }, null) / 1000;
      expect(leftS).toBeGreaterThan((ofS - atS) / 2);
      expect(leftS).toBeLessThan((ofS - atS) * 2);
    },
  );

  it('is that of the run before it until there is a pace', () => {
    const pace = { elapsedMs: 1_000, fraction: 0.05, stage: 'text_model', stageElapsedMs: 0 } as const;
    const size = { examples: 1_000, options: 2 };
    expect(estimateRemainingMs(pace, size, { examples: 500, tookMs: 100_000 })).toBeCloseTo(190_000, -3);
    expect(estimateRemainingMs({ ...pace, stage: null }, size, null)).toBe(9_000);
  });
});
