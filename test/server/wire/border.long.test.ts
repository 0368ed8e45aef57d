import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { errorTable } from '../../../src/engine/errors.ts';
import { toOpenApiPath } from '../../../src/server/contract/operation.ts';
import { listOperations } from '../../../src/server/contract/operations.ts';
import { callerOf, makeType, minimalType, openForTest, stoppedClock } from '../workbench.ts';

const base = '/api/v1/decision-types';

describe('what the border refuses', () => {
  it('names each wrong and each unknown field [ERR-1] [ERR-2]', async () => {
    const { call } = await openForTest();
    const answer = await call('POST', base, { name: 1, options: ['a'], color: 'red', size: 2 });
    expect(answer.status).toBe(422);
    expect(answer.body.error.code).toBe('validation_error');
    const places = answer.body.error.details.map((detail: { loc: unknown[] }) => detail.loc.join('.'));
    expect(new Set(places)).toEqual(new Set(['body.name', 'body.options', 'body.color', 'body.size']));
    for (const detail of answer.body.error.details) {
      expect(detail).toMatchObject({ type: expect.any(String), msg: expect.any(String) });
    }
  });

  it('calls an unknown parameter of an address that, whether an operation has others or none [CLN-2]', async () => {
    const { call } = await openForTest();
    for (const url of [`${base}?color=red`, '/api/v1/credits?color=red']) {
      const { body } = await call('GET', url);
      expect([url, body.error.details]).toEqual([
        url,
        [{ type: 'unrecognized_keys', loc: ['query', 'color'], msg: 'unknown parameter: color' }],
      ]);
    }
  });

  it('names the nearest right name of a field that is not known, in each format [ERR-1]', async () => {
    const { call } = await openForTest();
    const question = { type: 'choice', instructions: 'x', choises: [] };
    const calls: [url: string, body: object, sentence: string][] = [
      [base, { name: 'x', optoins: ['a', 'b'] }, 'unknown field: optoins; did you mean options?'],
      ['/api/v1/decide', { decision_type: 'x', inputs: {} }, 'unknown field: inputs; did you mean input?'],
      ['/api/v1/decide', { decision_typ: 'x', input: {} }, 'unknown field: decision_typ; did you mean decision_type?'],
      [
        '/v1/decisions',
        { model: 'x', inputs: 'hi', questions: [question] },
        'input: is missing; inputs is not its name',
      ],
      [
        '/v1/decisions',
        { model: 'x', input: 'hi', questions: [question] },
        'choices: is missing; choises is not its name',
      ],
      ['/v1/systemone', { model: 'x', state: 'hi', question: {} }, 'is missing; question is not its name'],
    ];
    for (const [url, body, sentence] of calls)
      expect(JSON.stringify((await call('POST', url, body)).body)).toContain(sentence);
    const { body } = await call('GET', `${base}?pag=2`);
    expect(body.error.details[0].msg).toBe('unknown parameter: pag; did you mean page?');
  });

  it('reads numbers of the address only in their plain form', async () => {
    const { call } = await openForTest();
    for (const query of [
      'page=0x10',
      'page=1e2',
      'page=01',
      'page=0',
      'page=1.0',
      'page=',
      'page=1&page=2',
      'page_size=101',
      'pages=1',
    ]) {
      expect([query, (await call('GET', `${base}?${query}`)).status]).toEqual([query, 422]);
    }
    expect((await call('GET', `${base}?page=2&page_size=100`)).status).toBe(200);
    // as far as pages go, and no further: beyond, the place of a row would not be an exact number
    expect((await call('GET', `${base}?page=1000000000&page_size=100`)).body.items).toEqual([]);
    expect((await call('GET', `${base}?page=9007199254740993`)).status).toBe(422);
    // a small number as any language prints it
    const logs = `${base}/${await makeType(call)}/logs`;
    expect((await call('GET', `${logs}?min_confidence=1e-07&max_confidence=2.5E-1`)).status).toBe(200);
    expect((await call('GET', `${logs}?min_confidence=.5`)).status).toBe(422);
    expect((await call('GET', `${base}/not-a-uuid`)).body.error.details[0].loc).toEqual(['path', 'decision_type_id']);
  });

  it('says where a body stops being JSON, without quoting it [ERR-3]', async () => {
    const { call } = await openForTest();
    const faults: [string, string][] = [
      ['{"secret": x}', 'line 1, column 12'],
      ['{"a": 1,\n "b": }', 'line 2, column 7'],
      ['{"a": 1', 'line 1, column 8'],
      ['[1 2]', 'line 1, column 4'],
      ["{'a': 1}", 'line 1, column 2'],
    ];
    for (const [text, place] of faults) {
      const answer = await call('POST', base, text);
      expect([answer.status, answer.body.error.code]).toEqual([400, 'bad_request']);
      expect(answer.body.error.message).toContain(place);
      expect(answer.text).not.toContain('secret');
    }
  });

  it('refuses duplicate and prototype keys, bad UTF-8, deep nesting and numbers that are none [ERR-9]', async () => {
    const { call } = await openForTest();
    const refused: [string | Buffer, number, string][] = [
      ['{"name":"a","options":["x","y"],"name":"b"}', 400, 'name'],
      ['{"a":{"b":1,"c":[{"b":1,"b":2}]}}', 400, '"b"'],
      ['{"__proto__":{"x":1}}', 400, '__proto__'],
      [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, 'UTF-8'],
      [`${'['.repeat(33)}${']'.repeat(33)}`, 400, '32'],
      [`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, 400, '32'],
      [JSON.stringify(Object.fromEntries(Array.from({ length: 2_001 }, (_, i) => [`k${i}`, i]))), 400, '2000 keys'],
      ['{"name":1e999}', 422, 'failed'],
      ['{"name":"\\ud800"}', 422, 'failed'],
      ['{"name":"\\u0000"}', 422, 'failed'],
    ];
    for (const [text, status, word] of refused) {
      const answer = await call('POST', base, text);
      expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringContaining(word)]);
    }
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    // 32 levels are read: what is wrong with this one is that it is no object
    expect((await call('POST', base, `${'['.repeat(32)}${']'.repeat(32)}`)).status).toBe(422);
    const fine = await call('POST', base, '{"name":"colon: \\"{\\\\", "options":["a:b","\\ud83d\\ude00"]}');
    expect(fine.status).toBe(201);
  });

  it('takes bodies only as JSON, uncompressed and up to their limit [ERR-5] [ERR-8]', async () => {
    const { call } = await openForTest();
    const plain = await call('POST', base, JSON.stringify(minimalType), { 'content-type': 'text/plain' });
    expect([plain.status, plain.body.error.code]).toEqual([415, 'unsupported_media_type']);
    const packed = await call('POST', base, minimalType, { 'content-encoding': 'gzip' });
    expect(packed.status).toBe(415);
    const id = await makeType(call);
    const mib = 1024 * 1024;
    const limits: [string, (text: string) => object, number, number][] = [
      ['/api/v1/decide', (text) => ({ decision_type: 'none', input: { text } }), mib, 404],
      [base, (text) => ({ ...minimalType, description: text }), mib, 422],
      [`${base}/${id}/examples`, (text) => ({ examples: [{ input: { text } }] }), 16 * mib, 201],
      [`${base}/${id}/examples/import`, (content) => ({ format: 'csv', content: `a\n${content}` }), 16 * mib, 200],
    ];
    for (const [url, bodyWith, limit, status] of limits) {
      const room = limit - JSON.stringify(bodyWith('')).length;
      expect([url, (await call('POST', url, bodyWith('x'.repeat(room)))).status]).toEqual([url, status]);
      const large = await call('POST', url, bodyWith('x'.repeat(room + 1)));
      expect([url, large.status, large.body.error.code]).toEqual([url, 413, 'payload_too_large']);
    }
    // What is changed or added one by one is no larger than what can be decided on, and a tool call no larger than that.
    const tooLarge = 'x'.repeat(mib);
    const changed = await call('PATCH', `${base}/${id}/examples/${id}`, { input: { text: tooLarge } });
    const tool = await call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping', params: { text: tooLarge } });
    expect([changed.status, tool.status]).toEqual([413, 413]);
    expect((await call('POST', base, undefined)).body.error.details[0].loc).toEqual(['body']);
    expect((await call('PUT', `${base}/${id}`, 'null')).body.error.details[0].loc).toEqual(['body']);
    expect((await call('DELETE', `${base}/${id}`, '')).status).toBe(204);
  });

  it('answers unknown addresses and methods in the envelope [ERR-4] [ERR-7]', async () => {
    const { app, call } = await openForTest();
    expect((await call('GET', '/nowhere')).body.error.code).toBe('not_found');
    const patch = await call('PATCH', base, {});
    expect([patch.status, patch.body.error.code, patch.headers['allow']]).toEqual([
      405,
      'method_not_allowed',
      'POST, GET',
    ]);
    // `stats` is an address of its own, not an example with that id
    const stats = `${base}/${await makeType(call)}/examples/stats`;
    for (const [method, url, allow] of [
      ['PATCH', stats, 'GET'],
      ['DELETE', stats, 'GET'],
      ['OPTIONS', stats, 'GET'],
      ['POST', '/docs', 'GET'],
    ] as const) {
      const answer = await call(method, url, method === 'PATCH' ? 'not JSON' : undefined);
      expect([method, url, answer.status, answer.headers['allow']]).toEqual([method, url, 405, allow]);
    }
    expect(
      (await app.inject({ method: 'QUERY' as 'GET', url: '/health', headers: { host: '127.0.0.1' } })).statusCode,
    ).toBe(405);
    const unreadable = await call('GET', '/api/v1/%zz', undefined, { 'x-request-id': 'order 17' });
    expect([unreadable.body.error.code, unreadable.headers['x-request-id']]).toEqual(['bad_request', 'order 17']);
    const long = await call('GET', `${base}/${'x'.repeat(500)}`);
    expect([long.status, long.body.error.details[0].loc]).toEqual([422, ['path', 'decision_type_id']]);
  });

  it('serves neither foreign hosts nor foreign pages, on any route', async () => {
    const { call } = await openForTest();
    for (const url of ['/', '/health', '/openapi.json', '/app/', base, '/nowhere']) {
      for (const headers of [
        { host: 'evil.example' },
        { host: '127.0.0.1:9999' },
        { origin: 'http://evil.example' },
        { origin: 'null' },
        { origin: 'https://127.0.0.1' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ]) {
        const answer = await call('GET', url, undefined, headers as Record<string, string>);
        expect([url, answer.status, answer.body.error.code]).toEqual([url, 403, 'forbidden']);
      }
    }
    const own = await call('GET', base, undefined, { origin: 'http://127.0.0.1', 'sec-fetch-site': 'same-origin' });
    expect(own.status).toBe(200);
    expect(Object.keys(own.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect((await call('OPTIONS', base, undefined, { origin: 'http://evil.example' })).status).toBe(403);
  });

  it('echoes a usable request id and makes one otherwise [DEC-9]', async () => {
    const { call } = await openForTest();
    expect((await call('GET', '/health', undefined, { 'x-request-id': 'order 17' })).headers['x-request-id']).toBe(
      'order 17',
    );
    for (const wrong of ['x'.repeat(129), 'a\tb']) {
      const made = await call('GET', '/health', undefined, { 'x-request-id': wrong });
      expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('a fault of the service', () => {
  it('is a 500 that tells nothing of the inside, and the next call works [ERR-6]', async () => {
    const { call, deps } = await openForTest();
    const id = await makeType(call);
    deps.db.exec('ALTER TABLE examples RENAME TO mislaid');
    const answer = await call('GET', `${base}/${id}/examples`);
    expect([answer.status, answer.body]).toEqual([
      500,
      { error: { code: 'internal_error', message: errorTable.internal_error.meaning } },
    ]);
    deps.db.exec('ALTER TABLE mislaid RENAME TO examples');
    expect((await call('GET', `${base}/${id}/examples`)).status).toBe(200);
  });
});

describe('a service that cannot work', () => {
  it('lives, and says which of its parts is missing [SYS-2] [SYS-3]', async () => {
    const { app, deps } = await openForTest();
    const anyone = callerOf(app, {});
    const parts = {
      data_dir: deps.options.dataDir,
      database: true,
      data_folder: true,
      disk: 'ok',
      integrity: 'ok',
      cache: true,
      models: true,
      deployed_models: 0,
      unavailable_policies: 0,
      connections_without_key: 0,
      text_model: expect.any(String),
      clock: 'trusted',
      network: 'this machine alone',
    };
    expect((await anyone('GET', '/ready')).body).toEqual({ status: 'ready', ...parts });
    deps.db.close();
    const ready = await anyone('GET', '/ready');
    expect([ready.status, ready.body]).toEqual([200, { status: 'degraded', database: false }]);
    expect((await anyone('GET', '/health')).body).toEqual({ status: 'ok' });
  });
});

describe('what the service says of itself', () => {
  it('answers the system routes without credentials [SYS-1] [SYS-2] [SYS-3] [SYS-4] [SYS-5] [VRS-1]', async () => {
    const { app, deps } = await openForTest();
    const anyone = callerOf(app, {});
    const root = await anyone('GET', '/');
    expect(Object.keys(root.body).sort()).toEqual(['by', 'documentation', 'health', 'openapi', 'service', 'version']);
    expect((await anyone('GET', '/', undefined, { accept: 'text/html,*/*' })).headers['location']).toBe('/app/');
    expect((await anyone('GET', '/app')).headers['location']).toBe('/app/');
    expect((await anyone('GET', '/health')).body).toEqual({ status: 'ok' });
    expect((await anyone('GET', '/ready')).body).toMatchObject({
      status: 'ready',
      database: true,
      data_dir: deps.options.dataDir,
    });
    for (const value of Object.values(root.body)) expect(value).toEqual(expect.any(String));
    const { version } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../../package.json'), 'utf8'));
    expect(root.body.version).toBe(version);
    for (const value of Object.values((await anyone('GET', '/ready')).body)) {
      expect(['string', 'boolean', 'number']).toContain(typeof value);
    }
    const document = (await anyone('GET', '/openapi.json')).body;
    expect(document).toEqual((await anyone('GET', '/api/v1/openapi.json')).body);
    expect(document.openapi).toBe('3.1.0');
    expect(document.paths['/api/v1/decision-types/{decision_type_id}'].put.operationId).toBe('decision_types.update');
    const page = await anyone('GET', '/app/');
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    expect(root.headers['content-security-policy']).toBeUndefined();
  });

  it('is documented on a page of its own', async () => {
    const { app } = await openForTest();
    const anyone = callerOf(app, {});
    const root = await anyone('GET', '/');
    expect(root.body.documentation).toBe('http://127.0.0.1/docs');
    const page = await anyone('GET', '/docs');
    expect([page.status, page.headers['location']]).toEqual([302, '/app/docs.html']);
    expect((await anyone('GET', '/app/docs.html')).headers['content-security-policy']).toContain("script-src 'self'");
  });

  it('can be called with each example of the document', async () => {
    const { call } = await openForTest();
    const { components } = (await call('GET', '/api/v1/openapi.json')).body;
    const example = (name: string) => components.schemas[name].examples[0];
    const made = await call('POST', base, example('DecisionTypeCreate'));
    const url = `${base}/${made.body.id}`;
    const added = await call('POST', `${url}/examples`, { examples: [example('ExampleAddition')] });
    const changed = await call('PATCH', `${url}/examples/${added.body[0].id}`, example('ExampleUpdate'));
    const bulk = await call('POST', `${url}/examples/bulk`, example('ExampleBulk'));
    const updated = await call('PUT', url, example('DecisionTypeUpdate'));
    expect([made, added, changed, bulk, updated].map(({ status }) => status)).toEqual([201, 201, 200, 200, 200]);
    expect((await call('POST', '/api/v1/decide', example('DecideRequest'))).body.error.code).toBe('model_not_deployed');
  });

  it('says of each bulk change what it needs, in the document and when it is missing', async () => {
    const { call } = await openForTest();
    const { ExampleBulk } = (await call('GET', '/api/v1/openapi.json')).body.components.schemas;
    expect([ExampleBulk.required, ExampleBulk.oneOf]).toEqual([['action'], undefined]);
    const needs = ExampleBulk.properties.action.enum.map((action: string): [string, string[]] => [
      action,
      Object.entries(ExampleBulk.properties as Record<string, { description?: string }>).flatMap(
        ([field, { description }]) => (description?.startsWith(`For ${action}`) ? [field] : []),
      ),
    ]);
    expect(Object.fromEntries(needs)).toEqual({
      delete: [],
      set_decision: ['decision'],
      set_reviewed: ['reviewed'],
      set_test: ['test'],
      set_must: ['must'],
      set_status: ['status'],
    });
    const type = (await call('POST', base, { name: 'bulk', options: ['yes', 'no'] })).body;
    for (const [action, missing] of [...needs, ['set_everything', ['action']] as const]) {
      const body = { action, filter: {}, ...(missing.length === 0 ? { reviewed: true } : {}) };
      const answer = await call('POST', `${base}/${type.id}/examples/bulk`, body);
      const places = (answer.body.error?.details ?? []).map(({ loc }: { loc: string[] }) => loc);
      expect([answer.status, places]).toEqual(missing.length === 0 ? [200, []] : [422, [['body', ...missing]]]);
    }
  });

  it('is described so that generators of clients make types of it [CLN-1]', async () => {
    const { call } = await openForTest();
    const { paths, components } = (await call('GET', '/api/v1/openapi.json')).body;
    const described = Object.values(paths as Record<string, Record<string, { description?: string }>>).flatMap(
      (methods) => Object.values(methods).map(({ description }) => description ?? ''),
    );
    expect(described).not.toContain('');
    const odd: string[] = [];
    const visit = (value: unknown, place: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const schema = value as Record<string, unknown>;
      const { type, default: given, anyOf } = schema;
      const alternatives = Array.isArray(anyOf) ? anyOf.filter((each) => each.type !== 'null') : [];
      if (alternatives.length > 1 || schema['oneOf'] !== undefined) odd.push(`${place}: alternatives`);
      if (alternatives.some((each) => Object.keys(each).length === 0)) odd.push(`${place}: an alternative of any kind`);
      if (typeof schema['const'] === 'boolean') odd.push(`${place}: const`);
      if (typeof given === 'object' && given !== null && !Array.isArray(given)) odd.push(`${place}: default`);
      if (given !== undefined && !['type', 'anyOf', '$ref'].some((key) => key in schema))
        odd.push(`${place}: default of no type`);
      const fields = Object.values(
        (schema['properties'] ?? {}) as Record<string, { additionalProperties?: object | false }>,
      );
      if (fields.filter((field) => 'enum' in (field.additionalProperties || {})).length > 1)
        odd.push(`${place}: two maps of choices without a name`);
      if (Array.isArray(type) && type.filter((name) => name !== 'null').length > 1) odd.push(`${place}: types`);
      if ('aliasOf' in schema) odd.push(`${place}: alias`);
      for (const name of ['true', 'false', 'null']) if (name in schema) odd.push(`${place}: a field called ${name}`);
      for (const [key, member] of Object.entries(schema)) if (key !== 'examples') visit(member, `${place}/${key}`);
    };
    visit(components.schemas, 'schemas');
    visit(paths, 'paths');
    expect(odd).toEqual([]);
    const { get } = paths['/api/v1/decision-types/{decision_type_id}/export'];
    expect(get.responses[200].content['application/zip'].schema).toEqual({ type: 'string', format: 'binary' });
  });

  it('gives no default that its own schema refuses [CLN-1]', async () => {
    const { call } = await openForTest();
    const document = (await call('GET', '/api/v1/openapi.json')).body;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ ...document, $id: 'openapi' });
    const refused: string[] = [];
    const visit = (value: unknown, pointer: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { default: given } = value as { default?: unknown };
      const isSchema = given !== undefined && ['type', 'anyOf', '$ref', 'enum'].some((keyword) => keyword in value);
      if (isSchema && !ajv.validate({ $ref: `openapi#${pointer}` }, given)) refused.push(pointer);
      for (const [key, member] of Object.entries(value))
        visit(member, `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
    };
    visit(document, '');
    expect(refused).toEqual([]);
  });

  it('documents each answer of an operation once, by name', async () => {
    const { call } = await openForTest();
    const document = (await call('GET', '/api/v1/openapi.json')).body;
    const { put, get } = document.paths['/api/v1/decision-types/{decision_type_id}'];
    expect(Object.keys(put.responses)).toEqual('200 400 401 403 404 409 412 413 415 422 429 500 503'.split(' '));
    expect(get.responses['200'].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/DecisionTypeWithFields',
    });
    const { DecisionType, LogRecord, Policy, Progress } = document.components.schemas;
    for (const time of [
      DecisionType.properties.updated_at,
      LogRecord.properties.created_at,
      Policy.properties.created_at,
    ])
      expect(time).toMatchObject({ type: 'string', format: 'date-time' });
    expect(JSON.stringify(Progress.properties.last_heartbeat_at)).toContain('"format":"date-time"');
    expect(put.responses['409'].$ref).toBe('#/components/responses/conflict');
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g);
    for (const [text, kind, name] of references)
      expect([text, document.components[kind ?? '']?.[name ?? '']]).not.toContain(undefined);
  });

  it('documents the same errors as it sends [ERR-11]', async () => {
    const { call } = await openForTest();
    const document = (await call('GET', '/api/v1/openapi.json')).body;
    expect(document['x-errors'].map((row: { code: string }) => row.code)).toEqual(Object.keys(errorTable));
    const docs = readFileSync(path.join(import.meta.dirname, '../../../docs/errors.md'), 'utf8');
    for (const [code, { status }] of Object.entries(errorTable)) {
      expect(docs).toMatch(new RegExp(`\\| *${status} *\\| *\`${code}\``));
    }
    // and no code that nothing sends
    const root = path.join(import.meta.dirname, '../../../src');
    const sources = globSync('{engine,door,server}/**/*.ts', {
      cwd: root,
      exclude: ['engine/errors.ts', 'server/contract/**'],
    });
    const sent = sources.map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n');
    for (const code of Object.keys(errorTable)) expect(sent).toContain(`'${code}'`);
  });

  it('names every call in the document for people, and no schema that says nothing', async () => {
    const { call } = await openForTest();
    const document = (await call('GET', '/api/v1/openapi.json')).body;
    const docs = readFileSync(path.join(import.meta.dirname, '../../../docs/http-api.md'), 'utf8');
    const isEmpty = (schema: object) => Object.keys(schema).length === 0;
    for (const { row } of listOperations()) {
      const route = toOpenApiPath(row);
      expect(docs).toContain(
        `| ${row.method} \`${route.replace('/api/v1/decision-types/{decision_type_id}/', '…/')}\` |`,
      );
      const { requestBody = {}, responses } = document.paths[route][row.method.toLowerCase()];
      if (row.produces !== undefined) continue;
      for (const { content } of [requestBody, ...Object.values<{ content?: object }>(responses)])
        expect([route, content]).not.toMatchObject([
          route,
          { 'application/json': { schema: expect.toSatisfy(isEmpty) } },
        ]);
    }
  });

  it('refuses everything else without credentials [AUT-3] [ERR-1]', async () => {
    const clock = stoppedClock();
    const { app } = await openForTest({}, clock);
    const document = (await callerOf(app, {})('GET', '/api/v1/openapi.json')).body;
    const id = '00000000-0000-4000-8000-000000000000';
    let guarded = 0;
    for (const [route, methods] of Object.entries<Record<string, { security: unknown[] }>>(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.security.length === 0) continue;
        guarded += 1;
        // Another minute for each route, so that the many wrong credentials are no guessing.
        clock.move(60_000);
        const url = route.replace(/\{name\}/, 'x').replace(/\{[a-z_]+\}/g, id);
        for (const authorization of ['', 'Bearer ', 'Bearer nonsense', `Bearer ${'0'.repeat(64)}`, 'Bearer a.b.c']) {
          const headers = authorization === '' ? {} : { authorization };
          const answer = await callerOf(app, {})(method.toUpperCase() as 'GET', url, undefined, headers);
          const code = answer.body.error?.code ?? answer.body.detail.error_type;
          expect([route, answer.status, code]).toEqual([route, 401, 'unauthorized']);
        }
      }
    }
    expect(guarded).toBeGreaterThan(35);
  });
});
