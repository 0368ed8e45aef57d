/** Whose the confidence of a decision is: that of the option decided, at every door. */
import { expect, it } from 'vitest';
import type { EdgeDecision } from '../../../src/edge/api.ts';
import { loadBundle } from '../../../src/edge/browser.ts';
import { readTable, writeDecided } from '../../../src/edge/page/table-file.ts';
import { packBundle } from '../../../src/engine/bundle/bundle.ts';
import { readFile } from '../../../src/engine/import/read-file.ts';
import { readCell } from '../../../src/engine/import/sheet.ts';
import { bundleParts, sha256 } from '../../engine/bundle-fixture.ts';
import { openForTest, sendForm } from '../workbench.ts';

/** A number is declined with a probability that grows with it; what is not sure enough is approved, by the fallback. */
const fallbackOption = 'approve';
const amounts = [-3, -0.2, 0.1, 0.2, 3];
const inputs = amounts.map((amount) => ({ amount }));
type Answer = Pick<EdgeDecision, 'decision' | 'confidence' | 'classifier_choice' | 'classifier_probability' | 'stage'>;
const pick = ({ decision, confidence, classifier_choice, classifier_probability, stage }: Answer) => ({
  decision,
  confidence,
  classifier_choice,
  classifier_probability,
  stage,
});

it('is one number at every door, with what the classifier chose beside it [THR-4]', async () => {
  const bundle = packBundle(bundleParts({ fallbackOption }), sha256);
  const { call, app, token } = await openForTest({});
  const form = await sendForm(call, '/api/v1/decision-types/import', new File([Uint8Array.from(bundle)], 'loan.zip'), {
    name: 'loan',
  });
  expect(form.status, form.text).toBe(201);
  const url = `/api/v1/decision-types/${form.body.decision_type.id}`;
  const answers: Answer[] = [];
  for (const input of inputs) {
    const { body } = await call('POST', '/api/v1/decide', { decision_type: 'loan', input });
    answers.push(pick(body));
    const { approve, decline } = body.class_probabilities;
    expect(body.confidence).toBe(body.class_probabilities[body.decision]);
    const isOther = body.stage === 'fallback' && decline > approve;
    expect([body.classifier_choice, body.classifier_probability]).toEqual(
      isOther ? ['decline', decline] : [null, null],
    );
  }
  expect(answers.map(({ stage, classifier_choice: choice }) => [stage, choice])).toEqual([
    ['classifier', null],
    ['fallback', null],
    ['fallback', 'decline'],
    ['fallback', 'decline'],
    ['classifier', null],
  ]);

  const decisions = inputs.map((input) => ({ decision_type: 'loan', input }));
  expect((await call('POST', '/api/v1/decide/batch?dry_run=true', { decisions })).body.results.map(pick)).toEqual(
    answers,
  );
  const { items } = (await call('GET', `${url}/logs`)).body;
  expect(items.map(pick).reverse()).toEqual(answers);
  const average = answers.reduce((sum, { confidence }) => sum + confidence, 0) / answers.length;
  expect((await call('GET', `${url}/metrics`)).body.avg_confidence).toBeCloseTo(average, 12);
  const low = await call('GET', `${url}/logs?max_confidence=0.48`);
  expect(low.body.total).toBe(answers.filter(({ confidence }) => confidence <= 0.48).length);
  const csv = (await call('GET', `${url}/logs/export?format=csv`)).text;
  expect(
    csv.split('\n').filter((line) => line.includes(`,decline,${answers[2]?.classifier_probability}`)),
  ).toHaveLength(1);
  const explained = (await call('POST', '/api/v1/decide?dry_run=true&explain=true', decisions[2])).body;
  expect(explained.explain.confidence).toBe(answers[2]?.confidence);
  expect(explained.explanation).toContain(`(confidence ${answers[2]?.confidence.toFixed(2)}): the classifier thought`);

  const ask = async (path: string, payload: object) =>
    (
      await app.inject({
        method: 'POST',
        url: path,
        headers: { host: '127.0.0.1', authorization: `Bearer ${token}` },
        payload,
      })
    ).json();
  for (const [at, input] of inputs.entries()) {
    const { decision, confidence, classifier_choice: choice, classifier_probability: own } = answers[at]!;
    const outcome = {
      x_decision: decision,
      x_confidence: confidence,
      x_classifier_choice: choice,
      x_classifier_probability: own,
    };
    const criteria = { approve: null, decline: null };
    const questions = { q: { type: 'choice', criteria } };
    const one = await ask('/v1/systemone', { model: 'loan', state: input, questions });
    expect(one.answers.q).toMatchObject(outcome);
    const choices = Object.keys(criteria).map((value) => ({ value }));
    const two = await ask('/v1/decisions', {
      model: 'loan',
      input: JSON.stringify(input),
      questions: [{ type: 'choice', name: 'q', choices }],
    });
    expect(two.x_workbench, JSON.stringify(two)).toMatchObject([outcome]);
  }

  const predictor = await loadBundle(bundle);
  const decided = await predictor.decideMany(inputs);
  expect(decided.map(pick)).toEqual(answers);
  const file = { name: 'rows.csv', bytes: new TextEncoder().encode(`amount\n${amounts.join('\n')}\n`) };
  const table = await readTable(file, predictor.info);
  const written = writeDecided(table, await predictor.decideEach(table.inputs));
  const sheet = await readFile({ name: written.name, bytes: written.bytes }, {}, { maxBytes: 1e6 });
  const rows = sheet.rows.map((row) =>
    Object.fromEntries(sheet.columns.map((name, column) => [name, readCell(row, sheet.columns, column)])),
  );
  expect(
    rows.map(({ decision, confidence, classifier_choice: choice }) => [decision, Number(confidence), choice]),
  ).toEqual(answers.map(({ decision, confidence, classifier_choice: choice }) => [decision, confidence, choice ?? '']));
});
