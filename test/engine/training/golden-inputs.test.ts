/** What a bundle tests itself by: inputs that nobody sent, which still decide like those that somebody did. */
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/engine/domain/definition.ts';
import { compileRules } from '../../../src/engine/rules/compile.ts';
import { makeGoldenInputs, type SeenInput } from '../../../src/engine/training/package/golden-inputs.ts';

const towns = ['Aachen', 'Bremen', 'Celle'];
const openings = ['please refund my order', 'where is my parcel now'];
const rows: SeenInput[] = Array.from({ length: 200 }, (_, i) => ({
  option: i % 2 === 0 ? 'refund' : 'tracking',
  input: {
    message: `${openings[i % 2]} says Person${i} of Street${i}`,
    town: i === 77 ? 'Dahlem' : (towns[i % 3] ?? ''),
    order: `AB-${String(100_000 + i * 37)}`,
    paid: Number((10.5 + i * 1.37).toFixed(2)),
    pieces: i % 4,
    since: `2026-0${1 + (i % 9)}-1${i % 10}`,
    customer: { name: `Name${i}`, gift: i % 5 === 0 },
    items: Array.from({ length: 1 + (i % 3) }, (_unused, j) => ({
      sku: j % 2 === 0 ? 'mug' : 'pen',
      note: `Note${i}`,
    })),
    ...(i === 78 ? { secret: true } : {}),
  },
}));

function compile(rules: Partial<Rule>[]) {
  const whole = rules.map((rule, i) => ({
    name: `r${i}`,
    condition: 'true',
    then: 'refund',
    reason_code: null,
    priority: i,
    ...rule,
  }));
  const compiled = compileRules(whole, { options: ['refund', 'tracking'], reason_codes: [] });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.value.file;
}
const known = { decisionType: 'mail', rules: compile([]), inputSchema: null };

describe('the golden inputs of a policy', () => {
  const made = makeGoldenInputs(rows, ['customer.name'], known);
  const text = JSON.stringify(made);

  it('have what five examples share, and nothing that only one or a few have [PRV-1]', () => {
    expect(made).toHaveLength(90);
    for (const rare of ['Person', 'Street', 'Dahlem', 'Name', 'Note', 'secret']) expect(text).not.toContain(rare);
    for (const common of [...towns, 'refund my order', 'where is my parcel', 'mug', '[removed]']) {
      expect(text).toContain(common);
    }
    const seen = new Set(rows.flatMap(({ input }) => [input['order'], input['paid']]));
    const repeated = made.flatMap(({ order, paid }) => [order, paid]).filter((value) => seen.has(value));
    expect(repeated.length).toBeLessThan(5);
  });

  it('are of the kind, pattern, precision and range of the examples [PRV-1]', () => {
    for (const { order, paid, pieces, since, customer, items } of made) {
      expect(order).toMatch(/^[A-Z]{2}-\d{6}$/);
      expect(Number(paid)).toBeGreaterThanOrEqual(10.5);
      expect(Number(paid)).toBeLessThanOrEqual(10.5 + 199 * 1.37);
      expect(String(paid)).toMatch(/^\d+(\.\d{1,2})?$/);
      expect([0, 1, 2, 3]).toContain(pieces);
      expect(since).toMatch(/^2026-\d\d-\d\d$/);
      expect(customer).toEqual({ gift: expect.any(Boolean), name: '[removed]' });
      expect([1, 2, 3]).toContain((items as unknown[]).length);
    }
  });

  it('are the same for the same examples, and speak of each option in turn [PRV-1]', () => {
    expect(makeGoldenInputs(rows, ['customer.name'], known)).toEqual(made);
    const refunds = made.filter((_, i) => i % 2 === 0).map(({ message }) => String(message));
    expect(refunds.every((message) => !message.includes('parcel'))).toBe(true);
  });

  it('reach rules and fit the schema where there are no examples at all [PRV-1]', () => {
    const rules = compile([
      { condition: 'ctx.order.total > 500 && ctx.country == "CH"' },
      { condition: 'ctx.vip == true' },
    ]);
    const inputs = makeGoldenInputs([], [], { ...known, rules });
    const high = inputs.filter(
      ({ order, country }) => Number((order as { total: number }).total) > 500 && country === 'CH',
    );
    expect(high.length).toBeGreaterThan(10);
    expect(inputs.some(({ vip }) => vip === true)).toBe(true);
    const inputSchema = { properties: { colour: { enum: ['red', 'green'] } }, required: ['colour'] };
    const [first] = makeGoldenInputs([], [], { ...known, inputSchema });
    expect(['red', 'green']).toContain(first?.['colour']);
  });
});
