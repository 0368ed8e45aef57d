/** The gate of a training: the new and the deployed policy on the rows that both have held out. */
import { expect, it } from 'vitest';
import { compareOnCommonRows } from '../../../src/engine/measure/common-rows.ts';
import { createTrainable, loanExamples, loanType, startWorkbench, temporaryFolder, train } from '../workbench.ts';

it('a policy is not held back because rows came that are harder than those of the deployed one [AUD-5]', async () => {
  const bench = await startWorkbench(temporaryFolder());
  const url = await createTrainable(bench, loanType, loanExamples(120));
  const config = { tune_hyperparams: false, target_f1: 0.9 };
  const detail = async (id: string) => (await bench.call('GET', `${url}/policies/${id}`)).body;
  const first = await detail(await train(bench.call, url, config));
  expect(first).toMatchObject({ deployed: true, quality_gate_met: true, metrics: { compared_with_deployed: null } });

  // Loans of another kind, on which nobody agrees.
  const examples = Array.from({ length: 120 }, (_, i) => ({
    input: {
      applicant: { score: 640, email: `b${i}@example.org` },
      amount: 20_000 + i,
      purpose: 'boat',
      employed: true,
    },
    decision: i % 2 === 0 ? 'approve' : 'decline',
  }));
  expect((await bench.call('POST', `${url}/examples`, { examples })).status).toBe(201);
  const second = await detail(await train(bench.call, url, config));
  const { macro_f1: whole, test_size: size, compared_with_deployed: compared } = second.metrics;
  expect(whole).toBeLessThan(0.9);
  expect(compared).toMatchObject({ policy_version: 'v1', rows: first.metrics.test_size });
  expect(compared.rows).toBeLessThan(size);
  expect(compared.macro_f1).toBeGreaterThanOrEqual(0.9);
  expect(second).toMatchObject({ deployed: true, quality_gate_met: true });
  // The comparison over the API counts the same rows.
  const { body } = await bench.call(
    'GET',
    `${url}/policies/${second.id}/comparison?with=${first.id}&judged=classifier`,
  );
  expect([body.rows, body.both_right + body.only_first_right]).toEqual([compared.rows, compared.right]);

  // A target that the common rows miss, too, still holds back.
  const third = await detail(await train(bench.call, url, { ...config, target_f1: 1, refit: false }));
  const { macro_f1: common } = third.metrics.compared_with_deployed;
  expect(third.quality_gate_met).toBe(common >= 1);
  await bench.stop();
});

it('rows count as common where both have held them out with the same label [AUD-5]', () => {
  const answer = (exampleId: string, expected: string, predicted: string) => ({ exampleId, expected, predicted });
  const first = [answer('1', 'a', 'a'), answer('2', 'b', 'a'), answer('3', 'a', 'b'), answer('5', 'c', 'c')];
  const second = [answer('1', 'a', 'a'), answer('2', 'b', 'b'), answer('3', 'b', 'b'), answer('4', 'c', 'c')];
  expect(compareOnCommonRows(first, second)).toEqual({
    rows: 2,
    first: { right: 1, macroF1: (2 / 3 + 0) / 2 },
    second: { right: 2, macroF1: 1 },
  });
  expect(compareOnCommonRows(first, [])).toMatchObject({ rows: 0, first: { right: 0, macroF1: 0 } });
});
