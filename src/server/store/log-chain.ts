/**
 * The chain of the log. Each record holds its link, the digest of the link before it and of its values. Each
 * correction, removal, return and masking is an entry, written in the transaction of what it is about: its head is the
 * digest of the head before it, of the entry, and of the record and link that the log had come to.
 */
import { hash } from 'node:crypto';
import type { WorkbenchDatabase } from './database.ts';
import { loggedTable } from './log-record.ts';
import type { SqlValue } from './record.ts';

export type ChainKind = 'began' | 'decided' | 'corrected' | 'hidden' | 'restored' | 'deleted' | 'masked';
export type ChainEntry = {
  seq: number;
  /** Entries of decisions are of earlier programs, which noted the digest of each there. */
  kind: ChainKind;
  first: number;
  last: number;
  content: Buffer;
  head: Buffer;
  /** The newest record, and the link that the next one follows; null in entries of earlier programs. */
  record: number | null;
  link: string | null;
};
/** How far a log had come: its entries, its newest record (earlier programs left it out), and the digest of both. */
export type LogHead = { entries: number; record?: number | undefined; digest: string };

export const digestBytes = 32;

/** The columns that a link is the digest of, in their order. */
export const chainedColumns = loggedTable.names.join(', ');

/** A record's values in the order of `chainedColumns` as one text; each text has its length before it. */
function writeValues(values: readonly SqlValue[]): string {
  let text = '';
  for (const value of values) text += typeof value === 'string' ? `${value.length}:${value},` : `${value},`;
  return text;
}

/** The link of a record that follows a link, which is empty before the first one: SHA-256 in base64url. */
export const makeLink = (before: string, values: readonly SqlValue[]): string =>
  hash('sha256', before + writeValues(values), 'base64url');

/** The SHA-256 of a record's values, and of its link where it has one. */
export const digestRecord = (values: readonly SqlValue[], link: string | null = null): Buffer =>
  hash('sha256', writeValues(values) + (link ?? ''), 'buffer');

type Facts = Omit<ChainEntry, 'content' | 'head'>;
const writeFacts = ({ seq, kind, first, last, record, link }: Facts) =>
  `${seq} ${kind} ${first} ${last}${link === null ? '' : ` ${record} ${link}`}\n`;

/** The head of an entry; it holds the facts of the one before, too, as the first head kept cannot be made again. */
export function digestEntry(before: Facts & { head: Buffer }, entry: Omit<ChainEntry, 'head'>): Buffer {
  const facts = Buffer.from(writeFacts(before) + writeFacts(entry));
  return hash('sha256', Buffer.concat([before.head, facts, entry.content]), 'buffer');
}

/** The digest of a log's head: of the newest entry's head, the newest record and the link that the next one follows. */
export const digestHead = (head: Buffer, record: number, link: string): string =>
  hash('sha256', `${head.toString('hex')} ${record} ${link}`);

const newestEntry = 'SELECT * FROM log_chain ORDER BY seq DESC LIMIT 1';
type NewestLink = { record: number; link: string };

/** Reads the newest record, and the link that the next one follows: an entry knows it where newer ones were deleted. */
function prepareNewestLink(db: Pick<WorkbenchDatabase, 'prepare'>): () => NewestLink {
  // Two short statements: one that joins them takes twice as long, for each commit.
  const newestRecord = db
    .prepare<[], [number, string | null]>('SELECT seq, link FROM decision_logs ORDER BY seq DESC LIMIT 1')
    .raw();
  const ofEntries = db.prepare<[], number | null>('SELECT record FROM log_chain ORDER BY seq DESC LIMIT 1').pluck();
  const entry = db.prepare<[], ChainEntry>(newestEntry);
  return () => {
    const [record, link] = newestRecord.get() ?? [0, null];
    if (record > (ofEntries.get() ?? 0)) return { record, link: link ?? '' };
    return { record, link: entry.get()?.link ?? '' };
  };
}

/** How far the log has come. */
export function readHead(db: Pick<WorkbenchDatabase, 'prepare'>): LogHead {
  const entry = db.prepare<[], ChainEntry>(newestEntry).get();
  if (entry === undefined) throw new Error('The log has no chain.');
  const { record, link } = prepareNewestLink(db)();
  return { entries: entry.seq, record, digest: digestHead(entry.head, record, link) };
}

