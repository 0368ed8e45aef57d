-- Everything that the review queue is filtered by, so that only the rows of the page itself are read from the log.
DROP INDEX decision_logs_to_review;
CREATE INDEX decision_logs_to_review ON decision_logs
  (decision_type_seq, unfamiliar, seq, decision, escalated, confidence, created_at)
  WHERE escalated = 1 AND corrected_decision IS NULL;
