/** Looking behind the figures of a policy: the rows of a cell, and two policies on the same rows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createTrainable,
  loanExamples,
  loanType,
  makeDataDir,
  pollUntil,
  removeDataDir,
  startWorkbench,
  terminal,
  type Workbench,
} from './training-workbench.ts';

type Row = { expected: string; predicted: string; confidence: number; input: object | null; example_id: string };

describe('the held-out examples of policies', () => {
  const dataDir = makeDataDir();
  let bench: Workbench;
  let path: string;
  const policies: string[] = [];

  beforeAll(async () => {
    bench = await startWorkbench(dataDir);
    // Every seventh label is wrong, so that there are errors to look at.
    const examples = (loanExamples(60) as { decision: string }[]).map((example, i) =>
      i % 7 === 0 ? { ...example, decision: example.decision === 'approve' ? 'decline' : 'approve' } : example,
    );
    path = await createTrainable(bench, loanType, examples);
    for (const settings of [
      { tune_hyperparams: false },
      { tune_hyperparams: false, augment: true, augment_target_size: 400 },
    ]) {
      const started = await bench.call('POST', `${path}/train`, settings);
      expect(started.status).toBe(202);
      policies.push(started.body.policy_id);
      await pollUntil(() => bench.call('GET', `${path}/policies/${started.body.policy_id}/progress`), terminal);
    }
  });
  afterAll(async () => {
    await bench.stop();
    removeDataDir(dataDir);
  });

  const rowsOf = async (policy: string, query = ''): Promise<{ total: number; items: Row[] }> =>
    (await bench.call('GET', `${path}/policies/${policy}/held-out?page_size=100${query}`)).body;

  it('fill every cell of the confusion matrix with as many rows as it says', async () => {
    const [policy = ''] = policies;
    const { metrics } = (await bench.call('GET', `${path}/policies/${policy}`)).body;
    const labels: string[] = metrics.confusion_labels;
    for (const [r, expected] of labels.entries()) {
      for (const [c, predicted] of labels.entries()) {
        const cell = await rowsOf(
          policy,
          `&expected=${encodeURIComponent(expected)}&predicted=${encodeURIComponent(predicted)}`,
        );
        expect(cell.total).toBe(metrics.confusion_matrix[r][c]);
        for (const row of cell.items) expect(row).toMatchObject({ expected, predicted, input: expect.any(Object) });
      }
    }
    const all = await rowsOf(policy);
    expect(all.total).toBe(metrics.test_size);
    const confidences = all.items.map((row) => row.confidence);
    expect(confidences).toEqual([...confidences].sort((a, b) => b - a));
  });

  it('are never among the rows that an augmentation adds to the training side [TRN-13]', async () => {
    const [plain, augmented] = await Promise.all(
      policies.map(async (policy) => (await bench.call('GET', `${path}/policies/${policy}`)).body),
    );
    const { augmentation, train_size, test_size } = augmented.metrics;
    const own = plain.metrics.train_size;
    expect(plain.metrics.augmentation).toMatchObject({ status: 'not_requested', augmented_count: 0 });
    expect(augmentation).toMatchObject({ status: 'completed', target_size: 400, failure_reason: '' });
    expect([train_size, test_size]).toEqual([400, plain.metrics.test_size]);
    expect(augmentation.augmented_count).toBe(400 - own);
    const perClass = Object.values<number>(augmentation.per_class_counts);
    expect(perClass.reduce((sum, count) => sum + count, 0)).toBe(400 - own);
    const summaries = (await bench.call('GET', `${path}/policies`)).body;
    expect(summaries.map((row: { augmentation_status: string }) => row.augmentation_status)).toEqual([
      'completed',
      'not_requested',
    ]);
  });

  it('tell which of two policies is right where the other errs', async () => {
    const [first = '', second = ''] = policies;
    const compared = (await bench.call('GET', `${path}/policies/${first}/comparison?with=${second}&page_size=100`))
      .body;
    const [one, other] = [await rowsOf(first), await rowsOf(second)];
    const right = (rows: Row[]) =>
      new Set(rows.filter((row) => row.predicted === row.expected).map((row) => row.example_id));
    const [rightFirst, rightSecond] = [right(one.items), right(other.items)];
    expect(compared.rows).toBe(one.total);
    expect(compared.both_right + compared.both_wrong + compared.only_first_right + compared.only_second_right).toBe(
      compared.rows,
    );
    expect(compared.only_first_right).toBe([...rightFirst].filter((id) => !rightSecond.has(id)).length);
    expect(compared.total).toBe(compared.only_first_right + compared.only_second_right);
    for (const row of compared.items) {
      expect((row.first.predicted === row.expected) !== (row.second.predicted === row.expected)).toBe(true);
    }
    const itself = (await bench.call('GET', `${path}/policies/${first}/comparison?with=${first}`)).body;
    expect(itself).toMatchObject({ rows: one.total, only_first_right: 0, only_second_right: 0, items: [] });
  });

  it('are kept apart from other types and survive the deletion of an example', async () => {
    const [policy = ''] = policies;
    const [row] = (await rowsOf(policy)).items;
    await bench.call('DELETE', `${path}/examples/${row?.example_id}`);
    const after = (await rowsOf(policy)).items.find(({ example_id }) => example_id === row?.example_id);
    expect(after).toEqual({ ...row, input: null });
    const other = await createTrainable(bench, { ...loanType, name: 'another' }, loanExamples(40));
    expect((await bench.call('GET', `${other}/policies/${policy}/held-out`)).status).toBe(404);
    expect((await bench.call('GET', `${path}/policies/${policy}/comparison?with=${crypto.randomUUID()}`)).status).toBe(
      404,
    );
    expect((await bench.call('GET', `${path}/policies/${policy}/comparison`)).status).toBe(422);
  });
});
