import type { Stage } from '../../engine/domain.ts';
import type { LogFilter } from '../contract/logs.ts';
import type { WorkbenchDatabase } from './database.ts';

/** One log record as it is written; JSON fields are already texts, personal fields already replaced. */
export type LogInsert = {
  id: string;
  decisionTypeSeq: number;
  requestId: string;
  inputJson: string;
  decision: string;
  confidence: number;
  stage: Stage;
  reasonCodes: string[];
  classProbabilities: Record<string, number>;
  rulesTriggered: string[];
  escalated: boolean;
  fallbackUsed: boolean;
  policyVersion: string;
  latencyMs: number;
  apiKeyId: string | null;
  createdAt: number;
};

export type LogRow = Omit<LogInsert, 'decisionTypeSeq'> & { seq: number; correctedDecision: string | null };

/** Prepares the insert that the commit queue runs inside its transaction, together with the credit entry. */
export function insertLogRecord(db: WorkbenchDatabase): (record: LogInsert) => void {
  const statement = db.prepare(
    `INSERT INTO decision_logs (id, decision_type_seq, request_id, input, decision, confidence, stage, reason_codes,
       class_probabilities, rules_triggered, escalated, fallback_used, policy_version, latency_ms, api_key_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (record) => {
    statement.run(
      record.id,
      record.decisionTypeSeq,
      record.requestId,
      record.inputJson,
      record.decision,
      record.confidence,
      record.stage,
      JSON.stringify(record.reasonCodes),
      JSON.stringify(record.classProbabilities),
      JSON.stringify(record.rulesTriggered),
      record.escalated ? 1 : 0,
      record.fallbackUsed ? 1 : 0,
      record.policyVersion,
      record.latencyMs,
      record.apiKeyId,
      record.createdAt,
    );
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
  escalated: number;
  fallback_used: number;
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
    escalated: raw.escalated === 1,
    fallbackUsed: raw.fallback_used === 1,
    policyVersion: raw.policy_version,
    latencyMs: raw.latency_ms,
    apiKeyId: raw.api_key_id,
    createdAt: raw.created_at,
    correctedDecision: raw.corrected_decision,
  };
}

/** Turns a filter into a WHERE part; the parts are constants, the values are bound. */
function where(typeSeq: number, filter: LogFilter): { sql: string; values: (string | number)[] } {
  const parts = ['decision_type_seq = ?'];
  const values: (string | number)[] = [typeSeq];
  const add = (sql: string, value: string | number | undefined) => {
    if (value === undefined) return;
    parts.push(sql);
    values.push(value);
  };
  add('decision = ?', filter.decision);
  add('escalated = ?', filter.escalated === undefined ? undefined : Number(filter.escalated));
  add('confidence >= ?', filter.min_confidence);
  add('confidence <= ?', filter.max_confidence);
  add('created_at >= ?', filter.start_time === undefined ? undefined : readTime(filter.start_time));
  add('created_at <= ?', filter.end_time === undefined ? undefined : readTime(filter.end_time));
  return { sql: parts.join(' AND '), values };
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
};

/** The decision log: reading, filtering, correcting, forgetting. Writing goes through `insertLogRecord`. */
export function createLogStore(db: WorkbenchDatabase) {
  const aggregate = db.prepare<[number, number], TypeMetrics>(
    `SELECT count(*) AS total, avg(confidence) AS avgConfidence, avg(latency_ms) AS avgLatencyMs,
       avg(escalated) AS escalationRate FROM decision_logs WHERE decision_type_seq = ? AND created_at >= ?`,
  );
  const distribution = db.prepare<[number, number], { decision: string; n: number }>(
    'SELECT decision, count(*) AS n FROM decision_logs WHERE decision_type_seq = ? AND created_at >= ? GROUP BY decision',
  );
  const byId = db.prepare<[string, number], Raw>('SELECT * FROM decision_logs WHERE id = ? AND decision_type_seq = ?');
  const correct = db.prepare('UPDATE decision_logs SET corrected_decision = ? WHERE seq = ?');
  const forget = db.prepare(
    `DELETE FROM decision_logs WHERE seq IN
       (SELECT seq FROM decision_logs WHERE decision_type_seq = ? AND created_at < ? LIMIT 5000)`,
  );

  return {
    page(typeSeq: number, filter: LogFilter, page: number, pageSize: number): { rows: LogRow[]; total: number } {
      const { sql, values } = where(typeSeq, filter);
      const total = db.prepare<(string | number)[], number>(`SELECT count(*) FROM decision_logs WHERE ${sql}`).pluck();
      const rows = db.prepare<(string | number)[], Raw>(
        `SELECT * FROM decision_logs WHERE ${sql} ORDER BY seq DESC LIMIT ? OFFSET ?`,
      );
      return {
        rows: rows.all(...values, pageSize, (page - 1) * pageSize).map(toRow),
        total: total.get(...values) ?? 0,
      };
    },
    /** Up to `limit` records older than `beforeSeq`, newest first: an export reads chunk by chunk. */
    chunk(typeSeq: number, filter: LogFilter, beforeSeq: number, limit: number): LogRow[] {
      const { sql, values } = where(typeSeq, filter);
      return db
        .prepare<(string | number)[], Raw>(
          `SELECT * FROM decision_logs WHERE ${sql} AND seq < ? ORDER BY seq DESC LIMIT ?`,
        )
        .all(...values, beforeSeq, limit)
        .map(toRow);
    },
    get(typeSeq: number, id: string): LogRow | null {
      const raw = byId.get(id, typeSeq);
      return raw === undefined ? null : toRow(raw);
    },
    correct(seq: number, decision: string): void {
      correct.run(decision, seq);
    },
    metrics(typeSeq: number, sinceMs: number): TypeMetrics {
      return (
        aggregate.get(typeSeq, sinceMs) ?? { total: 0, avgConfidence: null, avgLatencyMs: null, escalationRate: null }
      );
    },
    distribution(typeSeq: number, sinceMs: number): Record<string, number> {
      return Object.fromEntries(distribution.all(typeSeq, sinceMs).map((row) => [row.decision, row.n]));
    },
    /** Deletes at most 5,000 records older than `beforeMs` and says how many. */
    forget(typeSeq: number, beforeMs: number): number {
      return forget.run(typeSeq, beforeMs).changes;
    },
  };
}
