import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import type { Finding, FindingKind } from '../../../src/engine/findings/finding.ts';
import { startDataSearch } from '../../../src/engine/findings/search-data.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import type { LanguageDetector } from '../../../src/engine/ports.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { openLanguageDetector } from '../../../src/server/runtime/language-detector.ts';

type Row = { input: JsonObject; decision: string | null; heldOut?: boolean; reviewedAt?: number };

const options = ['refund', 'tracking'];
const words = 'parcel order lamp chair phone delivery invoice cable mirror table carpet drawer window garden'.split(
  ' ',
);

/** Ordinary messages, all different, with a number and a colour that say nothing. */
function messages(count: number): Row[] {
  const random = createRandom(3);
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
  return Array.from({ length: count }, (_, i) => ({
    input: {
      message: `${Array.from({ length: 9 }, () => pick(words)).join(' ')} number ${i}`,
      amount: Math.round(1000 * Math.exp(random())),
      colour: pick(['red', 'green', 'blue']),
    },
    decision: options[i % 2] ?? '',
  }));
}

function search(
  rows: readonly Row[],
  piiFields: string[] = [],
  rules: Rule[] = [],
  detectLanguage: LanguageDetector | null = null,
) {
  const saved = { rules, options, reasonCodes: [], lists: {}, savedAt: 1_000 };
  const started = startDataSearch(saved, piiFields, detectLanguage);
  rows.forEach((row, i) => {
    started.add({ id: `e${i}`, heldOut: false, reviewedAt: null, ...row });
  });
  return started.finish([]);
}

const ofKind = (found: { items: Finding[] }, kind: FindingKind) => found.items.filter((item) => item.kind === kind);

describe('ordinary examples', () => {
  it('have nothing to find', () => {
    expect(search(messages(400)).items).toEqual([]);
  });

  it('keep to the same counts and items whatever their order', () => {
    const rows = [...messages(90), ...messages(4), { input: { message: 'no' }, decision: 'refnd' }];
    const describe = (found: ReturnType<typeof search>) => ({
      counts: found.counts,
      groups: found.items.map(({ kind, example_count }) => `${kind} ${example_count}`).sort(),
    });
    fc.assert(
      fc.property(fc.shuffledSubarray(rows, { minLength: rows.length }), (shuffled) => {
        expect(describe(search(shuffled))).toEqual(describe(search(rows)));
      }),
      { numRuns: 20 },
    );
  });
});

describe('equal inputs', () => {
  it('with different labels are a contradiction, with the label of most as the likelier one', () => {
    const twin = { message: 'please give me my money back', amount: 3 };
    const found = search([
      ...messages(100),
      { input: twin, decision: 'tracking' },
      { input: { amount: 3, message: 'please give me my money back' }, decision: 'refund' },
      { input: twin, decision: 'refund' },
    ]);
    expect(ofKind(found, 'contradiction')).toEqual([
      expect.objectContaining({
        severity: 'error',
        example_ids: ['e100', 'e101', 'e102'],
        example_count: 3,
        suggested_decision: 'refund',
        message: expect.stringContaining('labelled "tracking" and "refund"'),
      }),
    ]);
    expect(found.counts.duplicate).toBe(0);
  });

  it('with the same label are duplicates, worse on both sides of the split', () => {
    const twin = { input: { message: 'please give me my money back' }, decision: 'refund' };
    const same = ofKind(search([...messages(100), twin, twin]), 'duplicate');
    expect(same).toMatchObject([{ severity: 'info', example_ids: ['e100', 'e101'] }]);
    const split = ofKind(search([...messages(100), twin, { ...twin, heldOut: true }]), 'duplicate');
    expect(split).toMatchObject([{ severity: 'warning', message: expect.stringContaining('figures too good') }]);
  });

  it('give their label to the copy that has none', () => {
    const twin = { input: { message: 'please give me my money back' }, decision: 'refund' };
    const found = ofKind(search([...messages(100), twin, { ...twin, decision: null }]), 'duplicate');
    expect(found).toMatchObject([{ suggested_decision: 'refund' }]);
  });
});

