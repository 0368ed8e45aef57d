/** Asks deployed types by a JavaScript client of decision models, and prints what it got, as decision_models.py does. */
const [url, key, client] = process.argv.slice(2);
const loan = { applicant: { score: 790 }, amount: 2_000, purpose: 'car', employed: true };
const levels = ['low', 'middle', 'high'];
const good = 'Is it a good risk?';

async function askOpenai() {
  const { default: OpenAI } = await import('openai');
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const ask = async (model, input, question) =>
    (await openai.decisions.create({ model, input, questions: [question] })).answers[0];
  const choose = (...values) => ({ type: 'choice', choices: values.map((value) => ({ value })) });
  const score = { type: 'score', levels: levels.map((label) => ({ label })) };
  return {
    choice: (await ask('latest', JSON.stringify(loan), choose('approve', 'decline'))).choice,
    yes: (await ask('loan', JSON.stringify(loan), { type: 'predicate', instructions: good })).probability,
    score: (await ask('latest', '{"days": 5}', score)).score,
    text: (await ask('latest', 'You won a prize', choose('ham', 'spam'))).choice,
  };
}

async function askTypesafe() {
  const { TypeSafeClient } = await import('@typesafe-ai/sdk');
  const typesafe = new TypeSafeClient({ baseURL: url, apiKey: key });
  const ask = async (model, state, one) => (await typesafe.systemOne({ model, state, questions: { one } })).answers.one;
  const choose = (...options) => ({
    type: 'choice',
    criteria: Object.fromEntries(options.map((option) => [option, null])),
  });
  return {
    choice: (await ask('latest', loan, choose('approve', 'decline'))).choice,
    yes: (await ask('loan', loan, { type: 'noul', instructions: good })).noul,
    score: (await ask('latest', { days: 5 }, { type: 'score', criteria: levels })).score,
    text: (await ask('latest', 'You won a prize', choose('ham', 'spam'))).choice,
  };
}

process.stdout.write(JSON.stringify(await (client === 'openai' ? askOpenai() : askTypesafe())));
