/** How the inputs of today differ from the examples. */
import { describe, expect, it } from 'vitest';
import { compareFamiliarity, compareLanguages, findDrift } from '../../../src/engine/findings/drift.ts';
import type { SeenInput } from '../../../src/engine/findings/slice-conditions.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { openLanguageDetector } from '../../../src/server/runtime/language-detector.ts';

/** Inputs with ten fields of several kinds; `change` says what has become of one. */
function draw(count: number, seed: number, change: (input: JsonObject, at: number) => JsonObject = (input) => input) {
  const random = createRandom(seed);
  const pick = (values: readonly string[]) => values[Math.floor(random() * values.length)] ?? '';
  return Array.from({ length: count }, (_, i) => ({
    input: change(
      {
        channel: pick(['mail', 'phone', 'web', 'shop']),
        tier: pick(['gold', 'silver', 'none']),
        amount: Math.round(1_000 * random()),
        age: 18 + Math.floor(60 * random()),
        isMember: random() < 0.3,
        name: `customer ${i}`,
        note: `number ${i} ${'some words '.repeat(1 + Math.floor(8 * random()))}`,
        rate: random(),
      },
      random(),
    ),
  }));
}

const findFields = (decisions: readonly SeenInput[], piiFields: readonly string[] = []) =>
  findDrift(draw(600, 1), decisions, piiFields).items.map(({ field }) => field);

describe('inputs that have changed', () => {
  it.each<[string, (input: JsonObject, at: number) => JsonObject, string]>([
    [
      'a new value',
      (input, at) => ({ ...input, channel: at < 0.77 ? 'whatsapp' : 'web' }),
      'channel is "whatsapp": 76.4% of the decisions, none of the examples.',
    ],
    ['a number twelve times as large', (input) => ({ ...input, amount: 12 * Number(input.amount) }), 'amount is over'],
    [
      'a field that is often missing',
      ({ age = 0, ...rest }, at) => (at < 0.4 ? rest : { ...rest, age }),
      'age is missing',
    ],
    ['texts of another length', (input) => ({ ...input, note: 'short' }), 'note'],
    ['a new field', (input) => ({ ...input, campaign: 'spring' }), 'campaign is "spring": 100% of the decisions'],
  ])('are named with one sentence: %s [DRF-1]', (_, change, sentence) => {
    const { items, comparable } = findDrift(draw(600, 1), draw(500, 2, change), []);
    expect(comparable).toBe(true);
    expect(items).toHaveLength(1);
    expect(items[0]?.sentence).toContain(sentence);
  });

  it('are not told of what always moves: running numbers, dates, and their months [DRF-1]', () => {
    const toCase = (month: number) => (input: JsonObject, at: number) => ({
      ...input,
      case_id: 1_000 * month + Number(String(input['name']).slice(9)),
      opened: `2024-0${month + (at < 0.5 ? 0 : 1)}-1${Math.floor(10 * at)}`,
      month: month + (at < 0.5 ? 0 : 1),
    });
    const examples = draw(400, 4, toCase(1));
    expect(findDrift(examples, draw(200, 5, toCase(4)), []).items).toEqual([]);
    const undated = draw(200, 5, (input, at) => (at < 0.3 ? input : toCase(4)(input, at)));
    expect(findDrift(examples, undated, []).items.map(({ sentence }) => sentence)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^opened is missing: 3\d/)]),
    );
  });

  it('are not seen in inputs like the examples in 99 of 100 draws, and a small change is not told [DRF-1]', () => {
    const falseAlarms = Array.from({ length: 100 }, (_, seed) => findFields(draw(300, 100 + seed)).length);
    expect(falseAlarms.filter((found) => found > 0).length).toBeLessThanOrEqual(1);
    const slightly = draw(1_000, 3, (input, at) => (at < 0.05 ? { ...input, channel: 'whatsapp' } : input));
    expect(findFields(slightly)).toEqual([]);
  });

  it('are not looked for in personal fields, nor where there are too few [DRF-1]', () => {
    const changed = draw(500, 2, (input) => ({ ...input, channel: 'whatsapp' }));
    expect(findFields(changed, ['channel'])).toEqual([]);
    expect(findDrift(draw(600, 1), changed.slice(0, 49), [])).toEqual({
      examples: 600,
      decisions: 49,
      comparable: false,
      items: [],
    });
  });
});

describe('inputs unlike the examples', () => {
  it('are told where their share is certainly above the expected one, by 10 points, of 50 or more [DRF-1]', () => {
    expect(compareFamiliarity(800, 800, 0.05)?.sentence).toBe(
      'Unlike the examples: 100% of the decisions, where 5% are expected.',
    );
    expect(compareFamiliarity(64, 400, 0.05)).toMatchObject({ decisions: 400, decisions_share: 0.16 });
    expect(compareFamiliarity(50, 400, 0.05)).toBeNull();
    expect(compareFamiliarity(49, 49, 0.05)).toBeNull();
    expect(compareFamiliarity(300, 1_000, 0.28)).toBeNull();
  });
});

it('say so of a language that is new [TRN-27]', async () => {
  const detectLanguage = await openLanguageDetector();
  const write = (count: number, isGerman: (row: number) => boolean): SeenInput[] =>
    Array.from({ length: count }, (_, row) => ({
      input: {
        message: isGerman(row) ? `Wo bleibt meine Bestellung Nummer ${row}?` : `Where is my order with number ${row}?`,
      },
    }));
  const german = write(200, (row) => row % 2 === 0);
  const { items } = findDrift(
    write(200, () => false),
    german,
    [],
    detectLanguage,
  );
  expect(items.map(({ condition }) => condition)).toContain('message is in German');
  expect(findDrift(german, german, [], detectLanguage).items).toEqual([]);
  const english = write(200, () => false);
  expect(compareLanguages(english, german, [], detectLanguage)).toEqual([
    {
      field: 'message',
      decisions: [
        { language: 'de', share: 0.5 },
        { language: 'en', share: 0.5 },
      ],
      examples: [{ language: 'en', share: 1 }],
    },
  ]);
  expect(compareLanguages(english, german, ['message'], detectLanguage)).toEqual([]);
  expect(compareLanguages(english, english, [], detectLanguage)).toEqual([]);
});
