/** Corrections of live decisions teach a policy, and never measure it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createTrainable, loanExamples, loanType, openForAll, train } from '../workbench.ts';

describe('corrections of live decisions', () => {
  const bench = openForAll();
  let url: string;
  let first: string;
  let second: string;

  const heldOutIds = async (policyId: string): Promise<string[]> => {
    const { body } = await bench.call('GET', `${url}/policies/${policyId}/held-out?page_size=100`);
    return body.items.map(({ example_id: id }: { example_id: string }) => id).sort();
  };
  const splitOf = async (policyId: string) =>
    (await bench.call('GET', `${url}/policies/${policyId}`)).body.metrics.split;

  beforeAll(async () => {
    url = await createTrainable(bench, loanType, loanExamples(60));
    first = await train(bench.call, url);
    // Every tenth input has been imported before: some of these are held out.
    const known = loanExamples(60) as { input: { applicant: { score: number } } }[];
    for (let i = 0; i < 40; i += 1) {
      const { input } = known[i] ?? { input: { applicant: { score: 0 } } };
      const applicant = { ...input.applicant, ...(i % 10 === 0 ? {} : { score: 900 + i }) };
      const { status } = await bench.call('POST', '/decide', {
        decision_type: 'loan',
        input: { ...input, applicant },
      });
      expect(status).toBe(200);
    }
    const logs = (await bench.call('GET', `${url}/logs?page_size=100`)).body.items;
    for (const { id } of logs) {
      await bench.call('PUT', `${url}/logs/${id}/correction`, { decision: 'decline', reason_codes: [] });
    }
    second = await train(bench.call, url);
  });

  it('are learned from and never held out, and move no held-out row [AUD-1]', async () => {
    const before = await heldOutIds(first);
    expect(before.length).toBeGreaterThan(10);
    expect(await heldOutIds(second)).toEqual(before);
    const { corrections, corrections_held_out: heldOut } = await splitOf(second);
    // Corrections of inputs that are held out stand on neither side.
    expect(corrections).toBeGreaterThanOrEqual(36);
    expect(corrections).toBeLessThanOrEqual(40);
    expect(heldOut).toBe(0);
    expect(await splitOf(first)).toMatchObject({ corrections: 0, corrections_held_out: 0 });
  });

  it('are counted in the notes, the model card and the report [AUD-1]', async () => {
    const { body } = await bench.call('GET', `${url}/policies/${second}`);
    const { corrections } = body.metrics.split;
    const sentence = `${corrections} of the examples to learn from are corrections of live decisions; none of them is held out, so they do not bend the figures.`;
    expect(body.metrics.notes).toContain(sentence);
    const report = await bench.call('GET', `${url}/policies/${second}/report`);
    expect(report.text).toContain(`Of those it learned from, ${corrections} are corrections of live decisions`);
  });

  it('are held out only where a person marks them as test rows, and the figures say so [AUD-1]', async () => {
    const examples = (await bench.call('GET', `${url}/examples?page_size=100`)).body.items;
    const marked = examples.slice(0, 4).map(({ id }: { id: string }) => id);
    await bench.call('POST', `${url}/examples/bulk`, { action: 'set_test', test: true, ids: marked });
    const third = await train(bench.call, url);
    const { rule, corrections_held_out: heldOut } = await splitOf(third);
    expect({ rule, heldOut }).toEqual({ rule: 'test_rows', heldOut: 4 });
    const { notes } = (await bench.call('GET', `${url}/policies/${third}`)).body.metrics;
    expect(notes).toContain(
      '4 of the test rows are corrections of live decisions. Decisions are corrected mostly because they were wrong, so the figures may look worse than the policy is.',
    );
  });

  it('are held out by chance where the audit had drawn the decision, once others are judged beyond it [AUD-8]', async () => {
    const drawn = { ...loanType, name: 'drawn loan', audit: { share: 1 } };
    url = await createTrainable(bench, drawn, loanExamples(60));
    await train(bench.call, url);
    for (let i = 0; i < 40; i += 1) {
      // Other scores than those of the examples, and unlike each other.
      const applicant = { score: 810 + ((i * 53) % 190) };
      const purpose = ['car', 'home', 'study'][i % 3];
      const input = { applicant, amount: 1_000 + ((i * 2_711) % 40_000), purpose, employed: i % 4 < 2 };
      expect((await bench.call('POST', '/decide', { decision_type: drawn.name, input })).status).toBe(200);
    }
    const logs = (await bench.call('GET', `${url}/logs?page_size=100`)).body.items;
    const correct = (id: string) =>
      bench.call('PUT', `${url}/logs/${id}/correction`, { decision: 'approve', reason_codes: [] });
    for (const { id } of logs.slice(5)) await correct(id);
    // What the audit shows next, nobody has judged: the corrected ones are those that caught the eye.
    expect((await splitOf(await train(bench.call, url))).corrections).toBe(35);
    const next = (await bench.call('GET', `${url}/examples/next?queue=audit&count=20`)).body.items;
    expect(next).toHaveLength(5);
    await bench.call('PATCH', `${url}/examples/${next[4].example.id}`, { expected_decision: 'approve' });
    const liveErrors = async () => (await bench.call('GET', `${url}/audit`)).body.policies;
    const before = await liveErrors();
    const audited = await train(bench.call, url);
    expect((await liveErrors()).at(-1)).toMatchObject({ policy_version: 'v1', error: before.at(-1).error });
    expect(await splitOf(audited)).toMatchObject({ corrections: 0, corrections_held_out: 0 });
    const heldOut = await heldOutIds(audited);
    const examples = (await bench.call('GET', `${url}/examples?page_size=100`)).body.items;
    const measured = examples.filter(
      (example: { id: string; audited: boolean }) => example.audited && heldOut.includes(example.id),
    );
    expect(measured.length).toBeGreaterThan(1);
    expect(measured.length).toBeLessThan(20);
    // Taken back, a correction leaves a drawn decision to be judged, once.
    await bench.call('PUT', `${url}/logs/${logs[39].id}/correction`, { decision: null });
    expect((await bench.call('GET', `${url}/examples/stats`)).body.by_queue.audit).toBe(5);
  });
});
