import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Stage } from '../../engine/domain.ts';
import type { RuleFailure } from '../../engine/rules/compile.ts';
import type { LogFilter } from '../contract/logs.ts';
import {
  atLeast,
  atMost,
  between,
  blockRows,
  type Condition,
  createBlockReader,
  equals,
  fillsBlock,
  type Range,
  toBlockNumber,
} from './blocks.ts';
import type { WorkbenchDatabase } from './database.ts';

/** One log record as it is written; JSON fields are already texts, personal fields already replaced. */
export type LogInsert = {
  decisionTypeSeq: number;
  requestId: string;
  inputJson: string;
  decision: string;
  confidence: number;
  stage: Stage;
  reasonCodes: string[];
  classProbabilities: Record<string, number>;
  rulesTriggered: string[];
  /** The rules that erred before one matched; may be left out where none did. */
  ruleErrors?: readonly RuleFailure[];
  escalated: boolean;
  fallbackUsed: boolean;
  unfamiliar: boolean;
  policyVersion: string;
  latencyMs: number;
  apiKeyId: string | null;
  createdAt: number;
};

export type LogRow = Required<Omit<LogInsert, 'decisionTypeSeq'>> & {
  seq: number;
  id: string;
  correctedDecision: string | null;
};

/** Prepares the insert that the commit queue runs inside its transaction; it gives the record's row number. */
export function insertLogRecord(db: WorkbenchDatabase): (record: LogInsert) => number {
  const statement = db.prepare(
    `INSERT INTO decision_logs (decision_type_seq, request_id, input, decision, confidence, stage, reason_codes,
       class_probabilities, rules_triggered, escalated, fallback_used, unfamiliar, policy_version, latency_ms, api_key_id,
       created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // few decisions have any: the others do not pay for the column
  const addRuleErrors = db.prepare<[string, number]>('UPDATE decision_logs SET rule_errors = ? WHERE seq = ?');
  const summarise = summariseLogs(db);
  return (record) => {
    const { lastInsertRowid } = statement.run(
      record.decisionTypeSeq,
      record.requestId,
      record.inputJson,
      record.decision,
      record.confidence,
      record.stage,
      listText(record.reasonCodes),
      JSON.stringify(record.classProbabilities),
      listText(record.rulesTriggered),
      record.escalated ? 1 : 0,
      record.fallbackUsed ? 1 : 0,
      record.unfamiliar ? 1 : 0,
      record.policyVersion,
      record.latencyMs,
      record.apiKeyId,
      record.createdAt,
    );
    const seq = Number(lastInsertRowid);
    const { ruleErrors } = record;
    if (ruleErrors !== undefined && ruleErrors.length > 0) addRuleErrors.run(JSON.stringify(ruleErrors), seq);
    if (fillsBlock(seq)) summarise(seq - blockRows + 1, seq);
    return seq;
  };
}

const listText = (list: readonly string[]): string => (list.length === 0 ? '[]' : JSON.stringify(list));

/** Prepares the writing of the summaries of the full blocks from one row number to another. */
function summariseLogs(db: WorkbenchDatabase): (first: number, last: number, typeSeq?: number) => void {
  const statement = db.prepare<[number, number, number | null, number | null]>(
    `INSERT OR REPLACE INTO log_blocks
     SELECT decision_type_seq, seq / ${blockRows}, decision, escalated, count(*), sum(confidence), sum(latency_ms),
       min(confidence), max(confidence), min(created_at), max(created_at), min(seq), max(seq), sorted_numbers(confidence)
     FROM decision_logs WHERE seq BETWEEN ? AND ? AND (? IS NULL OR decision_type_seq = ?) GROUP BY 1, 2, 3, 4`,
  );
  return (first, last, typeSeq = undefined) => {
    statement.run(first, last, typeSeq ?? null, typeSeq ?? null);
  };
}

type Raw = {
  seq: number;
  id: string;
  request_id: string;
  input: string;
  decision: string;
  confidence: number;
  stage: Stage;
  reason_codes: string;
  class_probabilities: string;
  rules_triggered: string;
  rule_errors: string | null;
  escalated: number;
  fallback_used: number;
  unfamiliar: number;
  policy_version: string;
  latency_ms: number;
  api_key_id: string | null;
  created_at: number;
  corrected_decision: string | null;
};

function toRow(raw: Raw): LogRow {
  return {
    seq: raw.seq,
    id: raw.id,
    requestId: raw.request_id,
    inputJson: raw.input,
    decision: raw.decision,
    confidence: raw.confidence,
    stage: raw.stage,
    reasonCodes: JSON.parse(raw.reason_codes) as string[],
    classProbabilities: JSON.parse(raw.class_probabilities) as Record<string, number>,
    rulesTriggered: JSON.parse(raw.rules_triggered) as string[],
    ruleErrors: raw.rule_errors === null ? [] : (JSON.parse(raw.rule_errors) as RuleFailure[]),
    escalated: raw.escalated === 1,
    fallbackUsed: raw.fallback_used === 1,
    unfamiliar: raw.unfamiliar === 1,
    policyVersion: raw.policy_version,
    latencyMs: raw.latency_ms,
    apiKeyId: raw.api_key_id,
    createdAt: raw.created_at,
    correctedDecision: raw.corrected_decision,
  };
}

/** The conditions of a filter. */
function conditions(typeSeq: number, filter: LogFilter): Condition[] {
  const found = [equals('decision_type_seq', typeSeq)];
  if (filter.decision !== undefined) found.push(equals('decision', filter.decision));
  if (filter.escalated !== undefined) found.push(equals('escalated', Number(filter.escalated)));
  const { min_confidence: low, max_confidence: high } = filter;
  if (low !== undefined || high !== undefined) {
    found.push(between('confidence', 'confidences', low ?? Number.NEGATIVE_INFINITY, high ?? Number.POSITIVE_INFINITY));
  }
  if (filter.start_time !== undefined) found.push(atLeast('created_at', readTime(filter.start_time)));
  if (filter.end_time !== undefined) found.push(atMost('created_at', readTime(filter.end_time)));
  return found;
}

/** A time without an offset is UTC. */
function readTime(text: string): number {
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`);
}

