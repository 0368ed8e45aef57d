import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ShownCredentials } from '../hot-path/shown-credentials.ts';
import type { Clock } from '../process/clock.ts';
import type { ApiKeyRow } from '../store/accounts.ts';
import type { Store } from '../store/store.ts';

const keyPattern = /^[0-9a-f]{64}$/;
const prefixLength = 8;
const maxCachedPrefixes = 10_000;

/** True when the token has the form of an API key (64 hexadecimal characters). */
export function looksLikeApiKey(token: string): boolean {
  return keyPattern.test(token);
}

/**
 * API keys. Kept are a random salt and HMAC-SHA-256(server key, salt ‖ key); the key itself is returned once, by
 * `create`. `verify` compares in constant time and asks the database only for a prefix it has not seen. Revoking counts
 * from the next call.
 */
export function createApiKeys(store: Store, clock: Clock, newId: () => string, serverKey: Buffer) {
  const byPrefix = new Map<string, ApiKeyRow[]>();
  const shown = new ShownCredentials<ApiKeyRow>();
  const lastUsed = new Map<string, number>();
  const digest = (salt: Buffer, key: string) => createHmac('sha256', serverKey).update(salt).update(key).digest();

  return {
    create(organisationId: string, name: string, rateLimitPerMinute: number): { row: ApiKeyRow; key: string } {
      const key = randomBytes(32).toString('hex');
      const salt = randomBytes(16);
      const row: ApiKeyRow = {
        id: newId(),
        organisationId,
        name,
        prefix: key.slice(0, prefixLength),
        salt,
        digest: digest(salt, key),
        rateLimitPerMinute,
        createdAt: clock.now(),
        lastUsedAt: null,
      };
      store.accounts.insertKey(row);
      byPrefix.clear();
      return { row, key };
    },
    verify(key: string, connection: object): ApiKeyRow | null {
      const known = shown.find(connection, key);
      if (known !== null) {
        lastUsed.set(known.id, clock.now());
        return known;
      }
      const prefix = key.slice(0, prefixLength);
      let rows = byPrefix.get(prefix);
      if (rows === undefined) {
        rows = store.accounts.keysByPrefix(prefix);
        if (byPrefix.size >= maxCachedPrefixes) byPrefix.clear();
        byPrefix.set(prefix, rows);
      }
      for (const row of rows) {
        if (timingSafeEqual(digest(row.salt, key), row.digest)) {
          lastUsed.set(row.id, clock.now());
          shown.remember(connection, key, row);
          return row;
        }
      }
      return null;
    },
    revoke(id: string, organisationId: string): boolean {
      const revoked = store.accounts.revokeKey(id, organisationId, clock.now());
      byPrefix.clear();
      shown.clear();
      return revoked;
    },
    lastUsedAt: (row: ApiKeyRow): number | null => lastUsed.get(row.id) ?? row.lastUsedAt,
    /** Writes when keys were last used; called now and then, because a write per call would cost a disk flush. */
    flush(): void {
      if (lastUsed.size === 0) return;
      store.transaction(() => {
        for (const [id, at] of lastUsed) store.accounts.markKeyUsed(id, at);
      });
      lastUsed.clear();
    },
  };
}

export type ApiKeys = ReturnType<typeof createApiKeys>;
