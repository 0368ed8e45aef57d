-- Log records past their retention are marked first and deleted two days later, so that a wrong clock can be repaired.
ALTER TABLE decision_logs ADD COLUMN removed_at INTEGER;
CREATE INDEX decision_logs_removed ON decision_logs (removed_at, decision_type_seq) WHERE removed_at IS NOT NULL;

DROP INDEX decision_logs_to_review;
CREATE INDEX decision_logs_to_review ON decision_logs
  (decision_type_seq, unfamiliar, seq, decision, escalated, confidence, created_at)
  WHERE escalated = 1 AND corrected_decision IS NULL AND removed_at IS NULL;

-- One row: the highest wall-clock time that was believed, and a leap of the clock that is not believed yet.
CREATE TABLE clock_sightings (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  trusted_at INTEGER NOT NULL,
  doubt_seen_at INTEGER,
  doubt_leap_ms INTEGER,
  doubt_agreed_ms INTEGER
) STRICT;
-- Earlier programs did not write down when they saw the clock; the newest record of the log tells.
INSERT INTO clock_sightings (id, trusted_at) SELECT 1, created_at FROM decision_logs ORDER BY seq DESC LIMIT 1;
