/** The embedded teacher: what it makes of examples, schema, rules and words, offline. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TrainingExample } from '../../../src/engine/domain/training.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { compileInputSchema } from '../../../src/engine/schema/input-schema.ts';
import { createEmbeddedTeacher, type TeacherMaterial } from '../../../src/engine/training/generate/embedded-teacher.ts';
import { computeSignature } from '../../../src/engine/training/generate/recombine.ts';
import { closers, frames, openers } from '../../../src/engine/training/generate/sample-input.ts';
import type { Proposal } from '../../../src/engine/training/request.ts';

const example = (input: JsonObject, decision: string, i = 0): TrainingExample => ({
  id: `${decision}-${i}`,
  input,
  decision,
  reasonCodes: [decision.toUpperCase()],
  source: 'user',
});

const material = (
  more: Partial<TeacherMaterial> & { options?: string[]; schema?: JsonObject } = {},
): TeacherMaterial => ({
  definition: {
    options: more.options ?? ['refund', 'tracking'],
    reason_codes: [],
    hard_rules: [],
    input_schema: more.schema ?? null,
  },
  description: 'Sort messages that customers write to our shop about orders and deliveries',
  examples: [],
  avoid: [],
  seed: 1,
  ...more,
});

function take(teacherMaterial: TeacherMaterial, option: string, count: number): Proposal[] {
  const teacher = createEmbeddedTeacher(teacherMaterial);
  return Array.from({ length: count }, () => teacher.propose(option)).flatMap((proposal) => proposal ?? []);
}

const subjects = ['my blue parcel', 'the old chair', 'order 17234', 'the lamp', 'our last delivery', 'this phone'];
const refunds = subjects.flatMap((subject, i) => [
  example({ message: `I want my money back for ${subject} please`, amount: 10.5 + i, vip: i % 2 === 0 }, 'refund', i),
  example({ message: `please give me a refund for ${subject} today`, amount: 20.25 + i, vip: false }, 'refund', 10 + i),
]);
const trackings = subjects.map((subject, i) =>
  example({ message: `where on earth is ${subject} now`, amount: 100 + i, vip: true }, 'tracking', i),
);
const both = [...refunds, ...trackings];

describe('the embedded teacher with examples', () => {
  it('gives the same examples for the same content and seed, and others for another seed', () => {
    const first = take(material({ examples: both }), 'refund', 20);
    const turned = both.map((one) => ({
      ...one,
      id: `x${one.id}`,
      input: Object.fromEntries(Object.entries(one.input).reverse()),
    }));
    expect(first).toHaveLength(20);
    expect(take(material({ examples: turned }), 'refund', 20)).toEqual(first);
    expect(take(material({ examples: both, seed: 2 }), 'refund', 20)).not.toEqual(first);
  });

  it('stays within the option: numbers between its own, as exact as they are, words only of its own', () => {
    const own = new Set(refunds.flatMap(({ input }) => String(input.message).split(' ')));
    for (const { input, decision, reasonCodes } of take(material({ examples: both }), 'refund', 30)) {
      expect([decision, reasonCodes]).toEqual(['refund', ['REFUND']]);
      expect(input.amount).toBeGreaterThanOrEqual(10.5);
      expect(input.amount).toBeLessThanOrEqual(25.25);
      expect(String(input.amount)).toMatch(/^\d+(\.\d{1,2})?$/);
      const foreign = String(input.message)
        .split(' ')
        .filter((word) => !own.has(word) && !own.has(word.replace(/\.$/, '').replace(/^P/, 'p')));
      expect(foreign).toEqual([]);
    }
  });

  it('makes nothing that is nearly an example, or nearly what it made before', () => {
    const proposals = take(material({ examples: both }), 'refund', 40);
    const all = [...both.map(({ input }) => input), ...proposals.map(({ input }) => input)].map(computeSignature);
    expect(new Set(all).size).toBe(both.length + proposals.length);
    expect(computeSignature({ t: 'Where IS order 123, please?', n: 12.341 })).toBe(
      computeSignature({ t: 'please where is order 77', n: 12.339 }),
    );
    expect(computeSignature({ code: 'A1' })).not.toBe(computeSignature({ code: 'A2' }));
  });

  it('frames texts where too few or too similar ones leave nothing to recombine', () => {
    const similar = [1, 2, 3, 4].map((i) =>
      example({ text: `My order ${i} arrived broken, please refund me` }, 'refund', i),
    );
    const short = [example({ text: 'Worst purchase ever, want my money back.' }, 'refund')];
    for (const examples of [similar, short]) {
      const proposals = take(material({ examples }), 'refund', 25);
      expect(proposals).toHaveLength(25);
      expect(new Set(proposals.map(({ input }) => computeSignature(input))).size).toBe(25);
      for (const { input } of proposals)
        expect(input.text).toMatch(/arrived broken, please refund me|want my money back/);
    }
  });

  it('stops where an option has no variety left', () => {
    const flags = [example({ a: true, b: 'x' }, 'refund', 0), example({ a: false, b: 'y' }, 'refund', 1)];
    expect(take(material({ examples: flags }), 'refund', 10)).toHaveLength(2);
    expect(take(material({ examples: [example({ only: 'x' }, 'refund')] }), 'refund', 5)).toEqual([]);
  });

  it('obeys the input schema and the hard rules, and avoids what is held out', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { message: { type: 'string', maxLength: 60 }, amount: { type: 'number', maximum: 22 } },
      required: ['message'],
    };
    const teacherMaterial = material({ examples: both, schema });
    teacherMaterial.definition.hard_rules = [
      { name: 'cheap', condition: 'ctx.amount < 14', then: 'tracking', reason_code: null, priority: 1 },
    ];
    const validate = compileInputSchema(schema);
    const proposals = take(teacherMaterial, 'refund', 20);
    expect(proposals).toHaveLength(20);
    for (const { input } of proposals) {
      expect(validate(input)).toEqual([]);
      expect(input.amount).toBeGreaterThanOrEqual(14);
    }
    const again = take({ ...teacherMaterial, avoid: proposals.map(({ input }) => input) }, 'refund', 20);
    const made = new Set(proposals.map(({ input }) => computeSignature(input)));
    expect(again.filter(({ input }) => made.has(computeSignature(input)))).toEqual([]);
  });

  it('varies real tables and real messages', () => {
    const rowsOf = (set: string) =>
      readFileSync(new URL(`../../fixtures/${set}/train.jsonl`, import.meta.url), 'utf8')
        .trim()
        .split('\n')
        .slice(0, 300)
        .map((line, i) => {
          const row = JSON.parse(line) as { input: JsonObject; decision: string };
          return example(row.input, row.decision, i);
        });
    for (const [set, option] of [
      ['german_credit', 'bad risk'],
      ['sms_spam', 'spam'],
      ['complaint_routing', null],
    ] as const) {
      const examples = rowsOf(set);
      const wanted = option ?? examples[0]?.decision ?? '';
      const options = [...new Set(examples.map(({ decision }) => decision ?? ''))];
      expect(take(material({ options, examples }), wanted, 50)).toHaveLength(50);
    }
  });
});

describe('the texts of the embedded teacher', () => {
  /** A text without what may be put before and behind it. */
  const unframe = (text: string): string => {
    const opener = openers.find((each) => each !== '' && text.startsWith(`${each} `)) ?? '';
    const closer = closers.find((each) => each !== '' && text.endsWith(` ${each}`)) ?? '';
    return text.slice(opener.length, text.length - closer.length).trim();
  };
  const fold = (text: string) => text.replace(/[.]$/, '').toLowerCase();
  const listTexts = (input: JsonObject): string[] =>
    Object.values(input).flatMap((value) =>
      typeof value === 'string'
        ? [value]
        : typeof value === 'object' && value !== null
          ? listTexts(value as JsonObject)
          : [],
    );
  const readRows = (file: URL): TrainingExample[] => {
    const text = readFileSync(file, 'utf8');
    const rows = file.pathname.endsWith('.jsonl')
      ? text
          .trim()
          .split('\n')
          .slice(0, 300)
          .map((line) => JSON.parse(line))
      : JSON.parse(text).examples.filter(({ decision }: { decision: string | null }) => decision !== null);
    return rows.map((row: { input: JsonObject; decision: string }, i: number) => example(row.input, row.decision, i));
  };

  it.each([
    '../../fixtures/sms_spam/train.jsonl',
    '../../fixtures/complaint_routing/train.jsonl',
    '../../fixtures/german_credit/train.jsonl',
    '../../../resources/samples/refund-requests.json',
  ])('are those of the examples in %s, between sentences that say nothing of the matter [GEN-4]', (name) => {
    const examples = readRows(new URL(name, import.meta.url));
    const options = [...new Set(examples.map(({ decision }) => decision ?? ''))];
    const sources = new Set(examples.flatMap(({ input }) => listTexts(input)).map(fold));
    const endsWithOne = (text: string, from: number) =>
      sources.has(text.slice(from).replace(/^[.]? /, '')) || sources.has(text.slice(from).trim());
    for (const option of options) {
      for (const { input } of take(material({ options, examples }), option, 20)) {
        for (const text of listTexts(input)) {
          if (sources.has(fold(text))) continue;
          const bare = fold(unframe(text));
          const isJoined = [...sources].some((source) => bare.startsWith(source) && endsWithOne(bare, source.length));
          expect(sources.has(bare) || isJoined, text).toBe(true);
        }
      }
    }
  });

  it('stay as they are, without English beside them, where they are in another language [GEN-4]', () => {
    const german = ['Wo bleibt mein Paket seit drei Wochen?', 'Die Lieferung kam leider nie bei mir an.'];
    const examples = german.map((text, i) => example({ text }, 'tracking', i));
    const texts = take(material({ examples }), 'tracking', 10).map(({ input }) => input.text);
    expect([german.join(' '), german.toReversed().join(' ')]).toContain(texts[0]);
    expect(texts).toHaveLength(1);
  });

  it('name an option without examples in a checked sentence [GEN-4]', () => {
    const whole = frames.map((frame) => frame.replace('…', 'late delivery'));
    for (const { input } of take(material({ options: ['late_delivery', 'other'] }), 'late_delivery', 50)) {
      expect(whole).toContain(unframe(String(input.text)));
    }
  });
});

