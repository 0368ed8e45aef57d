/** Live decisions drawn to be judged blind: kept as they are recorded, shown as examples, counted as judged. */
import type { JsonObject } from '../../../engine/domain.ts';
import type { AuditCounts } from '../../../engine/measure/audit.ts';
import type { WorkbenchDatabase } from '../database.ts';

/** A drawn decision as it is kept. */
export type NewDraw = {
  decisionTypeSeq: number;
  /** The row number of its log record. */
  logSeq: number;
  createdAt: number;
  decision: string;
  /** Whether rule or classifier decided alone. */
  isAutomatic: boolean;
  policyVersion: string;
};
/** A drawn decision that nobody has been shown. */
export type WaitingDraw = { seq: number; logId: string; input: JsonObject };
/** The counts of a policy: of all its drawn decisions, and of those decided alone. */
export type PolicyAudit = { policyVersion: string; drawn: number; all: AuditCounts; automatic: AuditCounts };

type RawCounts = { automatic: number; judged: number; wrong: number; passedOver: number };

/** Prepares what keeps a drawn decision; it runs inside the transaction that records it. */
export function prepareDrawInsert(db: WorkbenchDatabase): (draw: NewDraw) => void {
  const insert = db.prepare(
    `INSERT INTO audit_draws (decision_type_seq, log_seq, created_at, decision, automatic, policy_version)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return ({ decisionTypeSeq, logSeq, createdAt, decision, isAutomatic, policyVersion }) => {
    insert.run(decisionTypeSeq, logSeq, createdAt, decision, Number(isAutomatic), policyVersion);
  };
}

/** Row numbers of the log are given again: the time tells whether the record still is the one that was drawn. */
const ofRecord = `l.seq = d.log_seq AND l.created_at = d.created_at AND l.decision_type_seq = d.decision_type_seq
  AND l.removed_at IS NULL`;
/** The right decision: as it was judged, or corrected before it was shown. */
const rightSql = 'iif(d.example_id IS NULL, l.corrected_decision, e.decision)';

function prepareStatements(db: WorkbenchDatabase) {
  const waiting = `FROM audit_draws d JOIN decision_logs l ON ${ofRecord}
    WHERE d.decision_type_seq = ? AND d.example_id IS NULL AND l.corrected_decision IS NULL`;
  return {
    waiting: db.prepare<[number, number], Omit<WaitingDraw, 'input'> & { input: string }>(
      `SELECT d.seq, l.id AS logId, l.input ${waiting} ORDER BY d.seq LIMIT ?`,
    ),
    countWaiting: db.prepare<[number], number>(`SELECT count(*) ${waiting}`).pluck(),
    show: db.prepare('UPDATE audit_draws SET example_id = ? WHERE seq = ?'),
    rename: db.prepare(
      `UPDATE audit_draws SET decision = @to WHERE decision = @from
         AND decision_type_seq = (SELECT seq FROM decision_types WHERE id = @decisionTypeId)`,
    ),
    versions: db.prepare<[number], { policyVersion: string; drawn: number }>(
      `SELECT policy_version AS policyVersion, count(*) AS drawn FROM audit_draws WHERE decision_type_seq = ?
       GROUP BY 1 ORDER BY max(seq) DESC`,
    ),
    lastJudged: db
      .prepare<[number, string], number | null>(
        `SELECT max(d.seq) FROM audit_draws d JOIN examples e ON e.id = d.example_id
         WHERE d.decision_type_seq = ? AND d.policy_version = ? AND d.example_id IS NOT NULL
           AND e.decision IS NOT NULL`,
      )
      .pluck(),
    counts: db.prepare<[number, string, number], RawCounts>(
      `SELECT d.automatic, count(${rightSql}) AS judged, total(${rightSql} <> d.decision) AS wrong,
         total(d.example_id IS NOT NULL AND e.decision IS NULL) AS passedOver
       FROM audit_draws d LEFT JOIN examples e ON e.id = d.example_id LEFT JOIN decision_logs l ON ${ofRecord}
       WHERE d.decision_type_seq = ? AND d.policy_version = ? AND d.seq <= ? GROUP BY d.automatic`,
    ),
  };
}

const noCounts: AuditCounts = { judged: 0, wrong: 0, passedOver: 0 };

function addCounts(groups: readonly RawCounts[]): AuditCounts {
  return groups.reduce(
    (sum, { judged, wrong, passedOver }) => ({
      judged: sum.judged + judged,
      wrong: sum.wrong + wrong,
      passedOver: sum.passedOver + passedOver,
    }),
    noCounts,
  );
}

export class AuditStore {
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(db: WorkbenchDatabase) {
    this.#statements = prepareStatements(db);
  }

  /** Up to `limit` drawn decisions that are still in the log and that nobody was shown or has corrected, oldest first. */
  listWaiting(typeSeq: number, limit: number): WaitingDraw[] {
    return this.#statements.waiting.all(typeSeq, limit).map((row) => ({ ...row, input: JSON.parse(row.input) }));
  }

  countWaiting(typeSeq: number): number {
    return this.#statements.countWaiting.get(typeSeq) ?? 0;
  }

  /** Notes which example shows a drawn decision. */
  show(seq: number, exampleId: string): void {
    this.#statements.show.run(exampleId, seq);
  }

  /** Gives drawn decisions for an option its new name, as their judgements get it. */
  renameOption(decisionTypeId: string, from: string, to: string): void {
    this.#statements.rename.run({ decisionTypeId, from, to });
  }

  /**
   * Counts the drawn decisions of each policy, the newest first, up to the one that was judged last: what stands before
   * it is a whole piece of the sample, whatever was left out.
   */
  countByPolicy(typeSeq: number): PolicyAudit[] {
    return this.#statements.versions.all(typeSeq).map(({ policyVersion, drawn }) => {
      const last = this.#statements.lastJudged.get(typeSeq, policyVersion) ?? 0;
      const groups = this.#statements.counts.all(typeSeq, policyVersion, last);
      const automatic = addCounts(groups.filter((group) => group.automatic === 1));
      return { policyVersion, drawn, all: addCounts(groups), automatic };
    });
  }
}
