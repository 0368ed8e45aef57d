/** Whether the log is as its chain says: each entry follows from the one before, and each record is as it was noted. */
import Database from 'better-sqlite3';
import { z } from 'zod';
import type { WorkbenchDatabase } from '../database.ts';
import {
  type ChainEntry,
  chainedColumns,
  digestBytes,
  digestEntry,
  digestRecord,
  type LogHead,
  readHead,
} from '../log-chain.ts';

/** A head that was kept elsewhere, and where. */
export type KeptHead = LogHead & { from: string };
type LogCheck = {
  head: LogHead;
  /** Records that the chain covers, and those from before it began. */
  records: number;
  earlier: number;
  /** From where on the log is not as it was, in a sentence; null where all of it is. */
  fault: string | null;
};
/** The lowest record that a fault is about, or that it may be about. */
type Fault = { record: number; message: string };
type Value = string | number | null;
type Row = [seq: number, removedAt: number | null, corrected: string | null, ...values: Value[]];

const movedSchema = z.object({ removed_at: z.int().nullable(), runs: z.array(z.tuple([z.int(), z.int()])) });
const maskedSchema = z.array(z.tuple([z.int(), z.string()]));
const correctedSchema = z.string().nullable();

/** Reads the head of a database file; null of one from before the chain. */
export function readHeadOf(database: string): LogHead | null {
  return withDatabase(database, (db) => (hasChain(db) ? readHead(db) : null));
}

/** Reads the whole log of a database file beside its chain and heads that were kept; null of one from before chains. */
export function checkLog(database: string, keptHeads: readonly KeptHead[] = []): LogCheck | null {
  return withDatabase(database, (db) =>
    db.transaction(() => (hasChain(db) ? new Check(db).run(keptHeads) : null)).deferred(),
  );
}

const hasChain = (db: WorkbenchDatabase): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'log_chain'").get() !== undefined;

