import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileFeatures } from '../../../src/engine/features/compile.ts';
import { inferPlan, refitPlan } from '../../../src/engine/features/infer.ts';
import { featurePlanSchema, nameField } from '../../../src/engine/features/plan.ts';
import type { JsonObject } from '../../../src/engine/json.ts';

type Case = { name: string; plan: unknown; input: JsonObject; dense: number[]; text: string };
const cases = JSON.parse(readFileSync(new URL('../../cases/features.json', import.meta.url), 'utf8')) as Case[];

function fixture(name: string): { input: JsonObject; decision: string }[] {
  return readFileSync(new URL(`../../fixtures/${name}/train.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('an input becomes the numbers that the shared cases ask for [FEA-1] [FEA-2] [FEA-3] [FEA-5] [FEA-6]', () => {
  it.each(cases)('$name', ({ plan, input, dense, text }) => {
    const features = compileFeatures(featurePlanSchema.parse(plan));
    const got = features.writeTabular(input);
    expect(got.length).toBe(dense.length);
    dense.forEach((value, i) => {
      expect(got[i]).toBeCloseTo(value, 6);
    });
    expect(features.joinText(input).text).toBe(text);
  });
});

describe('the kinds of fields are found from examples', () => {
  it('reads complaints as a text, a state, two flags and a date, and leaves zip codes out with a reason [FEA-2] [FEA-3] [FEA-4]', () => {
    const plan = inferPlan(
      fixture('complaint_routing').map((row) => row.input),
      null,
    );
    expect(plan.text?.fields).toEqual([['narrative']]);
    const kinds = Object.fromEntries(plan.fields.map((field) => [field.path.join('.'), field.kind]));
    expect(kinds).toEqual({
      'consumer.older_american': 'boolean',
      'consumer.servicemember': 'boolean',
      'consumer.state': 'category',
      date_received: 'date',
    });
    expect(plan.left_out.map((field) => field.path)).toEqual(['consumer.zip_code']);
    expect(plan.left_out[0]?.reason).toMatch(/^It .*\.$/);
    expect(featurePlanSchema.parse(plan)).toEqual(plan);
  });

  it('reads credit applications as categories, numbers and flags, without any text [FEA-1] [FEA-3]', () => {
    const plan = inferPlan(
      fixture('german_credit').map((row) => row.input),
      null,
    );
    expect(plan.text).toBeNull();
    expect(plan.left_out).toEqual([]);
    const kinds = Object.fromEntries(plan.fields.map((field) => [field.path.join('.'), field.kind]));
    expect(kinds['purpose']).toBe('category');
    expect(kinds['credit_amount']).toBe('number');
    expect(kinds['foreign_worker']).toBe('boolean');
  });

  it('leaves out identifiers, constants and empty fields, each with its reason', () => {
    const inputs = Array.from({ length: 30 }, (_, i) => ({
      customer_id: 1000 + i,
      ticket: `T-${i}`,
      country: i % 2 === 0 ? 'DE' : 'FR',
      currency: 'EUR',
      nothing: null,
    }));
    const plan = inferPlan(inputs, null);
    expect(plan.fields.map((field) => field.path.join('.'))).toEqual(['country']);
    expect(plan.left_out.map((field) => field.path)).toEqual(['currency', 'customer_id', 'nothing', 'ticket']);
  });

  it('leaves out a field in which a single example differs, and keeps one that is only sometimes there', () => {
    const inputs = Array.from({ length: 60 }, (_, i) => ({
      channel: i === 17 ? 'fax' : 'web',
      age: i % 9,
      ...(i % 3 === 0 ? { voucher: true } : {}),
    }));
    const plan = inferPlan(inputs, null);
    expect(plan.fields.map((field) => field.path.join('.'))).toEqual(['age', 'voucher']);
    expect(plan.left_out).toEqual([
      { path: 'channel', reason: 'It has the same value in all but one of 60 examples.' },
    ]);
  });

  it('reads the numbers inside the objects of a list, but not their identifiers', () => {
    const inputs = Array.from({ length: 30 }, (_, i) => ({
      items: Array.from({ length: i % 4 }, (_none, j) => ({
        item_id: i * 10 + j,
        name: `part ${j}`,
        price: i + j,
        size: { cm: j, note: i % 2 === 0 ? null : 'cut' },
      })),
    }));
    const plan = inferPlan(inputs, null);
    const [field] = plan.fields;
    expect(field?.kind === 'objects' ? field.members.map(({ path }) => path.join('.')) : null).toEqual([
      'price',
      'size.cm',
    ]);
    expect(plan.tabular_size).toBe(10);
    const features = compileFeatures(plan);
    const sumOfPrices = (prices: number[]) => features.writeTabular({ items: prices.map((price) => ({ price })) })[4];
    expect(sumOfPrices([30, 40])).toBeGreaterThan(sumOfPrices([30]) ?? Number.NaN);
    expect(plan.fields).toMatchObject([{ kind: 'objects', members: [{ path: ['price'] }, { path: ['size', 'cm'] }] }]);
    expect(featurePlanSchema.parse(plan)).toEqual(plan);
  });

  it('does not store values of personal fields', () => {
    const inputs = Array.from({ length: 20 }, (_, i) => ({ name: i % 2 === 0 ? 'Ann' : 'Bob', age: i }));
    const plan = inferPlan(inputs, null, ['name']);
    expect(JSON.stringify(plan)).not.toContain('Ann');
    expect(plan.left_out.map((field) => field.path)).toEqual(['name']);
  });

  it('does not learn personal fields that tell who somebody is, and learns what a personal letter says', () => {
    const inputs = Array.from({ length: 40 }, (_, i) => ({
      holder: { name: `Ada${'abcdefgh'.charAt(i % 8)} Love${'abcde'.charAt(i % 5)}` },
      letter: `My parcel ${i} has not come and I want my money back`,
    }));
    expect(inferPlan(inputs, null).text?.fields).toEqual([['holder', 'name'], ['letter']]);
    const { text, left_out } = inferPlan(inputs, null, ['holder', 'letter']);
    expect(text?.fields).toEqual([['letter']]);
    expect(left_out).toEqual([{ path: 'holder.name', reason: 'It tells who somebody is.' }]);
  });

  it('takes the days between two dates as an input, closest pairs first, and fits it to other rows [FEA-10]', () => {
    const day = (count: number) => new Date(Date.UTC(2024, 0, 1 + count)).toISOString().slice(0, 10);
    const rows = (late: number) =>
      Array.from({ length: 40 }, (_, i) => ({ born: day(-i * 97), hurt: day(i * 5), told: day(i * 5 + (i % late)) }));
    const plan = inferPlan(rows(9), null);
    expect(plan.fields.map(nameField)).toEqual([
      ...['born', 'hurt', 'told'],
      ...['told − hurt, days', 'hurt − born, days', 'told − born, days'],
    ]);
    expect(featurePlanSchema.parse(plan)).toEqual(plan);
    const { slots } = compileFeatures(plan);
    expect(slots[3]).toMatchObject({ field: 'told − hurt, days', kind: 'number', size: 2 });
    const between = refitPlan(plan, rows(3)).fields[3];
    expect(between).toMatchObject({ path: ['told'], since: ['hurt'], median: 1 });
    const alike = rows(1).map(({ hurt, told }) => ({ hurt, told }));
    expect(inferPlan(alike, null).fields.map(nameField)).toEqual(['hurt', 'told']);
  });

  it('finds the same plan whatever the order of the examples', () => {
    const inputs = fixture('german_credit').map((row) => row.input);
    const reversed = inferPlan([...inputs].reverse(), null);
    const plan = inferPlan(inputs, null);
    expect(reversed.fields.map(({ path, kind }) => ({ path, kind }))).toEqual(
      plan.fields.map(({ path, kind }) => ({ path, kind })),
    );
    expect(reversed.tabular_size).toBe(plan.tabular_size);
  });

  it('follows the input schema where it lists the values or names a date', () => {
    const schema = {
      properties: { size: { enum: ['S', 'M', 'L', 'XL'] }, when: { type: 'string', format: 'date' } },
    };
    const plan = inferPlan(
      [
        { size: 'S', when: 'soon' },
        { size: 'M', when: 'later' },
        { size: 'L', when: '2020-01-01' },
      ],
      schema,
    );
    expect(plan.fields.map((field) => field.kind)).toEqual(['category', 'date']);
  });

  it('tells people what it takes a field for', () => {
    const plan = inferPlan(
      [
        { n: 1, tags: ['x'] },
        { n: 2, tags: [] },
        { n: 3, tags: ['x', 'y'] },
      ],
      null,
    );
    expect(plan.fields).toMatchObject([
      { kind: 'number', median: 2 },
      { kind: 'strings', values: [expect.any(String), expect.any(String)] },
    ]);
  });

  it('learns statistics again from other inputs without changing what a field is', () => {
    const plan = inferPlan([{ n: 1 }, { n: 2 }, { n: 3 }], null);
    const again = refitPlan(plan, [{ n: 10 }, { n: 30 }]);
    expect(again.fields).toEqual([{ kind: 'number', path: ['n'], median: 20, mean: 20, std: 10 }]);
  });
});
