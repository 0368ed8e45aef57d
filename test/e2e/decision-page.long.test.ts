/** A policy saved as a page: opened from disk it decides one input and whole files as the workbench does. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readPath } from '../../src/engine/features/values.ts';
import type { JsonObject } from '../../src/engine/json.ts';
import { formatShare } from '../../src/engine/numeric.ts';
import { buildForAll } from '../edge/built-package.ts';
import { remarks } from '../engine/training/tune/tuning-request.ts';
import { makeWorkbook } from '../fixtures/make-workbook.ts';
import {
  type Call,
  createTrainable,
  forAll,
  loanExamples,
  loanType,
  makeDataDir,
  removeDataDir,
  startWorkbench,
  train,
} from '../server/workbench.ts';
import { keepPicture, openAddress } from './tools/browser-page.ts';
import { decideFile, decideInChromium } from './tools/program-page.ts';

type Answer = { decision: string; confidence: number; stage: string };

const inputSchema = {
  type: 'object',
  properties: { amount: { type: 'number', minimum: 0 }, purpose: { type: 'string', pattern: '^[a-z]+$' } },
};
const fields = ['applicant.score', 'applicant.email', 'amount', 'purpose', 'employed'];
const loans = loanExamples(300).map((example) => (example as { input: JsonObject }).input);
const rows = loans.map((input) => fields.map((name) => readPath(input, name.split('.')) ?? null));
const said = Array.from({ length: 600 }, (_, row) =>
  [1, 2, 3].map((step) => remarks[(row * step) % remarks.length]?.input['remark']).join(' '),
);

const edge = buildForAll();
/** A table with an input schema and a type that reads words, trained; their pages and bundles lie in a folder. */
const bench = forAll(
  async () => {
    const folder = makeDataDir();
    const workbench = await startWorkbench(join(folder, 'data'), { edgeDir: edge.folder });
    const { app, call, token } = workbench;
    const loan = await createTrainable(workbench, { ...loanType, input_schema: inputSchema }, loanExamples(40));
    await train(call, loan);
    const examples = remarks.map(({ input, decision }) => ({ input, decision }));
    const words = await createTrainable(workbench, { name: 'remarks', options: ['praise', 'complaint'] }, examples);
    await train(call, words, { text_model: 'words', min_per_option: 20, tune_hyperparams: false });
    const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
    const save = async (url: string, name: string) => {
      const answer = await app.inject({ url: `/api/v1${url}`, headers });
      if (answer.statusCode !== 200) throw new Error(answer.body);
      writeFileSync(join(folder, name), answer.rawPayload);
    };
    await save(`${loan}/export/page`, 'loan.html');
    await save(`${loan}/export`, 'loan.zip');
    await save(`${words}/export/page`, 'remarks.html');
    return { folder, workbench, address: (name: string) => pathToFileURL(join(folder, name)).href };
  },
  async ({ folder, workbench }) => {
    await workbench.stop();
    removeDataDir(folder);
  },
);

/** The answers of the workbench to the same inputs. */
async function decideThere(call: Call, decision_type: string, inputs: readonly JsonObject[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let from = 0; from < inputs.length; from += 50) {
    const decisions = inputs.slice(from, from + 50).map((input) => ({ decision_type, input }));
    answers.push(...(await call('POST', '/decide/batch?dry_run=true', { decisions })).body.results);
  }
  return answers;
}

/** Opens a saved page; at its end it has asked for nothing and nothing went wrong. */
async function open(name: string): Promise<Page> {
  const { page, faults, reached, close } = await openAddress(bench.address(name));
  onTestFinished(async () => {
    await close();
    expect([...faults, ...reached]).toEqual([]);
  });
  await page.getByText('decided as in the workbench').waitFor();
  return page;
}

function expectAnswers({ sheet, read }: Awaited<ReturnType<typeof decideFile>>, answers: readonly Answer[]): void {
  expect(sheet.rows.length).toBe(answers.length);
  for (const [at, row] of sheet.rows.entries()) {
    const { decision, confidence, stage } = answers[at]!;
    expect([read(row, 'decision'), read(row, 'stage')]).toEqual([decision, stage]);
    expect(Math.abs(Number(read(row, 'confidence')) - confidence)).toBeLessThan(1e-5);
  }
}

