/** The answers of calls with an Idempotency-Key, stored in the transactions of their effects. */
import type { WorkbenchDatabase } from '../database.ts';

type ReceiptRecord = { id: Buffer; request: Buffer; answer: Buffer; createdAt: number };

const maxRemoved = 500;

/** Reads and writes receipts; those older than their time are not found. */
export function createReceiptStore(db: WorkbenchDatabase) {
  const find = db.prepare<[Buffer, number], Omit<ReceiptRecord, 'id'>>(
    'SELECT request, answer, created_at AS createdAt FROM receipts WHERE id = ? AND created_at > ?',
  );
  const keep = db.prepare(
    `INSERT INTO receipts (id, request, answer, created_at) VALUES (@id, @request, @answer, @createdAt)
       ON CONFLICT (id) DO UPDATE SET request = @request, answer = @answer, created_at = @createdAt`,
  );
  const remove = db.prepare('DELETE FROM receipts WHERE id = ?');
  const removeBefore = db.prepare(
    'DELETE FROM receipts WHERE seq IN (SELECT seq FROM receipts WHERE created_at <= ? LIMIT ?)',
  );

  return {
    /** The receipt with an id that was made after `since` (milliseconds), or null. */
    find: (id: Buffer, since: number): Omit<ReceiptRecord, 'id'> | null => find.get(id, since) ?? null,
    /** Stores a receipt, in the place of one with the same id. */
    keep(receipt: ReceiptRecord): void {
      keep.run(receipt);
    },
    remove(id: Buffer): void {
      remove.run(id);
    },
    /** Deletes up to 500 receipts that were made up to `time`; returns how many. */
    removeBefore: (time: number): number => removeBefore.run(time, maxRemoved).changes,
  };
}
