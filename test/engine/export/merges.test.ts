/** Two copies of the same examples, labelled apart and merged: no label is lost, none is doubled, conflicts are asked. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialExample } from '../../../src/engine/examples/fields.ts';
import {
  type ConflictChoice,
  type FileExample,
  type KnownExamples,
  type Mergeable,
  planMerge,
} from '../../../src/engine/export/merge.ts';
import { toCanonicalJson } from '../../../src/engine/json.ts';

const optionNames = ['yes', 'no', 'maybe'];

const make = (id: string, n: number, more: Partial<Mergeable> = {}): Mergeable => ({
  ...{ ...initialExample, id, input: { n }, updatedAt: 1, ...more },
});
const toKnown = (examples: readonly Mergeable[]): KnownExamples<Mergeable> => ({
  find: (id) => examples.find((example) => example.id === id) ?? null,
  listEqual: (inputs) => examples.filter(({ input }) => inputs.has(toCanonicalJson(input))),
  listReaders: () => [null],
});
const toFile = (examples: readonly Mergeable[]): FileExample<Mergeable>[] =>
  examples.map((example, index) => ({ line: index + 2, example, isMasked: false }));

/** A copy after the file of another one was merged into it. */
function mergeInto(mine: readonly Mergeable[], theirs: readonly Mergeable[], choice: ConflictChoice) {
  const plan = planMerge(toFile(theirs), toKnown(mine), choice);
  const changed = new Map(plan.changed.map(({ example }) => [example.id, { ...example, updatedAt: 1_000 }]));
  return { plan, merged: [...mine.map((example) => changed.get(example.id) ?? example), ...plan.added] };
}

type Step = { side: 0 | 1; kind: 'label' | 'note' | 'add' | 'same'; place: number; option: string };
const steps: fc.Arbitrary<Step> = fc.record({
  side: fc.constantFrom(0, 1),
  kind: fc.constantFrom('label', 'label', 'label', 'note', 'add', 'same'),
  place: fc.nat(20),
  option: fc.constantFrom(...optionNames),
});

/** Two copies that were one at first, each changed by its own steps; `same` adds one input to both, under two ids. */
function diverge(size: number, history: readonly Step[]): [Mergeable[], Mergeable[]] {
  const copies: [Mergeable[], Mergeable[]] = [[], []];
  for (const copy of copies) copy.push(...Array.from({ length: size }, (_, n) => make(`base ${n}`, n)));
  let time = 1;
  for (const { side, kind, place, option } of history) {
    time += 1;
    const copy = copies[side];
    const at = place % Math.max(1, copy.length);
    const found = copy[at];
    if (kind === 'add') copy.push(make(`${side} ${time}`, 100 + time, { decision: option, updatedAt: time }));
    else if (kind === 'same')
      for (const [index, each] of copies.entries()) each.push(make(`${index} ${time}`, 200 + time));
    else if (found && kind === 'label') copy[at] = { ...found, decision: option, updatedAt: time };
    else if (found) copy[at] = { ...found, note: `${side} says ${time}`, updatedAt: time };
  }
  return copies;
}

const toLabels = (examples: readonly Mergeable[]) =>
  new Map(examples.map(({ input, decision }) => [Number(input['n']), decision]));

describe('Two copies that were labelled apart', () => {
  it('are merged without a lost label or a doubled example, and conflicts are what both labelled otherwise [XPT-10]', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.array(steps, { maxLength: 30 }), (size, history) => {
        const [mine, theirs] = diverge(size, history);
        const { plan, merged } = mergeInto(mine, theirs, 'keep');
        const [own, other, after] = [toLabels(mine), toLabels(theirs), toLabels(merged)];
        // Every input once, with the only label that it had in either copy, or with mine.
        expect(merged.length).toBe(after.size);
        for (const n of new Set([...own.keys(), ...other.keys()])) {
          expect(after.get(n)).toBe(own.get(n) ?? other.get(n) ?? null);
        }
        const differing = [...own].filter(([n, label]) => label !== null && (other.get(n) ?? label) !== label);
        expect(plan.conflicts.length).toBe(differing.length);
        for (const { note } of theirs)
          if (note !== null) expect(merged.some((each) => each.note?.includes(note))).toBe(true);

        // The other way round, with what was merged, both are the same.
        const back = mergeInto(theirs, merged, 'take').merged;
        expect(toLabels(back)).toEqual(after);
        expect(mergeInto(back, merged, 'refuse').plan).toMatchObject({ added: [], conflicts: [] });
        // Nothing is lost in a copy that was empty.
        expect(mergeInto([], merged, 'refuse').merged).toEqual(merged);
      }),
      { numRuns: 200 },
    );
  });

  it('settle a conflict as it is chosen, and flag it with both labels [XPT-10]', () => {
    const mine = [make('a', 1, { decision: 'yes', updatedAt: 5 })];
    const theirs = [make('a', 1, { decision: 'no', note: 'sure', updatedAt: 6 })];
    const merge = (choice: ConflictChoice) => mergeInto(mine, theirs, choice);
    expect(merge('keep').merged[0]).toMatchObject({ decision: 'yes' });
    expect(merge('take').merged[0]).toMatchObject({ decision: 'no', note: 'sure' });
    expect(merge('flag').merged[0]).toMatchObject({
      decision: null,
      mark: 'flagged',
      note: 'Here: yes. In the file: no.\nsure',
    });
    expect(merge('refuse').plan.conflicts).toMatchObject([{ line: 2, about: 'label' }]);
  });

  it('take what was changed in an export of the same state as meant, but no empty cell as a removal [XPT-9]', () => {
    const mine = [
      make('a', 1, { decision: 'yes' }),
      make('b', 2, { decision: 'no' }),
      make('c', 3, { decision: 'no', test: true, updatedAt: 5 }),
    ];
    const edited = [
      make('a', 9, { decision: 'maybe', reviewed: true, must: true }),
      make('b', 2, { note: 'look', test: true }),
      // Changed here since, so that its flags here count.
      make('c', 3, { decision: 'no', must: true }),
    ];
    const { plan, merged } = mergeInto(mine, edited, 'refuse');
    expect([plan.conflicts.length, plan.changed.length]).toEqual([0, 2]);
    expect(merged).toMatchObject([
      { input: { n: 9 }, decision: 'maybe', reviewed: true, must: true },
      { decision: 'no', note: 'look', test: true, must: false },
      { test: true, must: false },
    ]);
  });

  it('prefer a person’s label to one of a teacher that nobody has confirmed [XPT-10]', () => {
    const taught = make('a', 1, { decision: 'yes', byTeacher: true, updatedAt: 5 });
    const given = make('a', 1, { decision: 'no', updatedAt: 6 });
    expect(mergeInto([taught], [given], 'refuse').merged[0]).toMatchObject({ decision: 'no', byTeacher: false });
    expect(mergeInto([given], [taught], 'refuse').merged[0]).toMatchObject({ decision: 'no', byTeacher: false });
  });
});
