/** A teacher that labels examples: measured first, marked, cancelled, charged. */
import { describe, expect, it, vi } from 'vitest';
import { type SpawnChild, spawnChild } from '../../../src/server/process/spawn-child.ts';
import { type Behaviour, fails, says, startStub } from '../teacher-stub.ts';
import { type Call, makeType, openForTest } from '../workbench.ts';

const options = ['late_delivery', 'wrong_payment'];
const labelOf = (message: string) => (message.includes('parcel') ? 'late_delivery' : 'wrong_payment');
const messages = Array.from({ length: 90 }, (_, n) =>
  n % 2 === 0
    ? `The parcel number ${n} has not arrived, where is the courier?`
    : `My card was charged ${n} dollars twice, please return the money.`,
);

/** Reads the cases out of a question; answers with the label that `choose` gives each. */
const labelsCases =
  (choose: (message: string, index: number) => string): Behaviour =>
  (asked, response) => {
    const [, json = '{}'] = /<data>(.*)<\/data>/s.exec(asked.body.messages[1]?.content ?? '') ?? [];
    const { cases } = JSON.parse(json) as { cases: { index: number; input: { message: string } }[] };
    const labels = cases.map(({ index, input }) => ({ index, decision: choose(input.message, index) }));
    says({ labels }, 420)(asked, response);
  };

/** Forty labelled examples and fifty without a label; with a behaviour a connected model labels. */
async function open(behaviour: Behaviour | null, server: Parameters<typeof openForTest>[0] = {}) {
  const opened = await openForTest({ synchronous: 'NORMAL', ...server });
  const { call } = opened;
  const stub = behaviour === null ? null : await startStub(behaviour);
  if (stub !== null) await call('POST', '/api/v1/connections', { name: 'my model', url: stub.url, model: 'small-1' });
  const id = await makeType(call, { name: 'mail', options, pii_fields: ['email'] });
  const url = `/api/v1/decision-types/${id}/examples`;
  const examples = messages.map((message, n) => ({
    input: { message, email: `canary${n}@example.org` },
    decision: n < 40 ? labelOf(message) : null,
  }));
  await call('POST', url, { examples });
  const start = (body: object = {}) => call('POST', `${url}/teacher-labelling`, body);
  return { ...opened, url, stub, start, waitUntilEnded: () => waitUntilEnded(call, url) };
}

async function waitUntilEnded(call: Call, url: string) {
  return await vi.waitFor(
    async () => {
      const { body } = await call('GET', `${url}/teacher-labelling`);
      expect(['measuring', 'labelling']).not.toContain(body.state);
      return body;
    },
    { timeout: 600_000, interval: 50 },
  );
}
const readLabels = async (call: Call, url: string): Promise<[string, string][]> =>
  (await call('GET', `${url}?labelled_by=teacher&page_size=100`)).body.items.map(
    (item: { input_payload: { message: string }; expected_decision: string }) => [
      item.input_payload.message,
      item.expected_decision,
    ],
  );

