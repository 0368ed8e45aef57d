/** The decision log: reading, filtering, correcting, forgetting. Records are written by `log-writer.ts`. */

import { nextTurn } from '../../../door/turns.ts';
import type { LogFilter } from '../../contract/deciding/logs.ts';
import {
  atLeast,
  atMost,
  BlockReader,
  between,
  blockRows,
  type Condition,
  equals,
  type Range,
  toBlockNumber,
} from '../blocks.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { createLogChain, type LinkedRow, type LogHead, readHead } from '../log-chain.ts';
import { loggedColumns } from '../log-record.ts';
import { defineRecord, orNull, plain, type RecordOf, values } from '../record.ts';
import { type NewLoggedDecision, prepareLogInsert, prepareLogSummaries } from './log-writer.ts';

const columns = {
  ...loggedColumns,
  /** Row number: newer records have higher ones. */
  seq: plain('seq', values.count),
  id: plain('id', values.id),
  correctedDecision: orNull(plain('corrected_decision', values.text)),
};
const logTable = defineRecord('decision_logs', columns);
/** Records with their inputs as the strings of JSON that are stored. */
const unreadTable = defineRecord('decision_logs', { ...columns, input: plain('input', values.text) });
type Logged = RecordOf<typeof columns>;
/** A record of the log; `input` is a string of JSON where a reader asks for it unread. */
export type LoggedDecision<Input = Logged['input']> = Omit<Logged, 'input'> & { input: Input };
type RawLogRecord = Record<keyof Logged, unknown> & Pick<Logged, 'seq' | 'latencyMs'>;

/** Totals over the decisions of a type; the averages are null while there are none. */
type TypeMetrics = {
  total: number;
  avgConfidence: number | null;
  avgLatencyMs: number | null;
  escalationRate: number | null;
  distribution: Record<string, number>;
};

/** Decisions of a release: all, those handed on, those that people checked, and the wrong ones among these. */
export type ReleaseCounts = { decisions: number; escalated: number; checked: number; wrong: number };

const logColumns = logTable.select();

function toConditions(typeSeq: number, filter: LogFilter): Condition[] {
  const conditions: Condition[] = [equals('decision_type_seq', typeSeq)];
  if (filter.decision !== undefined) conditions.push(equals('decision', filter.decision));
  if (filter.escalated !== undefined) conditions.push(equals('escalated', Number(filter.escalated)));
  const { min_confidence: low, max_confidence: high } = filter;
  if (low !== undefined || high !== undefined) {
    conditions.push(
      between('confidence', 'confidences', low ?? Number.NEGATIVE_INFINITY, high ?? Number.POSITIVE_INFINITY),
    );
  }
  if (filter.start_time !== undefined) conditions.push(atLeast('created_at', readTime(filter.start_time)));
  if (filter.end_time !== undefined) conditions.push(atMost('created_at', readTime(filter.end_time)));
  return conditions;
}

