/** Columns that tell the answer, or only name what a row is about: found in files that have them, and in no others. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAnswers } from '../../../src/engine/import/answers.ts';
import { proposeImport } from '../../../src/engine/import/plan-import.ts';
import { readFile } from '../../../src/engine/import/read-file.ts';
import { surveyColumns } from '../../../src/engine/import/survey.ts';

const fixtures = path.join(import.meta.dirname, '../../fixtures');

/** What is proposed for a column: its question, or why it is left out, with the share that it explains. */
async function judge(name: string, content: string, answer: string) {
  const bytes = new TextEncoder().encode(content);
  const sheet = await readFile({ name, bytes }, {}, { maxBytes: 50_000_000 });
  const { leftOut, leaks, asked } = proposeImport({ sheet, surveys: surveyColumns(sheet, 2026) }, [], answer);
  const questions = asked.map((column) => [column, leaks.get(column)?.sentence]);
  return { leftOut: Object.fromEntries(leftOut), asked: Object.fromEntries(questions), leaks };
}

/** A cell that is as it would be by chance, but the same in each run. */
const pick = <Value>(values: readonly Value[], row: number, salt: number): Value =>
  values[((Math.imul(row + 1, 2_654_435_761) ^ Math.imul(salt, 40_503)) >>> 9) % values.length] as Value;
const day = (row: number) => new Date(Date.UTC(2024, 0, 1) + row * 11 * 3_600_000).toISOString().slice(0, 10);
const answers = ['open', 'solved', 'rejected'];
const answerOf = (row: number) => pick(answers, row, 1);

type Column = (row: number) => string | number;
/** A file of tickets with a column of which it is to be said what it is. */
const tickets = (name: string, column: Column, rows = 600) =>
  judge(
    'tickets.csv',
    [
      `channel,priority,${name},answer`,
      ...Array.from(
        { length: rows },
        (_, row) =>
          `${pick(['mail', 'phone', 'chat'], row, 2)},${pick(['low', 'high'], row, 3)},${column(row)},${answerOf(row)}`,
      ),
    ].join('\n'),
    'answer',
  );

describe('a column that tells the answer', () => {
  it.each<[string, Column, string]>([
    [
      'state afterwards',
      (row) => ({ open: 'A', solved: 'B', rejected: 'C' })[answerOf(row)] ?? '',
      'It is probably written after the answer: it tells it in 100% of the rows.',
    ],
    [
      'solution',
      (row) => (answerOf(row) === 'solved' ? `did thing ${row}` : ''),
      'It is filled for some answers only, in 100% of the rows.',
    ],
  ])('is left out where that is certain: %s [FIL-40]', async (name, column, sentence) => {
    expect((await tickets(name, column)).leftOut).toEqual({ [name]: sentence });
  });

  it.each<[string, Column, RegExp]>([
    [
      'code',
      (row) => answerOf(row % 80 === 3 ? row + 1 : row).slice(0, 3),
      /^It alone tells the answer in 9[89]\.\d% of the rows\. Is it known before the decision\?$/,
    ],
    [
      'points',
      (row) => 1000 * answers.indexOf(answerOf(row)) + (row % 331),
      /^It alone tells the answer in .* of the rows\. Is it known/,
    ],
    [
      'solution',
      (row) => (answerOf(row) === 'solved' && row % 40 !== 3 ? `did thing ${row}` : ''),
      /^It is filled for some answers only, in 9\d\.\d% of the rows\. Is it known/,
    ],
    [
      'closedAt',
      (row) => (answerOf(row) === 'open' ? '' : day(row + 20)),
      /filled for some answers only|is written when a case ends/,
    ],
    ['geschlossen am', (row) => day(row + 20), /^By its name it is written when a case ends\./],
    [
      'Policy number',
      (row) => `POL-${10_000 + Math.floor(row / 2)}`,
      /^It seems to name what the row is about: 300 different values in 600 rows\. Does it say more\?$/,
    ],
  ])('is asked about where a person may know better: %s [FIL-40]', async (name, column, sentence) => {
    const { asked, leftOut } = await tickets(name, column);
    expect({ ...asked, ...leftOut }).toEqual({ [name]: expect.stringMatching(sentence) });
  });

  it('is a score from which the label follows, with the share that it explains [FIL-40]', async () => {
    const score = (row: number) => pick([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], row, 5);
    const label = (row: number) =>
      row % 90 === 1 ? 'Passive' : score(row) > 8 ? 'Promoter' : score(row) > 6 ? 'Passive' : 'Detractor';
    const lines = Array.from(
      { length: 900 },
      (_, row) => `${pick(['DE', 'FR'], row, 7)},${score(row)},comment ${row % 41},${label(row)}`,
    );
    const { asked, leaks } = await judge('survey.csv', ['country,score,comment,group', ...lines].join('\n'), 'group');
    expect(Object.keys(asked)).toEqual(['score']);
    expect(leaks.get('score')?.explains).toBeGreaterThan(0.98);
    expect(leaks.get('score')?.explains).toBeLessThan(0.995);
  });

  it('is one that most rows have, also where the others have no value [FIL-40]', async () => {
    const { asked } = await tickets('points', (row) =>
      row % 7 === 0 ? '' : answers.indexOf(answerOf(row % 20 === 1 ? row + 1 : row)),
    );
    expect(asked).toEqual({
      points: expect.stringMatching(/^It alone tells the answer in 9[67]\.\d% of the rows\. Is it known/),
    });
  });

  it('is another answer, which another type would decide, but not that of an earlier case [FIL-41]', async () => {
    const verdict = (row: number) => pick(['fair', 'unfair'], row, 11);
    expect((await tickets('verdict', verdict)).leftOut).toEqual({
      verdict: 'It looks like the answer of another decision type.',
    });
    expect((await tickets('previous outcome', verdict)).leftOut).toEqual({});
  });

  it('is asked about where its name says that it is noted afterwards [FIL-40]', async () => {
    const sentence = 'By its name it is noted after the decision. Is it known before?';
    for (const name of ['csat', 'qa.reviewer', 'closed_by', 'approvedBy'])
      expect((await tickets(name, (row) => pick(['ann', 'bob'], row, 9))).asked).toEqual({ [name]: sentence });
    for (const name of ['reviews', 'delivered by', 'aqua'])
      expect((await tickets(name, (row) => pick(['ann', 'bob'], row, 9))).asked).toEqual({});
  });

  it('is none for being different in every row, nor with too few rows, nor where nothing else is there [FIL-40]', async () => {
    expect(await tickets('free text', (row) => `words ${row} of somebody`)).toMatchObject({ asked: {}, leftOut: {} });
    expect(await tickets('code', (row) => answerOf(row), 30)).toMatchObject({ asked: {}, leftOut: {} });
    const lines = Array.from({ length: 300 }, (_, row) => `${row * 7},${row > 140 ? 'decline' : 'approve'}`);
    expect(await judge('amounts.csv', ['amount,label', ...lines].join('\n'), 'label')).toMatchObject({
      asked: {},
      leftOut: {},
    });
  });
});

