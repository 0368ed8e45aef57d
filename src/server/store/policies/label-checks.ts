/** What the newest trained policy of a type says about the labels of its examples. */
import type { LabelCheck } from '../../../engine/findings/labels.ts';
import type { WorkbenchDatabase } from '../database.ts';
import type { CheckedPolicy } from '../examples/example-reader.ts';

type Suspects = { typeId: string; options: string } & CheckedPolicy;

/** Labels that a policy's training found suspect and that nobody has changed or confirmed since. */
const fromSuspects = `FROM label_checks c JOIN examples e ON e.id = c.example_id
  WHERE c.policy_id = @id AND c.suspect = 1 AND e.decision_type_id = @typeId AND e.decision = c.label
    AND e.updated_at <= @createdAt AND c.likelier IN (SELECT value FROM json_each(@options))`;

function prepareStatements(db: WorkbenchDatabase) {
  return {
    isCurrent: db
      .prepare<[string, string], number>('SELECT 1 FROM policies WHERE id = ? AND current_attempt_id = ?')
      .pluck(),
    insert: db.prepare(
      `INSERT OR REPLACE INTO label_checks
         (policy_id, example_id, label, probability, likelier, likelier_probability, doubt, suspect)
       VALUES (@policyId, @example_id, @label, @probability, @likelier, @likelier_probability, @doubt, @suspect)`,
    ),
    rename: db.prepare<[{ typeId: string; from: string; to: string }]>(
      `UPDATE label_checks SET label = iif(label = @from, @to, label), likelier = iif(likelier = @from, @to, likelier)
       WHERE policy_id IN (SELECT id FROM policies WHERE decision_type_id = @typeId)
         AND (label = @from OR likelier = @from)`,
    ),
    remove: db.prepare('DELETE FROM label_checks WHERE policy_id = ?'),
    listSuspects: db.prepare<[Suspects & { limit: number; except: string }], string>(
      `SELECT e.id ${fromSuspects} AND e.id NOT IN (SELECT value FROM json_each(@except))
       ORDER BY c.doubt DESC, e.id LIMIT @limit`,
    ),
    countSuspects: db.prepare<[Suspects], number>(`SELECT count(*) ${fromSuspects}`),
    removeOlder: db.prepare<[{ policyId: string; limit: number }]>(
      `DELETE FROM label_checks WHERE (policy_id, example_id) IN
         (SELECT c.policy_id, c.example_id FROM policies newest
          JOIN policies older ON older.decision_type_id = newest.decision_type_id AND older.id <> newest.id
            AND older.status NOT IN ('training', 'stopping', 'cancelling')
          JOIN label_checks c ON c.policy_id = older.id
          WHERE newest.id = @policyId LIMIT @limit)`,
    ),
  };
}

/** Checks of labels, one row for each example that a training saw. Only those of a type's newest policy are kept. */
export function createLabelCheckStore(db: WorkbenchDatabase) {
  const statements = prepareStatements(db);

  return {
    /** Keeps some of the checks of an attempt; those of one that is not the current one are left out. */
    add({ policyId, attemptId }: { policyId: string; attemptId: string }, checks: readonly LabelCheck[]): void {
      db.transaction(() => {
        if (statements.isCurrent.get(policyId, attemptId) === undefined) return;
        for (const check of checks) statements.insert.run({ ...check, policyId, suspect: Number(check.suspect) });
      })();
    },
    /** The ids of up to `limit` examples with a suspect label, most certain first, without those of `except`. */
    listSuspects(
      typeId: string,
      policy: CheckedPolicy,
      options: readonly string[],
      limit: number,
      except: readonly string[],
    ): string[] {
      const facts = { ...policy, typeId, options: JSON.stringify(options), limit, except: JSON.stringify(except) };
      return statements.listSuspects.pluck().all(facts) as string[];
    },
    countSuspects(typeId: string, policy: CheckedPolicy, options: readonly string[]): number {
      const facts = { ...policy, typeId, options: JSON.stringify(options) };
      return (statements.countSuspects.pluck().get(facts) as number | undefined) ?? 0;
    },
    /** Follows an option that only has another name now. */
    renameOption(typeId: string, from: string, to: string): void {
      statements.rename.run({ typeId, from, to });
    },
    remove(policyId: string): void {
      statements.remove.run(policyId);
    },
    /** Removes up to `limit` checks of the other policies of the type; returns their number. */
    removeOlder: (policyId: string, limit: number): number => statements.removeOlder.run({ policyId, limit }).changes,
  };
}
