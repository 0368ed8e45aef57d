import { describe, expect, it } from 'vitest';
import { findDifference } from '../../../src/engine/measure/two-samples.ts';
import { createRandom } from '../../../src/engine/random.ts';

/** Rows of one population: an amount, a channel, a day and a text. */
function makeRows(count: number, seed: number) {
  const random = createRandom(seed);
  const words = ['parcel', 'late', 'card', 'refund', 'where', 'twice', 'charged', 'please'];
  return Array.from({ length: count }, () => ({
    amount: Math.round(random() * 1_000),
    channel: random() < 0.5 ? 'web' : 'shop',
    opened: `2026-0${1 + Math.floor(random() * 9)}-1${Math.floor(random() * 9)}`,
    message: Array.from({ length: 6 }, () => words[Math.floor(random() * words.length)]).join(' '),
  }));
}

describe('two sets of inputs', () => {
  it('differ where one was chosen by an amount, a date or words, and not where chance dealt them', () => {
    const rows = makeRows(900, 1);
    const split = (isFirst: (row: (typeof rows)[number], at: number) => boolean) =>
      findDifference(
        rows.filter((row, at) => isFirst(row, at)),
        rows.filter((row, at) => !isFirst(row, at)),
      );
    expect(split(({ amount }) => Math.abs(amount - 500) < 150)).toBeGreaterThan(0.9);
    expect(split(({ opened }) => opened < '2026-04')).toBeGreaterThan(0.9);
    expect(split(({ message }) => message.includes('refund'))).toBeGreaterThan(0.8);
    for (let seed = 2; seed < 12; seed++)
      expect(findDifference(makeRows(300, seed), makeRows(600, 50 + seed))).toBeNull();
  });

  it('are not told apart by copies, nor where there are few', () => {
    const rows = makeRows(200, 3);
    const half = rows.slice(0, 100);
    expect(findDifference([...half, ...half, ...half], rows.slice(100))).toBeNull();
    expect(
      findDifference(
        rows.slice(0, 29),
        makeRows(200, 4).map((row) => ({ ...row, amount: 5_000 })),
      ),
    ).toBeNull();
  });
});
