/** Marks of questions: one question has one answer, or one refusal, in the workbench and by the bundle it exports. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { measureChoice, measureScore, readProbabilities } from '../../../src/door/formats/question-answers.ts';
import { findAnswering, indexQuestions, readMarks } from '../../../src/door/questions/find-answering.ts';
import { loadBundle } from '../../../src/edge/browser.ts';
import { packBundle, unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { bundleParts, sha256 } from '../../engine/bundle-fixture.ts';
import { openForTest, sendForm } from '../workbench.ts';

const type = ['approve', 'decline'];
const subjects = ['Should this be approved', 'Should this be DECLINED', 'is it a  bad risk', 'Müssen wir zahlen'];
const anyWording = fc
  .tuple(
    fc.constantFrom(...subjects),
    fc.constantFrom('', '?', ' ?', '…', '!!'),
    fc.constantFrom('as it is', 'small', 'wide'),
  )
  .map(([words, sign, form]) => {
    const shaped =
      form === 'small' ? words.toLowerCase() : form === 'wide' ? ` ${words.replaceAll(' ', '\n ')} ` : words;
    return shaped + sign;
  });
const anyMark = fc.record({ instructions: anyWording, yes: fc.constantFrom(...type) });
const anyQuestion = fc.oneof(
  fc.record({ kind: fc.constant('predicate' as const), instructions: anyWording, options: fc.constant([]) }),
  fc.record({
    kind: fc.constantFrom('choice' as const, 'score' as const),
    instructions: anyWording,
    options: fc.constantFrom(type, type.toReversed(), ['approve']),
  }),
);
const anyState = fc.record(
  { amount: fc.double({ min: -4, max: 4, noNaN: true }), note: fc.string() },
  { requiredKeys: ['amount'] },
);

it('answer a wording, or refuse it, alike at every door [MDL-4] [MDL-8]', async () => {
  const { call, app, token } = await openForTest({});
  const headers = { host: '127.0.0.1', authorization: `Bearer ${token}` };
  const bundle = new File(
    [Uint8Array.from(packBundle(bundleParts({ fallbackOption: 'decline' }), sha256))],
    'loan.zip',
  );
  const ask = async (question: { kind: string; instructions: string; options: readonly string[] }, state: object) => {
    const { kind, instructions, options } = question;
    const criteria = kind === 'choice' ? Object.fromEntries(options.map((option) => [option, null])) : options;
    const asked = kind === 'predicate' ? { type: 'noul', instructions } : { type: kind, instructions, criteria };
    const payload = { model: 'loan', state, questions: { q: asked } };
    const first = (await app.inject({ method: 'POST', url: '/v1/systemone', headers, payload })).json();
    const part =
      kind === 'choice'
        ? { choices: options.map((value) => ({ value })) }
        : { levels: options.map((label) => ({ label })) };
    const two = { type: kind, name: 'q', instructions, ...(kind === 'predicate' ? {} : part) };
    const input = { model: 'loan', input: JSON.stringify(state), questions: [two] };
    const second = (await app.inject({ method: 'POST', url: '/v1/decisions', headers, payload: input })).json();
    const toAnswer = (answer: Record<string, unknown> | undefined) =>
      answer === undefined
        ? 'refused'
        : (answer['noul'] ?? answer['probability'] ?? answer['score'] ?? answer['choice']);
    return [toAnswer(first.answers?.q), toAnswer(second.answers?.[0])];
  };
  const property = fc.asyncProperty(
    fc.array(anyMark, { minLength: 1, maxLength: 4 }),
    fc.boolean(),
    fc.array(fc.tuple(anyQuestion, anyState), { minLength: 12, maxLength: 20 }),
    async (marks, isOrdered, questions) => {
      const made = await sendForm(call, '/api/v1/decision-types/import', bundle, { name: 'loan' });
      const url = `/api/v1/decision-types/${made.body.decision_type.id}`;
      try {
        for (const { instructions, yes } of marks)
          await call('POST', `${url}/questions`, { kind: 'predicate', instructions, options: [yes] });
        if (isOrdered) await call('POST', `${url}/questions`, { kind: 'score', options: type });
        const file = (await app.inject({ url: `${url}/export`, headers })).rawPayload;
        const { manifest } = unpackBundle(file, sha256);
        const predictor = await loadBundle(file);
        const answering = { id: 'b', name: 'loan', options: manifest.options };
        const index = indexQuestions([answering], readMarks('b', manifest.questions), {
          there: 'Served',
          howToMark: '',
        });
        const ports = {
          digest: (text: string) => sha256(new TextEncoder().encode(text)),
          isTaken: () => false,
          findNamed: () => answering,
          remember: () => undefined,
        };
        const answerThere = async (question: (typeof questions)[number][0], state: object) => {
          const asked = { ...question, name: 'q', criteria: undefined, loc: [] };
          let options: readonly string[];
          try {
            ({ options } = findAnswering(index, 'loan', asked, ports));
          } catch {
            return 'refused';
          }
          const decided = await predictor.decide({ ...state });
          if (question.kind === 'predicate') return readProbabilities(decided, options)[0];
          if (question.kind === 'score') return measureScore(decided, options).score;
          return options[measureChoice(decided, options).best];
        };
        for (const [question, state] of questions) {
          const there = await answerThere(question, state);
          expect(await ask(question, state), JSON.stringify([marks, question])).toEqual([there, there]);
        }
      } finally {
        await call('DELETE', url);
      }
    },
  );
  await fc.assert(property, { numRuns: 12 });
});
