/** A reading that is set once there are examples: a training learns from them what live calls are read as. */
import { expect, it } from 'vitest';
import { createTrainable, startWorkbench, temporaryFolder, train } from '../workbench.ts';

it('trains on examples as the type reads them, whenever they came, and measures what decides [RDG-6]', async () => {
  const bench = await startWorkbench(temporaryFolder());
  const { call } = bench;
  const toInput = (n: number) => ({ Betrag: `${1_000 + 37 * n},50 €`, Ort: ['Köln', 'Ulm', 'Bonn'][n % 3] });
  const toDecision = (n: number) => (n % 200 < 100 ? 'bewilligt' : 'abgelehnt');
  const examples = Array.from({ length: 160 }, (_, i) => (i * 71) % 200).map((n) => ({
    input: n === 20 || n === 21 ? { ...toInput(n), Betrag: 'viel' } : toInput(n),
    decision: toDecision(n),
  }));
  const url = await createTrainable(bench, { name: 'kredit', options: ['bewilligt', 'abgelehnt'] }, examples);
  const readings = { Betrag: { kind: 'number', decimal: ',', unit: '€' } };
  expect((await call('PUT', url, { readings })).status).toBe(200);
  const id = await train(call, url);
  const { metrics } = (await call('GET', `${url}/policies/${id}`)).body;
  expect(metrics.notes).toContain('In 2 examples values of Betrag are not of their field’s kind and count as missing.');
  expect(metrics.accuracy).toBeGreaterThan(0.9);
  const rows = Array.from({ length: 200 }, (_, n) => n).filter((n) => n % 7 === 0);
  const answers = await Promise.all(
    rows.map(async (n) => {
      const { body } = await call('POST', '/decide', { decision_type: 'kredit', input: toInput(n) });
      return (body.class_probabilities[toDecision(n)] ?? 0) > 0.5;
    }),
  );
  expect(answers.filter(Boolean).length).toBeGreaterThanOrEqual(rows.length - 3);
  const rules = [{ name: 'hoch', condition: 'ctx.Betrag > 4700', then: 'abgelehnt' }];
  const effect = (await call('POST', `${url}/policies/${id}/rules-effect`, { rules })).body;
  expect(effect.rules[0].rows).toBeGreaterThan(0);
  expect(effect.rules[0].right).toBe(effect.rules[0].rows);
  await bench.stop();
});