describe('nearly equal inputs', () => {
  const text = 'My parcel was promised for last Monday and has still not arrived at my door, where is it now?';
  it.each([
    [
      'case and punctuation',
      'my parcel was promised for last monday, and has still not arrived at my door - where is it now',
    ],
    [
      'a slip of the keyboard',
      'My parcel was promised for last Monday and has stil not arrived at my door, where is it now?',
    ],
    ['a word more', 'My parcel was promised for last Monday and has still not arrived at my door, so where is it now?'],
  ])('that differ in %s are found, with the label in question', (_, other) => {
    const found = search([
      ...messages(300),
      { input: { message: text, amount: 1500 }, decision: 'tracking' },
      { input: { message: other, amount: 1500 }, decision: 'refund', heldOut: true },
    ]);
    expect(ofKind(found, 'near_duplicate')).toMatchObject([
      { severity: 'warning', example_ids: ['e300', 'e301'], message: expect.stringContaining('figures too good') },
    ]);
  });

  it('are not those that share a text but differ in another field, nor those that share half their words', () => {
    const found = search([
      ...messages(300),
      { input: { message: text, amount: 1500 }, decision: 'tracking' },
      { input: { message: text, amount: 90 }, decision: 'tracking' },
      {
        input: { message: `My parcel was promised for last Monday, and I am very happy with it`, amount: 1500 },
        decision: 'refund',
      },
    ]);
    expect(ofKind(found, 'near_duplicate')).toEqual([]);
  });

  it('are found among pieces of any text with one letter changed', () => {
    const letter = fc.constantFrom(...'abcdefghijklmnop qrstuvwxyz');
    const longText = fc
      .array(letter, { minLength: 60, maxLength: 400 })
      .map((letters) => `some text ${letters.join('')}`);
    fc.assert(
      fc.property(longText, fc.nat(), (original, at) => {
        const place = 10 + (at % (original.length - 10));
        const changed = `${original.slice(0, place)}x${original.slice(place + 1)}`;
        fc.pre(changed.trim() !== original.trim());
        const rows = [original, changed].map((message) => ({ input: { message }, decision: 'refund' }));
        expect(search(rows).counts.near_duplicate + search(rows).counts.duplicate).toBe(1);
      }),
      { numRuns: 60, seed: 7 },
    );
  });
});

describe('labels', () => {
  it('that are no option are listed with the option that is probably meant', () => {
    const found = search([
      ...messages(100),
      { input: { message: 'a' }, decision: 'Refund ' },
      { input: { message: 'b' }, decision: 'complaint' },
    ]);
    expect(ofKind(found, 'unknown_label')).toMatchObject([
      {
        example_ids: ['e100'],
        suggested_decision: 'refund',
        message: expect.stringMatching(/^1 example is labelled .* learned from it\. .* relabel it\.$/),
      },
      { example_ids: ['e101'], suggested_decision: null, message: expect.stringContaining('add the option') },
    ]);
  });

  it('of an option with few examples are said to be too few', () => {
    const found = search(messages(200).filter(({ decision }, i) => decision === 'refund' || i < 60));
    expect(ofKind(found, 'rare_option')).toMatchObject([{ suggested_decision: 'tracking', example_count: 30 }]);
  });
});

describe('fields', () => {
  const withField = (name: string, readValue: (row: Row, i: number) => JsonObject[string] | undefined) =>
    messages(300).map((row, i) => {
      const value = readValue(row, i);
      return { ...row, input: value === undefined ? row.input : { ...row.input, [name]: value } };
    });

  it.each<[string, (row: Row, i: number) => JsonObject[string] | undefined]>([
    ['a code for the label', ({ decision }) => (decision === 'refund' ? 'R7' : 'T1')],
    ['a number that is only high for one label', ({ decision }, i) => (decision === 'refund' ? 1000 + i : i)],
    ['being there for one label only', ({ decision }, i) => (decision === 'refund' ? `z${i % 7}` : undefined)],
    [
      'being there for most of one label only',
      ({ decision }, i) => (decision === 'refund' && i % 36 > 0 ? `T${i}` : undefined),
    ],
  ])('leak the answer by %s', (_, readValue) => {
    expect(ofKind(search(withField('outcome', readValue)), 'leak')).toMatchObject([
      { field: 'outcome', severity: 'warning', example_count: 300 },
    ]);
  });

  it('leak the answer by its name in the text', () => {
    const found = search(withField('log', ({ decision }, i) => `handled as ${decision} by clerk ${i % 3} today`));
    expect(ofKind(found, 'leak')[0]).toMatchObject({ field: 'log', severity: 'error' });
  });

  it('do not leak by being different in every example, nor by being right for nine of ten', () => {
    expect(ofKind(search(withField('key', (_, i) => `k${i}`)), 'leak')).toEqual([]);
    const strong = withField('sign', ({ decision }, i) => (i % 9 === 0 ? 'x' : (decision ?? '').slice(0, 1)));
    expect(ofKind(search(strong), 'leak')).toEqual([]);
  });

  it('with one value are constant, also where one example differs or all lack it', () => {
    const rows = withField('country', (_, i) => (i === 7 ? 'FR' : 'DE'));
    expect(ofKind(search(rows), 'constant_field')).toMatchObject([
      { field: 'country', message: expect.stringContaining('all but one of 300') },
    ]);
    expect(ofKind(search(withField('tags', () => [])), 'constant_field')).toEqual([]);
  });

  it('with a number far from all others have an outlier, whose personal value is not told', () => {
    const rows = messages(300).map((row, i) => (i === 40 ? { ...row, input: { ...row.input, amount: 9e9 } } : row));
    expect(ofKind(search(rows), 'outlier')).toMatchObject([
      { field: 'amount', example_ids: ['e40'], message: expect.stringContaining('9000000000') },
    ]);
    expect(ofKind(search(rows, ['amount']), 'outlier')[0]?.message).not.toContain('9000000000');
  });

  it('with a text of words that occur nowhere else have an outlier', () => {
    const rows = [...messages(300), { input: { message: 'qwxe blorf zzunk trelp vonk' }, decision: 'refund' }];
    expect(ofKind(search(rows), 'outlier')).toMatchObject([{ example_ids: ['e300'] }]);
  });
});

