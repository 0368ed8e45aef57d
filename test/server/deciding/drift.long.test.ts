/** Live decisions whose inputs are no longer like the examples. */
import { describe, expect, it } from 'vitest';
import { complaintExamples, complaintType, deployForAll, openForTest, pollUntil, stoppedClock } from '../workbench.ts';

describe('decisions on other inputs than the examples', () => {
  it('are told from the log, corrections set aside, within a minute, and beside those of the week before [DRF-1] [DRF-3]', async () => {
    const clock = stoppedClock();
    const { call } = await openForTest({}, clock);
    const rules = [{ name: 'low', condition: 'ctx.score < 500', then: 'no', priority: 1 }];
    const type = { name: 'triage', options: ['yes', 'no'], rules, fallback_option: 'yes' };
    const url = `/api/v1/decision-types/${(await call('POST', '/api/v1/decision-types', type)).body.id}`;
    const policy = await call('POST', `${url}/policies`, { kind: 'rules_only' });
    await call('POST', `${url}/policies/${policy.body.id}/deploy`, {});
    const examples = Array.from({ length: 60 }, (_, i) => ({ input: { score: i * 10, by: 'mail' }, decision: 'no' }));
    await call('POST', `${url}/examples`, { examples });
    const { key } = (await call('POST', '/api/v1/api-keys', { name: 'shop' })).body;
    const held = { authorization: `Bearer ${key}` };
    const read = async () => {
      const isReady = ({ body }: { body: { state: string } }) => body.state === 'ready';
      return (await pollUntil(() => call('GET', `${url}/drift`, undefined, held), isReady)).body;
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
          sentence: 'by is "chat": 80% of the decisions, none of the examples.',
        },
      ],
      decisions: 50,
      examples: 60,
      comparable: true,
      weeks: { this_week: 50, last_week: 0, comparable: false, items: [] },
    });
    clock.move(7 * 86_400_000);
    const calls = items.map(({ decision_type, input }) => ({ decision_type, input: { ...input, by: 'mail' } }));
    expect((await call('POST', '/api/v1/decide/batch', calls, held)).status).toBe(200);
    clock.move(60_000);
    const { weeks } = await read();
    expect(weeks).toEqual({
      ...{ this_week: 50, last_week: 50, comparable: true },
      items: [{ field: 'by', condition: 'by is "mail"', this_week_share: 1, last_week_share: 0.2 }],
    });
  });
});

describe('decisions on texts in another language than the examples', () => {
  const deployed = deployForAll(complaintType, complaintExamples(60));

  it('are told as unlike the examples, though each field looks as before [DRF-1]', async () => {
    const clock = stoppedClock(Date.now());
    const { call } = await openForTest({ dataDir: deployed.copy() }, clock);
    const { url } = deployed;
    const read = async () =>
      (
        await pollUntil(
          () => call('GET', `${url}/drift`),
          ({ body }) => body.state === 'ready',
        )
      ).body;
    const decide = async (input: (index: number) => object) => {
      for (const from of [0, 30]) {
        const items = Array.from({ length: 30 }, (_, i) => ({
          decision_type: complaintType.name,
          input: input(from + i),
        }));
        expect((await call('POST', '/api/v1/decide/batch', items)).body.failed).toBe(0);
      }
      clock.move(60_000);
    };
    const { items: known } = (await call('GET', `${url}/examples?page_size=60`)).body;
    await decide((i) => known[i].input_payload);
    expect(await read()).toMatchObject({ unfamiliar: null });
    const words = 'der Zug nach Ulm war leider schon wieder viel zu spät und niemand hat uns etwas gesagt'.split(' ');
    await decide((i) => ({
      ...known[i].input_payload,
      complaint: words.map((_, at) => words[(at * 7 + i) % 17]).join(' '),
    }));
    const { unfamiliar, languages } = await read();
    expect(languages).toMatchObject([{ field: 'complaint', examples: [{ language: 'en', share: 1 }] }]);
    expect(languages[0].decisions.map(({ language }: { language: string }) => language).sort()).toEqual(['de', 'en']);
    expect(unfamiliar).toMatchObject({ decisions: 120 });
    expect(unfamiliar.decisions_share).toBeGreaterThan(0.4);
    expect(unfamiliar.sentence).toMatch(/^Unlike the examples: \d+(\.\d)?% of the decisions, where \d/);
  });
});