describe('a saved page', () => {
  test('decides one input by its form, and says what is wrong with another [EDG-13]', async () => {
    const page = await open('loan.html');
    await page.getByLabel('applicant.score').fill('480');
    await page.getByLabel('amount').fill('2000');
    await page.getByLabel('purpose').fill('car');
    await page.getByLabel('employed').selectOption('no');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Decide' }).click();
    const input = { applicant: { score: 480 }, amount: 2000, purpose: 'car', employed: false };
    const [answer] = await decideThere(bench.workbench.call, 'loan', [input]);
    await expect.poll(() => page.locator('.decision').textContent()).toBe(answer?.decision);
    await page
      .getByText(`${formatShare(answer!.confidence)} sure`)
      .first()
      .waitFor();
    await keepPicture(page, 'decision-page');
    await page.getByLabel('purpose').fill('A Car');
    await page.getByRole('button', { name: 'Decide' }).click();
    await page.getByText('input.purpose must match pattern').waitFor();
  });

  test('takes a CSV or a workbook and gives it back with the decisions of the workbench [EDG-13]', async () => {
    const page = await open('loan.html');
    const answers = await decideThere(bench.workbench.call, 'loan', loans);
    const lines = [['note', ...fields], ...rows.map((cells, at) => [`"row; ${at}"`, ...cells])];
    const csv = Buffer.from(lines.map((cells) => `${cells.join(';')}\n`).join(''));
    const back = await decideFile(page, 'loans.csv', csv);
    expectAnswers(back, answers);
    expect(back.name).toBe('loans-decided.csv');
    expect(back.sheet.columns).toEqual([
      'note',
      ...fields,
      'decision',
      'confidence',
      'classifier_choice',
      'classifier_probability',
      'stage',
      'reasons',
      'review',
    ]);
    expect([back.sheet.delimiter, back.read(back.sheet.rows[7]!, 'note')]).toEqual([';', 'row; 7']);
    const workbook = makeWorkbook({ Loans: [fields, ...rows.map((cells) => cells as (string | number | boolean)[])] });
    const given = await decideFile(page, 'loans.xlsx', Buffer.from(workbook));
    expectAnswers(given, answers);
    expect(given.sheet.workbook?.sheets).toEqual(['Decisions']);
    expect(given.read(given.sheet.rows[7]!, 'amount')).toBe(rows[7]![2]);
  });

  test('decides texts by words, with nothing else at hand [EDG-13]', async () => {
    const page = await open('remarks.html');
    const answers = await decideThere(
      bench.workbench.call,
      'remarks',
      said.map((remark) => ({ remark })),
    );
    const csv = Buffer.from(`remark\n${said.map((remark) => `"${remark}"\n`).join('')}`);
    expectAnswers(await decideFile(page, 'remarks.csv', csv), answers);
  });

  test('says what is wrong with a file, and marks rows that it refuses [EDG-13]', async () => {
    const page = await open('loan.html');
    const give = (name: string, text: string) =>
      page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await give('empty.csv', '');
    await page.getByText('empty.csv: The file is empty.').waitFor();
    await give('picture.csv', '%PDF-1.7');
    await page.getByText('picture.csv: This is a PDF document.').waitFor();
    await give('other.csv', 'colour,size\nred,3\n');
    await page.getByText('No column is called like a field of the policy.').waitFor();
    const back = await decideFile(page, 'some.csv', Buffer.from('amount,purpose\n5,car\n-5,car\nlots,car\n'));
    await page.getByText('2 refused, with the reason beside them').waitFor();
    const [, refused, unread] = back.sheet.rows;
    expect([back.read(refused!, 'stage'), back.read(refused!, 'reasons')]).toEqual([
      'refused',
      'input.amount must be >= 0.',
    ]);
    expect(back.read(unread!, 'stage')).toBe('refused');
  });
});

describe('the package in a browser', () => {
  test('decides a bundle that the page of a program fetched [EDG-9]', async () => {
    const decided = await decideInChromium(edge.folder, readFileSync(join(bench.folder, 'loan.zip')), loans);
    expect(decided.verified.differences).toEqual([]);
    const answers = await decideThere(bench.workbench.call, 'loan', loans);
    for (const [at, { decision, stage, confidence }] of decided.made.entries()) {
      expect([decision, stage]).toEqual([answers[at]?.decision, answers[at]?.stage]);
      expect(Math.abs(confidence - (answers[at]?.confidence ?? -1))).toBeLessThan(1e-5);
    }
  });
});
