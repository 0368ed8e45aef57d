/** Results of the newest check of a type's labels, made by a training or in the background. */
import type { LabelCheck } from '../../../engine/findings/labels.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { suspectsSql } from '../examples/example-reader.ts';

/** A check of all labels, by a training or in the background; `expectedWrong` null: not known. */
export type LabelSearchRecord = {
  id: string;
  typeId: string;
  labelled: number;
  expectedWrong: number | null;
  createdAt: number;
};

type RawCheck = Omit<LabelCheck, 'suspect'> & { suspect: number };
type Suspects = { id: string; createdAt: number; typeId: string; options: string };

function prepareStatements(db: WorkbenchDatabase) {
  return {
    typeOfCurrent: db
      .prepare<[string, string], string>(
        'SELECT decision_type_id FROM policies WHERE id = ? AND current_attempt_id = ?',
      )
      .pluck(),
    begin: db.prepare<[Omit<LabelSearchRecord, 'expectedWrong'>]>(
      `INSERT OR IGNORE INTO label_searches (id, decision_type_id, labelled, created_at, complete)
       VALUES (@id, @typeId, @labelled, @createdAt, 0)`,
    ),
    beginOfPolicy: db.prepare<[string]>(
      `INSERT OR IGNORE INTO label_searches (id, decision_type_id, labelled, created_at, complete)
       SELECT id, decision_type_id, snapshot_size, created_at, 0 FROM policies WHERE id = ?`,
    ),
    complete: db.prepare('UPDATE label_searches SET complete = 1, expected_wrong = ? WHERE id = ?'),
    newest: db.prepare<[string], LabelSearchRecord>(
      `SELECT id, decision_type_id AS typeId, labelled, expected_wrong AS expectedWrong, created_at AS createdAt
       FROM label_searches WHERE decision_type_id = ? AND complete = 1 ORDER BY created_at DESC LIMIT 1`,
    ),
    // A confirmation by a person stays while the same option is found likelier.
    insert: db.prepare(
      `INSERT OR REPLACE INTO label_checks
         (search_id, example_id, label, probability, likelier, likelier_probability, doubt, suspect, confirmed)
       VALUES (@id, @example_id, @label, @probability, @likelier, @likelier_probability, @doubt, @suspect,
         EXISTS (SELECT 1 FROM label_checks WHERE search_id = @previous AND example_id = @example_id
           AND label = @label AND likelier = @likelier AND confirmed = 1))`,
    ),
    rename: db.prepare<[{ typeId: string; from: string; to: string }]>(
      `UPDATE label_checks SET label = iif(label = @from, @to, label), likelier = iif(likelier = @from, @to, likelier)
       WHERE search_id IN (SELECT id FROM label_searches WHERE decision_type_id = @typeId)
         AND (label = @from OR likelier = @from)`,
    ),
    confirm: db.prepare<[{ id: string; ids: string }]>(
      `UPDATE label_checks SET confirmed = 1
       WHERE search_id = @id AND suspect = 1 AND example_id IN (SELECT value FROM json_each(@ids))
         AND label = (SELECT decision FROM examples WHERE examples.id = example_id AND reviewed = 1)`,
    ),
    remove: db.prepare<[string]>('DELETE FROM label_checks WHERE search_id = ?'),
    removeSearch: db.prepare<[string]>('DELETE FROM label_searches WHERE id = ?'),
    listSuspects: db.prepare<[Suspects & { limit: number; except: string }], RawCheck>(
      `SELECT c.* ${suspectsSql} AND e.id NOT IN (SELECT value FROM json_each(@except))
       ORDER BY c.doubt DESC, e.id LIMIT @limit`,
    ),
    find: db.prepare<[string, string], RawCheck>('SELECT * FROM label_checks WHERE search_id = ? AND example_id = ?'),
    countSuspects: db.prepare<[Suspects], number>(`SELECT count(*) ${suspectsSql}`).pluck(),
    countCorrected: db
      .prepare<[string], number>(
        `SELECT count(*) FROM label_checks c JOIN examples e ON e.id = c.example_id
         WHERE c.search_id = ? AND c.suspect = 1 AND e.decision <> c.label`,
      )
      .pluck(),
    removeOlder: db.prepare<[{ id: string; limit: number }]>(
      `DELETE FROM label_checks WHERE (search_id, example_id) IN
         (SELECT c.search_id, c.example_id FROM label_searches newest
          JOIN label_searches older
            ON older.decision_type_id = newest.decision_type_id AND older.created_at < newest.created_at
          JOIN label_checks c ON c.search_id = older.id
          WHERE newest.id = @id LIMIT @limit)`,
    ),
  };
}

