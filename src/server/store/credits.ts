import type { CreditOperation } from '../contract/credits.ts';
import type { WorkbenchDatabase } from './database.ts';

export type CreditEntry = {
  id: string;
  organisationSeq: number;
  operation: CreditOperation;
  /** Negative for a refund. */
  credits: number;
  decisionTypeId: string | null;
  referenceId: string | null;
  createdAt: number;
};

type UsageRow = {
  id: string;
  operation: CreditOperation;
  credits: number;
  decision_type_id: string | null;
  reference_id: string | null;
  created_at: number;
};

/** Prepares the insert of a ledger entry; the commit queue runs it beside the log record. */
export function insertCreditEntry(db: WorkbenchDatabase): (entry: CreditEntry) => void {
  const statement = db.prepare(
    `INSERT INTO credit_entries (id, organisation_seq, operation, credits, decision_type_id, reference_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  return (entry) => {
    statement.run(
      entry.id,
      entry.organisationSeq,
      entry.operation,
      entry.credits,
      entry.decisionTypeId,
      entry.referenceId,
      entry.createdAt,
    );
  };
}

/** The ledger: entries are only ever added. */
export function createCreditStore(db: WorkbenchDatabase) {
  // by row number, not by time: a decision under a plan adds up only what is new since the decision before
  const addUp = db.prepare<[number, number, number], { seq: number | null; used: number; decisions: number }>(
    `SELECT max(seq) AS seq, coalesce(sum(credits), 0) AS used, coalesce(sum(operation = 'decision'), 0) AS decisions
     FROM credit_entries NOT INDEXED WHERE seq > ? AND organisation_seq = ? AND created_at >= ?`,
  );
  const sums = new Map<number, { since: number; seq: number; used: number; decisions: number }>();
  const lastHosting = db
    .prepare<[string], number | null>(
      "SELECT max(created_at) FROM credit_entries WHERE operation = 'hosting' AND reference_id = ?",
    )
    .pluck();
  const filter = 'organisation_seq = ? AND created_at >= ? AND (? IS NULL OR operation = ?)';
  const items = db.prepare<(string | number | null)[], UsageRow>(
    `SELECT id, operation, credits, decision_type_id, reference_id, created_at FROM credit_entries
     WHERE ${filter} ORDER BY seq DESC LIMIT ? OFFSET ?`,
  );
  const summary = db.prepare<(string | number | null)[], { operation: string; n: number; credits: number }>(
    `SELECT operation, count(*) AS n, sum(credits) AS credits FROM credit_entries WHERE ${filter} GROUP BY operation`,
  );

  return {
    insert: insertCreditEntry(db),
    /** Credits and decisions of an organisation since a time. Not inside a transaction that may be rolled back. */
    usedSince(organisationSeq: number, sinceMs: number): { used: number; decisions: number } {
      const known = sums.get(organisationSeq);
      const from = known?.since === sinceMs ? known : { since: sinceMs, seq: 0, used: 0, decisions: 0 };
      const more = addUp.get(from.seq, organisationSeq, sinceMs);
      const sum = {
        since: sinceMs,
        seq: more?.seq ?? from.seq,
        used: from.used + (more?.used ?? 0),
        decisions: from.decisions + (more?.decisions ?? 0),
      };
      sums.set(organisationSeq, sum);
      return sum;
    },
    /** When the hosting of a policy was charged last, or null. */
    lastHosting: (policyId: string): number | null => lastHosting.get(policyId) ?? null,
    usage(query: {
      organisationSeq: number;
      sinceMs: number;
      operation: CreditOperation | null;
      page: number;
      pageSize: number;
    }): { rows: UsageRow[]; total: number; byOperation: Record<string, number> } {
      const values = [query.organisationSeq, query.sinceMs, query.operation, query.operation];
      const groups = summary.all(...values);
      return {
        rows: items.all(...values, query.pageSize, (query.page - 1) * query.pageSize),
        total: groups.reduce((sum, group) => sum + group.n, 0),
        byOperation: Object.fromEntries(groups.map((group) => [group.operation, group.credits])),
      };
    },
  };
}
