/** Chat endpoints as they are: each way of answering is understood, or its own sentence is shown. */
import { describe, expect, it } from 'vitest';
import { type Asked, type Behaviour, says, startStub } from '../teacher-stub.ts';
import { openForAll } from '../workbench.ts';

const right = { decision: 'right', reason_codes: [] };
const json = JSON.stringify(right);

/** Answers with a body and a status, whatever was asked. */
const sends =
  (status: number, body: unknown): Behaviour =>
  (_asked, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const completes = (message: object, ending = 'stop') =>
  sends(200, { choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: ending }] });
/** Refuses questions by a parameter that they hold, else answers. */
const refuses =
  (message: string, holds: (body: Asked['body'] & Record<string, unknown>) => boolean, status = 400): Behaviour =>
  (asked, response) =>
    (holds(asked.body) ? sends(status, { error: { message } }) : says(right))(asked, response);

const manners: [name: string, behaviour: Behaviour][] = [
  ['plain', says(right)],
  ['a code fence', says(`\`\`\`json\n${json}\n\`\`\``)],
  ['words around it', says(`Here is {the} answer: ${json} Hope that helps :}`)],
  ['thoughts before it', says(`<think>Of {a, b} maybe {"decision": "wrong"}?</think>\n${json}`)],
  ['thoughts without their beginning', says(`{"decision": "wrong"} no…</think>${json}`)],
  ['thoughts under another name', says(`<thinking>{"decision": "wrong"}</thinking>${json}`)],
  ['a draft before the answer', says(`{"decision": "wrong"} is not it, but ${json}`)],
  ['another object behind it', says(`${json}\n{"confidence": 0.9}`)],
  ['thoughts in brackets', says(`[THINK]{"decision": "wrong"}[/THINK]${json}`)],
  ['thoughts in channels', says(`<|channel|>analysis<|message|>{"decision": "wrong"}<|end|>final<|message|>${json}`)],
  ['a list around it', says(`[${json}]`)],
  ['an object around it', says(`{"answer": ${json}}`)],
  ['a field more', says({ ...right, note: 'x' })],
  ['no reason codes', says({ decision: 'right' })],
  ['capitals', says({ decision: 'RIGHT', reason_codes: [] })],
  ['blanks around the option', says({ decision: ' right\n', reason_codes: [] })],
  [
    'content in parts',
    completes({
      content: [
        { type: 'text', text: json.slice(0, 9) },
        { type: 'text', text: json.slice(9) },
      ],
    }),
  ],
  ['reasoning beside it', completes({ content: json, reasoning_content: 'long {..}' })],
  ['a whole answer at the limit', completes({ content: json }, 'length')],
  ['no usage', says(right, null)],
  [
    'max_tokens unknown',
    refuses(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      (body) => 'max_tokens' in body,
    ),
  ],
  [
    'no limit of tokens at all',
    refuses(
      'max_tokens and max_completion_tokens are unknown',
      (body) => 'max_tokens' in body || 'max_completion_tokens' in body,
    ),
  ],
  [
    'temperature fixed',
    refuses("Unsupported value: 'temperature' does not support 0 with this model.", (body) => 'temperature' in body),
  ],
  [
    'structured output unknown',
    refuses('response_format json_schema is not supported', (body) => 'response_format' in body),
  ],
  ['structured output refused without a word', refuses('bad request', (body) => 'response_format' in body, 422)],
  ['a grammar that fails', refuses('failed to parse grammar', (body) => 'response_format' in body, 500)],
  [
    'max_tokens, temperature and structured output unknown',
    refuses(
      'Unknown: max_tokens, temperature, response_format',
      (body) => 'max_tokens' in body || 'temperature' in body || 'response_format' in body,
    ),
  ],
];

const more: typeof manners = [
  [
    'no message of the system',
    refuses('System role not supported', ({ messages }) => messages.some(({ role }) => role === 'system')),
  ],
  [
    'parameters refused in a list of places',
    (asked, response) =>
      ('max_tokens' in asked.body
        ? sends(422, { detail: [{ loc: ['body', 'max_tokens'], msg: 'Extra inputs are not permitted' }] })
        : says(right))(asked, response),
  ],
  [
    'a refusal in plain words',
    (asked, response) =>
      ('temperature' in asked.body ? sends(400, 'temperature must be 1') : says(right))(asked, response),
  ],
  [
    'only json_object known',
    refuses("'response_format.type' must be 'json_object'", (body) => 'response_format' in body),
  ],
];
const faults: [name: string, behaviour: Behaviour, said: string][] = [
  [
    'an error under 200',
    sends(200, { error: { message: 'model not loaded', code: 503 } }),
    'It says: model not loaded',
  ],
  [
    'a refusal',
    completes({ content: null, refusal: 'I cannot help with that' }),
    'It refused: I cannot help with that',
  ],
  ['nothing', completes({ content: null }), 'Its answer is empty.'],
  ['half an answer', completes({ content: json.slice(0, 12) }, 'length'), 'its limit of tokens'],
  ['only thoughts', says('<think>Perhaps {"decision": "right"}'), 'It holds no JSON object.'],
  ['another option', says({ decision: 'maybe', reason_codes: [] }), '“maybe” is none of the options.'],
  ['a number for the option', says({ decision: 1 }), 'decision: '],
  ['a page', sends(200, '<html>login</html>'), 'not JSON'],
  [
    'a key that is not known',
    sends(401, { error: { message: 'Incorrect API key provided' } }),
    'check the API key. It says: Incorrect API key provided',
  ],
  ['a model that is not there', sends(404, { error: 'model "m" not found' }), 'It says: model "m" not found'],
  ['a form of its own', sends(404, { detail: 'Not Found' }), 'It says: Not Found'],
  ['a list of errors', sends(403, { errors: [{ message: 'No quota' }] }), 'It says: No quota'],
  ['only thoughts in brackets', says('[THINK]Perhaps {"decision": "right"}'), 'It holds no JSON object.'],
];

describe('A connected model', () => {
  const bench = openForAll();
  let made = 0;
  type Said = { ok: boolean; message: string };
  const connect = async (url: string) => {
    made += 1;
    const { body } = await bench.call('POST', '/connections', { name: `model ${made}`, url, model: 'm' });
    return {
      test: async (): Promise<Said> => (await bench.call('POST', `/connections/${body.id}/test`)).body,
      remove: () => bench.call('DELETE', `/connections/${body.id}`),
    };
  };

  it.each([...manners, ...more])('is understood: %s [GEN-5]', async (_, behaviour) => {
    const stub = await startStub(behaviour);
    const { test, remove } = await connect(stub.url);
    expect(await test()).toMatchObject({ ok: true });
    const asked = stub.asked.length;
    expect(await test()).toMatchObject({ ok: true });
    // What it refused is not asked for again.
    expect(stub.asked.length).toBe(asked + 1);
    await remove();
  });

  it.each(faults)('says itself what is wrong: %s [GEN-5]', async (_, behaviour, said) => {
    const stub = await startStub(behaviour);
    const { test, remove } = await connect(stub.url);
    const { ok, message } = await test();
    expect(ok).toBe(false);
    expect(message).toContain(said);
    await remove();
  });

  it('is asked at the address of its chat, also where the connection names that itself [GEN-5]', async () => {
    const stub = await startStub(says(right));
    for (const end of ['', '/', '/chat/completions', '/chat/completions/']) {
      const { test, remove } = await connect(`${stub.url}${end}`);
      expect(await test()).toMatchObject({ ok: true });
      await remove();
    }
    expect(new Set(stub.asked.map(({ path }) => path))).toEqual(new Set(['/v1/chat/completions']));
  });
});
