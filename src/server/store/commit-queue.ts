/** Log record and credit entry of every decision, committed together before the answer leaves. */
import Database from 'better-sqlite3';
import { WorkbenchError } from '../../engine/errors.ts';
import { prepareDecisionCharge } from './credits.ts';
import type { WorkbenchDatabase } from './database.ts';
import { type NewLoggedDecision, prepareLogInsert } from './log-writer.ts';

export type CommitQueue = {
  /**
   * Resolves after the records, and the credit entries of the organisation that pays for them, are durable, all in one
   * transaction; rejects with `unavailable`, nothing written, when they cannot be. `alongside` writes into the same
   * transaction.
   */
  commit(records: readonly NewLoggedDecision[], organisationSeq: number, alongside?: () => void): Promise<void>;
  /** Returns how many decisions of an organisation wait for their commit. */
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
const sharedFaults = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|CORRUPT|NOTADB)/;

/**
 * Records that arrive while the event loop turns share one transaction, which begins with the first turn that brought
 * nothing new. So the cost of the disk's sync is paid once for many callers, no timer delays a single one, and callers
 * that come one by one, each a little after the other, do not wait for a sync each. Each decision costs `credits`.
 */
export function createCommitQueue(db: WorkbenchDatabase, credits: number): CommitQueue {
  const insertLog = prepareLogInsert(db);
  const chargeDecisions = prepareDecisionCharge(db);
  let waiting: Waiting[] = [];

  const write = db.transaction((batch: readonly Waiting[]) => {
    let count = 0;
    let last = 0;
    for (const { records, alongside } of batch) {
      for (const record of records) last = insertLog(record);
      count += records.length;
      alongside?.();
    }
    chargeDecisions(last - count + 1, last, credits);
  });

  function writeBatch(batch: readonly Waiting[]): void {
    try {
      write.immediate(batch);
    } catch (cause) {
      if (batch.length > 1 && !isSharedFault(cause)) {
        for (const one of batch) writeBatch([one]);
        return;
      }
      const message = 'The decision could not be recorded; nothing was charged.';
      const error = new WorkbenchError('unavailable', message, undefined, { cause });
      for (const one of batch) one.reject(error);
      return;
    }
    for (const one of batch) one.resolve();
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
      if (waiting.length >= maxQueueLength) {
        return Promise.reject(
          new WorkbenchError('unavailable', 'Too many decisions wait to be recorded. Try again in a moment.'),
        );
      }
      return new Promise((resolve, reject) => {
        waiting.push({ records, organisationSeq, alongside, resolve, reject });
        if (waiting.length === 1) setImmediate(writeWhenQuiet, 0);
      });
    },
    countPending: (organisationSeq) =>
      waiting.reduce((sum, one) => (one.organisationSeq === organisationSeq ? sum + one.records.length : sum), 0),
  };
}

/** True for a fault that hits every record alike: trying them one by one would only repeat it. */
function isSharedFault(error: unknown): boolean {
  return error instanceof Database.SqliteError && sharedFaults.test(error.code);
}
