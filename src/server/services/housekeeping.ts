/** The regular work of a running service. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Auth } from '../auth/auth.ts';
import { emptyTrash } from '../data-folder/trash.ts';
import type { FolderWatch } from '../data-folder/watch.ts';
import type { Clock } from '../process/clock.ts';
import type { Log } from '../process/log.ts';
import { pruneEncodings } from '../runtime/encoding-cache.ts';
import { emptyWriteAheadLog, type WorkbenchDatabase } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { chargeHosting, type HostingDeps } from './hosting.ts';

export type RetentionDeps = { db: WorkbenchDatabase; store: Store; clock: Clock };
export type HousekeepingDeps = RetentionDeps &
  HostingDeps & { auth: Auth; log: Log; encodingsDir: string; trashDir: string; folderWatch: FolderWatch };

const dayMs = 24 * 3600 * 1000;
const hostingCheckMs = 60_000;
const keyFlushMs = 60_000;
/** Long enough for the start to be over before old records are looked for. */
const firstCleaningMs = 5_000;

/**
 * Really deletes the log records that are older than their type's retention; returns how many. Decisions go on
 * between its slices; `isStopped` ends it early, the rest goes the next time.
 */
export async function applyRetention(deps: RetentionDeps, isStopped: () => boolean = () => false): Promise<number> {
  let deleted = 0;
  for (const type of deps.store.decisionTypes.listRetentions()) {
    const before = deps.clock.now() - type.retentionDays * dayMs;
    for (const removed of deps.store.logs.forget(type.seq, before)) {
      deleted += removed;
      await nextTurn();
      if (isStopped()) return deleted;
    }
  }
  if (deleted > 0) emptyWriteAheadLog(deps.db);
  return deleted;
}

/**
 * Starts the regular work: retention of logs, embeddings and trash daily and soon after the start, hosting credits and key
 * usage looked after every minute. Work that fails is logged and done again at its next time.
 */
export function startHousekeeping(deps: HousekeepingDeps): { stop(): void } {
  let isStopped = false;
  const guarded = (work: () => unknown) => async () => {
    // Where the folder is gone, work would only make an empty one in its place.
    if (!deps.folderWatch.isIntact()) return;
    try {
      await work();
    } catch (err) {
      deps.log.error({ err }, 'housekeeping failed');
    }
  };
  const cleanUp = guarded(() => {
    pruneEncodings(deps.encodingsDir, deps.clock.now());
    emptyTrash(deps.trashDir, deps.clock.now());
    return applyRetention(deps, () => isStopped);
  });
  const firstCleaning = setTimeout(cleanUp, firstCleaningMs);
  const intervals = [
    setInterval(cleanUp, dayMs),
    setInterval(
      guarded(() => chargeHosting(deps)),
      hostingCheckMs,
    ),
    setInterval(
      guarded(() => deps.auth.apiKeys.flush()),
      keyFlushMs,
    ),
  ];
  for (const timer of [firstCleaning, ...intervals]) timer.unref();
  return {
    stop() {
      isStopped = true;
      clearTimeout(firstCleaning);
      for (const interval of intervals) clearInterval(interval);
    },
  };
}
