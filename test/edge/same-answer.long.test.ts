/** One question has one answer, or one refusal: at the workbench, at a served bundle, in Node and in a browser. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { measureChoice, measureScore } from '../../src/door/formats/formats.ts';
import type { EdgeDecision } from '../../src/edge/api.ts';
import { type BundleParts, packBundle } from '../../src/engine/bundle/bundle.ts';
import { exportClassifier } from '../../src/engine/onnx/classifier.ts';
import { decideInChromium } from '../e2e/tools/program-page.ts';
import { amountModel, bundleParts, sha256 } from '../engine/bundle-fixture.ts';
import { type Call, openForTest, sendForm, temporaryFolder } from '../server/workbench.ts';
import { buildForAll } from './built-package.ts';
import { Service } from './served.ts';

const edge = buildForAll();

const pair = ['approve', 'decline'];
const grades = ['low', 'middle', 'high'];
const rules = [
  { condition: 'ctx.amount > 3', then: 'approve' },
  { condition: 'size(ctx.note) > 5', then: 'decline' },
];
const claims = { type: 'object', properties: { amount: { type: 'number', minimum: -2 } }, required: ['amount'] };
const gradeModel = {
  ...amountModel,
  dense: Float32Array.of(-1, 0, 1, 0, 0, 0),
  bias: Float32Array.of(0, 0.3, 0),
  K: 3,
};
/** Types that share their options or do not, with rules that fail, a schema, a fallback, and levels. */
const kinds: { [name: string]: BundleParts } = {
  loan: bundleParts({ fallbackOption: 'decline' }),
  claims: bundleParts({ inputSchema: claims, rules }),
  grade: (({ manifest, ...parts }) => ({
    ...parts,
    manifest: { ...manifest, options: grades, reason_codes: [] },
    reasons: { by_option: {}, heads: [] },
    classifier: exportClassifier(gradeModel),
  }))(bundleParts({ thresholds: { auto_decide: 0.7, escalation: 0.5 } })),
};
const names = Object.keys(kinds);

const anyWording = fc
  .tuple(
    fc.constantFrom('Should this be approved', 'Should this be DECLINED', 'Müssen wir  zahlen'),
    fc.constantFrom('', '?', ' ?', '…', '!!'),
    fc.constantFrom('as it is', 'small', 'wide'),
  )
  .map(([words, sign, form]) => {
    const wide = ` ${words.replaceAll(' ', '\n ')} `;
    return (form === 'small' ? words.toLowerCase() : form === 'wide' ? wide : words) + sign;
  });
const anyMarks = (options: readonly string[]) =>
  fc.record({
    yes: fc.array(fc.record({ instructions: anyWording, option: fc.constantFrom(...options) }), {
      minLength: 2,
      maxLength: 5,
    }),
    isOrdered: fc.boolean(),
  });
const anyTypes = fc
  .subarray(names, { minLength: 2 })
  .chain((some) =>
    fc.tuple(
      ...some.map((name) => fc.record({ name: fc.constant(name), marks: anyMarks(kinds[name]!.manifest.options) })),
    ),
  );
const anyState = fc.record(
  {
    amount: fc.oneof(fc.double({ min: -4, max: 4, noNaN: true }), fc.constant('7')),
    note: fc.string(),
    other: fc.nat(),
  },
  { requiredKeys: [] },
);
/** Questions that types of these names may be asked: most of them by a name and with the options that there are. */
const anyQuestion = (some: readonly string[]) =>
  fc.record({
    kind: fc.constantFrom('predicate' as const, 'choice' as const, 'score' as const),
    instructions: anyWording,
    options: fc.constantFrom(pair, pair, grades, grades, pair.toReversed(), grades.toReversed(), [...pair, 'neither']),
    name: fc.constantFrom('q', ...names),
    model: fc.constantFrom('workbench', ...some, ...some, ...some.map((name) => `${name}@prod`), ...names, 'nobody'),
    state: fc.oneof({ weight: 4, arbitrary: anyState.map((state) => ({ amount: 1, ...state })) }, anyState),
  });
type Question = ReturnType<typeof anyQuestion> extends fc.Arbitrary<infer Q> ? Q : never;
// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came over the wire
type Answer = { status: number; body: Record<string, any> };

/** A question in both formats. */
function write({ kind, instructions, options, name, model, state }: Question) {
  const criteria = kind === 'choice' ? Object.fromEntries(options.map((option) => [option, null])) : options;
  const first = kind === 'predicate' ? { type: 'noul', instructions } : { type: kind, instructions, criteria };
  const part =
    kind === 'choice'
      ? { choices: options.map((value) => ({ value })) }
      : { levels: options.map((label) => ({ label })) };
  const second = { type: kind, name, instructions, ...(kind === 'predicate' ? {} : part) };
  return [
    ['/v1/systemone', { model, state, questions: { [name]: first } }],
    ['/v1/decisions', { model, input: JSON.stringify(state), questions: [second] }],
  ] as const;
}

