import { chargeHosting } from './metering/hosting.ts';
import type { Deps } from './operations/context.ts';
import { emptyWriteAheadLog } from './store/database.ts';

const dayMs = 24 * 3600 * 1000;
const hostingCheckMs = 60_000;
const keyFlushMs = 60_000;

/** Really deletes the log records that are older than their type's retention; returns how many. */
export function forgetOldLogs(deps: Pick<Deps, 'db' | 'store' | 'clock'>): number {
  let forgotten = 0;
  for (const type of deps.store.decisionTypes.all()) {
    if (type.retentionDays === null) continue;
    const before = deps.clock.now() - type.retentionDays * dayMs;
    for (;;) {
      const removed = deps.store.logs.forget(type.seq, before);
      forgotten += removed;
      if (removed === 0) break;
    }
  }
  if (forgotten > 0) emptyWriteAheadLog(deps.db);
  return forgotten;
}

/** Starts the regular work: retention daily (and at the start), hosting credits by the hour, key usage every minute. */
export function startHousekeeping(deps: Deps): { stop(): void } {
  const guarded = (work: () => void) => () => {
    try {
      work();
    } catch (err) {
      deps.log.error({ err }, 'housekeeping failed');
    }
  };
  const timers = [
    setTimeout(
      guarded(() => forgetOldLogs(deps)),
      5_000,
    ),
    setInterval(
      guarded(() => forgetOldLogs(deps)),
      dayMs,
    ),
    setInterval(
      guarded(() => chargeHosting(deps)),
      hostingCheckMs,
    ),
    setInterval(
      guarded(() => deps.auth.apiKeys.flush()),
      keyFlushMs,
    ),
  ];
  for (const timer of timers) timer.unref();
  return {
    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