/** Checks of labels, one row for each example that was looked at. Only those of a type's newest search are kept. */
export function createLabelCheckStore(db: WorkbenchDatabase) {
  const statements = prepareStatements(db);
  const findNewest = (typeId: string): LabelSearchRecord | null => statements.newest.get(typeId) ?? null;
  const toFacts = ({ id, createdAt, typeId }: LabelSearchRecord, options: readonly string[]): Suspects => ({
    id,
    createdAt,
    typeId,
    options: JSON.stringify(options),
  });
  function insert(id: string, typeId: string, checks: readonly LabelCheck[]): void {
    const previous = findNewest(typeId)?.id ?? null;
    for (const check of checks) statements.insert.run({ ...check, id, previous, suspect: Number(check.suspect) });
  }

  return {
    /** Keeps some of the checks of an attempt; those of one that is not the current one are left out. */
    addOfAttempt(
      { policyId, attemptId }: { policyId: string; attemptId: string },
      checks: readonly LabelCheck[],
    ): void {
      db.transaction(() => {
        const typeId = statements.typeOfCurrent.get(policyId, attemptId);
        if (typeId === undefined) return;
        statements.beginOfPolicy.run(policyId);
        insert(policyId, typeId, checks);
      })();
    },
    /** Keeps some of the checks of a search in the background. */
    add(search: Omit<LabelSearchRecord, 'expectedWrong'>, checks: readonly LabelCheck[]): void {
      db.transaction(() => {
        statements.begin.run(search);
        insert(search.id, search.typeId, checks);
      })();
    },
    /** From now on a search counts, all of whose checks are kept. */
    complete(id: string, expectedWrong: number | null): void {
      statements.complete.run(expectedWrong, id);
    },
    /** The search that counts: the newest one that is complete. */
    findNewest,
    /** Up to `limit` suspect labels, most certain first, without those of the examples `except`. */
    listSuspects: (
      search: LabelSearchRecord,
      options: readonly string[],
      limit: number,
      except: readonly string[],
    ): LabelCheck[] =>
      statements.listSuspects
        .all({ ...toFacts(search, options), limit, except: JSON.stringify(except) })
        .map((check) => ({ ...check, suspect: true })),
    /** Finds the result of a type's newest search for an example's label; null without one. */
    find(typeId: string, exampleId: string): LabelCheck | null {
      const check = statements.find.get(findNewest(typeId)?.id ?? '', exampleId);
      return check === undefined ? null : { ...check, suspect: check.suspect === 1 };
    },
    countSuspects: (search: LabelSearchRecord, options: readonly string[]): number =>
      statements.countSuspects.get(toFacts(search, options)) ?? 0,
    /** Counts the suspect labels of a search in whose place there is another label now. */
    countCorrected: (searchId: string): number => statements.countCorrected.get(searchId) ?? 0,
    /** Notes which suspect labels a person has reviewed and kept: later searches leave them out. */
    confirm(typeId: string, exampleIds: readonly string[]): void {
      const search = findNewest(typeId);
      if (search !== null) statements.confirm.run({ id: search.id, ids: JSON.stringify(exampleIds) });
    },
    /** Follows an option that only has another name now. */
    renameOption(typeId: string, from: string, to: string): void {
      statements.rename.run({ typeId, from, to });
    },
    remove(searchId: string): void {
      statements.remove.run(searchId);
      statements.removeSearch.run(searchId);
    },
    /** Removes up to `limit` checks of older searches of the type; returns their number. */
    removeOlder: (searchId: string, limit: number): number =>
      statements.removeOlder.run({ id: searchId, limit }).changes,
  };
}