/** Appends to the chain; each call belongs into the transaction that changes the log. */
export function createLogChain(db: WorkbenchDatabase) {
  const newest = db.prepare<[], ChainEntry>(newestEntry);
  const readNewestLink = prepareNewestLink(db);
  const insert = db.prepare<[number, ChainKind, number, number, Buffer, Buffer, number, string]>(
    'INSERT INTO log_chain (seq, kind, first, last, content, head, record, link) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const record = db
    .prepare<[number], [string | null, ...SqlValue[]]>(
      `SELECT link, ${chainedColumns} FROM decision_logs WHERE seq = ?`,
    )
    .raw();
  const lowest = db.prepare<[], number | null>('SELECT min(seq) FROM decision_logs').pluck();
  const firstKept = db
    .prepare<[number], number>('SELECT seq FROM log_chain WHERE last >= ? ORDER BY seq LIMIT 1')
    .pluck();
  const prune = db.prepare<[number]>(
    'DELETE FROM log_chain WHERE seq IN (SELECT seq FROM log_chain WHERE seq < ? ORDER BY seq LIMIT 5000)',
  );
  function append(kind: ChainKind, seqs: readonly number[], said: unknown, deleted: readonly LinkedRow[] = []): void {
    const before = newest.get();
    if (before === undefined) throw new Error('The log has no chain.');
    const at = readNewestLink();
    let { link } = at;
    const gone = deleted.at(-1);
    // The next record follows the newest one also where that was deleted.
    if (gone !== undefined && gone.seq > at.record && gone.seq > (before.record ?? 0)) link = gone.link ?? '';
    const content = Buffer.from(JSON.stringify(said));
    const facts = {
      seq: before.seq + 1,
      kind,
      first: Math.min(...seqs),
      last: Math.max(...seqs),
      record: at.record,
      link,
    };
    const head = digestEntry(before, { ...facts, content });
    insert.run(facts.seq, kind, facts.first, facts.last, content, head, facts.record, link);
  }
  return {
    /** The link that the next record follows. */
    readLink: (): string => readNewestLink().link,
    noteCorrected(seq: number, decision: string | null): void {
      append('corrected', [seq], decision);
    },
    /** Notes records that came back, or went out of sight at the time that stands in them. */
    noteMoved(kind: 'hidden' | 'restored', seqs: readonly number[], removedAt: number | null = null): void {
      if (seqs.length > 0) append(kind, seqs, { removed_at: removedAt, runs: toRuns(seqs) });
    },
    /** Notes records that are no more; it keeps their links, which records after them follow. */
    noteDeleted(rows: readonly LinkedRow[]): void {
      if (rows.length === 0) return;
      const deleted = rows.toSorted((a, b) => a.seq - b.seq);
      const seqs = deleted.map(({ seq }) => seq);
      append(
        'deleted',
        seqs,
        { removed_at: null, runs: toRuns(seqs), links: deleted.map(({ link }) => link) },
        deleted,
      );
    },
    /** Notes records whose personal values were masked, as they are now. */
    noteMasked(seqs: readonly number[]): void {
      if (seqs.length === 0) return;
      const digests = seqs.map((seq) => {
        const [link = null, ...values] = record.get(seq) ?? [];
        return [seq, digestRecord(values, link).toString('hex')];
      });
      append('masked', seqs, digests);
    },
    /** Forgets the oldest entries whose records are all deleted, but the last of them. */
    forgetGone(): void {
      const kept = firstKept.get((lowest.get() ?? Number.MAX_SAFE_INTEGER) - 1) ?? newest.get()?.seq ?? 0;
      prune.run(kept - 1);
    },
  };
}

/** A record by its row number and link; records of earlier programs have none. */
export type LinkedRow = { seq: number; link: string | null };

/** Row numbers as runs, each by its first and last one. */
function toRuns(seqs: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const seq of [...seqs].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === seq - 1) run[1] = seq;
    else runs.push([seq, seq]);
  }
  return runs;
}
