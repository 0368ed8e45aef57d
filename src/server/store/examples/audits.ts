/** Live decisions drawn to be judged blind: kept as they are recorded, shown as examples, counted as judged. */
import type { JsonObject } from '../../../engine/json.ts';
import { type AuditCounts, rankDecision, toWeek } from '../../../engine/measure/error-bound.ts';
import type { AuditSetting } from '../../contract/types/decision-types.ts';
import type { WorkbenchDatabase } from '../database.ts';

type Drawable = {
  decisionTypeSeq: number;
  requestId: string;
  logSeq: number;
  createdAt: number;
  decision: string;
  /** Whether rule or classifier decided alone. */
  isAutomatic: boolean;
  policyVersion: string;
};
type WaitingDraw = { seq: number; logId: string; input: JsonObject };
/** The counts of a policy: of all its drawn decisions, some by week (`isWeekly`), and of those decided alone. */
export type PolicyAudit = {
  policyVersion: string;
  drawn: number;
  isWeekly: boolean;
  all: AuditCounts;
  automatic: AuditCounts;
};

type RawCounts = { automatic: number; judged: number; wrong: number; passedOver: number };

/**
 * Prepares what keeps a decision where it is drawn; it runs inside the transaction that records it. Of a week those
 * that stand first so far are kept until others come before them: at its end they are as if drawn from the whole week.
 */
