/** The credit ledger: its entries are only ever added, and summed up block by block. */
import type { CreditOperation } from '../../contract/account/account.ts';
import { atLeast, BlockReader, blockRows, type Condition, equals, fillsBlock, toBlockNumber } from '../blocks.ts';
import type { WorkbenchDatabase } from '../database.ts';

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

export type UsageRecord = Omit<CreditEntry, 'organisationSeq'>;

/** The part of the ledger on a page of usage: entries since a time, of one operation or, with null, of all. */
type UsageQuery = {
  organisationSeq: number;
  sinceMs: number;
  operation: CreditOperation | null;
  page: number;
  pageSize: number;
};
type Sums = { since: number; seq: number; used: number; decisions: number };

/** Prepares the insert of a ledger entry; the entry that fills a block writes the block's summary. */
export function prepareCreditInsert(db: WorkbenchDatabase): (entry: CreditEntry) => void {
  const statement = db.prepare(
    `INSERT INTO credit_entries (id, organisation_seq, operation, credits, decision_type_id, reference_id, created_at)
     VALUES (@id, @organisationSeq, @operation, @credits, @decisionTypeId, @referenceId, @createdAt)`,
  );
  const summary = prepareSummary(db);
  return (entry) => {
    const seq = Number(statement.run(entry).lastInsertRowid);
    if (fillsBlock(seq)) summary.run(seq - blockRows + 1, seq);
  };
}

/** Prepares the entries for log records between two row numbers, for the records' transaction. */
export function prepareDecisionCharge(db: WorkbenchDatabase): (first: number, last: number, credits: number) => void {
  const statement = db.prepare<[number, number, number]>(
    `INSERT INTO credit_entries (id, organisation_seq, operation, credits, decision_type_id, reference_id, created_at)
     SELECT l.id, o.seq, 'decision', ?, t.id, l.id, l.created_at FROM decision_logs l
       LEFT JOIN decision_types t ON t.seq = l.decision_type_seq LEFT JOIN organisations o ON o.id = t.organisation_id
     WHERE l.seq BETWEEN ? AND ? ORDER BY l.seq`,
  );
  const summary = prepareSummary(db);
  return (first, last, credits) => {
    const { changes, lastInsertRowid } = statement.run(credits, first, last);
    const end = Number(lastInsertRowid) + 1;
    for (let block = toBlockNumber(end - changes); block < toBlockNumber(end); block += 1) {
      summary.run(block * blockRows, (block + 1) * blockRows - 1);
    }
  };
}

/** Prepares the statement that writes the summaries of the full blocks from one row number to another. */
const prepareSummary = (db: WorkbenchDatabase) =>
  db.prepare<[number, number]>(
    `INSERT OR REPLACE INTO credit_blocks
     SELECT organisation_seq, seq / ${blockRows}, operation, count(*), sum(credits), min(created_at), max(created_at),
       min(seq), max(seq) FROM credit_entries WHERE seq BETWEEN ? AND ? GROUP BY 1, 2, 3`,
  );

function prepareStatements(db: WorkbenchDatabase) {
  return {
    // By row number, not by time: a decision under a plan adds up only what is new since the decision before.
    addUp: db.prepare<[number, number, number], { seq: number | null; used: number; decisions: number }>(
      `SELECT max(seq) AS seq, coalesce(sum(credits), 0) AS used, coalesce(sum(operation = 'decision'), 0) AS decisions
       FROM credit_entries WHERE seq > ? AND organisation_seq = ? AND created_at >= ?`,
    ),
    lastHosting: db
      .prepare<[string, number], number | null>(
        `SELECT max(created_at) FROM credit_entries
         WHERE operation = 'hosting' AND reference_id = ? AND created_at <= ?`,
      )
      .pluck(),
    highest: db.prepare<[], number | null>('SELECT max(seq) FROM credit_entries').pluck(),
  };
}

/** The ledger as it is read, with its other entries than those of decisions, which `prepareDecisionCharge` writes. */
export class CreditStore {
  readonly #db: WorkbenchDatabase;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #ledger: BlockReader<'credits'>;
  readonly #sums = new Map<number, Sums>();
  readonly insert: (entry: CreditEntry) => void;

  constructor(db: WorkbenchDatabase) {
    this.#db = db;
    this.#statements = prepareStatements(db);
    this.#ledger = new BlockReader(db, {
      rows: 'credit_entries',
      columns: `id, operation, credits, decision_type_id AS decisionTypeId, reference_id AS referenceId,
        created_at AS createdAt`,
      blocks: 'credit_blocks',
      sums: { credits: { ofBlocks: 'sum(credits_sum)', ofRows: 'sum(credits)' } },
    });
    this.insert = prepareCreditInsert(db);
  }

  /** Returns an organisation's credits and decisions since a time. Not inside a transaction that may be rolled back. */
  usedSince(organisationSeq: number, sinceMs: number): { used: number; decisions: number } {
    const known = this.#sums.get(organisationSeq);
    const from = known?.since === sinceMs ? known : this.#sumSince(organisationSeq, sinceMs);
    const more = this.#statements.addUp.get(from.seq, organisationSeq, sinceMs);
    const sums = {
      since: sinceMs,
      seq: more?.seq ?? from.seq,
      used: from.used + (more?.used ?? 0),
      decisions: from.decisions + (more?.decisions ?? 0),
    };
    this.#sums.set(organisationSeq, sums);
    return sums;
  }

  /** Returns when the hosting of a policy was charged last, up to a time, or null. */
  getLastHosting(policyId: string, untilMs: number): number | null {
    return this.#statements.lastHosting.get(policyId, untilMs) ?? null;
  }

  /** Returns one page of entries, the newest first, with the number and the credits of all that match. */
  usage(query: UsageQuery): { entries: UsageRecord[]; total: number; byOperation: Record<string, number> } {
    const { organisationSeq, sinceMs, operation, page, pageSize } = query;
    const filter = toFilter(organisationSeq, sinceMs);
    if (operation !== null) filter.push(equals('operation', operation));
    const entries: UsageRecord[] = [];
    let skip = (page - 1) * pageSize;
    for (const range of this.#ledger.ranges(filter)) {
      const missing = pageSize - entries.length;
      if (missing === 0) break;
      const n = this.#ledger.count(filter, range);
      if (n > skip) entries.push(...this.#ledger.read<UsageRecord>(filter, range, missing, skip));
      skip = Math.max(0, skip - n);
    }
    const groups = [...this.#ledger.summary(filter, 'operation')];
    return {
      entries,
      total: groups.reduce((sum, [, { n }]) => sum + n, 0),
      byOperation: Object.fromEntries(groups.map(([name, { credits }]) => [name, credits])),
    };
  }

  rebuildBlocks(): void {
    this.#db.transaction(() => {
      this.#db.exec('DELETE FROM credit_blocks');
      const open = toBlockNumber((this.#statements.highest.get() ?? 0) + 1);
      prepareSummary(this.#db).run(0, open * blockRows - 1);
    })();
  }

  #sumSince(organisationSeq: number, sinceMs: number): Sums {
    const sums = { since: sinceMs, seq: this.#statements.highest.get() ?? 0, used: 0, decisions: 0 };
    const filter = toFilter(organisationSeq, sinceMs);
    for (const [operation, { n, credits }] of this.#ledger.summary(filter, 'operation')) {
      sums.used += credits;
      if (operation === 'decision') sums.decisions += n;
    }
    return sums;
  }
}

function toFilter(organisationSeq: number, sinceMs: number): Condition[] {
  return [equals('organisation_seq', organisationSeq), atLeast('created_at', sinceMs)];
}
