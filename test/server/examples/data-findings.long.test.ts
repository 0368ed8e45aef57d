/** The findings about the examples of a type, from the planted mistake to its repair. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import {
  createTrainable,
  loanExamples,
  loanType,
  openForAll,
  pollUntil,
  startWorkbench,
  temporaryFolder,
  train,
} from '../workbench.ts';

type Loan = { input: { amount: number; applicant: { score: number } }; decision: string };
type Item = { kind: string; example_ids: string[]; suggested_decision: string | null; score: number };

const flip = (decision: string) => (decision === 'approve' ? 'decline' : 'approve');

describe('the findings about the data', () => {
  const started: string[] = [];
  const bench = openForAll({
    spawnChild: (name, options) => {
      started.push(name);
      return spawnChild(name, options);
    },
  });
  let path: string;
  const wrong = [10, 27, 44, 71];

  beforeAll(async () => {
    const loans = loanExamples(60) as Loan[];
    const examples = loans.map((loan, i) => (wrong.includes(i) ? { ...loan, decision: flip(loan.decision) } : loan));
    const twin = { ...loans[3]?.input, amount: 4321 };
    path = await createTrainable(bench, loanType, [
      ...examples,
      { input: twin, decision: 'approve' },
      { input: twin, decision: 'decline' },
      { input: twin, decision: 'decline' },
    ]);
  });

  const ready = (query = '') =>
    pollUntil(
      () => bench.call('GET', `${path}/data-findings?page_size=100${query}`),
      ({ status, body }) => status !== 200 || body.state === 'ready',
    );
  const inputOf = (id: string): Loan['input'] =>
    JSON.parse(
      bench.deps.db.prepare<[string], string>('SELECT input FROM examples WHERE id = ?').pluck().get(id) ?? '',
    );

  it('[FND-1] [CAR-3] name the contradiction with its rows, the likelier label and what to do', async () => {
    const { status, body } = await ready();
    expect(status).toBe(200);
    expect(body.counts).toMatchObject({ contradiction: 1, suspect_label: 0, unknown_label: 0 });
    expect(body.items[0]).toMatchObject({
      kind: 'contradiction',
      severity: 'error',
      example_count: 3,
      suggested_decision: 'decline',
      message: expect.stringContaining('Keep one label'),
      probability: null,
      example: { id: body.items[0].example_ids[0], input_payload: inputOf(body.items[0].example_ids[0]) },
    });
    expect(body).toMatchObject({ stale: false, progress: null, computed_at: expect.any(String) });
    const only = await ready('&kind=duplicate');
    expect(only.body).toMatchObject({ total: 0, items: [], counts: body.counts });
  });

  it('[FND-4] are said in one sentence by the readiness', async () => {
    const { body } = await bench.call('GET', `${path}/training-readiness`);
    expect(body.notes).toEqual(['The examples have 1 contradiction. Look at the findings about the data first.']);
  });

  it('[FND-2] [CAR-3] [OPT-5] list the suspect labels of the training, surest first, through a rename and its undo, until mended or reviewed', async () => {
    const policyId = await train(bench.call, path);
    const count = bench.deps.db.prepare<[string], number>('SELECT count(*) FROM label_checks WHERE search_id = ?');
    expect(count.pluck().get(policyId)).toBe(123);
    const { body } = await ready('&kind=suspect_label');
    const items: Item[] = body.items;
    for (const { probability, example, example_ids } of body.items) {
      expect(probability).toBeGreaterThan(0);
      expect(example.id).toBe(example_ids[0]);
    }
    const scores = items.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(new Set(items.map(({ example_ids }) => example_ids[0])).size).toBe(items.length);
    const loans = loanExamples(60) as Loan[];
    const found = wrong.map((i) =>
      items.find(({ example_ids: [id = ''] }) => JSON.stringify(inputOf(id)) === JSON.stringify(loans[i]?.input)),
    );
    expect(found.map((item) => item?.suggested_decision)).toEqual(wrong.map((i) => loans[i]?.decision));
    const { body: policy } = await bench.call('GET', `${path}/policies/${policyId}`);
    expect(policy.metrics.follow_up.sentence).toContain(`${items.length} of 123 labels are suspect`);

    const suspectsNow = async () => (await ready('&kind=suspect_label')).body.items;
    const rename = await bench.call('POST', `${path}/options/rename`, { from: 'approve', to: 'accept', commit: true });
    const renamed: Item[] = await suspectsNow();
    expect(renamed.map(({ example_ids }) => example_ids)).toEqual(items.map(({ example_ids }) => example_ids));
    expect(renamed.map(({ suggested_decision }) => suggested_decision)).not.toContain('approve');
    await bench.call('POST', `${path}/options/undo`, { undo_token: rename.body.undo_token });
    expect(await suspectsNow()).toEqual(items);

    const [first, second] = found;
    const ids = (item: Item | undefined) => item?.example_ids ?? [];
    const queue = async () =>
      (await bench.call('GET', `${path}/examples/next?queue=suspect&restart=true&count=20`)).body;
    const queued = await queue();
    expect(queued.remaining).toBe(items.length);
    expect(queued.items.map((item: { example: { id: string } }) => item.example.id)).toEqual(
      items.slice(0, 20).flatMap(ids),
    );
    await bench.call('POST', `${path}/examples/bulk`, {
      action: 'set_decision',
      ids: ids(first),
      decision: first?.suggested_decision,
    });
    await bench.call('POST', `${path}/examples/bulk`, { action: 'set_reviewed', ids: ids(second), reviewed: true });
    const after: Item[] = (await ready('&kind=suspect_label')).body.items;
    const left = after.flatMap(({ example_ids }) => example_ids);
    expect(left).toHaveLength(items.length - 2);
    expect((await queue()).remaining).toBe(items.length - 2);
    expect(left).not.toEqual(expect.arrayContaining(ids(first)));
    expect(left).not.toEqual(expect.arrayContaining(ids(second)));
  });

  it('[FND-3] are computed by a process of their own, once for each state of the examples', async () => {
    await ready();
    const children = () => started.filter((name) => name === 'analysis-child').length;
    const before = children();
    const [one, two] = await Promise.all([ready(), ready()]);
    expect(one.body).toEqual(two.body);
    expect(children()).toBe(before);
    await bench.call('POST', `${path}/examples`, { examples: [{ input: { amount: 1 }, decision: 'approve' }] });
    await Promise.all([ready(), ready(), ready()]);
    expect(children()).toBe(before + 1);
  });

  it('keep the checks of the newest policy only', async () => {
    const policyId = await train(bench.call, path);
    const policies = bench.deps.db.prepare<[], string>('SELECT DISTINCT search_id FROM label_checks').pluck();
    await pollUntil(
      async () => ({ status: 200, headers: {}, body: policies.all() }),
      ({ body }) => body.length === 1,
    );
    expect(policies.all()).toEqual([policyId]);
  });
});

describe('labels that a saved rule contradicts', () => {
  it('[FND-5] are findings until they are relabelled or confirmed, and again once the rules are saved again', async () => {
    const bench = await startWorkbench(temporaryFolder());
    onTestFinished(() => bench.stop());
    const hard_rules = [
      { name: 'tiny', condition: 'ctx.amount < 10', then: 'approve', reason_code: null, priority: 1 },
    ];
    const path = await createTrainable(bench, { ...loanType, rules: hard_rules }, [
      ...[1, 2, 3].map((amount) => ({ input: { amount }, decision: 'decline' })),
      { input: { amount: 4 }, decision: 'approve' },
    ]);
    const find = async () => {
      const { body } = await pollUntil(
        () => bench.call('GET', `${path}/data-findings?kind=rule_disagreement`),
        ({ body }) => body.state === 'ready' && !body.stale,
      );
      return body.items;
    };
    const found = await find();
    expect(found).toHaveLength(3);
    expect(found[0]).toMatchObject({ suggested_decision: 'approve', probability: 0.25 });
    const [relabelled, confirmed] = found.map(({ example_ids }: Item) => example_ids);
    const change = (body: object) => bench.call('POST', `${path}/examples/bulk`, body);
    await change({ action: 'set_decision', ids: relabelled, decision: 'approve' });
    await change({ action: 'set_reviewed', ids: confirmed, reviewed: true });
    expect((await find()).map(({ example_ids }: Item) => example_ids)).toEqual([found[2].example_ids]);
    await bench.call('PUT', path, { hard_rules: [{ ...hard_rules[0], condition: 'ctx.amount < 5' }] });
    expect(await find()).toHaveLength(2);
  });
});

describe('a search that fails', () => {
  it('is a 503 that says so, and the next call searches again', async () => {
    let isBroken = true;
    const bench = await startWorkbench(temporaryFolder(), {
      spawnChild: (name, options) => {
        const child = spawnChild(name, options);
        if (name === 'analysis-child' && isBroken) child.kill('SIGKILL');
        return child;
      },
    });
    onTestFinished(() => bench.stop());
    const path = await createTrainable(bench, loanType, loanExamples(3));
    const failed = await bench.call('GET', `${path}/data-findings`);
    expect(failed.status).toBe(503);
    expect(failed.body.error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('Ask again') });
    isBroken = false;
    const answer = await pollUntil(
      () => bench.call('GET', `${path}/data-findings`),
      ({ status, body }) => status !== 200 || body.state === 'ready',
    );
    expect(answer).toMatchObject({ status: 200, body: { state: 'ready' } });
  });
});
