-- Whether the policy found the input unlike its examples, and the queue of decisions that wait for a person's look.
ALTER TABLE decision_logs ADD COLUMN unfamiliar INTEGER NOT NULL DEFAULT 0;
CREATE INDEX decision_logs_to_review ON decision_logs (decision_type_seq, unfamiliar, seq)
  WHERE escalated = 1 AND corrected_decision IS NULL;
