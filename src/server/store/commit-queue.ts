/** Log record and credit entry of every decision, committed together before the answer leaves. */
import { WorkbenchError } from '../../engine/errors.ts';
import { chargeDecisions } from './credits.ts';
import type { WorkbenchDatabase } from './database.ts';
import { insertLogRecord, type LogInsert } from './logs.ts';

export type CommitQueue = {
  /**
   * Resolves after the record, and the credit entry of the organisation that pays for it, are durable; rejects with
   * `unavailable`, nothing written, when they cannot be.
   */
  commit(record: LogInsert, organisationSeq: number): Promise<void>;
  /** Decisions of an organisation that wait for their commit. */
  pendingOf(organisationSeq: number): number;
};
type Waiting = {
  record: LogInsert;
  organisationSeq: number;
  resolve(): void;
  reject(error: WorkbenchError): void;
};

const maxQueueLength = 10_000;
/** A group of this size is committed without looking whether more are coming. */
const maxGroupSize = 64;
/** Faults of the disk or the file hit every record alike: trying one by one would only repeat them. */
const sharedFaults = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|CORRUPT|NOTADB)/;

/**
 * Records that arrive while the event loop turns share one transaction, which begins with the first turn that brought
 * nothing new. So the cost of the disk's sync is paid once for many callers, no timer delays a single one, and callers
 * that come one by one, each a little after the other, do not wait for a sync each. Each decision costs `credits`.
 */
export function createCommitQueue(db: WorkbenchDatabase, credits: number): CommitQueue {
  const insertLog = insertLogRecord(db);
  const charge = chargeDecisions(db);
  let waiting: Waiting[] = [];

  const write = db.transaction((batch: readonly Waiting[]) => {
    let last = 0;
    for (const { record } of batch) last = insertLog(record);
    charge(last - batch.length + 1, last, credits);
  });

  function settle(batch: readonly Waiting[]): void {
    try {
      write.immediate(batch);
    } catch (cause) {
      const code = (cause as { code?: unknown }).code;
      if (batch.length > 1 && !(typeof code === 'string' && sharedFaults.test(code))) {
        for (const one of batch) settle([one]);
        return;
      }
      const message = 'The decision could not be recorded; nothing was charged';
      const error = new WorkbenchError('unavailable', message, undefined, { cause });
      for (const one of batch) one.reject(error);
      return;
    }
    for (const one of batch) one.resolve();
  }

  function settleWhenQuiet(seen: number): void {
    if (waiting.length > seen && waiting.length < maxGroupSize) {
      setImmediate(settleWhenQuiet, waiting.length);
      return;
    }
    const batch = waiting;
    waiting = [];
    settle(batch);
  }

  return {
    commit(record, organisationSeq) {
      if (waiting.length >= maxQueueLength) {
        return Promise.reject(new WorkbenchError('unavailable', 'Too many decisions wait to be recorded'));
      }
      return new Promise((resolve, reject) => {
        waiting.push({ record, organisationSeq, resolve, reject });
        if (waiting.length === 1) setImmediate(settleWhenQuiet, 0);
      });
    },
    pendingOf: (organisationSeq) => waiting.filter((one) => one.organisationSeq === organisationSeq).length,
  };
}
