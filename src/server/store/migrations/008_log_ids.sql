-- The id of a log record is no text of its own any more but a UUID of version 8 (RFC 9562) that says when the record was
-- made and which row it is: nothing to store, and no index to write for each decision. What named a record by its old
-- id names it by the new one.
UPDATE credit_entries SET reference_id = (
  SELECT printf('%08x-%04x-8000-8000-%012x', l.created_at >> 16, l.created_at & 65535, l.seq)
  FROM decision_logs l WHERE l.id = reference_id)
WHERE operation = 'decision' AND reference_id IN (SELECT id FROM decision_logs);

UPDATE examples SET log_id = (
  SELECT printf('%08x-%04x-8000-8000-%012x', l.created_at >> 16, l.created_at & 65535, l.seq)
  FROM decision_logs l WHERE l.id = log_id)
WHERE log_id IN (SELECT id FROM decision_logs);

DROP INDEX decision_logs_by_id;
ALTER TABLE decision_logs DROP COLUMN id;
ALTER TABLE decision_logs ADD COLUMN id TEXT NOT NULL GENERATED ALWAYS AS
  (printf('%08x-%04x-8000-8000-%012x', created_at >> 16, created_at & 65535, seq)) VIRTUAL;
