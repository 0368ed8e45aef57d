/** The regular work of a running service. */

import { rmSync } from 'node:fs';
import { receiptLifeMs } from '../../../door/errors/keyed-calls.ts';
import { nextTurn } from '../../../door/turns.ts';
import { toFolderPaths } from '../../data-folder/folder.ts';
import { emptyTrash } from '../../data-folder/trash.ts';
import type { Foundation } from '../../foundation.ts';
import { writeDurably } from '../../process/durable-file.ts';
import { artifactPath } from '../../runtime/deployed-deciders.ts';
import { pruneEncodings } from '../../runtime/encoder/encoding-cache.ts';
import { emptyWriteAheadLog } from '../../store/database.ts';
import { chargeHosting } from '../account/connections.ts';
import { retryUnavailablePolicies } from '../policies/deployment.ts';
import { continueClearing } from '../types/personal-data.ts';
import { restorableMs } from '../types/type-deletion.ts';
import type { Alerts } from './alerts.ts';
import type { TrustedTime } from './trusted-time.ts';

type RetentionDeps = Foundation & { trustedTime: TrustedTime };
type HousekeepingDeps = RetentionDeps & {
  alerts: Alerts;
  artifactsDir: string;
  encodingsDir: string;
  trashDir: string;
};

const dayMs = 24 * 3600 * 1000;
/** How long a record past its retention can be restored. */
const graceMs = 2 * dayMs;
/** Often enough for a machine that never runs a whole day. */
const cleaningMs = 3_600_000;
const clockLookMs = 60_000;
/** So much of the end of the log may go with the write-ahead log and not be missed. */
const headMs = 60_000;
const alertLookMs = 60_000;
const hostingCheckMs = 60_000;
const keyFlushMs = 60_000;
const receiptCheckMs = 10 * 60_000;
/** How often policies are looked for whose next try is due; finding none costs nothing. */
const retryCheckMs = 1_000;
const clearingCheckMs = 1_000;
/** An encoder holds some 300 MB: one that was loaded for a label or a look is not held for good. */
const encoderReleaseMs = 5 * 60_000;
/** Long enough for the start to be over before old records are looked for. */
const firstCleaningMs = 5_000;

/** Takes expired records out of the log, for good after two days or with personal fields; returns how many. */
export async function applyRetention(deps: RetentionDeps, isStopped: () => boolean = () => false): Promise<number> {
  const { store, trustedTime } = deps;
  const now = trustedTime.now();
  let removed = 0;
  let deleted = 0;
  for (const { seq, retentionDays, hasPersonalFields } of store.decisionTypes.listRetentions()) {
    const before = now - retentionDays * dayMs;
    for (const some of store.logs.forget(seq, before, hasPersonalFields ? null : now)) {
      removed += some;
      if (hasPersonalFields) deleted += some;
      await nextTurn();
      if (isStopped()) return removed;
    }
  }
  for (const some of store.logs.purge(now - graceMs)) {
    deleted += some;
    await nextTurn();
    if (isStopped()) return removed;
  }
  store.activity.forget(now);
  if (deleted > 0) await emptyWriteAheadLog(deps.db);
  return removed;
}

/** Removes the answers of calls with an Idempotency-Key that are older than a day; returns how many. */
export async function removeReceipts({ store, trustedTime }: RetentionDeps): Promise<number> {
  const now = trustedTime.now();
  let removed = 0;
  for (;;) {
    const some = store.receipts.removeBefore(now - receiptLifeMs);
    if (some === 0) return removed;
    removed += some;
    await nextTurn();
  }
}

/** Starts the regular work, hourly or oftener; work that fails is logged and done again at its next time. */
export function startHousekeeping(deps: HousekeepingDeps): { stop(): void } {
  let isStopped = false;
  const guarded = (work: () => unknown) => async () => {
    // Where the folder is gone, work would only make an empty one in its place.
    if (!deps.folderWatch.isIntact()) return;
    try {
      // Work that need not wait is done in its own turn.
      if (!deps.store.writeLock.isFree()) await deps.store.writeLock.whenFree();
      await work();
    } catch (err) {
      deps.log.error({ err }, 'housekeeping failed');
    }
  };
  const cleaning = [
    () => pruneEncodings(deps.encodingsDir, deps.trustedTime.now()),
    () => emptyTrash(deps.trashDir, deps.trustedTime.now()),
    () => applyRetention(deps, () => isStopped),
    () => removeExpiredTypes(deps, () => isStopped),
  ].map(guarded);
  const lookForAlerts = guarded(() => deps.alerts.look());
  const cleanUp = async () => {
    // A look at alerts may take long; the clean-up does not wait for it.
    for (const clean of cleaning) await clean();
    await lookForAlerts();
  };
  const look = guarded(() => deps.trustedTime.look());
  let keptHead = '';
  const keepHead = guarded(() => {
    const head = JSON.stringify(deps.store.logs.readHead());
    if (head !== keptHead) writeDurably(toFolderPaths(deps.options.dataDir).logHead, Buffer.from(head));
    keptHead = head;
  });
  let isClearing = false;
  const clear = guarded(async () => {
    if (isClearing) return;
    isClearing = true;
    try {
      await continueClearing(deps, () => isStopped);
    } finally {
      isClearing = false;
    }
  });
  void look();
  const firstCleaning = setTimeout(cleanUp, firstCleaningMs);
  const intervals = [
    setInterval(cleanUp, cleaningMs),
    setInterval(look, clockLookMs),
    setInterval(keepHead, headMs),
    setInterval(lookForAlerts, alertLookMs),
    setInterval(clear, clearingCheckMs),
    setInterval(
      () => deps.runtime.deployed.releaseEncoders(deps.store.deployments.listHosted().map(({ id }) => id)),
      encoderReleaseMs,
    ),
    setInterval(
      guarded(() => removeReceipts(deps)),
      receiptCheckMs,
    ),
    setInterval(
      guarded(() => chargeHosting(deps)),
      hostingCheckMs,
    ),
    setInterval(
      guarded(() => deps.auth.apiKeys.flush()),
      keyFlushMs,
    ),
    setInterval(
      guarded(() => retryUnavailablePolicies(deps)),
      retryCheckMs,
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

/** Removes types deleted over two days ago with all they have; returns how many. `isStopped` ends it early. */
export async function removeExpiredTypes(
  deps: Foundation & { trustedTime: TrustedTime; artifactsDir: string },
  isStopped: () => boolean = () => false,
): Promise<number> {
  const { store, trustedTime, artifactsDir } = deps;
  const types = store.typeRemoval.listExpired(trustedTime.now() - restorableMs);
  for (const type of types) {
    store.typeRemoval.begin(type);
    // Records past their retention are brought back first: all of a type leave in one way.
    for (const records of [store.logs.restore(type.seq), store.logs.forget(type.seq, Number.MAX_SAFE_INTEGER, null)]) {
      for (const _ of records) {
        await nextTurn();
        if (isStopped()) return 0;
      }
    }
    const removal = store.typeRemoval.remove(type);
    let slice = removal.next();
    for (; slice.done !== true; slice = removal.next()) {
      await nextTurn();
      if (isStopped()) return 0;
    }
    for (const policyId of slice.value) rmSync(artifactPath(artifactsDir, policyId), { force: true });
  }
  if (types.length > 0) await emptyWriteAheadLog(deps.db);
  return types.length;
}
