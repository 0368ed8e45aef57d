/** Groups that must not be harmed: the figures of Fairlearn, what a group of few rows says, and what holds a release. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { divideRows } from '../../../src/engine/findings/slice-conditions.ts';
import { computeRatioInterval, computeWilsonInterval } from '../../../src/engine/intervals.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { compareGroups, type GroupSetting } from '../../../src/engine/report/groups.ts';

type Figures = Record<'given' | 'false_positive' | 'false_negative' | 'wrong', number>;
type Fixture = {
  counts: [sex: string, race: string, expected: string, decision: string, rows: number][];
  figures: Record<string, Record<string, { ratio: number; groups: Record<string, Figures> }>>;
};
const fixture = new URL('../../fixtures/adult_income/groups.json', import.meta.url);
const adult: Fixture = JSON.parse(readFileSync(fixture, 'utf8'));

const settings = {
  confidence_thresholds: { auto_decide: 0.5, escalation: 0.5 },
  fallback_option: null,
  escalation_policy: { enabled: false, between: 'accept', connection: null, timeout_ms: 10_000, unfamiliar: 'ignore' },
} as const;
const asked: GroupSetting = { fields: ['sex'], favoured: null, min_ratio: 0.8, max_error: null };

type Row = {
  input: Record<string, string | number | boolean>;
  expected: string;
  decision: string;
  confidence?: number;
};
const compare = (rows: readonly Row[], changes: Partial<GroupSetting> & { options: string[] }) => {
  const setting = { ...asked, ...changes };
  const decided = rows.map(({ expected, decision, confidence = 1 }) => ({
    expected,
    ruled: null,
    prediction: { option: decision, confidence, unfamiliarReason: null },
  }));
  const divisions = setting.fields.map((field) => divideRows(rows, field));
  return compareGroups(decided, divisions, settings, setting);
};
const repeat = (count: number, sex: string, expected: string, decision: string): Row[] =>
  Array.from({ length: count }, () => ({ input: { sex }, expected, decision }));

describe('Groups that must not be harmed', () => {
  it('have the figures that Fairlearn has of them, by sex and race of Adult [GRP-1]', () => {
    const options = ['>50K', '<=50K'];
    const rows = adult.counts.flatMap(([sex, race, expected, decision, count]) =>
      Array.from({ length: count }, () => ({ input: { sex, race }, expected, decision })),
    );
    expect(rows.length).toBe(16_281);
    const found = compare(rows, { fields: ['sex', 'race'], options });
    let compared = 0;
    for (const { field, groups, ratios } of found) {
      for (const option of options) {
        const theirs = adult.figures[field]?.[option];
        if (theirs === undefined) throw new Error(`no figure of ${option} by ${field}`);
        expect(ratios.find((each) => each.option === option)?.ratio).toBeCloseTo(theirs.ratio, 9);
        expect(groups.map(({ name }) => JSON.parse(name)).sort()).toEqual(Object.keys(theirs.groups).sort());
        for (const { name, wrong, options: ours } of groups) {
          const own = ours.find((each) => each.option === option);
          const { given, false_positive, false_negative, wrong: error } = theirs.groups[JSON.parse(name)] ?? {};
          const [mine, expected] = [
            [own?.given.share, own?.false_positive.share, own?.false_negative.share, wrong?.share],
            [given, false_positive, false_negative, error],
          ];
          mine.forEach((share, place) => {
            expect(Math.abs((share ?? Number.NaN) - (expected[place] ?? Number.NaN))).toBeLessThan(1e-9);
            compared += 1;
          });
        }
      }
    }
    expect(compared).toBe(2 * 4 * (2 + 5));
    expect(found[0]).toMatchObject({
      state: 'blocking',
      sentence: expect.stringMatching(
        /^By «sex» «>50K» goes to 8.2% where it is "Female", to 16% where it is "Male": a ratio of 0.52 .*certainly less than the 0.8/,
      ),
    });
  });

  it('say nothing of fewer than five rows, and are all rows together [GRP-1]', () => {
    const rows = [
      ...repeat(30, 'f', 'yes', 'yes'),
      ...repeat(4, 'x', 'yes', 'no'),
      ...repeat(30, 'm', 'no', 'yes'),
      { input: {}, expected: 'yes', decision: 'yes' },
    ];
    const [found] = compare(rows, { options: ['yes', 'no'] });
    expect(found?.groups.map(({ name, rows: count, wrong }) => [name, count, wrong?.share ?? null])).toEqual([
      ['"f"', 30, 0],
      ['"m"', 30, 1],
      ['"x"', 4, null],
      ['missing', 1, null],
    ]);
    expect(compare(rows.slice(0, 34), { options: ['yes', 'no'] })[0]).toMatchObject({
      ratios: [],
      state: 'warning',
      sentence: 'By «sex» there are no two groups of 5 unseen examples to compare.',
    });
    expect(compare(rows, { options: ['yes', 'no', 'later'], favoured: 'later' })[0]?.sentence).toBe(
      'By «sex» no group has an unseen example that is decided «later»: there is nothing to compare.',
    );
    const manyValues = Array.from({ length: 60 }, (_, i) => ({
      input: { sex: `city ${i < 40 ? i % 20 : i}`, age: i },
      expected: 'yes',
      decision: 'yes',
    }));
    const [bySex, byAge] = compare(manyValues, { fields: ['sex', 'age'], options: ['yes', 'no'] });
    expect(bySex?.groups[0]).toMatchObject({ name: 'another value', rows: 20 });
    expect(byAge?.groups.map(({ rows: count }) => count)).toEqual([15, 15, 15, 15]);
  });

  it('hold where the least favoured one certainly gets less, or one is certainly wronged more, than may be [GRP-2]', () => {
    const options = ['yes', 'no'];
    const few = [...repeat(3, 'f', 'yes', 'no'), ...repeat(7, 'f', 'yes', 'yes'), ...repeat(10, 'm', 'yes', 'yes')];
    const state = (rows: Row[], changes: Partial<GroupSetting> = {}) =>
      compare(rows, { favoured: 'yes', options, ...changes })[0]?.state;
    expect(state(few)).toBe('warning');
    const many = Array.from({ length: 10 }, () => few).flat();
    expect(state(many)).toBe('blocking');
    expect(state(many, { min_ratio: 0.6 })).toBe('passed');
    expect(state(many, { min_ratio: 0.6, max_error: 0.2 })).toBe('blocking');
    expect(state(many, { min_ratio: 0.6, max_error: 0.28 })).toBe('warning');
    expect(compare(many, { favoured: 'yes', options })[0]?.groups[0]?.options.map(({ option }) => option)).toEqual([
      'yes',
    ]);
    // An option that the type does not have any more is none that people hope for.
    expect(compare(many, { favoured: 'gone', options })[0]?.ratios).toHaveLength(2);
  });

  it('bound their ratio so that about 95 of 100 intervals hold the true one [GRP-1]', () => {
    const random = createRandom(7);
    const draw = (rows: number, chance: number) => {
      const count = Array.from({ length: rows }, random).filter((value) => value < chance).length;
      return { share: count / rows, ...computeWilsonInterval(count, rows) };
    };
    let [held, drawn] = [0, 0];
    for (let round = 0; round < 2_000; round += 1) {
      const [rows, chance] = [40 + Math.floor(360 * random()), 0.1 + 0.5 * random()];
      const [least, most] = [draw(rows, 0.7 * chance), draw(rows, chance)];
      if (most.share === 0) continue;
      const { low, high } = computeRatioInterval(least, most);
      drawn += 1;
      if (low <= 0.7 && high >= 0.7) held += 1;
    }
    expect(held / drawn).toBeGreaterThan(0.93);
    expect(held / drawn).toBeLessThan(0.985);
  });
});
