import type { CreditOperation } from '../contract/credits.ts';
import { atLeast, blockRows, createBlockReader, equals, fillsBlock, toBlockNumber } from './blocks.ts';
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

/** Prepares the insert of a ledger entry. */
export function insertCreditEntry(db: WorkbenchDatabase): (entry: CreditEntry) => void {
  const statement = db.prepare(
    `INSERT INTO credit_entries (id, organisation_seq, operation, credits, decision_type_id, reference_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const summarise = summariseCredits(db);
  return (entry) => {
    const { lastInsertRowid } = statement.run(
      entry.id,
      entry.organisationSeq,
      entry.operation,
      entry.credits,
      entry.decisionTypeId,
      entry.referenceId,
      entry.createdAt,
    );
    const seq = Number(lastInsertRowid);
    if (fillsBlock(seq)) summarise.run(seq - blockRows + 1, seq);
  };
}

/**
 * Prepares the ledger's entries for the log records from one row number to another, each with the id of its record; the
 * commit queue runs it in the transaction of the records. One statement for all of them costs less than half of what
 * one for each does. A record without its type is a fault.
 */
export function chargeDecisions(db: WorkbenchDatabase): (first: number, last: number, credits: number) => void {
  const statement = db.prepare<[number, number, number]>(
    `INSERT INTO credit_entries (id, organisation_seq, operation, credits, decision_type_id, reference_id, created_at)
     SELECT l.id, o.seq, 'decision', ?, t.id, l.id, l.created_at FROM decision_logs l
       LEFT JOIN decision_types t ON t.seq = l.decision_type_seq LEFT JOIN organisations o ON o.id = t.organisation_id
     WHERE l.seq BETWEEN ? AND ? ORDER BY l.seq`,
  );
  const summarise = summariseCredits(db);
  return (first, last, credits) => {
    const { changes, lastInsertRowid } = statement.run(credits, first, last);
    const end = Number(lastInsertRowid) + 1;
    for (let block = toBlockNumber(end - changes); block < toBlockNumber(end); block += 1) {
      summarise.run(block * blockRows, (block + 1) * blockRows - 1);
    }
  };
}

/** Prepares the writing of the summaries of the full blocks from one row number to another. */
const summariseCredits = (db: WorkbenchDatabase) =>
  db.prepare<[number, number]>(
    `INSERT OR REPLACE INTO credit_blocks
     SELECT organisation_seq, seq / ${blockRows}, operation, count(*), sum(credits), min(created_at), max(created_at),
       min(seq), max(seq) FROM credit_entries WHERE seq BETWEEN ? AND ? GROUP BY 1, 2, 3`,
  );

/** The ledger: entries are only ever added. */
export function createCreditStore(db: WorkbenchDatabase) {
  // by row number, not by time: a decision under a plan adds up only what is new since the decision before
  const addUp = db.prepare<[number, number, number], { seq: number | null; used: number; decisions: number }>(
    `SELECT max(seq) AS seq, coalesce(sum(credits), 0) AS used, coalesce(sum(operation = 'decision'), 0) AS decisions
     FROM credit_entries WHERE seq > ? AND organisation_seq = ? AND created_at >= ?`,
  );
  const sums = new Map<number, { since: number; seq: number; used: number; decisions: number }>();
  const lastHosting = db
    .prepare<[string], number | null>(
      "SELECT max(created_at) FROM credit_entries WHERE operation = 'hosting' AND reference_id = ?",
    )
    .pluck();
  const ledger = createBlockReader(db, {
    rows: 'credit_entries',
    columns: 'id, operation, credits, decision_type_id, reference_id, created_at',
    blocks: 'credit_blocks',
    sums: { credits: { ofBlocks: 'sum(credits_sum)', ofRows: 'sum(credits)' } },
  });
  const highest = db.prepare<[], number | null>('SELECT max(seq) FROM credit_entries').pluck();
  const summarise = summariseCredits(db);
  const since = (organisationSeq: number, sinceMs: number) => [
    equals('organisation_seq', organisationSeq),
    atLeast('created_at', sinceMs),
  ];

  return {
    insert: insertCreditEntry(db),
    /** Credits and decisions of an organisation since a time. Not inside a transaction that may be rolled back. */
    usedSince(organisationSeq: number, sinceMs: number): { used: number; decisions: number } {
      const known = sums.get(organisationSeq);
      const from = known?.since === sinceMs ? known : everythingSince(organisationSeq, sinceMs);
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
      const all = since(query.organisationSeq, query.sinceMs);
      const wanted = query.operation === null ? all : [...all, equals('operation', query.operation)];
      const rows: UsageRow[] = [];
      let skip = (query.page - 1) * query.pageSize;
      for (const range of ledger.ranges(wanted)) {
        const missing = query.pageSize - rows.length;
        if (missing === 0) break;
        const n = ledger.count(wanted, range);
        if (n > skip) rows.push(...ledger.read<UsageRow>(wanted, range, missing, skip));
        skip = Math.max(0, skip - n);
      }
      const groups = [...ledger.summary(wanted, 'operation')];
      return {
        rows,
        total: groups.reduce((sum, [, { n }]) => sum + n, 0),
        byOperation: Object.fromEntries(groups.map(([operation, { credits }]) => [operation, credits])),
      };
    },
    /** Makes the summaries anew from the entries. */
    rebuildBlocks: db.transaction(() => {
      db.exec('DELETE FROM credit_blocks');
      summarise.run(0, toBlockNumber((highest.get() ?? 0) + 1) * blockRows - 1);
    }),
  };

  function everythingSince(organisationSeq: number, sinceMs: number) {
    const sum = { since: sinceMs, seq: highest.get() ?? 0, used: 0, decisions: 0 };
    for (const [operation, { n, credits }] of ledger.summary(since(organisationSeq, sinceMs), 'operation')) {
      sum.used += credits;
      if (operation === 'decision') sum.decisions += n;
    }
    return sum;
  }
}
