/** What a file becomes: its labels, its rows, and what is double or contradicts itself. */
import { describe, expect, it } from 'vitest';
import { findAnswers } from '../../../src/engine/import/answers.ts';
import { guessTargets, listLabels } from '../../../src/engine/import/labels.ts';
import { planImport, proposeImport, toExampleColumns } from '../../../src/engine/import/plan-import.ts';
import { planRows } from '../../../src/engine/import/plan-rows.ts';
import { readFile } from '../../../src/engine/import/read-file.ts';
import type { PlannedExample } from '../../../src/engine/import/row-reader.ts';
import type { ColumnKind, Sheet } from '../../../src/engine/import/sheet.ts';
import { countSpreads } from '../../../src/engine/import/spreads.ts';
import { surveyColumns } from '../../../src/engine/import/survey.ts';
import { inferSchema } from '../../../src/renderer/features/define/input-schema.tsx';
import { toTypeName } from '../../../src/renderer/features/import/type-name.ts';

const newType = { options: [], reason_codes: [], readings: {} };
const findAnswersOf = (sheet: Sheet, options: readonly string[] = []) => {
  const { candidates, isCertain } = findAnswers(surveyColumns(sheet, 2026), options);
  return { columns: candidates.map(({ column }) => column), isCertain };
};

type Chosen = { answer?: string; kinds?: Record<string, ColumnKind> };
function planOf(sheet: Sheet, type: { options: string[]; reason_codes: string[] } = newType, chosen: Chosen = {}) {
  const file = { sheet, surveys: surveyColumns(sheet, 2026) };
  const proposal = proposeImport(file, type.options, chosen.answer);
  const { answer = null, roles, leftOut } = proposal;
  const columns = toExampleColumns(sheet.columns, roles);
  const read = planImport(file, proposal, { columns, kinds: chosen.kinds ?? {}, settled: [] });
  const { targets, near } = guessTargets(answer === null ? [] : listLabels(sheet, answer), type.options);
  const rows: PlannedExample[] = [];
  const use = (example: PlannedExample) => void rows.push(example);
  return {
    answers: findAnswersOf(sheet, type.options),
    roles: Object.fromEntries(roles),
    leftOut: Object.fromEntries(leftOut),
    targets,
    near,
    plan: { ...planRows(sheet, read, targets, { readings: {}, ...type }, { use }), rows },
  };
}

it('says of each column how its values are spread: numbers and dates in steps, categories by frequency', async () => {
  const rows = [...'aabaacaab'].map((kind, at) => `${at},5;1${at}.06.2024;${kind};only ${at}`);
  const bytes = new TextEncoder().encode(['n;day;kind;text', ...rows].join('\n'));
  const sheet = await readFile({ name: 'spread.csv', bytes }, {}, { maxBytes: 1_000 });
  const spreads = countSpreads(surveyColumns(sheet, 2026), sheet);
  const steps = [1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1];
  expect(spreads).toEqual([steps, steps, [6, 2, 1], []]);
});

