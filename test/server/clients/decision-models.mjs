/** Asks the deployed type `loan` by the JavaScript clients of both formats of decision models, and prints what they got. */
import { TypeSafeClient } from '@typesafe-ai/sdk';
import OpenAI from 'openai';

const [url, key] = process.argv.slice(2);
const state = { applicant: { score: 790 }, amount: 2_000, purpose: 'car', employed: true };

const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
const asked = await openai.decisions.create({
  model: 'latest',
  input: JSON.stringify(state),
  questions: [
    { type: 'choice', choices: [{ value: 'approve' }, { value: 'decline' }] },
    { type: 'predicate', name: 'loan', instructions: 'Is it a good risk?' },
  ],
});
const questions = {
  one: { type: 'choice', criteria: { approve: null, decline: null } },
  loan: { type: 'noul', instructions: 'Is it a good risk?' },
};
const typesafe = await new TypeSafeClient({ baseURL: url, apiKey: key }).systemOne({ state, questions });
process.stdout.write(
  JSON.stringify({
    openai: [asked.answers[0].choice, asked.answers[1].probability],
    typesafe: [typesafe.answers.one.choice, typesafe.answers.loan.noul],
  }),
);
