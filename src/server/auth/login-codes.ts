/** One-time codes that sign in the browser of a person who can read the data folder. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../process/clock.ts';
import type { Store } from '../store/store.ts';

const validMs = 10 * 60_000;

/** Makes and takes login codes; only their digests are stored. */
export function createLoginCodes(store: Pick<Store, 'accounts'>, clock: Clock, serverKey: Buffer) {
  const toDigest = (code: string) => createHmac('sha256', serverKey).update('login').update(code).digest();
  return {
    /** Makes a code that can be taken once, within ten minutes. */
    create(): string {
      const code = randomBytes(24).toString('base64url');
      store.accounts.insertLoginCode(toDigest(code), clock.now() + validMs);
      return code;
    },
    /** Takes a code away; returns whether it was valid. */
    take: (code: string): boolean => store.accounts.takeLoginCode(toDigest(code), clock.now()),
  };
}
