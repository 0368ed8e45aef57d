/** Log record and credit entry of every decision, committed together before the answer leaves. */
import Database from 'better-sqlite3';
import { WorkbenchError } from '../../../engine/errors.ts';
import { isBusy } from '../../process/folder-lock.ts';
import { prepareDecisionCharge } from '../account/credits.ts';
import type { WorkbenchDatabase } from '../database.ts';
import type { WriteLock } from '../write-lock.ts';
import { type NewLoggedDecision, prepareLogInserts } from './log-writer.ts';

export type CommitQueue = {
  /**
   * Resolves after records, credit entries and what `alongside` writes are durable in one transaction; rejects with
   * `unavailable`, nothing written, at the latest after five seconds.
   */
  commit(records: readonly NewLoggedDecision[], organisationSeq: number, alongside?: () => void): Promise<void>;
  countPending(organisationSeq: number): number;
};
type Waiting = {
  records: readonly NewLoggedDecision[];
  organisationSeq: number;
  alongside: (() => void) | undefined;
  resolve(): void;
  reject(error: WorkbenchError): void;
};

const maxQueueLength = 10_000;
/** A group of this size is committed without looking whether more are coming. */
const maxGroupSize = 64;
/** Codes of faults of the disk or the file. */
const sharedFaults = /^SQLITE_(FULL|IOERR|LOCKED|READONLY|CANTOPEN|CORRUPT|NOTADB)/;

/** Prepares the one transaction of a group: its records, further writes, and its charge. */
function prepareWrite(db: WorkbenchDatabase, credits: number) {
  const insertLogs = prepareLogInserts(db);
  const chargeDecisions = prepareDecisionCharge(db);
  return db.transaction((batch: readonly Waiting[]) => {
    const decisions = batch.flatMap(({ records }) => records);
    const last = insertLogs(decisions);
    for (const { alongside } of batch) alongside?.();
    chargeDecisions(last - decisions.length + 1, last, credits);
  });
}

/**
 * Records that arrive while the event loop turns share one transaction, begun with the first turn without new ones: one
 * sync for many callers, and no timer delays a single one.
 */
export function createCommitQueue(db: WorkbenchDatabase, credits: number, lock: WriteLock): CommitQueue {
  const write = prepareWrite(db, credits);
  let waiting: Waiting[] = [];
  /** Groups that another process keeps from being written. */
  const kept = new Set<readonly Waiting[]>();

  function writeBatch(batch: readonly Waiting[]): void {
    try {
      write.immediate(batch);
    } catch (cause) {
      if (isBusy(cause)) {
        void writeWhenFree(batch);
        return;
      }
      if (batch.length > 1 && !isSharedFault(cause)) {
        for (const one of batch) writeBatch([one]);
        return;
      }
      const error = toUnrecorded(cause);
      for (const one of batch) one.reject(error);
      return;
    }
    for (const one of batch) one.resolve();
  }

  /** Groups that were kept from being written come into one together when they can be. */
  async function writeWhenFree(batch: readonly Waiting[]): Promise<void> {
    kept.add(batch);
    try {
      await lock.whenFree();
      for (const one of batch) enqueue(one);
    } catch (error) {
      const refusal = error instanceof WorkbenchError ? error : toUnrecorded(error);
      for (const one of batch) one.reject(refusal);
    } finally {
      kept.delete(batch);
    }
  }

  function enqueue(one: Waiting): void {
    if (waiting.length === 0) setImmediate(writeWhenQuiet, 0);
    waiting.push(one);
  }

  function listPending(): Waiting[] {
    return kept.size === 0 ? waiting : [...waiting, ...[...kept].flat()];
  }

  function writeWhenQuiet(seen: number): void {
    if (waiting.length > seen && waiting.length < maxGroupSize) {
      setImmediate(writeWhenQuiet, waiting.length);
      return;
    }
    const batch = waiting;
    waiting = [];
    writeBatch(batch);
  }

  return {
    commit(records, organisationSeq, alongside) {
      if (listPending().length >= maxQueueLength) {
        return Promise.reject(
          new WorkbenchError('unavailable', 'Too many decisions wait to be recorded. Try again in a moment.'),
        );
      }
      return new Promise((resolve, reject) => {
        enqueue({ records, organisationSeq, alongside, resolve, reject });
      });
    },
    countPending: (organisationSeq) =>
      listPending().reduce((sum, one) => (one.organisationSeq === organisationSeq ? sum + one.records.length : sum), 0),
  };
}

function toUnrecorded(cause: unknown): WorkbenchError {
  return new WorkbenchError('unavailable', 'The decision could not be recorded; nothing was charged.', undefined, {
    cause,
  });
}

/** True for a fault that hits every record alike: trying them one by one would only repeat it. */
function isSharedFault(error: unknown): boolean {
  return error instanceof Database.SqliteError && sharedFaults.test(error.code);
}
