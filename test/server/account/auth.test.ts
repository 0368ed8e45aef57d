import { createHmac, generateKeyPairSync } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { exportJWK, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { localAudience, localIssuer } from '../../../src/server/auth/issuer.ts';
import { findFilesHolding } from '../../files-holding.ts';
import { callerOf, openForTest, stoppedClock } from '../workbench.ts';

const keys = '/api/v1/api-keys';
const types = '/api/v1/decision-types';

describe('the life of an API key', () => {
  it('is shown once, works, is listed without its secret and ends with its revocation [AUT-1] [AUT-5] [ACC-4] [ACC-6] [KEY-1]', async () => {
    const { call, app } = await openForTest();
    const made = await call('POST', keys, { name: 'shop' });
    expect(made.status).toBe(201);
    expect(made.body.key).toMatch(/^[0-9a-f]{64}$/);
    expect(made.body).toMatchObject({ name: 'shop', rate_limit_per_minute: 600, prefix: made.body.key.slice(0, 8) });
    const second = (await call('POST', keys, { name: 'next', rate_limit_per_minute: 5 })).body;
    const shop = callerOf(app, { authorization: `Bearer ${made.body.key}` });
    const next = callerOf(app, { authorization: `Bearer ${second.key}` });
    expect((await shop('GET', types)).status).toBe(200);
    const listed = await call('GET', keys);
    expect(listed.body).toHaveLength(2);
    expect(listed.text).not.toContain(made.body.key);
    expect(listed.body.find((key: { id: string }) => key.id === made.body.id).last_used_at).not.toBeNull();
    expect((await call('DELETE', `${keys}/${made.body.id}`)).status).toBe(204);
    expect((await shop('GET', types)).body.error.code).toBe('unauthorized');
    expect((await next('GET', types)).status).toBe(200);
    expect((await call('DELETE', `${keys}/${made.body.id}`)).status).toBe(404);
    expect((await call('GET', keys)).body).toHaveLength(1);
  });

  it('is believed call by call on a connection that stays open, until it is revoked [AUT-5]', async () => {
    const { app, call, token } = await openForTest();
    const shop = (await call('POST', keys, { name: 'shop', rate_limit_per_minute: 10 })).body;
    const next = (await call('POST', keys, { name: 'next', rate_limit_per_minute: 20 })).body;
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    let connections = 0;
    app.server.on('connection', () => connections++);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (bearer: string, method = 'GET', path = types) =>
      new Promise<[status: number | undefined, remaining: unknown]>((done, fail) => {
        const headers = { authorization: `Bearer ${bearer}` };
        request({ host: '127.0.0.1', port, method, path, agent, headers }, (answer) => {
          answer.resume().on('end', () => done([answer.statusCode, answer.headers['x-ratelimit-remaining']]));
        })
          .on('error', fail)
          .end();
      });
    expect([await ask(shop.key), await ask(shop.key)]).toEqual([
      [200, '9'],
      [200, '8'],
    ]);
    expect([await ask(next.key), await ask('0'.repeat(64)), await ask(next.key), await ask(shop.key)]).toEqual([
      [200, '19'],
      [401, undefined],
      [200, '18'],
      [200, '7'],
    ]);
    expect(await ask(token, 'DELETE', `${keys}/${shop.id}`)).toEqual([204, undefined]);
    expect([await ask(shop.key), await ask(next.key)]).toEqual([
      [401, undefined],
      [200, '17'],
    ]);
    expect(connections).toBe(1);
    agent.destroy();
  });

  it('is nowhere on the disk [KEY-2]', async () => {
    const { call, dataDir } = await openForTest();
    const { key } = (await call('POST', keys, { name: 'shop' })).body;
    for (const form of [key, Buffer.from(key, 'hex')]) expect(findFilesHolding(dataDir, form)).toEqual([]);
  });

  it('is kept as a salt of its own and the HMAC of both under a secret outside the database [KEY-2]', async () => {
    const { call, deps, dataDir } = await openForTest();
    const secret = Buffer.from(readFileSync(path.join(dataDir, 'secrets', 'key-hmac'), 'utf8'), 'hex');
    const made: { id: string; key: string }[] = [];
    for (const name of ['shop', 'till']) made.push((await call('POST', keys, { name })).body);
    const kept = deps.db.prepare<[string], { salt: Buffer; digest: Buffer }>(
      'SELECT salt, digest FROM api_keys WHERE id = ?',
    );
    const salts = made.map(({ id, key }) => {
      const row = kept.get(id);
      if (row === undefined) throw new Error('the key is not kept');
      expect(row.digest).toEqual(createHmac('sha256', secret).update(row.salt).update(key).digest());
      return row.salt.toString('hex');
    });
    expect(new Set(salts).size).toBe(2);
    expect(salts[0]).toHaveLength(32);
  });

  it('cannot be used on account routes [AUT-2] [AUT-6]', async () => {
    const { call, app } = await openForTest();
    const { key } = (await call('POST', keys, { name: 'shop' })).body;
    const shop = callerOf(app, { authorization: `Bearer ${key}` });
    for (const [method, url] of [
      ['GET', '/api/v1/auth/me'],
      ['PUT', '/api/v1/auth/me'],
      ['PUT', '/api/v1/auth/org'],
      ['GET', keys],
      ['POST', keys],
      ['DELETE', `${keys}/00000000-0000-4000-8000-000000000000`],
      ['GET', '/api/v1/billing/plans'],
      ['PUT', '/api/v1/billing/plan'],
    ] as const) {
      const answer = await shop(method, url);
      expect([url, answer.status, answer.body.error.code]).toEqual([url, 403, 'forbidden']);
      expect(answer.headers['x-ratelimit-limit']).toBe('600');
    }
    expect((await shop('GET', '/api/v1/credits')).status).toBe(200);
  });

  it('passes exactly its limit in a window and says how much is left [AUT-6] [AUT-7] [AUT-8] [KEY-4]', async () => {
    const clock = stoppedClock();
    const { call, app } = await openForTest({}, clock);
    const make = async (limit: number) => {
      const { key } = (await call('POST', keys, { name: 'k', rate_limit_per_minute: limit })).body;
      return callerOf(app, { authorization: `Bearer ${key}` });
    };
    const three = await make(3);
    const other = await make(3);
    const urls = [types, `${types}/wrong`, '/nowhere', types];
    const answers = [];
    for (const url of urls) answers.push(await three('GET', url));
    expect(answers.map((answer) => answer.status)).toEqual([200, 422, 404, 429]);
    expect(answers.map((answer) => answer.headers['x-ratelimit-remaining'])).toEqual(['2', '1', '0', '0']);
    expect(answers.map((answer) => answer.headers['retry-after'])).toEqual([undefined, undefined, undefined, '60']);
    expect(Number(answers[0]?.headers['x-ratelimit-reset'])).toBe((clock.now() + 60_000) / 1000);
    expect(answers[3]?.body.error.code).toBe('rate_limited');
    expect((await other('GET', types)).status).toBe(200);
    clock.move(59_999);
    expect((await three('GET', types)).status).toBe(429);
    clock.move(1);
    expect((await three('GET', types)).headers['x-ratelimit-remaining']).toBe('2');
    const session = await call('GET', types);
    expect(session.headers['x-ratelimit-limit']).toBeUndefined();
  });
});

describe('an answer to an API key', () => {
  it('says what is left of its window, whatever the answer is [AUT-6] [AUT-7]', async () => {
    const { call, app, deps } = await openForTest({}, stoppedClock(Date.now()));
    const id = (await call('POST', types, { name: 'triage', options: ['yes', 'no'] })).body.id;
    const { key } = (await call('POST', keys, { name: 'shop' })).body;
    const shop = callerOf(app, { authorization: `Bearer ${key}` });
    const decide = '/api/v1/decide';
    const large = JSON.stringify({ a: 'x'.repeat(1024 * 1024) });
    const calls: [number, () => ReturnType<typeof shop>][] = [
      [400, () => shop('POST', decide, '{')],
      [400, () => shop('GET', '/api/v1/%zz')],
      [422, () => shop('GET', `${types}/${'x'.repeat(500)}`)],
      [404, () => shop('GET', '/nowhere')],
      [405, () => shop('PATCH', types, {})],
      [413, () => shop('POST', decide, large)],
      [415, () => shop('POST', decide, 'x', { 'content-type': 'text/plain' })],
      [415, () => shop('POST', decide, '{}', { 'content-encoding': 'gzip' })],
      [200, () => shop('GET', `${types}/${id}/logs/export?format=csv`)],
      [200, () => shop('GET', '/openapi.json')],
      [200, () => shop('GET', '/health')],
      [204, () => shop('DELETE', `${types}/${id}`)],
    ];
    let left = 600;
    for (const [status, send] of calls) {
      const { headers, ...answer } = await send();
      left -= 1;
      expect([answer.status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual([
        status,
        '600',
        String(left),
      ]);
      expect(headers).toMatchObject({ 'x-ratelimit-reset': expect.any(String), 'x-request-id': expect.any(String) });
      expect(headers['retry-after']).toBeUndefined();
    }
    deps.db.exec('ALTER TABLE decision_types RENAME TO mislaid');
    const fault = await shop('GET', types);
    expect([fault.status, fault.headers['x-ratelimit-remaining']]).toEqual([500, String(left - 1)]);
  });
});

describe('wrong credentials', () => {
  it('are a 429 beyond sixty a minute, while right ones go on [AUT-13] [AUT-7]', async () => {
    const clock = stoppedClock();
    const { app, call, deps } = await openForTest({}, clock);
    const { key } = (await call('POST', keys, { name: 'shop' })).body;
    const guess = (number: number) =>
      callerOf(app, { authorization: `Bearer ${String(number).padStart(64, '0')}` })('GET', types);
    const login = (code: string) => callerOf(app, {})('POST', '/api/v1/auth/session', { code });
    for (let number = 0; number < 30; number += 1) {
      expect((await guess(number)).status).toBe(401);
      expect((await login(`no-such-code-${number}`)).status).toBe(401);
    }
    clock.move(20_000);
    for (const answer of [await guess(99), await login('no-such-code')]) {
      expect([answer.status, answer.body.error.code, answer.headers['retry-after']]).toEqual([
        429,
        'rate_limited',
        '40',
      ]);
    }
    expect((await callerOf(app, { authorization: `Bearer ${key}` })('GET', types)).status).toBe(200);
    expect((await call('GET', types)).status).toBe(200);
    expect((await login(deps.auth.makeLoginCode())).status).toBe(201);
    expect((await callerOf(app, {})('GET', types)).status).toBe(401);
    expect((await callerOf(app, { authorization: 'Bearer nonsense' })('GET', '/health')).status).toBe(200);
    clock.move(40_000);
    expect((await guess(100)).status).toBe(401);
  });
});

describe('answers with keys, tokens and records', () => {
  it('are kept by no browser and no cache between, unlike the files of the pages [AUT-14]', async () => {
    const { app, call, deps } = await openForTest();
    const answers = [
      await call('POST', keys, { name: 'shop' }),
      await callerOf(app, {})('POST', '/api/v1/auth/session', { code: deps.auth.makeLoginCode() }),
      await call('GET', types),
      await call('GET', '/nowhere'),
      await callerOf(app, {})('GET', types),
    ];
    expect(answers.map(({ status, headers }) => [status, headers['cache-control']])).toEqual([
      [201, 'no-store'],
      [201, 'no-store'],
      [200, 'no-store'],
      [404, 'no-store'],
      [401, 'no-store'],
    ]);
    expect((await callerOf(app, {})('GET', '/app/')).headers['cache-control']).toBeUndefined();
  });
});

describe('sessions', () => {
  it('make the user, the organisation and their names [ACC-1] [ACC-2] [ACC-3]', async () => {
    const { call } = await openForTest();
    const me = (await call('GET', '/api/v1/auth/me')).body;
    expect(me).toMatchObject({ user: { role: 'owner' }, organisation: { plan: 'local' } });
    expect((await call('PUT', '/api/v1/auth/me', { name: 'Ada' })).body.user.name).toBe('Ada');
    expect((await call('PUT', '/api/v1/auth/org', { name: 'Engines' })).body).toMatchObject({ name: 'Engines' });
    expect((await call('GET', '/api/v1/auth/me')).body).toMatchObject({
      user: { id: me.user.id, name: 'Ada' },
      organisation: { id: me.organisation.id, name: 'Engines' },
    });
  });

  it('start with a login code, once and within ten minutes', async () => {
    const clock = stoppedClock(Date.now());
    const { app, deps } = await openForTest({}, clock);
    const browser = callerOf(app, {});
    const code = deps.auth.makeLoginCode();
    const session = await browser('POST', '/api/v1/auth/session', { code });
    expect(session.status).toBe(201);
    const me = await browser('GET', '/api/v1/auth/me', undefined, { authorization: `Bearer ${session.body.token}` });
    expect(me.status).toBe(200);
    expect((await browser('POST', '/api/v1/auth/session', { code })).status).toBe(401);
    const late = deps.auth.makeLoginCode();
    clock.move(10 * 60_000 + 1);
    expect((await browser('POST', '/api/v1/auth/session', { code: late })).status).toBe(401);
  });

  it('end when their token expires', async () => {
    const clock = stoppedClock(Date.now());
    const { call } = await openForTest({}, clock);
    expect((await call('GET', types)).status).toBe(200);
    clock.move(24 * 3600_000 + 61_000);
    expect((await call('GET', types)).status).toBe(401);
  });

  it('are not believed when forged [AUT-10] [AUT-11]', async () => {
    const { app, token, deps, dataDir } = await openForTest();
    const own = JSON.parse(readFileSync(path.join(dataDir, 'secrets', 'issuer-key.json'), 'utf8'));
    const { importJWK } = await import('jose');
    const ownKey = (await importJWK(own.private, 'ES256')) as CryptoKey;
    const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const now = Math.floor(Date.now() / 1000);
    const sign = (claims: Record<string, unknown>, key: CryptoKey | typeof foreign.privateKey = ownKey) =>
      new SignJWT({ sub: 'local-owner', iss: localIssuer, aud: localAudience, iat: now, exp: now + 60, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: own.kid })
        .sign(key);
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const hmacKey = new TextEncoder().encode(JSON.stringify(await exportJWK(foreign.publicKey)));
    const forged: Record<string, string> = {
      'no algorithm': `${encode({ alg: 'none' })}.${payload}.`,
      'symmetric algorithm': await new SignJWT({
        sub: 'local-owner',
        iss: localIssuer,
        aud: localAudience,
        iat: now,
        exp: now + 60,
      })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(hmacKey),
      'other key': await sign({}, foreign.privateKey),
      'changed claims': `${header}.${encode({ sub: 'other', iss: localIssuer, aud: localAudience, iat: now, exp: now + 60 })}.${signature}`,
      expired: await sign({ iat: now - 600, exp: now - 120 }),
      'other issuer': await sign({ iss: 'https://evil.example' }),
      'other audience': await sign({ aud: 'other' }),
      'from the future': await sign({ iat: now + 600, exp: now + 1200 }),
      'without subject': await sign({ sub: '' }),
      huge: `${'a'.repeat(9000)}.b.c`,
    };
    for (const [what, text] of Object.entries(forged)) {
      const answer = await callerOf(app, { authorization: `Bearer ${text}` })('GET', types);
      expect([what, answer.status]).toEqual([what, 401]);
    }
    const good = await callerOf(app, { authorization: `Bearer ${await sign({})}` })('GET', types);
    expect(good.status).toBe(200);
    const jwks = await callerOf(app, {})('GET', '/.well-known/jwks.json');
    expect(jwks.body.keys).toEqual([expect.objectContaining({ kty: 'EC', alg: 'ES256', kid: own.kid })]);
    expect(jwks.text).not.toContain('"d"');
    expect(deps.auth.issuer.jwks().keys).toHaveLength(1);
  });

  it('leave owner acts to the owner [ACC-3] [ACC-6] [PLN-8]', async () => {
    const { app, deps, call } = await openForTest();
    await call('GET', '/api/v1/auth/me');
    const { key } = (await call('POST', keys, { name: 'k' })).body;
    expect(key).toBeTypeOf('string');
    deps.db.prepare("UPDATE users SET role = 'member'").run();
    for (const [method, url, body] of [
      ['PUT', '/api/v1/auth/org', { name: 'Mine' }],
      ['PUT', '/api/v1/billing/plan', { plan: 'scale' }],
      ['DELETE', `${keys}/${deps.newId()}`, undefined],
    ] as const) {
      expect((await call(method, url, body)).status).toBe(403);
    }
    expect((await callerOf(app, {})('GET', '/health')).status).toBe(200);
  });

  it('keeps its secrets readable by the owner of the folder only [KEY-5]', async () => {
    const { dataDir, call } = await openForTest();
    await call('GET', types);
    const mode = (name: string) => (statSync(path.join(dataDir, name)).mode & 0o777).toString(8);
    expect(['', 'secrets', 'artifacts'].map(mode)).toEqual(['700', '700', '700']);
    expect(['secrets/issuer-key.json', 'secrets/key-hmac', 'workbench.db'].map(mode)).toEqual(['600', '600', '600']);
  });
});
