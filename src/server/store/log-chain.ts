/**
 * The chain of the log: an entry for each commit of decisions, each correction, removal, return and masking, written in
 * the transaction of what it is about. An entry's head is the digest of the head before it and of the entry.
 */
import { hash } from 'node:crypto';
import type { WorkbenchDatabase } from './database.ts';

type Value = string | number | null;
export type ChainKind = 'began' | 'decided' | 'corrected' | 'hidden' | 'restored' | 'deleted' | 'masked';
export type ChainEntry = { seq: number; kind: ChainKind; first: number; last: number; content: Buffer; head: Buffer };
/** How far a chain had come at some time: its entries, and the digest of the last one in hex. */
export type LogHead = { entries: number; digest: string };

export const digestBytes = 32;

/** The columns of a record that never change but by an entry of their own, in the order in which they are digested. */
export const chainedColumns = `decision_type_seq, request_id, input, decision, confidence, classifier_choice, stage, reason_codes,
  class_probabilities, rules_triggered, escalated, fallback_used, unfamiliar, policy_version, version_number, release,
  explanation, latency_ms, api_key_id, created_at, rule_errors, edge_id, imported_by, imported_file`;

/** The SHA-256 of a record's values in the order of `chainedColumns`; each text has its length before it. */
export function digestRecord(values: readonly Value[]): Buffer {
  let text = '';
  for (const value of values) text += typeof value === 'string' ? `${value.length}:${value},` : `${value},`;
  return hash('sha256', text, 'buffer');
}

type Link = Pick<ChainEntry, 'seq' | 'kind' | 'first' | 'last'>;
const writeLink = ({ seq, kind, first, last }: Link) => `${seq} ${kind} ${first} ${last}\n`;

/** The head of an entry; it holds the facts of the one before, too, as the first head kept cannot be made again. */
export function digestEntry(before: Link & { head: Buffer }, entry: Omit<ChainEntry, 'head'>): Buffer {
  const facts = Buffer.from(writeLink(before) + writeLink(entry));
  return hash('sha256', Buffer.concat([before.head, facts, entry.content]), 'buffer');
}

/** The newest entry's number and digest. */
export function readHead(db: Pick<WorkbenchDatabase, 'prepare'>): LogHead {
  const newest = db
    .prepare<[], { entries: number; digest: string }>(
      'SELECT seq AS entries, lower(hex(head)) AS digest FROM log_chain ORDER BY seq DESC LIMIT 1',
    )
    .get();
  if (newest === undefined) throw new Error('The log has no chain.');
  return newest;
}

/** Appends to the chain; each call belongs into the transaction that changes the log. */
export function createLogChain(db: WorkbenchDatabase) {
  const newest = db.prepare<[], Omit<ChainEntry, 'content'>>(
    'SELECT seq, kind, first, last, head FROM log_chain ORDER BY seq DESC LIMIT 1',
  );
  const insert = db.prepare<[number, ChainKind, number, number, Buffer, Buffer]>(
    'INSERT INTO log_chain (seq, kind, first, last, content, head) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const record = db.prepare<[number], Value[]>(`SELECT ${chainedColumns} FROM decision_logs WHERE seq = ?`).raw();
  const lowest = db.prepare<[], number | null>('SELECT min(seq) FROM decision_logs').pluck();
  const firstKept = db
    .prepare<[number], number>('SELECT seq FROM log_chain WHERE last >= ? ORDER BY seq LIMIT 1')
    .pluck();
  const prune = db.prepare<[number]>(
    'DELETE FROM log_chain WHERE seq IN (SELECT seq FROM log_chain WHERE seq < ? ORDER BY seq LIMIT 5000)',
  );
  function append(kind: ChainKind, first: number, last: number, content: Buffer): void {
    const before = newest.get();
    if (before === undefined) throw new Error('The log has no chain.');
    const entry = { seq: before.seq + 1, kind, first, last, content };
    insert.run(entry.seq, kind, first, last, content, digestEntry(before, entry));
  }
  const appendJson = (kind: ChainKind, seqs: readonly number[], content: unknown) =>
    append(kind, Math.min(...seqs), Math.max(...seqs), Buffer.from(JSON.stringify(content)));
  return {
    /** Notes new records from `first` on by the digest of each. */
    noteDecided(first: number, digests: readonly Buffer[]): void {
      append('decided', first, first + digests.length - 1, Buffer.concat(digests));
    },
    noteCorrected(seq: number, decision: string | null): void {
      appendJson('corrected', [seq], decision);
    },
    /** Notes records that came back or were deleted, or went out of sight, at the time that stands in them. */
    noteMoved(kind: 'hidden' | 'restored' | 'deleted', seqs: readonly number[], removedAt: number | null = null): void {
      if (seqs.length > 0) appendJson(kind, seqs, { removed_at: removedAt, runs: toRuns(seqs) });
    },
    /** Notes records whose personal values were masked, as they are now. */
    noteMasked(seqs: readonly number[]): void {
      if (seqs.length === 0) return;
      const digests = seqs.map((seq) => [seq, digestRecord(record.get(seq) ?? []).toString('hex')]);
      appendJson('masked', seqs, digests);
    },
    /** Forgets the oldest entries whose records are all deleted, but the last of them. */
    forgetGone(): void {
      const kept = firstKept.get(lowest.get() ?? Number.MAX_SAFE_INTEGER) ?? newest.get()?.seq ?? 0;
      prune.run(kept - 1);
    },
  };
}

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
