import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tools } from '../../../src/server/mcp/tools.ts';
import { openForTest, pollUntil, terminal } from '../workbench.ts';

type Result = { isError?: boolean; content: { type: string; text?: string }[]; structuredContent?: unknown };

/** A workbench that listens, an API key of it, and the official client of the agent protocol. */
async function agentOn(options: { rate?: number; versions?: 'legacy' | 'auto' } = {}) {
  const bench = await openForTest();
  await bench.app.listen({ host: '127.0.0.1', port: 0 });
  const address = bench.app.server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const rest = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${bench.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? null : answer.json();
  };
  const { key } = (await rest('POST', '/api-keys', {
    name: 'agent',
    rate_limit_per_minute: options.rate ?? 600,
    allow_destructive: true,
  })) as {
    key: string;
  };
  const connect = async (token: string) => {
    const client = new Client(
      { name: 'agent', version: '1.0.0' },
      { versionNegotiation: { mode: options.versions ?? 'auto' } },
    );
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    onTestFinished(() => client.close());
    return client;
  };
  return { url, key, rest, connect, deps: bench.deps };
}

const textOf = (result: Result) => result.content.map(({ text }) => text ?? '').join('\n');

/** Calls a tool that must succeed and gives its structured answer. */
async function use(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const result = (await client.callTool({ name, arguments: args })) as Result;
  if (result.isError) throw new Error(`${name}: ${textOf(result)}`);
  expect((result.content[0]?.text ?? '').length).toBeLessThan(600);
  expect(JSON.parse(result.content[1]?.text ?? '')).toEqual(result.structuredContent);
  return result.structuredContent as Record<string, unknown>;
}

/** The properties of a schema, at any depth, that no description explains. */
function listUndescribed(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { properties?: Record<string, { description?: string }> };
  const own = Object.entries(properties).flatMap(([name, { description }]) => (description ? [] : [name]));
  return [...own, ...Object.values(schema).flatMap(listUndescribed)];
}

const examples = Array.from({ length: 80 }, (_, index) => ({
  input_payload: { amount: index * 10.5, score: (index * 7) % 13 },
  expected_decision: index < 40 ? 'yes' : 'no',
}));

