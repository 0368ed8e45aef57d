/** A training that lets a connected teacher write the examples that are missing. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Behaviour, fails, says, startStub } from '../teacher-stub.ts';
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
} from '../workbench.ts';

let dataDir: string;
let bench: Workbench;
beforeEach(async () => {
  dataDir = makeDataDir();
  bench = await startWorkbench(dataDir);
});
afterEach(async () => {
  await bench.stop();
  removeDataDir(dataDir);
});

/** Loans like the examples, as many as were asked for; `from` keeps answers apart. */
const writesLoans = (): Behaviour => {
  let from = 0;
  return (asked, response) => {
    const user = asked.body.messages[1]?.content ?? '';
    const count = Number(/Write (\d+) new inputs/.exec(user)?.[1]);
    const approve = user.includes('is the option "approve"');
    from += count;
    const examples = Array.from({ length: count }, (_, i) => ({
      input: {
        applicant: { score: (approve ? 700 : 450) + from + i, email: `invented${i}@example.com` },
        amount: 1_000 + 397 * (from + i),
        purpose: ['car', 'home', 'study'][i % 3],
        employed: approve,
      },
      reason_codes: [],
    }));
    says({ examples }, 900)(asked, response);
  };
};

async function begin(behaviour: Behaviour) {
  const stub = await startStub(behaviour);
  const connected = await bench.call('POST', '/connections', { name: 'teacher', url: stub.url, model: 'm' });
  expect(connected.status).toBe(201);
  const path = await createTrainable(bench, { ...loanType, pii_fields: ['applicant.email'] }, loanExamples(15));
  const config = { auto_generate: true, tune_hyperparams: false };
  const started = await bench.call('POST', `${path}/train`, config);
  expect(started.status).toBe(202);
  return { stub, path, policy: `${path}/policies/${started.body.policy_id}`, policyId: started.body.policy_id };
}

describe('a training with a connected teacher', () => {
  it('has it write what each option lacks, shows it no held-out example and nothing personal, and charges its tokens', async () => {
    const { stub, path, policy, policyId } = await begin(writesLoans());
    const done = await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
    expect(done.body).toMatchObject({ status: 'deployed', error: null });
    const { metrics } = (await bench.call('GET', policy)).body;
    expect(metrics.auto_generation).toMatchObject({ status: 'completed', original_count: 30, minimum_required: 38 });
    expect(metrics.notes).toContain(`The connected teacher wrote ${metrics.auto_generation.generated_count} examples.`);
    expect(metrics.train_size).toBe(76);
    expect(metrics.test_size).toBe(6);

    const prompts = stub.asked.map(({ body }) => JSON.stringify(body)).join('\n');
    expect(prompts).not.toMatch(/a\d+@example\.org/);
    const heldOut = bench.deps.db
      .prepare<[string], string>('SELECT example_id FROM held_out_predictions WHERE policy_id = ?')
      .pluck()
      .all(policyId);
    expect(heldOut).toHaveLength(6);
    const { items } = (await bench.call('GET', `${path}/examples?page_size=100`)).body;
    type Item = { id: string; input_payload: { applicant: { score: number }; amount: number } };
    const shown = (items as Item[])
      .filter(({ input_payload: { applicant, amount } }) =>
        [`\\"score\\":${applicant.score},`, `\\"amount\\":${amount},`].every((text) => prompts.includes(text)),
      )
      .map(({ id }) => id);
    expect(shown.length).toBeGreaterThanOrEqual(16);
    expect(shown.filter((id) => heldOut.includes(id))).toEqual([]);
    const usage = (await bench.call('GET', '/credits/usage?operation=generation')).body;
    expect(usage.total).toBe(stub.asked.length);
    expect(usage.items[0]).toMatchObject({ credits: 9, reference_id: policyId });
  });

  it('goes on with the embedded teacher where the connected one fails, and says so', async () => {
    const { policy } = await begin(fails(401));
    const done = await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
    expect(done.body.status).toBe('deployed');
    const { metrics } = (await bench.call('GET', policy)).body;
    expect(metrics.auto_generation.status).toBe('completed');
    expect(metrics.notes.join(' ')).toContain(
      'The connected teacher failed: The model could not be asked. It answered 401',
    );
    expect((await bench.call('GET', '/credits/usage?operation=generation')).body.total).toBe(0);
  });

  it('can be cancelled while the teacher does not answer', async () => {
    const { stub, policy } = await begin(() => undefined);
    await expect.poll(() => stub.asked.length, { timeout: 600_000 }).toBe(1);
    expect((await bench.call('GET', `${policy}/progress`)).body).toMatchObject({
      status: 'training',
      stage: 'generate',
    });
    await bench.call('POST', `${policy}/cancel`);
    const done = await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
    expect(done.body.status).toBe('cancelled');
    expect((await bench.call('GET', '/credits/usage?operation=generation')).body.total).toBe(0);
  });
});
