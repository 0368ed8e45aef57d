import { createHash } from 'node:crypto';
import type { Clock } from '../process/clock.ts';
import type { UserRecord } from '../store/account/accounts.ts';
import type { Store } from '../store/store.ts';
import { type Identity, type Issuer, localIssuer } from './issuer.ts';

const maxKnownTokens = 1_000;
/** A token of an external provider is verified again after this long, so that a withdrawn key ends its sessions. */
const externalTokenMs = 5 * 60_000;

type Deps = {
  store: Pick<Store, 'accounts' | 'transaction'>;
  issuer: Pick<Issuer, 'verify'>;
  clock: Clock;
  newId(): string;
};

/** Makes the reader of session tokens: it returns their user, made with the first token, or null. */
export function createSessions(deps: Deps): (token: string) => Promise<UserRecord | null> {
  const { store, issuer, clock } = deps;
  /** Tokens that were verified before, by their digest, until they expire. */
  const known = new Map<string, { userId: string; expiresAt: number }>();
  return async (token) => {
    const digest = createHash('sha256').update(token).digest('base64');
    const session = known.get(digest);
    if (session !== undefined && session.expiresAt > clock.now()) return store.accounts.getUser(session.userId);
    const identity = await issuer.verify(token);
    if (identity === null) return null;
    const user = findOrAddUser(deps, identity);
    if (known.size >= maxKnownTokens) known.clear();
    const isExternal = identity.issuer !== localIssuer;
    const expiresAt = isExternal ? Math.min(identity.expiresAt, clock.now() + externalTokenMs) : identity.expiresAt;
    known.set(digest, { userId: user.id, expiresAt });
    return user;
  };
}

/** The first user brings the organisation into being; all later ones belong to it. */
function findOrAddUser({ store, clock, newId }: Deps, identity: Identity): UserRecord {
  const { accounts } = store;
  // Nobody who is known waits for a process that writes.
  const known = accounts.getUserBySubject(identity.issuer, identity.subject);
  if (known !== null) return known;
  return store.transaction(() => {
    const now = clock.now();
    const organisation = accounts.getFirstOrganisation();
    const organisationId = organisation?.id ?? newId();
    if (organisation === null) accounts.insertOrganisation(organisationId, 'My organisation', now);
    const user: UserRecord = {
      id: newId(),
      organisationId,
      email: identity.email,
      name: identity.name ?? identity.email ?? 'User',
      // Who can read the data folder owns it, even if a user of an external provider came first.
      role: organisation === null || identity.issuer === localIssuer ? 'owner' : 'member',
      createdAt: now,
    };
    accounts.insertUser({ ...user, issuer: identity.issuer, subject: identity.subject });
    return user;
  });
}
