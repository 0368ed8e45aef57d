/** Deleted decision types past restoring: which they are, and how their rows leave the data file. */
import type { WorkbenchDatabase } from '../database.ts';

type ExpiredType = { seq: number; id: string };

const sliceRows = 500;

/** The rows of a table that belong to a type's policies, or its searches of labels, by their key. */
const ofOwners = (owners: 'policies' | 'label_searches', ownerId: string, table: string, key: string) =>
  `DELETE FROM ${table} WHERE (${ownerId}, ${key}) IN
     (SELECT r.${ownerId}, r.${key} FROM ${owners} p JOIN ${table} r ON r.${ownerId} = p.id
      WHERE p.decision_type_id = ? LIMIT ${sliceRows})`;

function prepareStatements(db: WorkbenchDatabase) {
  return {
    // A type whose first examples are being added counts as deleted until then.
    expired: db.prepare<[number], ExpiredType>(
      `SELECT seq, id FROM decision_types WHERE deleted_at < ?
       AND id NOT IN (SELECT decision_type_id FROM unfinished_example_parts) ORDER BY seq`,
    ),
    begin: db.prepare('UPDATE decision_types SET deleted_at = 0 WHERE id = ?'),
    policies: db.prepare<[string], string>('SELECT id FROM policies WHERE decision_type_id = ?').pluck(),
    /** There may be many rows of these. */
    slices: [
      `DELETE FROM examples WHERE seq IN
         (SELECT seq FROM examples WHERE decision_type_id = ? LIMIT ${sliceRows})`,
      ofOwners('label_searches', 'search_id', 'label_checks', 'example_id'),
      ofOwners('policies', 'policy_id', 'held_out_predictions', 'example_id'),
      ofOwners('policies', 'policy_id', 'training_snapshots', 'position'),
    ].map((sql) => db.prepare<[string]>(sql)),
    /** In the order in which they name one another. */
    rest: [
      'DELETE FROM training_attempts WHERE policy_id IN (SELECT id FROM policies WHERE decision_type_id = @id)',
      'DELETE FROM questions WHERE decision_type_id = @id',
      'DELETE FROM authors WHERE decision_type_id = @id',
      'DELETE FROM release_aliases WHERE decision_type_id = @id',
      'DELETE FROM releases WHERE decision_type_id = @id',
      'DELETE FROM label_searches WHERE decision_type_id = @id',
      'DELETE FROM policies WHERE decision_type_id = @id',
      'DELETE FROM example_undos WHERE decision_type_id = @id',
      'DELETE FROM unfinished_example_parts WHERE decision_type_id = @id',
      'DELETE FROM audit_draws WHERE decision_type_seq = @seq',
      'DELETE FROM personal_residues WHERE decision_type_seq = @seq',
      'DELETE FROM decision_type_versions WHERE decision_type_id = @id',
      'DELETE FROM decision_types WHERE id = @id',
    ].map((sql) => db.prepare<[ExpiredType]>(sql)),
  };
}

/** Reads and removes deleted decision types in parts, so that no write takes long. */
export function createTypeRemovalStore(db: WorkbenchDatabase) {
  const statements = prepareStatements(db);

  return {
    /** The types that were deleted before `beforeMs`, and those whose removal has begun. */
    listExpired: (beforeMs: number): ExpiredType[] => statements.expired.all(beforeMs),
    /** Keeps a type from being restored, because a part of it may be gone soon. */
    begin({ id }: ExpiredType): void {
      statements.begin.run(id);
    },
    /** Removes all of a type but credit entries, a slice a commit; its log must be empty. Returns its policies' ids. */
    *remove(type: ExpiredType): Generator<void, string[]> {
      const { slices, rest, policies } = statements;
      for (const slice of slices) {
        while (slice.run(type.id).changes === sliceRows) yield;
      }
      const removed = policies.all(type.id);
      db.transaction(() => {
        for (const statement of rest) statement.run(type);
      }).immediate();
      return removed;
    },
  };
}
