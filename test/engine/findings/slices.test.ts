import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  adjustForDiscoveries,
  computeFisherTail,
  listLogFactorials,
} from '../../../src/engine/findings/significance.ts';
import { listConditions } from '../../../src/engine/findings/slice-conditions.ts';
import { findWeakSlices, type JudgedRow } from '../../../src/engine/findings/slices.ts';
import { computeBinomialTail } from '../../../src/engine/intervals.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { collectRows, countCommon, countRows, intersect, subtract, unite } from '../../../src/engine/row-sets.ts';
import { openLanguageDetector } from '../../../src/server/runtime/language-detector.ts';

type Errs = (input: Record<string, string | number>) => number;

/** Judged rows with eight fields; `errs` gives the chance of an error for an input. */
function judge(count: number, seed: number, errs: Errs): JudgedRow[] {
  const random = createRandom(seed);
  const pick = (values: readonly string[]) => values[Math.floor(random() * values.length)] ?? '';
  return Array.from({ length: count }, (_, i) => {
    const input = {
      country: pick(['de', 'fr', 'it', 'es']),
      channel: pick(['mail', 'phone', 'web']),
      tier: pick(['gold', 'silver', 'none']),
      amount: Math.round(1000 * random()),
      age: 18 + Math.floor(60 * random()),
      rate: random(),
      id: `row ${i}`,
      note: `number ${i} ${'some words '.repeat(1 + Math.floor(8 * random()))}`,
    };
    const isWrong = random() < errs(input);
    return { input: input as JsonObject, isWrong, isEscalated: isWrong || random() < 0.1 };
  });
}

const usual = { minRows: 30, piiFields: [], detectLanguage: null };
const find = (rows: readonly JudgedRow[], changes = {}) => findWeakSlices(rows, { ...usual, ...changes });

describe('a weak part of the rows', () => {
  it.each<[string, string[], Errs]>([
    ['one value', ['country is "it"'], ({ country }) => (country === 'it' ? 0.4 : 0.05)],
    ['a range of numbers', ['amount is over'], ({ amount }) => (Number(amount) > 750 ? 0.4 : 0.05)],
    [
      'two fields together',
      ['country is "it"', 'channel is "phone"'],
      ({ country, channel }) => (country === 'it' && channel === 'phone' ? 0.6 : 0.05),
    ],
    ['the length of a text', ['the length of note'], ({ note }) => (String(note).length < 40 ? 0.4 : 0.05)],
  ])('is found by %s, and nothing that it explains', (_, parts, errs) => {
    let others = 0;
    for (let seed = 1; seed <= 10; seed++) {
      const { items, tested } = find(judge(1500, seed, errs));
      expect(tested).toBeGreaterThan(100);
      const planted = items.find(
        ({ description, fields }) =>
          fields.length === parts.length && parts.every((part) => description.includes(part)),
      );
      expect(planted?.error_rate).toBeGreaterThan(3 * (planted?.rest_error_rate ?? 1));
      expect(planted?.error_interval.low).toBeGreaterThan(planted?.rest_error_rate ?? 1);
      expect(planted?.escalation_rate).toBeGreaterThan(planted?.rest_escalation_rate ?? 1);
      others += items.length - 1;
    }
    // A part of the part that errs more by chance: one in twenty runs is expected.
    expect(others).toBeLessThanOrEqual(2);
  });

  it('is one of two that have nothing to do with each other', () => {
    const errs: Errs = ({ country, amount }) => (country === 'it' || Number(amount) < 250 ? 0.4 : 0.04);
    const texts = find(judge(3000, 4, errs)).items.map(({ description }) => description);
    expect(texts.some((text) => text.includes('country is "it"'))).toBe(true);
    expect(texts.some((text) => text.includes('amount is at most'))).toBe(true);
  });

  it('is not found in rows that err alike everywhere: in at most 5% of runs', () => {
    const runs = 200;
    let runsWithFindings = 0;
    for (let seed = 1; seed <= runs; seed++) {
      if (find(judge(400, 1000 + seed, () => 0.15)).items.length > 0) runsWithFindings += 1;
    }
    expect(runsWithFindings).toBeLessThanOrEqual(0.05 * runs);
  });

  it('is a span of dates, a language, a source or a group where the rows have one [SLC-2]', () => {
    const toDay = (i: number) => new Date(Date.UTC(2026, 0, 1 + (i % 200))).toISOString().slice(0, 10);
    const toRow = (i: number, isWrong: boolean): JudgedRow => ({
      input: {
        opened: toDay(i),
        language: ['en', 'de', 'fr'][i % 3] ?? '',
        source: i % 7 < 3 ? 'mail' : 'web',
        customer: `c${i % 11}`,
        n: (i * 37) % 101,
      },
      isWrong,
      isEscalated: false,
    });
    const cases: [string, (i: number) => boolean][] = [
      ['opened is after 2026-05-30', (i) => i % 200 >= 150],
      ['language is "fr"', (i) => i % 3 === 2],
      ['source is "mail"', (i) => i % 7 < 3],
      ['customer is "c4"', (i) => i % 11 === 4],
    ];
    for (const [description, isWeak] of cases) {
      const random = createRandom(3);
      const rows = Array.from({ length: 1200 }, (_, i) => toRow(i, random() < (isWeak(i) ? 0.6 : 0.04)));
      expect(find(rows).items.map((item) => item.description)).toContain(description);
    }
    const days = Array.from({ length: 400 }, (_, i) => ({ input: { opened: toDay(i) } }));
    expect(listConditions(days, 30, [])).toEqual([]);
  });

  it('tells values that nobody can read from missing ones [RDG-6]', () => {
    const rows = judge(1200, 5, () => 0.04).map((row, i): JudgedRow => {
      if (i % 3 === 2) return row;
      const input = { ...row.input, tier: null };
      return i % 3 === 0 ? { ...row, input, isWrong: i % 2 === 0, unreadable: ['tier'] } : { ...row, input };
    });
    expect(find(rows).items.map(({ description }) => description)).toEqual(['tier is unreadable']);
  });

  it('never names a field of personal data, nor too few rows', () => {
    const rows = judge(1500, 2, ({ country }) => (country === 'it' ? 0.5 : 0.05));
    expect(find(rows, { piiFields: ['country'] }).items.flatMap(({ fields }) => fields)).not.toContain('country');
    expect(find(rows, { minRows: 700 }).items).toEqual([]);
  });

  it('does not exist without rows or without errors', () => {
    expect(find([])).toMatchObject({ rows: 0, items: [] });
    expect(find(judge(200, 1, () => 0)).items).toEqual([]);
    expect(find(judge(200, 1, () => 1)).items).toEqual([]);
  });
});

