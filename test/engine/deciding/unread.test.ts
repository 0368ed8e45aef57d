/** What of an input a policy does not read; the same cases are given to the Python package. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileUnread, describeLostDigits } from '../../../src/engine/bundle/unread.ts';
import { findLostDigits } from '../../../src/engine/strict-json/json-faults.ts';

const file = path.resolve(import.meta.dirname, '../../cases/unread.json');
const { plan, rules, whole_input, schema, cases, wide, lost_digits } = JSON.parse(readFileSync(file, 'utf8'));

describe('what of an input is not read [DEC-13]', () => {
  const find = compileUnread({ plan, rules: { rules }, inputSchema: schema });
  it.each<{ name: string; input: object; unread: string[] }>(cases)('$name', ({ input, unread }) => {
    expect(find(JSON.parse(JSON.stringify(input)))).toEqual(unread);
  });

  it('is nothing unknown where a rule reads the whole input', () => {
    const findAny = compileUnread({ plan, rules: { rules: whole_input }, inputSchema: schema });
    expect(findAny({ hotl: 1, loan: { amount: 'x' } })).toEqual(["'loan.amount' must be a number"]);
  });

  it.each<{ input: string; unread: string[] }>(lost_digits)('are digits beyond 2^53: $input', ({ input, unread }) => {
    expect(describeLostDigits(findLostDigits(input))).toEqual(unread);
  });

  it('of many long names is told within a budget, and what the input holds more is counted', () => {
    const nameField = (index: number) => `${wide.prefix}${String(index).padStart(3, '0')}`;
    const fields = Array.from({ length: wide.fields }, (_, index) => ({ kind: 'boolean', path: [nameField(index)] }));
    const findWide = compileUnread({ plan: { ...plan, fields }, rules: { rules: [] }, inputSchema: null });
    const misspelt = Array.from({ length: wide.names }, (_, index) => [`${nameField(wide.from + index)}x`, true]);
    const began = process.cpuUsage().user;
    expect(findWide(Object.fromEntries(misspelt))).toEqual(wide.unread);
    expect(process.cpuUsage().user - began).toBeLessThan(100_000);
  });
});
