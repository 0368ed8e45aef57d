/** Live decisions whose inputs are no longer like the examples. */
import { describe, expect, it } from 'vitest';
import { openForTest, pollUntil, stoppedClock } from '../workbench.ts';

describe('decisions on other inputs than the examples', () => {
  it('are told from the log, corrections set aside, within a minute [DRF-1]', async () => {
    const clock = stoppedClock();
    const { call } = await openForTest({}, clock);
    const rules = [{ name: 'low', condition: 'ctx.score < 500', then: 'no', priority: 1 }];
    const type = { name: 'triage', options: ['yes', 'no'], rules, fallback_option: 'yes' };
    const url = `/api/v1/decision-types/${(await call('POST', '/api/v1/decision-types', type)).body.id}`;
    const policy = await call('POST', `${url}/policies`, { kind: 'rules_only' });
    await call('POST', `${url}/policies/${policy.body.id}/deploy`, {});
    const examples = Array.from({ length: 60 }, (_, i) => ({ input: { score: i * 10, by: 'mail' }, decision: 'no' }));
    await call('POST', `${url}/examples`, { examples });
    const read = async () => {
      const isReady = ({ body }: { body: { state: string } }) => body.state === 'ready';
      return (await pollUntil(() => call('GET', `${url}/drift`), isReady)).body;
    };
    expect(await read()).toMatchObject({ items: [], decisions: 0, examples: 60, comparable: false });
    const items = Array.from({ length: 50 }, (_, i) => ({
      decision_type: 'triage',
      input: { score: i * 10, by: i < 40 ? 'chat' : 'mail' },
    }));
    expect((await call('POST', '/api/v1/decide/batch', items)).status).toBe(200);
    const [record] = (await call('GET', `${url}/logs`)).body.items;
    await call('PUT', `${url}/logs/${record.id}/correction`, { decision: 'yes' });
    clock.move(60_000);
    expect(await read()).toMatchObject({
      items: [
        {
          field: 'by',
          decisions_share: 0.8,
          examples_share: 0,
          sentence: 'by is "chat": 80 % of the decisions, none of the examples.',
        },
      ],
      decisions: 50,
      examples: 60,
      comparable: true,
    });
  });
});
