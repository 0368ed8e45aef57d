/** Takes from a database what the migrations since schema 28 have added, which an earlier program did not write. */
export const backToSchema28 = `
  DROP INDEX examples_by_first_decision;
  ALTER TABLE training_snapshots DROP COLUMN first_decision;
  ALTER TABLE examples DROP COLUMN first_decision;
  ALTER TABLE policies DROP COLUMN follows;
  PRAGMA foreign_keys = OFF;
  ALTER TABLE label_checks RENAME TO label_checks_of_now;
  CREATE TABLE label_checks (
    policy_id TEXT NOT NULL REFERENCES policies (id),
    example_id TEXT NOT NULL,
    label TEXT NOT NULL,
    probability REAL NOT NULL,
    likelier TEXT NOT NULL,
    likelier_probability REAL NOT NULL,
    doubt REAL NOT NULL,
    suspect INTEGER NOT NULL,
    PRIMARY KEY (policy_id, example_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO label_checks
    SELECT search_id, example_id, label, probability, likelier, likelier_probability, doubt, suspect
    FROM label_checks_of_now WHERE search_id IN (SELECT id FROM policies);
  DROP TABLE label_checks_of_now;
  DROP TABLE label_searches;
  DROP TABLE deployments;
  ALTER TABLE api_keys DROP COLUMN allows_destructive;
  ALTER TABLE api_keys DROP COLUMN scopes;
  DROP INDEX examples_by_audit;
  DROP TABLE audit_draws;
  ALTER TABLE examples DROP COLUMN audited;
  ALTER TABLE decision_types DROP COLUMN audit;
  ALTER TABLE policies DROP COLUMN held_back;
  ALTER TABLE decision_types DROP COLUMN promise;
  ALTER TABLE decision_types DROP COLUMN costs;
`;
