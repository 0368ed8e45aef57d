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
  const used = db
    .prepare<[number, number], number>(
      'SELECT coalesce(sum(credits), 0) FROM credit_entries WHERE organisation_seq = ? AND created_at >= ?',
    )
    .pluck();
  const usedBy = db
    .prepare<[number, string, number], number>(
      'SELECT count(*) FROM credit_entries WHERE organisation_seq = ? AND operation = ? AND created_at >= ?',
    )
    .pluck();
  const hosted = db
    .prepare<[string, number], number>(
      "SELECT count(*) FROM credit_entries WHERE operation = 'hosting' AND reference_id = ? AND created_at >= ?",
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
    usedSince: (organisationSeq: number, sinceMs: number): number => used.get(organisationSeq, sinceMs) ?? 0,
    countSince: (organisationSeq: number, operation: CreditOperation, sinceMs: number): number =>
      usedBy.get(organisationSeq, operation, sinceMs) ?? 0,
    hostingEntriesSince: (policyId: string, sinceMs: number): number => hosted.get(policyId, sinceMs) ?? 0,
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
