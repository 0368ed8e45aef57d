/** Whether the log is as its chain says: each entry follows from the one before, and each record is as it was noted. */
import Database from 'better-sqlite3';
import { z } from 'zod';
import type { WorkbenchDatabase } from '../database.ts';
import {
  type ChainEntry,
  type ChainKind,
  chainedColumns,
  digestBytes,
  digestEntry,
  digestHead,
  digestRecord,
  type LogHead,
  makeLink,
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
type Row = [seq: number, removedAt: number | null, corrected: string | null, link: string | null, ...values: Value[]];
/** That a record had a link, as an entry or a head knows that was made when it was the newest. */
type Witness = { entry: number; from: string; confirms(link: string): boolean };

const movedSchema = z.object({
  removed_at: z.int().nullable(),
  runs: z.array(z.tuple([z.int(), z.int()])),
  links: z.array(z.string().length(43).nullable()).optional(),
});
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

/** States of a record: in no entry, noted with its digest by an earlier program, deleted with its link, masked. */
const state = { none: 0, noted: 1, deleted: 2, masked: 3 } as const;

/** Reads the chain, then the records; it holds the digest or link of each that an entry is about by its row number. */
class Check {
  readonly #db: WorkbenchDatabase;
  readonly #base: number;
  readonly #digests: Buffer;
  readonly #states: Uint8Array;
  /** When those out of sight went. */
  readonly #removed = new Map<number, number>();
  readonly #corrections = new Map<number, string | null>();
  /** Links that records follow where those before them were deleted as the newest, by row number. */
  readonly #follows: { record: number; link: string }[] = [];
  #followed = 0;
  readonly #witnesses = new Map<number, Witness[]>();
  #earlier = -1;
  /** The newest record of those that earlier programs wrote, which have no link. */
  #lastUnlinked = -1;
  #fault: Fault | null = null;

  constructor(db: WorkbenchDatabase) {
    this.#db = db;
    const { low, high, noted } = db
      .prepare<[], { low: number | null; high: number; noted: number }>(
        `SELECT min(low) AS low, max(high) AS high, total(noted) AS noted FROM (
           SELECT min(iif(kind = 'began', last + 1, first)) AS low, max(last) AS high, total(length(content)) / ${digestBytes} AS noted
           FROM log_chain WHERE kind IN ('began', 'decided', 'deleted')
           UNION ALL SELECT min(seq), max(seq), count(*) FROM decision_logs WHERE link IS NOT NULL)`,
      )
      .get() ?? { low: null, high: 0, noted: 0 };
    this.#base = low ?? 0;
    // Row numbers have no gaps; those of a file that says otherwise are not believed.
    const records = low === null ? 0 : Math.max(0, Math.min(high - low + 1, noted));
    this.#digests = Buffer.alloc(records * digestBytes);
    this.#states = new Uint8Array(records);
  }

  run(keptHeads: readonly KeptHead[]): LogCheck {
    const isThere = this.#readEntries(keptHeads);
    const counts = this.#compareRecords();
    const head = isThere ? readHead(this.#db) : { entries: 0, digest: '' };
    return { head, ...counts, fault: this.#fault?.message ?? null };
  }

  /** The first fault by the record that it is about stays. */
  #note(record: number, message: string): void {
    if (this.#fault === null || record < this.#fault.record) this.#fault = { record, message };
  }

  #noteRewritten(record: number, { entry, from }: { entry: number; from: string }): void {
    this.#note(-1, `The log was written again, up to record ${record}: entry ${entry} is another one in ${from}.`);
  }

  /** Reads all entries; false where there is none. */
  #readEntries(keptHeads: readonly KeptHead[]): boolean {
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
      if (!this.#apply(entry)) noteEntry(`its entry ${seq} cannot be read`);
      this.#noteNewest(before, entry);
      for (const head of kept.get(seq) ?? []) this.#compareHead(entry, head);
      if (entry.kind === 'decided' || entry.kind === 'began') this.#lastUnlinked = Math.max(this.#lastUnlinked, last);
      highest = Math.max(this.#lastUnlinked, entry.record ?? 0);
      before = entry;
    }
    if (before === null) {
      this.#note(-1, 'The chain of the log is gone.');
      return false;
    }
    const { seq } = before;
    const longer = keptHeads.find(({ entries }) => entries > seq);
    if (longer !== undefined) {
      const end = `its chain ends at entry ${seq}, and ${longer.from} knows entry ${longer.entries}`;
      this.#note(highest + 1, `The end of the log is gone, from record ${highest + 1} on: ${end}.`);
    }
    return true;
  }

  /** Follows what an entry says of the newest record at its time. */
  #noteNewest(before: ChainEntry | null, { seq, kind, last, record, link }: ChainEntry): void {
    if (record === null || link === null) return;
    if (kind === 'deleted' && last > record) {
      // Their numbers are given again.
      while ((this.#follows.at(-1)?.record ?? -1) > record) this.#follows.pop();
      this.#follows.push({ record: record + 1, link });
      this.#states.fill(state.none, Math.max(0, record + 1 - this.#base));
    } else if (before?.record !== record)
      this.#addWitness(record, { entry: seq, from: 'its chain', confirms: (found) => found === link });
  }

  #addWitness(record: number, witness: Witness): void {
    const others = this.#witnesses.get(record);
    if (others === undefined) this.#witnesses.set(record, [witness]);
    else others.push(witness);
  }

  /** Compares a record's link with what is known of it so far; what comes later is about another of its number. */
  #hearWitnesses(record: number, link: string): void {
    for (const witness of this.#witnesses.get(record) ?? [])
      if (!witness.confirms(link)) this.#noteRewritten(record, witness);
    this.#witnesses.delete(record);
  }

  #compareHead({ seq, last, head, record: newest, link }: ChainEntry, { record, digest, from }: KeptHead): void {
    const confirms = (found: string) => digestHead(head, record ?? 0, found) === digest;
    if (record === undefined) {
      if (head.toString('hex') !== digest) this.#noteRewritten(last, { entry: seq, from });
    } else if (record === newest || record === 0) {
      if (!confirms(link ?? '')) this.#noteRewritten(record, { entry: seq, from });
    } else this.#addWitness(record, { entry: seq, from, confirms });
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
      this.#states.fill(state.noted, first - this.#base, last - this.#base + 1);
      return true;
    }
    const said = readJson(content);
    if (kind === 'corrected') {
      const decision = correctedSchema.safeParse(said);
      if (decision.success) this.#corrections.set(first, decision.data);
      return decision.success;
    }
    return kind === 'masked' ? this.#applyMasked(said) : this.#applyMoved(kind, said);
  }

  #applyMasked(said: unknown): boolean {
    const masked = maskedSchema.safeParse(said);
    for (const [seq, digest] of masked.data ?? []) {
      if (!this.#isWithin(seq)) continue;
      this.#digests.write(digest, (seq - this.#base) * digestBytes, 'hex');
      if (this.#stateOf(seq) !== state.noted) this.#states[seq - this.#base] = state.masked;
    }
    return masked.success;
  }

  #applyMoved(kind: ChainKind, said: unknown): boolean {
    const moved = movedSchema.safeParse(said);
    if (!moved.success) return false;
    const { removed_at: removedAt, runs, links = [] } = moved.data;
    let at = 0;
    for (const [from, to] of runs) {
      const end = Math.min(to, this.#base + this.#states.length - 1);
      for (let seq = from; seq <= end; seq += 1, at += 1) {
        if (removedAt === null) this.#removed.delete(seq);
        else this.#removed.set(seq, removedAt);
        if (kind === 'deleted') this.#delete(seq, links[at] ?? null);
      }
    }
    return true;
  }

  #delete(seq: number, link: string | null): void {
    // The number may be given again.
    this.#corrections.delete(seq);
    this.#hearWitnesses(seq, link ?? '');
    if (!this.#isWithin(seq)) return;
    this.#states[seq - this.#base] = link === null ? state.none : state.deleted;
    if (link !== null) this.#digests.write(link, (seq - this.#base) * digestBytes, 'base64url');
  }

  #isWithin(seq: number): boolean {
    return seq >= this.#base && seq < this.#base + this.#states.length;
  }

  #digestOf(seq: number): Buffer {
    const at = (seq - this.#base) * digestBytes;
    return this.#digests.subarray(at, at + digestBytes);
  }

  #stateOf(seq: number): number {
    return this.#states[seq - this.#base] ?? 0;
  }

  #compareRecords(): { records: number; earlier: number } {
    const rows = this.#db
      .prepare<[], Row>(
        `SELECT seq, removed_at, corrected_decision, link, ${chainedColumns} FROM decision_logs ORDER BY seq`,
      )
      .raw();
    let records = 0;
    let earlier = 0;
    let next = this.#base;
    let before: { seq: number; link: string | null } | null = null;
    for (const row of rows.iterate()) {
      const [seq, , , link] = row;
      if (this.#fault !== null && seq >= this.#fault.record) break;
      if (link === null && seq <= this.#earlier && this.#stateOf(seq) === state.none) {
        earlier += 1;
        before = { seq, link };
        continue;
      }
      for (; next < seq; next += 1) this.#noteAbsent(next, true);
      next = seq + 1;
      if (link === null) this.#compareUnlinked(row);
      else this.#compareLinked(row, link, before);
      this.#compareMoves(row);
      this.#hearWitnesses(seq, link ?? '');
      before = { seq, link };
      records += 1;
    }
    const end = Math.min(this.#base + this.#states.length, this.#fault?.record ?? Number.MAX_SAFE_INTEGER);
    for (; next < end; next += 1) this.#noteAbsent(next, false);
    const newest = before?.seq ?? 0;
    for (const [record, [witness]] of this.#witnesses) {
      if (record <= newest || witness === undefined) continue;
      const end = `${witness.from} knows record ${record} as the newest`;
      this.#note(newest + 1, `The end of the log is gone, from record ${newest + 1} on: ${end}.`);
    }
    return { records, earlier };
  }

  /** Notes that a number has no record, unless an entry says so, or no later record shows that it was given. */
  #noteAbsent(seq: number, isFollowed: boolean): void {
    const known = this.#stateOf(seq);
    const isMissing = known === state.none ? isFollowed && seq > this.#lastUnlinked : known !== state.deleted;
    if (isMissing) this.#note(seq, `Record ${seq} of the log is missing.`);
  }

  /** Compares a record that an earlier program wrote. */
  #compareUnlinked([seq, , , , ...values]: Row): void {
    if (this.#stateOf(seq) !== state.noted) this.#note(seq, `Record ${seq} of the log is in no entry of its chain.`);
    else this.#compareValues(seq, digestRecord(values).equals(this.#digestOf(seq)));
  }

  #compareLinked([seq, , , , ...values]: Row, link: string, before: { seq: number; link: string | null } | null): void {
    const known = this.#stateOf(seq);
    if (known === state.deleted || known === state.noted)
      this.#note(seq, `Record ${seq} of the log is in no entry of its chain.`);
    const followed = this.#findLinkBefore(seq, before);
    if (followed === null) this.#note(seq - 1, `Record ${seq - 1} of the log is missing.`);
    else if (known === state.masked) this.#compareValues(seq, digestRecord(values, link).equals(this.#digestOf(seq)));
    else this.#compareValues(seq, makeLink(followed, values) === link);
  }

  /** The link that a record must follow; null where the record before it is missing. */
  #findLinkBefore(seq: number, before: { seq: number; link: string | null } | null): string | null {
    while ((this.#follows[this.#followed]?.record ?? seq) < seq) this.#followed += 1;
    const said = this.#follows[this.#followed];
    if (said?.record === seq) return said.link;
    if (before?.seq === seq - 1) return before.link ?? '';
    if (this.#stateOf(seq - 1) === state.deleted) return this.#digestOf(seq - 1).toString('base64url');
    return seq - 1 <= this.#lastUnlinked && !before?.link ? '' : null;
  }

  #compareValues(seq: number, isEqual: boolean): void {
    if (!isEqual) this.#note(seq, `Record ${seq} of the log is not as it was written.`);
  }

  #compareMoves([seq, removedAt, corrected]: Row): void {
    if (removedAt !== (this.#removed.get(seq) ?? null))
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
