/** Log record and credit entry of every decision, committed together before the answer leaves. */
import { WorkbenchError } from '../../engine/errors.ts';
import { type CreditEntry, insertCreditEntry } from './credits.ts';
import type { WorkbenchDatabase } from './database.ts';
import { insertLogRecord, type LogInsert } from './logs.ts';

export type DecisionRecord = { log: LogInsert; credit: CreditEntry };
export type CommitQueue = {
  /** Resolves after the record is durable; rejects with `unavailable`, nothing written, when it cannot be. */
  commit(record: DecisionRecord): Promise<void>;
  /** Decisions of an organisation that wait for their commit. */
  pendingOf(organisationSeq: number): number;
};
type Waiting = { record: DecisionRecord; resolve(): void; reject(error: WorkbenchError): void };

const LONGEST_QUEUE = 10_000;
/** Faults of the disk or the file hit every record alike: trying one by one would only repeat them. */
const sharedFaults = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|CORRUPT|NOTADB)/;

/**
 * Records that arrive in one event-loop turn share one transaction; what arrives while it runs forms the next. So the
 * cost of the disk's sync is paid once for many callers, and no timer delays a single one.
 */
export function createCommitQueue(db: WorkbenchDatabase): CommitQueue {
  const insertLog = insertLogRecord(db);
  const insertCredit = insertCreditEntry(db);
  const pendingByOrganisation = new Map<number, number>();
  let waiting: Waiting[] = [];

  const write = db.transaction((batch: readonly Waiting[]) => {
    for (const { record } of batch) {
      insertLog(record.log);
      insertCredit(record.credit);
    }
  });

  function count(record: DecisionRecord, by: 1 | -1): void {
    const key = record.credit.organisationSeq;
    const pending = (pendingByOrganisation.get(key) ?? 0) + by;
    if (pending === 0) pendingByOrganisation.delete(key);
    else pendingByOrganisation.set(key, pending);
  }

  function settle(batch: readonly Waiting[]): void {
    try {
      write.immediate(batch);
    } catch (cause) {
      const code = (cause as { code?: unknown }).code;
      if (batch.length > 1 && !(typeof code === 'string' && sharedFaults.test(code))) {
        for (const one of batch) settle([one]);
        return;
      }
      const error = new WorkbenchError(
        'unavailable',
        'The decision could not be recorded; nothing was charged',
        undefined,
        {
          cause,
        },
      );
      for (const one of batch) finish(one, error);
      return;
    }
    for (const one of batch) finish(one, null);
  }

  function finish(one: Waiting, error: WorkbenchError | null): void {
    count(one.record, -1);
    if (error) one.reject(error);
    else one.resolve();
  }

  return {
    commit(record) {
      if (waiting.length >= LONGEST_QUEUE) {
        return Promise.reject(new WorkbenchError('unavailable', 'Too many decisions wait to be recorded'));
      }
      count(record, 1);
      return new Promise((resolve, reject) => {
        waiting.push({ record, resolve, reject });
        if (waiting.length > 1) return;
        setImmediate(() => {
          const batch = waiting;
          waiting = [];
          settle(batch);
        });
      });
    },
    pendingOf: (organisationSeq) => pendingByOrganisation.get(organisationSeq) ?? 0,
  };
}