/** A time without an offset is UTC. */
function readTime(text: string): number {
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`);
}

const rowsPerDeletion = 500;

/** Some of a type's present records older than a time, between two row numbers. */
const oldRows = `SELECT seq FROM decision_logs
  WHERE seq BETWEEN ? AND ? AND decision_type_seq = ? AND created_at < ? AND removed_at IS NULL ORDER BY seq LIMIT ?`;
type OldRows = [number, number, number, number, number];

function prepareStatements(db: WorkbenchDatabase) {
  return {
    get: db.prepare<[number, string, number], RawLogRecord>(
      `SELECT ${logColumns} FROM decision_logs
       WHERE seq = ? AND id = ? AND decision_type_seq = ? AND removed_at IS NULL`,
    ),
    /** Corrected or confirmed in the log, or judged blind: as far as people have looked. */
    checkedByRelease: db.prepare<{ typeSeq: number }, { release: number; checked: number; wrong: number }>(
      `SELECT release, count(*) AS checked, total(isWrong) AS wrong FROM (
         SELECT release, corrected_decision <> decision AS isWrong FROM decision_logs
         WHERE corrected_decision IS NOT NULL AND decision_type_seq = @typeSeq AND removed_at IS NULL
         UNION ALL
         SELECT l.release, ifnull(e.first_decision, e.decision) <> d.decision FROM audit_draws d
         JOIN decision_logs l ON l.seq = d.log_seq AND l.created_at = d.created_at
           AND l.decision_type_seq = d.decision_type_seq AND l.removed_at IS NULL AND l.corrected_decision IS NULL
         JOIN examples e ON e.id = d.example_id AND e.decision IS NOT NULL
         WHERE d.decision_type_seq = @typeSeq
       ) WHERE release IS NOT NULL GROUP BY release`,
    ),
    ofEdge: db
      .prepare<[number, string], number>('SELECT 1 FROM decision_logs WHERE decision_type_seq = ? AND edge_id = ?')
      .pluck(),
    correct: db.prepare('UPDATE decision_logs SET corrected_decision = ? WHERE seq = ?'),
    highest: db.prepare<[], number | null>('SELECT max(seq) FROM decision_logs').pluck(),
    deleteRows: db.prepare<OldRows, LinkedRow>(
      `DELETE FROM decision_logs WHERE seq IN (${oldRows}) RETURNING seq, link`,
    ),
    markRows: db
      .prepare<[number, ...OldRows], number>(
        `UPDATE decision_logs SET removed_at = ? WHERE seq IN (${oldRows}) RETURNING seq`,
      )
      .pluck(),
    deleteMarked: db.prepare<[number, number], LinkedRow>(
      `DELETE FROM decision_logs WHERE seq IN (SELECT seq FROM decision_logs INDEXED BY decision_logs_removed
       WHERE removed_at IS NOT NULL AND (removed_at <= ?
         OR decision_type_seq IN (SELECT seq FROM decision_types WHERE pii_fields <> '[]')) LIMIT ?)
       RETURNING seq, link`,
    ),
    markedBlocks: db
      .prepare<[number], number>(
        `SELECT DISTINCT seq / ${blockRows} FROM decision_logs INDEXED BY decision_logs_removed
         WHERE removed_at IS NOT NULL AND decision_type_seq = ?`,
      )
      .pluck(),
    unmarkRows: db
      .prepare<[number, number, number], number>(
        `UPDATE decision_logs SET removed_at = NULL
         WHERE seq BETWEEN ? AND ? AND decision_type_seq = ? AND removed_at IS NOT NULL RETURNING seq`,
      )
      .pluck(),
    removeBlock: db.prepare<[number, number]>('DELETE FROM log_blocks WHERE decision_type_seq = ? AND block = ?'),
    removeBlocksFrom: db.prepare<[number]>('DELETE FROM log_blocks WHERE block >= ?'),
  };
}

/** The queries of the log. A type is named by its row number. */
export class LogStore {
  readonly #db: WorkbenchDatabase;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #log: BlockReader<'confidence' | 'latency' | 'escalated'>;
  readonly #insert: ReturnType<typeof prepareLogInsert>;
  readonly #writeSummaries: ReturnType<typeof prepareLogSummaries>;
  readonly #chain: ReturnType<typeof createLogChain>;

  constructor(db: WorkbenchDatabase) {
    this.#db = db;
    this.#statements = prepareStatements(db);
    this.#insert = prepareLogInsert(db);
    this.#writeSummaries = prepareLogSummaries(db);
    this.#chain = createLogChain(db);
    this.#log = new BlockReader(db, {
      rows: 'decision_logs',
      columns: logColumns,
      blocks: 'log_blocks',
      present: 'removed_at IS NULL',
      sums: {
        confidence: { ofBlocks: 'sum(confidence_sum)', ofRows: 'sum(confidence)' },
        latency: { ofBlocks: 'sum(latency_sum)', ofRows: 'sum(latency_ms)' },
        escalated: { ofBlocks: 'sum(n * escalated)', ofRows: 'sum(escalated)' },
      },
    });
  }

  /** Returns one page, newest first, with the number of all matches. Other work has its turn between blocks. */
  async page(
    typeSeq: number,
    filter: LogFilter,
    page: number,
    pageSize: number,
  ): Promise<{ decisions: LoggedDecision[]; total: number }> {
    const conditions = toConditions(typeSeq, filter);
    const decisions: LoggedDecision[] = [];
    let skip = (page - 1) * pageSize;
    let total = 0;
    for (const range of this.#log.ranges(conditions)) {
      const n = this.#log.count(conditions, range);
      const here = Math.min(pageSize - decisions.length, n - skip);
      if (here > 0) decisions.push(...this.#log.read<RawLogRecord>(conditions, range, here, skip).map(logTable.read));
      skip = Math.max(0, skip - n);
      total += n;
      if (range.n === null || here > 0) await nextTurn();
    }
    return { decisions, total };
  }

  /** Returns one page of escalated records without a correction, unfamiliar inputs first, and the number of all. */
  pageToReview(
    typeSeq: number,
    filter: LogFilter,
    page: number,
    pageSize: number,
  ): { decisions: LoggedDecision[]; total: number } {
    const conditions = toConditions(typeSeq, filter);
    const values = conditions.flatMap((condition) => condition.values);
    const sql = `FROM decision_logs INDEXED BY decision_logs_to_review
      WHERE ${conditions.map(({ row }) => row).join(' AND ')} AND escalated = 1 AND corrected_decision IS NULL AND removed_at IS NULL`;
    const count = this.#db.prepare<(string | number)[], number>(`SELECT count(*) ${sql}`).pluck();
    const rows = this.#db.prepare<(string | number)[], RawLogRecord>(
      `SELECT ${logColumns} ${sql} ORDER BY unfamiliar DESC, seq DESC LIMIT ? OFFSET ?`,
    );
    return {
      decisions: rows.all(...values, pageSize, (page - 1) * pageSize).map(logTable.read),
      total: count.get(...values) ?? 0,
    };
  }

  /** Yields all matches, newest first, up to `limit` at a time; records that are made meanwhile are not in it. */
  *slices(typeSeq: number, filter: LogFilter, limit: number): Generator<LoggedDecision[]> {
    for (const rows of this.#readSlices(typeSeq, filter, limit)) yield rows.map(logTable.read);
  }

  /** As `slices`, with each input as the string of JSON that is stored, for those who would only write it again. */
  *slicesWithJsonInput(typeSeq: number, filter: LogFilter, limit: number): Generator<LoggedDecision<string>[]> {
    for (const rows of this.#readSlices(typeSeq, filter, limit)) yield rows.map(unreadTable.read);
  }

  get(typeSeq: number, id: string): LoggedDecision | null {
    // The last group of the id's digits is the row number.
    const row = this.#statements.get.get(Number.parseInt(id.slice(24), 16), id, typeSeq);
    return row === undefined ? null : logTable.read(row);
  }

  /** Adds a decision that was made elsewhere; false where it is in the log, or waits there to be deleted. */
  addOnce(decision: NewLoggedDecision & { edgeId: string }): boolean {
    if (this.#statements.ofEdge.get(decision.decisionTypeSeq, decision.edgeId) !== undefined) return false;
    this.#insert(decision);
    return true;
  }

  /** Notes the right decision beside a record. */
  correct(seq: number, decision: string | null): void {
    this.#db.transaction(() => {
      this.#statements.correct.run(decision, seq);
      this.#chain.noteCorrected(seq, decision);
    })();
  }

  /** How far the chain of the log has come. */
  readHead(): LogHead {
    return readHead(this.#db);
  }

  /** Returns the figures of a type's records since a time, 0 stands for the beginning, and before another. */
  computeMetrics(typeSeq: number, sinceMs: number, beforeMs: number | null = null): TypeMetrics {
    const conditions = [equals('decision_type_seq', typeSeq)];
    // Without a bound on the time no summary has to be compared with it.
    if (sinceMs > 0) conditions.push(atLeast('created_at', sinceMs));
    if (beforeMs !== null) conditions.push(atMost('created_at', beforeMs - 1));
    const groups = this.#log.summary(conditions, 'decision');
    const sum = { n: 0, confidence: 0, latency: 0, escalated: 0 };
    for (const group of groups.values()) {
      sum.n += group.n;
      sum.confidence += group.confidence;
      sum.latency += group.latency;
      sum.escalated += group.escalated;
    }
    const toAverage = (value: number) => (sum.n === 0 ? null : value / sum.n);
    return {
      total: sum.n,
      avgConfidence: toAverage(sum.confidence),
      avgLatencyMs: toAverage(sum.latency),
      escalationRate: toAverage(sum.escalated),
      distribution: Object.fromEntries([...groups].map(([decision, { n }]) => [decision, n])),
    };
  }

  /** Counts the decisions of each release of a type, by its number. */
  countByRelease(typeSeq: number): (release: number) => ReleaseCounts {
    const sums = this.#log.summary<number | null>([equals('decision_type_seq', typeSeq)], 'release');
    const rows = this.#statements.checkedByRelease.all({ typeSeq });
    const checked = new Map(rows.map(({ release, ...counts }) => [release, counts]));
    return (release) => {
      const { n: decisions = 0, escalated = 0 } = sums.get(release) ?? {};
      return { decisions, escalated, ...(checked.get(release) ?? { checked: 0, wrong: 0 }) };
    };
  }

  /** The latencies in milliseconds of up to `limit` of a type's records since a time, newest first. */
  listLatencies(typeSeq: number, sinceMs: number, limit: number): number[] {
    const conditions = [equals('decision_type_seq', typeSeq), atLeast('created_at', sinceMs)];
    const latenciesMs: number[] = [];
    for (const range of this.#log.ranges(conditions)) {
      if (latenciesMs.length >= limit) break;
      const rows = this.#log.read<RawLogRecord>(conditions, range, limit - latenciesMs.length);
      latenciesMs.push(...rows.map(({ latencyMs }) => latencyMs));
    }
    return latenciesMs;
  }

  /** Takes a type's records before `beforeMs` out of the log, a few a commit; `removedAtMs` lets them be restored. */
  *forget(typeSeq: number, beforeMs: number, removedAtMs: number | null): Generator<number> {
    const old = [equals('decision_type_seq', typeSeq), atMost('created_at', beforeMs - 1)];
    const forgetSome = this.#db.transaction((range: Range) => this.#forgetSome(typeSeq, beforeMs, removedAtMs, range));
    for (const range of this.#log.ranges(old).reverse()) {
      for (let removed = rowsPerDeletion; removed === rowsPerDeletion; ) {
        removed = forgetSome.immediate(range);
        yield removed;
      }
    }
  }

  /** Deletes records marked at `beforeMs` or earlier, or of types with personal fields, as `forget` does. */
  *purge(beforeMs: number): Generator<number> {
    const purgeSome = this.#db.transaction(() => {
      const deleted = this.#statements.deleteMarked.all(beforeMs, rowsPerDeletion);
      this.#chain.noteDeleted(deleted);
      this.#chain.forgetGone();
      if (deleted.length > 0) this.#reopenLastBlock();
      return deleted.length;
    });
    for (let deleted = rowsPerDeletion; deleted === rowsPerDeletion; ) {
      deleted = purgeSome.immediate();
      yield deleted;
    }
  }

  /** Brings the marked records of a type back into the log, a block at a time; yields how many each time. */
  *restore(typeSeq: number): Generator<number> {
    const restoreBlock = this.#db.transaction((block: number) => {
      const restored = this.#statements.unmarkRows.all(block * blockRows, (block + 1) * blockRows - 1, typeSeq);
      this.#chain.noteMoved('restored', restored);
      this.#resummarise(typeSeq, block);
      return restored.length;
    });
    for (const block of this.#statements.markedBlocks.all(typeSeq)) yield restoreBlock.immediate(block);
  }

  rebuildBlocks(): void {
    this.#db.transaction(() => {
      this.#statements.removeBlocksFrom.run(0);
      this.#writeSummaries(0, this.#findOpenBlock() * blockRows - 1);
    })();
  }

  *#readSlices(typeSeq: number, filter: LogFilter, limit: number): Generator<RawLogRecord[]> {
    const conditions = toConditions(typeSeq, filter);
    for (const range of this.#log.ranges(conditions)) {
      for (let last = range.last; last >= range.first; ) {
        const rows = this.#log.read<RawLogRecord>(conditions, { ...range, last }, limit);
        yield rows;
        const oldest = rows.at(-1);
        if (oldest === undefined || rows.length < limit) break;
        last = oldest.seq - 1;
      }
    }
  }

  /** Takes out some old records of a type between two row numbers and makes the summaries right again. */
  #forgetSome(typeSeq: number, beforeMs: number, removedAtMs: number | null, { first, last }: Range): number {
    const old: OldRows = [first, last, typeSeq, beforeMs, rowsPerDeletion];
    const { deleteRows, markRows } = this.#statements;
    let count: number;
    if (removedAtMs === null) {
      const deleted = deleteRows.all(...old);
      this.#chain.noteDeleted(deleted);
      count = deleted.length;
    } else {
      const hidden = markRows.all(removedAtMs, ...old);
      this.#chain.noteMoved('hidden', hidden, removedAtMs);
      count = hidden.length;
    }
    if (count === 0) return 0;
    this.#resummarise(typeSeq, toBlockNumber(first));
    this.#reopenLastBlock();
    return count;
  }

  #resummarise(typeSeq: number, block: number): void {
    this.#statements.removeBlock.run(typeSeq, block);
    if (block < this.#findOpenBlock()) this.#writeSummaries(block * blockRows, (block + 1) * blockRows - 1, typeSeq);
  }

  /** Where the newest records went, their row numbers will be given again: their blocks are not full any more. */
  #reopenLastBlock(): void {
    this.#statements.removeBlocksFrom.run(this.#findOpenBlock());
  }

  #findOpenBlock(): number {
    return toBlockNumber((this.#statements.highest.get() ?? 0) + 1);
  }
}
