/** Who is calling: API keys, session tokens, login codes, and what the key of the data folder protects. */
import { randomBytes } from 'node:crypto';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Access, Scope } from '../contract/operation.ts';
import type { Clock } from '../process/clock.ts';
import type { ServerOptions } from '../process/options.ts';
import type { ApiKeyRecord, UserRecord } from '../store/account/accounts.ts';
import type { Store } from '../store/store.ts';
import { createApiKeys, looksLikeApiKey } from './api-keys.ts';
import type { Caller } from './caller.ts';
import { createIssuer } from './issuer.ts';
import { createLoginCodes } from './login-codes.ts';
import { createRateLimiter, type RateVerdict } from './rate-limit.ts';
import { createPiiRedactor } from './redaction.ts';
import { createSealing } from './sealing.ts';
import { readOrMakeSecret, type SecretKind } from './secrets.ts';
import { createSessions } from './sessions.ts';

/** A caller with, for an API key, its place in the window of the rate limit. */
export type Authenticated = { caller: Caller; rate: RateVerdict | null };

/** The key under which digests of API keys, personal fields and repeated calls are made. */
export const serverKeyKind: SecretKind = {
  name: 'key-hmac',
  make: () => randomBytes(32).toString('hex'),
  isSound: (text) => /^[0-9a-f]{64}$/.test(text),
};

/** Opens the credentials of a data folder; its keys are made on the first start. */
export function createAuth(
  options: Pick<ServerOptions, 'dataDir' | 'oidc'>,
  store: Store,
  clock: Clock,
  newId: () => string,
) {
  const serverKey = Buffer.from(readOrMakeSecret(options.dataDir, serverKeyKind), 'hex');
  const apiKeys = createApiKeys(store, clock, newId, serverKey);
  const issuer = createIssuer(options, clock);
  const findUser = createSessions({ store, issuer, clock, newId });
  const loginCodes = createLoginCodes(store, clock, serverKey);
  const limiter = createRateLimiter(clock);

  async function authenticateToken(token: string): Promise<Authenticated | null> {
    const user = await findUser(token);
    return user === null ? null : { caller: toUserCaller(store, user), rate: null };
  }

  return {
    apiKeys,
    issuer,
    redact: createPiiRedactor(serverKey),
    sealing: createSealing(serverKey),
    /** Reads an Authorization header; null where it is not to be believed. Counts a key's call (`rate.allowed`). */
    authenticate(header: string, connection: object): Authenticated | null | Promise<Authenticated | null> {
      const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
      if (token === undefined) return null;
      if (!looksLikeApiKey(token)) return authenticateToken(token);
      const key = apiKeys.verify(token, connection);
      if (key === null) return null;
      return { caller: toKeyCaller(store, key), rate: limiter.take(key.id, key.rateLimitPerMinute) };
    },
    /** Counts a further call that came in a request of this caller; null where no limit applies. */
    countFurtherCall: (caller: Caller): RateVerdict | null =>
      caller.apiKeyId === null ? null : limiter.takeFurther(caller.apiKeyId),
    /** Throws `unauthorized` or `forbidden` unless the caller may use an operation of this access and scope. */
    authorise,
    /** Makes a code that can be exchanged once, within ten minutes, for a session. */
    makeLoginCode: (): string => loginCodes.create(),
    /** Makes a session token for a login code; rejects with `unauthorized` when the code is not valid. */
    async exchangeLoginCode(code: string): Promise<{ token: string; expiresAt: number }> {
      if (!loginCodes.take(code)) {
        throw new WorkbenchError('unauthorized', 'The login code is not valid any more.');
      }
      return issuer.issue();
    },
  };
}

export type Auth = ReturnType<typeof createAuth>;

function toUserCaller(store: Pick<Store, 'accounts'>, user: UserRecord): Caller {
  return {
    kind: 'jwt',
    organisationId: user.organisationId,
    organisationSeq: store.accounts.getOrganisation(user.organisationId).seq,
    apiKeyId: null,
    userId: user.id,
    role: user.role,
    scopes: null,
    allowsDestructive: true,
  };
}

function toKeyCaller(store: Pick<Store, 'accounts'>, key: ApiKeyRecord): Caller {
  return {
    kind: 'key',
    organisationId: key.organisationId,
    organisationSeq: store.accounts.getOrganisation(key.organisationId).seq,
    apiKeyId: key.id,
    userId: null,
    role: 'member',
    scopes: key.scopes,
    // Scopes that were chosen say what may be replaced as well.
    allowsDestructive: key.scopes !== null || key.allowsDestructive,
  };
}

/** Throws `forbidden` unless the caller may act in this scope. */
export const hasScope = ({ scopes }: Pick<Caller, 'scopes'>, scope: Scope): boolean =>
  scopes === null || scopes.includes(scope);

/** Throws `forbidden`, naming the scope, unless the caller has it. */
export function requireScope(caller: Pick<Caller, 'scopes'>, scope: Scope): void {
  if (hasScope(caller, scope)) return;
  throw new WorkbenchError(
    'forbidden',
    `The API key needs the scope ${scope}; it has ${caller.scopes?.join(', ')}. Keys with other scopes are made under Settings.`,
  );
}

function authorise(caller: Caller | null, access: Access, scope: Scope | undefined): void {
  if (access === 'public') return;
  if (caller === null) throw new WorkbenchError('unauthorized', 'Credentials are missing or not valid.');
  if (access === 'key') {
    if (scope !== undefined) requireScope(caller, scope);
    return;
  }
  if (caller.kind === 'key') {
    throw new WorkbenchError('forbidden', 'An API key cannot be used here; sign in instead.');
  }
  if (access === 'owner' && caller.role !== 'owner') {
    throw new WorkbenchError('forbidden', 'Only the owner of the organisation may do this.');
  }
}
