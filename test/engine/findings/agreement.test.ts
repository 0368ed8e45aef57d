/** Readers who labelled the same rows: the figures of their agreement are those of the reference implementations. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  computeAlpha,
  computeKappa,
  describeAgreement,
  type GivenLabel,
  measureAgreement,
} from '../../../src/engine/measure/agreement.ts';

type Case = { labels: string[]; kappa: number | null; kappa_standard_error: number | null; alpha: number | null };
const { cases } = JSON.parse(readFileSync(new URL('../../cases/agreement.json', import.meta.url), 'utf8')) as {
  cases: Case[];
};

describe('the agreement of readers', () => {
  it('is of no certainty where one reader gave one label alone', () => {
    const pairs = Array.from({ length: 40 }, (_, row) => ['grant', row === 0 ? 'deny' : 'grant'] as const);
    const kappa = computeKappa(pairs);
    expect(kappa?.value).toBe(0);
    expect([kappa?.low, kappa?.high]).toEqual([-1, expect.closeTo(0.82, 1)]);
  });

  it('is that of scikit-learn, statsmodels and krippendorff on 100 random tables [REA-1]', () => {
    expect(cases).toHaveLength(100);
    for (const [at, { labels, kappa, kappa_standard_error: error, alpha }] of cases.entries()) {
      const rows = labels.map((text) => [...text].filter((letter) => letter !== '-'));
      const near = (value: number | null) => (value === null ? null : expect.closeTo(value, 9));
      expect([at, computeAlpha(rows)]).toEqual([at, near(alpha)]);
      if (at >= 50) continue;
      const found = computeKappa(rows.map(([a = '', b = '']) => [a, b] as const));
      expect([at, found?.value ?? null]).toEqual([at, near(kappa)]);
      // Of a reader with one label alone the formula knows no variance, which is no certainty.
      if (found === null || error === null || (kappa === 0 && error < 1e-9)) continue;
      const half = 1.959963984540054 * error;
      const close = (value: number) => expect.closeTo(value, 6);
      expect([at, found.low, found.high]).toEqual([
        at,
        close(Math.max(-1, (kappa ?? 0) - half)),
        close(Math.min(1, (kappa ?? 0) + half)),
      ]);
    }
  });

  it('is the same of rows that are counted as of each by itself', () => {
    const options = ['yes', 'no', 'maybe'];
    const readings = Array.from({ length: 900 }, (_, at) => [options[at % 3], options[(at + (at % 7 ? 0 : 1)) % 3]]);
    const alike = Map.groupBy(readings, (labels) => labels.join());
    const give = (row: string, labels: readonly (string | undefined)[], rows: number): GivenLabel[] =>
      labels.map((option = '', at) => ({ row, reader: at === 0 ? 'Jana' : 'Milo', option, rows }));
    const each = measureAgreement(readings.flatMap((labels, at) => give(String(at), labels, 1)));
    const counted = measureAgreement([...alike].flatMap(([row, all]) => give(row, all[0] ?? [], all.length)));
    const near = (value = 0, digits = 9) => expect.closeTo(value, digits);
    expect(counted).toMatchObject({ rows: 900, agreed: each.agreed, byOption: each.byOption });
    expect(counted.pairs[0]?.kappa?.low).toEqual(near(each.pairs[0]?.kappa?.low));
    expect(counted.alpha?.value).toEqual(near(each.alpha?.value));
    // Other draws, of the same kind.
    expect(counted.alpha?.low).toEqual(near(each.alpha?.low, 1));
    const many = measureAgreement([...alike].flatMap(([row, all]) => give(row, all[0] ?? [], all.length * 100)));
    const width = ({ alpha }: typeof many) => (alpha?.high ?? 0) - (alpha?.low ?? 0);
    expect(width(counted) / width(many)).toBeGreaterThan(8);
    expect(width(counted) / width(many)).toBeLessThan(12.5);
  });

  it('says why it is low where readers agree on nearly all rows [REA-3]', () => {
    const labels = (second: (at: number) => string): GivenLabel[] =>
      Array.from({ length: 40 }, (_, at) => [
        { row: `${at}`, reader: 'Anna', option: at === 0 ? 'deny' : 'grant' },
        { row: `${at}`, reader: 'Berta', option: second(at) },
      ]).flat();
    const why = ' It is low because nearly all labels are the same, so that readers agree at random, too.';
    expect(describeAgreement(measureAgreement(labels(() => 'grant').slice(0, 2)))).toContain(' of 1 row (');
    expect(describeAgreement(measureAgreement(labels(() => 'grant')))).toContain(`is 0.00.${why}`);
    expect(describeAgreement(measureAgreement(labels((at) => (at === 0 ? 'deny' : 'grant'))))).toMatch(/is 1\.00\.$/);
  });

  it('is given by pair and by option, worst first, and leaves out rows that one reader labelled', () => {
    const given = (row: string, labels: Record<string, string>): GivenLabel[] =>
      Object.entries(labels).map(([reader, option]) => ({ row, reader, option }));
    const agreement = measureAgreement([
      ...given('1', { Jana: 'yes', Milo: 'yes' }),
      ...given('2', { Jana: 'yes', Milo: 'no' }),
      ...given('3', { Milo: 'no', Jana: 'no', Sofia: 'no' }),
      ...given('4', { Jana: 'yes' }),
    ]);
    expect(agreement).toMatchObject({ rows: 3, agreed: 2, share: { value: 2 / 3 } });
    expect(agreement.pairs.map(({ readers, rows, agreed }) => [...readers, rows, agreed])).toEqual([
      ['Jana', 'Milo', 3, 2],
      ['Jana', 'Sofia', 1, 1],
      ['Milo', 'Sofia', 1, 1],
    ]);
    expect(agreement.byOption.map(({ option, rows, agreed }) => [option, rows, agreed])).toEqual([
      ['yes', 2, 1],
      ['no', 2, 1],
    ]);
    const { alpha } = agreement;
    expect(alpha?.low).toBeLessThanOrEqual(alpha?.value ?? 0);
    expect(alpha?.high).toBeGreaterThanOrEqual(alpha?.value ?? 0);
    expect(measureAgreement([])).toMatchObject({ rows: 0, share: null, alpha: null, pairs: [] });
  });
});
