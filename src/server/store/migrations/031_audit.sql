-- The share of live decisions that is drawn to be judged blind, as JSON; null: none.
ALTER TABLE decision_types ADD COLUMN audit TEXT;
-- Decisions drawn as they were recorded, in that order, with what was decided: a log record may be gone before its
-- judgement. The input stays in the log until the decision is shown; then an example holds it, and the judgement.
CREATE TABLE audit_draws (
  seq INTEGER PRIMARY KEY,
  decision_type_seq INTEGER NOT NULL,
  log_seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  decision TEXT NOT NULL,
  -- 1 where rule or classifier decided alone
  automatic INTEGER NOT NULL,
  policy_version TEXT NOT NULL,
  example_id TEXT
) STRICT;
CREATE INDEX audit_draws_by_type ON audit_draws (decision_type_seq, policy_version, seq);
CREATE INDEX audit_draws_shown ON audit_draws (decision_type_seq, policy_version, seq) WHERE example_id IS NOT NULL;
CREATE INDEX audit_draws_waiting ON audit_draws (decision_type_seq, seq) WHERE example_id IS NULL;
-- 1 where the example is a drawn decision that was shown to be judged.
ALTER TABLE examples ADD COLUMN audited INTEGER NOT NULL DEFAULT 0;
CREATE INDEX examples_by_audit ON examples (decision_type_id, seq) WHERE audited = 1;
