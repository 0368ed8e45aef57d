/** A number that must never speak against an option as it rises: said in the schema, kept by every program that decides. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { findEdgePython } from '../../edge-python.ts';
import { type Call, createTrainable, openForAll, pollUntil, temporaryFolder, terminal, train } from '../workbench.ts';

const bench = openForAll();
const call: Call = (...order) => bench.call(...order);
const options = ['refuse', 'approve', 'ask'];
const withDirection = (income: object) => ({ type: 'object', properties: { applicant: { properties: { income } } } });
const direction = withDirection({ type: 'number', never_lowers: 'approve' });

/** Loans of which some with a high income were refused: examples that speak against the direction. */
function makeLoans(): object[] {
  const random = createRandom(3);
  return Array.from({ length: 240 }, () => {
    const [income, debt] = [Math.round(20 + random() * 80), Math.round(random() * 40)];
    const isOdd = income > 60 && income < 75;
    const decision = isOdd || income - debt < 30 ? 'refuse' : income - debt < 45 ? 'ask' : 'approve';
    return { input: { applicant: { income, debt }, purpose: random() < 0.5 ? 'car' : 'house' }, decision };
  });
}

/** The same applicants, each with a rising income. */
const raised = [0, 12].flatMap((debt) =>
  Array.from({ length: 25 }, (_, step) => ({ applicant: { income: step * 5, debt }, purpose: 'car' })),
);
const listFalls = (probabilities: number[]) =>
  probabilities.filter((p, i) => i % 25 !== 0 && p < (probabilities[i - 1] ?? 0) - 1e-6);

const program = `
import json, sys
from decision_edge import EdgePredictor
predictor = EdgePredictor.from_bundle(sys.argv[1])
inputs = json.load(open(sys.argv[2]))
json.dump([decision.class_probabilities["approve"] for decision in predictor.predict_many(inputs)], sys.stdout)
`;

it('keeps the direction of a number for every input, in the service and in Python, and says so [TRN-30]', async () => {
  const python = await findEdgePython();
  const folder = temporaryFolder();
  const { app, token } = bench;
  const url = await createTrainable({ call }, { name: 'Loans', options, input_schema: direction }, makeLoans());
  const decideAll = async () => {
    const decisions = raised.map((input) => ({ decision_type: 'Loans', input }));
    const decided = await call('POST', '/decide/batch?dry_run=true', { decisions });
    return decided.body.results.map(
      (each: { class_probabilities: Record<string, number> }) => each.class_probabilities['approve'],
    );
  };
  const policyId = await train(call, url, { tune_hyperparams: false, tune_encoder: false });
  const kept = await decideAll();
  expect(listFalls(kept)).toEqual([]);
  expect(Math.max(...kept) - Math.min(...kept)).toBeGreaterThan(0.5);

  const sentence = 'A higher value of applicant.income never lowers the probability of approve';
  const { body } = await call('GET', `${url}/policies/${policyId}`);
  expect(body.metrics.notes.join('\n')).toContain(sentence);
  expect((await call('GET', `${url}/policies/${policyId}/report`)).text).toContain(sentence);
  const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
  const bundle = join(folder, 'bundle.zip');
  writeFileSync(bundle, (await app.inject({ url: `/api/v1${url}/export`, headers })).rawPayload);
  if (python !== null) {
    writeFileSync(join(folder, 'inputs.json'), JSON.stringify(raised));
    const ran = spawnSync(python, ['-c', program, bundle, join(folder, 'inputs.json')], { encoding: 'utf8' });
    expect(ran.stderr).toBe('');
    const inPython: number[] = JSON.parse(ran.stdout);
    expect(listFalls(inPython)).toEqual([]);
    expect(Math.max(...inPython.map((p, i) => Math.abs(p - kept[i])))).toBeLessThan(1e-6);
  }
});

it('refuses a direction that cannot be kept, at its place, and follows its option [TRN-30]', async () => {
  const url = `/decision-types/${(await call('POST', '/decision-types', { name: 'Terms', options, input_schema: direction })).body.id}`;
  const at = ['body', 'input_schema', 'properties', 'applicant', 'properties', 'income'];
  for (const [income, loc, message] of [
    [{ never_lowers: 'grant' }, [...at, 'never_lowers'], 'must be one of the options'],
    [{ type: 'string', never_raises: 'refuse' }, [...at, 'never_raises'], 'type "number"'],
    [{ never_raises: 'refuse', never_lowers: 'approve' }, [...at, 'never_lowers'], 'beside the other one'],
    [{ items: { never_lowers: 'approve' } }, [...at, 'items', 'never_lowers'], 'under "properties"'],
  ] as const) {
    const refused = await call('PUT', url, { input_schema: withDirection(income) });
    expect(refused.status).toBe(422);
    expect(refused.body.error.details[0]).toMatchObject({ loc, msg: expect.stringContaining(message) });
  }
  const gone = await call('PUT', url, { options: ['refuse', 'ask'] });
  expect(gone.body.error.details[0].loc).toEqual([...at, 'never_lowers']);
  const readDirection = async () =>
    (await call('GET', url)).body.active_version.input_schema.properties.applicant.properties.income.never_lowers;
  await call('POST', `${url}/options/rename`, { from: 'approve', to: 'grant', commit: true });
  expect(await readDirection()).toBe('grant');
  await call('POST', `${url}/options/delete`, { option: 'grant', examples: 'unlabel', commit: true });
  expect(await readDirection()).toBeUndefined();
});

it('does not train where the field with a direction is no number [TRN-30]', async () => {
  const type = { name: 'Words', options, input_schema: { properties: { purpose: { never_lowers: 'approve' } } } };
  const url = await createTrainable({ call }, type, makeLoans());
  const { policy_id: policyId } = (await call('POST', `${url}/train`, { tune_hyperparams: false })).body;
  const { body } = await pollUntil(() => call('GET', `${url}/policies/${policyId}/progress`), terminal);
  expect(body).toMatchObject({ status: 'failed', error: expect.stringContaining('it is read as category') });
});
