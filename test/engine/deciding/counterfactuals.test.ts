import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogisticModel } from '../../../src/engine/classifiers/model.ts';
import { findFieldFlips } from '../../../src/engine/counterfactuals/find-flips.ts';
import { applyChanges, listSeenFields } from '../../../src/engine/counterfactuals/seen-values.ts';
import { findWordFlip, weighWords } from '../../../src/engine/counterfactuals/weigh-words.ts';
import { WhatIf } from '../../../src/engine/counterfactuals/what-if.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import type { Decider } from '../../../src/engine/decide/golden.ts';
import type { Decision } from '../../../src/engine/domain/decision.ts';
import type { FeaturePlan } from '../../../src/engine/features/plan.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { bundleOf } from '../bundle-fixture.ts';

const ports = { now: () => 0, pause: async () => undefined };
const nothingExcluded = () => false;

/** The fields of the input and the data that are tried. */
async function listFields(
  input: JsonObject,
  data: readonly JsonObject[],
  isExcluded: (path: readonly string[]) => boolean,
) {
  return (await listSeenFields(input, data, { isExcluded, weigh: () => 0, pause: ports.pause })).fields;
}

/** Amount, whether the customer is known, and the region decide; `spare` decides nothing. */
const plan: FeaturePlan = {
  format: 1,
  fields: [
    { kind: 'number', path: ['amount'], median: 0, mean: 0, std: 1 },
    { kind: 'boolean', path: ['customer', 'known'] },
    { kind: 'category', path: ['region'], values: ['north', 'south'] },
    { kind: 'number', path: ['spare'], median: 0, mean: 0, std: 1 },
  ],
  tabular_size: 2 + 2 + 4 + 2,
  left_out: [],
  text: null,
};

function openDecider(weights: readonly number[], overrides: Parameters<typeof bundleOf>[0] = {}): Decider {
  const columns = plan.tabular_size;
  const dense = new Float32Array(columns * 2);
  weights.forEach((weight, column) => {
    dense[column * 2] = -weight;
    dense[column * 2 + 1] = weight;
  });
  const model: LogisticModel = {
    kind: 'logistic',
    dense,
    ngram: new Float32Array(0),
    bias: Float32Array.of(0, 0),
    D: columns,
    V: 0,
    K: 2,
  };
  return compileDecider(bundleOf({ plan, model, ...overrides }), { encoder: null, tokenizer: null, now: () => 0 });
}
async function decide(decider: Decider, input: JsonObject): Promise<Decision> {
  const result = await decider.decide(input);
  if (!result.ok) throw new Error('the input was refused');
  return result.decision;
}

const inputs: fc.Arbitrary<JsonObject> = fc.record(
  {
    amount: fc.integer({ min: -6, max: 6 }),
    customer: fc.record({ known: fc.boolean() }),
    region: fc.constantFrom('north', 'south', 'west'),
    spare: fc.integer({ min: -3, max: 3 }),
  },
  { requiredKeys: ['amount', 'region'] },
);
const settings = fc.record({
  weights: fc.array(fc.double({ min: -1.5, max: 1.5, noNaN: true }), { minLength: 8, maxLength: 8 }),
  rules: fc.constantFrom([], [{ condition: 'ctx.amount > 4', then: 'approve' }]),
  fallbackOption: fc.constantFrom(null, 'decline'),
});

