/** A promise is asked for on the strictest way to hold examples out: before a policy decides, and of one that does. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createMonthlyRequests } from '../../monthly-requests.ts';
import { createTrainable, openForAll, pollUntil, train } from '../workbench.ts';

const examples = createMonthlyRequests(800, 'opened');
const terms = { target_error: 0.25, certainty: 0.9 };

describe('a promise that only examples held out at random would keep', () => {
  const bench = openForAll();
  let path: string;

  beforeAll(async () => {
    path = await createTrainable(bench, { name: 'requests', options: ['call back', 'write'] }, examples);
  });

  const get = async (url: string) => (await bench.call('GET', url)).body;
  const declare = () => bench.call('PUT', `${path}/promise`, terms);
  const reason = 'Hold them out by the date "opened" and train again: the promise is asked for there.';

  it('declared while a policy is trained it is taken from it with the stricter figure [HLD-9]', async () => {
    const { policy_id: id } = (await bench.call('POST', `${path}/train`, { tune_hyperparams: false })).body;
    expect((await declare()).body.state).toBe('nothing_deployed');
    const { body: policy } = await pollUntil(
      () => bench.call('GET', `${path}/policies/${id}`),
      ({ body }) => body.metrics?.follow_up.state === 'done',
    );
    expect(policy).toMatchObject({ status: 'deployed', auto_deployed: true, promise: null });
    expect(policy.promise_standing).toMatchObject({ state: 'not_kept', sentence: expect.stringContaining(reason) });
    const { sentence } = policy.promise_standing;
    expect(policy.verdict).toContainEqual({ kind: 'promise', state: 'blocking', sentence });
    expect((await get(path)).declared_promise).toMatchObject({ state: 'not_kept', policy_id: id });
  });

  it('it holds the next policy back with both figures in its report [HLD-9] [PRM-11]', async () => {
    const second = await get(`${path}/policies/${await train(bench.call, path)}`);
    expect(second).toMatchObject({ status: 'trained', held_back: expect.stringContaining(reason), promise: null });
    const [stricter] = second.metrics.other_ways;
    expect(stricter).toMatchObject({ split: { by: 'date', field: 'opened' }, standing: 'lower' });
    const report = await bench.call('GET', `${path}/policies/${second.id}/report`);
    expect(report.text).toContain('the promise is asked for there');
  });
});
