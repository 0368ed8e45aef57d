/** Rules that examples suggest: planted ones are found, and chance suggests none. */
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import { computeUpperBound } from '../../../src/engine/intervals.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { compileRules } from '../../../src/engine/rules/compile.ts';
import { findReadableNumber } from '../../../src/engine/rules/discovery/cuts.ts';
import { type ProposalRow, proposeRules } from '../../../src/engine/rules/discovery/propose-rules.ts';
import type { RuleProposals } from '../../../src/engine/rules/results.ts';
import { findEdgePython } from '../../edge-python.ts';
import { traceInPython } from './python-rules.ts';

const python = await findEdgePython();
const options = ['approve', 'deny'];
const subjects = ['my parcel', 'the blue chair', 'order 17', 'a lamp', 'the last delivery', 'this phone'];
const endings = ['please help', 'thank you', 'it is urgent', 'kind regards', 'what now', 'as agreed'];

/** Rows of every kind of field, labelled by `decide` where it says something, else by a coin. */
function makeRows(count: number, seed: number, decide: (input: JsonObject) => string | null): ProposalRow[] {
  const random = createRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  return Array.from({ length: count }, (_, i) => {
    const input: JsonObject = {
      amount: Math.round(random() * 10_000) / 10,
      customer: {
        age: 18 + Math.floor(random() * 60),
        ...(random() < 0.8 && { tier: pick(['basic', 'plus', 'gold']) }),
      },
      tags: ['new', 'sale', 'gift', 'b2b'].filter(() => random() < 0.3),
      opened: random() < 0.5,
      score: random() < 0.1 ? null : Math.round(random() * 100),
      message: `${pick(subjects)} ${random() < 0.2 ? 'and my Lawyer' : ''} ${i} ${pick(subjects)} ${pick(endings)}`,
    };
    return { id: `row ${i}`, input, decision: decide(input) ?? pick(options) };
  });
}

function propose(
  rows: readonly ProposalRow[],
  minPrecision = 0.85,
  rules: Rule[] = [],
  piiFields: string[] = [],
): RuleProposals {
  const saved = compileRules(rules, { options, reason_codes: [] });
  if (!saved.ok) throw new Error(JSON.stringify(saved.problems));
  const search = proposeRules(rows, { options, saved: saved.value, piiFields, minPrecision });
  for (;;) {
    const step = search.next();
    if (step.done) return step.value;
  }
}

const at = (input: JsonObject, name: string) => (input.customer as JsonObject)[name];
const planted: [string, (input: JsonObject) => boolean, string][] = [
  ['ctx.amount > 700', ({ amount }) => Number(amount) > 700, 'a number'],
  [
    'ctx.customer.age <= 40 && ctx.opened',
    (input) => Number(at(input, 'age')) <= 40 && input.opened === true,
    'two fields',
  ],
  [
    'has(ctx.customer.tier) && ctx.customer.tier == "gold"',
    (input) => at(input, 'tier') === 'gold',
    'a category that may be missing',
  ],
  [
    'ctx.score != null && ctx.score > 75',
    ({ score }) => score !== null && Number(score) > 75,
    'a number that may be null',
  ],
  ['"b2b" in ctx.tags', ({ tags }) => (tags as string[]).includes('b2b'), 'a member of a list'],
  [
    'ctx.message.foldCase().contains("lawyer")',
    ({ message }) => String(message).includes('Lawyer'),
    'a word of a text',
  ],
];

