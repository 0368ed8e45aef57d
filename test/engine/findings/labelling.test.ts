import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitTemperature, LabellingModel, toUnseenScores } from '../../../src/engine/labelling/labelling-model.ts';
import { OnlineRidge } from '../../../src/engine/labelling/online-ridge.ts';
import { writeOptionTexts } from '../../../src/engine/labelling/option-texts.ts';
import { fitRowEncoder } from '../../../src/engine/labelling/row-encoder.ts';
import { RowMatrix } from '../../../src/engine/labelling/row-matrix.ts';
import { TrackedRows } from '../../../src/engine/labelling/tracked-rows.ts';
import { dot } from '../../../src/engine/numeric.ts';
import { createRandom } from '../../../src/engine/random.ts';

const width = 6;
const optionCount = 3;

/** Rows in three clouds, the number of the cloud beside each. */
function makeRows(count: number, seed: number, spread = 0.5): { row: Float64Array; label: number }[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, n) => {
    const label = n % optionCount;
    const row = Float64Array.from({ length: width }, (_, d) => (d === label ? 1 : 0) + spread * (random() - 0.5));
    row[width - 1] = 1;
    return { row, label };
  });
}

/** A labelled, relabelled or unlabelled row, by position and new label. */
const changes = fc.array(fc.record({ at: fc.nat({ max: 29 }), label: fc.option(fc.nat({ max: optionCount - 1 })) }), {
  minLength: 1,
  maxLength: 120,
});