describe('exact tails', () => {
  const logs = listLogFactorials(60);
  const choose = (n: number, k: number): number => (k < 0 || k > n ? 0 : k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);

  it('are the sums of their terms', () => {
    const counts = fc.record({ all: fc.integer({ min: 1, max: 40 }), a: fc.nat(40), b: fc.nat(40), hits: fc.nat(41) });
    fc.assert(
      fc.property(counts, fc.double({ min: 0.01, max: 0.99, noNaN: true }), ({ all, a, b, hits }, rate) => {
        const [size, allHits] = [a % (all + 1), b % (all + 1)];
        let fisher = 0;
        let binomial = 0;
        for (let k = hits; k <= size; k++) {
          fisher += (choose(allHits, k) * choose(all - allHits, size - k)) / choose(all, size);
          binomial += choose(size, k) * rate ** k * (1 - rate) ** (size - k);
        }
        expect(computeFisherTail(logs, { hits, size, allHits, all })).toBeCloseTo(fisher, 9);
        expect(computeBinomialTail(size - hits, size, 1 - rate)).toBeCloseTo(binomial, 9);
      }),
    );
  });

  it('are adjusted as by Benjamini and Hochberg', () => {
    // R: p.adjust(c(0.01, 0.04, 0.03, 0.2), "BH"), and with two more tests of p = 1.
    const p = [0.01, 0.04, 0.03, 0.2];
    [0.04, 0.16 / 3, 0.16 / 3, 0.2].forEach((expected, i) => {
      expect(adjustForDiscoveries(p, 4)[i]).toBeCloseTo(expected, 12);
    });
    [0.06, 0.08, 0.08, 0.3].forEach((expected, i) => {
      expect(adjustForDiscoveries(p, 6)[i]).toBeCloseTo(expected, 12);
    });
  });
});

describe('sets of rows', () => {
  it('count, intersect, unite and subtract like sets', () => {
    const rows = fc.uniqueArray(fc.nat(99));
    fc.assert(
      fc.property(rows, rows, (a, b) => {
        const [one, other] = [a, b].map((members) => collectRows(100, (row) => members.includes(row)));
        if (one === undefined || other === undefined) throw new Error('two sets were made');
        const common = a.filter((row) => b.includes(row)).length;
        expect(countRows(one)).toBe(a.length);
        expect(countCommon(one, other)).toBe(common);
        expect(countRows(intersect(one, other))).toBe(common);
        expect(countRows(unite(one, other))).toBe(a.length + b.length - common);
        expect(countRows(subtract(one, other))).toBe(a.length - common);
      }),
    );
  });
});

it('is found by the language of a text, but not of one that only names things [TRN-27]', async () => {
  const detectLanguage = await openLanguageDetector();
  const random = createRandom(5);
  const said = {
    fr: ['Je voudrais savoir où se trouve ma commande', 'Le colis est arrivé avec beaucoup de retard'],
    en: ['I would like to know where my order is now', 'The parcel has arrived very late this week'],
  };
  const rows: JudgedRow[] = Array.from({ length: 600 }, (_, i) => {
    const language = random() < 0.25 ? 'fr' : 'en';
    const isWrong = random() < (language === 'fr' ? 0.5 : 0.04);
    const message = `${said[language][i % 2]} numéro ${i}`;
    return { input: { message, city: ['Lyon', 'Graz'][i % 2] ?? '' }, isWrong, isEscalated: false };
  });
  const { items } = find(rows, { detectLanguage });
  expect(items.map(({ description }) => description)).toEqual(['message is in French']);
  expect(find(rows, { detectLanguage, piiFields: ['message'] }).items).toEqual([]);
});
