/** Suspect labels from the first import on: found without a policy, looked at down to the stop line, not asked twice. */
import type { ChildProcess } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import {
  createTrainable,
  loanExamples,
  loanType,
  makeDataDir,
  pollUntil,
  removeDataDir,
  startWorkbench,
  train,
  type Workbench,
} from '../workbench.ts';

type Loan = { input: { amount: number }; decision: string };
type Next = {
  example: { id: string; input_payload: object; expected_decision: string };
  suggestion: object;
  why: string;
};

const wrong = [10, 27, 44, 71, 90, 101];
const flip = (decision: string) => (decision === 'approve' ? 'decline' : 'approve');
const loans = loanExamples(70) as Loan[];
const rightOf = (input: object) => loans.find((loan) => JSON.stringify(loan.input) === JSON.stringify(input))?.decision;

describe('suspect labels without a policy', () => {
  const dataDir = makeDataDir();
  let bench: Workbench;
  let path: string;
  let searches: ChildProcess[];

  beforeEach(async () => {
    searches = [];
    bench = await startWorkbench(dataDir, {
      spawnChild: (name, options) => {
        const child = spawnChild(name, options);
        if (name === 'analysis-child') searches.push(child);
        return child;
      },
    });
    path = await createTrainable(
      bench,
      { ...loanType, name: `loan ${Math.random()}` },
      loans.map((loan, i) => (wrong.includes(i) ? { ...loan, decision: flip(loan.decision) } : loan)),
    );
  });
  afterEach(async () => {
    await bench.stop();
    removeDataDir(dataDir);
  });

  const stats = async () => (await bench.call('GET', `${path}/examples/stats`)).body;
  const checked = () => pollUntil(stats, ({ suspects }) => suspects !== null);
  const queue = async (): Promise<Next[]> =>
    (await bench.call('GET', `${path}/examples/next?queue=suspect&restart=true&count=50`)).body.items;

  it('are found after an import, corrected down to the stop line, and one that is right is not asked about again [FND-6] [FND-7] [FND-8]', async () => {
    expect((await stats()).suspects).toBeNull();
    const { suspects, by_queue } = await checked();
    expect(suspects).toMatchObject({ corrected: 0, checked_at: expect.any(String) });
    expect(suspects.expected_wrong).toBeGreaterThanOrEqual(4);
    expect(suspects.expected_wrong).toBeLessThanOrEqual(12);
    const listed = await queue();
    expect(listed).toHaveLength(by_queue.suspect);
    const isWrong = ({ example }: Next) => rightOf(example.input_payload) !== example.expected_decision;
    expect(listed.filter(isWrong)).toHaveLength(wrong.length);
    for (const { example, suggestion, why } of listed) {
      const likelier = flip(example.expected_decision);
      expect(suggestion).toMatchObject({ decision: likelier, source: 'label_check' });
      expect(why).toContain(`The label "${example.expected_decision}" is suspect`);
      expect(why).toContain(`"${likelier}"`);
    }

    const [kept, ...others] = listed.filter(isWrong);
    for (const { example } of others) {
      const expected_decision = rightOf(example.input_payload);
      await bench.call('PATCH', `${path}/examples/${example.id}`, { expected_decision, reviewed: true });
    }
    expect((await stats()).suspects).toMatchObject({ corrected: others.length });
    await bench.call('PATCH', `${path}/examples/${kept?.example.id}`, { reviewed: true });

    await train(bench.call, path);
    const after = (await queue()).map(({ example }) => example.id);
    expect(after).not.toContain(kept?.example.id);
    const found = bench.deps.db.prepare<[string], { suspect: number; label: string }>(
      'SELECT suspect, label FROM label_checks WHERE example_id = ?',
    );
    expect(found.all(kept?.example.id ?? '')).toEqual([{ suspect: 1, label: kept?.example.expected_decision }]);
  });

  it('are not searched for beside a training, nor again until there are many more labels [FND-6]', async () => {
    await stats();
    const [search] = searches;
    const ended = new Promise((resolve) => search?.once('exit', (_, signal) => resolve(signal)));
    const training = train(bench.call, path);
    expect(await ended).toBe('SIGKILL');
    await training;
    // What follows the training checks them, and nothing beside it.
    await checked();
    expect(searches).toHaveLength(1);
    await bench.call('POST', `${path}/examples`, { examples: loanExamples(20) });
    const before = (await stats()).suspects.checked_at;
    await pollUntil(stats, ({ suspects }) => suspects.checked_at !== before);
    expect(searches).toHaveLength(2);
  });
});
