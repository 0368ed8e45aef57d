/** Signing in with a company's own OpenID provider: a real key server, real tokens, keys that change. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { StartError } from '../../../src/server/process/start-error.ts';
import { readCommandLine } from '../../../src/server/serve.ts';
import { callerOf, openForTest } from '../workbench.ts';

const me = '/api/v1/auth/me';
const issuer = 'https://login.example';
const audience = 'workbench';
const minuteMs = 60_000;

afterEach(() => void vi.useRealTimers());

/** A provider: signs tokens with its current key and serves the public keys, or what `answer` is set to. */
async function startProvider(alg: 'ES256' | 'RS256' | 'EdDSA' = 'ES256') {
  let number = 0;
  const make = async () => {
    number += 1;
    const pair = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: `key-${number}`, alg, use: 'sig' };
    return { privateKey: pair.privateKey, jwk };
  };
  let current = await make();
  const provider = {
    fetches: 0,
    served: [current.jwk],
    answer: null as { status: number; text: string } | null,
    jwksUrl: '',
    async rotate(): Promise<void> {
      current = await make();
      provider.served = [current.jwk];
    },
    sign(claims: Record<string, unknown> = {}): Promise<string> {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ sub: 'ada', email: 'ada@login.example', name: 'Ada', iss: issuer, aud: audience, ...claims })
        .setProtectedHeader({ alg, kid: current.jwk.kid })
        .setIssuedAt(now)
        .setExpirationTime(now + 3600)
        .sign(current.privateKey);
    },
  };
  const server = createServer((_request, response) => {
    provider.fetches += 1;
    response.writeHead(provider.answer?.status ?? 200, { 'content-type': 'application/json' });
    response.end(provider.answer?.text ?? JSON.stringify({ keys: provider.served }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  provider.jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  return provider;
}

async function open(alg?: 'ES256' | 'RS256' | 'EdDSA') {
  // the provider's keys are kept by the wall clock, which these tests move
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const provider = await startProvider(alg);
  const opened = await openForTest({ oidc: { issuer, audience, jwksUrl: provider.jwksUrl } });
  const as = (token: string) => callerOf(opened.app, { authorization: `Bearer ${token}` });
  return { ...opened, provider, as, later: (ms: number) => void vi.setSystemTime(Date.now() + ms) };
}

describe('a company that signs in with its own provider', () => {
  it('makes a user of the organisation at the first login and knows them afterwards [AUT-4] [AUT-12]', async () => {
    const { provider, as, call } = await open();
    const owner = (await call('GET', me)).body;
    const first = await as(await provider.sign())('GET', me);
    expect(first.body).toMatchObject({
      user: { name: 'Ada', email: 'ada@login.example', role: 'member' },
      organisation: { id: owner.organisation.id },
    });
    const again = await as(await provider.sign({ email: 'new@login.example' }))('GET', me);
    expect(again.body.user.id).toBe(first.body.user.id);
    const other = await as(await provider.sign({ sub: 'grace', name: undefined }))('GET', me);
    expect(other.body.user).toMatchObject({ name: 'ada@login.example', role: 'member' });
    expect(other.body.user.id).not.toBe(first.body.user.id);
    expect((await as(await provider.sign())('PUT', '/api/v1/auth/org', { name: 'Mine' })).status).toBe(403);
    expect((await as(await provider.sign())('POST', '/api/v1/api-keys', { name: 'shop' })).status).toBe(201);
  });

  it('gives the organisation to whoever comes first, and always to the owner of the data folder', async () => {
    const { provider, as, call } = await open();
    expect((await as(await provider.sign())('GET', me)).body.user.role).toBe('owner');
    expect((await as(await provider.sign({ sub: 'grace' }))('GET', me)).body.user.role).toBe('member');
    expect((await call('GET', me)).body.user.role).toBe('owner');
  });

  for (const alg of ['RS256', 'EdDSA'] as const) {
    it(`may sign with ${alg}`, async () => {
      const { provider, as } = await open(alg);
      expect((await as(await provider.sign())('GET', me)).status).toBe(200);
    });
  }

  it('is asked for its keys once, and again when they are old or a token names a new one', async () => {
    const { provider, as, later } = await open();
    for (const sub of ['a', 'b', 'c']) expect((await as(await provider.sign({ sub }))('GET', me)).status).toBe(200);
    expect(provider.fetches).toBe(1);
    later(31_000);
    await provider.rotate();
    expect((await as(await provider.sign())('GET', me)).status).toBe(200);
    expect(provider.fetches).toBe(2);
    later(11 * minuteMs);
    expect((await as(await provider.sign())('GET', me)).status).toBe(200);
    expect(provider.fetches).toBe(3);
  });

  it('is not flooded by tokens that name keys nobody has', async () => {
    const { provider, as } = await open();
    const stranger = await startProvider();
    await stranger.rotate();
    expect((await as(await provider.sign())('GET', me)).status).toBe(200);
    for (const sub of ['a', 'b', 'c', 'd']) {
      expect((await as(await stranger.sign({ sub }))('GET', me)).status).toBe(401);
    }
    expect(provider.fetches).toBe(1);
  });

  it('ends the sessions of a key that it withdrew', async () => {
    const { provider, as, later } = await open();
    const token = await provider.sign();
    expect((await as(token)('GET', me)).status).toBe(200);
    await provider.rotate();
    later(11 * minuteMs);
    expect((await as(token)('GET', me)).body.error.code).toBe('unauthorized');
  });

  it('is believed only for its own tokens to us [AUT-11]', async () => {
    const { provider, as } = await open();
    const stranger = await startProvider();
    const refused = {
      'another audience': await provider.sign({ aud: 'payroll' }),
      'another issuer': await provider.sign({ iss: 'https://login.example.evil' }),
      'another key under the same name': await stranger.sign(),
      'no subject': await provider.sign({ sub: '' }),
      'no audience': await provider.sign({ aud: undefined }),
      'our own issuer, their key': await provider.sign({ iss: 'urn:decision-workbench:local', sub: 'local-owner' }),
    };
    for (const [what, token] of Object.entries(refused)) {
      expect([what, (await as(token)('GET', me)).status]).toEqual([what, 401]);
    }
  });

  it('that cannot be reached or answers nonsense is said to be unavailable; others go on', async () => {
    const { provider, as, call } = await open();
    for (const answer of [
      { status: 500, text: 'oops' },
      { status: 200, text: '<html>' },
      { status: 200, text: '{"keys":7}' },
      { status: 302, text: '' },
    ]) {
      provider.answer = answer;
      const { status, body } = await as(await provider.sign())('GET', me);
      expect([answer, status, body.error.code]).toEqual([answer, 503, 'unavailable']);
    }
    expect((await call('GET', me)).status).toBe(200);
    provider.answer = null;
    expect((await as(await provider.sign())('GET', me)).status).toBe(200);
  });

  it('is set with issuer, audience and an address of its keys that nobody can read on the way', () => {
    const read = (jwks: string) =>
      readCommandLine(['serve', '--oidc-issuer', issuer, '--oidc-audience', audience, '--oidc-jwks', jwks], {});
    expect(read('https://login.example/keys')).toMatchObject({ options: { oidc: { issuer, audience } } });
    expect(read('http://127.0.0.1:9000/keys')).toMatchObject({ command: 'serve' });
    for (const wrong of ['http://login.example/keys', 'file:///etc/passwd', 'keys']) {
      expect(() => read(wrong)).toThrow(StartError);
    }
    expect(() => readCommandLine(['serve', '--oidc-issuer', issuer], {})).toThrow(/together/);
  });
});
