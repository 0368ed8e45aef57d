/** How examples are held out is chosen by a setting of the training, and said wherever the figure is. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createTrainable, loanExamples, loanType, openForAll, quickly, train } from '../workbench.ts';

type Row = { example_id: string; expected: string; predicted: string };

describe('the way in which examples are held out', () => {
  const bench = openForAll();
  let url: string;
  const trainBy = (split: object) => train(bench.call, url, { ...quickly, auto_deploy: false, split });
  const policyOf = async (id: string) => (await bench.call('GET', `${url}/policies/${id}`)).body;
  const wholeOf = async (id: string) => (await bench.call('GET', `${url}/policies/${id}/whole-decision`)).body;
  const heldOutOf = async (id: string): Promise<Row[]> =>
    (await bench.call('GET', `${url}/policies/${id}/held-out?page_size=100`)).body.items;
  const inputOf = async (id: string) => (await bench.call('GET', `${url}/examples/${id}`)).body.input_payload;

  beforeAll(async () => {
    // Every seventh label is the other one, so that held-out rows are got wrong.
    const examples = (loanExamples(100) as { input: object; decision: string }[]).map(({ input, decision }, i) => ({
      input: {
        ...input,
        opened: `2026-0${1 + (i % 5)}-${String(1 + (i % 28)).padStart(2, '0')}`,
        customer: `c${i % 40}`,
      },
      decision: i % 7 === 0 ? (decision === 'approve' ? 'decline' : 'approve') : decision,
    }));
    url = await createTrainable(bench, loanType, examples);
  });

  it('is refused before anything is charged where it names no field of the examples [HLD-4]', async () => {
    const refusals: [object, string][] = [
      [{ by: 'date' }, 'must name a field of the input, unless rows are held out at random'],
      [{ by: 'random', field: 'opened' }, 'must name a field of the input, unless rows are held out at random'],
      [
        { by: 'date', field: 'openned' },
        'none of the newest 200 labelled examples has it; they have "applicant.score", "applicant.email", "amount", "purpose", "employed", "opened", "customer"',
      ],
    ];
    for (const [split, msg] of refusals) {
      const { status, body } = await bench.call('POST', `${url}/train`, { split });
      expect([status, body.error.details]).toEqual([
        422,
        [expect.objectContaining({ loc: ['body', 'split', 'field'], msg })],
      ]);
    }
    expect((await bench.call('GET', `${url}/policies`)).body).toEqual([]);
  });

  it('is said by settings, figures and report, and moves no row into what an earlier policy lost [HLD-1] [HLD-2] [HLD-6] [FIR-7]', async () => {
    const atRandom = await trainBy({ by: 'random' });
    const wrong = (await heldOutOf(atRandom)).filter(({ expected, predicted }) => expected !== predicted);
    expect(wrong.length).toBeGreaterThan(3);

    const byDate = await trainBy({ by: 'date', field: 'opened' });
    const policy = await policyOf(byDate);
    expect(policy.training_config.split).toEqual({ by: 'date', field: 'opened' });
    expect(policy.metrics.split).toMatchObject({ rule: 'date', field: 'opened', refitted: true });
    const { sentence } = policy.metrics.split;
    expect(sentence).toMatch(/^Held out: the newest examples by "opened", from 2026-05-01 on: 40\./);
    expect(policy.metrics.notes).toContain(sentence);
    const report = (await bench.call('GET', `${url}/policies/${byDate}/report`)).text;
    expect(report).toContain('Held out: the newest examples by');
    const inputs = await Promise.all((await heldOutOf(byDate)).map(({ example_id }) => inputOf(example_id)));
    expect(inputs.every(({ opened }) => opened >= '2026-05-01')).toBe(true);
    // What the first policy got wrong is learned from by the second one, and not gone.
    expect((await wholeOf(byDate)).dropped).toBeNull();
    expect(policy.metrics.whole.dropped).toBeNull();

    const [gone] = wrong;
    await bench.call('DELETE', `${url}/examples/${gone?.example_id}`);
    const byGroup = await trainBy({ by: 'group', field: 'customer' });
    const dropped = { rows: 1, sentence: '1 earlier test row that a model got wrong is no longer measured.' };
    expect((await wholeOf(byGroup)).dropped).toEqual(dropped);
    expect((await policyOf(byGroup)).metrics.whole.dropped).toEqual(dropped);
    const groups = await Promise.all((await heldOutOf(byGroup)).map(({ example_id }) => inputOf(example_id)));
    const held = new Set(groups.map(({ customer }) => customer));
    expect(held.size).toBeGreaterThan(2);
    // All examples of a held-out customer are: five each, but for the one that was deleted.
    expect(groups.length).toBeGreaterThanOrEqual(5 * held.size - 1);
  });
});