describe('rules from the examples [RUL-12]', () => {
  it.each(planted)('finds %s', (condition, holds) => {
    const rows = makeRows(1500, 7, (input) => (holds(input) ? 'deny' : null));
    const { items: proposals } = propose(rows);
    const found = proposals.find(({ rule }) => rule.then === 'deny');
    if (!found) throw new Error('Nothing was proposed.');
    expect(found.rule.condition.replace(/[0-9.]+$/, '')).toBe(condition.replace(/[0-9.]+$/, ''));
    expect(found.precision_low).toBeGreaterThan(0.85);
    expect(found.against).toBeLessThan(0.02 * found.for);
    const matching = rows.filter(({ input }) => holds(input)).length;
    expect(found.for).toBeGreaterThan(0.95 * matching);
    expect(found.share).toBe((found.for + found.against) / rows.length);
  });

  it.skipIf(python === null)('decides as it says in both languages', () => {
    const rows = makeRows(1500, 11, ({ amount, tags }) =>
      Number(amount) > 600 && (tags as string[]).includes('sale') ? 'deny' : Number(amount) < 150 ? 'approve' : null,
    );
    const { items: proposals } = propose(rows);
    expect(proposals.map(({ rule }) => rule.then).toSorted()).toEqual(options);
    for (const proposal of proposals) {
      const compiled = compileRules([proposal.rule], { options, reason_codes: [] });
      if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
      const [rule] = compiled.value.file.rules;
      if (!rule) throw new Error('The rule is lost.');
      const outcomes = rows.map(({ input }) => compiled.value.evaluate(input, true).trace[0]);
      expect(outcomes.map((outcome) => outcome?.error).filter(Boolean)).toEqual([]);
      const decided = rows.filter((_, i) => outcomes[i]?.outcome === 'matched');
      expect(decided.filter(({ decision }) => decision === rule.then)).toHaveLength(proposal.for);
      expect(decided).toHaveLength(proposal.for + proposal.against);
      expect(
        traceInPython(
          python ?? '',
          rows.map(({ input }) => ({ rule, input })),
        ),
      ).toEqual(outcomes.map((outcome) => JSON.parse(JSON.stringify(outcome))));
    }
  });

  it('proposes nothing in 95 of 100 runs where labels are given by chance', () => {
    let runs = 0;
    for (let seed = 0; seed < 200; seed++) {
      const random = createRandom(seed + 1000);
      const rows = makeRows(240, seed, () => (random() < 0.65 ? 'approve' : 'deny'));
      if (propose(rows, 0.5).items.length > 0) runs++;
    }
    expect(runs).toBeLessThanOrEqual(10);
  });

  it('says the same in whatever order the rows come, and counts equal rows once', () => {
    const rows = makeRows(600, 3, ({ amount }) => (Number(amount) > 700 ? 'deny' : null));
    const [first] = propose(rows).items;
    const [again] = propose([...rows].reverse()).items;
    expect(again).toEqual({ ...first, against_ids: expect.anything() });
    const copies = rows.map((row) => ({ ...structuredClone(row), id: `copy of ${row.id}` }));
    const [twice] = propose([...rows, ...copies]).items;
    expect(twice).toMatchObject({
      for: 2 * (first?.for ?? 0),
      checked: first?.checked,
      precision_low: first?.precision_low,
    });
  });

  it('leaves out what a rule decides already, personal fields and identifiers', () => {
    const isLarge = ({ amount }: JsonObject) => (Number(amount) > 700 ? 'deny' : null);
    const rows = makeRows(800, 5, isLarge).map((row, i) => ({ ...row, input: { ...row.input, case_id: i } }));
    expect(propose(rows).items).toHaveLength(1);
    expect(propose(rows, 0.85, [], ['amount']).items).toEqual([]);
    const rule = { name: 'large', condition: 'ctx.amount > 690', then: 'deny', reason_code: null, priority: 7 };
    const { items: proposals, rows: counts } = propose(rows, 0.85, [rule]);
    expect(proposals).toEqual([]);
    expect(counts.undecided).toBeLessThan(counts.examples);
    const byId = makeRows(800, 5, () => null).map((row, i) => ({
      ...row,
      input: { case_id: i },
      decision: i < 400 ? 'deny' : 'approve',
    }));
    expect(propose(byId).items).toEqual([]);
  });

  it('bounds a share exactly, and writes a cut with the fewest digits', () => {
    // By bisection over the sum of the binomial's terms in Python's exact whole numbers.
    expect(1 - computeUpperBound(0, 40, 0.05)).toBeCloseTo(0.927842, 6);
    expect(1 - computeUpperBound(5, 50, 0.05)).toBeCloseTo(0.801167, 6);
    expect(1 - computeUpperBound(50, 50, 0.05)).toBe(0);
    const cuts = [
      [57, 63],
      [57, 163],
      [-3, 4],
      [0.123, 0.124],
      [1234.5, 1234.6],
      [-70, -20],
    ] as const;
    expect(cuts.map(([low, high]) => findReadableNumber(low, high))).toEqual([60, 100, 0, 0.123, 1234.5, -70]);
  });
});