export function prepareDraw(db: WorkbenchDatabase): (decision: Drawable, audit: AuditSetting) => void {
  const insert = db.prepare(
    `INSERT INTO audit_draws (decision_type_seq, log_seq, created_at, decision, automatic, policy_version, week, rank)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const lastOfWeek = db
    .prepare<[number, number, number], number>(
      'SELECT rank FROM audit_draws WHERE decision_type_seq = ? AND week = ? ORDER BY rank LIMIT 1 OFFSET ?',
    )
    .pluck();
  const removeBehind = db.prepare(
    'DELETE FROM audit_draws WHERE decision_type_seq = ? AND week = ? AND rank > ? AND example_id IS NULL',
  );
  return (draw, { share = 0, per_week }) => {
    const { decisionTypeSeq, logSeq, createdAt, decision, isAutomatic, policyVersion } = draw;
    const rank = rankDecision(draw.requestId, logSeq);
    const keep = (week: number | null) =>
      insert.run(decisionTypeSeq, logSeq, createdAt, decision, Number(isAutomatic), policyVersion, week, rank);
    if (per_week === undefined) {
      if (rank < share) keep(null);
      return;
    }
    const week = toWeek(createdAt);
    const findLast = () => lastOfWeek.get(decisionTypeSeq, week, per_week - 1) ?? 1;
    if (rank >= findLast()) return;
    keep(week);
    removeBehind.run(decisionTypeSeq, week, findLast());
  };
}

/** Row numbers of the log are given again: the time tells whether the record still is the one that was drawn. */
const ofRecord = `l.seq = d.log_seq AND l.created_at = d.created_at AND l.decision_type_seq = d.decision_type_seq
  AND l.removed_at IS NULL`;
/** Whether it is certain that a decision is drawn: others of a week under way may still come before it. */
const isDrawnSql = '(d.week IS NULL OR d.week < ?)';
/** The right decision: as it was judged, whatever a model made of that later, or corrected before it was shown. */
const rightSql = `iif(d.example_id IS NULL, l.corrected_decision,
  iif(e.decision IS NULL, NULL, ifnull(e.first_decision, e.decision)))`;

function prepareStatements(db: WorkbenchDatabase) {
  const waiting = `FROM audit_draws d JOIN decision_logs l ON ${ofRecord}
    WHERE d.decision_type_seq = ? AND ${isDrawnSql} AND d.example_id IS NULL AND l.corrected_decision IS NULL`;
  return {
    waiting: db.prepare<[number, number, number], Omit<WaitingDraw, 'input'> & { input: string }>(
      `SELECT d.seq, l.id AS logId, l.input ${waiting} ORDER BY d.seq LIMIT ?`,
    ),
    countWaiting: db.prepare<[number, number], number>(`SELECT count(*) ${waiting}`).pluck(),
    show: db.prepare('UPDATE audit_draws SET example_id = ? WHERE seq = ?'),
    takeCorrected: db.prepare(
      `UPDATE audit_draws AS d SET example_id = e.id FROM decision_logs l JOIN examples e ON e.log_id = l.id
       WHERE ${ofRecord} AND d.decision_type_seq = ? AND d.policy_version = ? AND d.seq <= ?
         AND d.example_id IS NULL AND e.decision IS NOT NULL`,
    ),
    markAudited: db.prepare(
      `UPDATE examples SET audited = 1 WHERE audited = 0
         AND id IN (SELECT example_id FROM audit_draws WHERE decision_type_seq = ? AND example_id IS NOT NULL)`,
    ),
    rename: db.prepare(
      `UPDATE audit_draws SET decision = @to WHERE decision = @from
         AND decision_type_seq = (SELECT seq FROM decision_types WHERE id = @decisionTypeId)`,
    ),
    versions: db.prepare<[number, number], { policyVersion: string; drawn: number; weekly: number }>(
      `SELECT policy_version AS policyVersion, count(*) AS drawn, count(week) AS weekly FROM audit_draws d
       WHERE decision_type_seq = ? AND ${isDrawnSql} GROUP BY 1 ORDER BY max(seq) DESC`,
    ),
    removeUndrawn: db.prepare(
      'DELETE FROM audit_draws WHERE decision_type_seq = ? AND week >= ? AND example_id IS NULL',
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

/** Reads and writes the drawn decisions and how they were judged. */
export function createAuditStore(db: WorkbenchDatabase) {
  const statements = prepareStatements(db);
  /** The place of the draw that was judged last: what stands before it is a whole piece of the sample. */
  const findLastJudged = (typeSeq: number, policyVersion: string) =>
    statements.lastJudged.get(typeSeq, policyVersion) ?? 0;

  return {
    /** Up to `limit` drawn decisions that nobody was shown or has corrected, oldest first. */
    listWaiting: (typeSeq: number, now: number, limit: number): WaitingDraw[] =>
      statements.waiting.all(typeSeq, toWeek(now), limit).map((row) => ({ ...row, input: JSON.parse(row.input) })),
    countWaiting: (typeSeq: number, now: number): number => statements.countWaiting.get(typeSeq, toWeek(now)) ?? 0,
    /** Forgets what the week under way would draw, so that a changed number draws again from the decisions to come. */
    restartWeek(typeSeq: number, now: number): void {
      statements.removeUndrawn.run(typeSeq, toWeek(now));
    },
    show(seq: number, exampleId: string): void {
      statements.show.run(exampleId, seq);
    },
    /** Counts corrections of unshown draws up to the last judged; later ones would bias it: people correct errors. */
    takeCorrected(typeSeq: number, now: number): void {
      for (const { policyVersion } of statements.versions.all(typeSeq, toWeek(now)))
        statements.takeCorrected.run(typeSeq, policyVersion, findLastJudged(typeSeq, policyVersion));
      statements.markAudited.run(typeSeq);
    },
    /** Gives drawn decisions for an option its new name, as their judgements get it. */
    renameOption(decisionTypeId: string, from: string, to: string): void {
      statements.rename.run({ decisionTypeId, from, to });
    },
    /** Counts each policy's drawn decisions, the newest first, up to the last judged. */
    countByPolicy: (typeSeq: number, now: number): PolicyAudit[] =>
      statements.versions.all(typeSeq, toWeek(now)).map(({ policyVersion, drawn, weekly }) => {
        const groups = statements.counts.all(typeSeq, policyVersion, findLastJudged(typeSeq, policyVersion));
        const automatic = addCounts(groups.filter((group) => group.automatic === 1));
        return { policyVersion, drawn, isWeekly: weekly > 0, all: addCounts(groups), automatic };
      }),
  };
}