/** An answer or refusal without the words of its door: the number or digest of a release, and where marks are made. */
const toCompared = ({ status, body }: Answer): object =>
  JSON.parse(
    JSON.stringify([status, body], (key, value) =>
      ['x_release', 'x_digest', 'message'].includes(key) ? undefined : value,
    )
      .replaceAll(/"model":"(\w+)@\w+"/g, '"model":"$1"')
      .replaceAll(/(?:Deployed|Served)(?=:)|Say so under Deploy[^.]*\.|Say so with[^.]*\./g, ''),
  );

/** An answer with the decision beside it, as it follows from a decision of the package. */
function toAnswer(decided: EdgeDecision, { kind, options }: Question, { noul }: Answer['body']): object {
  const { classifier_choice, classifier_probability, stage, escalate, unfamiliar } = decided;
  const of = { x_decision: decided.decision, x_confidence: decided.confidence, x_reason_codes: decided.reason_codes };
  const x = { x_classifier_choice: classifier_choice, x_classifier_probability: classifier_probability };
  const outcome = { ...of, ...x, x_stage: stage, x_escalate: escalate, x_unfamiliar: unfamiliar };
  if (kind === 'predicate')
    return { ...outcome, noul: Object.values(decided.class_probabilities).find((p) => p === noul) };
  if (kind === 'score') return { ...outcome, score: measureScore(decided, options).score };
  const { best, confidence } = measureChoice(decided, options);
  return { ...outcome, choice: options[best], probabilities: decided.class_probabilities, confidence };
}

async function importType(call: Call, name: string): Promise<string> {
  const file = new File([Uint8Array.from(packBundle(kinds[name]!, sha256))], 'b.zip');
  const made = await sendForm(call, '/api/v1/decision-types/import', file, { name });
  expect(made.status, made.text).toBe(201);
  return `/api/v1/decision-types/${made.body.decision_type.id}`;
}

const { sample } = fc;

it('answers 1,000 questions, or refuses them, alike at four doors [MDL-4] [MDL-8] [EDG-9]', async () => {
  const { call, app, token } = await openForTest({});
  const headers = { host: '127.0.0.1', authorization: `Bearer ${token}`, 'x-request-id': 'asked' };
  const seed = Math.floor(Math.random() * 2 ** 31);
  const answered = { predicate: 0, choice: 0, score: 0 };
  for (const [round, types] of sample(anyTypes, { seed, numRuns: 4 }).entries()) {
    const folder = temporaryFolder();
    const files = new Map<string, Buffer>();
    const urls: string[] = [];
    for (const { name, marks } of types) {
      const url = await importType(call, name);
      urls.push(url);
      const { options } = kinds[name]!.manifest;
      for (const { instructions, option } of marks.yes)
        await call('POST', `${url}/questions`, { kind: 'predicate', instructions, options: [option] });
      if (marks.isOrdered) await call('POST', `${url}/questions`, { kind: 'score', options });
      await call('PUT', `${url}/aliases/prod`, { release: 1 });
      const bundle = (await app.inject({ url: `${url}/export`, headers })).rawPayload;
      files.set(name, bundle);
      writeFileSync(join(folder, `${name}.zip`), bundle);
    }
    const service = await Service.startForStory(...[...files.keys()].map((name) => join(folder, `${name}.zip`)));
    const decided: { question: Question; answer: Answer['body'] }[] = [];
    for (const question of sample(anyQuestion(types.map(({ name }) => name)), { seed: seed + round, numRuns: 250 })) {
      for (const [url, payload] of write(question)) {
        const { statusCode: status, body } = await app.inject({ method: 'POST', url, headers, payload });
        const here: Answer = { status, body: JSON.parse(body) };
        const there = await service.ask('POST', url, payload, { 'x-request-id': 'asked' });
        expect(toCompared(there), JSON.stringify({ seed, types, question })).toEqual(toCompared(here));
        if (status !== 200 || url !== '/v1/systemone') continue;
        answered[question.kind] += 1;
        decided.push({ question, answer: here.body['answers'][question.name] });
      }
    }
    for (const [name, some] of Map.groupBy(decided, ({ answer }) => answer['x_decision_type'] as string)) {
      const bundle = files.get(name)!;
      const states = some.map(({ question }) => question.state);
      const inNode = await (await edge.node.loadBundle(bundle)).decideMany(states);
      const { made: inBrowser } = await decideInChromium(edge.folder, bundle, states);
      for (const decisions of [inNode, inBrowser])
        for (const [at, { question, answer }] of some.entries())
          expect(answer, JSON.stringify({ seed, types, question })).toMatchObject(
            toAnswer(decisions[at]!, question, answer),
          );
    }
    await service.stop();
    for (const url of urls) await call('DELETE', url);
  }
  expect(Math.min(...Object.values(answered)), JSON.stringify({ seed, answered })).toBeGreaterThan(10);
});