describe('the labelling model', () => {
  it('is after any labels given, changed and taken back what it would be with the last ones alone', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const rows = makeRows(30, 1);
        const labels = new Map<number, number>();
        const changed = new OnlineRidge(width, optionCount, 1);
        const matrix = new RowMatrix(width);
        const tracked = new TrackedRows(optionCount);
        const probe = makeRows(1, 2)[0]?.row as Float64Array;
        tracked.add(
          'probe',
          matrix.add('probe', probe),
          changed.score(probe),
          dot(probe, changed.multiplyInverse(probe)),
        );
        for (const { at, label } of list) {
          const row = rows[at]?.row as Float64Array;
          const before = labels.get(at);
          if (before !== undefined) tracked.apply(changed.add(row, before, -1), matrix);
          if (label !== null) tracked.apply(changed.add(row, label, 1), matrix);
          if (label === null) labels.delete(at);
          else labels.set(at, label);
        }
        const fresh = new OnlineRidge(width, optionCount, 1);
        for (const [at, label] of labels) fresh.add(rows[at]?.row as Float64Array, label, 1);
        const expected = fresh.score(probe);
        expect([...changed.score(probe)]).toEqual([...expected].map((score) => expect.closeTo(score, 8)));
        // The rows that are followed step by step are as exact as their 16 bits.
        expect([...tracked.readScores(0)]).toEqual([...expected].map((score) => expect.closeTo(score, 2)));
        expect(tracked.readVariance(0)).toBeCloseTo(dot(probe, fresh.multiplyInverse(probe)), 2);
      }),
      { numRuns: 60 },
    );
  });

  it('knows what it would say of a labelled row without its label', () => {
    const rows = makeRows(20, 3);
    const all = new OnlineRidge(width, optionCount, 1);
    for (const { row, label } of rows) all.add(row, label, 1);
    for (const [left, { row, label }] of rows.entries()) {
      const without = new OnlineRidge(width, optionCount, 1);
      for (const [at, each] of rows.entries()) if (at !== left) without.add(each.row, each.label, 1);
      const variance = dot(row, all.multiplyInverse(row));
      const { scores } = toUnseenScores(all.score(row), label, variance);
      expect([...scores]).toEqual([...without.score(row)].map((score) => expect.closeTo(score, 8)));
    }
  });

  it('gives probabilities that are sure where rows are told apart, and even where they are not', () => {
    const told = makeRows(60, 4).map(({ label }) => ({
      scores: Float64Array.from({ length: optionCount }, (_, k) => (k === label ? 0.8 : 0.1)),
      label,
    }));
    const untold = told.map(({ scores }, n) => ({ scores, label: (n >> 1) % optionCount }));
    expect(fitTemperature(told)).toBeLessThan(0.15);
    expect(fitTemperature(untold)).toBeGreaterThan(0.3);
  });

  /** Numbers for rows of which none is drawn, and for which every fifth one is. */
  const undrawn = (n: number) => 0.2 + (0.8 * ((n * 37) % 101)) / 101;
  const fifthDrawn = (n: number) => (n % 5 === 0 ? 0.001 * (n + 1) : undrawn(n));
  const open = (count: number, seed: number, toNumber = undrawn, spread = 0.5) => {
    const model = new LabellingModel(width, optionCount, null);
    const rows = makeRows(count, seed, spread);
    for (const [n, { row }] of rows.entries()) model.addRow(String(n), row, 'open', toNumber(n));
    return { model, rows };
  };

  it('begins with the words of the options and learns each label at once', () => {
    const model = new LabellingModel(
      width,
      optionCount,
      [0, 1, 2].map((option) => makeRows(3, 9)[option]?.row as Float64Array),
    );
    const rows = makeRows(90, 5);
    for (const [n, { row }] of rows.entries()) model.addRow(String(n), row, 'open', undrawn(n));
    expect(model.suggest('1')?.option).toBe(1);
    for (let n = 0; n < 9; n++) model.setState(String(n), (n + 1) % optionCount);
    // Nine labels that say otherwise outweigh three words.
    expect(model.suggest('30')?.option).toBe(1);
    expect(
      model
        .choose(90, new Set())
        .map(({ id }) => Number(id))
        .filter((id) => id < 9),
    ).toEqual([]);
    model.setState('4', 'open');
    model.removeRow('5');
    const left = model.choose(200, new Set()).map(({ id }) => id);
    expect(left).toContain('4');
    expect([left.includes('5'), new Set(left).size, left.length]).toEqual([false, 82, 82]);
    expect([model.rowCount, model.labelCount]).toEqual([89, 7]);
  });

  it('goes by the numbers of the rows until it has learned, then by doubt', () => {
    const { model, rows } = open(60, 11);
    const first = model.choose(20, new Set());
    const byNumber = Array.from({ length: 60 }, (_, n) => n).sort((a, b) => undrawn(a) - undrawn(b));
    expect(first.map(({ id, reason }) => [Number(id), reason])).toEqual(
      byNumber.slice(0, 20).map((n) => [n, 'random']),
    );
    for (const { id } of first) model.setState(id, rows[Number(id)]?.label ?? 0);
    // A row in the middle of two clouds is open, as no other one is.
    const between = Float64Array.from([0.5, 0.5, 0, 0, 0, 1]);
    model.addRow('between', between, 'open', 0.99);
    const [next] = model.choose(5, new Set());
    expect([next?.id, next?.reason]).toEqual(['between', 'doubt']);
    expect([next?.doubted?.first, next?.doubted?.second].sort()).toEqual([0, 1]);
  });

  it('offers one drawn row in five, those of lowest number, and neither learns from them nor doubts them', () => {
    const { model, rows } = open(100, 12, fifthDrawn);
    const offered: string[] = [];
    for (const count of [20, 3, 4, 1, 2, 10]) {
      const chosen = model.choose(count, new Set(offered));
      offered.push(...chosen.map(({ id }) => id));
    }
    const drawn = offered.filter((id) => Number(id) % 5 === 0);
    expect(drawn.map(Number)).toEqual([0, 5, 10, 15, 20, 25, 30, 35]);
    // Labels of drawn rows that contradict all others do not change the order of the others.
    const label = (which: LabellingModel, id: string) => which.setState(id, rows[Number(id)]?.label ?? 0);
    const { model: other } = open(100, 12, fifthDrawn);
    for (const id of offered) {
      label(other, id);
      if (Number(id) % 5 === 0) model.setState(id, ((rows[Number(id)]?.label ?? 0) + 1) % optionCount);
      else label(model, id);
    }
    const list = (which: LabellingModel) =>
      which.choose(20, new Set()).flatMap(({ id, reason }) => (reason === 'measure' ? [] : [id]));
    expect(list(model)).toEqual(list(other));
    expect(list(model)).toHaveLength(16);
  });

  it('prefers an option that hardly any label has, where options are few', () => {
    const { model, rows } = open(90, 13);
    for (let n = 0; n < 30; n++) if (rows[n]?.label !== 2 || n === 2) model.setState(String(n), rows[n]?.label ?? 0);
    const reasons = model.choose(20, new Set()).map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === 'rare_option').length).toBeGreaterThan(10);
  });

  it('chooses rows that differ from each other and from those that are out, not one row many times', () => {
    const model = new LabellingModel(width, optionCount, null);
    for (const [n, { row, label }] of makeRows(30, 6).entries()) model.addRow(`known ${n}`, row, label, undrawn(n));
    const same = Float64Array.from([0.3, 0.3, 0.3, 0, 0, 1]);
    for (let n = 0; n < 50; n++) model.addRow(`same ${n}`, same, 'open', 0.5);
    for (const [n, { row }] of makeRows(6, 7).entries()) model.addRow(`other ${n}`, row, 'open', undrawn(n));
    const kinds = (count: number, taken: string[]) =>
      model.choose(count, new Set(taken)).map(({ id }) => id.split(' ')[0]);
    expect(kinds(4, []).filter((kind) => kind === 'same')).toHaveLength(1);
    expect(kinds(4, ['same 0']).filter((kind) => kind === 'same')).toHaveLength(0);
    // Where nothing else is left they come all the same.
    expect(kinds(100, ['same 0'])).toHaveLength(55);
  });

  it('leaves out what is not free', () => {
    const { model } = open(20, 7);
    const first = new Set(model.choose(8, new Set()).map(({ id }) => id));
    const second = model.choose(20, first).map(({ id }) => id);
    expect([second.length, second.some((id) => first.has(id))]).toEqual([12, false]);
  });

  it('finds near copies among the open rows alone', () => {
    const model = new LabellingModel(width, optionCount, null);
    const row = Float64Array.from([1, 0.2, 0, 0, 0, 1]);
    const near = Float64Array.from([1, 0.25, 0, 0, 0, 1]);
    const far = Float64Array.from([1, 0.6, 0, 0, 0, 1]);
    model.addRow('labelled', row, 0, 0.5);
    model.addRow('near', near, 'open', 0.6);
    model.addRow('drawn', near, 'open', 0.1);
    model.addRow('far', far, 'open', 0.7);
    model.addRow('aside', row, 'aside', 0.8);
    const ids = (found: ReturnType<LabellingModel['findSimilar']>) => found?.map(({ id }) => id).sort();
    expect(ids(model.findSimilar('labelled', 9, 'copies'))).toEqual(['drawn', 'near']);
    expect(ids(model.findSimilar('near', 9, 'labelled'))).toEqual(['labelled']);
    model.setState('near', 1);
    expect(ids(model.findSimilar('labelled', 9, 'copies'))).toEqual(['drawn']);
  });

  it('finds the rows that are like one', () => {
    const { model } = open(30, 8, undrawn, 0.1);
    const similar = model.findSimilar('4', 9) ?? [];
    expect(similar.map(({ id }) => Number(id) % optionCount)).toEqual(new Array(9).fill(1));
    const similarities = similar.map(({ similarity }) => similarity);
    expect(similarities).toEqual([...similarities].sort((a, b) => b - a));
    expect(model.findSimilar('unknown', 3)).toBeNull();
  });
});

describe('what the labelling model starts from', () => {
  it('are the words of an option, the reasons that lead to it and what the description says of it', () => {
    const rule = { name: 'r', condition: 'true', then: 'sendBack', reason_code: 'too_late', priority: 1 };
    const description = 'Parcels of the shop. Send back what is broken. Keep the rest.';
    const definition = { options: ['sendBack', 'keep_it'], hard_rules: [rule] };
    expect(writeOptionTexts(definition, description)).toEqual([
      'send Back. too late. Send back what is broken.',
      'keep it',
    ]);
  });

  it('are the fields of the inputs, at most so many columns that a step stays quick', () => {
    const inputs = Array.from({ length: 40 }, (_, n) =>
      Object.fromEntries(Array.from({ length: 300 }, (_, f) => [`f${f}`, (n * 7 + f) % 5])),
    );
    const encoder = fitRowEncoder(inputs, null);
    expect([encoder.width, encoder.embeddingWidth]).toEqual([513, 0]);
    const row = encoder.encode(inputs[0] ?? {}, null);
    expect([row.length, row.every(Number.isFinite), row[512]]).toEqual([513, true, 1]);
  });
});