describe('what a file becomes', () => {
  const lines = (count: number, row: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => row(i)).join('\n');
  const csv = (text: string) =>
    readFile({ name: 'tickets.csv', bytes: new TextEncoder().encode(text) }, {}, { maxBytes: 1_000_000 });

  it('recognises the labels by their values, whatever the column is called', async () => {
    const sheet = await csv(
      `who,was_meant,note\n${lines(40, (i) => `${i * 3},${i % 2 === 0 ? 'Place' : 'Person'},text ${i} and more`)}`,
    );
    expect(planOf(sheet).roles).toEqual({ who: 'input', was_meant: 'decision', note: 'input' });
    const known = planOf(sheet, { options: ['place', 'person'], reason_codes: [] });
    expect(known.roles.was_meant).toBe('decision');
    expect(known.targets).toEqual({
      Place: { kind: 'option', option: 'place' },
      Person: { kind: 'option', option: 'person' },
    });
    expect(known.plan.newOptions).toEqual([]);
    expect(known.plan.rows[0]).toEqual({
      line: 2,
      input: { who: 0, note: 'text 0 and more' },
      decision: 'place',
      reasonCodes: [],
    });
  });

  it('is asked about where several columns could be the answer: the likeliest come first', async () => {
    const spellings = ['behalten', 'storniert', 'behalten', 'stornirt', ''];
    const bookings = await csv(
      `Hotel;Land;Nächte;Ergebnis\n${lines(50, (i) => `${i % 2 ? 'City' : 'Resort'};${'DFIPE'[i % 5]};${i % 7};${spellings[i % 5]}`)}`,
    );
    expect(planOf(bookings).answers).toEqual({
      columns: ['Ergebnis', 'Hotel', 'Land', 'Nächte'],
      isCertain: false,
    });
    expect(Object.values(planOf(bookings).roles)).not.toContain('decision');
    const named = await csv(`label,tier\n${lines(8, (i) => `${'ab'[i % 2]},${'xy'[i % 2]}`)}`);
    expect(planOf(named).answers).toEqual({ columns: ['label', 'tier'], isCertain: false });
  });

  it('is certain by the options of the type, unless two columns hold them or one is only called so', async () => {
    const options = ['keep', 'cancel'];
    const of = async (header: string, row: (index: number) => string) =>
      findAnswersOf(await csv(`${header}\n${lines(20, row)}`), options);
    const answer = (i: number) => options[i % 2];
    expect(await of('Hotel,x', (i) => `${i % 2},${answer(i)}`)).toEqual({ columns: ['x'], isCertain: true });
    expect(await of('before,after', (i) => `${answer(i)},${answer(i)}`)).toMatchObject({ isCertain: false });
    expect(await of('Hotel,label', (i) => `${i % 2},${'ab'[i % 2]}`)).toEqual({ columns: ['label'], isCertain: false });
    expect(await of('Hotel,text', (i) => `${i % 2},text ${i}`)).toEqual({ columns: [], isCertain: true });
  });

  const labelled = (counts: Record<string, number>) =>
    csv(
      `n,label\n${Object.entries(counts)
        .flatMap(([label, count]) => Array.from({ length: count }, (_, i) => `${label}${i},${label}`))
        .join('\n')}`,
    );
  const nearOf = async (counts: Record<string, number>, options: string[] = []) => {
    const { near, plan } = planOf(await labelled(counts), { options, reason_codes: [] });
    return {
      asked: near.map(({ label, option }) => `${label.value} ${label.count} ${option}`),
      added: plan.newOptions.sort(),
    };
  };

  it('joins only what differs in case, blanks and form of Unicode, and asks about what is nearly the same', async () => {
    expect(await nearOf({ 'Flight team': 200, 'Light team': 8, 'Monitor team': 90, 'Mentor team': 3 })).toEqual({
      asked: ['Light team 8 Flight team', 'Mentor team 3 Monitor team'],
      added: ['Flight team', 'Light team', 'Mentor team', 'Monitor team'],
    });
    expect(await nearOf({ approve: 60, aprove: 1, decline: 30 })).toMatchObject({ asked: ['aprove 1 approve'] });
    expect(await nearOf({ 'Caf\u00e9 bar': 40, 'cafe\u0301  BAR ': 12, other: 9 })).toEqual({
      asked: [],
      added: ['Caf\u00e9 bar', 'other'],
    });
    expect(await nearOf({ in_progress: 40, 'in progress': 39 })).toMatchObject({
      asked: ['in progress 39 in_progress'],
    });
    // Frequent ones are two answers, and other digits mean another thing.
    expect(await nearOf({ form: 30, from: 30 })).toMatchObject({ asked: [] });
    expect(await nearOf({ 'level 1': 90, 'level 2': 2 })).toMatchObject({ asked: [] });
    expect(await nearOf({ confirm: 30, approved: 20 }, ['approve', 'confirm'])).toEqual({
      asked: ['approved 20 approve'],
      added: ['approved'],
    });
  });

  it('offers a column by the names that service desks give the answer, the one called reason among them', async () => {
    for (const name of ['Reason', 'Category', 'Team', 'Status', 'Queue', 'Support group / Topic']) {
      const sheet = await csv(
        `Channel,${name},Client,Text\n${lines(60, (i) => `${'ab'[i % 2]},${'xyz'[i % 3]},client ${i % 25},words ${i}`)}`,
      );
      const { answers, roles } = planOf(sheet);
      expect(answers).toMatchObject({ isCertain: false });
      expect(answers.columns[0]).toBe(name);
      expect(Object.values(roles)).not.toContain('reasons');
    }
    const both = await csv(`Text,Label,Reason\n${lines(60, (i) => `words ${i},${'xy'[i % 2]},${'abc'[i % 3]}`)}`);
    expect(planOf(both, newType, { answer: 'Label' }).roles.Reason).toBe('reasons');
    expect(planOf(both, newType, { answer: 'Reason' }).roles.Reason).toBe('decision');
  });

  it('leaves duplicates out and names contradictions, each with both lines', async () => {
    const sheet = await csv('text,label\nsame,a\nother,b\nsame,a\nsame,b\nother,b\nthird,a\n');
    const { plan } = planOf(sheet, { options: ['a', 'b'], reason_codes: [] });
    expect(plan.rows.map(({ line }) => line)).toEqual([2, 3, 5, 7]);
    expect(plan.repeated).toEqual([
      { line: 4, of: 2 },
      { line: 6, of: 3 },
    ]);
    expect(plan.conflicts).toEqual([{ line: 5, of: 2 }]);
  });

  it('opens dotted columns into objects and splits reason codes', async () => {
    const sheet = await csv('customer.tier,customer.age,label,reasons\nplus,40,a,X;Y\nbasic,,b,\n');
    const { plan } = planOf(sheet, { options: ['a', 'b'], reason_codes: ['X'] });
    expect(plan.rows.map(({ line: _, ...example }) => example)).toEqual([
      { input: { customer: { tier: 'plus', age: 40 } }, decision: 'a', reasonCodes: ['X', 'Y'] },
      { input: { customer: { tier: 'basic', age: null } }, decision: 'b', reasonCodes: [] },
    ]);
    expect(plan.newReasons).toEqual(['Y']);
  });

  const booking = (i: number) =>
    `B-${1000 + i};${i + 1};${pad(1 + (i % 28))}.03.2024;${i % 4 === 0 ? 'ja' : 'nein'};${i},50 €;${['behalten', 'storniert'][i % 2]};${['Check-Out', 'Canceled'][i % 2]}`;
  const pad = (value: number) => String(value).padStart(2, '0');
  const bookings = () => csv(`Buchung;Zeile;Anreise;Stammgast;Preis;Ergebnis;Zustand danach\n${lines(80, booking)}`);

  it('holds dates, booleans and numbers, without what names the row or follows from the answer [FIL-1] [FIL-4]', async () => {
    const { leftOut, plan } = planOf(await bookings(), newType, { answer: 'Ergebnis' });
    expect(leftOut).toEqual({
      Buchung: 'Looks like an ID, so left out: 80 different values in 80 rows.',
      Zeile: 'Looks like an ID, so left out: 80 different values in 80 rows.',
      'Zustand danach': 'It is probably written after the answer: it tells it in 100% of the rows.',
    });
    expect(plan.rows[1]).toEqual({
      line: 3,
      input: { Anreise: '2024-03-02', Stammgast: false, Preis: 1.5 },
      decision: 'storniert',
      reasonCodes: [],
    });
  });

  it('keeps a column of names where there is nothing else to learn from [FIL-4]', async () => {
    const sheet = await csv(`wort,label\n${lines(60, (i) => `wort${i},${'ab'[i % 2]}`)}`);
    expect(planOf(sheet)).toMatchObject({ roles: { wort: 'input', label: 'decision' }, leftOut: {} });
  });

  it('leaves cells empty that do not fit a chosen kind, and names the first [FIL-1]', async () => {
    const sheet = await csv(
      `Preis,label\n${lines(20, (i) => `${i === 3 ? 'viel' : i === 4 ? 'mehr' : i},${'ab'[i % 2]}`)}`,
    );
    const { rows, misfits } = planOf(sheet, newType, { answer: 'label', kinds: { Preis: 'number' } }).plan;
    expect(rows[3]?.input).toEqual({ Preis: null });
    expect([...misfits]).toEqual([
      ['Preis', { refusal: { line: 5, column: 'Preis', message: '“viel” is not a number' }, count: 2 }],
    ]);
  });

  it('is called like its file, in letters that programs can write [FIL-8]', () => {
    expect(
      ['Buchungen März 2024.xlsx', 'Straßen_Größe.csv', 'Élèves.csv', 'Ærø.csv', 'Zlín.csv', 'Заявки.csv', '.csv'].map(
        (name) => toTypeName(name),
      ),
    ).toEqual(['buchungen-maerz-2024', 'strassen-groesse', 'eleves', 'aeroe', 'zlin', 'заявки', 'decisions']);
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
