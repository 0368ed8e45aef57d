/** The examples that a training sees, frozen at its start and removed at its end. */
import type { DigestedRow } from '../../../engine/training/digest-rows.ts';
import type { WorkbenchDatabase } from '../database.ts';

/**
 * A row of a snapshot. Input and reason codes stay the JSON that was stored: the server hands them to the worker
 * without reading them, so that a training of 200,000 examples does not hold up decisions.
 */
export type SnapshotRecord = DigestedRow & {
  position: number;
  exampleId: string;
  /** When it was given its first label, in milliseconds. */
  labelledAt: number;
};

/** A row without a label; `isAside` where somebody skipped or flagged it instead. */
export type OpenRecord = { seq: number; inputJson: string; isAside: boolean };

/**
 * Whether the row of a snapshot came without its label: its first one replaced none, and was given after the row was
 * made, as a file says who gave the labels it brings. The audit draws live decisions by itself.
 */
const isLater = `coalesce((SELECT h.before IS NULL AND h.given_at > e.created_at AND e.audited = 0
  FROM examples e JOIN label_history h ON h.example_id = e.id AND h.kind = 'label'
  WHERE e.id = training_snapshots.example_id ORDER BY h.seq LIMIT 1), 0)`;

/** When the row of a snapshot was given its first label, as far as that is known. */
const labelledAt = `coalesce((SELECT iif(h.before IS NULL, ifnull(h.given_at, e.created_at), e.created_at)
  FROM examples e LEFT JOIN label_history h ON h.example_id = e.id AND h.kind = 'label'
  WHERE e.id = training_snapshots.example_id ORDER BY h.seq LIMIT 1), 0)`;

function prepareStatements(db: WorkbenchDatabase) {
  return {
    copy: db.prepare(
      `INSERT INTO training_snapshots (policy_id, position, example_id, input, decision, first_decision, reason_codes,
         source, test)
       SELECT ?, seq, id, input, decision, first_decision, reason_codes, iif(by_teacher AND NOT reviewed, 'synthetic', iif(log_id IS NOT NULL AND NOT audited, 'correction', source)),
         iif(by_teacher AND NOT reviewed, 0, test)
       FROM examples
       WHERE decision_type_id = ? AND must = 0 AND decision IN (SELECT value FROM json_each(?))`,
    ),
    after: db.prepare<
      [string, number, number],
      Omit<SnapshotRecord, 'test' | 'later'> & { test: number; later: number }
    >(
      `SELECT position, example_id AS exampleId, input AS inputJson, decision, first_decision AS firstDecision, reason_codes AS reasonCodesJson, source, test,
         ${isLater} AS later, ${labelledAt} AS labelledAt
       FROM training_snapshots WHERE policy_id = ? AND position > ? ORDER BY position LIMIT ?`,
    ),
    open: db.prepare<
      [{ policyId: string; after: number; limit: number }],
      Omit<OpenRecord, 'isAside'> & { isAside: number }
    >(
      `SELECT e.seq, e.input AS inputJson, e.mark IS NOT NULL AS isAside FROM policies p JOIN examples e ON e.decision_type_id = p.decision_type_id
       WHERE p.id = @policyId AND e.seq > @after AND e.seq <= ifnull(p.snapshot_last_seq, e.seq) AND (e.mark IS NULL OR e.decision IS NULL) AND e.must = 0 AND e.audited = 0 AND e.log_id IS NULL
         AND NOT EXISTS (SELECT 1 FROM training_snapshots s WHERE s.policy_id = p.id AND s.position = e.seq
           AND s.source <> 'synthetic')
         AND (e.source = 'user' AND (e.decision IS NULL OR e.updated_at >= p.created_at OR e.by_teacher = 1 AND e.reviewed = 0))
       ORDER BY e.seq LIMIT @limit`,
    ),
    remove: db.prepare('DELETE FROM training_snapshots WHERE policy_id = ?'),
  };
}

/** Freezes, reads and removes the examples of a training. */
export function createSnapshotStore(db: WorkbenchDatabase) {
  const statements = prepareStatements(db);

  return {
    /**
     * Copies the examples labelled with an option; returns their number. A teacher's unreviewed labels count as
     * synthetic, corrections as such unless the audit drew them: no figure is measured on them. Cases that must hold
     * are left out.
     */
    copyExamples: (policyId: string, typeId: string, options: readonly string[]): number =>
      statements.copy.run(policyId, typeId, JSON.stringify(options)).changes,
    /** Up to `limit` rows after a position (−1: from the first). */
    readAfter: (policyId: string, position: number, limit: number): SnapshotRecord[] =>
      statements.after
        .all(policyId, position, limit)
        .map((row) => ({ ...row, test: row.test === 1, later: row.later === 1 })),
    /**
     * Up to `limit` rows after a position that were there with the snapshot, have no label by a person in it, and may
     * be given one.
     */
    readOpenAfter: (policyId: string, after: number, limit: number): OpenRecord[] =>
      statements.open.all({ policyId, after, limit }).map((row) => ({ ...row, isAside: row.isAside === 1 })),
    remove(policyId: string): void {
      statements.remove.run(policyId);
    },
  };
}

export type SnapshotStore = ReturnType<typeof createSnapshotStore>;