describe('what would change a decision', () => {
  it('is always something that does change it: the same decision comes out when it is decided again [XPL-2]', async () => {
    await fc.assert(
      fc.asyncProperty(
        settings,
        inputs,
        fc.array(inputs, { minLength: 1, maxLength: 25 }),
        async (given, input, data) => {
          const decider = openDecider(given.weights, { rules: [...given.rules], fallbackOption: given.fallbackOption });
          const base = await decide(decider, input);
          const whatIf = new WhatIf(decider, base, ports, { maxDecisions: 300, maxMs: 150 });
          const flips = await findFieldFlips(whatIf, input, await listFields(input, data, nothingExcluded));
          expect(flips.length).toBeLessThanOrEqual(5);
          for (const { changes, decision } of flips) {
            const again = await decide(decider, applyChanges(input, changes));
            expect(again).toEqual(decision);
            expect(again.decision !== base.decision || (base.escalate && !again.escalate)).toBe(true);
            expect([again.unfamiliar, again.stage === 'fallback']).toEqual([false, false]);
            for (const { path, to } of changes) {
              expect(data.some((each) => JSON.stringify(each).includes(`"${path.at(-1)}":${JSON.stringify(to)}`))).toBe(
                true,
              );
            }
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('is the smallest seen number that is enough, and no field that plays no part [XPL-2]', async () => {
    const decider = openDecider([1, 0, 0, 0, 0, 0, 0, 0]);
    const data = Array.from({ length: 101 }, (_, n) => ({ amount: (n - 50) / 10, spare: n }));
    const input = { amount: -2.05, spare: 3 };
    const whatIf = new WhatIf(decider, await decide(decider, input), ports, { maxDecisions: 300, maxMs: 150 });
    const flips = await findFieldFlips(whatIf, input, await listFields(input, data, nothingExcluded));
    expect(
      flips.map(({ changes, decision }) => [changes.map(({ path, to }) => [...path, to]), decision.decision]),
    ).toEqual([[[['amount', 0.1]], 'decline']]);
  });

  it('takes two fields where one is not enough [XPL-2]', async () => {
    // Known customers and the north both speak for a decline; each by itself is too weak.
    const decider = fakeDecider(({ known, region }) => 0.9 - (known ? 0.25 : 0) - (region === 'north' ? 0.25 : 0));
    const input = { known: false, region: 'west', spare: 1 };
    const data = [
      { known: true, region: 'south', spare: 2 },
      { known: false, region: 'north', spare: 3 },
    ];
    const whatIf = new WhatIf(decider, await decide(decider, input), ports, { maxDecisions: 300, maxMs: 150 });
    const flips = await findFieldFlips(whatIf, input, await listFields(input, data, nothingExcluded));
    expect(flips.map(({ changes }) => changes.map(({ path, to }) => [path[0], to]).sort())).toEqual([
      [
        ['known', true],
        ['region', 'north'],
      ],
    ]);
  });

  it('stays within its budget and leaves out what may not be shown', async () => {
    let decisions = 0;
    const counted = openDecider([1, 0, 0, 0, 0, 0, 0, 0]);
    const decider: Decider = {
      ...counted,
      decide(input, options) {
        decisions += 1;
        return counted.decide(input, options);
      },
    };
    const input = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}`, n]));
    const data = Array.from({ length: 30 }, (_, n) => Object.fromEntries(Object.keys(input).map((key) => [key, n])));
    const base = await decide(counted, input);
    const whatIf = new WhatIf(decider, base, ports, { maxDecisions: 40, maxMs: 150 });
    expect(await findFieldFlips(whatIf, input, await listFields(input, data, nothingExcluded))).toEqual([]);
    expect([decisions, whatIf.isUsedUp()]).toEqual([40, true]);
    expect(await listFields({ name: 'Ada' }, [{ name: 'Bob' }], ([name]) => name === 'name')).toEqual([]);
  });
});

/** Decides "approve" with a probability that follows from the input. */
function fakeDecider(toProbability: (input: JsonObject) => number): Decider {
  return {
    version: 1,
    setAside: [],
    medians: new Map(),
    embedAhead: async () => [],
    estimateWithout: async () => null,
    findUnread: () => null,
    read: (input) => input,
    decide(input) {
      const approve = toProbability(input);
      const decision: Decision = {
        decision: approve > 0.5 ? 'approve' : 'decline',
        confidence: Math.max(approve, 1 - approve),
        class_probabilities: { approve, decline: 1 - approve },
        ...{ classifier_choice: null, classifier_probability: null },
        ...{ reason_codes: [], rules_triggered: [], policy_version: 'v1', explanation: '' },
        ...{ stage: 'classifier', escalate: false, fallback_used: false, unfamiliar: false },
      };
      return { ok: true, decision, trace: null, escalation: null, ruleErrors: [] };
    },
  };
}

/** Decides by the words "broken" and "smashed" in the field `message`; every other word counts nothing. */
const wordDecider = fakeDecider(({ message }) => {
  const found = ['broken', 'smashed'].filter((word) => String(message).includes(word)).length;
  return [0.1, 0.7, 0.95][found] ?? 0;
});

describe('the words that a decision rests on', () => {
  const input = { message: 'The cup is broken and the plate is smashed.', order: 7 };

  it('are found where they stand, heaviest first, and what is left without them decides otherwise [XPL-3]', async () => {
    const base = await decide(wordDecider, input);
    const whatIf = new WhatIf(wordDecider, base, ports, { maxDecisions: 100, maxMs: 1_000 });
    const words = await weighWords(whatIf, input, nothingExcluded);
    expect(
      words.slice(0, 3).map(({ start, end, weight }) => [input.message.slice(start, end), weight.toFixed(2)]),
    ).toEqual([
      ['broken', '0.25'],
      ['smashed', '0.25'],
      ['The', '0.00'],
    ]);
    expect(await findWordFlip(whatIf, input, words)).toMatchObject({
      path: ['message'],
      text: 'The cup is and the plate is .',
      decision: { decision: 'decline' },
    });
    expect(await weighWords(whatIf, input, () => true)).toEqual([]);
  });

  it('are taken together where a text is long', async () => {
    const message = Array.from({ length: 500 }, (_, n) => (n === 250 ? 'broken' : `word${n}`)).join(' ');
    const base = await decide(wordDecider, { message });
    const whatIf = new WhatIf(wordDecider, base, ports, { maxDecisions: 100, maxMs: 1_000 });
    const words = await weighWords(whatIf, { message }, nothingExcluded);
    expect(words.length).toBeLessThanOrEqual(60);
    expect(message.slice(words[0]?.start, words[0]?.end)).toContain('broken');
  });
});
