/** What one case is: the figure is that of new customers, and a person says whether it will be asked about these. */
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { createTrainable, loanType, openForAll, quickly, train } from '../workbench.ts';

const customers = 80;
const visits = 5;

/** Customers with an answer of their own, each in rows that differ in words alone. */
function createVisits(): object[] {
  const random = createRandom(5);
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? '';
  return Array.from({ length: customers }, () => {
    const traits = { amount: Math.round(1e6 * random()) / 100, income: Math.round(1e6 * random()) / 100 };
    const decision = pick(['approve', 'decline']);
    return Array.from({ length: visits }, () => {
      const input = { ...traits, channel: pick(['phone', 'mail', 'shop', 'chat']), clerk: pick(['Ana', 'Jan', 'Zoe']) };
      return { input, decision };
    });
  }).flat();
}

describe('a policy whose figure is that of new customers', () => {
  const bench = openForAll();

  it('decides once a person has said what it will be asked about, and the type keeps the answer [HLD-7] [HLD-12]', async () => {
    const { rules: _, ...plain } = loanType;
    const url = await createTrainable(bench, plain, createVisits());
    const id = await train(bench.call, url, { ...quickly, auto_deploy: true });
    const policy = (await bench.call('GET', `${url}/policies/${id}`)).body;
    expect(policy).toMatchObject({ deployed: false, metrics: { split: { rule: 'group', found: true } } });
    expect(policy.metrics.split.field).toMatch(/amount|income/);
    const line = new RegExp(
      `^Examples with the same ".*" are one case: ${customers} cases in ${customers * visits} examples\\.$`,
    );
    expect(policy.metrics.split.one_case).toMatch(line);
    const report = (await bench.call('GET', `${url}/policies/${id}/report`)).text;
    expect(report).toMatch(/Examples with the same /);
    expect(policy.metrics.whole.headline).toMatch(/^Correct on .* unseen examples with new "/);
    expect(policy.metrics.whole.accuracy.share).toBeLessThan(0.7);
    expect(policy.metrics.other_ways).toMatchObject([{ split: { by: 'random', field: null }, standing: 'higher' }]);

    const promise = (await bench.call('GET', `${url}/policies/${id}/promise?target_error=0.4`)).body;
    expect(promise.rows * visits).toBe(policy.metrics.test_size);

    const question = policy.verdict.find(({ kind }: { kind: string }) => kind === 'split');
    expect(question).toMatchObject({
      state: 'blocking',
      sentence: expect.stringMatching(/^Will it be asked about new/),
    });
    const held = await bench.call('POST', `${url}/policies/${id}/deploy`, {});
    expect([held.status, held.body.error.code]).toEqual([409, 'conflict']);

    const one_case = { by: 'group', field: policy.metrics.split.field };
    const answered = await bench.call('PUT', url, { one_case });
    expect([answered.status, answered.body.one_case]).toEqual([200, one_case]);
    expect((await bench.call('POST', `${url}/policies/${id}/deploy`, {})).status).toBe(200);
  });
});