describe('the embedded teacher without examples', () => {
  it('fills the input schema, naming the option in texts', () => {
    const schema: JsonObject = {
      type: 'object',
      additionalProperties: false,
      required: ['subject', 'amount', 'channel', 'lines', 'address'],
      properties: {
        subject: { type: 'string', minLength: 5, maxLength: 400 },
        amount: { type: 'integer', minimum: 10, maximum: 500 },
        channel: { enum: ['mail', 'phone'] },
        since: { type: ['string', 'null'], format: 'date' },
        lines: { type: 'array', minItems: 1, maxItems: 3, items: { $ref: '#/$defs/line' } },
        address: { type: 'object', properties: { email: { type: 'string', format: 'email' } }, required: ['email'] },
      },
      $defs: { line: { type: 'object', properties: { price: { type: 'number', exclusiveMinimum: 0 } } } },
    };
    const validate = compileInputSchema(schema);
    const proposals = take(material({ schema }), 'refund', 50);
    expect(proposals).toHaveLength(50);
    for (const { input } of proposals) {
      expect(validate(input)).toEqual([]);
      expect(input.subject).toContain('refund');
    }
  });

  it('takes the fields of the rules, else one text, and never contradicts a rule', () => {
    const teacherMaterial = material({ options: ['approve', 'decline'] });
    teacherMaterial.definition.hard_rules = [
      {
        name: 'large',
        condition: 'ctx.loan.amount > 5000 && ctx.kind == "car"',
        then: 'decline',
        reason_code: null,
        priority: 1,
      },
    ];
    const approved = take(teacherMaterial, 'approve', 20).map(
      ({ input }) => input as { loan: { amount: number }; kind: string },
    );
    expect(approved).toHaveLength(20);
    for (const { loan, kind } of approved) expect(loan.amount <= 5000 || kind !== 'car').toBe(true);
    const bare = take(material(), 'tracking', 50);
    expect(bare).toHaveLength(50);
    expect(bare.every(({ input }) => String(input.text).includes('tracking'))).toBe(true);
  });

  it('gives up, and does not hang, on a schema that it cannot satisfy or that has no end', () => {
    const never: JsonObject = {
      type: 'object',
      required: ['code'],
      properties: { code: { type: 'string', pattern: '^[A-Z]{7}\\d{9}$' } },
    };
    expect(take(material({ schema: never }), 'refund', 1)).toEqual([]);
    const endless: JsonObject = {
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', required: ['child'], properties: { child: { $ref: '#/$defs/node' } } } },
    };
    expect(take(material({ schema: endless }), 'refund', 1)).toEqual([]);
  });
});
