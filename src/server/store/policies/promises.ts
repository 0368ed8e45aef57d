/** The promises of types and policies, and what corrections say about their automatic decisions. */
import { type DeclaredPromise, declaredPromiseSchema, type KeptPromise } from '../../../engine/measured.ts';
import type { WorkbenchDatabase } from '../database.ts';

/** Automatic decisions that somebody corrected or confirmed, and the wrong ones among them. */
type CorrectionCounts = { checked: number; wrong: number };

function prepareStatements(db: WorkbenchDatabase) {
  return {
    set: db.prepare('UPDATE policies SET promise = ? WHERE id = ?'),
    declare: db.prepare('UPDATE decision_types SET promise = ? WHERE id = ?'),
    findDeclared: db.prepare<[string], string | null>('SELECT promise FROM decision_types WHERE id = ?').pluck(),
    withdrawAll: db.prepare('UPDATE policies SET promise = NULL WHERE decision_type_id = ? AND promise IS NOT NULL'),
    countCorrections: db.prepare<[number, string, number], CorrectionCounts>(
      `SELECT count(*) AS checked, total(corrected_decision <> decision) AS wrong FROM decision_logs
       WHERE corrected_decision IS NOT NULL AND decision_type_seq = ? AND policy_version = ? AND escalated = 0
         AND created_at >= ? AND stage <> 'escalation' AND removed_at IS NULL`,
    ),
  };
}

/** A promise that a policy keeps is read with the policy. */
export function createPromiseStore(db: WorkbenchDatabase) {
  const statements = prepareStatements(db);

  return {
    /** Replaces a policy's promise; null removes it. */
    set(policyId: string, promise: KeptPromise | null): void {
      statements.set.run(promise === null ? null : JSON.stringify(promise), policyId);
    },
    declare(typeId: string, declared: DeclaredPromise): void {
      statements.declare.run(JSON.stringify(declared), typeId);
    },
    findDeclared(typeId: string): DeclaredPromise | null {
      const text = statements.findDeclared.get(typeId) ?? null;
      return text === null ? null : declaredPromiseSchema.parse(JSON.parse(text));
    },
    /** Takes the promise of a type back, and those that its policies keep. */
    withdraw(typeId: string): void {
      statements.declare.run(null, typeId);
      statements.withdrawAll.run(typeId);
    },
    /** Counts over decisions by rule or classifier from `sinceMs` on, none of a connected model. */
    countCorrections: (typeSeq: number, policyVersion: string, sinceMs: number): CorrectionCounts =>
      statements.countCorrections.get(typeSeq, policyVersion, sinceMs) ?? { checked: 0, wrong: 0 },
  };
}