it('the labels of an export are those that its tool gave, beside texts that come back as often [FIL-33]', async () => {
  const records = Array.from({ length: 60 }, (_, row) =>
    JSON.stringify({
      text: pick(['Where is it?', 'Thanks'], row, 2),
      _task_hash: row,
      accept: [answerOf(row)],
      answer: 'accept',
    }),
  );
  const bytes = new TextEncoder().encode(records.join('\n'));
  const sheet = await readFile({ name: 'prodigy.jsonl', bytes }, {}, { maxBytes: 1e6 });
  const file = { sheet, surveys: surveyColumns(sheet, 2026) };
  expect(proposeImport(file, []).answer).toBe('label');
  expect(proposeImport(file, ['Thanks', 'Where is it?']).answer).toBe('text');
});

it.each(['german_credit', 'complaint_routing', 'sms_spam'])('no column of %s is asked about [FIL-40]', async (name) => {
  const content = readFileSync(path.join(fixtures, name, 'train.jsonl'), 'utf8');
  const rows = content
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ input, decision }) => JSON.stringify({ ...input, decision }));
  expect((await judge('rows.jsonl', rows.join('\n'), 'decision')).asked).toEqual({});
});

describe('a column beside the answer', () => {
  it('is an input where its texts are sentences, in scripts that set no blanks between words, too [FIL-40]', async () => {
    const sentences = ['荷物がまだ届きません', 'สินค้ายังไม่มาถึง', '我的订单还没有到'];
    for (const sentence of sentences) {
      const { leftOut } = await tickets('message', (row) => `${sentence}${row}`, 60);
      expect([sentence, leftOut]).toEqual([sentence, {}]);
    }
    expect(Object.keys((await tickets('place', (row) => `東京-${row}`, 60)).leftOut)).toEqual(['place']);
  });

  it('is left out where it was written with the verdict, or with the row [FIL-32]', async () => {
    const content = Array.from({ length: 40 }, (_, row) =>
      JSON.stringify({
        text: `order ${row}`,
        created_at: 1_772_400_000 + 91 * row,
        feedback: { by: pick(['bo', 'ann'], row, 2), verdict: answerOf(row) },
      }),
    ).join('\n');
    const { leftOut } = await judge('log.jsonl', content, 'feedback.verdict');
    expect(leftOut).toEqual({
      created_at: 'It says when the row was written.',
      'feedback.by': 'It stands beside the answer in “feedback”.',
    });
  });

  it('does not take the place of one that is called so, however long the labels are [FIL-40]', async () => {
    const label = (row: number) => `${row % 2 === 0 ? 'yes' : 'no'}, ${'as our rules say '.repeat(6)}`;
    const lines = Array.from({ length: 40 }, (_, row) => `${row % 3 === 0 ? 'a' : 'b'},"${label(row)}"`);
    const bytes = new TextEncoder().encode(['group,label', ...lines].join('\n'));
    const sheet = await readFile({ name: 'long.csv', bytes }, {}, { maxBytes: 1e6 });
    expect(findAnswers(surveyColumns(sheet, 2026), []).candidates[0]?.column).toBe('label');
  });
});
