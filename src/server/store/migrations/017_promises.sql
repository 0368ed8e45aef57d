-- Test rows that an analyst chose, and what the whole decision needs to know of a held-out row.
ALTER TABLE examples ADD COLUMN test INTEGER NOT NULL DEFAULT 0;
ALTER TABLE training_snapshots ADD COLUMN test INTEGER NOT NULL DEFAULT 0;
-- Null for what was held out before: it counts as familiar, and as the input that was measured.
ALTER TABLE held_out_predictions ADD COLUMN unfamiliar INTEGER;
ALTER TABLE held_out_predictions ADD COLUMN input_hash INTEGER;
-- The error that was promised of a policy, as JSON; null without a promise.
ALTER TABLE policies ADD COLUMN promise TEXT;
-- Corrections are rare: what they say of automatic decisions is read from here, never from the whole log.
CREATE INDEX decision_logs_corrected ON decision_logs
  (decision_type_seq, policy_version, escalated, created_at, decision, corrected_decision)
  WHERE corrected_decision IS NOT NULL;
