/** Takes from a database what the migrations since schema 28 have added, which an earlier program did not write. */
export const backToSchema28 = `
  ALTER TABLE label_checks RENAME COLUMN search_id TO policy_id;
  ALTER TABLE label_checks DROP COLUMN confirmed;
  PRAGMA foreign_keys = OFF;
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
