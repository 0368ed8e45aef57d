/** The rate limit of API keys, and of addresses that send wrong credentials. */
import type { Clock } from '../process/clock.ts';

const windowMs = 60_000;
const maxKeys = 10_000;

export type RateVerdict = {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds at which the window ends. */
  resetAt: number;
  retryAfter: number;
};

/** Windows of a minute per caller from its first call: exactly `limit` calls. A full table forgets the oldest. */
export function createRateLimiter(clock: Clock) {
  const windows = new Map<string, { endsAt: number; used: number; limit: number }>();

  /** Forgets the windows that are over or, where none is, the oldest. */
  function makeRoom(now: number): void {
    for (const [id, { endsAt }] of windows) if (now >= endsAt) windows.delete(id);
    const [oldest] = windows.keys();
    if (windows.size >= maxKeys && oldest !== undefined) windows.delete(oldest);
  }

  const limiter = {
    /** Counts one call of a key; a call over the limit is not counted. */
    take(key: string, limit: number): RateVerdict {
      const now = clock.monotonic();
      let window = windows.get(key);
      if (window === undefined || now >= window.endsAt) {
        if (windows.size >= maxKeys) makeRoom(now);
        window = { endsAt: now + windowMs, used: 0, limit };
        windows.set(key, window);
      }
      const allowed = window.used < limit;
      if (allowed) window.used += 1;
      const leftMs = window.endsAt - now;
      return {
        allowed,
        limit,
        remaining: limit - window.used,
        resetAt: Math.ceil((clock.now() + leftMs) / 1000),
        retryAfter: Math.max(1, Math.ceil(leftMs / 1000)),
      };
    },
    /** Counts a further call of a request that `take` has counted, under its limit; null for a key never counted. */
    takeFurther(key: string): RateVerdict | null {
      const window = windows.get(key);
      return window === undefined ? null : limiter.take(key, window.limit);
    },
  };
  return limiter;
}
