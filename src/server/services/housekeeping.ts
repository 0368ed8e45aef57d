import { setImmediate as nextTurn } from 'node:timers/promises';
import { chargeHosting } from '../metering/hosting.ts';
import type { Deps } from '../operations/context.ts';
import { encodingsFolder, pruneEncodings } from '../runtime/encoding-cache.ts';
import { emptyWriteAheadLog } from '../store/database.ts';

const dayMs = 24 * 3600 * 1000;
const hostingCheckMs = 60_000;
const keyFlushMs = 60_000;

/**
 * Really deletes the log records that are older than their type's retention; returns how many. Decisions go on
 * between its slices; `stopped` ends it early, the rest goes the next time.
 */
export async function applyRetention(
  deps: Pick<Deps, 'db' | 'store' | 'clock'>,
  stopped: () => boolean = () => false,
): Promise<number> {
  let forgotten = 0;
  for (const type of deps.store.decisionTypes.listRetentions()) {
    const before = deps.clock.now() - type.retentionDays * dayMs;
    for (const removed of deps.store.logs.forget(type.seq, before)) {
      forgotten += removed;
      await nextTurn();
      if (stopped()) return forgotten;
    }
  }
  if (forgotten > 0) emptyWriteAheadLog(deps.db);
  return forgotten;
}

/** Starts the regular work: retention of logs and of embeddings daily (and at the start), hosting credits by the hour, key usage every minute. */
export function startHousekeeping(deps: Deps): { stop(): void } {
  let stopped = false;
  const guarded = (work: () => unknown) => async () => {
    try {
      await work();
    } catch (err) {
      deps.log.error({ err }, 'housekeeping failed');
    }
  };
  const timers = [
    setTimeout(
      guarded(() => {
        pruneEncodings(encodingsFolder(deps.options.dataDir), deps.clock.now());
        return applyRetention(deps, () => stopped);
      }),
      5_000,
    ),
    setInterval(
      guarded(() => applyRetention(deps, () => stopped)),
      dayMs,
    ),
    setInterval(
      guarded(() => pruneEncodings(encodingsFolder(deps.options.dataDir), deps.clock.now())),
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
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
