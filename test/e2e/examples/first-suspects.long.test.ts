/** Suspect labels before the first training: found by themselves, worked through on the card down to the stop line. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loanExamples, loanType } from '../../server/workbench.ts';
import { openWindow, pictures, type Window } from '../tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from '../tools/workbench-process.ts';

type Loan = { input: { amount: number }; decision: string };
type Stats = { suspects: { expected_wrong: number } | null };
type Listed = { items: { input_payload: object; expected_decision: string }[] };
const wrong = new Set([10, 27, 44, 71, 90, 101]);
const loans = loanExamples(70) as Loan[];
const examples = loans.map(({ input, decision }, i) => ({
  input,
  decision: wrong.has(i) ? (decision === 'approve' ? 'decline' : 'approve') : decision,
}));

let workbench: RunningWorkbench;
let opened: Window;
let path: string;

beforeAll(async () => {
  workbench = await startWorkbenchProcess();
  const { body } = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', loanType);
  path = `/api/v1/decision-types/${body.id}`;
  await workbench.call('POST', `${path}/examples`, { examples });
  opened = await openWindow(workbench, `#/types/${body.id}/examples`);
});
afterAll(async () => {
  await opened?.close();
  await workbench?.stop();
});

test('suspect labels are found before a training and worked through by keys to the stop line [FND-6] [FND-7]', async () => {
  const { page, faults } = opened;
  const queue = page.getByRole('button', { name: /^Suspect labels [1-9]/ });
  await queue.waitFor();
  await queue.click();
  const line = page.getByText(/^\d+ changed, at most about \d+ are wrong$/);
  await line.waitFor();
  await page.screenshot({ path: join(pictures, 'suspects-before-training.png') });
  const stats = await workbench.call<Stats>('GET', `${path}/examples/stats`);
  const expected = stats.body.suspects?.expected_wrong ?? 0;
  expect(expected).toBeGreaterThanOrEqual(4);
  expect(expected).toBeLessThanOrEqual(wrong.size);
  for (let changed = 1; changed <= expected; changed += 1) {
    await page.getByText(/^The label “\w+” is suspect/).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(`${changed} changed, at most about ${expected} are wrong`).waitFor();
  }
  await page
    .getByText(`${expected} changed, at most about ${expected} are wrong: those left are probably right`)
    .waitFor();
  await page.screenshot({ path: join(pictures, 'suspects-stop-line.png') });
  const pages = await Promise.all(
    [1, 2].map((each) => workbench.call<Listed>('GET', `${path}/examples?page=${each}&page_size=100`)),
  );
  const rightOf = new Map(loans.map(({ input, decision }) => [JSON.stringify(input), decision]));
  const left = pages
    .flatMap(({ body }) => body.items)
    .filter(({ input_payload, expected_decision }) => rightOf.get(JSON.stringify(input_payload)) !== expected_decision);
  expect(left).toHaveLength(wrong.size - expected);
  expect(faults).toEqual([]);
});
