/** What was promised of policies, and what corrections say of their automatic decisions. */
import type { KeptPromise } from '../../engine/measured.ts';
import type { WorkbenchDatabase } from './database.ts';

/** Automatic decisions that somebody corrected or confirmed, and the wrong ones among them. */
export type CorrectionCounts = { checked: number; wrong: number };

function prepareStatements(db: WorkbenchDatabase) {
  return {
    set: db.prepare('UPDATE policies SET promise = ? WHERE id = ?'),
    has: db.prepare<[string], number>('SELECT promise IS NOT NULL FROM policies WHERE id = ?').pluck(),
    countCorrections: db.prepare<[number, string, number], CorrectionCounts>(
      `SELECT count(*) AS checked, total(corrected_decision <> decision) AS wrong FROM decision_logs
       WHERE corrected_decision IS NOT NULL AND decision_type_seq = ? AND policy_version = ? AND escalated = 0
         AND created_at >= ? AND stage <> 'escalation' AND removed_at IS NULL`,
    ),
  };
}

/** A promise is read with its policy. */
export class PromiseStore {
  private readonly statements: ReturnType<typeof prepareStatements>;

  constructor(db: WorkbenchDatabase) {
    this.statements = prepareStatements(db);
  }

  /** Keeps what is promised of a policy in place of what was; null takes it back. */
  set(policyId: string, promise: KeptPromise | null): void {
    this.statements.set.run(promise === null ? null : JSON.stringify(promise), policyId);
  }

  has(policyId: string): boolean {
    return this.statements.has.get(policyId) === 1;
  }

  /** Counts over decisions by rule or classifier from `sinceMs` on; answers of a connected model are not among them. */
  countCorrections(typeSeq: number, policyVersion: string, sinceMs: number): CorrectionCounts {
    return this.statements.countCorrections.get(typeSeq, policyVersion, sinceMs) ?? { checked: 0, wrong: 0 };
  }
}
