/** Files nobody prepared: what is found in them, and what becomes of each row. */
import { describe, expect, it } from 'vitest';
import { inferSchema } from '../../src/renderer/features/define/infer-schema.ts';
import { guessRoles, guessTargets, listLabels, makePlan } from '../../src/renderer/features/import/plan.ts';
import { findSeparator, readFile, UnreadableFile } from '../../src/renderer/features/import/read-file.ts';
import { decodeText } from '../../src/renderer/features/import/read-text.ts';
import { cutIntoCalls } from '../../src/renderer/features/import/run-import.ts';
import type { Sheet } from '../../src/renderer/features/import/sheet.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from([...text].map((character) => character.charCodeAt(0)));
const utf16 = (text: string) => new Uint8Array(Uint16Array.from([...text].map((c) => c.charCodeAt(0))).buffer);
const read = (name: string, bytes: Uint8Array) => readFile(name, bytes.slice().buffer as ArrayBuffer);
const newType = { options: [], reason_codes: [] };

function planOf(sheet: Sheet, type: { options: string[]; reason_codes: string[] } = newType) {
  const roles = guessRoles(sheet, type.options);
  const column = sheet.columns.find((name) => roles[name] === 'decision');
  const targets = column === undefined ? {} : guessTargets(listLabels(sheet, column), type.options);
  return { roles, targets, plan: makePlan(sheet, roles, targets, type) };
}

describe('a text file', () => {
  it('is read in the encoding that it has', () => {
    expect(decodeText(utf8('Größe'))).toEqual({ text: 'Größe', encoding: 'UTF-8' });
    expect(decodeText(latin1('Größe'))).toEqual({ text: 'Größe', encoding: 'Windows-1252 (Latin-1)' });
    expect(decodeText(utf16('Größe')).text).toBe('Größe');
  });

  it('is cut by the separator that its lines share', () => {
    expect(findSeparator('a,b\n1,2').sign).toBe(',');
    expect(findSeparator('a;b\n"1;5, and 2";2\n1,5;3').sign).toBe(';');
    expect(findSeparator('a\tb\n1\t2').sign).toBe('\t');
    expect(findSeparator('text\nHello, you').sign).toBe(',');
  });

  it('with semicolons, Latin-1 and decimal commas gives texts, numbers and what was found out', async () => {
    const sheet = await read('fälle.csv', latin1('betrag;ort;nr\n1.234,50;Köln;007\n3,5;Münster;012\n'));
    expect(sheet.rows.map(({ values }) => values)).toEqual([
      { betrag: 1234.5, ort: 'Köln', nr: '007' },
      { betrag: 3.5, ort: 'Münster', nr: '012' },
    ]);
    expect(sheet.told).toEqual(['Windows-1252 (Latin-1)', 'separated by semicolons', 'decimal comma in betrag']);
  });

  it('refuses lines of another width by their numbers and keeps the others', async () => {
    const sheet = await read('x.csv', utf8('a,b\n1,2\n3\n"4\n5",6\n7,8,9\n'));
    expect(sheet.rows.map(({ line }) => line)).toEqual([2, 5]);
    expect(sheet.refused).toEqual([
      { line: 3, message: '1 cells instead of 2' },
      { line: 6, message: '3 cells instead of 2' },
    ]);
  });

  it('as JSON or JSON Lines gives objects; a broken line is named', async () => {
    const list = await read('x.json', utf8('{"examples":[{"a":1},{"b":2},3]}'));
    expect([list.columns, list.rows.length, list.refused]).toEqual([
      ['a', 'b'],
      2,
      [{ line: 3, message: 'not an object' }],
    ]);
    const lines = await read('x.txt', utf8('{"a":1}\n{"a":\n{"a":2}\n'));
    expect(lines.rows.map(({ line }) => line)).toEqual([1, 3]);
    expect(lines.refused).toEqual([{ line: 2, message: 'not valid JSON' }]);
  });

  it('without content says so', async () => {
    await expect(read('x.csv', utf8(' \n'))).rejects.toThrow(UnreadableFile);
    await expect(read('x.json', utf8('{"a":1}'))).rejects.toThrow(/no list of examples/);
  });
});

