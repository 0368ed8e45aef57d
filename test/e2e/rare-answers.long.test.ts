/** Types of 40 answers, of which half or all are too rare, train at the first press; Python decides as they do. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireEdgePython } from '../edge-python.ts';
import { openWindow, pictures, type Window } from './tools/browser-page.ts';
import { type RunningWorkbench, startWorkbenchProcess } from './tools/workbench-process.ts';

const count = 40;
/** Every other answer has 28 to 37 rows, too few to be learned, the others 38 to 47. */
const isRare = (index: number) => index % 2 === 1;
const countRows = (index: number) => (isRare(index) ? 28 : 38) + (Math.floor(index / 2) % 10);
const options = Array.from({ length: count }, (_, index) => `queue ${index}`);
const examples = options.flatMap((decision, index) =>
  Array.from({ length: countRows(index) }, (_, row) => ({
    input: { floor: `floor ${Math.floor(index / 10)}`, wing: `wing ${index % 10}`, call: row },
    decision,
  })),
);
const rareCount = options.filter((_, index) => isRare(index)).length;

type Decided = { decision: string; stage: string; escalate: boolean; confidence: number };

describe('40 answers with 28 to 47 rows', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'rare-answers-'));
  let workbench: RunningWorkbench;
  let opened: Window;
  let path: string;

  beforeAll(async () => {
    workbench = await startWorkbenchProcess();
    const escalation_policy = { enabled: false, between: 'flag', unfamiliar: 'ignore' };
    const type = { name: 'rooms', options, escalation_policy };
    const made = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', type);
    path = `/api/v1/decision-types/${made.body.id}`;
    await workbench.call('POST', `${path}/examples`, { examples });
    opened = await openWindow(workbench, `#/types/${made.body.id}/train`);
  });
  afterAll(async () => {
    await opened?.close();
    await workbench?.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  test('train at the first press, and the result says what becomes of the rare ones', async () => {
    const { page, faults } = opened;
    await page.getByText(`${rareCount} answers have fewer than 38 examples`).first().waitFor();
    await page.getByRole('button', { name: /^Start training/ }).click();
    await page.getByText('Trained and live', { exact: true }).waitFor({ timeout: 600_000 });
    const rare = page.getByRole('region', { name: 'Rare answers' });
    await rare.getByText('From how many examples on they are decided alone', { exact: true }).click();
    await rare.getByText(/^From 16 examples on an answer is .*decided alone: /).waitFor();
    const minima = rare.getByRole('row');
    expect(await minima.allInnerTexts()).toEqual([
      expect.stringContaining('Automated'),
      expect.stringMatching(/^from 38 examples on/),
      expect.stringMatching(/^from 16 examples on/),
    ]);
    expect(await minima.filter({ hasText: 'used' }).count()).toBe(1);
    await page.screenshot({ path: join(pictures, 'train-rare-answers.png') });
    expect(faults).toEqual([]);
  });

  test('are decided alone where they are common and handed on where they are rare, in Python as here [TRN-22]', async () => {
    const config = { rare_options: 'learn', tune_hyperparams: false };
    const { body: trained } = await workbench.call<{ policy_id: string }>('POST', `${path}/train`, config);
    await expect
      .poll(
        async () =>
          (await workbench.call<{ status: string }>('GET', `${path}/policies/${trained.policy_id}`)).body.status,
        { timeout: 600_000, interval: 500 },
      )
      .toBe('deployed');
    const inputs = examples.filter((_, i) => i % 30 === 7);
    const here = await Promise.all(
      inputs.map(async ({ input }) => {
        const answer = await workbench.call<Decided>('POST', '/api/v1/decide', { decision_type: 'rooms', input });
        return answer.body;
      }),
    );
    const rare = here.filter((_, i) => isRare(options.indexOf(inputs[i]?.decision ?? '')));
    expect(rare.length).toBeGreaterThan(10);
    const alone = here.filter(({ escalate }) => !escalate).map(({ decision }) => options.indexOf(decision));
    expect(alone.filter(isRare)).toEqual([]);
    expect(rare.filter(({ escalate }) => escalate).length / rare.length).toBeGreaterThan(0.9);
    const common = here.flatMap((decided, i) =>
      rare.includes(decided) ? [] : [decided.decision === inputs[i]?.decision],
    );
    expect(common.filter(Boolean).length / common.length).toBeGreaterThan(0.9);

    const bundle = join(scratch, 'bundle.zip');
    const exported = await fetch(`${workbench.url}${path}/export`, {
      headers: { authorization: `Bearer ${workbench.token}` },
    });
    writeFileSync(bundle, Buffer.from(await exported.arrayBuffer()));
    const lines = inputs.map(({ input }) => JSON.stringify(input)).join('\n');
    const program = await requireEdgePython();
    const python = (...words: string[]) =>
      spawnSync(program, ['-m', 'decision_edge', ...words], {
        input: `${lines}\n`,
        encoding: 'utf8',
        // Each line names the probabilities of all answers.
        maxBuffer: 2 ** 26,
      });
    expect(python('verify', bundle).status).toBe(0);
    const there = python('predict', bundle)
      .stdout.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Decided);
    const decided = ({ decision, stage, escalate }: Decided) => ({ decision, stage, escalate });
    expect(there.map(decided)).toEqual(here.map(decided));
  });
});

test('40 answers with 28 rows each are all learned at the first press [TRN-20]', async () => {
  const workbench = await startWorkbenchProcess();
  try {
    const type = { name: 'rooms', options };
    const { body } = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', type);
    const seen = new Map<string, number>();
    const few = examples.filter(({ decision }) => {
      const rows = (seen.get(decision) ?? 0) + 1;
      seen.set(decision, rows);
      return rows <= 28;
    });
    await workbench.call('POST', `/api/v1/decision-types/${body.id}/examples`, { examples: few });
    const { page, faults, close } = await openWindow(workbench, `#/types/${body.id}/train`);
    await page.getByRole('button', { name: 'Start training' }).click();
    await page.getByText('Trained and live', { exact: true }).waitFor({ timeout: 600_000 });
    await page
      .getByRole('img', { name: /^Correct on/ })
      .first()
      .waitFor();
    await page.screenshot({ path: join(pictures, 'few-examples-trained.png') });
    const asked = { decision_type: 'rooms', input: few[0]?.input };
    const answer = await workbench.call<Decided>('POST', '/api/v1/decide', asked);
    expect(answer.body.decision).toBe(few[0]?.decision);
    expect(faults).toEqual([]);
    await close();
  } finally {
    await workbench.stop();
  }
});