describe('a search', () => {
  it('takes any JSON for inputs', () => {
    const input = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonObject[string]>, { maxKeys: 5 });
    const row = fc.record({ input, decision: fc.constantFrom('refund', 'tracking', null, 'other') });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
        const { items, counts } = search(rows);
        const countOf = (kind: string) => items.filter((item) => item.kind === kind).length;
        for (const [kind, count] of Object.entries(counts)) expect(count).toBe(countOf(kind));
      }),
      { numRuns: 200 },
    );
  });
});

describe('labels that a rule contradicts', () => {
  const rule = { name: 'late', condition: 'ctx.days > 9', then: 'refund', reason_code: null, priority: 2 };
  const first = { ...rule, name: 'very late', condition: 'ctx.days > 90', then: 'tracking', priority: 1 };
  const row = (days: number, decision: string | null, reviewedAt?: number): Row => ({
    input: { days },
    decision,
    ...(reviewedAt === undefined ? {} : { reviewedAt }),
  });
  const doubt = (rows: Row[], rules: Rule[]) => ofKind(search(rows, [], rules), 'rule_disagreement');

  it('are findings of the first rule that matches, with its option and how often it is right [FND-5]', () => {
    const rows = [row(10, 'refund'), row(11, 'tracking'), row(12, 'refund'), row(13, 'refund'), row(5, 'tracking')];
    const found = doubt([...rows, row(91, 'refund'), row(92, null), row(14, 'gone')], [rule, first]);
    expect(found).toMatchObject([
      { example_ids: ['e1'], suggested_decision: 'refund', probability: 0.75, field: null },
      { example_ids: ['e5'], suggested_decision: 'tracking', probability: 0 },
    ]);
    expect(found[0]?.message).toContain('The rule "late" decides "refund", the label is "tracking".');
  });

  it('are none any more once somebody confirmed them after the rules were saved [FND-5]', () => {
    const found = doubt([row(10, 'tracking', 1_001), row(11, 'tracking', 1_000), row(12, 'refund')], [rule]);
    expect(found.map(({ example_ids }) => example_ids)).toEqual([['e1']]);
    expect(found[0]?.probability).toBeCloseTo(1 / 3);
  });
});

describe('the language of texts', () => {
  const write = (start: string): Row[] =>
    Array.from({ length: 40 }, (_, row) => ({
      input: { message: `${start} ${row}` },
      decision: options[row % 2] ?? '',
    }));

  it.each([
    ['English is not mentioned', 'Where is the parcel with my order number', []],
    [
      'French is named',
      'Je ne sais toujours pas où se trouve ma commande numéro',
      [{ severity: 'info', message: 'The texts of field "message" are in French.' }],
    ],
    [
      'Greek, which no text model reads, is a warning',
      'Δεν ξέρω ακόμα πού βρίσκεται η παραγγελία μου με αριθμό',
      [
        {
          severity: 'warning',
          message: expect.stringContaining('are in Greek; no text model of the program reads Greek'),
        },
      ],
    ],
  ])('%s [TRN-27]', async (_, start, expected) => {
    const found = search(write(start), [], [], await openLanguageDetector());
    expect(ofKind(found, 'language')).toMatchObject(expected);
    expect(ofKind(found, 'language')).toHaveLength(expected.length);
  });
});
