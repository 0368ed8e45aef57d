/** Synthetic examples on request, made on this machine by the embedded teacher. */
import { describe, expect, it } from 'vitest';
import {
  type Call,
  complaintExamples,
  complaintType,
  loanExamples,
  loanType,
  makeType,
  openForTest,
  pollUntil,
  terminal,
} from '../workbench.ts';

type Example = { input_payload: Record<string, unknown>; expected_decision: string; source: string; reviewed: boolean };

async function openType(fields: Record<string, unknown>, examples: object[] = []) {
  const opened = await openForTest({ synchronous: 'NORMAL' });
  const id = await makeType(opened.call, fields);
  const url = `/api/v1/decision-types/${id}`;
  if (examples.length > 0) {
    const added = await opened.call('POST', `${url}/examples`, { examples });
    expect(added.status).toBe(201);
  }
  return { ...opened, url };
}
const generate = (call: Call, url: string, body?: object) => call('POST', `${url}/examples/generate`, body);

describe('generated examples', () => {
  it('are ten synthetic, unreviewed ones unless asked otherwise, even for options with equal shares [GEN-1] [GEN-2] [GEN-3] [EXA-5]', async () => {
    const { call, url } = await openType(loanType, loanExamples(20));
    const made = await generate(call, url);
    expect(made.status).toBe(201);
    expect(made.body).toHaveLength(10);
    for (const example of made.body as Example[])
      expect(example).toMatchObject({ source: 'synthetic', reviewed: false });
    const stats = (await call('GET', `${url}/examples/stats`)).body;
    expect(stats).toMatchObject({
      total: 50,
      by_source: { user: 40, synthetic: 10 },
      by_option: { approve: 25, decline: 25 },
    });
    const total = async (query: string) => (await call('GET', `${url}/examples?${query}`)).body.total;
    expect(await total('source=synthetic&reviewed=false')).toBe(10);
    expect([await total('source=user'), await total('source=synthetic&reviewed=true')]).toEqual([40, 0]);
  });

  it('are of the wished option only, new at each call, and never contradict a rule', async () => {
    const { call, url } = await openType(loanType, loanExamples(20));
    const inputs = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      const made = await generate(call, url, { count: 20, option: 'approve' });
      expect(made.status).toBe(201);
      for (const { input_payload, expected_decision } of made.body as Example[]) {
        expect(expected_decision).toBe('approve');
        inputs.add(JSON.stringify(input_payload));
      }
    }
    expect(inputs.size).toBe(60);
  });

  it('can be made of a type that has nothing but its options [GEN-3]', async () => {
    const { call, url } = await openType({ name: 'bare', options: ['late_delivery', 'wrong item'] });
    const made = await generate(call, url, { count: 50 });
    expect(made.status).toBe(201);
    const options = (made.body as Example[]).map((example) => example.expected_decision);
    expect(options.filter((option) => option === 'wrong item')).toHaveLength(25);
  });

  it('can be made of a few short messages, as a new type has them [GEN-1]', async () => {
    const messages = {
      approve: ['I love this product. It works great!', 'Amazing quality and fast shipping.'],
      reject: ['Terrible. It broke after a day.', 'Worst purchase ever, want my money back.'],
    };
    const examples = Object.entries(messages).flatMap(([decision, texts]) =>
      texts.map((text) => ({ input: { text }, decision })),
    );
    const { call, url } = await openType({ name: 'reviews', options: Object.keys(messages) }, examples);
    const made = await generate(call, url);
    expect([made.status, made.body.length]).toEqual([201, 10]);
    const more = await generate(call, url, { count: 20, option: 'reject' });
    expect([more.status, more.body.length]).toEqual([201, 20]);
    for (const { input_payload } of more.body as Example[]) expect(input_payload.text).toMatch(/broke|purchase/);
  });

  it('cost a credit for each started hundred tokens, and nothing where none are made [GEN-2] [CRD-7]', async () => {
    const { call, url, deps } = await openType({ name: 'flags', options: ['yes', 'no'] }, [
      { input: { flag: true }, decision: 'yes' },
      { input: { flag: false }, decision: 'no' },
    ]);
    const refused = await generate(call, url, { count: 5 });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    expect(refused.body.error.message).toMatch(/^Only 0 of 5 .* connect a model, which writes sentences of its own\.$/);
    expect((await call('GET', `${url}/examples/stats`)).body.total).toBe(2);
    expect((await call('GET', '/api/v1/credits')).body.used).toBe(0);

    const other = await makeType(call, { ...loanType, name: 'loan 2' });
    await call('POST', `/api/v1/decision-types/${other}/examples`, { examples: loanExamples(10) });
    const made = await generate(call, `/api/v1/decision-types/${other}`, { count: 7 });
    expect(made.status).toBe(201);
    const usage = await call('GET', '/api/v1/credits/usage?operation=generation');
    expect(usage.body.total).toBe(1);
    const [{ credits, decision_type_id }] = usage.body.items;
    expect(decision_type_id).toBe(other);
    const tokenizer = deps.runtime.textModel.tokenizer();
    const tokens = (made.body as Example[])
      .map(({ input_payload }) => tokenizer.encode(JSON.stringify(input_payload)).length)
      .reduce((sum, length) => sum + length);
    expect(tokens % 100).not.toBe(0);
    expect(credits).toBe(Math.ceil(tokens / 100));
  });

  it('are refused with the place of the fault, and without credits [GEN-2] [PLN-6]', async () => {
    const { call, url, deps } = await openType(loanType, loanExamples(5));
    const faults: [object, string][] = [
      [{ count: 0 }, 'body.count'],
      [{ count: 51 }, 'body.count'],
      [{ count: 1.5 }, 'body.count'],
      [{ option: 'perhaps' }, 'body.option'],
      [{ option: 3 }, 'body.option'],
      [{ number: 3 }, 'body.number'],
    ];
    for (const [body, place] of faults) {
      const refused = await generate(call, url, body);
      expect([refused.status, refused.body.error.details[0].loc.join('.')]).toEqual([422, place]);
    }
    const missing = await generate(call, '/api/v1/decision-types/00000000-0000-4000-8000-000000000000');
    expect([missing.status, missing.body.error.code]).toEqual([404, 'decision_type_not_found']);
    await call('PUT', '/api/v1/billing/plan', { plan: 'trial' });
    for (let training = 0; training < 3; training += 1) {
      deps.store.credits.insert({
        id: deps.newId(),
        organisationSeq: 1,
        operation: 'training',
        credits: training === 2 ? 999 : 2_000,
        decisionTypeId: null,
        referenceId: null,
        createdAt: deps.clock.now(),
      });
    }
    const tooLittle = await generate(call, url, { count: 10 });
    expect([tooLittle.status, tooLittle.body.error.code]).toEqual([402, 'insufficient_credits']);
    expect((await call('GET', `${url}/examples/stats`)).body.total).toBe(10);
  });

  it('agree with the deployed policy, and never reach the test side of the next training', async () => {
    const { call, url } = await openType(complaintType, complaintExamples(40));
    const train = async () => {
      const { policy_id: id } = (await call('POST', `${url}/train`, { tune_hyperparams: false })).body;
      await pollUntil(() => call('GET', `${url}/policies/${id}/progress`), terminal);
      return (await call('GET', `${url}/policies/${id}`)).body;
    };
    const before = await train();
    expect(before.status).toBe('deployed');
    const made = await generate(call, url, { count: 30 });
    expect(made.status).toBe(201);
    for (const { input_payload, expected_decision } of made.body as Example[]) {
      const decided = await call('POST', '/api/v1/decide', { decision_type: 'complaint', input: input_payload });
      const [best] = Object.entries(decided.body.class_probabilities as Record<string, number>).sort(
        (a, b) => b[1] - a[1],
      );
      expect(best?.[0]).toBe(expected_decision);
    }
    const after = await train();
    expect(after.metrics.test_size).toBe(before.metrics.test_size);
    expect(after.metrics.train_size).toBe(before.metrics.train_size + 30);
  });
});
