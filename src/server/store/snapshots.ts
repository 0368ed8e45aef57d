/** The examples that a training sees, frozen at its start and removed at its end. */
import type { WorkbenchDatabase } from './database.ts';

/**
 * A row of a snapshot. Input and reason codes stay the JSON that was stored: the server hands them to the worker
 * without reading them, so that a training of 200,000 examples does not hold up decisions.
 */
export type SnapshotRecord = {
  position: number;
  exampleId: string;
  inputJson: string;
  decision: string;
  reasonCodesJson: string;
  source: 'user' | 'synthetic';
  /** 1: a test row of the analyst's own. */
  test: 0 | 1;
};

function prepareStatements(db: WorkbenchDatabase) {
  return {
    copy: db.prepare(
      `INSERT INTO training_snapshots (policy_id, position, example_id, input, decision, reason_codes, source,
         test)
       SELECT ?, seq, id, input, decision, reason_codes, iif(by_teacher AND NOT reviewed, 'synthetic', source),
         iif(by_teacher AND NOT reviewed, 0, test)
       FROM examples
       WHERE decision_type_id = ? AND decision IN (SELECT value FROM json_each(?))`,
    ),
    after: db.prepare<[string, number, number], SnapshotRecord>(
      `SELECT position, example_id AS exampleId, input AS inputJson, decision, reason_codes AS reasonCodesJson, source, test
       FROM training_snapshots WHERE policy_id = ? AND position > ? ORDER BY position LIMIT ?`,
    ),
    remove: db.prepare('DELETE FROM training_snapshots WHERE policy_id = ?'),
  };
}

export class SnapshotStore {
  private readonly statements: ReturnType<typeof prepareStatements>;

  constructor(db: WorkbenchDatabase) {
    this.statements = prepareStatements(db);
  }

  /**
   * Copies the examples of a type that are labelled with one of the options; returns their number. Those whose label a
   * teacher gave and nobody reviewed count as synthetic, so that no figure is measured on them.
   */
  copyExamples(policyId: string, typeId: string, options: readonly string[]): number {
    return this.statements.copy.run(policyId, typeId, JSON.stringify(options)).changes;
  }

  /** Up to `limit` rows after a position (−1: from the first). */
  readAfter(policyId: string, position: number, limit: number): SnapshotRecord[] {
    return this.statements.after.all(policyId, position, limit);
  }

  remove(policyId: string): void {
    this.statements.remove.run(policyId);
  }
}