export type TypeMetrics = {
  total: number;
  avgConfidence: number | null;
  avgLatencyMs: number | null;
  escalationRate: number | null;
  distribution: Record<string, number>;
};

/** Records that are deleted before other work gets its turn. */
const rowsPerSlice = 500;
/** The decision log: reading, filtering, correcting, forgetting. Writing goes through `insertLogRecord`. */
export function createLogStore(db: WorkbenchDatabase) {
  const log = createBlockReader(db, {
    rows: 'decision_logs',
    columns: '*',
    blocks: 'log_blocks',
    sums: {
      confidence: { ofBlocks: 'sum(confidence_sum)', ofRows: 'sum(confidence)' },
      latency: { ofBlocks: 'sum(latency_sum)', ofRows: 'sum(latency_ms)' },
      escalated: { ofBlocks: 'sum(n * escalated)', ofRows: 'sum(escalated)' },
    },
  });
  const byId = db.prepare<[number, string, number], Raw>(
    'SELECT * FROM decision_logs WHERE seq = ? AND id = ? AND decision_type_seq = ?',
  );
  const correct = db.prepare('UPDATE decision_logs SET corrected_decision = ? WHERE seq = ?');
  const highest = db.prepare<[], number | null>('SELECT max(seq) FROM decision_logs').pluck();
  const removeRows = db.prepare<[number, number, number, number, number]>(
    `DELETE FROM decision_logs WHERE seq IN (SELECT seq FROM decision_logs
       WHERE seq BETWEEN ? AND ? AND decision_type_seq = ? AND created_at < ? ORDER BY seq LIMIT ?)`,
  );
  const removeBlock = db.prepare<[number, number]>('DELETE FROM log_blocks WHERE decision_type_seq = ? AND block = ?');
  const removeBlocksFrom = db.prepare<[number]>('DELETE FROM log_blocks WHERE block >= ?');
  const summarise = summariseLogs(db);

  /** Deletes some old records of a type between two row numbers and makes the summaries right again. */
  const forgetSlice = db.transaction((typeSeq: number, beforeMs: number, { first, last }: Range): number => {
    const { changes } = removeRows.run(first, last, typeSeq, beforeMs, rowsPerSlice);
    if (changes === 0) return 0;
    const block = toBlockNumber(first);
    const open = toBlockNumber((highest.get() ?? 0) + 1);
    removeBlock.run(typeSeq, block);
    if (block < open) summarise(block * blockRows, (block + 1) * blockRows - 1, typeSeq);
    // where the newest records went, their row numbers will be given again
    removeBlocksFrom.run(open);
    return changes;
  });

  return {
    /** One page, newest first, with the number of all matches. Between blocks that are read other work has its turn. */
    async page(
      typeSeq: number,
      filter: LogFilter,
      page: number,
      pageSize: number,
    ): Promise<{ rows: LogRow[]; total: number }> {
      const wanted = conditions(typeSeq, filter);
      const rows: LogRow[] = [];
      let skip = (page - 1) * pageSize;
      let total = 0;
      for (const range of log.ranges(wanted)) {
        const n = log.count(wanted, range);
        const here = Math.min(pageSize - rows.length, n - skip);
        if (here > 0) rows.push(...log.read<Raw>(wanted, range, here, skip).map(toRow));
        skip = Math.max(0, skip - n);
        total += n;
        if (range.n === null || here > 0) await nextTurn();
      }
      return { rows, total };
    },
    /** One page of the records that need a look and have no correction: of unfamiliar inputs first, then newest first. */
    toReview(typeSeq: number, filter: LogFilter, page: number, pageSize: number): { rows: LogRow[]; total: number } {
      const wanted = conditions(typeSeq, filter);
      const values = wanted.flatMap(({ values }) => values);
      const sql = `FROM decision_logs INDEXED BY decision_logs_to_review
        WHERE ${wanted.map(({ row }) => row).join(' AND ')} AND escalated = 1 AND corrected_decision IS NULL`;
      const total = db.prepare<(string | number)[], number>(`SELECT count(*) ${sql}`).pluck();
      const rows = db.prepare<(string | number)[], Raw>(
        `SELECT * ${sql} ORDER BY unfamiliar DESC, seq DESC LIMIT ? OFFSET ?`,
      );
      return {
        rows: rows.all(...values, pageSize, (page - 1) * pageSize).map(toRow),
        total: total.get(...values) ?? 0,
      };
    },
    /** All records that match, newest first, up to `limit` at a time; records made meanwhile are not in it. */
    *slices(typeSeq: number, filter: LogFilter, limit: number): Generator<LogRow[]> {
      const wanted = conditions(typeSeq, filter);
      for (const range of log.ranges(wanted)) {
        for (let last = range.last; last >= range.first; ) {
          const rows = log.read<Raw>(wanted, { ...range, last }, limit).map(toRow);
          yield rows;
          const oldest = rows.at(-1);
          if (oldest === undefined || rows.length < limit) break;
          last = oldest.seq - 1;
        }
      }
    },
    get(typeSeq: number, id: string): LogRow | null {
      // the last group of the id's digits is the row number
      const raw = byId.get(Number.parseInt(id.slice(24), 16), id, typeSeq);
      return raw === undefined ? null : toRow(raw);
    },
    correct(seq: number, decision: string): void {
      correct.run(decision, seq);
    },
    metrics(typeSeq: number, sinceMs: number): TypeMetrics {
      const ofType = equals('decision_type_seq', typeSeq);
      // without a bound on the time no summary has to be compared with it
      const parts = log.summary(sinceMs === 0 ? [ofType] : [ofType, atLeast('created_at', sinceMs)], 'decision');
      const sum = { n: 0, confidence: 0, latency: 0, escalated: 0 };
      for (const part of parts.values())
        for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += part[name];
      const average = (of: number) => (sum.n === 0 ? null : of / sum.n);
      return {
        total: sum.n,
        avgConfidence: average(sum.confidence),
        avgLatencyMs: average(sum.latency),
        escalationRate: average(sum.escalated),
        distribution: Object.fromEntries([...parts].map(([decision, { n }]) => [decision, n])),
      };
    },
    /** Deletes the records of a type older than `beforeMs`, slice by slice, each its own commit; yields how many. */
    *forget(typeSeq: number, beforeMs: number): Generator<number> {
      const old = [equals('decision_type_seq', typeSeq), atMost('created_at', beforeMs - 1)];
      for (const range of log.ranges(old).reverse()) {
        for (let removed = rowsPerSlice; removed === rowsPerSlice; ) {
          removed = forgetSlice.immediate(typeSeq, beforeMs, range);
          yield removed;
        }
      }
    },
    /** Makes the summaries anew from the records. */
    rebuildBlocks: db.transaction(() => {
      removeBlocksFrom.run(0);
      summarise(0, toBlockNumber((highest.get() ?? 0) + 1) * blockRows - 1);
    }),
  };
}