function withDatabase<T>(file: string, read: (db: WorkbenchDatabase) => T): T {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

/** Reads the chain, then the records; it holds the digest of each record by its row number. */
class Check {
  readonly #db: WorkbenchDatabase;
  readonly #base: number;
  readonly #digests: Buffer;
  /** 1 for a record that is there. */
  readonly #states: Uint8Array;
  /** When those out of sight went. */
  readonly #removed = new Map<number, number>();
  readonly #corrections = new Map<number, string | null>();
  #earlier = -1;
  #fault: Fault | null = null;

  constructor(db: WorkbenchDatabase) {
    this.#db = db;
    const { low, high, noted } = db
      .prepare<[], { low: number | null; high: number; noted: number }>(
        `SELECT min(first) AS low, max(last) AS high, total(length(content)) / ${digestBytes} AS noted
         FROM log_chain WHERE kind = 'decided'`,
      )
      .get() ?? { low: null, high: 0, noted: 0 };
    this.#base = low ?? 0;
    // Row numbers have no gaps; those of a file that says otherwise are not believed.
    const records = low === null ? 0 : Math.min(high - low + 1, noted);
    this.#digests = Buffer.alloc(records * digestBytes);
    this.#states = new Uint8Array(records);
  }

  run(keptHeads: readonly KeptHead[]): LogCheck {
    const newest = this.#readEntries(keptHeads);
    const counts = this.#compareRecords();
    const head = newest ?? { entries: 0, digest: '' };
    return { head, ...counts, fault: this.#fault?.message ?? null };
  }

  /** The first fault by the record that it is about stays. */
  #note(record: number, message: string): void {
    if (this.#fault === null || record < this.#fault.record) this.#fault = { record, message };
  }

  #readEntries(keptHeads: readonly KeptHead[]): LogHead | null {
    const kept = Map.groupBy(keptHeads, ({ entries }) => entries);
    let before: ChainEntry | null = null;
    let highest = 0;
    for (const entry of this.#db.prepare<[], ChainEntry>('SELECT * FROM log_chain ORDER BY seq').iterate()) {
      const { seq, first, last } = entry;
      const noteEntry = (what: string) =>
        this.#note(first, `The chain of the log does not hold from record ${first} on: ${what}.`);
      if (before !== null && seq !== before.seq + 1) noteEntry(`its entry ${before.seq + 1} is missing`);
      else if (before !== null && !entry.head.equals(digestEntry(before, entry)))
        noteEntry(`its entry ${seq} is not as it was written`);
      const digest = entry.head.toString('hex');
      const other = kept.get(seq)?.find((each) => each.digest !== digest);
      if (other !== undefined)
        this.#note(
          -1,
          `The log was written again, up to record ${last}: entry ${seq} is another one in ${other.from}.`,
        );
      if (!this.#apply(entry)) noteEntry(`its entry ${seq} cannot be read`);
      if (entry.kind === 'decided' || entry.kind === 'began') highest = Math.max(highest, last);
      before = entry;
    }
    if (before === null) {
      this.#note(-1, 'The chain of the log is gone.');
      return null;
    }
    const { seq, head } = before;
    const longer = keptHeads.find(({ entries }) => entries > seq);
    if (longer !== undefined) {
      const end = `its chain ends at entry ${seq}, and ${longer.from} knows entry ${longer.entries}`;
      this.#note(highest + 1, `The end of the log is gone, from record ${highest + 1} on: ${end}.`);
    }
    return { entries: seq, digest: head.toString('hex') };
  }

  /** Follows what an entry says; false where its content cannot be read. */
  #apply({ kind, first, last, content }: ChainEntry): boolean {
    if (kind === 'began') {
      this.#earlier = last;
      return true;
    }
    if (kind === 'decided') {
      const end = (last - this.#base + 1) * digestBytes;
      if (content.length !== (last - first + 1) * digestBytes || end > this.#digests.length) return false;
      content.copy(this.#digests, (first - this.#base) * digestBytes);
      this.#states.fill(1, first - this.#base, last - this.#base + 1);
      return true;
    }
    const said = readJson(content);
    if (kind === 'corrected') {
      const decision = correctedSchema.safeParse(said);
      if (decision.success) this.#corrections.set(first, decision.data);
      return decision.success;
    }
    if (kind === 'masked') {
      const masked = maskedSchema.safeParse(said);
      for (const [seq, digest] of masked.data ?? []) {
        if (this.#stateOf(seq) > 0) this.#digests.write(digest, (seq - this.#base) * digestBytes, 'hex');
      }
      return masked.success;
    }
    const moved = movedSchema.safeParse(said);
    if (!moved.success) return false;
    const { removed_at: removedAt, runs } = moved.data;
    for (const [from, to] of runs) {
      const end = Math.min(to, this.#base + this.#states.length - 1);
      for (let seq = Math.max(from, this.#base); seq <= end; seq += 1) {
        if (removedAt === null) this.#removed.delete(seq);
        else this.#removed.set(seq, removedAt);
        if (kind !== 'deleted') continue;
        this.#states[seq - this.#base] = 0;
        // The number may be given again.
        this.#corrections.delete(seq);
      }
    }
    return true;
  }

  #stateOf(seq: number): number {
    return this.#states[seq - this.#base] ?? 0;
  }

  #compareRecords(): { records: number; earlier: number } {
    const rows = this.#db
      .prepare<[], Row>(`SELECT seq, removed_at, corrected_decision, ${chainedColumns} FROM decision_logs ORDER BY seq`)
      .raw();
    let records = 0;
    let earlier = 0;
    let next = this.#base;
    for (const [seq, removedAt, corrected, ...values] of rows.iterate()) {
      if (this.#fault !== null && seq >= this.#fault.record) break;
      if (seq <= this.#earlier && this.#stateOf(seq) === 0) {
        earlier += 1;
        continue;
      }
      for (; next < seq; next += 1)
        if (this.#stateOf(next) > 0) this.#note(next, `Record ${next} of the log is missing.`);
      next = seq + 1;
      this.#compareRecord(seq, removedAt, corrected, values);
      records += 1;
    }
    const end = Math.min(this.#base + this.#states.length, this.#fault?.record ?? Number.MAX_SAFE_INTEGER);
    for (; next < end; next += 1)
      if (this.#stateOf(next) > 0) this.#note(next, `Record ${next} of the log is missing.`);
    return { records, earlier };
  }

  #compareRecord(seq: number, removedAt: number | null, corrected: string | null, values: Value[]): void {
    const state = this.#stateOf(seq);
    const at = (seq - this.#base) * digestBytes;
    if (state === 0) this.#note(seq, `Record ${seq} of the log is in no entry of its chain.`);
    else if (!digestRecord(values).equals(this.#digests.subarray(at, at + digestBytes)))
      this.#note(seq, `Record ${seq} of the log is not as it was written.`);
    else if (removedAt !== (this.#removed.get(seq) ?? null))
      this.#note(seq, `Record ${seq} of the log was hidden or brought back unsaid.`);
    else if (corrected !== (this.#corrections.get(seq) ?? null))
      this.#note(seq, `The correction of record ${seq} of the log is not the one that was given.`);
  }
}

function readJson(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString());
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
