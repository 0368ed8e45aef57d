import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ShownCredentials } from '../hot-path/shown-credentials.ts';
import type { Clock } from '../process/clock.ts';
import type { ApiKeyRecord } from '../store/account/accounts.ts';
import type { Store } from '../store/store.ts';

const keyPattern = /^[0-9a-f]{64}$/;
const prefixLength = 8;
const maxCachedPrefixes = 10_000;

type KeySettings = Pick<
  ApiKeyRecord,
  'name' | 'rateLimitPerMinute' | 'scopes' | 'allowsDestructive' | 'madeBy' | 'holder'
>;

/** True when the token has the form of an API key (64 hexadecimal characters). */
export function looksLikeApiKey(token: string): boolean {
  return keyPattern.test(token);
}

/**
 * API keys, kept as a random salt and HMAC-SHA-256(server key, salt ‖ key). `verify` compares in constant time;
 * revoking counts from the next call.
 */
export function createApiKeys(store: Store, clock: Clock, newId: () => string, serverKey: Buffer) {
  const byPrefix = new Map<string, ApiKeyRecord[]>();
  const shown = new ShownCredentials<ApiKeyRecord>();
  const lastUsed = new Map<string, number>();
  const digest = (salt: Buffer, key: string) => createHmac('sha256', serverKey).update(salt).update(key).digest();

  return {
    /** Makes a key of an organisation; `key` is not kept and cannot be shown again. */
    create(organisationId: string, settings: KeySettings): { record: ApiKeyRecord; key: string } {
      const key = randomBytes(32).toString('hex');
      const salt = randomBytes(16);
      const record: ApiKeyRecord = {
        id: newId(),
        ...settings,
        organisationId,
        prefix: key.slice(0, prefixLength),
        salt,
        digest: digest(salt, key),
        createdAt: clock.now(),
        lastUsedAt: null,
      };
      store.accounts.insertKey(record);
      byPrefix.clear();
      return { record, key };
    },
    /** Returns the record of a key in force that came over `connection`, or null; a use is noted. */
    verify(key: string, connection: object): ApiKeyRecord | null {
      const known = shown.find(connection, key);
      if (known !== null) {
        lastUsed.set(known.id, clock.now());
        return known;
      }
      const prefix = key.slice(0, prefixLength);
      let candidates = byPrefix.get(prefix);
      if (candidates === undefined) {
        candidates = store.accounts.listKeysByPrefix(prefix);
        if (byPrefix.size >= maxCachedPrefixes) byPrefix.clear();
        byPrefix.set(prefix, candidates);
      }
      for (const record of candidates) {
        if (timingSafeEqual(digest(record.salt, key), record.digest)) {
          lastUsed.set(record.id, clock.now());
          shown.remember(connection, key, record);
          return record;
        }
      }
      return null;
    },
    /** Returns false when the organisation has no such key in force. */
    revoke(id: string, organisationId: string): boolean {
      const revoked = store.accounts.revokeKey(id, organisationId, clock.now());
      byPrefix.clear();
      shown.clear();
      return revoked;
    },
    /** Returns when a key was last used, also where that is not written yet; null: never. */
    lastUsedAt: (record: ApiKeyRecord): number | null => lastUsed.get(record.id) ?? record.lastUsedAt,
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