describe('what a file becomes', () => {
  const lines = (count: number, row: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => row(i)).join('\n');
  const csv = (text: string) => read('tickets.csv', utf8(text));

  it('recognises the labels by their values, whatever the column is called', async () => {
    const sheet = await csv(
      `who,was_meant,note\n${lines(40, (i) => `${i},${i % 2 === 0 ? 'Place' : 'Person'},text ${i} and more`)}`,
    );
    expect(planOf(sheet).roles).toEqual({ who: 'input', was_meant: 'decision', note: 'input' });
    const known = planOf(sheet, { options: ['place', 'person'], reason_codes: [] });
    expect(known.roles.was_meant).toBe('decision');
    expect(known.targets).toEqual({
      Place: { kind: 'option', option: 'place' },
      Person: { kind: 'option', option: 'person' },
    });
    expect(known.plan.newOptions).toEqual([]);
    expect(known.plan.rows[0]?.example).toEqual({
      input: { who: 0, note: 'text 0 and more' },
      decision: 'place',
      reason_codes: [],
    });
  });

  it('takes a rare neighbour of an option for a slip of the hand, and a frequent one for an option', async () => {
    const slip = await csv(
      `n,label\n${lines(60, (i) => `${i},${i === 7 ? 'aprove' : i % 2 === 0 ? 'approve' : 'decline'}`)}`,
    );
    expect(planOf(slip).targets.aprove).toEqual({ kind: 'option', option: 'approve' });
    expect(planOf(slip).plan.newOptions.sort()).toEqual(['approve', 'decline']);
    const frequent = await csv(`n,label\n${lines(60, (i) => `${i},${['form', 'from'][i % 2]}`)}`);
    expect(planOf(frequent).plan.newOptions.sort()).toEqual(['form', 'from']);
  });

  it('leaves duplicates out and names contradictions, each with both lines', async () => {
    const sheet = await csv('text,label\nsame,a\nother,b\nsame,a\nsame,b\nother,b\n');
    const { plan } = planOf(sheet, { options: ['a', 'b'], reason_codes: [] });
    expect(plan.rows.map(({ line }) => line)).toEqual([2, 3, 5]);
    expect(plan.duplicates).toEqual([
      { line: 4, of: 2 },
      { line: 6, of: 3 },
    ]);
    expect(plan.conflicts).toEqual([{ line: 5, with: 2 }]);
  });

  it('opens dotted columns into objects and splits reason codes', async () => {
    const sheet = await csv('customer.tier,customer.age,label,reasons\nplus,40,a,X;Y\nbasic,,b,\n');
    const { plan } = planOf(sheet, { options: ['a', 'b'], reason_codes: ['X'] });
    expect(plan.rows.map(({ example }) => example)).toEqual([
      { input: { customer: { tier: 'plus', age: 40 } }, decision: 'a', reason_codes: ['X', 'Y'] },
      { input: { customer: { tier: 'basic', age: null } }, decision: 'b', reason_codes: [] },
    ]);
    expect(plan.newReasons).toEqual(['Y']);
  });

  it('is sent in calls that a body can hold, in order and each row once', () => {
    const rows = Array.from({ length: 25 }, (_, line) => ({
      line,
      example: { input: { text: 'x'.repeat(1_000_000) } },
    }));
    const calls = cutIntoCalls(rows);
    expect(calls.map((call) => call.length)).toEqual([7, 7, 7, 4]);
    expect(calls.flat()).toEqual(rows);
    const many = Array.from({ length: 25_000 }, (_, line) => ({ line, example: { input: {} } }));
    expect(cutIntoCalls(many).map((call) => call.length)).toEqual([10_000, 10_000, 5_000]);
  });
});

describe('fields of the input', () => {
  it('become a schema; only those that every example has are required', () => {
    const inputs = [
      { amount: 1, who: { state: 'CA' } },
      { amount: null, who: {}, note: 'x' },
    ];
    expect(inferSchema(inputs)).toEqual({
      type: 'object',
      properties: { amount: { type: ['number', 'null'] }, who: { type: 'object' }, note: { type: 'string' } },
      required: ['amount', 'who'],
    });
  });
});
