/** The rate limit of API keys. */
import type { Clock } from '../process/clock.ts';

const windowMs = 60_000;
const maxKeys = 10_000;

export type RateVerdict = {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds at which the window ends. */
  resetAt: number;
  /** Seconds to wait, rounded up. */
  retryAfter: number;
};

/**
 * Fixed windows of one minute per key, on the monotonic clock: exactly `limit` calls of a window are allowed. The
 * window starts with the first call in it.
 */
export function createRateLimiter(clock: Clock) {
  const windows = new Map<string, { endsAt: number; used: number }>();
  return {
    /** Counts one call of a key; a call over the limit is not counted. */
    take(key: string, limit: number): RateVerdict {
      const now = clock.monotonic();
      let window = windows.get(key);
      if (window === undefined || now >= window.endsAt) {
        if (windows.size >= maxKeys) for (const [id, other] of windows) if (now >= other.endsAt) windows.delete(id);
        window = { endsAt: now + windowMs, used: 0 };
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
  };
}