describe('a teacher that labels', () => {
  it('is a connected model, shown no personal data, measured, and charged for what it is asked [SVC-8] [TCH-1] [TCH-2] [TCH-3]', async () => {
    const { call, url, stub, start, waitUntilEnded } = await open(labelsCases(labelOf));
    expect((await call('GET', `${url}/teacher-labelling`)).body.state).toBe('idle');
    const started = await start();
    expect([started.status, started.body.state, started.body.teacher]).toEqual([202, 'measuring', 'connected_model']);
    expect((await start()).status).toBe(409);
    const ended = await waitUntilEnded();
    expect(ended).toMatchObject({ state: 'done', connection: 'my model', done: 50, total: 50, labelled: 50 });
    expect(ended.agreement).toMatchObject({ right: 20, of: 20, high: 1 });
    expect(ended.agreement.low).toBeCloseTo(0.839, 2);
    // Two questions to measure and five to label, each of 420 tokens.
    expect([stub?.asked.length, ended.credits]).toEqual([7, 35]);
    const usage = (await call('GET', '/api/v1/credits/usage')).body;
    expect(usage.summary.by_operation.generation).toBe(35);
    expect(JSON.stringify(stub?.asked)).not.toContain('canary');
    const labels = await readLabels(call, url);
    expect(labels).toEqual(labels.map(([message]) => [message, labelOf(message)]));
    expect(labels).toHaveLength(50);
    const [example] = (await call('GET', `${url}/next?queue=synthetic`)).body.items;
    expect(example).toMatchObject({ example: { labelled_by: 'teacher', reviewed: false, status: 'done' } });
    const confirmed = await call('PATCH', `${url}/${example.example.id}`, { reviewed: true });
    expect(confirmed.body).toMatchObject({ labelled_by: 'teacher', reviewed: true });
    const changed = await call('PATCH', `${url}/${example.example.id}`, { expected_decision: 'late_delivery' });
    expect(changed.body.labelled_by).toBe('person');
    // All that nobody confirmed is taken back at once.
    const filter = { labelled_by: 'teacher', reviewed: false };
    const back = await call('POST', `${url}/bulk`, { filter, action: 'set_decision', decision: null });
    expect(back.body.affected).toBe(49);
    expect((await call('GET', `${url}/stats`)).body.labelled).toBe(41);
  });

  it('labels nothing where it does not surely agree with people [TCH-1]', async () => {
    const { call, url, start, waitUntilEnded } = await open(
      labelsCases((message, index) => options.find((each) => (each === labelOf(message)) === index % 4 > 0) ?? ''),
    );
    await start();
    const refused = await waitUntilEnded();
    expect(refused).toMatchObject({ state: 'refused', labelled: 0, done: 0 });
    expect(refused.message).toMatch(/^The teacher agrees with 14 of 20 labels: .* so nothing was labelled\.$/);
    expect((await call('GET', `${url}/stats`)).body.labelled).toBe(40);
  });

  it('is measured alone, and labels then by what was measured, not measured again [TCH-1]', async () => {
    const { call, url, stub, start, waitUntilEnded } = await open(labelsCases(labelOf));
    await start({ max_examples: 0 });
    const measured = await waitUntilEnded();
    expect(measured).toMatchObject({ state: 'done', measured: 20, total: 0, labelled: 0, tokens: 840, credits: 10 });
    expect((await call('GET', `${url}/stats`)).body.labelled).toBe(40);
    await start({ max_examples: 10 });
    expect(await waitUntilEnded()).toMatchObject({ state: 'done', agreement: measured.agreement, labelled: 10 });
    expect(stub?.asked).toHaveLength(3);
    // After a labelling it is measured again.
    await start({ max_examples: 10 });
    expect(await waitUntilEnded()).toMatchObject({ state: 'done', measured: 20, labelled: 10 });
    expect(stub?.asked).toHaveLength(6);
  });

  it('is the labelling model where no model is connected, which labels what it is sure of [SVC-8] [TCH-1]', async () => {
    const { call, url, start, waitUntilEnded } = await open(null);
    expect((await start({ min_probability: 0.7 })).body.teacher).toBe('labelling_model');
    const ended = await waitUntilEnded();
    expect(ended).toMatchObject({ state: 'done', connection: null });
    expect(ended.labelled).toBeGreaterThan(30);
    const labels = await readLabels(call, url);
    const right = labels.filter(([message, label]) => label === labelOf(message)).length;
    expect([labels.length, right / labels.length > 0.95]).toEqual([ended.labelled, true]);
    // It does not learn from its own labels.
    const { labelling_model } = (await call('GET', `${url}/next?count=1`)).body;
    expect(labelling_model.labels).toBe(40);
  });

  it('is cancelled at once, and keeps what it has labelled [TCH-3]', async () => {
    let asked = 0;
    const { call, url, start, waitUntilEnded } = await open((question, response) => {
      asked += 1;
      // From the fourth question on it never answers.
      if (asked <= 3) labelsCases(labelOf)(question, response);
    });
    await start();
    await vi.waitFor(async () => expect(asked).toBe(4), { timeout: 600_000 });
    const cancelled = await call('POST', `${url}/teacher-labelling/cancel`);
    expect(cancelled.body).toMatchObject({ state: 'cancelled', labelled: 10 });
    expect((await waitUntilEnded()).message).toBe('The labelling was cancelled. 10 labels kept.');
    expect(await readLabels(call, url)).toHaveLength(10);
  });

  it.skipIf(process.platform === 'win32')(
    'is cancelled at once also where the labelling model does not answer [TCH-3]',
    async () => {
      const children: ReturnType<SpawnChild>[] = [];
      const { url, call, start, waitUntilEnded } = await open(null, {
        spawnChild: (name, how) => {
          const child = spawnChild(name, how);
          if (name === 'labelling-child') children.push(child);
          return child;
        },
      });
      await start({ max_examples: 0 });
      expect((await waitUntilEnded()).state).toBe('done');
      for (const child of children) child.kill('SIGSTOP');
      await start({ max_examples: 10 });
      expect((await call('POST', `${url}/teacher-labelling/cancel`)).body).toMatchObject({
        state: 'cancelled',
        labelled: 0,
      });
      for (const child of children) child.kill('SIGCONT');
    },
  );

  it('says why it failed, and needs labels to be measured on [TCH-1]', async () => {
    const { call, url, start, waitUntilEnded } = await open(fails(401));
    await start();
    expect(await waitUntilEnded()).toMatchObject({
      state: 'failed',
      labelled: 0,
      message: expect.stringContaining('The model could not be asked.'),
    });
    await call('POST', `${url}/bulk`, { filter: { labelled: true }, action: 'delete' });
    const refused = await start();
    expect([refused.status, refused.body.error.message]).toEqual([
      422,
      expect.stringContaining('at least 20 examples'),
    ]);
  });

  it('is a reader of its own, whose agreement with a person is that of the rows which both read [REA-3] [TCH-1]', async () => {
    const wrong = (message: string) => options.find((option) => option !== labelOf(message)) ?? '';
    const isSlip = (message: string) => message.includes('number 42') || message.includes('number 44');
    const { call, url, start, waitUntilEnded } = await open(
      labelsCases((message) => (isSlip(message) ? wrong(message) : labelOf(message))),
    );
    await start();
    await waitUntilEnded();
    const labelled = (await call('GET', `${url}?labelled_by=teacher&page_size=100`)).body.items;
    const ids = labelled.map(({ id }: { id: string }) => id);
    await call('POST', `${url}/second-readings`, { ids });
    for (const { id, input_payload } of labelled) {
      const label = { expected_decision: labelOf(input_payload.message), reader: 'Jana' };
      expect((await call('PUT', `${url}/${id}/second-reading`, label)).status).toBe(200);
    }
    const slips = labelled.filter(({ input_payload }: { input_payload: { message: string } }) =>
      isSlip(input_payload.message),
    ).length;
    const { pairs, conflicts } = (await call('GET', `${url.replace('/examples', '')}/agreement`)).body;
    expect(pairs).toEqual([
      expect.objectContaining({ readers: ['Jana', 'my model'], rows: ids.length, agreed: ids.length - slips }),
    ]);
    expect([conflicts, slips > 0]).toEqual([slips, true]);
  });

  it('is not measured on: its labels are never held out of a training [TCH-2] [TRN-8]', async () => {
    const { call, url, deps, start, waitUntilEnded } = await open(labelsCases(labelOf));
    await start();
    await waitUntilEnded();
    await call('POST', `${url.replace('/examples', '')}/train`, { tune_hyperparams: false });
    const sources = deps.db
      .prepare<[], { source: string; n: number }>(
        'SELECT source, count(*) AS n FROM training_snapshots GROUP BY source',
      )
      .all();
    expect(sources).toEqual([
      { source: 'synthetic', n: 50 },
      { source: 'user', n: 40 },
    ]);
  });
});
