/** Masked personal values in corrections and in the log: they are no values to learn from or to try rules on. */
import { expect, it } from 'vitest';
import { createTrainable, startWorkbench, temporaryFolder, train } from '../workbench.ts';

const toPerson = (n: number) => ({ age: 18 + ((n * 37) % 60), sport: ['chess', 'judo', 'golf'][n % 3] ?? '' });
const toDecision = ({ age }: { age: number }) => (age >= 48 ? 'senior' : 'junior');

it('corrections whose personal field is masked teach nothing about it, and the notes and the rules say so [AUD-7]', async () => {
  const bench = await startWorkbench(temporaryFolder());
  const { call } = bench;
  const examples = Array.from({ length: 120 }, (_, n) => ({ input: toPerson(n), decision: toDecision(toPerson(n)) }));
  const input_schema = {
    type: 'object',
    properties: { age: { type: 'integer' }, sport: { type: 'string' } },
    required: ['age'],
  };
  const type = { name: 'course', options: ['senior', 'junior'], pii_fields: ['age'], input_schema };
  const url = await createTrainable(bench, type, examples);
  await train(call, url);
  for (let n = 200; n < 240; n += 1) await call('POST', '/decide', { decision_type: 'course', input: toPerson(n) });
  const logs = (await call('GET', `${url}/logs?page_size=100`)).body.items;
  expect(logs[0].input.age).toMatch(/^pii:/);
  // Every correction is right: the newest record is of the last person.
  for (const [at, { id }] of logs.entries()) {
    const decision = toDecision(toPerson(239 - at));
    expect((await call('PUT', `${url}/logs/${id}/correction`, { decision })).status).toBe(200);
  }

  const second = await train(call, url);
  const { metrics } = (await call('GET', `${url}/policies/${second}`)).body;
  expect(metrics.notes).toContain(
    '40 examples come from the log, where personal fields (age) are masked; these count as missing in them.',
  );
  // Age still is a number, and decides.
  const answers: boolean[] = [];
  for (let n = 300; n < 360; n += 1) {
    const { body } = await call('POST', '/decide?dry_run=true', { decision_type: 'course', input: toPerson(n) });
    const [[likeliest] = []] = Object.entries(body.class_probabilities as Record<string, number>).sort(
      (a, b) => b[1] - a[1],
    );
    answers.push(likeliest === toDecision(toPerson(n)));
  }
  expect(answers.filter(Boolean).length).toBeGreaterThanOrEqual(57);

  const rules = [
    { name: 'old', condition: 'ctx.age > 60', then: 'senior', priority: 1 },
    { name: 'chess', condition: 'ctx.sport == "chess"', then: 'senior', priority: 2 },
  ];
  const { impact } = (await call('POST', `${url}/rules/analyse`, { rules })).body;
  expect(impact.rules.map(({ decisions }: { decisions: { masked: number } }) => decisions.masked)).toEqual([40, 0]);

  // Measured on corrections alone, all is masked: in training, now, and where rules are tried.
  const ids = (await call('GET', `${url}/examples?page_size=100`)).body.items.map(({ id }: { id: string }) => id);
  await call('POST', `${url}/examples/bulk`, { action: 'set_test', test: true, ids: ids.slice(0, 40) });
  const third = await train(call, url);
  const whole = (await call('GET', `${url}/policies/${third}/whole-decision`)).body;
  expect(whole).toMatchObject({ rows: 40, refused: 0, masked: 40 });
  expect((await call('GET', `${url}/policies/${third}`)).body.metrics.whole).toMatchObject({
    masked: 40,
    accuracy: whole.accuracy,
  });
  const effect = (await call('POST', `${url}/policies/${third}/rules-effect`, { rules })).body;
  expect(effect).toMatchObject({ rows: 40, masked: 40 });
  expect(effect.sentence).toContain('In 40 of these personal fields are masked, which count as missing.');
  await bench.stop();
});