describe('an agent with an API key', () => {
  it('is offered twenty-three tools that say what they do, cost and change, in 25 kB [MCP-2] [AGT-1]', async () => {
    const { connect, key } = await agentOn();
    const client = await connect(key);
    const { tools: offered } = await client.listTools();
    expect(offered.map(({ name }) => name).sort()).toEqual([
      'add_examples',
      'batch_decisions',
      'cancel_training',
      'create_decision_type',
      'deploy_policy',
      'evaluate_policy',
      'explain_decision',
      'export_edge_bundle',
      'generate_examples',
      'get_credits',
      'get_data_findings',
      'get_decision_logs',
      'get_decision_type',
      'get_metrics',
      'get_training_status',
      'import_examples',
      'label_example',
      'list_decision_types',
      'list_policies',
      'make_decision',
      'next_examples',
      'train_model',
      'update_decision_type',
    ]);
    for (const tool of offered) {
      expect([tool.name, tool.description]).toEqual([tool.name, expect.stringMatching(/[Cc]ost/)]);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      const { readOnly, destructive, idempotent } = tools.find(({ name }) => name === tool.name)?.hints ?? {};
      expect(tool.annotations).toMatchObject(
        readOnly
          ? { readOnlyHint: true }
          : { readOnlyHint: false, destructiveHint: destructive, idempotentHint: idempotent },
      );
      expect([tool.name, listUndescribed(tool.inputSchema)]).toEqual([tool.name, []]);
    }
    expect(JSON.stringify({ tools: offered }).length).toBeLessThan(25_000);
    const hinted = (hint: 'destructiveHint' | 'openWorldHint') =>
      offered.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name);
    expect(hinted('destructiveHint').sort()).toEqual([
      'cancel_training',
      'deploy_policy',
      'train_model',
      'update_decision_type',
    ]);
    expect(hinted('openWorldHint').sort()).toEqual([
      'batch_decisions',
      'generate_examples',
      'make_decision',
      'train_model',
    ]);
    // the arguments are those of the operation, defaults and bounds included
    const list = offered.find(({ name }) => name === 'list_decision_types');
    expect(list?.inputSchema.properties).toMatchObject({ page_size: { type: 'integer', maximum: 100, default: 20 } });
  });

  for (const versions of ['legacy', 'auto'] as const) {
    it(`builds, trains, judges and uses a decision type (negotiation: ${versions}) [MCP-2] [AGT-2] [AGT-4]`, {
      timeout: 600_000,
    }, async () => {
      const { connect, key, url } = await agentOn({ versions });
      const client = await connect(key);
      const made = await use(client, 'create_decision_type', {
        name: 'loans',
        options: ['yes', 'no'],
        hard_rules: [{ name: 'huge', condition: 'ctx.amount > 1000', then: 'no' }],
      });
      const type = { decision_type_id: made['id'] };
      expect((await use(client, 'list_decision_types'))['total']).toBe(1);
      const added = await use(client, 'add_examples', { ...type, examples });
      expect(added).toEqual({ added: 80, first_ids: Array(5).fill(expect.any(String)) });
      await use(client, 'add_examples', { ...type, examples: [{ input_payload: { amount: 9, score: 4 } }] });
      const next = (await use(client, 'next_examples', { ...type, count: 1 }))['items'] as {
        example: { id: string };
      }[];
      const example = { ...type, example_id: next[0]?.example.id };
      expect(await use(client, 'label_example', { ...example, expected_decision: 'yes' })).toMatchObject({
        status: 'done',
      });
      const generated = await use(client, 'generate_examples', { ...type, count: 2 });
      expect((generated['items'] as { source: string }[]).map(({ source }) => source)).toEqual([
        'synthetic',
        'synthetic',
      ]);
      const { policy_id } = await use(client, 'train_model', { ...type, n_tuning_trials: 1 });
      const again = (await client.callTool({ name: 'train_model', arguments: type })) as Result;
      expect(textOf(again)).toContain('Training of policy v2 waits in the queue and begins by itself.');
      const { policy_id: second } = again.structuredContent as { policy_id: string };
      const waiting = { ...type, policy_id: second };
      expect(await use(client, 'cancel_training', waiting)).toMatchObject({ status: 'cancelled' });
      const percents: number[] = [];
      const awaitEnd = () =>
        client.callTool(
          { name: 'get_training_status', arguments: { ...type, policy_id, wait_seconds: 50 } },
          { onprogress: ({ progress }) => percents.push(progress) },
        );
      // On a busy machine it takes more than one wait.
      const ended = await pollUntil(awaitEnd, ({ structuredContent }) => terminal({ body: structuredContent }));
      expect(ended.structuredContent).toMatchObject({ status: 'deployed' });
      expect(percents.length).toBeGreaterThan(0);
      expect(percents).toEqual(percents.toSorted((a, b) => a - b));
      const { model_deployed, fields } = await use(client, 'get_decision_type', type);
      expect(model_deployed).toBe(true);
      expect(fields).toEqual([
        { path: 'amount', kind: 'number', required: false, missing: 0, values: null, range: ['0', '829.5'] },
        { path: 'score', kind: 'number', required: false, missing: 0, values: null, range: ['0', '12'] },
      ]);
      const decided = await use(client, 'make_decision', { decision_type: 'loans', input: { amount: 5000, score: 1 } });
      expect(decided).toMatchObject({ decision: 'no', stage: 'rules', rules_triggered: ['huge'] });
      const batch = await use(client, 'batch_decisions', {
        decisions: [
          { decision_type: 'loans', input: { amount: 3, score: 5 } },
          { decision_type: 'nowhere', input: {} },
        ],
      });
      expect(batch).toMatchObject({ succeeded: 1, failed: 1, results: [{ decision: 'yes' }, null] });
      const logs = await use(client, 'get_decision_logs', { ...type, page_size: 1 });
      expect(logs['total']).toBe(2);
      const [record] = logs['items'] as { id: string }[];
      expect(await use(client, 'explain_decision', { ...type, log_id: record?.id })).toMatchObject({ decision: 'yes' });
      expect((await use(client, 'get_metrics', type))['total_decisions']).toBe(2);
      const changed = await use(client, 'update_decision_type', {
        ...type,
        hard_rules: [{ name: 'tiny', condition: 'ctx.amount < 1', then: 'no' }],
        confidence_thresholds: { auto_decide: 0.7, escalation: 0.5 },
        readings: { amount: { kind: 'number', decimal: ',' } },
        one_case: { by: 'random' },
      });
      expect((await use(client, 'get_decision_type', type))['one_case']).toEqual({ by: 'random', field: null });
      expect(changed).toMatchObject({ name: 'loans', version_number: 2, model_deployed: true });
      const tiny = await use(client, 'make_decision', { decision_type: 'loans', input: { amount: '0,5', score: 1 } });
      expect(tiny).toMatchObject({ decision: 'no', rules_triggered: ['tiny'] });
      expect((await use(client, 'list_policies', type))['items']).toMatchObject([
        { status: 'cancelled' },
        { id: policy_id, deployed: true },
      ]);
      expect(await use(client, 'deploy_policy', { ...type, policy_id })).toMatchObject({ status: 'deployed' });
      expect((await use(client, 'get_credits'))['used']).toBeGreaterThanOrEqual(2002);
      const late = (await client.callTool({ name: 'cancel_training', arguments: { ...type, policy_id } })) as Result;
      expect([late.isError, textOf(late)]).toEqual([true, expect.stringContaining('"conflict"')]);
      const evaluate = (part: string, args = {}) =>
        use(client, 'evaluate_policy', { ...type, policy_id, part, ...args });
      expect((await evaluate('whole', { auto_decide: 0.5, escalation: 0 }))['sentence']).toEqual(expect.any(String));
      expect(await evaluate('slices')).toMatchObject({ state: 'ready', items: expect.any(Array) });
      expect(await evaluate('promise', { target_error: 0.1 })).toMatchObject({ target_error: 0.1 });
      expect((await evaluate('costs'))['sentence']).toEqual(expect.any(String));
      const rules = [{ condition: 'ctx.amount < 0', then: 'no' }];
      expect(await evaluate('rules', { rules })).toMatchObject({ verdict: 'unchanged' });
      expect(await evaluate('comparison', { with: policy_id })).toMatchObject({ only_first_right: 0, p_value: 1 });
      const { contents } = await client.readResource({ uri: `workbench://decision-types/${made['id']}/model-card` });
      expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: expect.stringContaining('loans') }]);
      const bundle = await use(client, 'export_edge_bundle', { ...type, slim: true });
      const file = await fetch(String(bundle['download_url']), { headers: { authorization: `Bearer ${key}` } });
      expect([file.status, file.headers.get('content-type')]).toEqual([200, bundle['content_type']]);
      expect(String(bundle['download_url'])).toMatch(new RegExp(`^${url}/`));
    });
  }

  it('calls tools in a batch up to the rate of its key, each counted [MCP-7]', async () => {
    const { url, key, rest } = await agentOn({ rate: 4 });
    await rest('POST', '/decision-types', { name: 'loans', options: ['yes', 'no'] });
    const post = async (body: object) => {
      const answer = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${key}`,
        },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      if (answer.status !== 200) return { status: answer.status, results: [] };
      const messages = text.startsWith('[') ? [text] : [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data);
      const results = messages.flatMap((data) => JSON.parse(data ?? '') as { id: number; result: Result }[]);
      return { status: 200, results: results.sort((a, b) => a.id - b.id).map(({ result }) => result) };
    };
    const list = (id: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'list_decision_types', arguments: {} },
    });
    const { results } = await post(Array.from({ length: 10 }, (_, id) => list(id)));
    expect(results.map(({ isError }) => isError === true)).toEqual([...Array(4).fill(false), ...Array(6).fill(true)]);
    for (const refused of results.slice(4)) {
      expect(textOf(refused)).toMatch(/limit of 4 requests per minute is reached\. Call again in \d+ s\./);
      expect(textOf(refused)).toContain('"rate_limited"');
    }
    expect((await post(list(0))).status).toBe(429);
  });

  it('is promised nothing that a server without state cannot keep [MCP-5]', async () => {
    const { connect, key } = await agentOn();
    const client = await connect(key);
    const never = { listChanged: false };
    expect(client.getServerCapabilities()).toEqual({ tools: never, resources: never });
  });

  it('is told in the form of the protocol what its client did wrong [MCP-6]', async () => {
    const { url, key } = await agentOn();
    const post = (accept: string, body: string) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, authorization: `Bearer ${key}` },
        body,
      });
    const both = 'application/json, text/event-stream';
    for (const [accept, body, status] of [
      ['application/json', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 406],
      [both, '{"hello":"world"}', 400],
    ] as const) {
      const answer = await post(accept, body);
      expect([answer.status, await answer.json()]).toEqual([
        status,
        { jsonrpc: '2.0', id: null, error: { code: expect.any(Number), message: expect.any(String) } },
      ]);
    }
  });

  it('is told what is wrong with a call, as the content of an answer', async () => {
    const { connect, key, rest } = await agentOn();
    const client = await connect(key);
    const { id } = (await rest('POST', '/decision-types', { name: 'loans', options: ['yes', 'no'] })) as { id: string };
    const wrong: [string, Record<string, unknown>, RegExp][] = [
      ['create_decision_type', { name: 'x', options: ['a'], colour: 'red' }, /options[\s\S]*colour/],
      ['get_decision_type', { decision_type_id: 'loans' }, /decision_type_id/],
      ['list_decision_types', { page: '1' }, /Next: correct the places[\s\S]*page/],
      ['evaluate_policy', { part: 'beauty' }, /must be one of whole, slices, promise, costs, rules, comparison/],
      ['evaluate_policy', { part: 'costs', with: 'x' }, /unknown field: with/],
      ['create_decision_type', { name: 'loans', options: ['a', 'b'] }, /"conflict"/],
      [
        'make_decision',
        { decision_type: 'loans', input: {} },
        /\. Train one first\. Nothing was changed\.[\s\S]*"model_not_deployed"/,
      ],
      [
        'make_decision',
        { decision_type: 'nobody', input: {} },
        /^The decision type does not exist\. Names count every capital letter\. Nothing was changed\. Next: list_decision_types/,
      ],
      ['train_model', { decision_type_id: '00000000-0000-4000-8000-000000000000' }, /"decision_type_not_found"/],
      [
        'add_examples',
        { decision_type_id: id, examples: [{ input_payload: {}, expected_decision: 'maybe' }] },
        /must be one of the options \\"yes\\", \\"no\\"/,
      ],
    ];
    for (const [name, args, told] of wrong) {
      const result = (await client.callTool({ name, arguments: args })) as Result;
      expect([name, result.isError, textOf(result)]).toEqual([name, true, expect.stringMatching(told)]);
    }
  });

  it('may send null for what it leaves out, and an object as JSON text [MCP-8] [MCP-9]', async () => {
    const { connect, key, rest } = await agentOn();
    const client = await connect(key);
    await rest('POST', '/decision-types', { name: 'loans', options: ['yes', 'no'], fallback_option: 'no' });
    const rule = { name: 'huge', condition: 'ctx.amount > 1000', then: 'yes', reason_code: null, priority: null };
    const made = await use(client, 'create_decision_type', {
      name: 'rents',
      options: '["yes", "no"]',
      hard_rules: [rule],
      description: null,
      confidence_thresholds: null,
    });
    expect(made).toMatchObject({ name: 'rents', options: ['yes', 'no'] });
    const decide = (args: Record<string, unknown>) => client.callTool({ name: 'make_decision', arguments: args });
    const told = async (args: Record<string, unknown>) => textOf((await decide(args)) as Result);
    const type = { decision_type: 'loans' };
    // What is read gets past the arguments: no policy decides here.
    for (const args of [
      { ...type, input: {}, trace: null, dry_run: null },
      { ...type, input: '{"a":1}' },
    ])
      expect(await told(args)).toContain('"model_not_deployed"');
    expect(await told({ ...type, input: '{"a":1,"a":2}' })).toContain('"bad_request"');
    expect(await told({ ...type, input: '{"a":' })).toContain('"bad_request"');
    expect(await told({ ...type, input: null })).toContain('"validation_error"');
    expect(await told({ ...type, input: 'text' })).toContain('"validation_error"');
    // Of whatever kind the argument is: a word of a list, a number, a text.
    const next = { decision_type_id: String(made['id']), queue: null, count: null, session: null, restart: null };
    expect(await use(client, 'next_examples', next)).toMatchObject({ items: [] });
    const batch = await use(client, 'batch_decisions', {
      decisions: `[{"decision_type":"loans","input":"{}"},{"decision_type":"loans","input":{}},{"decision_type":"x","input":{}}]`,
    });
    // Equal errors stand once, with their places.
    expect(batch).toMatchObject({
      failed: 3,
      errors: [
        { count: 2, indexes: [0, 1] },
        { count: 1, indexes: [2] },
      ],
    });
  });

  it('imports a file that it has as text, after a look at what would be done [MCP-2] [FIL-6]', async () => {
    const { connect, key, url } = await agentOn();
    const client = await connect(key);
    const type = await use(client, 'create_decision_type', { name: 'trips', options: ['keep', 'cancel'] });
    const rows = Array.from({ length: 20 }, (_, i) => `${13 + (i % 9)}.06.2024;${i},50;${i % 2 ? 'keep' : 'cancel'}`);
    const file = { decision_type_id: type['id'], content: `Anreise;Preis;Antwort\n${rows.join('\n')}\n` };
    const listed = async () => {
      const address = `${url}/api/v1/decision-types/${type['id']}/examples?page_size=1`;
      return (await fetch(address, { headers: { authorization: `Bearer ${key}` } })).json();
    };
    expect(await use(client, 'import_examples', file)).toMatchObject({
      answer: 'Antwort',
      questions: [],
      examples: 20,
      labels: [
        { value: 'cancel', count: 10, target: { kind: 'option', option: 'cancel' } },
        { value: 'keep', count: 10 },
      ],
    });
    const unclear = { ...file, content: 'day,label\n03.04.2024,keep\n05.06.2024,cancel\n' };
    expect(await use(client, 'import_examples', unclear)).toMatchObject({
      questions: [{ about: 'kind', column: 'day', sentence: expect.stringContaining('3 April 2024 or 4 March 2024?') }],
    });
    // The next step that it is told is one that works.
    const odd = { ...file, content: 'price,label,reason\n1,keep,LATE\n2,perhaps,\n3,cancel,\n' };
    const look = { ...odd, mapping: { input: ['price'], decision: 'label', reason_codes: 'reason' } };
    const looked = await client.callTool({ name: 'import_examples', arguments: look });
    expect(looked.structuredContent).toMatchObject({ new_options: ['perhaps'], new_reason_codes: ['LATE'] });
    expect(textOf(looked as Result)).toContain('Next: update_decision_type');
    await expect(use(client, 'import_examples', { ...look, commit: true })).rejects.toThrow(
      /perhaps.+ is not an option/,
    );
    expect(await listed()).toMatchObject({ total: 0 });
    expect(await use(client, 'import_examples', { ...file, commit: true })).toEqual({
      examples: 20,
      labelled: 20,
      repeated: 0,
    });
    expect(await listed()).toMatchObject({
      total: 20,
      items: [{ input_payload: { Anreise: '2024-06-14', Preis: 19.5 } }],
    });
  });

  it('can read how rules are written, and is told of what is not there [AGT-3]', async () => {
    const { connect, key } = await agentOn();
    const client = await connect(key);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['workbench://guides/rules']);
    const [guide] = (await client.readResource({ uri: 'workbench://guides/rules' })).contents;
    expect(guide).toMatchObject({ mimeType: 'text/markdown', text: expect.stringContaining('startsWith') });
    const nothing = 'workbench://decision-types/00000000-0000-4000-8000-000000000000/model-card';
    await expect(client.readResource({ uri: nothing })).rejects.toThrow(/does not exist/);
  });

  it('is let in only with a key, from this machine, and up to its rate [MCP-1]', async () => {
    const { connect, key, url } = await agentOn({ rate: 3 });
    await expect(connect('0'.repeat(64))).rejects.toThrow(/401|[Uu]nauthorized/);
    const post = (headers: Record<string, string>) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      });
    const anyone = await post({});
    expect([anyone.status, (await anyone.json()).error.code]).toEqual([401, 'unauthorized']);
    expect((await post({ authorization: `Bearer ${key}`, origin: 'http://evil.example' })).status).toBe(403);
    for (const left of [2, 1, 0]) {
      const answer = await post({ authorization: `Bearer ${key}` });
      expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([200, String(left)]);
      expect((await answer.text()).includes('make_decision')).toBe(true);
    }
    const over = await post({ authorization: `Bearer ${key}` });
    expect([over.status, (await over.json()).error.code]).toEqual([429, 'rate_limited']);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await fetch(`${url}/mcp`, { method });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });
});
