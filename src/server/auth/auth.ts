import { createHash, createHmac, randomBytes } from 'node:crypto';
import { WorkbenchError } from '../../engine/errors.ts';
import type { Access } from '../contract/operation.ts';
import type { Clock } from '../process/clock.ts';
import type { ServerOptions } from '../process/options.ts';
import type { UserRow } from '../store/accounts.ts';
import type { Store } from '../store/store.ts';
import { createApiKeys, looksLikeApiKey } from './api-keys.ts';
import type { Caller } from './caller.ts';
import { createIssuer, type Identity, localIssuer } from './issuer.ts';
import { createRateLimiter, type RateVerdict } from './rate-limit.ts';
import { createPiiRedactor } from './redaction.ts';
import { readOrMakeSecret } from './secrets.ts';

const loginCodeMs = 10 * 60_000;
const maxKnownTokens = 1_000;
/** A token of an external provider is verified again after this long, so that a withdrawn key ends its sessions. */
const externalTokenMs = 5 * 60_000;

export type Authenticated = { caller: Caller; rate: RateVerdict | null };

/** Who is calling: API keys, session tokens, login codes, and what the key of the data folder protects. */
export function createAuth(
  options: Pick<ServerOptions, 'dataDir' | 'oidc'>,
  store: Store,
  clock: Clock,
  newId: () => string,
) {
  const serverKey = Buffer.from(
    readOrMakeSecret(options.dataDir, 'key-hmac', () => randomBytes(32).toString('hex')),
    'hex',
  );
  const apiKeys = createApiKeys(store, clock, newId, serverKey);
  const issuer = createIssuer(options, clock);
  const limiter = createRateLimiter(clock);
  /** Tokens that were verified before: digest → user, until they expire. */
  const known = new Map<string, { userId: string; expiresAt: number }>();

  const firstLogin = (identity: Identity): UserRow =>
    store.transaction(() => {
      const existing = store.accounts.userBySubject(identity.issuer, identity.subject);
      if (existing !== null) return existing;
      const now = clock.now();
      const organisation = store.accounts.firstOrganisation();
      const organisationId = organisation?.id ?? newId();
      if (organisation === null) store.accounts.insertOrganisation(organisationId, 'My organisation', now);
      const user: UserRow = {
        id: newId(),
        organisationId,
        email: identity.email,
        name: identity.name ?? identity.email ?? 'User',
        // whoever can read the data folder owns it, even if a user of an external provider came first
        role: organisation === null || identity.issuer === localIssuer ? 'owner' : 'member',
        createdAt: now,
      };
      store.accounts.insertUser({ ...user, issuer: identity.issuer, subject: identity.subject });
      return user;
    });

  const callerOf = (user: UserRow): Caller => ({
    kind: 'jwt',
    organisationId: user.organisationId,
    organisationSeq: store.accounts.organisation(user.organisationId).seq,
    apiKeyId: null,
    userId: user.id,
    role: user.role,
  });

  const authenticateToken = async (token: string): Promise<Authenticated | null> => {
    const digest = createHash('sha256').update(token).digest('base64');
    const seen = known.get(digest);
    if (seen !== undefined && seen.expiresAt > clock.now()) {
      const user = store.accounts.user(seen.userId);
      return user === null ? null : { caller: callerOf(user), rate: null };
    }
    const identity = await issuer.verify(token);
    if (identity === null) return null;
    const user = firstLogin(identity);
    if (known.size >= maxKnownTokens) known.clear();
    const external = identity.issuer !== localIssuer;
    const expiresAt = external ? Math.min(identity.expiresAt, clock.now() + externalTokenMs) : identity.expiresAt;
    known.set(digest, { userId: user.id, expiresAt });
    return { caller: callerOf(user), rate: null };
  };

  return {
    apiKeys,
    issuer,
    /** Replaces personal fields by keyed digests. */
    redact: createPiiRedactor(serverKey),
    /**
     * Reads an Authorization header that came over `connection`. null: not to be believed. A key's call is counted in
     * its window; whether it is over the limit stands in `rate.allowed`.
     */
    authenticate(header: string, connection: object): Authenticated | null | Promise<Authenticated | null> {
      const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
      if (token === undefined) return null;
      if (!looksLikeApiKey(token)) return authenticateToken(token);
      const row = apiKeys.verify(token, connection);
      if (row === null) return null;
      return {
        caller: {
          kind: 'key',
          organisationId: row.organisationId,
          organisationSeq: store.accounts.organisation(row.organisationId).seq,
          apiKeyId: row.id,
          userId: null,
          role: 'member',
        },
        rate: limiter.take(row.id, row.rateLimitPerMinute),
      };
    },
    /** Throws `unauthorized` or `forbidden` unless the caller may use an operation of this access. */
    authorise(caller: Caller | null, access: Access): void {
      if (access === 'public') return;
      if (caller === null) throw new WorkbenchError('unauthorized', 'Credentials are missing or not valid.');
      if (access === 'key') return;
      if (caller.kind === 'key') {
        throw new WorkbenchError('forbidden', 'An API key cannot be used here; sign in instead.');
      }
      if (access === 'owner' && caller.role !== 'owner') {
        throw new WorkbenchError('forbidden', 'Only the owner of the organisation may do this.');
      }
    },
    /** A code that can be exchanged once, within ten minutes, for a session. */
    makeLoginCode(): string {
      const code = randomBytes(24).toString('base64url');
      store.accounts.insertLoginCode(digestOfCode(code), clock.now() + loginCodeMs);
      return code;
    },
    async exchangeLoginCode(code: string): Promise<{ token: string; expiresAt: number }> {
      if (!store.accounts.takeLoginCode(digestOfCode(code), clock.now())) {
        throw new WorkbenchError('unauthorized', 'The login code is not valid any more.');
      }
      return issuer.issue();
    },
  };

  function digestOfCode(code: string): Buffer {
    return createHmac('sha256', serverKey).update('login').update(code).digest();
  }
}

export type Auth = ReturnType<typeof createAuth>;
